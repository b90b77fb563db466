// refused, HLSL-input: shader model 3.0 has no input like n, which is varying
