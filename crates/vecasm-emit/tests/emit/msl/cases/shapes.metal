// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

struct FragmentInput {
    float4 v [[user(locn0)]];
    int4 n [[user(locn1), flat]];
};

struct FragmentOutput {
    float4 o [[color(0)]];
    float4 other [[color(0), index(1)]];
    uint stencil [[stencil]];
};

float4 fetch_rect(texture2d<float> texels, int2 place, int level) {
    if (uint(level) >= 1u || any(uint2(place) >= uint2(texels.get_width(), texels.get_height()))) {
        return float4(0.0);
    }
    return texels.read(uint2(place));
}

uint4 fetch_buffer_u32(texture_buffer<uint> texels, int place, int level) {
    if (uint(level) >= 1u || uint(place) >= texels.get_width()) {
        return uint4(0);
    }
    return texels.read(uint(place));
}

int abs_i32(int x) {
    return x < 0 ? int(0u - uint(x)) : x;
}

int4 abs_i32_4(int4 x) {
    return int4(
        abs_i32(x.x),
        abs_i32(x.y),
        abs_i32(x.z),
        abs_i32(x.w)
    );
}

int sign_i32(int x) {
    return x > 0 ? 1 : (x < 0 ? -1 : 0);
}

int4 sign_i32_4(int4 x) {
    return int4(
        sign_i32(x.x),
        sign_i32(x.y),
        sign_i32(x.z),
        sign_i32(x.w)
    );
}

float sign_f32(float x) {
    return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);
}

float4 sign_f32_4(float4 x) {
    return float4(
        sign_f32(x.x),
        sign_f32(x.y),
        sign_f32(x.z),
        sign_f32(x.w)
    );
}

float fract_exact(float x) {
    return x - floor(x);
}

float4 fract_exact_4(float4 x) {
    return float4(
        fract_exact(x.x),
        fract_exact(x.y),
        fract_exact(x.z),
        fract_exact(x.w)
    );
}

uint array_layer(float place, uint count) {
    return uint(precise::clamp(floor(place + 0.5), 0.0, float(count - 1u)));
}

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    uint sample_id [[sample_id]],
    texture2d<float> window [[texture(0)]],
    sampler window_sampler [[sampler(0)]], // state left to the host, coordinates in texels
    texture_buffer<uint> words [[texture(1)]],
    texture1d_array<float> lines [[texture(2)]],
    sampler lines_sampler [[sampler(2)]] // state left to the host
) {
    FragmentOutput out;
    float4 t = window.sample(window_sampler, in.v.xy);
    float4 t_1 = lines.sample(lines_sampler, in.v.z, array_layer(in.v.w, lines.get_array_size()));
    out.o = float4(sign_i32_4(int4(uint4(int4(0u - uint4(abs_i32_4(in.n)))) * uint4(in.n)))) + sign_f32_4(t) + fract_exact_4(t_1);
    out.other = fetch_rect(window, in.n.xy, 0) + get_sample_position(sample_id).xyxy;
    out.stencil = fetch_buffer_u32(words, in.n.x, 0).x;
    return out;
}
