struct PixelInput {
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    float4 o : COLOR0;
    float4 p : COLOR1;
    float4 q : COLOR2;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    output.p = float4(0.0, 0.0, 0.0, 1.0);
    output.q = float4(0.0, 0.0, 0.0, 0.0);
    output.o = input.v;
    return output;
}
