// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    float4 w [[user(locn1)]];
};

float sum_4(float4 v) {
    return v.x + v.y + v.z + v.w;
}

fragment float4 fragment_main(FragmentInput in [[stage_in]]) {
    bool4 t = in.v < in.w;
    bool t_1 = t.z != ((t.x && t.y) || in.v.x >= in.w.y);
    return float4(
        (t_1 && (all(t) || any(t.xy)) ? sum_4(in.v) : in.w.x),
        select(float3(0.0), float3(1.0), (t.xyz != t.wzy))
    );
}
