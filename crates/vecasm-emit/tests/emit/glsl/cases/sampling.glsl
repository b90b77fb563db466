#version 430 core

layout(binding = 0) uniform sampler2D flat_1;
layout(binding = 1) uniform sampler2DArray stack;
layout(binding = 2) uniform sampler3D volume;
layout(binding = 3) uniform samplerCube sky;
layout(binding = 4) uniform samplerCubeArray skies;
layout(binding = 5) uniform sampler1D line;

layout(location = 0) in vec4 v;
layout(location = 1) in vec4 w;

layout(location = 0) out vec4 o;
layout(location = 1) out vec4 p;
layout(location = 2) out vec4 q;

void main() {
    vec4 t = texture(flat_1, v.xy, w.x);
    vec4 t_1 = textureLod(stack, v.xyz, w.y);
    vec4 t_2 = textureOffset(flat_1, v.zw, ivec2(1, -2));
    o = t + t_1 + textureGrad(volume, v.xyz, w.xyz, w.wzy);
    p = t_2 + texture(sky, v.xyz, -1.5);
    q = texture(skies, v) + texture(line, v.x);
}
