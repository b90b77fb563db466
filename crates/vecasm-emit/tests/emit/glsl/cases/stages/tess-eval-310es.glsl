// refused, GLSL-output: GLSL 310 es has no equivalent of the output l, which is layer of u32
