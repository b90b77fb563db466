// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v0 [[user(locn0)]];
    float4 v1 [[user(locn1)]];
    float4 v2 [[user(locn2)]];
    int4 n [[user(locn3), flat]];
};

fragment float4 fragment_main(FragmentInput in [[stage_in]]) {
    float4 v1_array[2] = {in.v1, in.v2};
    float4 v0_array[3] = {in.v0, in.v1, in.v2};
    float4 t = (clamp(in.n.x, -1, 1) == in.n.x ? v0_array[clamp(in.n.x, -1, 1) + 1] : float4(0.0));
    float4 t_1 = (clamp(in.n.x, 1, 2) == in.n.x ? v1_array[clamp(in.n.x, 1, 2) - 1] : float4(0.0));
    return (v0_array[clamp(in.n.x, 0, 2)] + t) * t_1;
}
