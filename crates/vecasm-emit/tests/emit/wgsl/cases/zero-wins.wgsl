struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) w: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) squares: vec4f,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    out.o = vec4f(
        mul_zero_wins_2(in.v.xy, in.w.xy),
        dot_zero_wins_3(in.v.xyz, in.w.xyz),
        fma_zero_wins(in.v.x, in.w.y, in.v.w),
    );
    out.squares = vec4f(
        in.v.w * in.v.w,
        dot(in.w.xyz, in.w.xyz),
        fma(in.w.w, in.w.w, in.v.x),
        mul_zero_wins(in.v.x, in.v.y),
    );
    return out;
}

fn dot_zero_wins_3(a: vec3f, b: vec3f) -> f32 {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z);
}

fn fma_zero_wins(a: f32, b: f32, c: f32) -> f32 {
    return select(fma(a, b, c), 0.0 + c, a == 0.0 || b == 0.0);
}

fn mul_zero_wins_2(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(
        mul_zero_wins(a.x, b.x),
        mul_zero_wins(a.y, b.y),
    );
}

fn mul_zero_wins(a: f32, b: f32) -> f32 {
    return select(a * b, 0.0, a == 0.0 || b == 0.0);
}
