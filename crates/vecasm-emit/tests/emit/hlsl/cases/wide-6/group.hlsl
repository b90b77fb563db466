// refused, HLSL-op: HLSL of shader model 6.0 has no equivalent of `interpolate`; model 5.0 has it, but it is not supported
