struct HullInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct HullOutput {
    float4 o : SV_Position;
    float4 a : TEXCOORD0;
    nointerpolation int4 b : TEXCOORD1;
};

struct PatchConstants {
    float outer[3] : SV_TessFactor;
    float inner : SV_InsideTessFactor;
    float4 q : TEXCOORD2;
};

PatchConstants patch_constants(InputPatch<HullInput, 3> input, const OutputPatch<HullOutput, 3> points) {
    PatchConstants output;
    float outer[4];
    float inner[2];
    uint id = 0u;
    output.q = float4(0.0, 0.0, 0.0, 1.0);
    outer[0] = 0.0;
    outer[1] = 0.0;
    outer[2] = 0.0;
    outer[3] = 0.0;
    inner[0] = 0.0;
    inner[1] = 0.0;
    if (id == 0u) {
        float4 t = points[2].a;
        output.q = float4(t.xy, output.q.zw);
        float4 t_1 = output.q;
        float3 levels = t_1.xyw;
        outer[0] = levels.x;
        outer[1] = levels.y;
        outer[2] = levels.z;
        float levels_1 = float(3u);
        inner[0] = levels_1;
    }
    output.outer[0] = outer[0];
    output.outer[1] = outer[1];
    output.outer[2] = outer[2];
    output.inner = inner[0];
    return output;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_ccw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch_constants")]
HullOutput main(InputPatch<HullInput, 3> input, uint id : SV_OutputControlPointID) {
    HullOutput output;
    int t = int(id);
    output.o = (uint(t) < 3u ? input[t].position : float4(0.0, 0.0, 0.0, 0.0));
    output.a = (uint(t) < 3u ? input[t].v : float4(0.0, 0.0, 0.0, 0.0));
    output.b = int4(t, 0, 0, 0);
    return output;
}
