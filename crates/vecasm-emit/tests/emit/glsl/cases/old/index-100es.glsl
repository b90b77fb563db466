// refused, GLSL-index: GLSL 100 es has no equivalent of `param`
