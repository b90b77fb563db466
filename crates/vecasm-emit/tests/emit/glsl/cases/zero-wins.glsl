#version 430 core

layout(location = 0) in vec4 v;
layout(location = 1) in vec4 w;

layout(location = 0) out vec4 o;
layout(location = 1) out vec4 squares;

float mul_zero_wins(float a, float b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

vec2 mul_zero_wins_2(vec2 a, vec2 b) {
    return vec2(
        mul_zero_wins(a.x, b.x),
        mul_zero_wins(a.y, b.y)
    );
}

float fma_zero_wins(float a, float b, float c) {
    return a == 0.0 || b == 0.0 ? 0.0 + c : fma(a, b, c);
}

float dot_zero_wins_3(vec3 a, vec3 b) {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z);
}

void main() {
    o = vec4(
        mul_zero_wins_2(v.xy, w.xy),
        dot_zero_wins_3(v.xyz, w.xyz),
        fma_zero_wins(v.x, w.y, v.w)
    );
    squares = vec4(v.w * v.w, dot(w.xyz, w.xyz), fma(w.w, w.w, v.x), mul_zero_wins(v.x, v.y));
}
