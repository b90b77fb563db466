#version 430 core

layout(local_size_x = 2, local_size_y = 2, local_size_z = 1) in;

layout(std430, binding = 0) coherent buffer Compute_BUFFER_0 {
    uint BUFFER_0[];
};

layout(std430, binding = 1) coherent buffer Compute_counts {
    uint counts[];
};

layout(std430, binding = 2) readonly buffer Compute_given {
    uint given[];
};

shared uint shared_words[8];

void store_BUFFER_0(uint offset, uint word, uint value) {
    uint at = (offset >> 2) + word;
    if (at < uint(BUFFER_0.length())) {
        BUFFER_0[at] = value;
    }
}

uint add_counts(uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= uint(counts.length())) {
        return 0u;
    }
    return atomicAdd(counts[at], value);
}

uint imax_counts(uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= uint(counts.length())) {
        return 0u;
    }
    uint old = counts[at];
    for (;;) {
        uint tried = atomicCompSwap(counts[at], old, uint(max(int(old), int(value))));
        if (tried == old) {
            break;
        }
        old = tried;
    }
    return old;
}

uint inc_wrap_counts(uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= uint(counts.length())) {
        return 0u;
    }
    uint old = counts[at];
    for (;;) {
        uint tried = atomicCompSwap(counts[at], old, (old >= value ? 0u : old + 1u));
        if (tried == old) {
            break;
        }
        old = tried;
    }
    return old;
}

uint compare_exchange_counts(uint offset, uint value, uint other) {
    uint at = offset >> 2;
    if (at >= uint(counts.length())) {
        return 0u;
    }
    return atomicCompSwap(counts[at], value, other);
}

uint umin_counts(uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= uint(counts.length())) {
        return 0u;
    }
    return atomicMin(counts[at], value);
}

uvec2 load_2_given(uint offset) {
    uint at = offset >> 2;
    if (at + 1u >= uint(given.length())) {
        return uvec2(0u);
    }
    return uvec2(given[at], given[at + 1u]);
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
        return uint(0u);
    }
    return shared_words[at];
}

void main() {
    for (uint word = gl_LocalInvocationIndex; word < 8u; word += 4u) {
        shared_words[word] = 0u;
    }
    memoryBarrierShared();
    barrier();
    uint t = gl_LocalInvocationID.y * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint t_1 = t * 4u;
    uint t_2 = gl_WorkGroupID.x * gl_WorkGroupSize.x * gl_WorkGroupSize.y + t;
    uint t_3 = t_2 * 16u;
    uvec2 t_4 = load_2_given(t_3);
    store_shared_words(t_1, 0u, t_4.x);
    memoryBarrier();
    barrier();
    uvec2 t_5 = uvec2(load_shared_words(12u - t_1) + t_4.y, t_2);
    store_BUFFER_0(t_3, 0u, t_5.x);
    store_BUFFER_0(t_3, 2u, t_5.y);
    uint t_6 = add_counts(0u, 1u);
    imax_counts(4u, t_4.x);
    inc_wrap_counts(8u, 4u);
    compare_exchange_counts(12u, t_6, t_4.y);
    umin_counts(16u, uint(counts.length()) * 4u);
}
