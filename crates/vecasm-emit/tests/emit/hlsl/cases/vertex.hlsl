cbuffer Draw : register(b1) {
    int base_vertex;
    int base_instance;
    int draw_index;
};

struct VertexInput {
    uint vertex_id : SV_VertexID;
    uint instance_id : SV_InstanceID;
};

uint vertex_index(uint id) {
    return id + uint(base_vertex);
}

struct VertexOutput {
    float4 pos : SV_Position;
    nointerpolation uint4 both : TEXCOORD0;
};

uint rem_u32(uint a, uint b) {
    return b == 0u ? 0xffffffffu : a % b;
}

VertexOutput main(VertexInput input) {
    VertexOutput output;
    uint t = rem_u32(vertex_index(input.vertex_id), input.instance_id);
    uint4 t_1 = uint4(vertex_index(input.vertex_id), input.instance_id, t, t);
    output.both = t_1;
    output.pos = float4(t_1);
    return output;
}
