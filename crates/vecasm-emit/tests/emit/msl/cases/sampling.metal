// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    float4 w [[user(locn1)]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 p [[color(1)]];
    float4 q [[color(2)]];
};

uint array_layer(float place, uint count) {
    return uint(precise::clamp(floor(place + 0.5), 0.0, float(count - 1u)));
}

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    texture2d<float> flat [[texture(0)]],
    sampler flat_sampler [[sampler(0)]], // state left to the host
    texture2d_array<float> stack [[texture(1)]],
    sampler stack_sampler [[sampler(1)]], // state left to the host
    texture3d<float> volume [[texture(2)]],
    sampler volume_sampler [[sampler(2)]], // state left to the host
    texturecube<float> sky [[texture(3)]],
    sampler sky_sampler [[sampler(3)]], // state left to the host
    texturecube_array<float> skies [[texture(4)]],
    sampler skies_sampler [[sampler(4)]], // state left to the host
    texture1d<float> line [[texture(5)]],
    sampler line_sampler [[sampler(5)]] // state left to the host
) {
    FragmentOutput out;
    float4 t = flat.sample(flat_sampler, in.v.xy, bias(in.w.x));
    float4 t_1 = stack.sample(stack_sampler, in.v.xy, array_layer(in.v.z, stack.get_array_size()), level(in.w.y));
    float4 t_2 = flat.sample(flat_sampler, in.v.zw, int2(1, -2));
    out.o = t + t_1 + volume.sample(volume_sampler, in.v.xyz, gradient3d(in.w.xyz, in.w.wzy));
    out.p = t_2 + sky.sample(sky_sampler, in.v.xyz, bias(-1.5));
    out.q = skies.sample(skies_sampler, in.v.xyz, array_layer(in.v.w, skies.get_array_size())) + line.sample(line_sampler, in.v.x);
    return out;
}
