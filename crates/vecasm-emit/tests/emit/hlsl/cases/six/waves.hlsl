struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

struct PixelOutput {
    float4 o : SV_Target0;
    uint4 p : SV_Target1;
};

float2 read_invocation(float2 value, uint number) {
    bool inside = number < WaveGetLaneCount();
    float2 there = WaveReadLaneAt(value, inside ? number : 0u);
    if (inside) {
        return there;
    }
    return float2(0.0, 0.0);
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    bool t = input.v.x < input.v.y;
    bool t_1 = WaveActiveAnyTrue(t);
    bool t_2 = WaveActiveAllTrue(t);
    bool t_3 = all(WaveActiveAllEqual(asuint(input.v)));
    uint2 t_4 = WaveActiveBallot(t).xy;
    float4 t_5 = WaveReadLaneFirst(input.v);
    float2 t_6 = read_invocation(input.v.xy, t_4.x);
    output.o = float4(t_6, (t_1 && t_2) || t_3 ? t_5.zw : input.v.zw);
    output.p = uint4(t_4, WaveGetLaneCount(), WaveGetLaneIndex());
    return output;
}
