// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct VertexOutput {
    float4 pos [[position]];
    uint4 both [[user(locn0)]];
};

uint rem_u32(uint a, uint b) {
    return b == 0u ? 0xffffffffu : a % b;
}

vertex VertexOutput vertex_main(
    uint number [[vertex_id]],
    uint instance_id [[instance_id]],
    uint base_instance [[base_instance]]
) {
    VertexOutput out;
    uint t = rem_u32(number, (instance_id - base_instance));
    uint4 t_1 = uint4(number, (instance_id - base_instance), t, t);
    out.both = t_1;
    out.pos = float4(t_1);
    return out;
}
