// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    uint4 n [[user(locn1), flat]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    uint4 p [[color(1)]];
};

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    texture2d<float> a [[texture(0)]],
    sampler a_sampler [[sampler(0)]], // state left to the host
    texture2d<float> b [[texture(1)]],
    sampler b_sampler [[sampler(1)]], // state left to the host
    texture2d<float> c [[texture(2)]],
    sampler c_sampler [[sampler(2)]] // state left to the host
) {
    FragmentOutput out;
    float4 t = c.sample(c_sampler, in.v.xy);
    float4 t_1 = in.n.x == 2u ? t : float4(0.0, 0.0, 0.0, 1.0);
    float4 t_2 = b.sample(b_sampler, in.v.xy);
    float4 t_3 = a.sample(a_sampler, in.v.xy);
    out.o = in.n.x == 0u ? t_3 : (in.n.x == 1u ? t_2 : t_1);
    uint4 t_4 = uint4(c.get_width(), c.get_height(), 0u, c.get_num_mip_levels());
    uint4 t_5 = uint4(b.get_width(), b.get_height(), 0u, b.get_num_mip_levels());
    out.p = uint4(in.n.y == 0u ? t_5.xy : (in.n.y == 1u ? t_4.xy : uint2(0u)), 0u, 0u);
    return out;
}
