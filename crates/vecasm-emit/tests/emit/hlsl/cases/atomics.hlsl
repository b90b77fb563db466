RWTexture1D<uint> counts : register(u0);
RWTexture2DArray<int> signed_1 : register(u1);

struct ComputeInput {
    uint3 local_id : SV_GroupThreadID;
};

uint add_counts(int at, uint value) {
    uint width;
    counts.GetDimensions(width);
    uint was = 0;
    if (uint(at) < width) {
        InterlockedAdd(counts[at], value, was);
    }
    return uint(was);
}

uint inc_wrap_counts(int at, uint value) {
    uint width;
    counts.GetDimensions(width);
    uint was = 0;
    if (uint(at) < width) {
        uint old = uint(counts[at]);
        for (;;) {
            InterlockedCompareExchange(counts[at], old, (old >= value ? 0u : old + 1u), was);
            if (uint(was) == old) {
                break;
            }
            old = uint(was);
        }
    }
    return uint(was);
}

uint umax_signed_1(int3 at, uint value) {
    uint width, height, layers;
    signed_1.GetDimensions(width, height, layers);
    int was = 0;
    if (all(uint3(at) < uint3(width, height, layers))) {
        uint old = uint(signed_1[at]);
        for (;;) {
            InterlockedCompareExchange(signed_1[at], int(old), int(max(old, value)), was);
            if (uint(was) == old) {
                break;
            }
            old = uint(was);
        }
    }
    return uint(was);
}

uint imin_signed_1(int3 at, uint value) {
    uint width, height, layers;
    signed_1.GetDimensions(width, height, layers);
    int was = 0;
    if (all(uint3(at) < uint3(width, height, layers))) {
        InterlockedMin(signed_1[at], int(value), was);
    }
    return uint(was);
}

uint compare_exchange_signed_1(int3 at, uint value, uint other) {
    uint width, height, layers;
    signed_1.GetDimensions(width, height, layers);
    int was = 0;
    if (all(uint3(at) < uint3(width, height, layers))) {
        InterlockedCompareExchange(signed_1[at], int(value), int(other), was);
    }
    return uint(was);
}

[numthreads(4, 4, 1)]
void main(ComputeInput input) {
    int3 t = int3(input.local_id);
    uint t_1 = inc_wrap_counts(t.x, input.local_id.y);
    uint t_2 = imin_signed_1(t, t_1);
    uint t_3 = umax_signed_1(t, t_2);
    uint t_4 = compare_exchange_signed_1(t, t_3, t_1);
    add_counts(t.y, t_4);
}
