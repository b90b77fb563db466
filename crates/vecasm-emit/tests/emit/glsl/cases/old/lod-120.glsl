// refused, GLSL-op: GLSL 120 has no equivalent of `texture_lod`; 150 and later have it
