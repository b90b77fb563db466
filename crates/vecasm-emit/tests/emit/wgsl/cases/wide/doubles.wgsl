struct FragmentInput {
    @location(0) @interpolate(flat) n: vec4i,
    @location(1) v: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4u,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = vec4u(in.n);
    let t_1 = u64_pack_2(t.xz, t.yw);
    let t_2 = f64_add(t_1.xy, vec2u(t.x, t.w));
    let t_3 = f64_add_2(f64_mul_2(t_1, f64_fma(f64_mul(t_2, vec2u(t.x, t.w)), vec2u(0u, 0x40040000u), t_2).xyxy), vec4u(0u, 0x7ff00000u, 0x000007e8u, 0u));
    let t_4 = f64_rcp_2(f64_sat_2(t_3));
    let t_5 = u64_select_2(t_1, t_4, f64_lt_2(t_4, t_1));
    out.o = vec4f(
        f64_to_f32(f64_frexp_fraction(f64_ldexp(f64_dot_of_2(t_5, t_4), in.n.x))),
        f32(f64_frexp_exponent(f64_sum_of_2(t_5))),
        f64_to_f32_2(t_5),
    );
    let t_6 = t_3.xz;
    let t_7 = f64_rsq(f64_from_f32(in.v.x));
    let t_8 = f64_neg(f64_sign(f64_round(t_7)));
    out.p = vec4u(
        t_6.x + (t_7.x + f64_to_u32(f64_div(t_8, t_7)) + u32(f64_to_i32(t_8))),
        t_6.y,
        t_3.yw,
    );
    return out;
}

fn u64_select(no: vec2u, yes: vec2u, by: bool) -> vec2u {
    if (by) {
        return yes;
    }
    return no;
}

fn u64_select_2(no: vec4u, yes: vec4u, by: vec2<bool>) -> vec4u {
    return vec4u(u64_select(no.xy, yes.xy, by.x), u64_select(no.zw, yes.zw, by.y));
}

fn u64_pack(low: u32, high: u32) -> vec2u {
    return vec2u(low, high);
}

fn u64_pack_2(low: vec2u, high: vec2u) -> vec4u {
    return vec4u(u64_pack(low.x, high.x), u64_pack(low.y, high.y));
}

fn u64_eq(a: vec2u, b: vec2u) -> bool {
    return a.x == b.x && a.y == b.y;
}

fn u64_ne(a: vec2u, b: vec2u) -> bool {
    return a.x != b.x || a.y != b.y;
}

fn u64_lt(a: vec2u, b: vec2u) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn u64_ge(a: vec2u, b: vec2u) -> bool {
    return !u64_lt(a, b);
}

fn u64_add(a: vec2u, b: vec2u) -> vec2u {
    let low: u32 = a.x + b.x;
    return vec2u(low, a.y + b.y + u32(low < a.x));
}

