// refused, HLSL-input: shader model 5.0 has no equivalent of the input size, which is subgroup-size
