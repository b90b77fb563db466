#version 430 core

layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) in vec4 v2;
layout(location = 3) flat in ivec4 n;

layout(location = 0) out vec4 o;

void main() {
    vec4 v1_array[2] = vec4[2](v1, v2);
    vec4 v0_array[3] = vec4[3](v0, v1, v2);
    vec4 t = (clamp(n.x, -1, 1) == n.x ? v0_array[clamp(n.x, -1, 1) + 1] : vec4(0.0));
    vec4 t_1 = (clamp(n.x, 1, 2) == n.x ? v1_array[clamp(n.x, 1, 2) - 1] : vec4(0.0));
    o = (v0_array[clamp(n.x, 0, 2)] + t) * t_1;
}
