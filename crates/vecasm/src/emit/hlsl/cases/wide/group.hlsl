// refused, HLSL-input: shader model 5.0 has no input like size, which is subgroup-size
