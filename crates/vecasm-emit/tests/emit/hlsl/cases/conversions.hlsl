struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    int4 signed_1 : SV_Target0;
    uint4 unsigned_1 : SV_Target1;
    float4 halves : SV_Target2;
};

float ldexp_exact(float x, int n) {
    float value = x;
    int left = clamp(n, -400, 400);
    while (left > 127) {
        value = value * asfloat(0x7f000000u);
        left = left - 127;
    }
    // By less than a denormal can lose, so that only the last step rounds.
    while (left < -126) {
        value = value * asfloat(0x0c800000u);
        left = left + 102;
    }
    return value * asfloat(uint(left + 127) << 23);
}

float mantissa(float x) {
    uint bits = asuint(x) & 0x7fffffffu;
    if (bits > 0x7f800000u) {
        return x;
    }
    if (bits == 0u || bits == 0x7f800000u) {
        return 1.0;
    }
    uint of = bits < 0x00800000u ? asuint(float(bits)) : bits;
    return asfloat((of & 0x007fffffu) | 0x3f800000u);
}

float half_to_f32(uint x) {
    uint sign = (x & 0x8000u) << 16;
    uint exponent = (x >> 10) & 31u;
    uint fraction = x & 0x3ffu;
    if (exponent == 31u) {
        return asfloat(sign | 0x7f800000u | (fraction << 13));
    }
    if (exponent > 0u) {
        return asfloat(sign | ((exponent + 112u) << 23) | (fraction << 13));
    }
    return asfloat(sign | asuint(float(fraction) * asfloat(0x33800000u)));
}

uint f32_to_half(float x) {
    uint bits = asuint(x);
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
    if ((asuint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

uint3 f32_to_u32_3(float3 x) {
    return uint3(
        f32_to_u32(x.x),
        f32_to_u32(x.y),
        f32_to_u32(x.z)
    );
}

int f32_to_i32(float x) {
    if ((asuint(x) & 0x7fffffffu) > 0x7f800000u) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return x < -2147483648.0 ? -2147483647 - 1 : int(x);
}

int4 f32_to_i32_4(float4 x) {
    return int4(
        f32_to_i32(x.x),
        f32_to_i32(x.y),
        f32_to_i32(x.z),
        f32_to_i32(x.w)
    );
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    int4 t = f32_to_i32_4(input.v);
    output.signed_1 = t;
    uint4 t_1 = uint4(f32_to_u32_3(input.v.xyz), f32_to_half(input.v.w));
    output.unsigned_1 = t_1;
    output.halves = float4(
        half_to_f32(t_1.w),
        round(input.v.x),
        ldexp_exact(input.v.y, t.z),
        mantissa(input.v.z)
    );
    return output;
}
