// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct VertexInput {
    float4 a [[attribute(0)]];
};

struct VertexOutput {
    float4 pos [[position]];
    float4 idle [[user(locn3)]];
    float size [[point_size]];
    uint layer [[render_target_array_index]];
    float clip_distance [[clip_distance]] [4];
};

vertex VertexOutput vertex_main(
    VertexInput in [[stage_in]],
    uint vertex_id [[vertex_id]],
    uint base_vertex [[base_vertex]]
) {
    VertexOutput out;
    float4 clip_distances_0;
    out.idle = float4(0.0, 0.0, 0.0, 1.0);
    out.pos = in.a * float(int(base_vertex));
    out.size = in.a.w;
    clip_distances_0 = float4(in.a.yz, 0.0, 0.0);
    out.layer = (vertex_id - base_vertex);
    out.clip_distance[0] = clip_distances_0.x;
    out.clip_distance[1] = clip_distances_0.y;
    out.clip_distance[2] = clip_distances_0.z;
    out.clip_distance[3] = clip_distances_0.w;
    return out;
}
