#version 430 core

layout(triangles, equal_spacing, ccw) in;

patch in vec4 patch_varying_0;
layout(location = 3) flat in ivec4 m[];

layout(location = 0) out vec4 w;

void main() {
    vec4 t = gl_in[0].gl_Position;
    vec4 t_1 = (1u < uint(gl_PatchVerticesIn) ? gl_in[1].gl_Position : vec4(0.0));
    gl_Position = t * gl_TessCoord.x + t_1 * gl_TessCoord.y + (2u < uint(gl_PatchVerticesIn) ? gl_in[2].gl_Position : vec4(0.0)) * gl_TessCoord.z;
    w = patch_varying_0 + vec4(m[0]) * float(uint(gl_PatchVerticesIn));
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
