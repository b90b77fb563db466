// refused, HLSL-texture: shader model 3.0 has no comparison and no textures of integers: shadow
