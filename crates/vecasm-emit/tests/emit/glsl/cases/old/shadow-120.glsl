#version 120
#extension GL_ARB_texture_rectangle : require

uniform sampler2DShadow shadow;
uniform sampler1D line;
uniform sampler3D volume;
uniform sampler2DRect pixels;

varying vec4 varying_0;

void main() {
    float t = shadow2D(shadow, vec3(varying_0.xy, varying_0.z)).x;
    vec4 t_1 = texture1D(line, varying_0.x);
    vec4 t_2 = texture3D(volume, varying_0.xyz);
    vec4 t_3 = texture2DRect(pixels, varying_0.xy);
    if (varying_0.w < 5.0) {
        discard;
    }
    gl_FragData[0] = (t + t_1) * (t_2 + t_3);
}
