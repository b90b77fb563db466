struct FragmentInput {
    @location(0) v: vec4f,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4f,
    @location(2) q: vec4f,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    out.p = vec4f(0.0, 0.0, 0.0, 1.0);
    out.o = in.v;
    return out;
}
