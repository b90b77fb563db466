#version 430 core

layout(location = 0) in vec4 a;
layout(location = 1) in ivec4 n;

layout(location = 0) out vec4 o1;
layout(location = 1) out vec4 o2;
layout(location = 2) out vec4 o3;

void main() {
    vec4 o1_array[3];
    for (int i = 0; i < 3; i++) {
        o1_array[i] = vec4(0.0);
    }
    o1_array[0] = vec4(0.0);
    o1_array[1] = vec4(0.0, 0.0, 0.0, 1.0);
    o1_array[2] = vec4(0.0);
    gl_Position = a;
    o1_array[2].w = a.x;
    int at = clamp(n.x, 0, 2);
    o1_array[at] = vec4(a.zw, o1_array[at].zw);
    if (n.y >= 1 && n.y <= 2) {
        o1_array[n.y] = a;
    }
    vec4 t = (clamp(n.y, 0, 1) == n.y ? o1_array[clamp(n.y, 0, 1)] : vec4(0.0));
    o1_array[0].z = t.x;
    o1 = o1_array[0];
    o2 = o1_array[1];
    o3 = o1_array[2];
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
