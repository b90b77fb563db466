#version 100
#extension GL_OES_standard_derivatives : require
#extension GL_EXT_draw_buffers : enable
#extension GL_EXT_frag_depth : require
#extension GL_EXT_shader_texture_lod : require

precision highp float;
precision highp int;

uniform highp sampler2D flat_1;
uniform highp samplerCube sky;

varying vec4 varying_0;
varying vec4 varying_1;

void main() {
    vec4 t = texture2D(flat_1, varying_0.xy, varying_1.x);
    vec4 t_1 = texture2DGradEXT(flat_1, varying_0.xy, varying_1.xy, varying_1.zw);
    gl_FragData[0] = t + texture2DLodEXT(flat_1, varying_0.xy, varying_1.y);
    gl_FragData[1] = t_1 + textureCube(sky, varying_0.xyz);
    gl_FragDepthEXT = gl_FragCoord.z + dFdx(varying_0.x);
}
