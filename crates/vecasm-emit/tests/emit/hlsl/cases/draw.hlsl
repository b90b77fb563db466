cbuffer Draw : register(b1) {
    int base_vertex;
    int base_instance;
    int draw_index;
};

struct VertexOutput {
    float4 op : SV_Position;
};

VertexOutput main() {
    VertexOutput output;
    float t = float(base_vertex);
    output.op = float4(t, t, t, t);
    return output;
}
