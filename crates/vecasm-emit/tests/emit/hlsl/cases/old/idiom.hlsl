struct PixelInput {
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : COLOR0 {
    return float4((input.v.xyz * rsqrt(dot(input.v.xyz, input.v.xyz))).zyx, input.v.w);
}
