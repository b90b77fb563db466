#version 430 core

layout(std140, binding = 0) uniform Fragment_c {
    vec4 c[8];
};

layout(std140, binding = 1) uniform Fragment_i {
    ivec4 i[3];
};

layout(std140, binding = 2) uniform Fragment_b {
    uvec4 b[1];
};

layout(location = 0) in vec4 v;
layout(location = 1) flat in ivec4 n;

layout(location = 0) out vec4 o;

void main() {
    o = vec4(0.0);
    vec4 t = (clamp(n.x, 2, 9) == n.x ? c[clamp(n.x, 2, 9) - 2] : vec4(0.0));
    if (any(notEqual(b[0], uvec4(0u)))) {
        o = mix(t, c[clamp(n.x + i[2].x, -1, 6) + 1], notEqual(b[0], uvec4(0u)));
    } else {
        o = v;
    }
}
