#version 460 core
#extension GL_ARB_gpu_shader_int64 : require

layout(location = 0) flat in ivec4 n;
layout(location = 1) in vec4 v;

layout(location = 0) out uvec4 o;
layout(location = 1) out uvec4 p;

int64_t max_i64(int64_t a, int64_t b) {
    return b > a ? b : a;
}

int64_t sign_i64(int64_t x) {
    return x > 0L ? 1L : (x < 0L ? -1L : 0L);
}

int64_t abs_i64(int64_t x) {
    return x < 0L ? -x : x;
}

uint64_t rem_u64(uint64_t a, uint64_t b) {
    return b == 0UL ? 0xffffffffffffffffUL : a % b;
}

int64_t rem_i64(int64_t a, int64_t b) {
    if (b == 0L) {
        return -1L;
    }
    uint64_t x = a < 0L ? 0UL - uint64_t(a) : uint64_t(a);
    uint64_t y = b < 0L ? 0UL - uint64_t(b) : uint64_t(b);
    return int64_t(a < 0L ? 0UL - x % y : x % y);
}

uint64_t div_u64(uint64_t a, uint64_t b) {
    return b == 0UL ? 0xffffffffffffffffUL : a / b;
}

int64_t div_i64(int64_t a, int64_t b) {
    if (b == 0L) {
        return 0L;
    }
    uint64_t x = a < 0L ? 0UL - uint64_t(a) : uint64_t(a);
    uint64_t y = b < 0L ? 0UL - uint64_t(b) : uint64_t(b);
    return int64_t((a < 0L) != (b < 0L) ? 0UL - x / y : x / y);
}

uint64_t f32_to_u64(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0UL;
    }
    return x >= 18446744073709551616.0 ? 0xffffffffffffffffUL : uint64_t(x);
}

int64_t f32_to_i64(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u) {
        return 0L;
    }
    if (x >= 9223372036854775808.0) {
        return 9223372036854775807L;
    }
    return x < -9223372036854775808.0 ? -9223372036854775807L - 1L : int64_t(x);
}

int64_t f64_to_i64(double x) {
    if (x != x) {
        return 0L;
    }
    if (x >= 9223372036854775808.0) {
        return 9223372036854775807L;
    }
    return x < -9223372036854775808.0 ? -9223372036854775807L - 1L : int64_t(x);
}

double bits_to_f64(uint64_t x) {
    return packDouble2x32(uvec2(uint(x), uint(x >> 32)));
}

uint64_t pack_u64(uint low, uint high) {
    return (uint64_t(high) << 32) | uint64_t(low);
}

uint f32_to_u32(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

void main() {
    uvec2 t = uvec2(n.xy);
    uint64_t t_1 = pack_u64(t.x, t.y);
    int64_t t_2 = int64_t(n.z);
    uint64_t t_3 = uint64_t(int64_t(n.w));
    uint64_t t_4 = (t_1 + t_3) * t_1;
    int64_t t_5 = div_i64(int64_t(rem_u64(div_u64(t_4, t_3), t_1) << 7u), (t_2 >> (t.x & 63u)));
    int64_t t_6 = rem_i64(t_5, t_2);
    int64_t t_7 = max_i64(sign_i64(-abs_i64(t_6)), (-9223372036854775807L - 1L));
    uint64_t t_8 = ~(uint64_t(t_7 < t_5 ? t_7 : t_6) ^ 18446744073709551615UL);
    o = uvec4(uint(t_8), uint(t_8 >> 32), f32_to_u32(float(t_8)), uint(f32_to_i64(v.y)));
    int64_t t_9 = f64_to_i64(bits_to_f64(t_8)) + int64_t(t_8);
    p = uvec4(f32_to_u32(float(f32_to_u64(v.x))), f32_to_u32(float(double(t_9))), uint(t_9), 0u);
}
