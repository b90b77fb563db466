// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    int4 n [[user(locn0), flat]];
    float4 v [[user(locn1)]];
};

struct FragmentOutput {
    uint4 o [[color(0)]];
    uint4 p [[color(1)]];
};

bool u64_ne(uint2 a, uint2 b) {
    return a.x != b.x || a.y != b.y;
}

bool u64_lt(uint2 a, uint2 b) {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

bool u64_ge(uint2 a, uint2 b) {
    return !u64_lt(a, b);
}

uint2 u64_add(uint2 a, uint2 b) {
    uint low = a.x + b.x;
    return uint2(low, a.y + b.y + uint(low < a.x));
}

uint2 u64_sub(uint2 a, uint2 b) {
    return uint2(a.x - b.x, a.y - b.y - uint(a.x < b.x));
}

uint2 u64_product(uint a, uint b) {
    uint low = (a & 0xffffu) * (b & 0xffffu);
    uint middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    uint other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return uint2(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

uint2 u64_mul(uint2 a, uint2 b) {
    uint2 low = u64_product(a.x, b.x);
    return uint2(low.x, low.y + a.x * b.y + a.y * b.x);
}

uint2 u64_shl(uint2 x, uint n) {
    uint2 words = x;
    if ((n & 32u) != 0u) {
        words = uint2(0u, x.x);
    }
    uint by = n & 31u;
    if (by == 0u) {
        return words;
    }
    return uint2(words.x << by, (words.y << by) | (words.x >> (32u - by)));
}

uint2 u64_shr(uint2 x, uint n) {
    uint2 words = x;
    if ((n & 32u) != 0u) {
        words = uint2(x.y, 0u);
    }
    uint by = n & 31u;
    if (by == 0u) {
        return words;
    }
    return uint2((words.x >> by) | (words.y << (32u - by)), words.y >> by);
}

uint2 u64_cut(uint2 x, uint n) {
    if (n >= 64u) {
        return uint2(uint((x.x | x.y) != 0u), 0u);
    }
    uint2 kept = u64_shr(x, n);
    bool lost = u64_ne(u64_shl(kept, n), x);
    return uint2(kept.x | uint(lost), kept.y);
}

uint u64_leading(uint2 x) {
    uint word = x.y;
    uint count = 0u;
    if (word == 0u) {
        word = x.x;
        count = 32u;
    }
    if (word == 0u) {
        return 64u;
    }
    if (word < 0x00010000u) {
        word = word << 16u;
        count = count + 16u;
    }
    if (word < 0x01000000u) {
        word = word << 8u;
        count = count + 8u;
    }
    if (word < 0x10000000u) {
        word = word << 4u;
        count = count + 4u;
    }
    if (word < 0x40000000u) {
        word = word << 2u;
        count = count + 2u;
    }
    return count + uint(word < 0x80000000u);
}

uint4 u64_quotient(uint2 a, uint2 b) {
    if (u64_lt(a, b)) {
        return uint4(0u, 0u, a.x, a.y);
    }
    uint2 rest = a;
    uint2 quotient = uint2(0u, 0u);
    uint count = u64_leading(b) - u64_leading(a) + 1u;
    uint2 part = u64_shl(b, count - 1u);
    while (count > 0u) {
        quotient = u64_shl(quotient, 1u);
        if (u64_ge(rest, part)) {
            rest = u64_sub(rest, part);
            quotient.x = quotient.x | 1u;
        }
        part = u64_shr(part, 1u);
        count = count - 1u;
    }
    return uint4(quotient, rest);
}

uint2 u64_div(uint2 a, uint2 b) {
    if ((b.x | b.y) == 0u) {
        return uint2(0xffffffffu, 0xffffffffu);
    }
    return u64_quotient(a, b).xy;
}

uint2 u64_rem(uint2 a, uint2 b) {
    if ((b.x | b.y) == 0u) {
        return uint2(0xffffffffu, 0xffffffffu);
    }
    return u64_quotient(a, b).zw;
}

uint2 i64_neg(uint2 x) {
    return u64_sub(uint2(0u, 0u), x);
}

uint2 i64_abs(uint2 x) {
    if (x.y >= 0x80000000u) {
        return i64_neg(x);
    }
    return x;
}

uint2 i64_sign(uint2 x) {
    if (x.y >= 0x80000000u) {
        return uint2(0xffffffffu, 0xffffffffu);
    }
    return uint2(uint((x.x | x.y) != 0u), 0u);
}

bool i64_lt(uint2 a, uint2 b) {
    return u64_lt(uint2(a.x, a.y ^ 0x80000000u), uint2(b.x, b.y ^ 0x80000000u));
}

uint2 i64_max(uint2 a, uint2 b) {
    if (i64_lt(a, b)) {
        return b;
    }
    return a;
}

uint2 i64_shr(uint2 x, uint n) {
    uint sign = uint(int(x.y) >> 31u);
    uint2 words = x;
    if ((n & 32u) != 0u) {
        words = uint2(x.y, sign);
    }
    uint by = n & 31u;
    if (by == 0u) {
        return words;
    }
    return uint2((words.x >> by) | (words.y << (32u - by)), (words.y >> by) | (sign << (32u - by)));
}

uint2 i64_div(uint2 a, uint2 b) {
    if ((b.x | b.y) == 0u) {
        return uint2(0u, 0u);
    }
    uint2 magnitude = u64_quotient(i64_abs(a), i64_abs(b)).xy;
    if (((a.y ^ b.y) & 0x80000000u) != 0u) {
        return i64_neg(magnitude);
    }
    return magnitude;
}

uint2 i64_rem(uint2 a, uint2 b) {
    if ((b.x | b.y) == 0u) {
        return uint2(0xffffffffu, 0xffffffffu);
    }
    uint2 magnitude = u64_quotient(i64_abs(a), i64_abs(b)).zw;
    if (a.y >= 0x80000000u) {
        return i64_neg(magnitude);
    }
    return magnitude;
}

uint2 u64_from_i32(int x) {
    return uint2(uint(x), uint(x >> 31u));
}

float u64_scaled_f32(uint sign, uint2 m, int e) {
    if ((m.x | m.y) == 0u) {
        return as_type<float>(sign);
    }
    uint shift = u64_leading(m);
    int field = e + 190 - int(shift);
    if (field > 254) {
        return as_type<float>(sign | 0x7f800000u);
    }
    uint below = 38u;
    if (field < 1) {
        below = uint(39 - field);
    }
    uint cut = u64_cut(u64_shl(m, shift), below).x;
    // Above one half, or one half behind an odd number.
    uint kept = cut >> 2u;
    if ((cut & 2u) != 0u && (cut & 5u) != 0u) {
        kept = kept + 1u;
    }
    if (field > 1) {
        kept = kept + (uint(field - 1) << 23u);
    }
    return as_type<float>(sign | kept);
}

float u64_to_f32(uint2 x) {
    return u64_scaled_f32(0u, x, 0);
}

uint2 f64_scaled(uint sign, uint2 m, int e) {
    if ((m.x | m.y) == 0u) {
        return uint2(0u, sign);
    }
    uint shift = u64_leading(m);
    int field = e + 1086 - int(shift);
    if (field > 2046) {
        return uint2(0u, sign | 0x7ff00000u);
    }
    uint below = 9u;
    if (field < 1) {
        below = uint(10 - field);
    }
    uint2 cut = u64_cut(u64_shl(m, shift), below);
    // Above one half, or one half behind an odd number.
    uint2 kept = u64_shr(cut, 2u);
    if ((cut.x & 2u) != 0u && (cut.x & 5u) != 0u) {
        kept = u64_add(kept, uint2(1u, 0u));
    }
    if (field > 1) {
        kept.y = kept.y + (uint(field - 1) << 20u);
    }
    return uint2(kept.x, kept.y | sign);
}

uint2 i64_to_f64(uint2 x) {
    return f64_scaled(x.y & 0x80000000u, i64_abs(x), 0);
}

uint2 f64_from_f32(float x) {
    uint bits = as_type<uint>(x);
    uint sign = bits & 0x80000000u;
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return uint2(0u, 0x7ff80000u);
    }
    if (magnitude == 0x7f800000u) {
        return uint2(0u, sign | 0x7ff00000u);
    }
    if (magnitude < 0x00800000u) {
        return f64_scaled(sign, uint2(magnitude, 0u), -149);
    }
    return uint2(magnitude << 29u, sign | ((magnitude >> 3u) + 0x38000000u));
}

bool f64_is_nan(uint2 x) {
    uint high = x.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && x.x != 0u);
}

bool f64_is_zero(uint2 x) {
    return (x.x | (x.y & 0x7fffffffu)) == 0u;
}

bool f64_is_special(uint2 x) {
    return (x.y & 0x7ff00000u) == 0x7ff00000u;
}

uint2 f64_significand(uint2 x) {
    uint high = x.y & 0x000fffffu;
    if ((x.y & 0x7ff00000u) == 0u) {
        return u64_shl(uint2(x.x, high), u64_leading(uint2(x.x, high)));
    }
    return u64_shl(uint2(x.x, high | 0x00100000u), 11u);
}

int f64_exponent(uint2 x) {
    uint field = (x.y >> 20u) & 0x7ffu;
    if (field == 0u) {
        return -1074 - int(u64_leading(uint2(x.x, x.y & 0x000fffffu)));
    }
    return int(field) - 1086;
}

float f64_to_f32(uint2 x) {
    if (f64_is_nan(x)) {
        // No constant, which compilers refuse to make NaN of.
        uint bits = 0x7fc00000u;
        return as_type<float>(bits);
    }
    uint sign = x.y & 0x80000000u;
    if (f64_is_special(x)) {
        return as_type<float>(sign | 0x7f800000u);
    }
    if (f64_is_zero(x)) {
        return as_type<float>(sign);
    }
    return u64_scaled_f32(sign, f64_significand(x), f64_exponent(x));
}

uint2 f64_whole(uint2 x) {
    uint field = (x.y >> 20u) & 0x7ffu;
    if (field < 1023u) {
        return uint2(0u, 0u);
    }
    if (field > 1086u) {
        return uint2(0xffffffffu, 0xffffffffu);
    }
    return u64_shr(f64_significand(x), 1086u - field);
}

uint2 f64_to_u64(uint2 x) {
    if (x.y >= 0x80000000u || f64_is_nan(x)) {
        return uint2(0u, 0u);
    }
    return f64_whole(x);
}

uint2 f64_to_i64(uint2 x) {
    if (f64_is_nan(x)) {
        return uint2(0u, 0u);
    }
    uint2 magnitude = f64_whole(x);
    if (x.y >= 0x80000000u) {
        if (magnitude.y >= 0x80000000u) {
            return uint2(0u, 0x80000000u);
        }
        return i64_neg(magnitude);
    }
    if (magnitude.y >= 0x80000000u) {
        return uint2(0xffffffffu, 0x7fffffffu);
    }
    return magnitude;
}

uint2 u64_from_f32(float x) {
    return f64_to_u64(f64_from_f32(x));
}

uint2 i64_from_f32(float x) {
    return f64_to_i64(f64_from_f32(x));
}

uint f32_to_u32(float x) {
    if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

fragment FragmentOutput fragment_main(FragmentInput in [[stage_in]]) {
    FragmentOutput out;
    uint2 t = uint2(in.n.xy);
    uint2 t_1 = uint2(t.x, t.y);
    uint2 t_2 = u64_from_i32(in.n.z);
    uint2 t_3 = u64_from_i32(in.n.w);
    uint2 t_4 = u64_mul(u64_add(t_1, t_3), t_1);
    uint2 t_5 = i64_div(u64_shl(u64_rem(u64_div(t_4, t_3), t_1), 7u), i64_shr(t_2, t.x));
    uint2 t_6 = i64_rem(t_5, t_2);
    uint2 t_7 = i64_max(i64_sign(i64_neg(i64_abs(t_6))), uint2(0u, 2147483648u));
    uint2 t_8 = ~((i64_lt(t_7, t_5) ? t_7 : t_6) ^ uint2(4294967295u, 4294967295u));
    out.o = uint4(t_8.x, t_8.y, f32_to_u32(u64_to_f32(t_8)), i64_from_f32(in.v.y).x);
    uint2 t_9 = u64_add(f64_to_i64(t_8), t_8);
    out.p = uint4(
        f32_to_u32(u64_to_f32(u64_from_f32(in.v.x))),
        f32_to_u32(f64_to_f32(i64_to_f64(t_9))),
        t_9.x,
        0u
    );
    return out;
}
