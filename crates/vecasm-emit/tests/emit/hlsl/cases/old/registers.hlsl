float4 c[249] : register(c0); // of 256: no registers are left for the others

int4 i[1] : register(c249);

struct VertexInput {
    float4 v0 : POSITION;
};

struct VertexOutput {
    float4 oPos : POSITION;
    float oPts : PSIZE;
};

VertexOutput main(VertexInput input) {
    VertexOutput output;
    int t = int(input.v0.x) + i[0].x;
    output.oPos = c[0] + (clamp(t, -4, 244) == t ? c[clamp(t, -4, 244) + 4] : float4(0.0, 0.0, 0.0, 0.0));
    output.oPts = input.v0.x;
    return output;
}
