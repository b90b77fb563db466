// refused, GLSL-stage: GLSL 150 has only one invocation for each primitive
