struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : SV_Target0 {
    return float4((input.v.xyz * rsqrt(dot(input.v.xyz, input.v.xyz))).zyx, input.v.w);
}
