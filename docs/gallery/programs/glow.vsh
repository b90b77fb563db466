; A power by its logarithm: c20 exponent in x, colour in c21.
dp4 oPos.x, v0, c[0]
dp4 oPos.y, v0, c[1]
dp4 oPos.z, v0, c[2]
dp4 oPos.w, v0, c[3]
dp3 r0.x, v2, c[4]
max r0.x, r0.x, c[20].y
log r1, r0.x
mul r1.z, r1.z, c[20].x
exp r2, r1.z
mul oD0.xyz, c[21], r2.z
mov oD0.w, v3.w
