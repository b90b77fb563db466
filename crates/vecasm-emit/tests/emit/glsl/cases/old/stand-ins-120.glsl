// refused, GLSL-texture: GLSL 120 has no rect textures: sheet
