// refused, GLSL-output: GLSL 310 es has no output like d, which is clip-distance of f32
