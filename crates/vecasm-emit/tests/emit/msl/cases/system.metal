// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 flat [[user(locn0), flat]];
    float4 linear [[user(locn1), centroid_no_perspective]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float depth [[depth(any)]];
    uint mask [[sample_mask]];
};

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    float4 place [[position]],
    bool front [[front_facing]],
    uint sample [[sample_id]],
    uint covered [[sample_mask]]
) {
    FragmentOutput out;
    out.o = front ? place : in.flat;
    out.depth = in.linear.y;
    out.mask = sample ^ covered;
    return out;
}
