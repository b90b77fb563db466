// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 p [[color(1)]];
};

uint array_layer(float place, uint count) {
    return uint(precise::clamp(floor(place + 0.5), 0.0, float(count - 1u)));
}

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    depth2d<float> shadow [[texture(0)]],
    sampler shadow_sampler [[sampler(0)]], // state left to the host
    depth2d_array<float> shadows [[texture(1)]],
    sampler shadows_sampler [[sampler(1)]], // state left to the host
    texture2d<float> plain [[texture(2)]],
    sampler plain_sampler [[sampler(2)]] // state left to the host
) {
    FragmentOutput out;
    float t = shadow.sample_compare(shadow_sampler, in.v.xy, in.v.z);
    out.o = float4(t + shadows.sample_compare(shadows_sampler, in.v.xy, array_layer(in.v.z, shadows.get_array_size()), in.v.w, level(0.0)));
    out.p = shadow.gather_compare(shadow_sampler, in.v.xy, in.v.z) + plain.gather(plain_sampler, in.v.xy, int2(-8, 7), component::z);
    return out;
}
