struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : SV_Target0 {
    return float4(ddx_fine(input.v.xy), ddy_fine(input.v.zw));
}
