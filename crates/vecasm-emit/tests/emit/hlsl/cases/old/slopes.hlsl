struct PixelInput {
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : COLOR0 {
    return float4(ddx(input.v.xy), ddy(input.v.zw));
}
