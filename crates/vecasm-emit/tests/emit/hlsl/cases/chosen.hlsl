Texture2D<float4> flat : register(t0);
SamplerState flat_sampler : register(s0);
Texture2D<float4> other : register(t1);
SamplerState other_sampler : register(s1);

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    float4 o : SV_Target0;
    float4 p : SV_Target1;
    float4 q : SV_Target2;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    bool t = input.v.x < input.v.y;
    float4 t_1 = flat.Sample(flat_sampler, input.v.xy);
    output.o = t ? t_1 : input.v;
    output.p = t ? other.SampleLevel(other_sampler, input.v.xy, input.v.z) : input.v;
    bool t_2 = ddx_fine(input.v.z) + input.v.w < input.v.w;
    float t_3 = ddy_fine(input.v.w);
    output.q = (t && t_2 ? (t_3 < input.v.w ? input.v.x : input.v.y) : input.v.z).xxxx;
    return output;
}
