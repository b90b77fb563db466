#version 120

uniform vec4 vc[96];

uniform ivec4 i[3];

uniform bvec4 b[1];

uniform vec4 fog;

attribute vec4 va0;
attribute vec4 va1;

varying vec4 varying_0;

vec4 select_lanes(vec4 no, vec4 yes, bvec4 by) {
    return vec4(by.x ? yes.x : no.x, by.y ? yes.y : no.y, by.z ? yes.z : no.z, by.w ? yes.w : no.w);
}

vec2 select_lanes(vec2 no, vec2 yes, bvec2 by) {
    return vec2(by.x ? yes.x : no.x, by.y ? yes.y : no.y);
}

float pow_ieee(float base, float exponent) {
    if (exponent == 0.0) {
        return 1.0;
    }
    bool broken = exponent != floor(exponent) && base >= -3.4028234663852886e+38;
    if (base < 0.0 && broken) {
        return 0.0 / 0.0;
    }
    float magnitude = pow(abs(base), exponent);
    bool odd = fract(exponent * 0.5) == 0.5;
    bool negative = base < 0.0 || (base == 0.0 && 1.0 / base < 0.0);
    return negative && odd ? -magnitude : magnitude;
}

float round_even(float x) {
    float low = floor(abs(x));
    float rest = abs(x) - low;
    bool up = rest > 0.5 || (rest == 0.5 && fract(low * 0.5) == 0.5);
    float near = up ? low + 1.0 : low;
    return near == 0.0 ? x * 0.0 : (x < 0.0 ? -near : near);
}

float truncate(float x) {
    return x < 0.0 ? ceil(x) : floor(x);
}

vec2 truncate_2(vec2 x) {
    return vec2(
        truncate(x.x),
        truncate(x.y)
    );
}

bool is_negative(float x) {
    return x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
}

bvec2 is_negative_2(vec2 x) {
    return bvec2(
        is_negative(x.x),
        is_negative(x.y)
    );
}

float exponent(float x) {
    float value = abs(x);
    if (value == 0.0) {
        return -1.0 / 0.0;
    }
    if (!(value <= 3.4028234663852886e+38)) {
        return value;
    }
    // By powers of two, without rounding.
    float exponent = 0.0;
    if (value >= 18446744073709551616.0) {
        value = value * 5.421010862427522e-20;
        exponent = exponent + 64.0;
    }
    if (value >= 4294967296.0) {
        value = value * 2.3283064365386963e-10;
        exponent = exponent + 32.0;
    }
    if (value >= 65536.0) {
        value = value * 1.52587890625e-05;
        exponent = exponent + 16.0;
    }
    if (value >= 256.0) {
        value = value * 0.00390625;
        exponent = exponent + 8.0;
    }
    if (value >= 16.0) {
        value = value * 0.0625;
        exponent = exponent + 4.0;
    }
    if (value >= 4.0) {
        value = value * 0.25;
        exponent = exponent + 2.0;
    }
    if (value >= 2.0) {
        value = value * 0.5;
        exponent = exponent + 1.0;
    }
    if (value < 1.0842021724855044e-19) {
        value = value * 18446744073709551616.0;
        exponent = exponent - 64.0;
    }
    if (value < 1.0842021724855044e-19) {
        value = value * 18446744073709551616.0;
        exponent = exponent - 64.0;
    }
    if (value < 4.656612873077393e-10) {
        value = value * 4294967296.0;
        exponent = exponent - 32.0;
    }
    if (value < 3.0517578125e-05) {
        value = value * 65536.0;
        exponent = exponent - 16.0;
    }
    if (value < 0.0078125) {
        value = value * 256.0;
        exponent = exponent - 8.0;
    }
    if (value < 0.125) {
        value = value * 16.0;
        exponent = exponent - 4.0;
    }
    if (value < 0.5) {
        value = value * 4.0;
        exponent = exponent - 2.0;
    }
    if (value < 1.0) {
        value = value * 2.0;
        exponent = exponent - 1.0;
    }
    return exponent;
}

int f32_to_i32(float x) {
    if (x != x) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return x < -2147483648.0 ? -2147483647 - 1 : int(x);
}

void main() {
    int t = f32_to_i32(round_even(va0.x));
    vec4 t_1 = vc[int(clamp(float(t), -2.0, 93.0)) + 2];
    vec4 t_2 = (int(clamp(float(t), 1.0, 96.0)) == t ? vc[int(clamp(float(t), 1.0, 96.0)) - 1] : vec4(0.0));
    vec4 t_3;
    int selector = t;
    if (selector == 0) {
        t_3 = t_1;
    } else if (selector == 1 || selector == -2) {
        t_3 = t_2;
    } else {
        t_3 = t_1 * t_2;
    }
    vec4 t_4;
    int t_5 = i[0].x;
    vec4 t_6 = t_3;
    for (;;) {
        if (t_5 < 1) {
            t_4 = t_6;
            break;
        }
        t_5 = t_5 - 1;
        t_6 = t_6 + va1;
    }
    gl_Position = select_lanes(va0, t_4, b[0]);
    vec2 t_7 = truncate_2(va1.xy);
    varying_0 = vec4(
        select_lanes(select_lanes(t_7, -t_7, is_negative_2(va1.yz)), vec2((0.0 / 0.0), (-1.0 / 0.0)), equal(va0.xy, va1.xy)),
        pow_ieee(va1.x, va1.w),
        exponent(va1.w)
    );
    gl_PointSize = fog.x;
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
