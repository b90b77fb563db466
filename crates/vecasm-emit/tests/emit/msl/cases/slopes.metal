// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

fragment float4 fragment_main(FragmentInput in [[stage_in]]) {
    return float4(dfdx(in.v.xy), dfdy(in.v.zw));
}
