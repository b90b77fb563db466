#version 430 core

layout(std140, binding = 0) uniform Fragment_c {
    vec4 AlphaTest; // c0
    vec4 World[4]; // c1 to c4
    vec4 c5;
    vec4 input_1; // c6
    vec4 float_1; // c7
};

layout(binding = 0) uniform sampler2D Albedo;

layout(location = 2) in vec4 texcoord;

layout(location = 0) out vec4 oC0;

float mul_zero_wins(float a, float b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

vec4 mul_zero_wins_4(vec4 a, vec4 b) {
    return vec4(
        mul_zero_wins(a.x, b.x),
        mul_zero_wins(a.y, b.y),
        mul_zero_wins(a.z, b.z),
        mul_zero_wins(a.w, b.w)
    );
}

float dot_zero_wins_4(vec4 a, vec4 b) {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z) + mul_zero_wins(a.w, b.w);
}

void main() {
    vec4 r1 = mul_zero_wins_4(texture(Albedo, texcoord.xy) * 0.5, AlphaTest);
    float r2 = dot_zero_wins_4(r1, World[0]);
    float r2_1 = dot_zero_wins_4(r1, World[2]);
    oC0 = vec4(vec2(r2, r2_1) * vec2(2.0, 1.0) + c5.xy, r1.zw) + input_1 + float_1;
}
