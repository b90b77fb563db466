; A blade of grass that bends in the wind. Nothing is drawn.
mov r0, v0
mad r0.x, r0.y, c[10].x, r0.x
dp4 oPos.x, r0, c[0]
dp4 oPos.y, r0, c[1]
dp4 oPos.z, r0, c[2]
dp4 r1.w, r0, c[3]
rcp r1.x, r1.w
mul oPos.w, r1.w, r1.x
mov oD0, v3
