struct VertexInput {
    @location(0) v0: vec4u,
    @location(3) v3: vec4u,
}

struct VertexOutput {
    @builtin(position) oPos: vec4f,
    @location(3) oD0: vec4f,
    @location(9) oT0: vec4f,
}

struct VertexState {
    @size(16) fade: u32,
}

@group(0) @binding(0) var<uniform> c: array<vec4u, 6>;
@group(0) @binding(80) var<uniform> state: VertexState;

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    out.oPos = bitcast<vec4f>(in.v0);
    out.oD0 = bitcast<vec4f>(vec4u(c[5].xyz, state.fade));
    out.oT0 = vec4f(bitcast<f32>(in.v3.x ^ 2147483648u), 0.0, 0.0, 0.0);
    return out;
}
