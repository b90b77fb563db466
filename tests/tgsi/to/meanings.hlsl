struct VertexInput {
    float4 IN_0 : TEXCOORD0;
};

struct VertexOutput {
    float4 OUT_0 : SV_Position;
    float4 color : TEXCOORD0;
    float4 generic9 : TEXCOORD1;
};

VertexOutput main(VertexInput input) {
    VertexOutput output;
    output.OUT_0 = input.IN_0;
    output.generic9 = input.IN_0.wzyx;
    output.color = input.IN_0;
    return output;
}

struct PixelInput {
    float4 position : SV_Position;
    float4 color : TEXCOORD0;
    float4 generic9 : TEXCOORD1;
};

float4 main(PixelInput input) : SV_Target0 {
    return input.color + input.generic9;
}
