// refused, HLSL-texture: shader model 5.0 has no question for the number of samples: samples, 2d-ms
