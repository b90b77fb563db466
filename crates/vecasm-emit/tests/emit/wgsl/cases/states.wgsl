struct FragmentInput {
    @location(0) v: vec4f,
}

struct FragmentState {
    bump_matrix_1: vec4f,
    @size(16) fog: f32,
    @size(16) two_sided: u32,
    @size(16) count: vec2u,
}

@group(1) @binding(80) var<uniform> state: FragmentState;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    return select(in.v, in.v * state.bump_matrix_1, state.two_sided != 0u) * (state.fog * f32(state.count.y));
}
