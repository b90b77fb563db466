; Two bones a vertex: v1 weights, v7 numbers of their first rows.
arl a0.x, v7.x
dp4 r0.x, v0, c[a0.x+20]
dp4 r0.y, v0, c[a0.x+21]
dp4 r0.z, v0, c[a0.x+22]
arl a0.x, v7.y
dp4 r1.x, v0, c[a0.x+20]
dp4 r1.y, v0, c[a0.x+21]
dp4 r1.z, v0, c[a0.x+22]
mul r0.xyz, r0, v1.x
mad r0.xyz, r1, v1.y, r0
mov r0.w, v0.w
dp4 oPos.x, r0, c[0]
dp4 oPos.y, r0, c[1]
dp4 oPos.z, r0, c[2]
dp4 oPos.w, r0, c[3]
mov oT0.xy, v9
