struct FragmentInput {
    @location(0) v0: vec4f,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    return sqrt(in.v0) + pow_ieee_4(in.v0, fc[0]);
}

fn pow_ieee_4(base: vec4f, exponent: vec4f) -> vec4f {
    let magnitude = pow(abs(base), exponent);
    let negative = (bitcast<vec4u>(base) & vec4u(0x80000000u)) == vec4u(0x80000000u);
    let odd = fract(exponent * 0.5) == vec4f(0.5);
    let broken = (base < vec4f(0.0)) & (base >= vec4f(-0x1.fffffep+127)) & (exponent != floor(exponent));
    let signed = select(magnitude, -magnitude, negative & odd);
    return select(select(signed, vec4f(bits_to_f32(0x7fc00000u)), broken), vec4f(1.0), exponent == vec4f(0.0));
}

fn bits_to_f32(bits: u32) -> f32 {
    return bitcast<f32>(bits);
}
