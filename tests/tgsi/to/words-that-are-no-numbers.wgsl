struct FragmentInput {
    @location(2) generic0: vec4f,
}

struct FragmentOutput {
    @location(0) OUT_0: vec4f,
    @location(1) OUT_1: vec4f,
    @location(2) OUT_2: vec4f,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    out.OUT_0 = in.generic0 + vec4f(bits_to_f32(0x7fc00000u), bits_to_f32(0x7f800000u), bits_to_f32(0xff800000u), bits_to_f32(0x00000001u));
    out.OUT_1 = vec4f(bits_to_f32(0x7fc00000u), bits_to_f32(0x7f800000u), bits_to_f32(0xff800000u), 0x1.fffffep+127) * in.generic0;
    out.OUT_2 = vec4f(bits_to_f32(0x7f800000u), bits_to_f32(0x7fc00000u), bits_to_f32(0xff800000u), bits_to_f32(0x7f800000u)) + in.generic0;
    return out;
}

fn bits_to_f32(bits: u32) -> f32 {
    return bitcast<f32>(bits);
}
