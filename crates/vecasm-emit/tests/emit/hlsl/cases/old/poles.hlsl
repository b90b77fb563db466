struct PixelInput {
    float4 v : TEXCOORD0;
};

float pow_ieee(float base, float exponent) {
    if (exponent == 0.0) {
        return 1.0;
    }
    bool broken = exponent != floor(exponent) && base >= -3.4028234663852886e+38;
    if (base < 0.0 && broken) {
        return 0.0;
    }
    float magnitude = pow(abs(base), exponent);
    bool odd = frac(exponent * 0.5) == 0.5;
    bool negative = base < 0.0 || (base == 0.0 && 1.0 / base < 0.0);
    return negative && odd ? -magnitude : magnitude;
}

float lit_specular(float diffuse, float specular, float exponent) {
    float base = specular > 0.0 ? specular : 0.0;
    float power = exponent >= -128.0 ? min(exponent, 128.0) : -128.0;
    return diffuse > 0.0 ? pow_ieee(base, power) : 0.0;
}

float round_even(float x) {
    float low = floor(abs(x));
    float rest = abs(x) - low;
    bool up = rest > 0.5 || (rest == 0.5 && frac(low * 0.5) == 0.5);
    float near = up ? low + 1.0 : low;
    return near == 0.0 ? x * 0.0 : (x < 0.0 ? -near : near);
}

bool is_negative(float x) {
    return x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
}

float mantissa(float x) {
    float value = abs(x);
    if (value != value) {
        return x;
    }
    if (value == 0.0 || value > 3.4028234663852886e+38) {
        return 1.0;
    }
    // By powers of two, without rounding.
    if (value >= 18446744073709551616.0) {
        value = value * 5.421010862427522e-20;
    }
    if (value >= 4294967296.0) {
        value = value * 2.3283064365386963e-10;
    }
    if (value >= 65536.0) {
        value = value * 1.52587890625e-05;
    }
    if (value >= 256.0) {
        value = value * 0.00390625;
    }
    if (value >= 16.0) {
        value = value * 0.0625;
    }
    if (value >= 4.0) {
        value = value * 0.25;
    }
    if (value >= 2.0) {
        value = value * 0.5;
    }
    if (value < 1.0842021724855044e-19) {
        value = value * 18446744073709551616.0;
    }
    if (value < 1.0842021724855044e-19) {
        value = value * 18446744073709551616.0;
    }
    if (value < 4.656612873077393e-10) {
        value = value * 4294967296.0;
    }
    if (value < 3.0517578125e-05) {
        value = value * 65536.0;
    }
    if (value < 0.0078125) {
        value = value * 256.0;
    }
    if (value < 0.125) {
        value = value * 16.0;
    }
    if (value < 0.5) {
        value = value * 4.0;
    }
    if (value < 1.0) {
        value = value * 2.0;
    }
    return value;
}

float exponent(float x) {
    float value = abs(x);
    if (value == 0.0) {
        return -3.4028234663852886e+38;
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

float rcc(float x) {
    if (x != x) {
        return x;
    }
    float magnitude = clamp(abs(1.0 / x), 5.421010862427522e-20, 18446744073709551616.0);
    return x < 0.0 || (x == 0.0 && 1.0 / x < 0.0) ? -magnitude : magnitude;
}

float4 main(PixelInput input) : COLOR0 {
    float t = exponent(input.v.y);
    return float4(
        3.4028234663852886e+38,
        (is_negative(input.v.w) ? round_even(t) : lit_specular(input.v.x, input.v.y, input.v.z)),
        mantissa(input.v.y),
        pow_ieee(input.v.x, input.v.y) + rcc(input.v.z)
    );
}
