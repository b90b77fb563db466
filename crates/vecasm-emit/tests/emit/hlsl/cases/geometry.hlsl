struct GeometryInput {
    float4 position : SV_Position;
    float4 v0 : TEXCOORD0;
    float4 v1 : TEXCOORD1;
    float4 clipdist1 : SV_ClipDistance1;
    float psize : PSIZE;
};

struct GeometryOutput {
    float4 o : SV_Position;
    float4 v : TEXCOORD0;
    float4 w : TEXCOORD1;
    float4 e : SV_ClipDistance1;
    uint l : SV_RenderTargetArrayIndex;
    uint m : SV_ViewportArrayIndex;
    uint q : SV_PrimitiveID;
    float z : PSIZE;
};

[instance(2)]
[maxvertexcount(4)]
void main(triangle GeometryInput input[3], uint primitive_id : SV_PrimitiveID, uint instance : SV_GSInstanceID, inout TriangleStream<GeometryOutput> stream) {
    GeometryOutput output;
    float4 v_array[2];
    for (int i = 0; i < 2; i++) {
        v_array[i] = float4(0.0, 0.0, 0.0, 0.0);
    }
    output.o = float4(0.0, 0.0, 0.0, 0.0);
    v_array[0] = float4(0.0, 0.0, 0.0, 0.0);
    v_array[1] = float4(0.0, 0.0, 0.0, 0.0);
    output.z = 0.0;
    output.e = float4(0.0, 0.0, 0.0, 0.0);
    output.l = 0;
    output.m = 0u;
    output.q = 0;
    uint given = 0u;
    int t = int(3u);
    int t_1 = 0;
    for (;;) {
        if (t_1 >= t) {
            break;
        }
        output.o = (uint(t_1) < 3u ? input[t_1].position : float4(0.0, 0.0, 0.0, 0.0));
        int at = clamp(t_1, 0, 1);
        v_array[at] = float4((uint(t_1) < 3u ? (t_1 <= 0 ? input[t_1].v0 : input[t_1].v1) : float4(0.0, 0.0, 0.0, 0.0)).xy, v_array[at].zw);
        v_array[1] = float4(v_array[1].xy, (uint(t_1) < 3u ? (t_1 == 1 ? input[t_1].v0 : t_1 == 2 ? input[t_1].v1 : float4(0.0, 0.0, 0.0, 0.0)) : float4(0.0, 0.0, 0.0, 0.0)).xy);
        output.z = (uint(t_1) < 3u ? float4(input[t_1].psize, 0.0, 0.0, 0.0) : float4(0.0, 0.0, 0.0, 0.0)).x;
        output.e = (uint(t_1) < 3u ? input[t_1].clipdist1 : float4(0.0, 0.0, 0.0, 0.0));
        output.l = t_1;
        output.m = instance;
        output.q = int(primitive_id);
        if (given < 4u) {
            output.v = v_array[0];
            output.w = v_array[1];
            stream.Append(output);
            output.o = float4(0.0, 0.0, 0.0, 0.0);
            v_array[0] = float4(0.0, 0.0, 0.0, 0.0);
            v_array[1] = float4(0.0, 0.0, 0.0, 0.0);
            output.z = 0.0;
            output.e = float4(0.0, 0.0, 0.0, 0.0);
            output.l = 0;
            output.m = 0u;
            output.q = 0;
            given = given + 1u;
        }
        t_1 = t_1 + 1;
    }
    stream.RestartStrip();
}
