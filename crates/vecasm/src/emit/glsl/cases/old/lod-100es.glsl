// refused, GLSL-op: GLSL has nothing like `texture_lod`
