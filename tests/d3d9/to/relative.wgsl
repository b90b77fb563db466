struct VertexInput {
    @location(0) v0: vec4f,
    @location(1) v1: vec4f,
}

struct VertexConstants_b {
    Flag: vec4u, // b0
}

@group(0) @binding(0) var<uniform> c: array<vec4f, 256>;
@group(0) @binding(1) var<uniform> b: VertexConstants_b;

@vertex
fn main(in: VertexInput) -> @builtin(position) vec4f {
    let a0 = f32_to_i32(round(in.v1.x));
    let r0 = select(vec4f(), c[clamp(a0, -4, 251) + 4], clamp(a0, -4, 251) == a0);
    var r0_1 = r0;
    if ((b.Flag != vec4u(0u)).x) {
        r0_1 = r0 + in.v0;
    }
    return vec4f(dot_zero_wins_4(r0_1, c[0]), r0_1.yzw);
}

fn dot_zero_wins_4(a: vec4f, b: vec4f) -> f32 {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z) + mul_zero_wins(a.w, b.w);
}

fn f32_to_i32(x: f32) -> i32 {
    let near = select(i32(x), 2147483647, x >= 2147483648.0);
    return select(near, 0, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

fn mul_zero_wins(a: f32, b: f32) -> f32 {
    return select(a * b, 0.0, a == 0.0 || b == 0.0);
}
