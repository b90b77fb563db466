cbuffer PixelConstants_c : register(b0) {
    float4 AlphaTest; // c0
    float4 World[4]; // c1 to c4
    float4 c5;
    float4 input_1; // c6
    float4 float_1; // c7
};

Texture2D<float4> Albedo : register(t0);
SamplerState Albedo_sampler : register(s0);

struct PixelInput {
    float4 position : SV_Position;
    float4 texcoord : TEXCOORD;
};

float mul_zero_wins(float a, float b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

float4 mul_zero_wins_4(float4 a, float4 b) {
    return float4(
        mul_zero_wins(a.x, b.x),
        mul_zero_wins(a.y, b.y),
        mul_zero_wins(a.z, b.z),
        mul_zero_wins(a.w, b.w)
    );
}

float dot_zero_wins_4(float4 a, float4 b) {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z) + mul_zero_wins(a.w, b.w);
}

float4 main(PixelInput input) : SV_Target0 {
    float4 r1 = mul_zero_wins_4(Albedo.Sample(Albedo_sampler, input.texcoord.xy) * 0.5, AlphaTest);
    float r2 = dot_zero_wins_4(r1, World[0]);
    float r2_1 = dot_zero_wins_4(r1, World[2]);
    return float4(float2(r2, r2_1) * float2(2.0, 1.0) + c5.xy, r1.zw) + input_1 + float_1;
}
