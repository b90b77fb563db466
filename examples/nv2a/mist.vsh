; A mesh in the light of one sun, that fades into the mist.
#mvp matrix4 0
#model matrix4 4
#normals matrix4 8  // three rows
#sun vector 12      // the direction to it
#eye vector 13
#light vector 14   // colour of what the sun lights
#shade vector 15   // colour without sun, and alpha
#gloss vector 16   // colour of the highlight, and how sharp it is
#mist vector 17    // how dense it is: at a distance of 1 / x half is left
#repeat vector 18  // how often the texture repeats
#scale vector 58
#offset vector 59

%matmul4x4 oPos v0 #mvp
%matmul4x4 r0 v0 #model

; The view: r2.xyz its direction, r3.y its length.
add r2.xyz, #eye, -r0
dp3 r2.w, r2, r2
rsq r3.x, r2.w
mul r2.xyz, r2, r3.x
mul r3.y, r2.w, r3.x

dp3 r4.x, v2, c[8]
dp3 r4.y, v2, c[9]
dp3 r4.z, v2, c[10]
dp3 r4.w, r4, r4
rsq r5.x, r4.w
mul r4.xyz, r4, r5.x

; Half way between the view and the sun.
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

; What the mist leaves: 2^(-distance * density).
mul r3.z, -r3.y, #mist.x
exp r11.z, r3.z
mov oFog.x, r11.z

mul oT0.xy, v9, #repeat
mov oT0.zw, v9

mul oPos.xyz, r12, #scale
rcc r1.x, r12.w
mad oPos.xyz, r12, r1.x, #offset
