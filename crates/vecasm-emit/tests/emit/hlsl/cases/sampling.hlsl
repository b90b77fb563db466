Texture2D<float4> flat : register(t0);
SamplerState flat_sampler : register(s0);
Texture2DArray<float4> stack : register(t1);
SamplerState stack_sampler : register(s1);
Texture3D<float4> volume : register(t2);
SamplerState volume_sampler : register(s2);
TextureCube<float4> sky : register(t3);
SamplerState sky_sampler : register(s3);
TextureCubeArray<float4> skies : register(t4);
SamplerState skies_sampler : register(s4);
Texture1D<float4> line_1 : register(t5);
SamplerState line_sampler : register(s5);

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    float4 w : TEXCOORD1;
};

struct PixelOutput {
    float4 o : SV_Target0;
    float4 p : SV_Target1;
    float4 q : SV_Target2;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    float4 t = flat.SampleBias(flat_sampler, input.v.xy, input.w.x);
    float4 t_1 = stack.SampleLevel(stack_sampler, input.v.xyz, input.w.y);
    float4 t_2 = flat.Sample(flat_sampler, input.v.zw, int2(1, -2));
    output.o = t + t_1 + volume.SampleGrad(volume_sampler, input.v.xyz, input.w.xyz, input.w.wzy);
    output.p = t_2 + sky.SampleBias(sky_sampler, input.v.xyz, -1.5);
    output.q = skies.Sample(skies_sampler, input.v) + line_1.Sample(line_sampler, input.v.x);
    return output;
}
