Texture2D<float4> shadow : register(t0);
SamplerComparisonState shadow_sampler : register(s0);
Texture2DArray<float4> shadows : register(t1);
SamplerComparisonState shadows_sampler : register(s1);
Texture2D<float4> plain : register(t2);
SamplerState plain_sampler : register(s2);

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    float4 o : SV_Target0;
    float4 p : SV_Target1;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    float t = shadow.SampleCmp(shadow_sampler, input.v.xy, input.v.z);
    output.o = (t + shadows.SampleCmpLevelZero(shadows_sampler, input.v.xyz, input.v.w)).xxxx;
    output.p = shadow.GatherCmp(shadow_sampler, input.v.xy, input.v.z) + plain.GatherBlue(plain_sampler, input.v.xy, int2(-8, 7));
    return output;
}
