// refused, HLSL-input: shader model 3.0 has no input like place, which is frag-coord
