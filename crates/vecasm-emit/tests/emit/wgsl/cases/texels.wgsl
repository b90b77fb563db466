struct FragmentInput {
    @location(0) @interpolate(flat) n: vec4i,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4u,
    @location(2) q: vec4u,
    @location(3) r: vec4u,
}

@group(1) @binding(16) var flat: texture_2d<f32>;
@group(1) @binding(48) var flat_sampler: sampler; // state left to the host
@group(1) @binding(17) var stack: texture_2d_array<u32>;
@group(1) @binding(18) var volume: texture_3d<f32>;
@group(1) @binding(50) var volume_sampler: sampler; // state left to the host
@group(1) @binding(19) var samples: texture_multisampled_2d<f32>;
@group(1) @binding(20) var shadow: texture_depth_2d;
@group(1) @binding(52) var shadow_sampler: sampler_comparison; // state left to the host

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = fetch_2d(flat, in.n.xy, in.n.z);
    let t_1 = fetch_3d(volume, in.n.xyz, in.n.w);
    let t_2 = fetch_2d_ms(samples, in.n.xy, in.n.z);
    out.o = t + t_1 + (t_2 + fetch_depth_2d(shadow, in.n.xy, 0));
    out.p = fetch_2d_array_u32(stack, vec3i(in.n.xy + vec2i(1, -1), in.n.z), in.n.w);
    let t_3 = vec4u(textureDimensions(flat, 0), 0u, textureNumLevels(flat));
    let t_4 = vec4u(select(vec2u(), textureDimensions(stack, in.n.x), u32(in.n.x) < textureNumLevels(stack)), select(0u, textureNumLayers(stack), u32(in.n.x) < textureNumLevels(stack)), textureNumLevels(stack));
    out.q = t_3 + t_4;
    let t_5 = vec4u(select(vec2u(), textureDimensions(samples), u32(in.n.y) < 1u), 0u, 1u);
    out.r = vec4u(textureNumSamples(samples), 1u, t_5.xw);
    return out;
}

fn fetch_2d(texels: texture_2d<f32>, place: vec2i, level: i32) -> vec4f {
    if (u32(level) >= textureNumLevels(texels) || any(vec2u(place) >= textureDimensions(texels, level))) {
        return vec4f();
    }
    return textureLoad(texels, place, level);
}

fn fetch_3d(texels: texture_3d<f32>, place: vec3i, level: i32) -> vec4f {
    if (u32(level) >= textureNumLevels(texels) || any(vec3u(place) >= textureDimensions(texels, level))) {
        return vec4f();
    }
    return textureLoad(texels, place, level);
}

fn fetch_2d_ms(texels: texture_multisampled_2d<f32>, place: vec2i, sample: i32) -> vec4f {
    if (u32(sample) >= textureNumSamples(texels) || any(vec2u(place) >= textureDimensions(texels))) {
        return vec4f();
    }
    return textureLoad(texels, place, sample);
}

fn fetch_depth_2d(texels: texture_depth_2d, place: vec2i, level: i32) -> vec4f {
    if (u32(level) >= textureNumLevels(texels) || any(vec2u(place) >= textureDimensions(texels, level))) {
        return vec4f();
    }
    return vec4f(textureLoad(texels, place, level), 0.0, 0.0, 1.0);
}

fn fetch_2d_array_u32(texels: texture_2d_array<u32>, place: vec3i, level: i32) -> vec4u {
    if (u32(level) >= textureNumLevels(texels) || any(vec2u(place.xy) >= textureDimensions(texels, level)) || u32(place.z) >= textureNumLayers(texels)) {
        return vec4u();
    }
    return textureLoad(texels, place.xy, place.z, level);
}
