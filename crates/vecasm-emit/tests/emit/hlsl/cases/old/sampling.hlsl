// refused, HLSL-texture: shader model 3.0 has no 2d-array textures: stack
