struct FragmentInput {
    @location(0) v0: vec4f,
    @location(1) v1: vec4f,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;
@group(1) @binding(16) var fs0: texture_2d<f32>;
@group(1) @binding(48) var fs0_sampler: sampler; // repeat, linear, level 0 only

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    let ft0 = textureSample(fs0, fs0_sampler, in.v0.xy);
    return vec4f(in.v0.x, in.v1.y, in.v0.z, ft0.w) * fc[0];
}
