// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

fragment float4 fragment_main(FragmentInput in [[stage_in]]) {
    float t;
    float t_1;
    float t_2;
    float t_3 = in.v.x;
    float t_4 = in.v.y;
    float t_5 = in.v.z;
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
    return float4(t, t_1, t_2, in.v.w);
}
