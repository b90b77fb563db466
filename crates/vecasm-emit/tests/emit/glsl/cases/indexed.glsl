#version 430 core

layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler2D b;
layout(binding = 2) uniform sampler2D c;

layout(location = 0) in vec4 v;
layout(location = 1) flat in uvec4 n;

layout(location = 0) out vec4 o;
layout(location = 1) out uvec4 p;

void main() {
    vec4 t = texture(c, v.xy);
    vec4 t_1 = n.x == 2u ? t : vec4(0.0, 0.0, 0.0, 1.0);
    vec4 t_2 = texture(b, v.xy);
    vec4 t_3 = texture(a, v.xy);
    o = n.x == 0u ? t_3 : (n.x == 1u ? t_2 : t_1);
    uvec4 t_4 = uvec4(uvec2(textureSize(c, 0)), 0u, 0u);
    uvec4 t_5 = uvec4(uvec2(textureSize(b, 0)), 0u, 0u);
    p = uvec4(n.y == 0u ? t_5.xy : (n.y == 1u ? t_4.xy : uvec2(0u)), 0u, 0u);
}
