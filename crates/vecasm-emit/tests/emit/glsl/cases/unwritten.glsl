#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;
layout(location = 1) out vec4 p;
layout(location = 2) out vec4 q;

void main() {
    p = vec4(0.0, 0.0, 0.0, 1.0);
    q = vec4(0.0);
    o = v;
}
