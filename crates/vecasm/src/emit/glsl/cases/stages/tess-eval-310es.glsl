// refused, GLSL-output: GLSL 310 es has no output like l, which is layer of u32
