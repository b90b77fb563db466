struct VertexInput {
    @location(0) va0: vec4f,
    @location(1) va1: vec4f,
    @location(2) va2: vec4f,
}

struct VertexOutput {
    @builtin(position) op: vec4f,
    @location(0) v0: vec4f,
    @location(1) v1: vec4f,
}

@group(0) @binding(0) var<uniform> vc: array<vec4f, 8>;

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    out.op = vec4f(dot(in.va0, vc[0]), dot(in.va0, vc[1]), dot(in.va0, vc[2]), dot(in.va0, vc[3]));
    let vt0 = vec3f(
        dot(in.va1.xyz, vc[4].xyz),
        dot(in.va1.xyz, vc[5].xyz),
        dot(in.va1.xyz, vc[6].xyz),
    );
    out.v0 = vec4f(vt0 * inverseSqrt(dot(vt0, vt0)), vc[7].x);
    out.v1 = in.va2;
    return out;
}
