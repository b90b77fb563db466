// refused, GLSL-stage: GLSL 150 has only one stream of vertices
