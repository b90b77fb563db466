// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    int4 n [[user(locn1), flat]];
};

fragment float4 fragment_main(
    FragmentInput in [[stage_in]],
    constant float4 *c [[buffer(0)]],
    constant int4 *i [[buffer(1)]],
    constant uint4 *b [[buffer(2)]]
) {
    float4 o = float4(0.0);
    float4 t = (clamp(in.n.x, 2, 9) == in.n.x ? c[clamp(in.n.x, 2, 9) - 2] : float4(0.0));
    if (any(b[0] != uint4(0u))) {
        o = select(t, c[clamp(int(uint(in.n.x) + uint(i[2].x)), -1, 6) + 1], b[0] != uint4(0u));
    } else {
        o = in.v;
    }
    return o;
}
