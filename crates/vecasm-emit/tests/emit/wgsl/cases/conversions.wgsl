struct FragmentInput {
    @location(0) v: vec4f,
}

struct FragmentOutput {
    @location(0) signed: vec4i,
    @location(1) unsigned: vec4u,
    @location(2) halves: vec4f,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = f32_to_i32_4(in.v);
    out.signed = t;
    let t_1 = vec4u(f32_to_u32_3(in.v.xyz), f32_to_half(in.v.w));
    out.unsigned = t_1;
    out.halves = vec4f(
        half_to_f32(t_1.w),
        round(in.v.x),
        ldexp_exact(in.v.y, t.z),
        mantissa(in.v.z),
    );
    return out;
}

fn f32_to_i32_4(x: vec4f) -> vec4i {
    return vec4i(
        f32_to_i32(x.x),
        f32_to_i32(x.y),
        f32_to_i32(x.z),
        f32_to_i32(x.w),
    );
}

fn f32_to_i32(x: f32) -> i32 {
    let near = select(i32(x), 2147483647, x >= 2147483648.0);
    return select(near, 0, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

fn f32_to_u32_3(x: vec3f) -> vec3u {
    return vec3u(
        f32_to_u32(x.x),
        f32_to_u32(x.y),
        f32_to_u32(x.z),
    );
}

fn f32_to_u32(x: f32) -> u32 {
    let near = select(u32(x), 0xffffffffu, x >= 4294967296.0);
    return select(near, 0u, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

fn f32_to_half(x: f32) -> u32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let infinity = ((bitcast<u32>(x) >> 16u) & 0x8000u) | 0x7c00u;
    let half = select(pack2x16float(vec2f(x, 0.0)), infinity, magnitude >= 0x477ff000u);
    return select(half, 0x7e00u, magnitude > 0x7f800000u);
}

fn half_to_f32(x: u32) -> f32 {
    return unpack2x16float(x).x;
}

fn mantissa(x: f32) -> f32 {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    if (bits > 0x7f800000u) {
        return x;
    }
    if (bits == 0u || bits == 0x7f800000u) {
        return 1.0;
    }
    let shift = select(0u, 23u - firstLeadingBit(bits), bits < 0x00800000u);
    return bitcast<f32>(((bits << shift) & 0x007fffffu) | 0x3f800000u);
}

fn ldexp_exact(x: f32, n: i32) -> f32 {
    var value = x;
    var left = clamp(n, -400, 400);
    while (left > 127) {
        value = value * 0x1p+127;
        left = left - 127;
    }
    // By less than a denormal can lose, so that only the last step rounds.
    while (left < -126) {
        value = value * 0x1p-102;
        left = left + 102;
    }
    return value * bitcast<f32>(u32(left + 127) << 23u);
}
