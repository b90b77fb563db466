; A lamp that fades with distance: c4 where, c5 attenuation, c6 its colour, c7 shine in w.
dp4 oPos.x, v0, c[0]
dp4 oPos.y, v0, c[1]
dp4 oPos.z, v0, c[2]
dp4 oPos.w, v0, c[3]
add r0.xyz, c[4], -v0
dp3 r1.x, r0, r0
rsq r1.y, r1.x
mul r0.xyz, r0, r1.y
dst r2, r1.x, r1.y
dp3 r2.x, r2, c[5]
rcp r2.y, r2.x
dp3 r3.x, v2, r0
mov r3.y, r3.x
mov r3.w, c[7].w
lit r3, r3
mul r3.x, r3.y, r2.y
mul oD0.xyz, r3.x, c[6]
mov oD0.w, c[6].w
