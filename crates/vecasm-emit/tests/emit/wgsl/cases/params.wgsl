struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) @interpolate(flat) n: i32,
}

@group(1) @binding(0) var<uniform> c: array<vec4f, 8>;
@group(1) @binding(1) var<uniform> i: array<vec4i, 3>;
@group(1) @binding(2) var<uniform> b: array<vec4u, 1>;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    var o: vec4f;
    let t = select(vec4f(), c[clamp(in.n, 2, 9) - 2], clamp(in.n, 2, 9) == in.n);
    if (any(b[0] != vec4u(0u))) {
        o = select(t, c[clamp(in.n + i[2].x, -1, 6) + 1], b[0] != vec4u(0u));
    } else {
        o = in.v;
    }
    return o;
}
