#version 130

uniform sampler1D line;
uniform usampler2D sheet;
uniform sampler2DShadow shade;

in vec4 varying_0;

out vec4 o;

void main() {
    uvec4 t = uvec4(uvec2(textureSize(sheet, 0)), 0u, 0u);
    uvec4 t_1 = uvec4(uvec2(textureSize(shade, 0)), 0u, 0u);
    vec4 t_2 = texture(line, varying_0.x);
    uvec4 t_3 = texture(sheet, varying_0.zw / vec2(t.xy));
    vec2 t_4 = varying_0.zw / vec2(t_1.xy);
    o = t_2 + vec4(t_3) + texture(shade, vec3(t_4, varying_0.y));
}
