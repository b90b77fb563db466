struct VertexInput {
    int4 a : TEXCOORD0;
    uint4 b : TEXCOORD1;
};

struct VertexOutput {
    float4 pos : SV_Position;
    nointerpolation int4 signed_1 : TEXCOORD0;
    nointerpolation uint4 unsigned_1 : TEXCOORD1;
};

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

uint bit_extract_u32(uint x, uint offset, uint count) {
    uint start = offset & 31u;
    uint n = count == 32u && start == 0u ? 32u : min(count & 31u, 32u - start);
    if (n == 0u) {
        return 0u;
    }
    return (x << (32u - start - n)) >> (32u - n);
}

uint mulhi_u32(uint a, uint b) {
    uint low = (a & 0xffffu) * (b & 0xffffu);
    uint middle = (a >> 16) * (b & 0xffffu) + (low >> 16);
    uint other = (a & 0xffffu) * (b >> 16) + (middle & 0xffffu);
    return (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);
}

int mulhi_i32(int a, int b) {
    uint high = mulhi_u32(uint(a), uint(b));
    // As an unsigned number a negative one is 2^32 larger.
    return int(high - (a < 0 ? uint(b) : 0u) - (b < 0 ? uint(a) : 0u));
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

VertexOutput main(VertexInput input) {
    VertexOutput output;
    output.signed_1 = int4(
        div_i32_2(input.a.xy, input.a.zw),
        rem_i32(input.a.x, -7),
        mulhi_i32(input.a.y, input.a.z)
    );
    output.unsigned_1 = uint4(
        ((input.b.x << 5u) | uint(input.a.x >> (input.b.y & 31u))),
        bit_extract_u32(input.b.z, 40u, 9u),
        bit_insert_u32(input.b.x, input.b.y, input.b.z, input.b.w),
        uint(int(firstbithigh(input.b.w)))
    );
    output.pos = float4(input.a);
    return output;
}
