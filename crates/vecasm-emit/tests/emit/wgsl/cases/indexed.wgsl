struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) @interpolate(flat) n: vec2u,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4u,
}

@group(1) @binding(16) var a: texture_2d<f32>;
@group(1) @binding(48) var a_sampler: sampler; // state left to the host
@group(1) @binding(17) var b: texture_2d<f32>;
@group(1) @binding(49) var b_sampler: sampler; // state left to the host
@group(1) @binding(18) var c: texture_2d<f32>;
@group(1) @binding(50) var c_sampler: sampler; // state left to the host

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = select(vec4f(0.0, 0.0, 0.0, 1.0), textureSample(c, c_sampler, in.v.xy), in.n.x == 2u);
    let t_1 = select(t, textureSample(b, b_sampler, in.v.xy), in.n.x == 1u);
    out.o = select(t_1, textureSample(a, a_sampler, in.v.xy), in.n.x == 0u);
    let t_2 = vec4u(textureDimensions(c, 0), 0u, 0u);
    let t_3 = vec4u(textureDimensions(b, 0), 0u, 0u);
    out.p = vec4u(select(select(vec2u(0u), t_2.xy, in.n.y == 1u), t_3.xy, in.n.y == 0u), 0u, 0u);
    return out;
}
