#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    o = vec4(dFdx(v.xy), -dFdy(v.zw));
}
