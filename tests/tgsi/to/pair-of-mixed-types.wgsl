struct VertexInput {
    @location(0) IN_0: vec4f,
    @location(1) IN_1: vec4u,
}

struct Varyings {
    @builtin(position) OUT_0: vec4f,
    @location(0) OUT_4: vec4f,
    @location(2) @interpolate(flat) OUT_1: vec4u,
    @location(3) OUT_2: vec4f,
    @location(4) @interpolate(linear) OUT_3: vec4f,
}

@vertex
fn vertex_main(in: VertexInput) -> Varyings {
    var out: Varyings;
    out.OUT_0 = in.IN_0;
    out.OUT_1 = bitcast<vec4u>(in.IN_0 + bitcast<vec4f>(in.IN_1));
    out.OUT_2 = bitcast<vec4f>(bitcast<vec4i>(in.IN_1 + vec4u(1u, 2u, 3u, 4u)));
    out.OUT_3 = bitcast<vec4f>(in.IN_1);
    out.OUT_4 = in.IN_0 * bitcast<vec4f>(in.IN_1);
    return out;
}

@fragment
fn fragment_main(in: Varyings) -> @location(0) vec4f {
    let TEMP_0 = vec4f(bitcast<vec4i>(in.OUT_1 + in.OUT_1.wzyx));
    return (TEMP_0 + in.OUT_2 + in.OUT_3 + vec4f(bitcast<vec4u>(in.OUT_3) + in.OUT_1)) * in.OUT_4;
}
