// refused, GLSL-op: GLSL 120 has nothing like `texture_lod`; it is there from 150 on
