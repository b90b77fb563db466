struct FragmentInput {
    @location(0) v: vec4f,
    @location(1) @interpolate(flat) n: vec4i,
}

@fragment
fn main(in: FragmentInput) -> @location(0) vec4f {
    var t: vec4f;
    switch (in.n.x & 3) {
        case 0: {
            t = in.v;
        }
        case 1, -2: {
            t = in.v * in.v;
        }
        default: {
            t = vec4f(in.v.w, in.v.z, in.v.y, in.v.x);
        }
    }
    var t_1: vec4f;
    var t_2 = 0;
    var t_3 = t;
    var leave_0 = false;
    loop {
        var again_0 = false;
        if (t_2 >= 7) {
            t_1 = t_3;
            break;
        }
        let t_4 = t_2 + 1;
        var t_5: vec4f;
        switch (t_2 & 3) {
            case 0: {
                t_2 = t_4;
                t_3 = t_3.yzwx;
                continue;
            }
            case 2: {
                t_1 = t_3 + in.v;
                leave_0 = true;
                break;
            }
            default: {
                t_5 = t_3.wzyx;
            }
        }
        if (leave_0) {
            break;
        }
        t_2 = t_4;
        t_3 = t_5;
    }
    return t_1;
}
