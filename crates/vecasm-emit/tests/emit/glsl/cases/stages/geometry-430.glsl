#version 430 core

layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 4) out;

layout(location = 0) in vec4 v0[];
layout(location = 1) in vec4 v1[];

layout(location = 0) out vec4 v;
layout(location = 1) out vec4 w;
out float gl_ClipDistance[8];
uint m;
vec4 clip_distances_1;

void main() {
    vec4 v_array[2];
    for (int i = 0; i < 2; i++) {
        v_array[i] = vec4(0.0);
    }
    gl_Position = vec4(0.0);
    v_array[0] = vec4(0.0);
    v_array[1] = vec4(0.0);
    gl_PointSize = 0.0;
    clip_distances_1 = vec4(0.0);
    gl_Layer = 0;
    m = 0u;
    gl_PrimitiveID = 0;
    uint given = 0u;
    int t = int(3u);
    int t_1 = 0;
    for (;;) {
        if (t_1 >= t) {
            break;
        }
        gl_Position = (uint(t_1) < 3u ? gl_in[t_1].gl_Position : vec4(0.0));
        int at = clamp(t_1, 0, 1);
        v_array[at] = vec4((uint(t_1) < 3u ? (t_1 <= 0 ? v0[t_1] : v1[t_1]) : vec4(0.0)).xy, v_array[at].zw);
        v_array[1] = vec4(v_array[1].xy, (uint(t_1) < 3u ? (t_1 == 1 ? v0[t_1] : t_1 == 2 ? v1[t_1] : vec4(0.0)) : vec4(0.0)).xy);
        gl_PointSize = (uint(t_1) < 3u ? vec4(gl_in[t_1].gl_PointSize, 0.0, 0.0, 0.0) : vec4(0.0)).x;
        clip_distances_1 = (uint(t_1) < 3u ? vec4(gl_in[t_1].gl_ClipDistance[4], gl_in[t_1].gl_ClipDistance[5], gl_in[t_1].gl_ClipDistance[6], gl_in[t_1].gl_ClipDistance[7]) : vec4(0.0));
        gl_Layer = t_1;
        m = uint(gl_InvocationID);
        gl_PrimitiveID = int(uint(gl_PrimitiveIDIn));
        if (given < 4u) {
            v = v_array[0];
            w = v_array[1];
            gl_ClipDistance[4] = clip_distances_1.x;
            gl_ClipDistance[5] = clip_distances_1.y;
            gl_ClipDistance[6] = clip_distances_1.z;
            gl_ClipDistance[7] = clip_distances_1.w;
            gl_ViewportIndex = int(m);
            gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
            EmitVertex();
            gl_Position = vec4(0.0);
            v_array[0] = vec4(0.0);
            v_array[1] = vec4(0.0);
            gl_PointSize = 0.0;
            clip_distances_1 = vec4(0.0);
            gl_Layer = 0;
            m = 0u;
            gl_PrimitiveID = 0;
            given = given + 1u;
        }
        t_1 = t_1 + 1;
    }
    EndPrimitive();
}
