// Metal 2.1, to be compiled without fast math.
#include <metal_stdlib>

using namespace metal;

void store_BUFFER_0(device uint *BUFFER_0, uint count, uint offset, uint word, uint value) {
    uint at = (offset >> 2) + word;
    if (at < count) {
        BUFFER_0[at] = value;
    }
}

uint add_counts(device atomic_uint *counts, uint count, uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= count) {
        return 0u;
    }
    return atomic_fetch_add_explicit(&counts[at], value, memory_order_relaxed);
}

uint imax_counts(device atomic_uint *counts, uint count, uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= count) {
        return 0u;
    }
    uint old = atomic_load_explicit(&counts[at], memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&counts[at], &old, as_type<uint>(max(as_type<int>(old), as_type<int>(value))), memory_order_relaxed, memory_order_relaxed)) {
    }
    return old;
}

uint inc_wrap_counts(device atomic_uint *counts, uint count, uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= count) {
        return 0u;
    }
    uint old = atomic_load_explicit(&counts[at], memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&counts[at], &old, old >= value ? 0u : old + 1u, memory_order_relaxed, memory_order_relaxed)) {
    }
    return old;
}

uint compare_exchange_counts(device atomic_uint *counts, uint count, uint offset, uint value, uint other) {
    uint at = offset >> 2;
    if (at >= count) {
        return 0u;
    }
    uint old = atomic_load_explicit(&counts[at], memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&counts[at], &old, old == value ? other : old, memory_order_relaxed, memory_order_relaxed)) {
    }
    return old;
}

uint umin_counts(device atomic_uint *counts, uint count, uint offset, uint value) {
    uint at = offset >> 2;
    if (at >= count) {
        return 0u;
    }
    return atomic_fetch_min_explicit(&counts[at], value, memory_order_relaxed);
}

uint2 load_2_given(const device uint *given, uint count, uint offset) {
    uint at = offset >> 2;
    if (at + 1u >= count) {
        return uint2(0u);
    }
    return uint2(given[at], given[at + 1u]);
}

void store_shared_words(threadgroup uint *shared_words, uint count, uint offset, uint word, uint value) {
    uint at = (offset >> 2) + word;
    if (at < count) {
        shared_words[at] = value;
    }
}

uint load_shared_words(threadgroup uint *shared_words, uint count, uint offset) {
    uint at = offset >> 2;
    if (at >= count) {
        return uint(0u);
    }
    return shared_words[at];
}

kernel void compute_main(
    uint3 local [[thread_position_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 size [[threads_per_threadgroup]],
    device uint *BUFFER_0 [[buffer(1)]],
    device atomic_uint *counts [[buffer(2)]],
    const device uint *given [[buffer(3)]],
    constant uint *buffer_words [[buffer(4)]],
    uint thread_index [[thread_index_in_threadgroup]]
) {
    threadgroup uint shared_words[8];
    for (uint at = thread_index; at < 8u; at += 4u) {
        shared_words[at] = 0u;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint t = local.y * size.x + local.x;
    uint t_1 = t * 4u;
    uint t_2 = group.x * size.x * size.y + t;
    uint t_3 = t_2 * 16u;
    uint2 t_4 = load_2_given(given, buffer_words[2], t_3);
    store_shared_words(shared_words, 8u, t_1, 0u, t_4.x);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    uint2 t_5 = uint2(load_shared_words(shared_words, 8u, 12u - t_1) + t_4.y, t_2);
    store_BUFFER_0(BUFFER_0, buffer_words[0], t_3, 0u, t_5.x);
    store_BUFFER_0(BUFFER_0, buffer_words[0], t_3, 2u, t_5.y);
    uint t_6 = add_counts(counts, buffer_words[1], 0u, 1u);
    imax_counts(counts, buffer_words[1], 4u, t_4.x);
    inc_wrap_counts(counts, buffer_words[1], 8u, 4u);
    compare_exchange_counts(counts, buffer_words[1], 12u, t_6, t_4.y);
    umin_counts(counts, buffer_words[1], 16u, buffer_words[1] * 4u);
}
