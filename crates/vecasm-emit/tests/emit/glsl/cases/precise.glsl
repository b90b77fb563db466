#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    precise vec4 t = v * v.y;
    precise vec4 t_1 = t + v.wzyx;
    o = t_1 * v.x;
}
