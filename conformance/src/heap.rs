//! Counts the heap: the system's allocator with a few numbers for each thread, so that the peak of a call can be told.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Whether this thread asks: nobody else should pay for it.
    static ON: Cell<bool> = const { Cell::new(false) };
    /// Bytes that it allocated since counting began; below zero if more was freed.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The same of all threads that count, for the one that watches.
static HELD: AtomicIsize = AtomicIsize::new(0);
/// Where whoever allocates more is stopped, while somebody counts; see [`stop_at`].
static LIMIT: AtomicIsize = AtomicIsize::new(isize::MAX);

fn grown(bytes: usize) {
    if ON.get() {
        let bytes = bytes as isize;
        NOW.set(NOW.get().saturating_add(bytes));
        PEAK.set(PEAK.get().max(NOW.get()));
        if HELD.fetch_add(bytes, Relaxed).saturating_add(bytes) > LIMIT.load(Relaxed) {
            wait();
        }
    }
}

/// Goes no further: the thread that watches sees why, and ends the process. Nothing is allocated here.
#[cold]
fn wait() {
    loop {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Stops a call of [`peak_of`] that holds more bytes at once, before it gets them. Only for who has another thread that looks
/// at [`now`] and ends the process.
pub(crate) fn stop_at(bytes: usize) {
    LIMIT.store(isize::try_from(bytes).unwrap_or(isize::MAX), Relaxed);
}

/// The bytes that the calls of [`peak_of`] hold that are going on; 0 if none is.
pub(crate) fn now() -> usize {
    usize::try_from(HELD.load(Relaxed)).unwrap_or(0)
}

fn shrunk(bytes: usize) {
    if ON.get() {
        NOW.set(NOW.get() - bytes as isize);
        HELD.fetch_sub(bytes as isize, Relaxed);
    }
}

// SAFETY: every call is handed on to the system's allocator as it came; counting touches atomics, and cells of the thread that need no allocation.
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

/// Runs `f` and gives the most bytes that this thread held at once beyond those before the call.
pub(crate) fn peak_of<T>(f: impl FnOnce() -> T) -> (T, usize) {
    NOW.set(0);
    PEAK.set(0);
    ON.set(true);
    let out = f();
    ON.set(false);
    HELD.fetch_sub(NOW.get(), Relaxed);
    (out, usize::try_from(PEAK.get()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vecasm::ir::text::{parse_any, print};

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

    #[test]
    fn what_other_threads_hold_does_not_count() {
        let ((), peak) = peak_of(|| {
            let other = std::thread::spawn(|| vec![1u8; 4_000_000].len());
            assert_eq!(other.join().ok(), Some(4_000_000));
        });
        assert!(peak < 1_000_000, "{peak}");
    }

    #[test]
    fn texts_of_the_ir_take_heap_in_proportion() {
        // The shortest spellings of what takes the most room, many times; each is sound as a text.
        const N: usize = 30_000;
        let lines = |make: &dyn Fn(usize) -> String| (0..N).map(make).collect::<String>();
        for text in [
            format!("files {}", "a ".repeat(N)),
            format!("registers a input{}", ",a input".repeat(N)),
            lines(&|i| format!("input {i} {i} layer:u32\n")),
            lines(&|i| format!("output {i} {i} fog\n")),
            lines(&|i| format!("local {i} {i} size 1\n")),
            lines(&|i| format!("state {i} {i}:f32\n")),
            lines(&|i| format!("texture {i} {i} slot 0 2d mip=none\n")),
            lines(&|i| format!("step {i} source 0 reads #0.x writes #0.x\n")),
            format!("step 0 source 0 reads {}writes", "#0.x ".repeat(N)),
            "fence\n".repeat(N),
            format!("%{}=clock:f32\n{}", N * 5, "fence\n".repeat(N)),
            format!("%0=compose{}:f32", "%0.x".repeat(N)),
            format!("{}=if%0.x{{\n}}else{{\n}}", vec!["%0:f32"; N].join(",")),
            "if%0.x{\n}else{\n}\n".repeat(N),
            "block L0{\nfence\n}\n".repeat(N),
            "loop L0{\n}\n".repeat(N),
            format!("loop L0{}{{\n}}", "%0:f32=%0.x".repeat(N)),
            "idiom lit(){\n}\n".repeat(N),
            format!("switch%0.x{{\n{}default{{\n}}\n}}", "case 1{\nfence\n}\n".repeat(N)),
            format!("switch%0.x{{\ncase {}{{\n}}\ndefault{{\n}}\n}}", "1 ".repeat(N)),
        ] {
            let text = format!("fragment t\n{text}");
            let (read, heap) = peak_of(|| parse_any(&text));
            let head: String = text.chars().take(40).collect();
            assert!(heap <= 64 * text.len() + (1 << 20), "{heap} for {} bytes: {head}", text.len());
            let shader = read.unwrap_or_else(|e| panic!("{e}: {head}"));
            let (printed, heap) = peak_of(|| print(&shader));
            assert!(heap <= 8 * printed.len() + (1 << 20), "{heap} to print {} bytes: {head}", printed.len());
        }
    }
}
