struct VertexInput {
    float4 a : TEXCOORD0;
    int4 n : TEXCOORD1;
};

struct VertexOutput {
    float4 pos : SV_Position;
    float4 o1 : TEXCOORD0;
    float4 o2 : TEXCOORD1;
    float4 o3 : TEXCOORD2;
};

VertexOutput main(VertexInput input) {
    VertexOutput output;
    float4 o1_array[3];
    for (int i = 0; i < 3; i++) {
        o1_array[i] = float4(0.0, 0.0, 0.0, 0.0);
    }
    o1_array[0] = float4(0.0, 0.0, 0.0, 0.0);
    o1_array[1] = float4(0.0, 0.0, 0.0, 1.0);
    o1_array[2] = float4(0.0, 0.0, 0.0, 0.0);
    output.pos = input.a;
    o1_array[2].w = input.a.x;
    int at = clamp(input.n.x, 0, 2);
    o1_array[at] = float4(input.a.zw, o1_array[at].zw);
    if (input.n.y >= 1 && input.n.y <= 2) {
        o1_array[input.n.y] = input.a;
    }
    float4 t = (clamp(input.n.y, 0, 1) == input.n.y ? o1_array[clamp(input.n.y, 0, 1)] : float4(0.0, 0.0, 0.0, 0.0));
    o1_array[0].z = t.x;
    output.o1 = o1_array[0];
    output.o2 = o1_array[1];
    output.o3 = o1_array[2];
    return output;
}
