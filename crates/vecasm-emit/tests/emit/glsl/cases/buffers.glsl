#version 430 core

layout(std430, binding = 0) readonly buffer Fragment_table {
    uint table[];
};

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

uint f32_to_u32(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

uvec4 load_4_table(uint offset) {
    uint at = offset >> 2;
    if (at + 3u >= uint(table.length())) {
        return uvec4(0u);
    }
    return uvec4(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
}

uint load_table(uint offset) {
    uint at = offset >> 2;
    if (at >= uint(table.length())) {
        return uint(0u);
    }
    return table[at];
}

void main() {
    o = uintBitsToFloat(load_4_table(f32_to_u32(v.x))) + float(load_table(8u));
}
