#version 430 core

layout(vertices = 4) out;

layout(location = 0) in vec4 v[];

layout(location = 0) out vec4 a[];
layout(location = 1) out vec4 b[];
patch out vec4 patch_varying_2;
patch out ivec4 patch_varying_3;
vec4 clip_distances_0;

void main() {
    if (gl_InvocationID == 0) {
        patch_varying_2 = vec4(0.0, 0.0, 0.0, 1.0);
        patch_varying_3 = ivec4(0);
        gl_TessLevelOuter[0] = 0.0;
        gl_TessLevelOuter[1] = 0.0;
        gl_TessLevelOuter[2] = 0.0;
        gl_TessLevelOuter[3] = 0.0;
        gl_TessLevelInner[0] = 0.0;
        gl_TessLevelInner[1] = 0.0;
    }
    barrier();
    a[gl_InvocationID] = vec4(0.0);
    b[gl_InvocationID] = vec4(0.0);
    int t = int(uint(gl_InvocationID));
    vec4 t_1 = (uint(t) < uint(gl_PatchVerticesIn) ? v[t] : vec4(0.0));
    a[gl_InvocationID] = vec4(t_1.xy, a[gl_InvocationID].zw);
    if (t == 0) {
        a[gl_InvocationID].w = t_1.x;
    } else if (t == 1) {
        b[gl_InvocationID].w = t_1.x;
    }
    if (t <= 1) {
        a[gl_InvocationID].z = t_1.x;
    } else {
        b[gl_InvocationID].z = t_1.x;
    }
    clip_distances_0 = t_1;
    barrier();
    vec4 t_2 = a[2];
    vec4 t_3 = (t == 0 ? a[2] : t == 1 ? b[2] : vec4(0.0));
    vec4 t_4 = (uint(t) < 4u ? (t <= 1 ? a[t] : b[t]) : vec4(0.0));
    vec4 t_5 = b[gl_InvocationID];
    vec4 t_6 = (t == 0 ? a[gl_InvocationID] : t == 1 ? b[gl_InvocationID] : vec4(0.0));
    b[gl_InvocationID] = t_3;
    if (uint(gl_InvocationID) == 0u) {
        patch_varying_2 = vec4(t_2.xy, patch_varying_2.zw);
        patch_varying_3.x = t;
        vec3 levels = t_2.xyz;
        gl_TessLevelOuter[0] = levels.x;
        gl_TessLevelOuter[1] = levels.y;
        gl_TessLevelOuter[2] = levels.z;
        vec2 levels_1 = t_4.xy;
        gl_TessLevelInner[0] = levels_1.x;
        gl_TessLevelInner[1] = levels_1.y;
    }
    vec4 t_7 = vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], gl_TessLevelOuter[3]);
    vec4 t_8 = patch_varying_2;
    gl_out[gl_InvocationID].gl_Position = t_7 + t_8 + (t_5 + t_6);
    gl_out[gl_InvocationID].gl_ClipDistance[0] = clip_distances_0.x;
    gl_out[gl_InvocationID].gl_ClipDistance[1] = clip_distances_0.y;
    gl_out[gl_InvocationID].gl_ClipDistance[2] = clip_distances_0.z;
    gl_out[gl_InvocationID].gl_ClipDistance[3] = clip_distances_0.w;
}
