; Fog by height and distance: c8 slope, offset, densest, thinnest.
dp4 r0.x, v0, c[0]
dp4 r0.y, v0, c[1]
dp4 r0.z, v0, c[2]
dp4 r0.w, v0, c[3]
mov oPos, r0
mad r1.x, r0.w, c[8].x, c[8].y
min r1.x, r1.x, c[8].z
max oFog.x, r1.x, c[8].w
mov oD0, v3
