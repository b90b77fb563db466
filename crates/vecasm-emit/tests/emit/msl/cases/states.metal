// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

struct FragmentState {
    float4 bump_matrix_1;
    float4 fog;
    uint4 two_sided;
    uint4 count;
};

fragment float4 fragment_main(
    FragmentInput in [[stage_in]],
    constant FragmentState &state [[buffer(0)]]
) {
    return (state.two_sided.x != 0u ? in.v * state.bump_matrix_1 : in.v) * (state.fog.x * float(state.count.y));
}
