// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    int4 n [[user(locn0), flat]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    uint4 p [[color(1)]];
    uint4 q [[color(2)]];
    uint4 r [[color(3)]];
};

float4 fetch_2d(texture2d<float> texels, int2 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place) >= uint2(texels.get_width(level), texels.get_height(level)))) {
        return float4(0.0);
    }
    return texels.read(uint2(place), uint(level));
}

float4 fetch_3d(texture3d<float> texels, int3 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint3(place) >= uint3(texels.get_width(level), texels.get_height(level), texels.get_depth(level)))) {
        return float4(0.0);
    }
    return texels.read(uint3(place), uint(level));
}

float4 fetch_2d_ms(texture2d_ms<float> texels, int2 place, int sample_index) {
    if (uint(sample_index) >= texels.get_num_samples() || any(uint2(place) >= uint2(texels.get_width(), texels.get_height()))) {
        return float4(0.0);
    }
    return texels.read(uint2(place), uint(sample_index));
}

float4 fetch_depth_2d(depth2d<float> texels, int2 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place) >= uint2(texels.get_width(level), texels.get_height(level)))) {
        return float4(0.0);
    }
    return float4(texels.read(uint2(place), uint(level)), 0.0, 0.0, 1.0);
}

uint4 fetch_2d_array_u32(texture2d_array<uint> texels, int3 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place.xy) >= uint2(texels.get_width(level), texels.get_height(level))) || uint(place.z) >= texels.get_array_size()) {
        return uint4(0);
    }
    return texels.read(uint2(place.xy), uint(place.z), uint(level));
}

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    texture2d<float> flat [[texture(0)]],
    texture2d_array<uint> stack [[texture(1)]],
    texture3d<float> volume [[texture(2)]],
    texture2d_ms<float> samples [[texture(3)]],
    depth2d<float> shadow [[texture(4)]]
) {
    FragmentOutput out;
    float4 t = fetch_2d(flat, in.n.xy, in.n.z);
    float4 t_1 = fetch_3d(volume, in.n.xyz, in.n.w);
    float4 t_2 = fetch_2d_ms(samples, in.n.xy, in.n.z);
    out.o = t + t_1 + (t_2 + fetch_depth_2d(shadow, in.n.xy, 0));
    out.p = fetch_2d_array_u32(stack, int3(int2(uint2(in.n.xy) + uint2(1u, 4294967295u)), in.n.z), in.n.w);
    uint4 t_3 = uint4(flat.get_width(), flat.get_height(), 0u, flat.get_num_mip_levels());
    uint4 t_4 = (uint(in.n.x) < stack.get_num_mip_levels() ? uint4(stack.get_width(uint(in.n.x)), stack.get_height(uint(in.n.x)), stack.get_array_size(), stack.get_num_mip_levels()) : uint4(0u, 0u, 0u, stack.get_num_mip_levels()));
    out.q = t_3 + t_4;
    uint4 t_5 = (uint(in.n.y) < 1u ? uint4(samples.get_width(), samples.get_height(), 0u, 1u) : uint4(0u, 0u, 0u, 1u));
    out.r = uint4(samples.get_num_samples(), 1u, t_5.xw);
    return out;
}
