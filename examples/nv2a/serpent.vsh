; A tube along the y axis that follows a row of bones, in the light of one sun and in the mist.
; Bones are matrices of 4 rows each from c[100] on; the last row is not read.
#view matrix4 0
#sun vector 12
#eye vector 13
#light vector 14
#shade vector 15
#gloss vector 16
#mist vector 17
#repeat vector 18
#along vector 19  // y * x + y is the place along the row of bones; z is 4, w is 1
#scale vector 58
#offset vector 59

; Which bone, and how much of the next one.
mul r0.x, v0.y, #along.x
add r0.x, r0.x, #along.y
exp r0.y, r0.x
add r0.z, r0.x, -r0.y
mul r0.z, r0.z, #along.z
add r0.w, #along.w, -r0.y
arl a0.x, r0.z

; The vertex in the place of this bone and of the next one, each as much as it counts.
dp4 r1.x, v0, c[A0+100]
dp4 r1.y, v0, c[A0+101]
dp4 r1.z, v0, c[A0+102]
dp4 r2.x, v0, c[A0+104]
dp4 r2.y, v0, c[A0+105]
dp4 r2.z, v0, c[A0+106]
mul r1.xyz, r1, r0.w
mad r1.xyz, r2, r0.y, r1
mov r1.w, #along

dp3 r4.x, v2, c[A0+100]
dp3 r4.y, v2, c[A0+101]
dp3 r4.z, v2, c[A0+102]
dp3 r5.x, v2, c[A0+104]
dp3 r5.y, v2, c[A0+105]
dp3 r5.z, v2, c[A0+106]
mul r4.xyz, r4, r0.w
mad r4.xyz, r5, r0.y, r4
dp3 r4.w, r4, r4
rsq r5.x, r4.w
mul r4.xyz, r4, r5.x

%matmul4x4 oPos r1 #view

add r2.xyz, #eye, -r1
dp3 r2.w, r2, r2
rsq r3.x, r2.w
mul r2.xyz, r2, r3.x
mul r3.y, r2.w, r3.x
add r6.xyz, r2, #sun
dp3 r6.w, r6, r6
rsq r7.x, r6.w
mul r6.xyz, r6, r7.x
dp3 r8.x, r4, #sun
dp3 r8.y, r4, r6
mov r8.w, #gloss
lit r9, r8
mul r10.xyz, r9.y, #light
add oD0.xyz, r10, #shade
mov oD0.w, #shade
mul oD1.xyz, r9.z, #gloss
mul r3.z, -r3.y, #mist.x
exp r11.z, r3.z
mov oFog.x, r11.z
mul oT0.xy, v9, #repeat
mov oT0.zw, v9

mul oPos.xyz, r12, #scale
rcc r1.x, r12.w
mad oPos.xyz, r12, r1.x, #offset
