// refused, HLSL-input: shader model 3.0 has no equivalent of the input number, which is vertex-index
