struct VertexInput {
    @location(0) va0: vec4f,
    @location(1) va1: vec4f,
}

struct Varyings {
    @builtin(position) op: vec4f,
    @location(0) v0: vec4f,
}

@group(0) @binding(0) var<uniform> vc: array<vec4f, 4>;

@vertex
fn vertex_main(in: VertexInput) -> Varyings {
    var out: Varyings;
    out.op = vec4f(dot(in.va0, vc[0]), dot(in.va0, vc[1]), dot(in.va0, vc[2]), dot(in.va0, vc[3]));
    out.v0 = in.va1;
    return out;
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;
@group(1) @binding(16) var fs0: texture_2d<f32>;
@group(1) @binding(48) var fs0_sampler: sampler; // clamp, linear, between levels

@fragment
fn fragment_main(in: Varyings) -> @location(0) vec4f {
    return textureSampleBias(fs0, fs0_sampler, in.v0.xy, -0.5) * fc[0];
}
