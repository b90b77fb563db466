// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    int4 n [[user(locn0), flat]];
};

float4 fetch_2d(texture2d<float> texels, int2 place, int level) {
    if (uint(level) >= texels.get_num_mip_levels() || any(uint2(place) >= uint2(texels.get_width(level), texels.get_height(level)))) {
        return float4(0.0);
    }
    return texels.read(uint2(place), uint(level));
}

float4 load_both(texture2d<float, access::read_write> texels, int2 at) {
    if (!(all(uint2(at) < uint2(texels.get_width(), texels.get_height())))) {
        return float4(0.0, 0.0, 0.0, 1.0);
    }
    return texels.read(uint2(at));
}

void store_both(texture2d<float, access::read_write> texels, int2 at, float4 texel) {
    if (all(uint2(at) < uint2(texels.get_width(), texels.get_height()))) {
        texels.write(texel, uint2(at));
        texels.fence();
    }
}

void store_layers(texture2d_array<float, access::write> texels, int3 at, float4 texel) {
    if (all(uint3(at) < uint3(texels.get_width(), texels.get_height(), texels.get_array_size()))) {
        texels.write(texel, uint2(at.xy), uint(at.z));
    }
}

uint4 size_layers(texture2d_array<float, access::write> texels) {
    return uint4(texels.get_width(), texels.get_height(), texels.get_array_size(), 1u);
}

uint4 load_line(texture1d<uint, access::read> texels, int at) {
    if (!(uint(at) < texels.get_width())) {
        return uint4(0, 0, 0, 1);
    }
    return texels.read(uint(at));
}

fragment float4 fragment_main(
    FragmentInput in [[stage_in]],
    texture2d<float> colors [[texture(3)]],
    texture2d<float, access::read_write> both [[texture(4)]],
    texture2d_array<float, access::write> layers [[texture(5)]],
    texture1d<uint, access::read> line [[texture(6)]]
) {
    float4 t = load_both(both, in.n.xy);
    store_both(both, in.n.zw, t);
    store_layers(layers, in.n.xyz, t);
    uint4 t_1 = load_line(line, in.n.x);
    return float4(t_1 + size_layers(layers)) + fetch_2d(colors, in.n.xy, 0);
}
