// refused, GLSL-texture: GLSL 100 es has no cube-array textures: c
