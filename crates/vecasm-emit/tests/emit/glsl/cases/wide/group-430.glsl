// refused, GLSL-subgroup: GLSL 430 has no equivalent of `vote`
