// refused, HLSL-stage: compute shaders are not written as HLSL for model 3.0
