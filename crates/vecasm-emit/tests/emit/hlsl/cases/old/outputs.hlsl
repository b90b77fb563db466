// refused, HLSL-index: shader model 3.0 has no `store`
