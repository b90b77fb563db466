// refused, HLSL-memory: `load_memory` is not written as HLSL
