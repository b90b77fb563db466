struct VertexInput {
    @location(0) a: vec4i,
    @location(1) b: vec4u,
}

struct VertexOutput {
    @builtin(position) pos: vec4f,
    @location(0) @interpolate(flat) signed: vec4i,
    @location(1) @interpolate(flat) unsigned: vec4u,
}

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    out.signed = vec4i(div_i32_2(in.a.xy, in.a.zw), in.a.x % -7, mulhi_i32(in.a.y, in.a.z));
    out.unsigned = vec4u(
        ((in.b.x << 5u) | bitcast<u32>(in.a.x >> in.b.y)),
        extractBits(in.b.z, 8u, 9u),
        bit_insert_u32(in.b.x, in.b.y, in.b.z, in.b.w),
        u32(i32(firstLeadingBit(in.b.w))),
    );
    out.pos = vec4f(in.a);
    return out;
}

fn div_i32_2(a: vec2i, b: vec2i) -> vec2i {
    return vec2i(
        div_i32(a.x, b.x),
        div_i32(a.y, b.y),
    );
}

fn div_i32(a: i32, b: i32) -> i32 {
    return select(a / b, 0, b == 0);
}

fn mulhi_i32(a: i32, b: i32) -> i32 {
    let high = mulhi_u32(bitcast<u32>(a), bitcast<u32>(b));
    // As an unsigned number a negative one is 2^32 larger.
    return bitcast<i32>(high - select(0u, bitcast<u32>(b), a < 0) - select(0u, bitcast<u32>(a), b < 0));
}

fn mulhi_u32(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);
}

fn bit_insert_u32(x: u32, y: u32, offset: u32, count: u32) -> u32 {
    return select(insertBits(x, y, offset & 31u, min(count, 31u)), y, count >= 32u);
}
