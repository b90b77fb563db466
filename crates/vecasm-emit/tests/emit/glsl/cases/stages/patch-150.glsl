// refused, GLSL-stage: GLSL 150 has no tess-control shaders
