#version 430 core
#extension GL_ARB_shader_texture_image_samples : require

layout(local_size_x = 4, local_size_y = 1, local_size_z = 1) in;

layout(r32f, binding = 0) coherent uniform image2D both;
layout(rgba8, binding = 1) writeonly uniform image2DArray layers;
layout(r32ui, binding = 2) readonly uniform uimage1D line;
layout(r32ui, binding = 3) coherent uniform uimage2D counts;
layout(r32i, binding = 4) coherent uniform iimage3D signs;
layout(rgba16f, binding = 5) readonly uniform imageCube faces;
layout(r11f_g11f_b10f, binding = 6) readonly uniform imageCubeArray cubes;
layout(rgba32i, binding = 7) coherent uniform iimage2DMS samples;
layout(binding = 8) writeonly uniform image2D swapped;
layout(rgb10_a2ui, binding = 9) readonly uniform uimageBuffer words;

vec4 load_both(ivec2 at) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(both))))) {
        return vec4(0.0, 0.0, 0.0, 1.0);
    }
    return imageLoad(both, at);
}

void store_both(ivec2 at, vec4 texel) {
    imageStore(both, at, texel);
}

void store_layers(ivec3 at, vec4 texel) {
    imageStore(layers, at, texel);
}

uvec4 size_layers() {
    return uvec4(uvec3(imageSize(layers)), 1u);
}

uvec4 load_line(int at) {
    if (uint(at) >= uint(imageSize(line))) {
        return uvec4(0, 0, 0, 1);
    }
    return imageLoad(line, at);
}

uint add_counts(ivec2 at, uint value) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(counts))))) {
        return 0u;
    }
    return imageAtomicAdd(counts, at, value);
}

uint imax_counts(ivec2 at, uint value) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(counts))))) {
        return 0u;
    }
    uint old = uint(imageLoad(counts, at).x);
    for (;;) {
        uint tried = imageAtomicCompSwap(counts, at, old, uint(max(int(old), int(value))));
        if (tried == old) {
            break;
        }
        old = tried;
    }
    return old;
}

uint compare_exchange_counts(ivec2 at, uint value, uint other) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(counts))))) {
        return 0u;
    }
    return imageAtomicCompSwap(counts, at, value, other);
}

uint dec_wrap_counts(ivec2 at, uint value) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(counts))))) {
        return 0u;
    }
    uint old = uint(imageLoad(counts, at).x);
    for (;;) {
        uint tried = imageAtomicCompSwap(counts, at, old, (old == 0u || old > value ? value : old - 1u));
        if (tried == old) {
            break;
        }
        old = tried;
    }
    return old;
}

uint umin_signs(ivec3 at, uint value) {
    if (any(greaterThanEqual(uvec3(at), uvec3(imageSize(signs))))) {
        return 0u;
    }
    uint old = uint(imageLoad(signs, at).x);
    for (;;) {
        uint tried = uint(imageAtomicCompSwap(signs, at, int(old), int(min(old, value))));
        if (tried == old) {
            break;
        }
        old = tried;
    }
    return old;
}

uint imin_signs(ivec3 at, uint value) {
    if (any(greaterThanEqual(uvec3(at), uvec3(imageSize(signs))))) {
        return 0u;
    }
    return uint(imageAtomicMin(signs, at, int(value)));
}

vec4 load_faces(ivec3 at) {
    if (any(greaterThanEqual(uvec3(at), uvec3(imageSize(faces), 6)))) {
        return vec4(0.0);
    }
    return imageLoad(faces, at);
}

vec4 load_cubes(ivec3 at) {
    if (any(greaterThanEqual(uvec3(at), uvec3(imageSize(cubes) * ivec3(1, 1, 6))))) {
        return vec4(0.0, 0.0, 0.0, 1.0);
    }
    return imageLoad(cubes, at);
}

uvec4 size_cubes() {
    return uvec4(uvec3(imageSize(cubes)), 1u);
}

ivec4 load_samples(ivec2 at, int sample_index) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(samples)))) || uint(sample_index) >= uint(imageSamples(samples))) {
        return ivec4(0);
    }
    return imageLoad(samples, at, sample_index);
}

void store_samples(ivec2 at, int sample_index, ivec4 texel) {
    if (!(uint(sample_index) >= uint(imageSamples(samples)))) {
        imageStore(samples, at, sample_index, texel);
    }
}

uvec4 size_samples() {
    return uvec4(uvec2(imageSize(samples)), 0u, uint(imageSamples(samples)));
}

void store_swapped(ivec2 at, vec4 texel) {
    imageStore(swapped, at, texel);
}

uvec4 load_words(int at) {
    if (uint(at) >= uint(imageSize(words))) {
        return uvec4(0);
    }
    return imageLoad(words, at);
}

void main() {
    ivec3 t = ivec3(gl_LocalInvocationID);
    vec4 t_1 = load_both(t.xy);
    store_both(t.zy, t_1);
    memoryBarrier();
    store_layers(t, t_1);
    uvec2 t_2 = load_line(t.x).xy + size_layers().xy;
    uint t_3 = add_counts(t.xy, t_2.x);
    uint t_4 = compare_exchange_counts(t.xy, t_3, t_2.y);
    uint t_5 = umin_signs(t, t_4);
    uint t_6 = imin_signs(t, t_5);
    uint t_7 = dec_wrap_counts(t.yx, t_6);
    uint t_8 = imax_counts(t.yx, t_7);
    vec4 t_9 = load_faces(t);
    vec4 t_10 = load_cubes(t);
    store_samples(t.yx, t.z, load_samples(t.xy, t.z));
    uvec4 t_11 = size_samples();
    uvec4 t_12 = size_cubes();
    uvec4 t_13 = load_words(t.x);
    vec4 t_14 = vec4(t_11 + t_12 + t_13) + (t_9 + t_10) + float(t_8);
    store_layers(t.zyx, t_14);
    store_swapped(t.xy, t_14);
}
