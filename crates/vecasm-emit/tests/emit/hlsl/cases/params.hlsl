cbuffer PixelConstants_c : register(b0) {
    float4 c[8];
};

cbuffer PixelConstants_i : register(b1) {
    int4 i[3];
};

cbuffer PixelConstants_b : register(b2) {
    uint4 b[1];
};

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    nointerpolation int4 n : TEXCOORD1;
};

float4 select_lanes(float4 no, float4 yes, bool4 by) {
    return float4(by.x ? yes.x : no.x, by.y ? yes.y : no.y, by.z ? yes.z : no.z, by.w ? yes.w : no.w);
}

float4 main(PixelInput input) : SV_Target0 {
    float4 o = float4(0.0, 0.0, 0.0, 0.0);
    float4 t = (clamp(input.n.x, 2, 9) == input.n.x ? c[clamp(input.n.x, 2, 9) - 2] : float4(0.0, 0.0, 0.0, 0.0));
    if (any(b[0] != uint4(0u, 0u, 0u, 0u))) {
        o = select_lanes(t, c[clamp(input.n.x + i[2].x, -1, 6) + 1], b[0] != uint4(0u, 0u, 0u, 0u));
    } else {
        o = input.v;
    }
    return o;
}
