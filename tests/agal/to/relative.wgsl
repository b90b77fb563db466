struct VertexInput {
    @location(0) va0: vec4f,
    @location(1) va1: vec4f,
}

struct VertexOutput {
    @builtin(position) op: vec4f,
    @location(0) v0: vec4f,
}

@group(0) @binding(0) var<uniform> vc: array<vec4f, 128>;

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    out.op = vec4f(
        dot(in.va0, vc[clamp(i32(in.va1.z), -8, 119) + 8]),
        dot(in.va0, vc[clamp(i32(in.va1.z), -9, 118) + 9]),
        dot(in.va0, vc[clamp(i32(in.va1.z), -10, 117) + 10]),
        dot(in.va0, vc[clamp(i32(in.va1.z), -11, 116) + 11]),
    );
    out.v0 = vc[clamp(i32(in.va1.x), -4, 123) + 4] * in.va1.y;
    return out;
}
