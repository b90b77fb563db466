struct FragmentInput {
    @location(0) v: vec4f,
}

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    return vec4f((in.v.xyz * inverseSqrt(dot(in.v.xyz, in.v.xyz))).zyx, in.v.w);
}
