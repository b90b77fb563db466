// refused, GLSL-input: GLSL 310 es has no input like d, which is varying
