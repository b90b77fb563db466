// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 p [[color(1)]];
    float4 q [[color(2)]];
};

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    texture2d<float> flat [[texture(0)]],
    sampler flat_sampler [[sampler(0)]], // state left to the host
    texture2d<float> other [[texture(1)]],
    sampler other_sampler [[sampler(1)]] // state left to the host
) {
    FragmentOutput out;
    bool t = in.v.x < in.v.y;
    float4 t_1 = flat.sample(flat_sampler, in.v.xy);
    out.o = t ? t_1 : in.v;
    out.p = t ? other.sample(other_sampler, in.v.xy, level(in.v.z)) : in.v;
    bool t_2 = dfdx(in.v.z) + in.v.w < in.v.w;
    float t_3 = dfdy(in.v.w);
    out.q = float4(t && t_2 ? (t_3 < in.v.w ? in.v.x : in.v.y) : in.v.z);
    return out;
}
