// refused, GLSL-texture: GLSL 120 has no cube-array textures: c
