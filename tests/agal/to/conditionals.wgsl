struct FragmentInput {
    @location(0) v0: vec4f,
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 2>;

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    var ft0: vec4f;
    if (in.v0.x < fc[1].x) {
        ft0 = in.v0 * fc[1].y;
    } else {
        let ft0_1 = select(fc[0].xy, in.v0.zw, in.v0.y > fc[1].z);
        ft0 = vec4f(ft0_1, fc[0].zw);
    }
    return ft0;
}
