// refused, HLSL-op: HLSL of shader model 6.0 has nothing like `interpolate`; model 5.0 has it, and it is not written
