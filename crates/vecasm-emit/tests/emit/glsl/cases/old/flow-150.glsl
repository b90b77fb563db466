#version 150 core
#extension GL_ARB_shader_bit_encoding : require

layout(std140) uniform Vertex_vc {
    vec4 vc[96];
};

layout(std140) uniform Vertex_i {
    ivec4 i[3];
};

layout(std140) uniform Vertex_b {
    uvec4 b[1];
};

layout(std140) uniform Vertex_state {
    vec4 fog;
    vec4 unread;
};

in vec4 va0;
in vec4 va1;

out vec4 varying_0;

float pow_ieee(float base, float exponent) {
    if (exponent == 0.0) {
        return 1.0;
    }
    bool broken = exponent != floor(exponent) && base >= uintBitsToFloat(0xff7fffffu);
    if (base < 0.0 && broken) {
        return uintBitsToFloat(0x7fc00000u);
    }
    float magnitude = pow(abs(base), exponent);
    bool odd = fract(exponent * 0.5) == 0.5;
    return floatBitsToUint(base) >> 31 == 1u && odd ? -magnitude : magnitude;
}

float exponent(float x) {
    uint bits = floatBitsToUint(x) & 0x7fffffffu;
    if (bits == 0u || bits >= 0x7f800000u) {
        return uintBitsToFloat(bits == 0u ? 0xff800000u : bits);
    }
    // A denormal is so many times 2^-149.
    uint of = bits < 0x00800000u ? floatBitsToUint(float(bits)) : bits;
    return float(int(of >> 23) - (bits < 0x00800000u ? 276 : 127));
}

int f32_to_i32(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return x < -2147483648.0 ? -2147483647 - 1 : int(x);
}

void main() {
    int t = f32_to_i32(roundEven(va0.x));
    vec4 t_1 = vc[clamp(t, -2, 93) + 2];
    vec4 t_2 = (clamp(t, 1, 96) == t ? vc[clamp(t, 1, 96) - 1] : vec4(0.0));
    vec4 t_3;
    switch (t) {
        case 0: {
            t_3 = t_1;
            break;
        }
        case 1: case -2: {
            t_3 = t_2;
            break;
        }
        default: {
            t_3 = t_1 * t_2;
            break;
        }
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
    gl_Position = mix(va0, t_4, notEqual(b[0], uvec4(0u)));
    vec2 t_7 = trunc(va1.xy);
    varying_0 = vec4(
        mix(mix(t_7, -t_7, lessThan(floatBitsToInt(va1.yz), ivec2(0))), vec2(uintBitsToFloat(0x7fc00000u), uintBitsToFloat(0xff800000u)), equal(va0.xy, va1.xy)),
        pow_ieee(va1.x, va1.w),
        exponent(va1.w)
    );
    gl_PointSize = fog.x;
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
