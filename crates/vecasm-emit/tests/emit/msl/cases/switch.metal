// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    int4 n [[user(locn1), flat]];
};

fragment float4 fragment_main(FragmentInput in [[stage_in]]) {
    float4 t;
    switch (in.n.x & 3) {
        case 0: {
            t = in.v;
            break;
        }
        case 1: case -2: {
            t = in.v * in.v;
            break;
        }
        default: {
            t = float4(in.v.w, in.v.z, in.v.y, in.v.x);
            break;
        }
    }
    float4 t_1;
    int t_2 = 0;
    float4 t_3 = t;
    bool leave_0 = false;
    for (;;) {
        bool again_0 = false;
        if (t_2 >= 7) {
            t_1 = t_3;
            break;
        }
        int t_4 = int(uint(t_2) + 1u);
        float4 t_5;
        switch (t_2 & 3) {
            case 0: {
                t_2 = t_4;
                t_3 = t_3.yzwx;
                continue;
            }
            case 2: {
                t_1 = t_3 + in.v;
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
    return t_1;
}
