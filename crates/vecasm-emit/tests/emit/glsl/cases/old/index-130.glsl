#version 130

uniform vec4 c[8];

in vec4 varying_0;

out vec4 o;

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
    o = c[clamp(f32_to_i32(varying_0.x), -1, 6) + 1];
}
