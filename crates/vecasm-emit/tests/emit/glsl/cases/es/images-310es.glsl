#version 310 es
#extension GL_OES_shader_image_atomic : require

precision highp float;
precision highp int;

layout(r32ui, binding = 0) uniform highp uimage2D both;
layout(rgba8, binding = 1) writeonly uniform highp image2DArray layers;
layout(rgba16f, binding = 2) readonly uniform highp image3D pair;

layout(location = 0) flat in ivec4 n;

layout(location = 0) out vec4 o;

uint xor_both(ivec2 at, uint value) {
    if (any(greaterThanEqual(uvec2(at), uvec2(imageSize(both))))) {
        return 0u;
    }
    return imageAtomicXor(both, at, value);
}

void store_layers(ivec3 at, vec4 texel) {
    imageStore(layers, at, texel);
}

uvec4 size_layers() {
    return uvec4(uvec3(imageSize(layers)), 1u);
}

vec4 load_pair(ivec3 at) {
    if (any(greaterThanEqual(uvec3(at), uvec3(imageSize(pair))))) {
        return vec4(0.0);
    }
    return imageLoad(pair, at);
}

void main() {
    uint t = xor_both(n.xy, uint(n.x));
    store_layers(n.xyz, vec4(n));
    o = load_pair(n.xyz) + vec4(size_layers()) + float(t);
}
