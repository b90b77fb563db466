cbuffer VertexConstants_c : register(b0) {
    float4 c[256];
};

cbuffer VertexConstants_b : register(b1) {
    uint4 Flag; // b0
};

struct VertexInput {
    float4 v0 : POSITION;
    float4 v1 : BLENDINDICES;
};

struct VertexOutput {
    float4 o0 : SV_Position;
};

float mul_zero_wins(float a, float b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

int f32_to_i32(float x) {
    if ((asuint(x) & 0x7fffffffu) > 0x7f800000u) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return x < -2147483648.0 ? -2147483647 - 1 : int(x);
}

float dot_zero_wins_4(float4 a, float4 b) {
    return mul_zero_wins(a.x, b.x) + mul_zero_wins(a.y, b.y) + mul_zero_wins(a.z, b.z) + mul_zero_wins(a.w, b.w);
}

VertexOutput main(VertexInput input) {
    VertexOutput output;
    int a0 = f32_to_i32(round(input.v1.x));
    float4 r0 = (clamp(a0, -4, 251) == a0 ? c[clamp(a0, -4, 251) + 4] : float4(0.0, 0.0, 0.0, 0.0));
    float4 r0_1 = r0;
    if ((Flag != uint4(0u, 0u, 0u, 0u)).x) {
        r0_1 = r0 + input.v0;
    }
    output.o0 = float4(dot_zero_wins_4(r0_1, c[0]), r0_1.yzw);
    return output;
}
