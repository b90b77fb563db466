// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct VertexInput {
    int4 a [[attribute(0)]];
    uint4 b [[attribute(1)]];
};

struct VertexOutput {
    float4 pos [[position]];
    int4 signed_1 [[user(locn0)]];
    uint4 unsigned_1 [[user(locn1)]];
};

int first_high_u32(uint x) {
    // The exponents of the halves, which are floats without rounding.
    uint part = x > 0xffffu ? x >> 16 : x;
    int high = int(as_type<uint>(float(part)) >> 23) - 127;
    return x == 0u ? -1 : high + (x > 0xffffu ? 16 : 0);
}

uint bit_insert_u32(uint x, uint y, uint offset, uint count) {
    if (count >= 32u) {
        return y;
    }
    uint start = offset & 31u;
    uint n = min(count, 32u - start);
    if (n == 0u) {
        return x;
    }
    uint mask = (0xffffffffu >> (32u - n)) << start;
    return (x & ~mask) | ((y << start) & mask);
}

int rem_i32(int a, int b) {
    if (b == 0) {
        return -1;
    }
    uint x = a < 0 ? 0u - uint(a) : uint(a);
    uint y = b < 0 ? 0u - uint(b) : uint(b);
    return int(a < 0 ? 0u - x % y : x % y);
}

int div_i32(int a, int b) {
    if (b == 0) {
        return 0;
    }
    // Of the magnitudes: what a negative operand gives is open.
    uint x = a < 0 ? 0u - uint(a) : uint(a);
    uint y = b < 0 ? 0u - uint(b) : uint(b);
    return int((a < 0) != (b < 0) ? 0u - x / y : x / y);
}

int2 div_i32_2(int2 a, int2 b) {
    return int2(
        div_i32(a.x, b.x),
        div_i32(a.y, b.y)
    );
}

vertex VertexOutput vertex_main(VertexInput in [[stage_in]]) {
    VertexOutput out;
    out.signed_1 = int4(div_i32_2(in.a.xy, in.a.zw), rem_i32(in.a.x, -7), mulhi(in.a.y, in.a.z));
    out.unsigned_1 = uint4(
        ((in.b.x << 5u) | as_type<uint>(in.a.x >> (in.b.y & 31u))),
        extract_bits(in.b.z, 8, 9),
        bit_insert_u32(in.b.x, in.b.y, in.b.z, in.b.w),
        uint(first_high_u32(in.b.w))
    );
    out.pos = float4(in.a);
    return out;
}
