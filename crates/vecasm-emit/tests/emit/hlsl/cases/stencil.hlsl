struct PixelInput {
    float4 position : SV_Position;
    nointerpolation uint4 n : TEXCOORD0;
};

struct PixelOutput {
    float4 o : SV_Target0;
    uint s : SV_StencilRef;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    float t = float(input.n.x);
    output.o = float4(t, t, t, t);
    output.s = input.n.x;
    return output;
}
