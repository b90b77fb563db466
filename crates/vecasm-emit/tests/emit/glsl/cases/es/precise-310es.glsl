#version 310 es
#extension GL_EXT_gpu_shader5 : require

precision highp float;
precision highp int;

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    precise vec4 t = v * v.y;
    precise vec4 t_1 = t + v.wzyx;
    o = t_1 * v.x;
}
