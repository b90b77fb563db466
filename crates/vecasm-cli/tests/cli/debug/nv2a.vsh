; A lamp at c[2] fades with the square of the distance: the colour v3 over that.
mul oPos.xy, v0, c[0]
add oPos.xy, r12, c[1]
add r0.xyz, c[2], -v0
dp3 r1.x, r0, r0
mov r2, v3 + rcp r1.w, r1.y
mul oD0, r2, r1.w
