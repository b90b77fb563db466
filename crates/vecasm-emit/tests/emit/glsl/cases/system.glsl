#version 430 core

layout(origin_upper_left) in vec4 gl_FragCoord;

layout(location = 0) flat in vec4 flat_1;
layout(location = 1) noperspective centroid in vec4 linear;

layout(location = 0) out vec4 o;
uint sample_mask;

void main() {
    o = gl_FrontFacing ? gl_FragCoord : flat_1;
    gl_FragDepth = linear.y;
    sample_mask = uint(gl_SampleID) ^ uint(gl_SampleMaskIn[0]);
    gl_SampleMask[0] = int(sample_mask);
}
