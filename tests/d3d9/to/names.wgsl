struct FragmentInput {
    @location(2) texcoord: vec4f,
}

struct FragmentConstants_c {
    AlphaTest: vec4f, // c0
    World: array<vec4f, 4>, // c1 to c4
    c5: vec4f,
    input: vec4f, // c6
    float: vec4f, // c7
}

@group(1) @binding(0) var<uniform> c: FragmentConstants_c;
@group(1) @binding(16) var Albedo: texture_2d<f32>;
@group(1) @binding(48) var Albedo_sampler: sampler; // state left to the host

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    let r1 = mul_zero_wins_4(textureSample(Albedo, Albedo_sampler, in.texcoord.xy) * 0.5, c.AlphaTest);
    let r2 = dot_zero_wins_4(r1, c.World[0]);
    let r2_1 = dot_zero_wins_4(r1, c.World[2]);
    return vec4f(vec2f(r2, r2_1) * vec2f(2.0, 1.0) + c.c5.xy, r1.zw) + c.input + c.float;
}

fn dot_zero_wins_4(a: vec4f, b: vec4f) -> f32 {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z) + mul_zero_wins(a.w, b.w);
}

fn mul_zero_wins_4(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(
        mul_zero_wins(a.x, b.x),
        mul_zero_wins(a.y, b.y),
        mul_zero_wins(a.z, b.z),
        mul_zero_wins(a.w, b.w),
    );
}

fn mul_zero_wins(a: f32, b: f32) -> f32 {
    return select(a * b, 0.0, a == 0.0 || b == 0.0);
}
