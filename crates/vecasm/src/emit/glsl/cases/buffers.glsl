// refused, GLSL-memory: `load_memory` is not written as GLSL
