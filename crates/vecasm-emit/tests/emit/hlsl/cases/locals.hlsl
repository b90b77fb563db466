struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    nointerpolation int4 n : TEXCOORD1;
};

struct PixelOutput {
    float4 o : SV_Target0;
    int4 p : SV_Target1;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    float4 TEMP_1[4];
    for (int i = 0; i < 4; i++) {
        TEMP_1[i] = float4(0.0, 0.0, 0.0, 0.0);
    }
    int4 counts[3];
    for (int i_1 = 0; i_1 < 3; i_1++) {
        counts[i_1] = int4(0, 0, 0, 0);
    }
    TEMP_1[0] = input.v;
    TEMP_1[3] = float4(input.v.w, TEMP_1[3].y, input.v.y, TEMP_1[3].w);
    if (input.n.x >= -1 && input.n.x <= 2) {
        TEMP_1[input.n.x + 1] = input.v.wzyx;
    }
    int at = clamp(input.n.y, 0, 3);
    TEMP_1[at] = float4(TEMP_1[at].x, input.v.x, TEMP_1[at].z, input.v.x);
    if (input.n.z >= 0 && input.n.z <= 2) {
        counts[input.n.z].x = input.n.w;
    }
    float4 t = (clamp(input.n.z, 0, 3) == input.n.z ? TEMP_1[clamp(input.n.z, 0, 3)] : float4(0.0, 0.0, 0.0, 0.0));
    output.o = t + TEMP_1[clamp(input.n.w, 1, 4) - 1] - TEMP_1[3];
    int4 t_1 = counts[1];
    int4 t_2 = counts[2];
    counts[2] = t_1;
    output.p = t_1 + t_2;
    return output;
}
