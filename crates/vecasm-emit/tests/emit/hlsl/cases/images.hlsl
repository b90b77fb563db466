globallycoherent RWTexture2D<float> both : register(u0);
RWTexture2DArray<unorm float4> layers_1 : register(u1);
RWTexture1D<uint> line_1 : register(u2);

struct ComputeInput {
    uint3 local_id : SV_GroupThreadID;
};

float4 load_both(int2 at) {
    uint width, height;
    both.GetDimensions(width, height);
    if (!(all(uint2(at) < uint2(width, height)))) {
        return float4(0.0, 0.0, 0.0, 1.0);
    }
    return float4(both[at], 0.0, 0.0, 1.0);
}

void store_both(int2 at, float4 texel) {
    both[at] = texel.x;
}

void store_layers_1(int3 at, float4 texel) {
    layers_1[at] = texel;
}

uint4 size_layers_1() {
    uint width, height, layers;
    layers_1.GetDimensions(width, height, layers);
    return uint4(width, height, layers, 1u);
}

uint4 load_line_1(int at) {
    uint width;
    line_1.GetDimensions(width);
    if (!(uint(at) < width)) {
        return uint4(0, 0, 0, 1);
    }
    return uint4(line_1[at], 0, 0, 1);
}

[numthreads(4, 1, 1)]
void main(ComputeInput input) {
    int3 t = int3(input.local_id);
    float4 t_1 = load_both(t.xy);
    store_both(t.zy, t_1);
    AllMemoryBarrier();
    store_layers_1(t, t_1);
    store_layers_1(t.zyx, float4(load_line_1(t.x) + size_layers_1()));
}
