#version 300 es

precision highp float;
precision highp int;

flat in ivec4 varying_0;
in vec4 varying_1;

layout(location = 0) out vec4 o;
layout(location = 1) out uvec4 p;

uvec2 u64_select(uvec2 no, uvec2 yes, bool by) {
    if (by) {
        return yes;
    }
    return no;
}

uvec4 u64_select_2(uvec4 no, uvec4 yes, bvec2 by) {
    return uvec4(u64_select(no.xy, yes.xy, by.x), u64_select(no.zw, yes.zw, by.y));
}

uvec2 u64_pack(uint low, uint high) {
    return uvec2(low, high);
}

uvec4 u64_pack_2(uvec2 low, uvec2 high) {
    return uvec4(u64_pack(low.x, high.x), u64_pack(low.y, high.y));
}

bool u64_eq(uvec2 a, uvec2 b) {
    return a.x == b.x && a.y == b.y;
}

bool u64_ne(uvec2 a, uvec2 b) {
    return a.x != b.x || a.y != b.y;
}

bool u64_lt(uvec2 a, uvec2 b) {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

bool u64_ge(uvec2 a, uvec2 b) {
    return !u64_lt(a, b);
}

uvec2 u64_add(uvec2 a, uvec2 b) {
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + uint(low < a.x));
}

uvec2 u64_sub(uvec2 a, uvec2 b) {
    return uvec2(a.x - b.x, a.y - b.y - uint(a.x < b.x));
}

