// refused, HLSL-stage: compute shaders are not written as HLSL
