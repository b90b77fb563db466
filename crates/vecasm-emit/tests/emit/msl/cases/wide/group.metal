// refused, MSL-input: MSL 2.1 has no equivalent of the input size, which is subgroup-size
