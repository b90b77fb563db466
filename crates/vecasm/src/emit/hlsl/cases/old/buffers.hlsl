// refused, HLSL-bits: shader model 3.0 has no `as_f32`
