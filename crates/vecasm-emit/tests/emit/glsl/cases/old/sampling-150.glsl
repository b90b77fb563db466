#version 150 core

uniform sampler2D flat_1;
uniform samplerCube sky;

layout(origin_upper_left) in vec4 gl_FragCoord;

in vec4 varying_0;
in vec4 varying_1;

out vec4 o;
out vec4 p;

void main() {
    vec4 t = texture(flat_1, varying_0.xy, varying_1.x);
    vec4 t_1 = textureGrad(flat_1, varying_0.xy, varying_1.xy, varying_1.zw);
    o = t + textureLod(flat_1, varying_0.xy, varying_1.y);
    p = t_1 + texture(sky, varying_0.xyz);
    gl_FragDepth = gl_FragCoord.z + dFdx(varying_0.x);
}
