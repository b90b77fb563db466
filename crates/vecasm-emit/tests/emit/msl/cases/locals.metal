// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    int4 n [[user(locn1), flat]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    int4 p [[color(1)]];
};

fragment FragmentOutput fragment_main(FragmentInput in [[stage_in]]) {
    FragmentOutput out;
    float4 TEMP_1[4];
    for (int i = 0; i < 4; i++) {
        TEMP_1[i] = float4(0.0);
    }
    int4 counts[3];
    for (int i_1 = 0; i_1 < 3; i_1++) {
        counts[i_1] = int4(0);
    }
    TEMP_1[0] = in.v;
    TEMP_1[3] = float4(in.v.w, TEMP_1[3].y, in.v.y, TEMP_1[3].w);
    if (in.n.x >= -1 && in.n.x <= 2) {
        TEMP_1[in.n.x + 1] = in.v.wzyx;
    }
    int at = clamp(in.n.y, 0, 3);
    TEMP_1[at] = float4(TEMP_1[at].x, in.v.x, TEMP_1[at].z, in.v.x);
    if (in.n.z >= 0 && in.n.z <= 2) {
        counts[in.n.z].x = in.n.w;
    }
    float4 t = (clamp(in.n.z, 0, 3) == in.n.z ? TEMP_1[clamp(in.n.z, 0, 3)] : float4(0.0));
    out.o = t + TEMP_1[clamp(in.n.w, 1, 4) - 1] - TEMP_1[3];
    int4 t_1 = counts[1];
    int4 t_2 = counts[2];
    counts[2] = t_1;
    out.p = int4(uint4(t_1) + uint4(t_2));
    return out;
}
