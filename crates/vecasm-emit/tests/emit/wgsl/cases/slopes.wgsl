struct FragmentInput {
    @location(0) v: vec4f,
}

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    return vec4f(dpdxFine(in.v.xy), dpdyFine(in.v.zw));
}
