// refused, HLSL-input: shader model 3.0 has no equivalent of the input n, which is varying
