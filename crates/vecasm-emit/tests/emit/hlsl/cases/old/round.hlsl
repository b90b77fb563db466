struct PixelInput {
    float4 v : TEXCOORD0;
};

float4 main(PixelInput input) : COLOR0 {
    float t;
    float t_1;
    float t_2;
    float t_3 = input.v.x;
    float t_4 = input.v.y;
    float t_5 = input.v.z;
    for (;;) {
        if (t_5 < 0.5) {
            t = t_3;
            t_1 = t_4;
            t_2 = t_5;
            break;
        }
        t_5 = t_5 + t_3;
        float next_0 = t_4;
        float next_1 = t_3;
        t_3 = next_0;
        t_4 = next_1;
    }
    return float4(t, t_1, t_2, input.v.w);
}
