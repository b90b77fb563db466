#version 320 es

precision highp float;
precision highp int;

layout(binding = 0) uniform highp sampler2D line;
layout(binding = 1) uniform highp sampler2DArrayShadow lines;
layout(binding = 2) uniform highp sampler2D sheet;
layout(binding = 3) uniform highp sampler2DArray sky;

layout(location = 0) in vec4 v;
layout(location = 1) flat in ivec4 n;

layout(location = 0) out vec4 o;

vec4 fetch_2d_array(highp sampler2DArray texels, ivec3 place, int level) {
    if (uint(level) >= uint(1) || any(greaterThanEqual(uvec3(place), uvec3(textureSize(texels, level))))) {
        return vec4(0);
    }
    return texelFetch(texels, place, level);
}

void main() {
    uvec4 t = uvec4(uvec2(textureSize(sheet, 0)), 0u, 0u);
    vec4 t_1 = texture(line, vec2(v.x, 0.5), v.y);
    vec3 t_2 = vec3(v.x, 0.5, v.y);
    float t_3 = texture(lines, vec4(t_2, v.z));
    vec4 t_4 = texture(sheet, v.zw / vec2(t.xy));
    uvec4 t_5 = uvec4(uvec2(textureSize(line, 0)), 0u, 0u);
    o = vec4(vec3(uvec2(t_5.x, t_5.z).xyx), t_1.w + t_3 + (t_4.w + fetch_2d_array(sky, n.xyz, 0).w));
}
