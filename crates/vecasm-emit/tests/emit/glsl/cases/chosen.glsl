#version 430 core

layout(binding = 0) uniform sampler2D flat_1;
layout(binding = 1) uniform sampler2D other;

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;
layout(location = 1) out vec4 p;
layout(location = 2) out vec4 q;

void main() {
    bool t = v.x < v.y;
    vec4 t_1 = texture(flat_1, v.xy);
    o = t ? t_1 : v;
    p = t ? textureLod(other, v.xy, v.z) : v;
    bool t_2 = dFdx(v.z) + v.w < v.w;
    float t_3 = -dFdy(v.w);
    q = vec4(t && t_2 ? (t_3 < v.w ? v.x : v.y) : v.z);
}
