// refused, GLSL-texture: GLSL 100 es has no 2d textures: shadow
