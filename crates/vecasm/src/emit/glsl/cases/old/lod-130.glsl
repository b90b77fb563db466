// refused, GLSL-op: GLSL 130 has nothing like `texture_lod`; it is there from 150 on
