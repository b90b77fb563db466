// refused, GLSL-stage: GLSL 150 has one stream of vertices
