#version 310 es
#extension GL_NV_shader_noperspective_interpolation : require

precision highp float;
precision highp int;

layout(location = 0) noperspective centroid in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    o = v;
}
