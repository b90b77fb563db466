// refused, GLSL-type: GLSL 150 has no 64-bit integers
