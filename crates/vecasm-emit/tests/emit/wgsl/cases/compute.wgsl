struct ComputeInput {
    @builtin(local_invocation_id) local: vec3u,
    @builtin(workgroup_id) group: vec3u,
}

@group(0) @binding(96) var<storage, read_write> BUFFER_0: array<u32>;
@group(0) @binding(97) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(98) var<storage, read> given: array<u32>;
var<workgroup> shared_words: array<u32, 8>;

@compute @workgroup_size(2, 2, 1)
fn main(in: ComputeInput) {
    let t = in.local.y * vec3u(2, 2, 1).x + in.local.x;
    let t_1 = t * 4u;
    let t_2 = in.group.x * vec3u(2, 2, 1).x * vec3u(2, 2, 1).y + t;
    let t_3 = t_2 * 16u;
    let t_4 = load_2_given(t_3);
    store_shared_words(t_1, 0u, t_4.x);
    workgroupBarrier();
    storageBarrier();
    let t_5 = vec2u(load_shared_words(12u - t_1) + t_4.y, t_2);
    store_BUFFER_0(t_3, 0u, t_5.x);
    store_BUFFER_0(t_3, 2u, t_5.y);
    let t_6 = add_counts(0u, 1u);
    _ = imax_counts(4u, t_4.x);
    _ = inc_wrap_counts(8u, 4u);
    _ = compare_exchange_counts(12u, t_6, t_4.y);
    _ = umin_counts(16u, arrayLength(&counts) * 4u);
}

fn store_BUFFER_0(offset: u32, word: u32, value: u32) {
    let at = (offset >> 2u) + word;
    if (at < arrayLength(&BUFFER_0)) {
        BUFFER_0[at] = value;
    }
}

fn add_counts(offset: u32, value: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= arrayLength(&counts)) {
        return 0u;
    }
    return atomicAdd(&counts[at], value);
}

fn imax_counts(offset: u32, value: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= arrayLength(&counts)) {
        return 0u;
    }
    var old = atomicLoad(&counts[at]);
    loop {
        let tried = atomicCompareExchangeWeak(&counts[at], old, bitcast<u32>(max(bitcast<i32>(old), bitcast<i32>(value))));
        if (tried.exchanged) {
            break;
        }
        old = tried.old_value;
    }
    return old;
}

fn inc_wrap_counts(offset: u32, value: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= arrayLength(&counts)) {
        return 0u;
    }
    var old = atomicLoad(&counts[at]);
    loop {
        let tried = atomicCompareExchangeWeak(&counts[at], old, select(old + 1u, 0u, old >= value));
        if (tried.exchanged) {
            break;
        }
        old = tried.old_value;
    }
    return old;
}

fn compare_exchange_counts(offset: u32, value: u32, other: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= arrayLength(&counts)) {
        return 0u;
    }
    var old = atomicLoad(&counts[at]);
    loop {
        let tried = atomicCompareExchangeWeak(&counts[at], old, select(old, other, old == value));
        if (tried.exchanged) {
            break;
        }
        old = tried.old_value;
    }
    return old;
}

fn umin_counts(offset: u32, value: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= arrayLength(&counts)) {
        return 0u;
    }
    return atomicMin(&counts[at], value);
}

fn load_2_given(offset: u32) -> vec2u {
    let at = offset >> 2u;
    if (at + 1u >= arrayLength(&given)) {
        return vec2u();
    }
    return vec2u(given[at], given[at + 1u]);
}

fn store_shared_words(offset: u32, word: u32, value: u32) {
    let at = (offset >> 2u) + word;
    if (at < 8u) {
        shared_words[at] = value;
    }
}

fn load_shared_words(offset: u32) -> u32 {
    let at = offset >> 2u;
    if (at >= 8u) {
        return u32();
    }
    return shared_words[at];
}
