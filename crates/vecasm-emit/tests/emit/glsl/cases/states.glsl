#version 430 core

layout(std140, binding = 7) uniform Fragment_state {
    vec4 bump_matrix_1;
    vec4 fog;
    uvec4 two_sided;
    uvec4 count;
};

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    o = (two_sided.x != 0u ? v * bump_matrix_1 : v) * (fog.x * float(count.y));
}
