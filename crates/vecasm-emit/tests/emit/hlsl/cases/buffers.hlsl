ByteAddressBuffer table : register(t0);

struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
};

uint f32_to_u32(float x) {
    if ((asuint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

uint load_count_table() {
    uint bytes;
    table.GetDimensions(bytes);
    return bytes >> 2;
}

uint4 load_4_table(uint offset) {
    uint at = offset >> 2;
    if (at + 3u >= load_count_table()) {
        return uint4(0u, 0u, 0u, 0u);
    }
    return table.Load4(at * 4u);
}

uint load_table(uint offset) {
    uint at = offset >> 2;
    if (at >= load_count_table()) {
        return 0u;
    }
    return table.Load(at * 4u);
}

float4 main(PixelInput input) : SV_Target0 {
    return asfloat(load_4_table(f32_to_u32(input.v.x))) + float(load_table(8u));
}
