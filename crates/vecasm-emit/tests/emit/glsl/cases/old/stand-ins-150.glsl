#version 150 core

uniform sampler1D line;
uniform usampler2DRect sheet;
uniform sampler2DRectShadow shade;

in vec4 varying_0;

out vec4 o;

void main() {
    vec4 t = texture(line, varying_0.x);
    uvec4 t_1 = texture(sheet, varying_0.zw);
    o = t + vec4(t_1) + texture(shade, vec3(varying_0.zw, varying_0.y));
}