uvec2 u64_product(uint a, uint b) {
    uint low = (a & 0xffffu) * (b & 0xffffu);
    uint middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    uint other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return uvec2(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

uvec2 u64_shl(uvec2 x, uint n) {
    uvec2 words = x;
    if ((n & 32u) != 0u) {
        words = uvec2(0u, x.x);
    }
    uint by = n & 31u;
    if (by == 0u) {
        return words;
    }
    return uvec2(words.x << by, (words.y << by) | (words.x >> (32u - by)));
}

uvec2 u64_shr(uvec2 x, uint n) {
    uvec2 words = x;
    if ((n & 32u) != 0u) {
        words = uvec2(x.y, 0u);
    }
    uint by = n & 31u;
    if (by == 0u) {
        return words;
    }
    return uvec2((words.x >> by) | (words.y << (32u - by)), words.y >> by);
}

uvec2 u64_cut(uvec2 x, uint n) {
    if (n >= 64u) {
        return uvec2(uint((x.x | x.y) != 0u), 0u);
    }
    uvec2 kept = u64_shr(x, n);
    bool lost = u64_ne(u64_shl(kept, n), x);
    return uvec2(kept.x | uint(lost), kept.y);
}

uint u64_leading(uvec2 x) {
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

uvec2 i64_neg(uvec2 x) {
    return u64_sub(uvec2(0u, 0u), x);
}

float u64_scaled_f32(uint sign, uvec2 m, int e) {
    if ((m.x | m.y) == 0u) {
        return uintBitsToFloat(sign);
    }
    uint shift = u64_leading(m);
    int field = e + 190 - int(shift);
    if (field > 254) {
        return uintBitsToFloat(sign | 0x7f800000u);
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
    return uintBitsToFloat(sign | kept);
}

uvec2 f64_scaled(uint sign, uvec2 m, int e) {
    if ((m.x | m.y) == 0u) {
        return uvec2(0u, sign);
    }
    uint shift = u64_leading(m);
    int field = e + 1086 - int(shift);
    if (field > 2046) {
        return uvec2(0u, sign | 0x7ff00000u);
    }
    uint below = 9u;
    if (field < 1) {
        below = uint(10 - field);
    }
    uvec2 cut = u64_cut(u64_shl(m, shift), below);
    // Above one half, or one half behind an odd number.
    uvec2 kept = u64_shr(cut, 2u);
    if ((cut.x & 2u) != 0u && (cut.x & 5u) != 0u) {
        kept = u64_add(kept, uvec2(1u, 0u));
    }
    if (field > 1) {
        kept.y = kept.y + (uint(field - 1) << 20u);
    }
    return uvec2(kept.x, kept.y | sign);
}

uvec2 f64_from_f32(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = bits & 0x80000000u;
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return uvec2(0u, 0x7ff80000u);
    }
    if (magnitude == 0x7f800000u) {
        return uvec2(0u, sign | 0x7ff00000u);
    }
    if (magnitude < 0x00800000u) {
        return f64_scaled(sign, uvec2(magnitude, 0u), -149);
    }
    return uvec2(magnitude << 29u, sign | ((magnitude >> 3u) + 0x38000000u));
}

bool f64_is_nan(uvec2 x) {
    uint high = x.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && x.x != 0u);
}

bool f64_is_zero(uvec2 x) {
    return (x.x | (x.y & 0x7fffffffu)) == 0u;
}

bool f64_is_special(uvec2 x) {
    return (x.y & 0x7ff00000u) == 0x7ff00000u;
}

uvec2 f64_to_f64(uvec2 x) {
    if (f64_is_nan(x)) {
        return uvec2(0u, 0x7ff80000u);
    }
    return x;
}

uvec2 f64_significand(uvec2 x) {
    uint high = x.y & 0x000fffffu;
    if ((x.y & 0x7ff00000u) == 0u) {
        return u64_shl(uvec2(x.x, high), u64_leading(uvec2(x.x, high)));
    }
    return u64_shl(uvec2(x.x, high | 0x00100000u), 11u);
}

int f64_exponent(uvec2 x) {
    uint field = (x.y >> 20u) & 0x7ffu;
    if (field == 0u) {
        return -1074 - int(u64_leading(uvec2(x.x, x.y & 0x000fffffu)));
    }
    return int(field) - 1086;
}

uvec2 f64_neg(uvec2 x) {
    return uvec2(x.x, x.y ^ 0x80000000u);
}

uvec2 f64_abs(uvec2 x) {
    return uvec2(x.x, x.y & 0x7fffffffu);
}

uvec2 f64_order(uvec2 x) {
    if (f64_is_zero(x)) {
        return uvec2(0u, 0x80000000u);
    }
    if (x.y >= 0x80000000u) {
        return ~x;
    }
    return uvec2(x.x, x.y | 0x80000000u);
}

bool f64_lt(uvec2 a, uvec2 b) {
    if (f64_is_nan(a) || f64_is_nan(b)) {
        return false;
    }
    return u64_lt(f64_order(a), f64_order(b));
}

bvec2 f64_lt_2(uvec4 a, uvec4 b) {
    return bvec2(f64_lt(a.xy, b.xy), f64_lt(a.zw, b.zw));
}

uvec2 f64_min(uvec2 a, uvec2 b) {
    if (f64_is_nan(a) || f64_lt(b, a)) {
        return f64_to_f64(b);
    }
    return a;
}

uvec2 f64_sat(uvec2 x) {
    if (!f64_lt(uvec2(0u, 0u), x)) {
        return uvec2(0u, 0u);
    }
    return f64_min(x, uvec2(0u, 0x3ff00000u));
}

uvec4 f64_sat_2(uvec4 x) {
    return uvec4(f64_sat(x.xy), f64_sat(x.zw));
}

uvec2 f64_sign(uvec2 x) {
    if (f64_is_zero(x) || f64_is_nan(x)) {
        return uvec2(0u, 0u);
    }
    return uvec2(0u, (x.y & 0x80000000u) | 0x3ff00000u);
}

uvec2 f64_shifted(uvec2 x) {
    uint high = x.y & 0x000fffffu;
    if ((x.y & 0x7ff00000u) != 0u) {
        high = high | 0x00100000u;
    }
    return u64_shl(uvec2(x.x, high), 10u);
}

uint f64_field(uvec2 x) {
    uint field = (x.y >> 20u) & 0x7ffu;
    return field + uint(field == 0u);
}

uvec2 f64_add(uvec2 a, uvec2 b) {
    if (f64_is_special(a) || f64_is_special(b)) {
        if (f64_is_nan(a) || f64_is_nan(b)) {
            return uvec2(0u, 0x7ff80000u);
        }
        if (!f64_is_special(a)) {
            return b;
        }
        if (f64_is_special(b) && a.y != b.y) {
            return uvec2(0u, 0x7ff80000u);
        }
        return a;
    }
    uvec2 x = a;
    uvec2 y = b;
    if (u64_lt(f64_abs(a), f64_abs(b))) {
        x = b;
        y = a;
    }
    uvec2 large = f64_shifted(x);
    uvec2 small = u64_cut(f64_shifted(y), f64_field(x) - f64_field(y));
    uint sign = x.y & 0x80000000u;
    int e = int(f64_field(x)) - 1085;
    if (((x.y ^ y.y) & 0x80000000u) == 0u) {
        return f64_scaled(sign, u64_add(large, small), e);
    }
    if (u64_eq(large, small)) {
        return uvec2(0u, 0u);
    }
    return f64_scaled(sign, u64_sub(large, small), e);
}

uvec4 f64_add_2(uvec4 a, uvec4 b) {
    return uvec4(f64_add(a.xy, b.xy), f64_add(a.zw, b.zw));
}

uvec2 f64_sub(uvec2 a, uvec2 b) {
    return f64_add(a, f64_neg(b));
}

uvec4 u128_product(uvec2 a, uvec2 b) {
    uvec2 low = u64_product(a.x, b.x);
    uvec2 middle = u64_add(u64_product(a.x, b.y), uvec2(low.y, 0u));
    uvec2 other = u64_add(u64_product(a.y, b.x), uvec2(middle.x, 0u));
    uvec2 high = u64_add(u64_add(u64_product(a.y, b.y), uvec2(middle.y, 0u)), uvec2(other.y, 0u));
    return uvec4(low.x, other.x, high);
}

uvec2 f64_mul(uvec2 a, uvec2 b) {
    uint sign = (a.y ^ b.y) & 0x80000000u;
    if (f64_is_special(a) || f64_is_special(b)) {
        if (f64_is_nan(a) || f64_is_nan(b) || f64_is_zero(a) || f64_is_zero(b)) {
            return uvec2(0u, 0x7ff80000u);
        }
        return uvec2(0u, sign | 0x7ff00000u);
    }
    if (f64_is_zero(a) || f64_is_zero(b)) {
        return uvec2(0u, sign);
    }
    uvec4 product = u128_product(f64_significand(a), f64_significand(b));
    uvec2 m = uvec2(product.z | uint((product.x | product.y) != 0u), product.w);
    return f64_scaled(sign, m, f64_exponent(a) + f64_exponent(b) + 64);
}

uvec4 f64_mul_2(uvec4 a, uvec4 b) {
    return uvec4(f64_mul(a.xy, b.xy), f64_mul(a.zw, b.zw));
}

uvec2 f64_div(uvec2 a, uvec2 b) {
    uint sign = (a.y ^ b.y) & 0x80000000u;
    if (f64_is_nan(a) || f64_is_nan(b)) {
        return uvec2(0u, 0x7ff80000u);
    }
    if (f64_is_special(a) || f64_is_zero(b)) {
        if (f64_is_special(b) || f64_is_zero(a)) {
            return uvec2(0u, 0x7ff80000u);
        }
        return uvec2(0u, sign | 0x7ff00000u);
    }
    if (f64_is_special(b) || f64_is_zero(a)) {
        return uvec2(0u, sign);
    }
    uvec2 dividend = f64_significand(a);
    uvec2 divisor = f64_significand(b);
    uvec2 rest = dividend;
    uvec2 quotient = uvec2(0u, 0u);
    if (u64_ge(dividend, divisor)) {
        rest = u64_sub(dividend, divisor);
        quotient.x = 1u;
    }
    // Two bits more than are kept.
    uint count = 0u;
    while (count < 55u) {
        bool carry = rest.y >= 0x80000000u;
        rest = u64_shl(rest, 1u);
        quotient = u64_shl(quotient, 1u);
        if (carry || u64_ge(rest, divisor)) {
            rest = u64_sub(rest, divisor);
            quotient.x = quotient.x | 1u;
        }
        count = count + 1u;
    }
    quotient = u64_shl(quotient, 1u);
    quotient.x = quotient.x | uint((rest.x | rest.y) != 0u);
    return f64_scaled(sign, quotient, f64_exponent(a) - f64_exponent(b) - 56);
}

uvec2 f64_rcp(uvec2 x) {
    return f64_div(uvec2(0u, 0x3ff00000u), x);
}

uvec4 f64_rcp_2(uvec4 x) {
    return uvec4(f64_rcp(x.xy), f64_rcp(x.zw));
}

bool u128_lt(uvec4 a, uvec4 b) {
    return u64_lt(a.zw, b.zw) || (u64_eq(a.zw, b.zw) && u64_lt(a.xy, b.xy));
}

uvec4 u128_add(uvec4 a, uvec4 b) {
    uvec2 low = u64_add(a.xy, b.xy);
    uvec2 high = u64_add(a.zw, b.zw);
    return uvec4(low, u64_add(high, uvec2(uint(u64_lt(low, a.xy)), 0u)));
}

uvec4 u128_sub(uvec4 a, uvec4 b) {
    uvec2 high = u64_sub(a.zw, b.zw);
    return uvec4(u64_sub(a.xy, b.xy), u64_sub(high, uvec2(uint(u64_lt(a.xy, b.xy)), 0u)));
}

uvec4 u128_shl(uvec4 x, uint n) {
    uvec4 words = x;
    if (n >= 64u) {
        words = uvec4(0u, 0u, x.x, x.y);
    }
    uint by = n & 63u;
    if (by == 0u) {
        return words;
    }
    return uvec4(u64_shl(words.xy, by), u64_shl(words.zw, by) | u64_shr(words.xy, 64u - by));
}

uvec4 u128_cut(uvec4 x, uint n) {
    if (n >= 128u) {
        return uvec4(uint((x.x | x.y | x.z | x.w) != 0u), 0u, 0u, 0u);
    }
    uvec4 words = x;
    if (n >= 64u) {
        words = uvec4(x.z | uint((x.x | x.y) != 0u), x.w, 0u, 0u);
    }
    uint by = n & 63u;
    if (by == 0u) {
        return words;
    }
    return uvec4(u64_cut(words.xy, by) | u64_shl(words.zw, 64u - by), u64_shr(words.zw, by));
}

uvec2 f64_scaled_u128(uint sign, uvec4 m, int e) {
    uint shift = u64_leading(m.zw);
    if (shift == 64u) {
        shift = 64u + u64_leading(m.xy);
    }
    uvec4 words = u128_shl(m, shift);
    uvec2 high = uvec2(words.z | uint((words.x | words.y) != 0u), words.w);
    return f64_scaled(sign, high, e - int(shift) + 64);
}

uvec2 f64_fma(uvec2 a, uvec2 b, uvec2 c) {
    if (f64_is_special(a) || f64_is_special(b) || f64_is_zero(a) || f64_is_zero(b)) {
        return f64_add(f64_mul(a, b), c);
    }
    if (f64_is_special(c)) {
        return f64_to_f64(c);
    }
    uint sign = (a.y ^ b.y) & 0x80000000u;
    // Both have their highest bit at 125, so that the sum has room, and 20 bits at least are clear below.
    uvec4 large = u128_product(f64_significand(a), f64_significand(b));
    int e = f64_exponent(a) + f64_exponent(b);
    if (large.w >= 0x80000000u) {
        large = u128_cut(large, 2u);
        e = e + 2;
    } else {
        large = u128_cut(large, 1u);
        e = e + 1;
    }
    if (f64_is_zero(c)) {
        return f64_scaled_u128(sign, large, e);
    }
    uint sign_c = c.y & 0x80000000u;
    uvec4 small = u128_cut(uvec4(uvec2(0u, 0u), f64_significand(c)), 2u);
    int e_small = f64_exponent(c) - 62;
    uint sign_large = sign;
    if (e_small > e || (e_small == e && u128_lt(large, small))) {
        uvec4 words = large;
        large = small;
        small = words;
        int exponent = e;
        e = e_small;
        e_small = exponent;
        sign_large = sign_c;
    }
    small = u128_cut(small, uint(e - e_small));
    if (sign == sign_c) {
        return f64_scaled_u128(sign, u128_add(large, small), e);
    }
    uvec4 rest = u128_sub(large, small);
    if ((rest.x | rest.y | rest.z | rest.w) == 0u) {
        return uvec2(0u, 0u);
    }
    return f64_scaled_u128(sign_large, rest, e);
}

uvec2 f64_rsq(uvec2 x) {
    if (f64_is_nan(x)) {
        return uvec2(0u, 0x7ff80000u);
    }
    if (f64_is_zero(x)) {
        return uvec2(0u, x.y | 0x7ff00000u);
    }
    if (x.y >= 0x80000000u) {
        return uvec2(0u, 0x7ff80000u);
    }
    if (f64_is_special(x)) {
        return uvec2(0u, 0u);
    }
    // m in 1..4 times 4 to the power of half of e.
    uvec2 m = u64_shr(f64_significand(x), 11u);
    int e = f64_exponent(x) + 63;
    if ((e & 1) != 0) {
        m = u64_shl(m, 1u);
        e = e - 1;
    }
    uvec4 rest = uvec4(0u, 0u, 0u, 0x4000u);
    uvec4 twice = uvec4(0u, 0u, 0u, 0u);
    uvec4 term = u128_shl(uvec4(m, uvec2(0u, 0u)), 57u);
    uvec2 root = uvec2(0u, 0u);
    uint count = 0u;
    while (count < 55u) {
        rest = u128_shl(rest, 1u);
        root = u64_shl(root, 1u);
        uvec4 taken = u128_add(twice, term);
        if (!u128_lt(rest, taken)) {
            rest = u128_sub(rest, taken);
            twice = u128_add(taken, term);
            root.x = root.x | 1u;
        }
        term = u128_cut(term, 1u);
        count = count + 1u;
    }
    // No root is exact but that of 1, which all ones are rounded up to.
    root = u64_add(u64_shl(root, 1u), uvec2(1u, 0u));
    return f64_scaled(0u, root, -56 - e / 2);
}

uvec2 f64_round(uvec2 x) {
    uvec2 magnitude = f64_abs(x);
    if (magnitude.y >= 0x43300000u) {
        return f64_to_f64(x);
    }
    // Between 2^52 and 2^53 there are no fractions.
    uvec2 up = f64_add(magnitude, uvec2(0u, 0x43300000u));
    uvec2 whole = f64_sub(up, uvec2(0u, 0x43300000u));
    return uvec2(whole.x, whole.y | (x.y & 0x80000000u));
}

uvec2 f64_ldexp(uvec2 x, int n) {
    if (f64_is_special(x) || f64_is_zero(x)) {
        return f64_to_f64(x);
    }
    // Beyond that everything overflows or underflows.
    int by = n;
    if (by > 2200) {
        by = 2200;
    }
    if (by < -2200) {
        by = -2200;
    }
    return f64_scaled(x.y & 0x80000000u, f64_significand(x), f64_exponent(x) + by);
}

uvec2 f64_frexp_fraction(uvec2 x) {
    if (f64_is_special(x) || f64_is_zero(x)) {
        return f64_to_f64(x);
    }
    return f64_scaled(x.y & 0x80000000u, f64_significand(x), -64);
}

int f64_frexp_exponent(uvec2 x) {
    if (f64_is_special(x) || f64_is_zero(x)) {
        return 0;
    }
    return f64_exponent(x) + 64;
}

uvec2 f64_dot_of_2(uvec4 a, uvec4 b) {
    return f64_add(f64_mul(a.xy, b.xy), f64_mul(a.zw, b.zw));
}

uvec2 f64_sum_of_2(uvec4 x) {
    return f64_add(x.xy, x.zw);
}

float f64_to_f32(uvec2 x) {
    if (f64_is_nan(x)) {
        // No constant, which compilers refuse to make NaN of.
        uint bits = 0x7fc00000u;
        return uintBitsToFloat(bits);
    }
    uint sign = x.y & 0x80000000u;
    if (f64_is_special(x)) {
        return uintBitsToFloat(sign | 0x7f800000u);
    }
    if (f64_is_zero(x)) {
        return uintBitsToFloat(sign);
    }
    return u64_scaled_f32(sign, f64_significand(x), f64_exponent(x));
}

vec2 f64_to_f32_2(uvec4 x) {
    return vec2(f64_to_f32(x.xy), f64_to_f32(x.zw));
}

uvec2 f64_whole(uvec2 x) {
    uint field = (x.y >> 20u) & 0x7ffu;
    if (field < 1023u) {
        return uvec2(0u, 0u);
    }
    if (field > 1086u) {
        return uvec2(0xffffffffu, 0xffffffffu);
    }
    return u64_shr(f64_significand(x), 1086u - field);
}

uvec2 f64_to_u64(uvec2 x) {
    if (x.y >= 0x80000000u || f64_is_nan(x)) {
        return uvec2(0u, 0u);
    }
    return f64_whole(x);
}

uvec2 f64_to_i64(uvec2 x) {
    if (f64_is_nan(x)) {
        return uvec2(0u, 0u);
    }
    uvec2 magnitude = f64_whole(x);
    if (x.y >= 0x80000000u) {
        if (magnitude.y >= 0x80000000u) {
            return uvec2(0u, 0x80000000u);
        }
        return i64_neg(magnitude);
    }
    if (magnitude.y >= 0x80000000u) {
        return uvec2(0xffffffffu, 0x7fffffffu);
    }
    return magnitude;
}

uint f64_to_u32(uvec2 x) {
    uvec2 whole = f64_to_u64(x);
    if (whole.y != 0u) {
        return 0xffffffffu;
    }
    return whole.x;
}

int f64_to_i32(uvec2 x) {
    uvec2 whole = f64_to_i64(x);
    if (whole.y == uint(int(whole.x) >> 31u)) {
        return int(whole.x);
    }
    return int(0x7fffffffu + (whole.y >> 31u));
}

void main() {
    uvec4 t = uvec4(varying_0);
    uvec4 t_1 = u64_pack_2(t.xz, t.yw);
    uvec2 t_2 = f64_add(t_1.xy, uvec2(t.x, t.w));
    uvec4 t_3 = f64_add_2(f64_mul_2(t_1, f64_fma(f64_mul(t_2, uvec2(t.x, t.w)), uvec2(0u, 0x40040000u), t_2).xyxy), uvec4(0u, 0x7ff00000u, 0x000007e8u, 0u));
    uvec4 t_4 = f64_rcp_2(f64_sat_2(t_3));
    uvec4 t_5 = u64_select_2(t_1, t_4, f64_lt_2(t_4, t_1));
    o = vec4(
        f64_to_f32(f64_frexp_fraction(f64_ldexp(f64_dot_of_2(t_5, t_4), varying_0.x))),
        float(f64_frexp_exponent(f64_sum_of_2(t_5))),
        f64_to_f32_2(t_5)
    );
    uvec2 t_6 = t_3.xz;
    uvec2 t_7 = f64_rsq(f64_from_f32(varying_1.x));
    uvec2 t_8 = f64_neg(f64_sign(f64_round(t_7)));
    p = uvec4(
        t_6.x + (t_7.x + f64_to_u32(f64_div(t_8, t_7)) + uint(f64_to_i32(t_8))),
        t_6.y,
        t_3.yw
    );
}
