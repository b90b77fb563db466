// refused, HLSL-output: shader model 3.0 has no output like signed, which is color of i32
