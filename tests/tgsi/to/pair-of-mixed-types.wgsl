struct VertexInput {
    @location(0) IN_0: vec4f,
    @location(1) IN_1: vec4u,
}

struct Varyings {
    @builtin(position) OUT_0: vec4f,
    @location(0) color: vec4f,
    @location(2) @interpolate(flat) generic0: vec4u,
    @location(3) generic1: vec4f,
    @location(4) @interpolate(linear) generic2: vec4f,
}

@vertex
fn vertex_main(in: VertexInput) -> Varyings {
    var out: Varyings;
    out.OUT_0 = in.IN_0;
    out.generic0 = bitcast<vec4u>(in.IN_0 + bitcast<vec4f>(in.IN_1));
    out.generic1 = bitcast<vec4f>(bitcast<vec4i>(in.IN_1 + vec4u(1u, 2u, 3u, 4u)));
    out.generic2 = bitcast<vec4f>(in.IN_1);
    out.color = in.IN_0 * bitcast<vec4f>(in.IN_1);
    return out;
}

@fragment
fn fragment_main(in: Varyings) -> @location(0) vec4f {
    let TEMP_0 = vec4f(bitcast<vec4i>(in.generic0 + in.generic0.wzyx));
    return (TEMP_0 + in.generic1 + in.generic2 + vec4f(bitcast<vec4u>(in.generic2) + in.generic0)) * in.color;
}