fn u64_sub(a: vec2u, b: vec2u) -> vec2u {
    return vec2u(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

fn u64_product(a: u32, b: u32) -> vec2u {
    let low: u32 = (a & 0xffffu) * (b & 0xffffu);
    let middle: u32 = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other: u32 = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2u(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

fn u64_shl(x: vec2u, n: u32) -> vec2u {
    var words: vec2u = x;
    if ((n & 32u) != 0u) {
        words = vec2u(0u, x.x);
    }
    let by: u32 = n & 31u;
    if (by == 0u) {
        return words;
    }
    return vec2u(words.x << by, (words.y << by) | (words.x >> (32u - by)));
}

fn u64_shr(x: vec2u, n: u32) -> vec2u {
    var words: vec2u = x;
    if ((n & 32u) != 0u) {
        words = vec2u(x.y, 0u);
    }
    let by: u32 = n & 31u;
    if (by == 0u) {
        return words;
    }
    return vec2u((words.x >> by) | (words.y << (32u - by)), words.y >> by);
}

fn u64_cut(x: vec2u, n: u32) -> vec2u {
    if (n >= 64u) {
        return vec2u(u32((x.x | x.y) != 0u), 0u);
    }
    let kept: vec2u = u64_shr(x, n);
    let lost: bool = u64_ne(u64_shl(kept, n), x);
    return vec2u(kept.x | u32(lost), kept.y);
}

fn u64_leading(x: vec2u) -> u32 {
    var word: u32 = x.y;
    var count: u32 = 0u;
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
    return count + u32(word < 0x80000000u);
}

fn i64_neg(x: vec2u) -> vec2u {
    return u64_sub(vec2u(0u, 0u), x);
}

fn u64_scaled_f32(sign: u32, m: vec2u, e: i32) -> f32 {
    if ((m.x | m.y) == 0u) {
        return bitcast<f32>(sign);
    }
    let shift: u32 = u64_leading(m);
    let field: i32 = e + 190 - i32(shift);
    if (field > 254) {
        return bitcast<f32>(sign | 0x7f800000u);
    }
    var below: u32 = 38u;
    if (field < 1) {
        below = u32(39 - field);
    }
    let cut: u32 = u64_cut(u64_shl(m, shift), below).x;
    // Above one half, or one half behind an odd number.
    var kept: u32 = cut >> 2u;
    if ((cut & 2u) != 0u && (cut & 5u) != 0u) {
        kept = kept + 1u;
    }
    if (field > 1) {
        kept = kept + (u32(field - 1) << 23u);
    }
    return bitcast<f32>(sign | kept);
}

fn f64_scaled(sign: u32, m: vec2u, e: i32) -> vec2u {
    if ((m.x | m.y) == 0u) {
        return vec2u(0u, sign);
    }
    let shift: u32 = u64_leading(m);
    let field: i32 = e + 1086 - i32(shift);
    if (field > 2046) {
        return vec2u(0u, sign | 0x7ff00000u);
    }
    var below: u32 = 9u;
    if (field < 1) {
        below = u32(10 - field);
    }
    let cut: vec2u = u64_cut(u64_shl(m, shift), below);
    // Above one half, or one half behind an odd number.
    var kept: vec2u = u64_shr(cut, 2u);
    if ((cut.x & 2u) != 0u && (cut.x & 5u) != 0u) {
        kept = u64_add(kept, vec2u(1u, 0u));
    }
    if (field > 1) {
        kept.y = kept.y + (u32(field - 1) << 20u);
    }
    return vec2u(kept.x, kept.y | sign);
}

fn f64_from_f32(x: f32) -> vec2u {
    let bits: u32 = bitcast<u32>(x);
    let sign: u32 = bits & 0x80000000u;
    let magnitude: u32 = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return vec2u(0u, 0x7ff80000u);
    }
    if (magnitude == 0x7f800000u) {
        return vec2u(0u, sign | 0x7ff00000u);
    }
    if (magnitude < 0x00800000u) {
        return f64_scaled(sign, vec2u(magnitude, 0u), -149);
    }
    return vec2u(magnitude << 29u, sign | ((magnitude >> 3u) + 0x38000000u));
}

fn f64_is_nan(x: vec2u) -> bool {
    let high: u32 = x.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && x.x != 0u);
}

fn f64_is_zero(x: vec2u) -> bool {
    return (x.x | (x.y & 0x7fffffffu)) == 0u;
}

fn f64_is_special(x: vec2u) -> bool {
    return (x.y & 0x7ff00000u) == 0x7ff00000u;
}

fn f64_to_f64(x: vec2u) -> vec2u {
    if (f64_is_nan(x)) {
        return vec2u(0u, 0x7ff80000u);
    }
    return x;
}

fn f64_significand(x: vec2u) -> vec2u {
    let high: u32 = x.y & 0x000fffffu;
    if ((x.y & 0x7ff00000u) == 0u) {
        return u64_shl(vec2u(x.x, high), u64_leading(vec2u(x.x, high)));
    }
    return u64_shl(vec2u(x.x, high | 0x00100000u), 11u);
}

fn f64_exponent(x: vec2u) -> i32 {
    let field: u32 = (x.y >> 20u) & 0x7ffu;
    if (field == 0u) {
        return -1074 - i32(u64_leading(vec2u(x.x, x.y & 0x000fffffu)));
    }
    return i32(field) - 1086;
}

fn f64_neg(x: vec2u) -> vec2u {
    return vec2u(x.x, x.y ^ 0x80000000u);
}

fn f64_abs(x: vec2u) -> vec2u {
    return vec2u(x.x, x.y & 0x7fffffffu);
}

fn f64_order(x: vec2u) -> vec2u {
    if (f64_is_zero(x)) {
        return vec2u(0u, 0x80000000u);
    }
    if (x.y >= 0x80000000u) {
        return ~x;
    }
    return vec2u(x.x, x.y | 0x80000000u);
}

fn f64_lt(a: vec2u, b: vec2u) -> bool {
    if (f64_is_nan(a) || f64_is_nan(b)) {
        return false;
    }
    return u64_lt(f64_order(a), f64_order(b));
}

fn f64_lt_2(a: vec4u, b: vec4u) -> vec2<bool> {
    return vec2<bool>(f64_lt(a.xy, b.xy), f64_lt(a.zw, b.zw));
}

fn f64_min(a: vec2u, b: vec2u) -> vec2u {
    if (f64_is_nan(a) || f64_lt(b, a)) {
        return f64_to_f64(b);
    }
    return a;
}

fn f64_sat(x: vec2u) -> vec2u {
    if (!f64_lt(vec2u(0u, 0u), x)) {
        return vec2u(0u, 0u);
    }
    return f64_min(x, vec2u(0u, 0x3ff00000u));
}

fn f64_sat_2(x: vec4u) -> vec4u {
    return vec4u(f64_sat(x.xy), f64_sat(x.zw));
}

fn f64_sign(x: vec2u) -> vec2u {
    if (f64_is_zero(x) || f64_is_nan(x)) {
        return vec2u(0u, 0u);
    }
    return vec2u(0u, (x.y & 0x80000000u) | 0x3ff00000u);
}

fn f64_shifted(x: vec2u) -> vec2u {
    var high: u32 = x.y & 0x000fffffu;
    if ((x.y & 0x7ff00000u) != 0u) {
        high = high | 0x00100000u;
    }
    return u64_shl(vec2u(x.x, high), 10u);
}

fn f64_field(x: vec2u) -> u32 {
    let field: u32 = (x.y >> 20u) & 0x7ffu;
    return field + u32(field == 0u);
}

fn f64_add(a: vec2u, b: vec2u) -> vec2u {
    if (f64_is_special(a) || f64_is_special(b)) {
        if (f64_is_nan(a) || f64_is_nan(b)) {
            return vec2u(0u, 0x7ff80000u);
        }
        if (!f64_is_special(a)) {
            return b;
        }
        if (f64_is_special(b) && a.y != b.y) {
            return vec2u(0u, 0x7ff80000u);
        }
        return a;
    }
    var x: vec2u = a;
    var y: vec2u = b;
    if (u64_lt(f64_abs(a), f64_abs(b))) {
        x = b;
        y = a;
    }
    let large: vec2u = f64_shifted(x);
    let small: vec2u = u64_cut(f64_shifted(y), f64_field(x) - f64_field(y));
    let sign: u32 = x.y & 0x80000000u;
    let e: i32 = i32(f64_field(x)) - 1085;
    if (((x.y ^ y.y) & 0x80000000u) == 0u) {
        return f64_scaled(sign, u64_add(large, small), e);
    }
    if (u64_eq(large, small)) {
        return vec2u(0u, 0u);
    }
    return f64_scaled(sign, u64_sub(large, small), e);
}

fn f64_add_2(a: vec4u, b: vec4u) -> vec4u {
    return vec4u(f64_add(a.xy, b.xy), f64_add(a.zw, b.zw));
}

fn f64_sub(a: vec2u, b: vec2u) -> vec2u {
    return f64_add(a, f64_neg(b));
}

fn u128_product(a: vec2u, b: vec2u) -> vec4u {
    let low: vec2u = u64_product(a.x, b.x);
    let middle: vec2u = u64_add(u64_product(a.x, b.y), vec2u(low.y, 0u));
    let other: vec2u = u64_add(u64_product(a.y, b.x), vec2u(middle.x, 0u));
    let high: vec2u = u64_add(u64_add(u64_product(a.y, b.y), vec2u(middle.y, 0u)), vec2u(other.y, 0u));
    return vec4u(low.x, other.x, high);
}

fn f64_mul(a: vec2u, b: vec2u) -> vec2u {
    let sign: u32 = (a.y ^ b.y) & 0x80000000u;
    if (f64_is_special(a) || f64_is_special(b)) {
        if (f64_is_nan(a) || f64_is_nan(b) || f64_is_zero(a) || f64_is_zero(b)) {
            return vec2u(0u, 0x7ff80000u);
        }
        return vec2u(0u, sign | 0x7ff00000u);
    }
    if (f64_is_zero(a) || f64_is_zero(b)) {
        return vec2u(0u, sign);
    }
    let product: vec4u = u128_product(f64_significand(a), f64_significand(b));
    let m: vec2u = vec2u(product.z | u32((product.x | product.y) != 0u), product.w);
    return f64_scaled(sign, m, f64_exponent(a) + f64_exponent(b) + 64);
}

fn f64_mul_2(a: vec4u, b: vec4u) -> vec4u {
    return vec4u(f64_mul(a.xy, b.xy), f64_mul(a.zw, b.zw));
}

fn f64_div(a: vec2u, b: vec2u) -> vec2u {
    let sign: u32 = (a.y ^ b.y) & 0x80000000u;
    if (f64_is_nan(a) || f64_is_nan(b)) {
        return vec2u(0u, 0x7ff80000u);
    }
    if (f64_is_special(a) || f64_is_zero(b)) {
        if (f64_is_special(b) || f64_is_zero(a)) {
            return vec2u(0u, 0x7ff80000u);
        }
        return vec2u(0u, sign | 0x7ff00000u);
    }
    if (f64_is_special(b) || f64_is_zero(a)) {
        return vec2u(0u, sign);
    }
    let dividend: vec2u = f64_significand(a);
    let divisor: vec2u = f64_significand(b);
    var rest: vec2u = dividend;
    var quotient: vec2u = vec2u(0u, 0u);
    if (u64_ge(dividend, divisor)) {
        rest = u64_sub(dividend, divisor);
        quotient.x = 1u;
    }
    // Two bits more than are kept.
    var count: u32 = 0u;
    while (count < 55u) {
        let carry: bool = rest.y >= 0x80000000u;
        rest = u64_shl(rest, 1u);
        quotient = u64_shl(quotient, 1u);
        if (carry || u64_ge(rest, divisor)) {
            rest = u64_sub(rest, divisor);
            quotient.x = quotient.x | 1u;
        }
        count = count + 1u;
    }
    quotient = u64_shl(quotient, 1u);
    quotient.x = quotient.x | u32((rest.x | rest.y) != 0u);
    return f64_scaled(sign, quotient, f64_exponent(a) - f64_exponent(b) - 56);
}

fn f64_rcp(x: vec2u) -> vec2u {
    return f64_div(vec2u(0u, 0x3ff00000u), x);
}

fn f64_rcp_2(x: vec4u) -> vec4u {
    return vec4u(f64_rcp(x.xy), f64_rcp(x.zw));
}

fn u128_lt(a: vec4u, b: vec4u) -> bool {
    return u64_lt(a.zw, b.zw) || (u64_eq(a.zw, b.zw) && u64_lt(a.xy, b.xy));
}

fn u128_add(a: vec4u, b: vec4u) -> vec4u {
    let low: vec2u = u64_add(a.xy, b.xy);
    let high: vec2u = u64_add(a.zw, b.zw);
    return vec4u(low, u64_add(high, vec2u(u32(u64_lt(low, a.xy)), 0u)));
}

fn u128_sub(a: vec4u, b: vec4u) -> vec4u {
    let high: vec2u = u64_sub(a.zw, b.zw);
    return vec4u(u64_sub(a.xy, b.xy), u64_sub(high, vec2u(u32(u64_lt(a.xy, b.xy)), 0u)));
}

fn u128_shl(x: vec4u, n: u32) -> vec4u {
    var words: vec4u = x;
    if (n >= 64u) {
        words = vec4u(0u, 0u, x.x, x.y);
    }
    let by: u32 = n & 63u;
    if (by == 0u) {
        return words;
    }
    return vec4u(u64_shl(words.xy, by), u64_shl(words.zw, by) | u64_shr(words.xy, 64u - by));
}

fn u128_cut(x: vec4u, n: u32) -> vec4u {
    if (n >= 128u) {
        return vec4u(u32((x.x | x.y | x.z | x.w) != 0u), 0u, 0u, 0u);
    }
    var words: vec4u = x;
    if (n >= 64u) {
        words = vec4u(x.z | u32((x.x | x.y) != 0u), x.w, 0u, 0u);
    }
    let by: u32 = n & 63u;
    if (by == 0u) {
        return words;
    }
    return vec4u(u64_cut(words.xy, by) | u64_shl(words.zw, 64u - by), u64_shr(words.zw, by));
}

fn f64_scaled_u128(sign: u32, m: vec4u, e: i32) -> vec2u {
    var shift: u32 = u64_leading(m.zw);
    if (shift == 64u) {
        shift = 64u + u64_leading(m.xy);
    }
    let words: vec4u = u128_shl(m, shift);
    let high: vec2u = vec2u(words.z | u32((words.x | words.y) != 0u), words.w);
    return f64_scaled(sign, high, e - i32(shift) + 64);
}

fn f64_fma(a: vec2u, b: vec2u, c: vec2u) -> vec2u {
    if (f64_is_special(a) || f64_is_special(b) || f64_is_zero(a) || f64_is_zero(b)) {
        return f64_add(f64_mul(a, b), c);
    }
    if (f64_is_special(c)) {
        return f64_to_f64(c);
    }
    let sign: u32 = (a.y ^ b.y) & 0x80000000u;
    // Both have their highest bit at 125, so that the sum has room, and 20 bits at least are clear below.
    var large: vec4u = u128_product(f64_significand(a), f64_significand(b));
    var e: i32 = f64_exponent(a) + f64_exponent(b);
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
    let sign_c: u32 = c.y & 0x80000000u;
    var small: vec4u = u128_cut(vec4u(vec2u(0u, 0u), f64_significand(c)), 2u);
    var e_small: i32 = f64_exponent(c) - 62;
    var sign_large: u32 = sign;
    if (e_small > e || (e_small == e && u128_lt(large, small))) {
        let words: vec4u = large;
        large = small;
        small = words;
        let exponent: i32 = e;
        e = e_small;
        e_small = exponent;
        sign_large = sign_c;
    }
    small = u128_cut(small, u32(e - e_small));
    if (sign == sign_c) {
        return f64_scaled_u128(sign, u128_add(large, small), e);
    }
    let rest: vec4u = u128_sub(large, small);
    if ((rest.x | rest.y | rest.z | rest.w) == 0u) {
        return vec2u(0u, 0u);
    }
    return f64_scaled_u128(sign_large, rest, e);
}

fn f64_rsq(x: vec2u) -> vec2u {
    if (f64_is_nan(x)) {
        return vec2u(0u, 0x7ff80000u);
    }
    if (f64_is_zero(x)) {
        return vec2u(0u, x.y | 0x7ff00000u);
    }
    if (x.y >= 0x80000000u) {
        return vec2u(0u, 0x7ff80000u);
    }
    if (f64_is_special(x)) {
        return vec2u(0u, 0u);
    }
    // m in 1..4 times 4 to the power of half of e.
    var m: vec2u = u64_shr(f64_significand(x), 11u);
    var e: i32 = f64_exponent(x) + 63;
    if ((e & 1) != 0) {
        m = u64_shl(m, 1u);
        e = e - 1;
    }
    var rest: vec4u = vec4u(0u, 0u, 0u, 0x4000u);
    var twice: vec4u = vec4u(0u, 0u, 0u, 0u);
    var term: vec4u = u128_shl(vec4u(m, vec2u(0u, 0u)), 57u);
    var root: vec2u = vec2u(0u, 0u);
    var count: u32 = 0u;
    while (count < 55u) {
        rest = u128_shl(rest, 1u);
        root = u64_shl(root, 1u);
        let taken: vec4u = u128_add(twice, term);
        if (!u128_lt(rest, taken)) {
            rest = u128_sub(rest, taken);
            twice = u128_add(taken, term);
            root.x = root.x | 1u;
        }
        term = u128_cut(term, 1u);
        count = count + 1u;
    }
    // No root is exact but that of 1, which all ones are rounded up to.
    root = u64_add(u64_shl(root, 1u), vec2u(1u, 0u));
    return f64_scaled(0u, root, -56 - e / 2);
}

fn f64_round(x: vec2u) -> vec2u {
    let magnitude: vec2u = f64_abs(x);
    if (magnitude.y >= 0x43300000u) {
        return f64_to_f64(x);
    }
    // Between 2^52 and 2^53 there are no fractions.
    let up: vec2u = f64_add(magnitude, vec2u(0u, 0x43300000u));
    let whole: vec2u = f64_sub(up, vec2u(0u, 0x43300000u));
    return vec2u(whole.x, whole.y | (x.y & 0x80000000u));
}

fn f64_ldexp(x: vec2u, n: i32) -> vec2u {
    if (f64_is_special(x) || f64_is_zero(x)) {
        return f64_to_f64(x);
    }
    // Beyond that everything overflows or underflows.
    var by: i32 = n;
    if (by > 2200) {
        by = 2200;
    }
    if (by < -2200) {
        by = -2200;
    }
    return f64_scaled(x.y & 0x80000000u, f64_significand(x), f64_exponent(x) + by);
}

fn f64_frexp_fraction(x: vec2u) -> vec2u {
    if (f64_is_special(x) || f64_is_zero(x)) {
        return f64_to_f64(x);
    }
    return f64_scaled(x.y & 0x80000000u, f64_significand(x), -64);
}

fn f64_frexp_exponent(x: vec2u) -> i32 {
    if (f64_is_special(x) || f64_is_zero(x)) {
        return 0;
    }
    return f64_exponent(x) + 64;
}

fn f64_dot_of_2(a: vec4u, b: vec4u) -> vec2u {
    return f64_add(f64_mul(a.xy, b.xy), f64_mul(a.zw, b.zw));
}

fn f64_sum_of_2(x: vec4u) -> vec2u {
    return f64_add(x.xy, x.zw);
}

fn f64_to_f32(x: vec2u) -> f32 {
    if (f64_is_nan(x)) {
        // No constant, which compilers refuse to make NaN of.
        var bits: u32 = 0x7fc00000u;
        return bitcast<f32>(bits);
    }
    let sign: u32 = x.y & 0x80000000u;
    if (f64_is_special(x)) {
        return bitcast<f32>(sign | 0x7f800000u);
    }
    if (f64_is_zero(x)) {
        return bitcast<f32>(sign);
    }
    return u64_scaled_f32(sign, f64_significand(x), f64_exponent(x));
}

fn f64_to_f32_2(x: vec4u) -> vec2f {
    return vec2f(f64_to_f32(x.xy), f64_to_f32(x.zw));
}

fn f64_whole(x: vec2u) -> vec2u {
    let field: u32 = (x.y >> 20u) & 0x7ffu;
    if (field < 1023u) {
        return vec2u(0u, 0u);
    }
    if (field > 1086u) {
        return vec2u(0xffffffffu, 0xffffffffu);
    }
    return u64_shr(f64_significand(x), 1086u - field);
}

fn f64_to_u64(x: vec2u) -> vec2u {
    if (x.y >= 0x80000000u || f64_is_nan(x)) {
        return vec2u(0u, 0u);
    }
    return f64_whole(x);
}

fn f64_to_i64(x: vec2u) -> vec2u {
    if (f64_is_nan(x)) {
        return vec2u(0u, 0u);
    }
    let magnitude: vec2u = f64_whole(x);
    if (x.y >= 0x80000000u) {
        if (magnitude.y >= 0x80000000u) {
            return vec2u(0u, 0x80000000u);
        }
        return i64_neg(magnitude);
    }
    if (magnitude.y >= 0x80000000u) {
        return vec2u(0xffffffffu, 0x7fffffffu);
    }
    return magnitude;
}

fn f64_to_u32(x: vec2u) -> u32 {
    let whole: vec2u = f64_to_u64(x);
    if (whole.y != 0u) {
        return 0xffffffffu;
    }
    return whole.x;
}

fn f64_to_i32(x: vec2u) -> i32 {
    let whole: vec2u = f64_to_i64(x);
    if (whole.y == u32(i32(whole.x) >> 31u)) {
        return i32(whole.x);
    }
    return i32(0x7fffffffu + (whole.y >> 31u));
}
