#version 460 core
#extension GL_ARB_shader_clock : require
#extension GL_ARB_shader_stencil_export : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(binding = 0) uniform sampler2DArray t;

layout(location = 0) in vec4 v;
layout(location = 1) in vec4 w;

layout(location = 0) out vec4 o;
layout(location = 1) out uvec4 p;
uint stencil;

vec2 read_invocation(vec2 value, uint number) {
    bool inside = number < gl_SubgroupSize;
    vec2 there = subgroupShuffle(value, inside ? number : 0u);
    return inside ? there : vec2(0);
}

void main() {
    bool t_r = v.x < v.y;
    bool t_r_1 = subgroupAny(t_r && !gl_HelperInvocation);
    bool t_r_2 = subgroupAll(t_r || gl_HelperInvocation);
    bool t_r_3 = subgroupAllEqual(floatBitsToUint(v));
    uvec2 t_r_4 = subgroupBallot(t_r && !gl_HelperInvocation).xy;
    vec4 t_r_5 = subgroupBroadcastFirst(v);
    vec2 t_r_6 = read_invocation(v.xy, t_r_4.x);
    vec2 t_r_7 = interpolateAtCentroid(w).xy;
    vec2 t_r_8 = interpolateAtOffset(w, v.zw * vec2(1.0, -1.0)).xy;
    o = vec4(
        (gl_HelperInvocation ? t_r_7 + t_r_8 : t_r_6) + textureQueryLod(t, v.xy),
        (t_r_1 && t_r_2) || t_r_3 ? t_r_5.zw : v.zw
    );
    uvec2 t_r_9 = clock2x32ARB();
    p = uvec4(t_r_9, gl_SubgroupSize, gl_SubgroupInvocationID);
    stencil = gl_SubgroupInvocationID;
    if (t_r) {
        discard;
    }
    gl_FragStencilRefARB = int(stencil);
}
