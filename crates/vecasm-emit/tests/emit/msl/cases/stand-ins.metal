// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    int4 n [[user(locn1), flat]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 p [[color(1)]];
    uint4 q [[color(2)]];
    uint4 r [[color(3)]];
};

float4 fetch_2d(texture2d<float> texels, int2 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place) >= uint2(texels.get_width(level), texels.get_height(level)))) {
        return float4(0.0);
    }
    return texels.read(uint2(place), uint(level));
}

float4 fetch_2d_array(texture2d_array<float> texels, int3 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place.xy) >= uint2(texels.get_width(level), texels.get_height(level))) || uint(place.z) >= texels.get_array_size()) {
        return float4(0.0);
    }
    return texels.read(uint2(place.xy), uint(place.z), uint(level));
}

uint4 fetch_2d_array_u32(texture2d_array<uint> texels, int3 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place.xy) >= uint2(texels.get_width(level), texels.get_height(level))) || uint(place.z) >= texels.get_array_size()) {
        return uint4(0);
    }
    return texels.read(uint2(place.xy), uint(place.z), uint(level));
}

uint array_layer(float place, uint count) {
    return uint(precise::clamp(floor(place + 0.5), 0.0, float(count - 1u)));
}

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    texture2d<float> line [[texture(0)]],
    sampler line_sampler [[sampler(0)]], // state left to the host
    texture2d_array<float> lines [[texture(1)]],
    sampler lines_sampler [[sampler(1)]], // state left to the host
    depth2d<float> shade [[texture(2)]],
    sampler shade_sampler [[sampler(2)]], // state left to the host
    texture2d<float> sheet [[texture(3)]],
    sampler sheet_sampler [[sampler(3)]], // state left to the host
    texture2d_array<float> sky [[texture(4)]],
    texture2d_array<uint> skies [[texture(5)]]
) {
    FragmentOutput out;
    uint4 t = uint4(sheet.get_width(), sheet.get_height(), 0u, sheet.get_num_mip_levels());
    float2 t_1 = float2(t.xy);
    float4 t_2 = line.sample(line_sampler, float2(in.v.x, 0.5), level(in.v.y), int2(-3, 0));
    float3 t_3 = float3(in.v.x, 0.5, in.v.y);
    float2 t_4 = float2(in.v.z, 0.0);
    float4 t_5 = lines.sample(lines_sampler, t_3.xy, array_layer(t_3.z, lines.get_array_size()), gradient2d(t_4, float2(in.v.w, 0.0)));
    float4 t_6 = fetch_2d(line, int2(in.n.x, 0), in.n.y);
    int3 t_7 = int3(in.n.x, 0, in.n.y);
    float t_8 = shade.sample_compare(shade_sampler, float2(in.v.x, 0.5), in.v.w);
    float4 t_9 = sheet.sample(sheet_sampler, in.v.xy / t_1);
    float2 t_10 = in.v.xy / t_1;
    float4 t_11 = sheet.sample(sheet_sampler, t_10, gradient2d(in.v.zw / t_1, in.v.yx / t_1));
    out.o = t_2 + t_5 + (t_6 + fetch_2d_array(lines, int3(int2(uint2(t_7.xy) + uint2(4294967293u, 0u)), t_7.z), in.n.z));
    out.p = t_8 + t_9 + (t_11 + fetch_2d_array(sky, in.n.xyz, in.n.w));
    out.q = fetch_2d_array_u32(skies, in.n.xyz, in.n.w);
    uint4 t_12 = uint4(line.get_width(), line.get_height(), 0u, line.get_num_mip_levels());
    uint4 t_13 = uint4(t_12.x, t_12.z, 0u, t_12.w);
    uint4 t_14 = uint4(lines.get_width(), lines.get_height(), lines.get_array_size(), lines.get_num_mip_levels());
    uint4 t_15 = uint4(t_14.x, t_14.z, 0u, t_14.w);
    uint4 t_16 = (uint(in.n.x) < sky.get_num_mip_levels() ? uint4(sky.get_width(uint(in.n.x)), sky.get_height(uint(in.n.x)), sky.get_array_size(), sky.get_num_mip_levels()) : uint4(0u, 0u, 0u, sky.get_num_mip_levels()));
    uint4 t_17 = uint4(t_16.xy, 0u, t_16.w);
    uint4 t_18 = uint4(skies.get_width(), skies.get_height(), skies.get_array_size(), skies.get_num_mip_levels());
    out.r = t_13 + t_15 + (t_17 + uint4(t_18.xy, t_18.z / 6u, t_18.w));
    return out;
}
