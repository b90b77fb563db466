// refused, GLSL-input: GLSL 150 has no equivalent of the input size, which is subgroup-size
