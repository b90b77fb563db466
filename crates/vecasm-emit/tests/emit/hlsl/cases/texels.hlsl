// refused, HLSL-texture: shader model 5.0 has no query for the number of samples: samples, 2d-ms
