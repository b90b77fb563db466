struct FragmentInput {
    @builtin(position) place: vec4f,
    @location(0) @interpolate(flat) flat: vec4f,
    @location(1) @interpolate(linear, centroid) linear: vec2f,
    @builtin(front_facing) front: bool,
    @builtin(sample_index) sample: u32,
    @builtin(sample_mask) covered: u32,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @builtin(frag_depth) depth: f32,
    @builtin(sample_mask) mask: u32,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    out.o = select(in.flat, in.place, in.front);
    out.depth = in.linear.y;
    out.mask = in.sample ^ in.covered;
    return out;
}
