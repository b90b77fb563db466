struct PixelInput {
    float4 position : SV_Position;
    nointerpolation int4 n : TEXCOORD0;
    float4 v : TEXCOORD1;
};

struct PixelOutput {
    float4 o : SV_Target0;
    uint4 p : SV_Target1;
};

uint2 unpack_words(double x) {
    uint low;
    uint high;
    asuint(x, low, high);
    return uint2(low, high);
}

double pack_words(uint2 words) {
    return asdouble(words.x, words.y);
}

double sat_f64(double x) {
    return x > 0.0L ? min(x, 1.0L) : 0.0L;
}

double2 sat_f64(double2 x) {
    return double2(sat_f64(x.x), sat_f64(x.y));
}

double dot_f64(double2 a, double2 b) {
    return a.x * b.x + a.y * b.y;
}

double sum_f64(double2 a) {
    return a.x + a.y;
}

double sqrt_f64(double x) {
    uint high = unpack_words(x).y;
    if (x == 0.0L || x != x || high == 0x7ff00000u) {
        return x;
    }
    if (high >> 31 == 1u) {
        return pack_words(uint2(0u, 0x7ff80000u));
    }
    // A denormal times 2^54 is none.
    bool tiny = high < 0x00100000u;
    uint2 words = unpack_words(tiny ? x * 18014398509481984.0L : x);
    int exponent = int(words.y >> 20) - 1023;
    words.y = (words.y & 0xfffffu) | (uint(1023 + (exponent & 1)) << 20);
    double value = pack_words(words);
    double root = double(sqrt(float(value)));
    double step = 0.5L / root;
    root = fma(fma(-root, root, value), step, root);
    step = 0.5L / root;
    root = fma(fma(-root, root, value), step, root);
    root = fma(fma(-root, root, value), step, root);
    return root * pack_words(uint2(0u, uint(1023 + (exponent >> 1) - (tiny ? 27 : 0)) << 20));
}

double rsq_f64(double x) {
    return 1.0L / sqrt_f64(x);
}

double sign_f64(double x) {
    return x > 0.0L ? 1.0L : (x < 0.0L ? -1.0L : 0.0L);
}

double trunc_f64(double x) {
    uint2 words = unpack_words(x);
    int exponent = int((words.y >> 20) & 0x7ffu) - 1023;
    if (exponent < 0) {
        return pack_words(uint2(0u, words.y & 0x80000000u));
    }
    if (exponent >= 52) {
        return x;
    }
    if (exponent < 20) {
        return pack_words(uint2(0u, words.y & ~(0xfffffu >> uint(exponent))));
    }
    return pack_words(uint2(words.x & ~(0xffffffffu >> uint(exponent - 20)), words.y));
}

double round_f64(double x) {
    double whole = trunc_f64(x);
    double rest = abs(x - whole);
    bool odd = trunc_f64(whole * 0.5L) != whole * 0.5L;
    if (rest > 0.5L || (rest == 0.5L && odd)) {
        return x < 0.0L ? whole - 1.0L : whole + 1.0L;
    }
    return whole;
}

double2 select_lanes(double2 no, double2 yes, bool2 by) {
    return double2(by.x ? yes.x : no.x, by.y ? yes.y : no.y);
}

int frexp_exponent_f64(double x) {
    uint high = unpack_words(x).y & 0x7fffffffu;
    if ((high | unpack_words(x).x) == 0u || high >= 0x7ff00000u) {
        return 0;
    }
    double value = high < 0x00100000u ? x * 18014398509481984.0 : x;
    int exponent = int((unpack_words(value).y >> 20) & 0x7ffu);
    return exponent - (high < 0x00100000u ? 1076 : 1022);
}

double frexp_fraction_f64(double x) {
    uint high = unpack_words(x).y & 0x7fffffffu;
    if ((high | unpack_words(x).x) == 0u || high >= 0x7ff00000u) {
        return x;
    }
    // A denormal times 2^54 is none.
    double value = high < 0x00100000u ? x * 18014398509481984.0 : x;
    uint low = unpack_words(value).x;
    return pack_words(uint2(low, (unpack_words(value).y & 0x800fffffu) | 0x3fe00000u));
}

double ldexp_f64(double x, int n) {
    double value = x;
    int left = clamp(n, -3000, 3000);
    while (left > 1023) {
        value = value * pack_words(uint2(0u, 0x7fe00000u));
        left = left - 1023;
    }
    // By less than a denormal can lose, so that only the last step rounds.
    while (left < -1022) {
        value = value * pack_words(uint2(0u, 0x03600000u));
        left = left + 969;
    }
    return value * pack_words(uint2(0u, uint(left + 1023) << 20));
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
    return unpack_words(x).y;
}

uint2 high_f64_2(double2 x) {
    return uint2(
        high_f64(x.x),
        high_f64(x.y)
    );
}

uint low_f64(double x) {
    return unpack_words(x).x;
}

uint2 low_f64_2(double2 x) {
    return uint2(
        low_f64(x.x),
        low_f64(x.y)
    );
}

double pack_f64(uint low, uint high) {
    return pack_words(uint2(low, high));
}

double2 pack_f64_2(uint2 low, uint2 high) {
    return double2(
        pack_f64(low.x, high.x),
        pack_f64(low.y, high.y)
    );
}

PixelOutput main(PixelInput input) {
    PixelOutput output;
    uint4 t = uint4(input.n);
    double2 t_1 = pack_f64_2(t.xz, t.yw);
    double t_2 = t_1.x + pack_f64(t.x, t.w);
    double2 t_3 = t_1 * fma(t_2 * pack_f64(t.x, t.w), 2.5L, t_2) + double2(asdouble(0u, 2146435072u), asdouble(2024u, 0u));
    double2 t_4 = 1.0 / sat_f64(t_3);
    double2 t_5 = select_lanes(t_1, t_4, t_4 < t_1);
    output.o = float4(
        float(frexp_fraction_f64(ldexp_f64(dot_f64(t_5, t_4), input.n.x))),
        float(frexp_exponent_f64(sum_f64(t_5))),
        float2(t_5)
    );
    uint2 t_6 = low_f64_2(t_3);
    double t_7 = rsq_f64(double(input.v.x));
    double t_8 = -sign_f64(round_f64(t_7));
    output.p = uint4(
        t_6.x + (low_f64(t_7) + f64_to_u32(t_8 / t_7) + uint(f64_to_i32(t_8))),
        t_6.y,
        high_f64_2(t_3)
    );
    return output;
}
