struct FragmentInput {
    @location(0) v: vec4f,
}

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    var t: f32;
    var t_1: f32;
    var t_2: f32;
    var t_3 = in.v.x;
    var t_4 = in.v.y;
    var t_5 = in.v.z;
    loop {
        if (t_5 < 0.5) {
            t = t_3;
            t_1 = t_4;
            t_2 = t_5;
            break;
        }
        t_5 = t_5 + t_3;
        let next_0 = t_4;
        let next_1 = t_3;
        t_3 = next_0;
        t_4 = next_1;
    }
    return vec4f(t, t_1, t_2, in.v.w);
}
