; A position, a colour and a place in a texture: what most programs begin as.
dp4 oPos.x, v0, c[0]
dp4 oPos.y, v0, c[1]
dp4 oPos.z, v0, c[2]
dp4 oPos.w, v0, c[3]
mov oD0, v3
mov oT0.xy, v9
