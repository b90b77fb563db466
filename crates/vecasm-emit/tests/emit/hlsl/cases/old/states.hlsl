// refused, HLSL-bits: count holds unsigned numbers
