struct VertexInput {
    @builtin(vertex_index) number: u32,
    @builtin(instance_index) instance: u32,
}

struct VertexOutput {
    @builtin(position) pos: vec4f,
    @location(0) @interpolate(flat) both: vec4u,
}

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    let t = rem_u32(in.number, in.instance);
    let t_1 = vec4u(in.number, in.instance, t, t);
    out.both = t_1;
    out.pos = vec4f(t_1);
    return out;
}

fn rem_u32(a: u32, b: u32) -> u32 {
    return select(a % b, 0xffffffffu, b == 0u);
}
