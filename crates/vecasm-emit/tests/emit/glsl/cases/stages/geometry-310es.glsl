// refused, GLSL-input: GLSL 310 es has no equivalent of the input d, which is varying
