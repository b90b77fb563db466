struct PixelInput {
    float4 position : SV_Position;
    float4 v : TEXCOORD0;
    nointerpolation int4 n : TEXCOORD1;
};

float4 main(PixelInput input) : SV_Target0 {
    float4 t;
    switch (input.n.x & 3) {
        case 0: {
            t = input.v;
            break;
        }
        case 1: case -2: {
            t = input.v * input.v;
            break;
        }
        default: {
            t = float4(input.v.w, input.v.z, input.v.y, input.v.x);
            break;
        }
    }
    float4 t_1;
    int t_2 = 0;
    float4 t_3 = t;
    bool leave_0 = false;
    for (;;) {
        bool again_0 = false;
        if (t_2 >= 7) {
            t_1 = t_3;
            break;
        }
        int t_4 = t_2 + 1;
        float4 t_5;
        switch (t_2 & 3) {
            case 0: {
                t_2 = t_4;
                t_3 = t_3.yzwx;
                again_0 = true;
                break;
            }
            case 2: {
                t_1 = t_3 + input.v;
                leave_0 = true;
                break;
            }
            default: {
                t_5 = t_3.wzyx;
                break;
            }
        }
        if (again_0) {
            continue;
        }
        if (leave_0) {
            break;
        }
        t_2 = t_4;
        t_3 = t_5;
    }
    return t_1;
}
