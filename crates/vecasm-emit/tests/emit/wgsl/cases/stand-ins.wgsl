struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) @interpolate(flat) n: vec4i,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4f,
    @location(2) q: vec4u,
    @location(3) r: vec4u,
}

@group(1) @binding(16) var line: texture_2d<f32>;
@group(1) @binding(48) var line_sampler: sampler; // state left to the host
@group(1) @binding(17) var lines: texture_2d_array<f32>;
@group(1) @binding(49) var lines_sampler: sampler; // state left to the host
@group(1) @binding(18) var shade: texture_depth_2d;
@group(1) @binding(50) var shade_sampler: sampler_comparison; // state left to the host
@group(1) @binding(19) var sheet: texture_2d<f32>;
@group(1) @binding(51) var sheet_sampler: sampler; // state left to the host
@group(1) @binding(20) var sky: texture_2d_array<f32>;
@group(1) @binding(52) var sky_sampler: sampler; // state left to the host
@group(1) @binding(21) var skies: texture_2d_array<u32>;

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    let t = vec4u(textureDimensions(sheet, 0), 0u, 0u);
    let t_1 = vec2f(t.xy);
    let t_2 = textureSampleLevel(line, line_sampler, vec2f(in.v.x, 0.5), in.v.y, vec2i(-3, 0));
    let t_3 = vec3f(in.v.x, 0.5, in.v.y);
    let t_4 = vec2f(in.v.z, 0.0);
    let t_5 = textureSampleGrad(lines, lines_sampler, t_3.xy, i32(floor(t_3.z + 0.5)), t_4, vec2f(in.v.w, 0.0));
    let t_6 = fetch_2d(line, vec2i(in.n.x, 0), in.n.y);
    let t_7 = vec3i(in.n.x, 0, in.n.y);
    let t_8 = textureSampleCompare(shade, shade_sampler, vec2f(in.v.x, 0.5), in.v.w);
    let t_9 = textureSample(sheet, sheet_sampler, in.v.xy / t_1);
    let t_10 = in.v.xy / t_1;
    let t_11 = textureSampleGrad(sheet, sheet_sampler, t_10, in.v.zw / t_1, in.v.yx / t_1);
    out.o = t_2 + t_5 + (t_6 + fetch_2d_array(lines, vec3i(t_7.xy + vec2i(-3, 0), t_7.z), in.n.z));
    out.p = t_8 + t_9 + (t_11 + fetch_2d_array(sky, in.n.xyz, in.n.w));
    out.q = fetch_2d_array_u32(skies, in.n.xyz, in.n.w);
    let t_12 = vec4u(textureDimensions(line, 0), 0u, textureNumLevels(line));
    let t_13 = vec4u(t_12.x, t_12.z, 0u, t_12.w);
    let t_14 = vec4u(textureDimensions(lines, 0), textureNumLayers(lines), textureNumLevels(lines));
    let t_15 = vec4u(t_14.x, t_14.z, 0u, t_14.w);
    let t_16 = vec4u(select(vec2u(), textureDimensions(sky, in.n.x), u32(in.n.x) < textureNumLevels(sky)), select(0u, textureNumLayers(sky), u32(in.n.x) < textureNumLevels(sky)), textureNumLevels(sky));
    let t_17 = vec4u(t_16.xy, 0u, t_16.w);
    let t_18 = vec4u(textureDimensions(skies, 0), textureNumLayers(skies), textureNumLevels(skies));
    out.r = t_13 + t_15 + (t_17 + vec4u(t_18.xy, t_18.z / 6u, t_18.w));
    return out;
}

fn fetch_2d(texels: texture_2d<f32>, place: vec2i, level: i32) -> vec4f {
    if (u32(level) >= textureNumLevels(texels) || any(vec2u(place) >= textureDimensions(texels, level))) {
        return vec4f();
    }
    return textureLoad(texels, place, level);
}

fn fetch_2d_array(texels: texture_2d_array<f32>, place: vec3i, level: i32) -> vec4f {
    if (u32(level) >= textureNumLevels(texels) || any(vec2u(place.xy) >= textureDimensions(texels, level)) || u32(place.z) >= textureNumLayers(texels)) {
        return vec4f();
    }
    return textureLoad(texels, place.xy, place.z, level);
}

fn fetch_2d_array_u32(texels: texture_2d_array<u32>, place: vec3i, level: i32) -> vec4u {
    if (u32(level) >= textureNumLevels(texels) || any(vec2u(place.xy) >= textureDimensions(texels, level)) || u32(place.z) >= textureNumLayers(texels)) {
        return vec4u();
    }
    return textureLoad(texels, place.xy, place.z, level);
}
