#version 120

uniform vec4 c[8];

varying vec4 varying_0;

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
    gl_FragData[0] = c[int(clamp(float(f32_to_i32(varying_0.x)), -1.0, 6.0)) + 1];
}
