// refused, GLSL-input: GLSL 150 has no input like size, which is subgroup-size
