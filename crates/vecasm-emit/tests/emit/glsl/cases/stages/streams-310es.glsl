// refused, GLSL-stage: GLSL 310 es has only one stream of vertices
