// refused, GLSL-stage: compute shaders are not written as GLSL
