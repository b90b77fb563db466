// refused, GLSL-input: GLSL 300 es has no input like size, which is subgroup-size
