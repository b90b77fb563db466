sampler2D flat : register(s0);
sampler2D other : register(s1);

struct PixelInput {
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    float4 o : COLOR0;
    float4 p : COLOR1;
    float4 q : COLOR2;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    bool t = input.v.x < input.v.y;
    float4 t_1 = tex2D(flat, input.v.xy);
    output.o = t ? t_1 : input.v;
    output.p = t ? tex2Dlod(other, float4(input.v.xy, 0.0, input.v.z)) : input.v;
    bool t_2 = ddx(input.v.z) + input.v.w < input.v.w;
    float t_3 = ddy(input.v.w);
    output.q = (t && t_2 ? (t_3 < input.v.w ? input.v.x : input.v.y) : input.v.z).xxxx;
    return output;
}
