#version 430 core
#extension GL_ARB_shader_viewport_layer_array : require

layout(quads, fractional_odd_spacing, cw, point_mode) in;

layout(location = 0) in vec4 a[];
layout(location = 1) flat in ivec4 n[];
patch in vec4 patch_varying_2;

layout(location = 0) out vec4 b;
uint l;

void main() {
    int t = int(uint(gl_PrimitiveID));
    gl_Position = (uint(t) < 4u ? gl_in[t].gl_Position : vec4(0.0)) * gl_TessCoord.xyzz + vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], gl_TessLevelOuter[3]) + patch_varying_2 + vec2(gl_TessLevelInner[0], gl_TessLevelInner[1]).xyxy;
    b = vec4(vec2((uint(t) < 4u ? n[t].xy : ivec2(0))), vec4(0.0).zw);
    gl_PointSize = vec2(gl_TessLevelInner[0], gl_TessLevelInner[1]).y;
    l = 4u;
    gl_Layer = int(l);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
