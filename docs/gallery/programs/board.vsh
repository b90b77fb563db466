; A picture that always faces the eye: c13 its right, c14 its up, v9 the corner, 0 or 1.
add r0.xy, v9, -c[15].x
mul r1.xyz, c[13], r0.x
mad r1.xyz, c[14], r0.y, r1
mul r1.xyz, r1, v1.x
add r1.xyz, r1, v0
mov r1.w, v0.w
dp4 oPos.x, r1, c[0]
dp4 oPos.y, r1, c[1]
dp4 oPos.z, r1, c[2]
dp4 oPos.w, r1, c[3]
mov oT0.xy, v9
mov oD0, v3
