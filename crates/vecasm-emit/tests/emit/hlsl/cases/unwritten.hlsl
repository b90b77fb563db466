struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    float4 o : SV_Target0;
    float4 p : SV_Target1;
    float4 q : SV_Target2;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    output.p = float4(0.0, 0.0, 0.0, 1.0);
    output.q = float4(0.0, 0.0, 0.0, 0.0);
    output.o = input.v;
    return output;
}
