#version 430 core

layout(lines_adjacency) in;
layout(points, max_vertices = 8) out;

layout(location = 0) in vec4 v[];

layout(location = 0, stream = 1) out vec4 a;

void main() {
    a = vec4(0.0);
    vec4 t = v[3];
    gl_Position = t;
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
    EmitStreamVertex(0);
    gl_Position = vec4(0.0);
    a = vec4(0.0);
    EndStreamPrimitive(0);
    a = vec4(t.x, a.y, t.y, a.w);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
    EmitStreamVertex(1);
    EndStreamPrimitive(1);
}
