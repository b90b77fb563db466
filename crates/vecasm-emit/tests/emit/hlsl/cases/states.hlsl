cbuffer PixelState : register(b0) {
    float4 bump_matrix_1;
    float4 fog;
    uint4 two_sided;
    uint4 count;
};

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : SV_Target0 {
    return (two_sided.x != 0u ? input.v * bump_matrix_1 : input.v) * (fog.x * float(count.y));
}
