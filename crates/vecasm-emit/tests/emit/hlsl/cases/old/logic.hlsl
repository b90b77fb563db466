struct PixelInput {
    float4 v : TEXCOORD0;
    float4 w : TEXCOORD1;
};

float sum_4(float4 v) {
    return v.x + v.y + v.z + v.w;
}

float4 main(PixelInput input) : COLOR0 {
    bool4 t = input.v < input.w;
    bool t_1 = t.z != ((t.x && t.y) || input.v.x >= input.w.y);
    return float4(
        (t_1 && (all(t) || any(t.xy)) ? sum_4(input.v) : input.w.x),
        float3(t.xyz != t.wzy)
    );
}
