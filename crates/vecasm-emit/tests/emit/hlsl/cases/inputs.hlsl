struct PixelInput {
    float4 position : SV_Position;
    float4 v0 : TEXCOORD0;
    float4 v1 : TEXCOORD1;
    float4 v2 : TEXCOORD2;
    nointerpolation int4 n : TEXCOORD3;
};

float4 main(PixelInput input) : SV_Target0 {
    float4 v1_array[2] = {input.v1, input.v2};
    float4 v0_array[3] = {input.v0, input.v1, input.v2};
    float4 t = (clamp(input.n.x, -1, 1) == input.n.x ? v0_array[clamp(input.n.x, -1, 1) + 1] : float4(0.0, 0.0, 0.0, 0.0));
    float4 t_1 = (clamp(input.n.x, 1, 2) == input.n.x ? v1_array[clamp(input.n.x, 1, 2) - 1] : float4(0.0, 0.0, 0.0, 0.0));
    return (v0_array[clamp(input.n.x, 0, 2)] + t) * t_1;
}
