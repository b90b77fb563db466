// refused, GLSL-subgroup: GLSL 430 has nothing like `vote`
