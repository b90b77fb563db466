// refused, MSL-input: MSL 2.1 has no input like size, which is subgroup-size
