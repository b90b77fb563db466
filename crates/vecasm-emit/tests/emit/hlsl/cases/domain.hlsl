struct DomainInput {
    float4 position : SV_Position;
    float4 a : TEXCOORD0;
    int4 n : TEXCOORD1;
};

struct PatchConstants {
    float outer[4] : SV_TessFactor;
    float inner[2] : SV_InsideTessFactor;
    float4 q : TEXCOORD2;
};

struct DomainOutput {
    float4 o : SV_Position;
    float4 b : TEXCOORD0;
    uint l : SV_RenderTargetArrayIndex;
    float s : PSIZE;
};

[domain("quad")]
DomainOutput main(PatchConstants constants, float2 location : SV_DomainLocation, uint primitive_id : SV_PrimitiveID, const OutputPatch<DomainInput, 4> input) {
    DomainOutput output;
    float3 place = float3(location, 0.0);
    float4 outer = float4(constants.outer[0], constants.outer[1], constants.outer[2], constants.outer[3]);
    float2 inner = float2(constants.inner[0], constants.inner[1]);
    int t = int(primitive_id);
    output.o = (uint(t) < 4u ? input[t].position : float4(0.0, 0.0, 0.0, 0.0)) * place.xyzz + outer + constants.q + inner.xyxy;
    output.b = float4(
        float2((uint(t) < 4u ? input[t].n.xy : int2(0, 0))),
        float4(0.0, 0.0, 0.0, 0.0).zw
    );
    output.s = inner.y;
    output.l = 4u;
    return output;
}
