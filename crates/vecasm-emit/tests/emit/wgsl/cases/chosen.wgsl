struct FragmentInput {
    @location(0) v: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4f,
    @location(2) q: vec4f,
}

@group(1) @binding(16) var flat: texture_2d<f32>;
@group(1) @binding(48) var flat_sampler: sampler; // state left to the host
@group(1) @binding(17) var other: texture_2d<f32>;
@group(1) @binding(49) var other_sampler: sampler; // state left to the host

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = in.v.x < in.v.y;
    out.o = select(in.v, textureSample(flat, flat_sampler, in.v.xy), t);
    out.p = select(in.v, textureSampleLevel(other, other_sampler, in.v.xy, in.v.z), t);
    let t_1 = dpdxFine(in.v.z) + in.v.w < in.v.w;
    let t_2 = dpdyFine(in.v.w);
    out.q = vec4f(select(in.v.z, select(in.v.y, in.v.x, t_2 < in.v.w), t && t_1));
    return out;
}
