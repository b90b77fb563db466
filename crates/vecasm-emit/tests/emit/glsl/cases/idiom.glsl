#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    o = vec4((v.xyz * inversesqrt(dot(v.xyz, v.xyz))).zyx, v.w);
}
