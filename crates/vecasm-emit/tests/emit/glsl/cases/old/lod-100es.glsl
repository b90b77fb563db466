// refused, GLSL-op: GLSL 100 es has no equivalent of `texture_lod`; ES has it in GL_EXT_texture_query_lod, which is not supported
