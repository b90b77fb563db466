// refused, HLSL-op: HLSL has nothing like `interpolate`
