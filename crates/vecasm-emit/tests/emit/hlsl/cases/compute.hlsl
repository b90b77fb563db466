RWByteAddressBuffer BUFFER_0 : register(u0);
RWByteAddressBuffer counts : register(u1);
ByteAddressBuffer given : register(t2);

struct ComputeInput {
    uint3 local_id : SV_GroupThreadID;
    uint3 group_id : SV_GroupID;
};

groupshared uint shared_words[8];

uint load_count_BUFFER_0() {
    uint bytes;
    BUFFER_0.GetDimensions(bytes);
    return bytes >> 2;
}

void store_BUFFER_0(uint offset, uint word, uint value) {
    uint at = (offset >> 2) + word;
    if (at < load_count_BUFFER_0()) {
        BUFFER_0.Store(at * 4u, value);
    }
}

uint load_count_counts() {
    uint bytes;
    counts.GetDimensions(bytes);
    return bytes >> 2;
}

uint add_counts(uint offset, uint value) {
    uint at = offset >> 2;
    uint old = 0u;
    if (at < load_count_counts()) {
        counts.InterlockedAdd(at * 4u, value, old);
    }
    return old;
}

uint imax_counts(uint offset, uint value) {
    uint at = offset >> 2;
    uint old = 0u;
    if (at < load_count_counts()) {
        old = counts.Load(at * 4u);
        for (;;) {
            uint tried;
            counts.InterlockedCompareExchange(at * 4u, old, uint(max(int(old), int(value))), tried);
            if (tried == old) {
                break;
            }
            old = tried;
        }
    }
    return old;
}

uint inc_wrap_counts(uint offset, uint value) {
    uint at = offset >> 2;
    uint old = 0u;
    if (at < load_count_counts()) {
        old = counts.Load(at * 4u);
        for (;;) {
            uint tried;
            counts.InterlockedCompareExchange(at * 4u, old, (old >= value ? 0u : old + 1u), tried);
            if (tried == old) {
                break;
            }
            old = tried;
        }
    }
    return old;
}

uint compare_exchange_counts(uint offset, uint value, uint other) {
    uint at = offset >> 2;
    uint old = 0u;
    if (at < load_count_counts()) {
        counts.InterlockedCompareExchange(at * 4u, value, other, old);
    }
    return old;
}

uint umin_counts(uint offset, uint value) {
    uint at = offset >> 2;
    uint old = 0u;
    if (at < load_count_counts()) {
        counts.InterlockedMin(at * 4u, value, old);
    }
    return old;
}

uint load_count_given() {
    uint bytes;
    given.GetDimensions(bytes);
    return bytes >> 2;
}

uint2 load_2_given(uint offset) {
    uint at = offset >> 2;
    if (at + 1u >= load_count_given()) {
        return uint2(0u, 0u);
    }
    return given.Load2(at * 4u);
}

void store_shared_words(uint offset, uint word, uint value) {
    uint at = (offset >> 2) + word;
    if (at < 8u) {
        shared_words[at] = value;
    }
}

uint load_shared_words(uint offset) {
    uint at = offset >> 2;
    if (at >= 8u) {
        return 0u;
    }
    return shared_words[at];
}

[numthreads(2, 2, 1)]
void main(ComputeInput input, uint thread : SV_GroupIndex) {
    for (uint n = thread; n < 8u; n += 4u) {
        shared_words[n] = 0u;
    }
    GroupMemoryBarrierWithGroupSync();
    uint t = input.local_id.y * uint3(2u, 2u, 1u).x + input.local_id.x;
    uint t_1 = t * 4u;
    uint t_2 = input.group_id.x * uint3(2u, 2u, 1u).x * uint3(2u, 2u, 1u).y + t;
    uint t_3 = t_2 * 16u;
    uint2 t_4 = load_2_given(t_3);
    store_shared_words(t_1, 0u, t_4.x);
    AllMemoryBarrierWithGroupSync();
    uint2 t_5 = uint2(load_shared_words(12u - t_1) + t_4.y, t_2);
    store_BUFFER_0(t_3, 0u, t_5.x);
    store_BUFFER_0(t_3, 2u, t_5.y);
    uint t_6 = add_counts(0u, 1u);
    imax_counts(4u, t_4.x);
    inc_wrap_counts(8u, 4u);
    compare_exchange_counts(12u, t_6, t_4.y);
    umin_counts(16u, load_count_counts() * 4u);
}
