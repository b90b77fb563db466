// refused, MSL-stage: compute shaders are not written as MSL
