; Light in three steps, without a branch: c16 thresholds, c17 to c19 the colours.
dp4 oPos.x, v0, c[0]
dp4 oPos.y, v0, c[1]
dp4 oPos.z, v0, c[2]
dp4 oPos.w, v0, c[3]
dp3 r0.x, v2, c[4]
sge r1.x, r0.x, c[16].x
sge r1.y, r0.x, c[16].y
mov r2, c[17]
mad r2, r1.x, c[18], r2
mad oD0, r1.y, c[19], r2
