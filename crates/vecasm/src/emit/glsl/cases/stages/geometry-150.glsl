// refused, GLSL-stage: GLSL 150 has one invocation for each primitive
