// refused, HLSL-memory: shader model 3.0 has no equivalent of the buffer table
