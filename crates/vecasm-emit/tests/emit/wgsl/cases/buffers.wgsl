struct FragmentInput {
    @location(0) v: vec4f,
}

@group(1) @binding(96) var<storage, read> table: array<u32>;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    return bitcast<vec4f>(load_4_table(f32_to_u32(in.v.x))) + f32(load_table(8u));
}

fn load_4_table(offset: u32) -> vec4u {
    let at = offset >> 2u;
    if (at + 3u >= arrayLength(&table)) {
        return vec4u();
    }
    return vec4u(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
}

fn load_table(offset: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= arrayLength(&table)) {
        return u32();
    }
    return table[at];
}

fn f32_to_u32(x: f32) -> u32 {
    let near = select(u32(x), 0xffffffffu, x >= 4294967296.0);
    return select(near, 0u, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}
