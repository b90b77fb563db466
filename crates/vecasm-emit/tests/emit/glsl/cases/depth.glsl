#version 430 core

layout(binding = 0) uniform sampler2DShadow shadow;
layout(binding = 1) uniform sampler2DArrayShadow shadows;
layout(binding = 2) uniform sampler2D plain;

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;
layout(location = 1) out vec4 p;

void main() {
    float t = texture(shadow, vec3(v.xy, v.z));
    o = vec4(t + textureGrad(shadows, vec4(v.xyz, v.w), vec2(0.0), vec2(0.0)));
    p = textureGather(shadow, v.xy, v.z) + textureGatherOffset(plain, v.xy, ivec2(-8, 7), 2);
}
