struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : SV_Target0 {
    precise float4 t = input.v * input.v.y;
    precise float4 t_1 = t + input.v.wzyx;
    return t_1 * input.v.x;
}
