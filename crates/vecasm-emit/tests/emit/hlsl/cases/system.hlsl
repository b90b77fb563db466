struct PixelInput {
    float4 position : SV_Position;
    nointerpolation float4 flat : TEXCOORD0;
    noperspective centroid float4 linear_1 : TEXCOORD1;
    bool front_facing : SV_IsFrontFace;
    uint sample_index : SV_SampleIndex;
    uint coverage : SV_Coverage;
};

float4 frag_coord(float4 position) {
    return float4(position.xyz, 1.0 / position.w);
}

struct PixelOutput {
    float4 o : SV_Target0;
    float depth : SV_Depth;
    uint mask : SV_Coverage;
};

PixelOutput main(PixelInput input) {
    PixelOutput output;
    output.o = input.front_facing ? frag_coord(input.position) : input.flat;
    output.depth = input.linear_1.y;
    output.mask = input.sample_index ^ input.coverage;
    return output;
}
