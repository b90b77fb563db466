Shader "Own/Flat" {
SubShader {
 Pass { Name "BASE"
Program "vp" {
SubProgram "d3d9 " {
Bind "vertex" Vertex
Matrix 0 [glstate_matrix_mvp]
"vs_2_0
dcl_position0 v0
dp4 oPos.x, v0, c0
dp4 oPos.y, v0, c1
dp4 oPos.z, v0, c2
dp4 oPos.w, v0, c3
"
}
}
Program "fp" {
SubProgram "d3d9 " {
Vector 0 [_Color]
"ps_2_0
mov r0, c0
mov oC0, r0
"
}
}
}
}
}
