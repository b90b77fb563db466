struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) @interpolate(flat) n: vec4i,
}

struct FragmentOutput {
    @location(0) o: vec4f,
    @location(1) p: vec4i,
}

@fragment
fn main(in: FragmentInput) -> FragmentOutput {
    var out: FragmentOutput;
    var TEMP_1: array<vec4f, 4>;
    var counts: array<vec4i, 3>;
    TEMP_1[0] = in.v;
    TEMP_1[3] = vec4f(in.v.w, TEMP_1[3].y, in.v.y, TEMP_1[3].w);
    if (in.n.x >= -1 && in.n.x <= 2) {
        TEMP_1[in.n.x + 1] = in.v.wzyx;
    }
    let at = clamp(in.n.y, 0, 3);
    TEMP_1[at] = vec4f(TEMP_1[at].x, in.v.x, TEMP_1[at].z, in.v.x);
    if (in.n.z >= 0 && in.n.z <= 2) {
        counts[in.n.z].x = in.n.w;
    }
    let t = select(vec4f(), TEMP_1[clamp(in.n.z, 0, 3)], clamp(in.n.z, 0, 3) == in.n.z);
    out.o = t + TEMP_1[clamp(in.n.w, 1, 4) - 1] - TEMP_1[3];
    let t_1 = counts[1];
    let t_2 = counts[2];
    counts[2] = t_1;
    out.p = t_1 + t_2;
    return out;
}
