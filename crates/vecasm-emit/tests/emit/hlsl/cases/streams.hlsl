struct GeometryInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    float4 w : TEXCOORD1;
};

struct GeometryOutput {
    float4 o : SV_Position;
    nointerpolation int4 b : TEXCOORD1;
};

struct GeometryOutput_1 {
    float4 a : TEXCOORD0;
    nointerpolation int4 b : TEXCOORD1;
};

[maxvertexcount(2)]
void main(lineadj GeometryInput input[4], inout PointStream<GeometryOutput> stream, inout PointStream<GeometryOutput_1> stream_1) {
    float4 o;
    int4 b;
    GeometryOutput output;
    float4 a;
    GeometryOutput_1 output_1;
    a = float4(0.0, 0.0, 0.0, 1.0);
    b = int4(0, 0, 0, 0);
    uint given = 0u;
    float2 t = input[3].v.xy + input[3].w.xy;
    o = input[3].position;
    if (given < 2u) {
        output.o = o;
        output.b = b;
        stream.Append(output);
        o = float4(0.0, 0.0, 0.0, 0.0);
        a = float4(0.0, 0.0, 0.0, 1.0);
        b = int4(0, 0, 0, 0);
        given = given + 1u;
    }
    a = float4(t.x, a.y, t.y, a.w);
    b.x = 3;
    if (given < 2u) {
        output_1.a = a;
        output_1.b = b;
        stream_1.Append(output_1);
        o = float4(0.0, 0.0, 0.0, 0.0);
        a = float4(0.0, 0.0, 0.0, 1.0);
        b = int4(0, 0, 0, 0);
        given = given + 1u;
    }
    a.y = float4(0.0, 0.0, 0.0, 0.0).x;
    if (given < 2u) {
        output_1.a = a;
        output_1.b = b;
        stream_1.Append(output_1);
        given = given + 1u;
    }
}
