// refused, GLSL-stage: GLSL 310 es has one stream of vertices
