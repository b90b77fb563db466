struct FragmentInput {
    @location(0) v0: vec4f,
    @location(1) v1: vec4f,
}

struct FragmentOutput {
    @location(0) oc: vec4f,
    @location(1) fo1: vec4f,
    @location(2) fo2: vec4f,
    @builtin(frag_depth) od: f32,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    out.oc = in.v0;
    out.fo1 = in.v1;
    out.fo2 = fc[0];
    out.od = in.v0.z;
    return out;
}
