// refused, GLSL-texture: GLSL 430 has no way to fetch from such textures: shadow, 2d
