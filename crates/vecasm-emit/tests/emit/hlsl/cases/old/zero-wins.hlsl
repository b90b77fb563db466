struct PixelInput {
    float4 v : TEXCOORD0;
    float4 w : TEXCOORD1;
};

struct PixelOutput {
    float4 o : COLOR0;
    float4 squares : COLOR1;
};

float multiply_add(float a, float b, float c) {
    return a * b + c;
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    output.o = float4(
        input.v.xy * input.w.xy,
        dot(input.v.xyz, input.w.xyz),
        multiply_add(input.v.x, input.w.y, input.v.w)
    );
    output.squares = float4(
        input.v.w * input.v.w,
        dot(input.w.xyz, input.w.xyz),
        multiply_add(input.w.w, input.w.w, input.v.x),
        input.v.x * input.v.y
    );
    return output;
}
