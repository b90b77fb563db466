struct FragmentInput {
    @location(0) v0: vec4f,
    @location(1) v1: vec4f,
    @location(2) v2: vec4f,
    @location(3) @interpolate(flat) n: i32,
}

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    var v1_array = array<vec4f, 2>(in.v1, in.v2);
    var v0_array = array<vec4f, 3>(in.v0, in.v1, in.v2);
    let t = select(vec4f(), v0_array[clamp(in.n, -1, 1) + 1], clamp(in.n, -1, 1) == in.n);
    let t_1 = select(vec4f(), v1_array[clamp(in.n, 1, 2) - 1], clamp(in.n, 1, 2) == in.n);
    return (v0_array[clamp(in.n, 0, 2)] + t) * t_1;
}
