struct FragmentInput {
    @location(0) @interpolate(flat) n: vec4i,
    @location(1) v: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4u,
    @location(1) p: vec4u,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = vec2u(in.n.xy);
    let t_1 = vec2u(t.x, t.y);
    let t_2 = u64_from_i32(in.n.z);
    let t_3 = u64_from_i32(in.n.w);
    let t_4 = u64_mul(u64_add(t_1, t_3), t_1);
    let t_5 = i64_div(u64_shl(u64_rem(u64_div(t_4, t_3), t_1), 7u), i64_shr(t_2, t.x));
    let t_6 = i64_rem(t_5, t_2);
    let t_7 = i64_max(i64_sign(i64_neg(i64_abs(t_6))), vec2u(0u, 2147483648u));
    let t_8 = ~(select(t_6, t_7, i64_lt(t_7, t_5)) ^ vec2u(4294967295u, 4294967295u));
    out.o = vec4u(t_8.x, t_8.y, f32_to_u32(u64_to_f32(t_8)), i64_from_f32(in.v.y).x);
    let t_9 = u64_add(f64_to_i64(t_8), t_8);
    out.p = vec4u(
        f32_to_u32(u64_to_f32(u64_from_f32(in.v.x))),
        f32_to_u32(f64_to_f32(i64_to_f64(t_9))),
        t_9.x,
        0u,
    );
    return out;
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

fn u64_mul(a: vec2u, b: vec2u) -> vec2u {
    let low: vec2u = u64_product(a.x, b.x);
    return vec2u(low.x, low.y + a.x * b.y + a.y * b.x);
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

fn u64_quotient(a: vec2u, b: vec2u) -> vec4u {
    if (u64_lt(a, b)) {
        return vec4u(0u, 0u, a.x, a.y);
    }
    var rest: vec2u = a;
    var quotient: vec2u = vec2u(0u, 0u);
    var count: u32 = u64_leading(b) - u64_leading(a) + 1u;
    var part: vec2u = u64_shl(b, count - 1u);
    while (count > 0u) {
        quotient = u64_shl(quotient, 1u);
        if (u64_ge(rest, part)) {
            rest = u64_sub(rest, part);
            quotient.x = quotient.x | 1u;
        }
        part = u64_shr(part, 1u);
        count = count - 1u;
    }
    return vec4u(quotient, rest);
}

fn u64_div(a: vec2u, b: vec2u) -> vec2u {
    if ((b.x | b.y) == 0u) {
        return vec2u(0xffffffffu, 0xffffffffu);
    }
    return u64_quotient(a, b).xy;
}

fn u64_rem(a: vec2u, b: vec2u) -> vec2u {
    if ((b.x | b.y) == 0u) {
        return vec2u(0xffffffffu, 0xffffffffu);
    }
    return u64_quotient(a, b).zw;
}

fn i64_neg(x: vec2u) -> vec2u {
    return u64_sub(vec2u(0u, 0u), x);
}

fn i64_abs(x: vec2u) -> vec2u {
    if (x.y >= 0x80000000u) {
        return i64_neg(x);
    }
    return x;
}

fn i64_sign(x: vec2u) -> vec2u {
    if (x.y >= 0x80000000u) {
        return vec2u(0xffffffffu, 0xffffffffu);
    }
    return vec2u(u32((x.x | x.y) != 0u), 0u);
}

fn i64_lt(a: vec2u, b: vec2u) -> bool {
    return u64_lt(vec2u(a.x, a.y ^ 0x80000000u), vec2u(b.x, b.y ^ 0x80000000u));
}

fn i64_max(a: vec2u, b: vec2u) -> vec2u {
    if (i64_lt(a, b)) {
        return b;
    }
    return a;
}

fn i64_shr(x: vec2u, n: u32) -> vec2u {
    let sign: u32 = u32(i32(x.y) >> 31u);
    var words: vec2u = x;
    if ((n & 32u) != 0u) {
        words = vec2u(x.y, sign);
    }
    let by: u32 = n & 31u;
    if (by == 0u) {
        return words;
    }
    return vec2u((words.x >> by) | (words.y << (32u - by)), (words.y >> by) | (sign << (32u - by)));
}

fn i64_div(a: vec2u, b: vec2u) -> vec2u {
    if ((b.x | b.y) == 0u) {
        return vec2u(0u, 0u);
    }
    let magnitude: vec2u = u64_quotient(i64_abs(a), i64_abs(b)).xy;
    if (((a.y ^ b.y) & 0x80000000u) != 0u) {
        return i64_neg(magnitude);
    }
    return magnitude;
}

fn i64_rem(a: vec2u, b: vec2u) -> vec2u {
    if ((b.x | b.y) == 0u) {
        return vec2u(0xffffffffu, 0xffffffffu);
    }
    let magnitude: vec2u = u64_quotient(i64_abs(a), i64_abs(b)).zw;
    if (a.y >= 0x80000000u) {
        return i64_neg(magnitude);
    }
    return magnitude;
}

fn u64_from_i32(x: i32) -> vec2u {
    return vec2u(u32(x), u32(x >> 31u));
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

fn u64_to_f32(x: vec2u) -> f32 {
    return u64_scaled_f32(0u, x, 0);
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

fn i64_to_f64(x: vec2u) -> vec2u {
    return f64_scaled(x.y & 0x80000000u, i64_abs(x), 0);
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

fn u64_from_f32(x: f32) -> vec2u {
    return f64_to_u64(f64_from_f32(x));
}

fn i64_from_f32(x: f32) -> vec2u {
    return f64_to_i64(f64_from_f32(x));
}

fn f32_to_u32(x: f32) -> u32 {
    let near = select(u32(x), 0xffffffffu, x >= 4294967296.0);
    return select(near, 0u, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}
