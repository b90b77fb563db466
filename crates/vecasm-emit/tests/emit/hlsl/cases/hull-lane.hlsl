// refused, HLSL-patch: several invocations write t in turn
