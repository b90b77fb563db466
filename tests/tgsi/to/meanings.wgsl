struct VertexInput {
    @location(0) IN_0: vec4f,
}

struct Varyings {
    @builtin(position) OUT_0: vec4f,
    @location(0) color: vec4f,
    @location(1) generic9: vec4f,
}

@vertex
fn vertex_main(in: VertexInput) -> Varyings {
    var out: Varyings;
    out.OUT_0 = in.IN_0;
    out.generic9 = in.IN_0.wzyx;
    out.color = in.IN_0;
    return out;
}

@fragment
fn fragment_main(in: Varyings) -> @location(0) vec4f {
    return in.color + in.generic9;
}
