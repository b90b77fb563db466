#version 310 es
#extension GL_EXT_tessellation_shader : require

precision highp float;
precision highp int;

layout(vertices = 3) out;

layout(location = 3) flat in ivec4 n[];

patch out vec4 patch_varying_0;
layout(location = 3) flat out ivec4 m[];

void main() {
    int t = int(uint(gl_InvocationID));
    vec4 t_1 = (uint(t) < 3u ? gl_in[t].gl_Position : vec4(0.0));
    gl_out[gl_InvocationID].gl_Position = t_1;
    m[gl_InvocationID] = (uint(t) < 3u ? n[t] : ivec4(0));
    vec4 levels = vec4(4.0);
    gl_TessLevelOuter[0] = levels.x;
    gl_TessLevelOuter[1] = levels.y;
    gl_TessLevelOuter[2] = levels.z;
    gl_TessLevelOuter[3] = levels.w;
    vec4 levels_1 = vec4(4.0, 4.0, 0.0, 0.0);
    gl_TessLevelInner[0] = levels_1.x;
    gl_TessLevelInner[1] = levels_1.y;
    patch_varying_0 = t_1;
}
