#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    o = vec4(v.xy * vec2(gl_SamplePosition.x, 1.0 - gl_SamplePosition.y), v.zw);
}
