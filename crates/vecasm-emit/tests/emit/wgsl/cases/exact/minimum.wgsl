struct VertexInput {
    @location(0) v0: vec4u,
}

struct VertexOutput {
    @builtin(position) oPos: vec4f,
    @location(3) oD0: vec4f,
}

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    let t = in.v0 ^ (bitcast<vec4u>(bitcast<vec4i>(in.v0) >> vec4u(31u)) | vec4u(2147483648u));
    let t_1 = bitcast<vec4i>(in.v0.wzyx) >> vec4u(31u);
    let t_2 = select(in.v0.wzyx, in.v0, t < (in.v0.wzyx ^ (bitcast<vec4u>(t_1) | vec4u(2147483648u))));
    out.oPos = bitcast<vec4f>(t_2) / 640.0;
    out.oD0 = bitcast<vec4f>(t_2);
    return out;
}
