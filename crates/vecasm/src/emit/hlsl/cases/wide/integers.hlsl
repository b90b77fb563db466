// refused, HLSL-type: shader model 5.0 has no 64-bit integers
