struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) w: vec4f,
}

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    let t = in.v < in.w;
    let t_1 = t.z != ((t.x && t.y) || in.v.x >= in.w.y);
    return vec4f(select(in.w.x, sum_4(in.v), t_1 && (all(t) || any(t.xy))), vec3f(t.xyz != t.wzy));
}

fn sum_4(v: vec4f) -> f32 {
    return v.x + v.y + v.z + v.w;
}
