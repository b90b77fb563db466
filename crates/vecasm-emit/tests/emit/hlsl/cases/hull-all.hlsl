struct HullInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct HullOutput {
    float4 position : SV_Position;
    float4 a : TEXCOORD0;
};

struct PatchConstants {
    float outer[4] : SV_TessFactor;
    float inner[2] : SV_InsideTessFactor;
    float4 q : TEXCOORD2;
    int4 r : TEXCOORD3;
};

PatchConstants patch_constants(InputPatch<HullInput, 2> input, const OutputPatch<HullOutput, 4> points, uint primitive_id : SV_PrimitiveID) {
    PatchConstants output;
    float outer[4];
    float inner[2];
    output.q = float4(0.0, 0.0, 0.0, 0.0);
    output.r = int4(0, 0, 0, 0);
    outer[0] = 0.0;
    outer[1] = 0.0;
    outer[2] = 0.0;
    outer[3] = 0.0;
    inner[0] = 0.0;
    inner[1] = 0.0;
    for (uint id = 0u; id < 4u; id++) {
        float4 a = float4(0.0, 0.0, 0.0, 0.0);
        int t = int(id);
        float4 t_1 = (uint(t) < 2u ? input[t].v : float4(0.0, 0.0, 0.0, 0.0));
        a = t_1;
        float4 t_2 = a;
        if (t_1.x < t_1.y) {
            output.r.x = t;
        } else {
            output.q = t_2;
        }
        float4 levels = t_1;
        outer[0] = levels.x;
        outer[1] = levels.y;
        outer[2] = levels.z;
        outer[3] = levels.w;
        float4 levels_1 = float4(t_1.xy, 0.0, 0.0);
        inner[0] = levels_1.x;
        inner[1] = levels_1.y;
        output.r.y = int(primitive_id);
    }
    output.outer[0] = outer[0];
    output.outer[1] = outer[1];
    output.outer[2] = outer[2];
    output.outer[3] = outer[3];
    output.inner[0] = inner[0];
    output.inner[1] = inner[1];
    return output;
}

[domain("quad")]
[partitioning("integer")]
[outputtopology("triangle_ccw")]
[outputcontrolpoints(4)]
[patchconstantfunc("patch_constants")]
HullOutput main(InputPatch<HullInput, 2> input, uint id : SV_OutputControlPointID, uint primitive_id : SV_PrimitiveID) {
    HullOutput output;
    int t = int(id);
    output.a = (uint(t) < 2u ? input[t].v : float4(0.0, 0.0, 0.0, 0.0));
    output.position = float4(0.0, 0.0, 0.0, 0.0);
    return output;
}
