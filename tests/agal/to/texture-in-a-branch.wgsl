struct FragmentInput {
    @location(0) v0: vec4f,
    @location(1) v1: vec4f,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 2>;
@group(1) @binding(16) var fs0: texture_2d<f32>;
@group(1) @binding(48) var fs0_sampler: sampler; // clamp, linear, between levels

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    return select(fc[0], textureSample(fs0, fs0_sampler, in.v1.xy), in.v0.x < fc[1].x);
}
