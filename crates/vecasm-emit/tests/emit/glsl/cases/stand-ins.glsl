#version 430 core

layout(binding = 0) uniform sampler1D line;
layout(binding = 1) uniform sampler1DArray lines;
layout(binding = 2) uniform sampler1DShadow shade;
layout(binding = 3) uniform sampler2DRect sheet;
layout(binding = 4) uniform sampler2DArray sky;
layout(binding = 5) uniform usampler2DArray skies;

layout(location = 0) in vec4 v;
layout(location = 1) flat in ivec4 n;

layout(location = 0) out vec4 o;
layout(location = 1) out vec4 p;
layout(location = 2) out uvec4 q;
layout(location = 3) out uvec4 r;

vec4 fetch_1d(highp sampler1D texels, int place, int level) {
    if (uint(level) >= uint(textureQueryLevels(texels)) || uint(place) >= uint(textureSize(texels, level))) {
        return vec4(0);
    }
    return texelFetch(texels, place, level);
}

vec4 fetch_1d_array(highp sampler1DArray texels, ivec2 place, int level) {
    if (uint(level) >= uint(textureQueryLevels(texels)) || any(greaterThanEqual(uvec2(place), uvec2(textureSize(texels, level))))) {
        return vec4(0);
    }
    return texelFetch(texels, place, level);
}

vec4 fetch_2d_array(highp sampler2DArray texels, ivec3 place, int level) {
    if (uint(level) >= uint(textureQueryLevels(texels)) || any(greaterThanEqual(uvec3(place), uvec3(textureSize(texels, level))))) {
        return vec4(0);
    }
    return texelFetch(texels, place, level);
}

uvec4 fetch_2d_array_u32(highp usampler2DArray texels, ivec3 place, int level) {
    if (uint(level) >= uint(textureQueryLevels(texels)) || any(greaterThanEqual(uvec3(place), uvec3(textureSize(texels, level))))) {
        return uvec4(0);
    }
    return texelFetch(texels, place, level);
}

void main() {
    vec4 t = textureLodOffset(line, v.x, v.y, -3);
    vec4 t_1 = textureGrad(lines, v.xy, v.z, v.w);
    vec4 t_2 = fetch_1d(line, n.x, n.y);
    float t_3 = texture(shade, vec3(v.x, 0.0, v.w));
    vec4 t_4 = texture(sheet, v.xy);
    vec4 t_5 = textureGrad(sheet, v.xy, v.zw, v.yx);
    o = t + t_1 + (t_2 + fetch_1d_array(lines, ivec2(n.x + -3, n.y), n.z));
    p = t_3 + t_4 + (t_5 + fetch_2d_array(sky, n.xyz, n.w));
    q = fetch_2d_array_u32(skies, n.xyz, n.w);
    uvec4 t_6 = uvec4(uint(textureSize(line, 0)), 0u, 0u, uint(textureQueryLevels(line)));
    uvec4 t_7 = uvec4(uvec2(textureSize(lines, 0)), 0u, uint(textureQueryLevels(lines)));
    uvec4 t_8 = (uint(n.x) < uint(textureQueryLevels(sky)) ? uvec4(uvec3(textureSize(sky, n.x)), uint(textureQueryLevels(sky))) : uvec4(uvec3(0u), uint(textureQueryLevels(sky))));
    uvec4 t_9 = uvec4(t_8.xy, 0u, t_8.w);
    uvec4 t_10 = uvec4(uvec3(textureSize(skies, 0)), uint(textureQueryLevels(skies)));
    r = t_6 + t_7 + (t_9 + uvec4(t_10.xy, t_10.z / 6u, t_10.w));
}
