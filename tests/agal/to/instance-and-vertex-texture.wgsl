struct VertexInput {
    @location(0) va0: vec4f,
    @builtin(instance_index) iid: u32,
}

@group(0) @binding(0) var<uniform> vc: array<vec4f, 1>;
@group(0) @binding(16) var vs0: texture_2d<f32>;
@group(0) @binding(48) var vs0_sampler: sampler; // clamp, nearest, level 0 only

@vertex
fn main(in: VertexInput) -> @builtin(position) vec4f {
    return textureSampleLevel(vs0, vs0_sampler, in.va0.xy, 0.0) + f32(in.iid) * vc[0];
}
