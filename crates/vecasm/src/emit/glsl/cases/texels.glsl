// refused, GLSL-texture: GLSL 430 has no number of samples, which a fetch asks: samples, 2d-ms
