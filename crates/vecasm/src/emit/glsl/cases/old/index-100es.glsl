// refused, GLSL-index: GLSL 100 es has nothing like `param`
