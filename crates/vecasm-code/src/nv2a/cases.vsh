; The operations beside one another: the copy needs source A, the reciprocal source C.
; slots: 1 1
mov oPos, v0
rcp r1.x, c[96].x

; Three copies have no pair that writes two outputs: each slot has one way out.
; slots: 3 3
mov oPos, v0
mov oD0, v0
mov oT0, v0

; Two attributes do not fit a slot, whatever the units.
; slots: 3 2
mul oPos, v0, c[96]
rsq r1.x, v2.x
mov oD0, r1.x

; The reciprocal waits for the dot product, the product for both: a chain of three.
; slots: 3 3
dp4 r0.w, v0, c[96]
rcp r1.x, r0.w
mul oPos, v0, r1.x

; The chain of three, and a copy that goes beside its reciprocal: the copy reads v, the reciprocal R.
; slots: 3 3
dp4 r0.w, v0, c[96]
rcp r1.x, r0.w
mov oD0, v3
mul oPos, v0, r1.x

; A result of the scalar unit goes to R1, although the source says R5.
; slots: 2 2
rcp r5.y, v1.x
mul oD0, v1, c[96]
mul oPos, c[96], r5.y

; The copy to the output goes to the product: one operation writes both.
; slots: 3 2
mul r0, v0, c[96]
mov oPos, r0
dp4 oD0.x, r0, c[97]

; Product and sum are one operation. The product alone has the sum behind it.
; slots: 2 1
mul r0, v0, c[96]
add oPos, r0, r2

; A copy of a copy: readers read what was copied.
; slots: 4 1
mov r0, v0
mov r3, r0
mov r4, -r3
mul oPos, r4, c[96]

; Nobody reads the first product.
; slots: 2 1
mul r0, v0, c[96]
mul oPos, v0, c[96]

; R12 is what oPos was: the copy in front stays in front, the one behind stays behind. The reciprocal goes beside a product.
; slots: 3 3
dp4 oPos.w, v0, c[96]
rcp r1.x, r12.w
mul oPos.xyz, v0, c[97]
mad oPos.xyz, r12, r1.x, c[59]

; A0 is written once the old one was read: both in one slot, since both read in front.
; slots: 3 3
arl a0, v0.x
mov oD0, c[A0+96]
arl a0, v0.x
mov oPos, c[A0+96]

; ADD has its second source in C, and the reciprocal reads the same lane of it.
; slots: 1 1
add oPos, v0, c[96].x
rcp r1.x, c[96].x

; The sum needs c97 in C, the reciprocal c96. Nobody reads the reciprocal, so cleaning takes it away.
; slots: 2 1
add oPos, v0, c[97]
rcp r1.x, c[96].x

; Two equal dot products are one.
; slots: 4 3
dp3 r0.x, v0, v0
dp3 r2.x, v0, v0
mul oD0, r0.x, c[96]
mul oPos, r2.x, c[97]
