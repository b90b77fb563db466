// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct VertexInput {
    float4 a [[attribute(0)]];
    int4 n [[attribute(1)]];
};

struct VertexOutput {
    float4 pos [[position]];
    float4 o1 [[user(locn0)]];
    float4 o2 [[user(locn1)]];
    float4 o3 [[user(locn2)]];
};

vertex VertexOutput vertex_main(VertexInput in [[stage_in]]) {
    VertexOutput out;
    float4 o1_array[3];
    for (int i = 0; i < 3; i++) {
        o1_array[i] = float4(0.0);
    }
    o1_array[0] = float4(0.0);
    o1_array[1] = float4(0.0, 0.0, 0.0, 1.0);
    o1_array[2] = float4(0.0);
    out.pos = in.a;
    o1_array[2].w = in.a.x;
    int at = clamp(in.n.x, 0, 2);
    o1_array[at] = float4(in.a.zw, o1_array[at].zw);
    if (in.n.y >= 1 && in.n.y <= 2) {
        o1_array[in.n.y] = in.a;
    }
    float4 t = (clamp(in.n.y, 0, 1) == in.n.y ? o1_array[clamp(in.n.y, 0, 1)] : float4(0.0));
    o1_array[0].z = t.x;
    out.o1 = o1_array[0];
    out.o2 = o1_array[1];
    out.o3 = o1_array[2];
    return out;
}
