// refused, HLSL-input: shader model 3.0 has no input like a, which is attribute
