#version 150 core

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in vec4 varying_40[];

out vec4 geometry_varying_40;
uint l;

void main() {
    geometry_varying_40 = vec4(0.0);
    gl_Position = gl_in[0].gl_Position;
    geometry_varying_40 = vec4(varying_40[0].xy, geometry_varying_40.zw);
    l = 7u;
    gl_Layer = int(l);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
    EmitVertex();
    geometry_varying_40 = vec4(0.0);
    l = 0u;
    geometry_varying_40 = vec4(varying_40[1].xy, geometry_varying_40.zw);
    gl_Position = gl_in[1].gl_Position;
    gl_Layer = int(l);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
    EmitVertex();
    geometry_varying_40 = vec4(0.0);
    l = 0u;
    gl_Position = gl_in[2].gl_Position;
    gl_Layer = int(l);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
    EmitVertex();
    EndPrimitive();
}
