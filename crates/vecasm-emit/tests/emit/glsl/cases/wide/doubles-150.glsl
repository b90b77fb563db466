#version 150 core
#extension GL_ARB_gpu_shader_fp64 : require

flat in ivec4 varying_0;
in vec4 varying_1;

out vec4 o;
out uvec4 p;

dvec2 select_lanes(dvec2 no, dvec2 yes, bvec2 by) {
    return dvec2(by.x ? yes.x : no.x, by.y ? yes.y : no.y);
}

int frexp_exponent_f64(double x) {
    uint high = unpackDouble2x32(x).y & 0x7fffffffu;
    if ((high | unpackDouble2x32(x).x) == 0u || high >= 0x7ff00000u) {
        return 0;
    }
    double value = high < 0x00100000u ? x * 18014398509481984.0 : x;
    int exponent = int((unpackDouble2x32(value).y >> 20) & 0x7ffu);
    return exponent - (high < 0x00100000u ? 1076 : 1022);
}

double frexp_fraction_f64(double x) {
    uint high = unpackDouble2x32(x).y & 0x7fffffffu;
    if ((high | unpackDouble2x32(x).x) == 0u || high >= 0x7ff00000u) {
        return x;
    }
    // A denormal times 2^54 is none.
    double value = high < 0x00100000u ? x * 18014398509481984.0 : x;
    uint low = unpackDouble2x32(value).x;
    return packDouble2x32(uvec2(low, (unpackDouble2x32(value).y & 0x800fffffu) | 0x3fe00000u));
}

double ldexp_f64(double x, int n) {
    double value = x;
    int left = clamp(n, -3000, 3000);
    while (left > 1023) {
        value = value * packDouble2x32(uvec2(0u, 0x7fe00000u));
        left = left - 1023;
    }
    // By less than a denormal can lose, so that only the last step rounds.
    while (left < -1022) {
        value = value * packDouble2x32(uvec2(0u, 0x03600000u));
        left = left + 969;
    }
    return value * packDouble2x32(uvec2(0u, uint(left + 1023) << 20));
}

uint f64_to_u32(double x) {
    if (!(x > 0.0)) {
        return 0u;
    }
    return x >= 4294967296.0 ? 0xffffffffu : uint(x);
}

int f64_to_i32(double x) {
    if (x != x) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return x < -2147483648.0 ? -2147483647 - 1 : int(x);
}

uint high_f64(double x) {
    return unpackDouble2x32(x).y;
}

uvec2 high_f64_2(dvec2 x) {
    return uvec2(
        high_f64(x.x),
        high_f64(x.y)
    );
}

uint low_f64(double x) {
    return unpackDouble2x32(x).x;
}

uvec2 low_f64_2(dvec2 x) {
    return uvec2(
        low_f64(x.x),
        low_f64(x.y)
    );
}

double pack_f64(uint low, uint high) {
    return packDouble2x32(uvec2(low, high));
}

dvec2 pack_f64_2(uvec2 low, uvec2 high) {
    return dvec2(
        pack_f64(low.x, high.x),
        pack_f64(low.y, high.y)
    );
}

void main() {
    uvec4 t = uvec4(varying_0);
    dvec2 t_1 = pack_f64_2(t.xz, t.yw);
    double t_2 = t_1.x + pack_f64(t.x, t.w);
    dvec2 t_3 = t_1 * fma(t_2 * pack_f64(t.x, t.w), 2.5LF, t_2) + dvec2(packDouble2x32(uvec2(0u, 2146435072u)), packDouble2x32(uvec2(2024u, 0u)));
    dvec2 t_4 = 1.0 / clamp(t_3, 0.0, 1.0);
    dvec2 t_5 = select_lanes(t_1, t_4, lessThan(t_4, t_1));
    o = vec4(
        float(frexp_fraction_f64(ldexp_f64(dot(t_5, t_4), varying_0.x))),
        float(frexp_exponent_f64(dot(t_5, dvec2(1.0)))),
        vec2(t_5)
    );
    uvec2 t_6 = low_f64_2(t_3);
    double t_7 = inversesqrt(double(varying_1.x));
    double t_8 = -sign(roundEven(t_7));
    p = uvec4(
        t_6.x + (low_f64(t_7) + f64_to_u32(t_8 / t_7) + uint(f64_to_i32(t_8))),
        t_6.y,
        high_f64_2(t_3)
    );
}
