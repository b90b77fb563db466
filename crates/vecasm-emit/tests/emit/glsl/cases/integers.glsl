#version 430 core

layout(location = 0) in ivec4 a;
layout(location = 1) in uvec4 b;

layout(location = 0) flat out ivec4 signed;
layout(location = 1) flat out uvec4 unsigned_1;

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

ivec2 div_i32_2(ivec2 a, ivec2 b) {
    return ivec2(
        div_i32(a.x, b.x),
        div_i32(a.y, b.y)
    );
}

void main() {
    signed = ivec4(div_i32_2(a.xy, a.zw), rem_i32(a.x, -7), mulhi_i32(a.y, a.z));
    unsigned_1 = uvec4(
        ((b.x << 5u) | uint(a.x >> (b.y & 31u))),
        bitfieldExtract(b.z, 8, 9),
        bit_insert_u32(b.x, b.y, b.z, b.w),
        uint(findMSB(b.w))
    );
    gl_Position = vec4(a);
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
