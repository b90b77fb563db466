struct FragmentInput {
    @location(0) v0: vec4f,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    let t = abs(in.v0);
    let ft1 = inverseSqrt(abs(in.v0));
    return sqrt(t) + ft1 + (pow(abs(in.v0), fc[0]) + log2(abs(in.v0)));
}
