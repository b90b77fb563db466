#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out ivec4 signed;
layout(location = 1) out uvec4 unsigned_1;
layout(location = 2) out vec4 halves;

float ldexp_exact(float x, int n) {
    float value = x;
    int left = clamp(n, -400, 400);
    while (left > 127) {
        value = value * uintBitsToFloat(0x7f000000u);
        left = left - 127;
    }
    // By less than a denormal can lose, so that only the last step rounds.
    while (left < -126) {
        value = value * uintBitsToFloat(0x0c800000u);
        left = left + 102;
    }
    return value * uintBitsToFloat(uint(left + 127) << 23);
}

float mantissa(float x) {
    uint bits = floatBitsToUint(x) & 0x7fffffffu;
    if (bits > 0x7f800000u) {
        return x;
    }
    if (bits == 0u || bits == 0x7f800000u) {
        return 1.0;
    }
    uint of = bits < 0x00800000u ? floatBitsToUint(float(bits)) : bits;
    return uintBitsToFloat((of & 0x007fffffu) | 0x3f800000u);
}

float half_to_f32(uint x) {
    uint sign = (x & 0x8000u) << 16;
    uint exponent = (x >> 10) & 31u;
    uint fraction = x & 0x3ffu;
    if (exponent == 31u) {
        return uintBitsToFloat(sign | 0x7f800000u | (fraction << 13));
    }
    if (exponent > 0u) {
        return uintBitsToFloat(sign | ((exponent + 112u) << 23) | (fraction << 13));
    }
    return uintBitsToFloat(sign | floatBitsToUint(float(fraction) * uintBitsToFloat(0x33800000u)));
}

uint f32_to_half(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = (bits >> 16) & 0x8000u;
    if (magnitude > 0x7f800000u) {
        return 0x7e00u;
    }
    if (magnitude >= 0x477ff000u) {
        return sign | 0x7c00u;
    }
    if (magnitude >= 0x38800000u) {
        return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13);
    }
    if (magnitude <= 0x33000000u) {
        return sign;
    }
    // A denormal: a multiple of 2^-24.
    uint shift = 126u - (magnitude >> 23);
    uint significand = (magnitude & 0x7fffffu) | 0x800000u;
    uint half_bits = significand >> shift;
    uint rest = significand & ((1u << shift) - 1u);
    uint middle = 1u << (shift - 1u);
    bool up = rest > middle || (rest == middle && (half_bits & 1u) == 1u);
    return sign | (half_bits + (up ? 1u : 0u));
}

uint f32_to_u32(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

uvec3 f32_to_u32_3(vec3 x) {
    return uvec3(
        f32_to_u32(x.x),
        f32_to_u32(x.y),
        f32_to_u32(x.z)
    );
}

int f32_to_i32(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return x < -2147483648.0 ? -2147483647 - 1 : int(x);
}

ivec4 f32_to_i32_4(vec4 x) {
    return ivec4(
        f32_to_i32(x.x),
        f32_to_i32(x.y),
        f32_to_i32(x.z),
        f32_to_i32(x.w)
    );
}

void main() {
    ivec4 t = f32_to_i32_4(v);
    signed = t;
    uvec4 t_1 = uvec4(f32_to_u32_3(v.xyz), f32_to_half(v.w));
    unsigned_1 = t_1;
    halves = vec4(half_to_f32(t_1.w), roundEven(v.x), ldexp_exact(v.y, t.z), mantissa(v.z));
}
