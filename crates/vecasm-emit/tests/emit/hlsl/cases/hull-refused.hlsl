// refused, HLSL-patch: a control point depends on a, which other invocations write
