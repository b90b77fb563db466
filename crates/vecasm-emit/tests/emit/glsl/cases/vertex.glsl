#version 430 core

layout(location = 0) flat out uvec4 both;

uint rem_u32(uint a, uint b) {
    return b == 0u ? 0xffffffffu : a % b;
}

void main() {
    uint t = rem_u32(uint(gl_VertexID), uint(gl_InstanceID));
    uvec4 t_1 = uvec4(uint(gl_VertexID), uint(gl_InstanceID), t, t);
    both = t_1;
    gl_Position = vec4(t_1);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
