// refused, HLSL-output: shader model 3.0 has no equivalent of the output signed, which is color of i32
