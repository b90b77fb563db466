struct VertexInput {
    @location(0) a: vec4f,
    @location(1) n: vec2i,
}

struct VertexOutput {
    @builtin(position) pos: vec4f,
    @location(0) o1: vec4f,
    @location(1) o2: vec4f,
    @location(2) o3: vec4f,
}

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    var o1_array: array<vec4f, 3>;
    o1_array[1] = vec4f(0.0, 0.0, 0.0, 1.0);
    out.pos = in.a;
    o1_array[2].w = in.a.x;
    let at = clamp(in.n.x, 0, 2);
    o1_array[at] = vec4f(in.a.zw, o1_array[at].zw);
    if (in.n.y >= 1 && in.n.y <= 2) {
        o1_array[in.n.y] = in.a;
    }
    let t = select(vec4f(), o1_array[clamp(in.n.y, 0, 1)], clamp(in.n.y, 0, 1) == in.n.y);
    o1_array[0].z = t.x;
    out.o1 = o1_array[0];
    out.o2 = o1_array[1];
    out.o3 = o1_array[2];
    return out;
}
