// refused, GLSL-op: GLSL 130 has no equivalent of `texture_lod`; 150 and later have it
