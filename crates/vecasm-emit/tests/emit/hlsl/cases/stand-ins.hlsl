Texture1D<float4> line_1 : register(t0);
SamplerState line_sampler : register(s0);
Texture1DArray<float4> lines : register(t1);
SamplerState lines_sampler : register(s1);
Texture1D<float4> shade : register(t2);
SamplerComparisonState shade_sampler : register(s2);
Texture2D<float4> sheet : register(t3);
SamplerState sheet_sampler : register(s3);
Texture2DArray<float4> sky : register(t4);
Texture2DArray<uint4> skies : register(t5);

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    nointerpolation int4 n : TEXCOORD1;
};

struct PixelOutput {
    float4 o : SV_Target0;
    float4 p : SV_Target1;
    uint4 q : SV_Target2;
    uint4 r : SV_Target3;
};

uint4 size_2d(Texture2D<float4> texels, uint level) {
    uint width, height, levels;
    texels.GetDimensions(level, width, height, levels);
    return level < levels ? uint4(width, height, 0u, levels) : uint4(0u, 0u, 0u, levels);
}

float4 fetch_1d(Texture1D<float4> texels, int place, int level) {
    uint width, levels;
    texels.GetDimensions(uint(level), width, levels);
    if (uint(level) >= levels || uint(place) >= width) {
        return float4(0.0, 0.0, 0.0, 0.0);
    }
    return texels.Load(int2(place, level));
}

float4 fetch_1d_array(Texture1DArray<float4> texels, int2 place, int level) {
    uint width, layers, levels;
    texels.GetDimensions(uint(level), width, layers, levels);
    if (uint(level) >= levels || any(uint2(place) >= uint2(width, layers))) {
        return float4(0.0, 0.0, 0.0, 0.0);
    }
    return texels.Load(int3(place, level));
}

float4 fetch_2d_array(Texture2DArray<float4> texels, int3 place, int level) {
    uint width, height, layers, levels;
    texels.GetDimensions(uint(level), width, height, layers, levels);
    if (uint(level) >= levels || any(uint3(place) >= uint3(width, height, layers))) {
        return float4(0.0, 0.0, 0.0, 0.0);
    }
    return texels.Load(int4(place, level));
}

uint4 fetch_2d_array_u32(Texture2DArray<uint4> texels, int3 place, int level) {
    uint width, height, layers, levels;
    texels.GetDimensions(uint(level), width, height, layers, levels);
    if (uint(level) >= levels || any(uint3(place) >= uint3(width, height, layers))) {
        return uint4(0, 0, 0, 0);
    }
    return texels.Load(int4(place, level));
}

uint4 size_1d(Texture1D<float4> texels, uint level) {
    uint width, levels;
    texels.GetDimensions(level, width, levels);
    return level < levels ? uint4(width, 0u, 0u, levels) : uint4(0u, 0u, 0u, levels);
}

uint4 size_1d_array(Texture1DArray<float4> texels, uint level) {
    uint width, layers, levels;
    texels.GetDimensions(level, width, layers, levels);
    return level < levels ? uint4(width, layers, 0u, levels) : uint4(0u, 0u, 0u, levels);
}

uint4 size_2d_array(Texture2DArray<float4> texels, uint level) {
    uint width, height, layers, levels;
    texels.GetDimensions(level, width, height, layers, levels);
    return level < levels ? uint4(width, height, layers, levels) : uint4(0u, 0u, 0u, levels);
}

uint4 size_2d_array_u32(Texture2DArray<uint4> texels, uint level) {
    uint width, height, layers, levels;
    texels.GetDimensions(level, width, height, layers, levels);
    return level < levels ? uint4(width, height, layers, levels) : uint4(0u, 0u, 0u, levels);
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    uint4 t = size_2d(sheet, uint(0));
    float2 t_1 = float2(t.xy);
    float4 t_2 = line_1.SampleLevel(line_sampler, input.v.x, input.v.y, -3);
    float4 t_3 = lines.SampleGrad(lines_sampler, input.v.xy, input.v.z, input.v.w);
    float4 t_4 = fetch_1d(line_1, input.n.x, input.n.y);
    float t_5 = shade.SampleCmp(shade_sampler, input.v.x, input.v.w);
    float4 t_6 = sheet.Sample(sheet_sampler, input.v.xy / t_1);
    float2 t_7 = input.v.xy / t_1;
    float4 t_8 = sheet.SampleGrad(sheet_sampler, t_7, input.v.zw / t_1, input.v.yx / t_1);
    output.o = t_2 + t_3 + (t_4 + fetch_1d_array(lines, int2(input.n.x + -3, input.n.y), input.n.z));
    output.p = t_5 + t_6 + (t_8 + fetch_2d_array(sky, input.n.xyz, input.n.w));
    output.q = fetch_2d_array_u32(skies, input.n.xyz, input.n.w);
    uint4 t_9 = size_1d(line_1, uint(0));
    uint4 t_10 = size_1d_array(lines, uint(0));
    uint4 t_11 = size_2d_array(sky, uint(input.n.x));
    uint4 t_12 = uint4(t_11.xy, 0u, t_11.w);
    uint4 t_13 = size_2d_array_u32(skies, uint(0));
    output.r = t_9 + t_10 + (t_12 + uint4(t_13.xy, t_13.z / 6u, t_13.w));
    return output;
}
