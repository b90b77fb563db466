//! Counts the heap: the system's allocator with three numbers, so that a task can tell the peak of a call.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Whether anybody asks: benches should not pay for it.
static ON: AtomicBool = AtomicBool::new(false);
/// Bytes allocated since counting began; below zero if more was freed.
static NOW: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn grown(bytes: usize) {
    if ON.load(Relaxed) {
        let now = NOW.fetch_add(bytes as isize, Relaxed) + bytes as isize;
        PEAK.fetch_max(now, Relaxed);
    }
}

fn shrunk(bytes: usize) {
    if ON.load(Relaxed) {
        NOW.fetch_sub(bytes as isize, Relaxed);
    }
}

// SAFETY: every call is handed on to the system's allocator as it came; counting touches atomics only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        shrunk(layout.size());
        // SAFETY: `at` came from `alloc` above, with this layout.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While the content moves, both blocks exist; counted as if it always moved.
        grown(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = unsafe { System.realloc(at, layout, size) };
        shrunk(layout.size());
        moved
    }
}

/// Runs `f` and gives the most bytes that were allocated at once beyond those before the call. Only for tasks of
/// one thread.
pub(crate) fn peak_of<T>(f: impl FnOnce() -> T) -> (T, usize) {
    NOW.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    ON.store(true, Relaxed);
    let out = f();
    ON.store(false, Relaxed);
    (out, usize::try_from(PEAK.load(Relaxed)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_counts_what_is_freed_again() {
        let (len, peak) = peak_of(|| {
            let a = vec![1u8; 1_000_000];
            drop(a);
            vec![2u8; 10].len()
        });
        assert_eq!(len, 10);
        assert!((1_000_000..2_000_000).contains(&peak), "{peak}");
    }
}
