// refused, GLSL-output: GLSL 310 es has no equivalent of the output d, which is clip-distance of f32
