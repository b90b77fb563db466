#version 130
#extension GL_ARB_texture_rectangle : require

uniform sampler2DShadow shadow;
uniform sampler1D line;
uniform sampler3D volume;
uniform sampler2DRect pixels;

in vec4 varying_0;

out vec4 o;

void main() {
    float t = texture(shadow, vec3(varying_0.xy, varying_0.z));
    vec4 t_1 = texture(line, varying_0.x);
    vec4 t_2 = texture(volume, varying_0.xyz);
    vec4 t_3 = texture(pixels, varying_0.xy);
    if (varying_0.w < 5.0) {
        discard;
    }
    o = (t + t_1) * (t_2 + t_3);
}
