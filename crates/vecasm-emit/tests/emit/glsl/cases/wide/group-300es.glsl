// refused, GLSL-input: GLSL 300 es has no equivalent of the input size, which is subgroup-size
