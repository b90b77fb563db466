#version 120
#extension GL_ARB_shader_texture_lod : require

uniform sampler2D flat_1;
uniform samplerCube sky;

varying vec4 varying_0;
varying vec4 varying_1;

void main() {
    vec4 t = texture2D(flat_1, varying_0.xy, varying_1.x);
    vec4 t_1 = texture2DGradARB(flat_1, varying_0.xy, varying_1.xy, varying_1.zw);
    gl_FragData[0] = t + texture2DLod(flat_1, varying_0.xy, varying_1.y);
    gl_FragData[1] = t_1 + textureCube(sky, varying_0.xyz);
    gl_FragDepth = gl_FragCoord.z + dFdx(varying_0.x);
}
