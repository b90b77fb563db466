// refused, GLSL-op: GLSL 100 es has nothing like `texture_lod`; ES has it by GL_EXT_texture_query_lod, which is not written
