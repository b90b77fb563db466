; Points that shrink with distance and fade with age: v1 speed and birth, c10 now, c11 gravity, c12 sizes.
add r0.w, c[10].x, -v1.w
mul r0.xyz, v1, r0.w
mul r1.x, r0.w, r0.w
mad r0.xyz, c[11], r1.x, r0
add r0.xyz, r0, v0
mov r0.w, v0.w
dp4 oPos.x, r0, c[0]
dp4 oPos.y, r0, c[1]
dp4 oPos.z, r0, c[2]
dp4 r2.w, r0, c[3]
mov oPos.w, r2.w
rcp r2.x, r2.w
mul r2.y, c[12].x, r2.x
min r2.y, r2.y, c[12].y
max oPts.x, r2.y, c[12].z
mov oD0, v3
