#version 430 core

layout(location = 0) in vec4 v;
layout(location = 1) flat in ivec4 n;

layout(location = 0) out vec4 o;
layout(location = 1) out ivec4 p;

void main() {
    vec4 TEMP_1[4];
    for (int i = 0; i < 4; i++) {
        TEMP_1[i] = vec4(0.0);
    }
    ivec4 counts[3];
    for (int i_1 = 0; i_1 < 3; i_1++) {
        counts[i_1] = ivec4(0);
    }
    TEMP_1[0] = v;
    TEMP_1[3] = vec4(v.w, TEMP_1[3].y, v.y, TEMP_1[3].w);
    if (n.x >= -1 && n.x <= 2) {
        TEMP_1[n.x + 1] = v.wzyx;
    }
    int at = clamp(n.y, 0, 3);
    TEMP_1[at] = vec4(TEMP_1[at].x, v.x, TEMP_1[at].z, v.x);
    if (n.z >= 0 && n.z <= 2) {
        counts[n.z].x = n.w;
    }
    vec4 t = (clamp(n.z, 0, 3) == n.z ? TEMP_1[clamp(n.z, 0, 3)] : vec4(0.0));
    o = t + TEMP_1[clamp(n.w, 1, 4) - 1] - TEMP_1[3];
    ivec4 t_1 = counts[1];
    ivec4 t_2 = counts[2];
    counts[2] = t_1;
    p = t_1 + t_2;
}
