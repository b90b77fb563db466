Texture2D<float4> a : register(t0);
SamplerState a_sampler : register(s0);
Texture2D<float4> b : register(t1);
SamplerState b_sampler : register(s1);
Texture2D<float4> c : register(t2);
SamplerState c_sampler : register(s2);

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    nointerpolation uint4 n : TEXCOORD1;
};

struct PixelOutput {
    float4 o : SV_Target0;
    uint4 p : SV_Target1;
};

uint4 size_2d(Texture2D<float4> texels, uint level) {
    uint width, height, levels;
    texels.GetDimensions(level, width, height, levels);
    return level < levels ? uint4(width, height, 0u, levels) : uint4(0u, 0u, 0u, levels);
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    float4 t = c.Sample(c_sampler, input.v.xy);
    float4 t_1 = input.n.x == 2u ? t : float4(0.0, 0.0, 0.0, 1.0);
    float4 t_2 = b.Sample(b_sampler, input.v.xy);
    float4 t_3 = a.Sample(a_sampler, input.v.xy);
    output.o = input.n.x == 0u ? t_3 : (input.n.x == 1u ? t_2 : t_1);
    uint4 t_4 = size_2d(c, uint(0));
    uint4 t_5 = size_2d(b, uint(0));
    output.p = uint4(input.n.y == 0u ? t_5.xy : (input.n.y == 1u ? t_4.xy : uint2(0u, 0u)), 0u, 0u);
    return output;
}
