#version 430 core

layout(binding = 0) uniform sampler2D t;

layout(location = 0) in vec4 v;
layout(location = 1) flat in ivec4 n;

layout(location = 0) out vec4 o;

void main() {
    o = textureGatherOffset(t, v.xy, n.xy, 1);
}
