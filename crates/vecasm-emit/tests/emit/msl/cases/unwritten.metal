// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 p [[color(1)]];
    float4 q [[color(2)]];
};

fragment FragmentOutput fragment_main(FragmentInput in [[stage_in]]) {
    FragmentOutput out;
    out.p = float4(0.0, 0.0, 0.0, 1.0);
    out.q = float4(0.0);
    out.o = in.v;
    return out;
}
