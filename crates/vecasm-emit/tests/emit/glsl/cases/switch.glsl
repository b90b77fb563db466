#version 430 core

layout(location = 0) in vec4 v;
layout(location = 1) flat in ivec4 n;

layout(location = 0) out vec4 o;

void main() {
    vec4 t;
    switch (n.x & 3) {
        case 0: {
            t = v;
            break;
        }
        case 1: case -2: {
            t = v * v;
            break;
        }
        default: {
            t = vec4(v.w, v.z, v.y, v.x);
            break;
        }
    }
    vec4 t_1;
    int t_2 = 0;
    vec4 t_3 = t;
    bool leave_0 = false;
    for (;;) {
        bool again_0 = false;
        if (t_2 >= 7) {
            t_1 = t_3;
            break;
        }
        int t_4 = t_2 + 1;
        vec4 t_5;
        switch (t_2 & 3) {
            case 0: {
                t_2 = t_4;
                t_3 = t_3.yzwx;
                continue;
            }
            case 2: {
                t_1 = t_3 + v;
                leave_0 = true;
                break;
            }
            default: {
                t_5 = t_3.wzyx;
                break;
            }
        }
        if (leave_0) {
            break;
        }
        t_2 = t_4;
        t_3 = t_5;
    }
    o = t_1;
}
