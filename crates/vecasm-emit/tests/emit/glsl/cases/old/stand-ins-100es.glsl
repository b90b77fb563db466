// refused, GLSL-texture: GLSL 100 es has no rect textures: sheet
