; Surroundings in a picture: the ray from the eye is mirrored by the surface, and its direction is a place in a texture.
#mvp matrix4 0
#model matrix4 4
#normals matrix4 8  // three rows
#eye vector 13
#tint vector 14    // colour, and alpha
#glow vector 15    // colour of the rim
#half vector 16    // 0.5, -0.5, 1, 2
#scale vector 58
#offset vector 59

%matmul4x4 oPos v0 #mvp
%matmul4x4 r0 v0 #model

add r2.xyz, #eye, -r0
dp3 r2.w, r2, r2
rsq r3.x, r2.w
mul r2.xyz, r2, r3.x

dp3 r4.x, v2, c[8]
dp3 r4.y, v2, c[9]
dp3 r4.z, v2, c[10]
dp3 r4.w, r4, r4
rsq r5.x, r4.w
mul r4.xyz, r4, r5.x

; 2 (n e) n - e
dp3 r6.x, r4, r2
mul r6.y, r6.x, #half.w
mul r7.xyz, r4, r6.y
add r7.xyz, r7, -r2
mul r8.xy, r7, #half
add oT0.xy, r8, #half.x
mov oT0.zw, v9

; The rim: (1 - n e)^3, where it is not behind.
max r6.x, r6.x, -r6.x
add r6.z, #half.z, -r6.x
mul r6.w, r6.z, r6.z
mul r6.w, r6.w, r6.z
mul oD1.xyz, r6.w, #glow
mov oD0, #tint

mul oPos.xyz, r12, #scale
rcc r1.x, r12.w
mad oPos.xyz, r12, r1.x, #offset
