#version 430 core

layout(location = 0) in vec4 v;
layout(location = 1) in vec4 w;

layout(location = 0) out vec4 o;

float sum_4(vec4 v) {
    return v.x + v.y + v.z + v.w;
}

void main() {
    bvec4 t = lessThan(v, w);
    bool t_1 = t.z != ((t.x && t.y) || v.x >= w.y);
    o = vec4((t_1 && (all(t) || any(t.xy)) ? sum_4(v) : w.x), vec3(notEqual(t.xyz, t.wzy)));
}
