struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) w: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4f,
    @location(2) q: vec4f,
}

@group(1) @binding(16) var flat: texture_2d<f32>;
@group(1) @binding(48) var flat_sampler: sampler; // state left to the host
@group(1) @binding(17) var stack: texture_2d_array<f32>;
@group(1) @binding(49) var stack_sampler: sampler; // state left to the host
@group(1) @binding(18) var volume: texture_3d<f32>;
@group(1) @binding(50) var volume_sampler: sampler; // state left to the host
@group(1) @binding(19) var sky: texture_cube<f32>;
@group(1) @binding(51) var sky_sampler: sampler; // state left to the host
@group(1) @binding(20) var skies: texture_cube_array<f32>;
@group(1) @binding(52) var skies_sampler: sampler; // state left to the host
@group(1) @binding(21) var line: texture_1d<f32>;
@group(1) @binding(53) var line_sampler: sampler; // state left to the host

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = textureSampleBias(flat, flat_sampler, in.v.xy, in.w.x);
    let t_1 = textureSampleLevel(stack, stack_sampler, in.v.xy, i32(floor(in.v.z + 0.5)), in.w.y);
    let t_2 = textureSample(flat, flat_sampler, in.v.zw, vec2i(1, -2));
    out.o = t + t_1 + textureSampleGrad(volume, volume_sampler, in.v.xyz, in.w.xyz, in.w.wzy);
    out.p = t_2 + textureSampleBias(sky, sky_sampler, in.v.xyz, -1.5);
    out.q = textureSample(skies, skies_sampler, in.v.xyz, i32(floor(in.v.w + 0.5))) + textureSample(line, line_sampler, in.v.x);
    return out;
}
