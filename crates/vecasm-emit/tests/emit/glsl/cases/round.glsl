#version 430 core

layout(location = 0) in vec4 v;

layout(location = 0) out vec4 o;

void main() {
    float t;
    float t_1;
    float t_2;
    float t_3 = v.x;
    float t_4 = v.y;
    float t_5 = v.z;
    for (;;) {
        if (t_5 < 0.5) {
            t = t_3;
            t_1 = t_4;
            t_2 = t_5;
            break;
        }
        t_5 = t_5 + t_3;
        float next_0 = t_4;
        float next_1 = t_3;
        t_3 = next_0;
        t_4 = next_1;
    }
    o = vec4(t, t_1, t_2, v.w);
}
