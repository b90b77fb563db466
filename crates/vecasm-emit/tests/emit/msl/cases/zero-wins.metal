// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    float4 w [[user(locn1)]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 squares [[color(1)]];
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
    return a == 0.0 || b == 0.0 ? 0.0 + c : fma(a, b, c);
}

float dot_zero_wins_3(float3 a, float3 b) {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z);
}

fragment FragmentOutput fragment_main(FragmentInput in [[stage_in]]) {
    FragmentOutput out;
    out.o = float4(
        mul_zero_wins_2(in.v.xy, in.w.xy),
        dot_zero_wins_3(in.v.xyz, in.w.xyz),
        fma_zero_wins(in.v.x, in.w.y, in.v.w)
    );
    out.squares = float4(
        in.v.w * in.v.w,
        dot(in.w.xyz, in.w.xyz),
        fma(in.w.w, in.w.w, in.v.x),
        mul_zero_wins(in.v.x, in.v.y)
    );
    return out;
}
