struct FragmentInput {
    @location(0) v0: vec4f,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    if (in.v0.w - fc[0].w < 0.0) {
        discard;
    }
    return dpdxFine(in.v0) + dpdyFine(in.v0);
}
