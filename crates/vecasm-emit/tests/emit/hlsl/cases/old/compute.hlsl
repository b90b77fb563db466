// refused, HLSL-stage: compute shaders are not available in shader model 3.0
