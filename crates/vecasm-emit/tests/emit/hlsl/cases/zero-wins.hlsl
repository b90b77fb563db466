struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    float4 w : TEXCOORD1;
};

struct PixelOutput {
    float4 o : SV_Target0;
    float4 squares : SV_Target1;
};

float mul_zero_wins(float a, float b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

float2 mul_zero_wins_2(float2 a, float2 b) {
    return float2(
        mul_zero_wins(a.x, b.x),
        mul_zero_wins(a.y, b.y)
    );
}

float fma_zero_wins(float a, float b, float c) {
    return a == 0.0 || b == 0.0 ? 0.0 + c : mad(a, b, c);
}

float dot_zero_wins_3(float3 a, float3 b) {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z);
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    output.o = float4(
        mul_zero_wins_2(input.v.xy, input.w.xy),
        dot_zero_wins_3(input.v.xyz, input.w.xyz),
        fma_zero_wins(input.v.x, input.w.y, input.v.w)
    );
    output.squares = float4(
        input.v.w * input.v.w,
        dot(input.w.xyz, input.w.xyz),
        mad(input.w.w, input.w.w, input.v.x),
        mul_zero_wins(input.v.x, input.v.y)
    );
    return output;
}
