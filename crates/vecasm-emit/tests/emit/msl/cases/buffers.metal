// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

uint f32_to_u32(float x) {
    if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

uint4 load_4_table(const device uint *table, uint count, uint offset) {
    uint at = offset >> 2;
    if (at + 3u >= count) {
        return uint4(0u);
    }
    return uint4(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
}

uint load_table(const device uint *table, uint count, uint offset) {
    uint at = offset >> 2;
    if (at >= count) {
        return uint(0u);
    }
    return table[at];
}

fragment float4 fragment_main(
    FragmentInput in [[stage_in]],
    const device uint *table [[buffer(1)]],
    constant uint *buffer_words [[buffer(2)]]
) {
    return as_type<float4>(load_4_table(table, buffer_words[0], f32_to_u32(in.v.x))) + float(load_table(table, buffer_words[0], 8u));
}
