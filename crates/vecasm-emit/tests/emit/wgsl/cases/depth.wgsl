struct FragmentInput {
    @location(0) v: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4f,
}

@group(1) @binding(16) var shadow: texture_depth_2d;
@group(1) @binding(48) var shadow_sampler: sampler_comparison; // state left to the host
@group(1) @binding(17) var shadows: texture_depth_2d_array;
@group(1) @binding(49) var shadows_sampler: sampler_comparison; // state left to the host
@group(1) @binding(18) var plain: texture_2d<f32>;
@group(1) @binding(50) var plain_sampler: sampler; // state left to the host

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = textureSampleCompare(shadow, shadow_sampler, in.v.xy, in.v.z);
    out.o = vec4f(t + textureSampleCompareLevel(shadows, shadows_sampler, in.v.xy, i32(floor(in.v.z + 0.5)), in.v.w));
    out.p = textureGatherCompare(shadow, shadow_sampler, in.v.xy, in.v.z) + textureGather(2, plain, plain_sampler, in.v.xy, vec2i(-8, 7));
    return out;
}
