// refused, HLSL-memory: shader model 3.0 has no buffers like table
