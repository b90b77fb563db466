// refused, HLSL-texture: shader model 3.0 has no 1d-array textures: lines
