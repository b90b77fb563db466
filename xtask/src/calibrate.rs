//! `cargo xtask calibrate`: two figures that tie timings to a machine and an hour.
//!
//! (a) naga's `wgsl-in` on the `calibrate.wgsl` of the shared folder, the median of 401 runs; it scales
//! translation, which allocates. (b) One step of xorshift64, 10^8 steps, the median of 9 runs; it scales straight
//! computing.

use crate::{Args, Outcome};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    match naga_us(&args.shared()) {
        Ok(us) => println!(
            "(a) naga 30.0.1 wgsl-in of calibrate.wgsl: {us:.1} µs (median of 401; 100–106 µs on the reference machine)"
        ),
        Err(why) => return Outcome::Usage(why),
    }
    println!(
        "(b) one step of xorshift64: {:.3} ns (10^8 steps, median of 9; 1.48–1.54 ns on the reference machine)",
        xorshift_ns()
    );
    Outcome::Fine
}

/// The middle one.
pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Figure (a), in microseconds.
pub(crate) fn naga_us(shared: &Path) -> Result<f64, String> {
    let path = shared.join("bench/calibrate.wgsl");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut samples = Vec::new();
    for _ in 0..401 {
        let start = Instant::now();
        let module = naga::front::wgsl::parse_str(black_box(&text)).map_err(|e| e.emit_to_string(&text))?;
        samples.push(start.elapsed().as_secs_f64() * 1e6);
        drop(black_box(module));
    }
    Ok(median(samples))
}

/// Figure (b), in nanoseconds.
pub(crate) fn xorshift_ns() -> f64 {
    const STEPS: u32 = 100_000_000;
    let samples = (0..9).map(|seed| {
        let mut x: u64 = black_box(0x9e37_79b9_7f4a_7c15 + seed);
        let start = Instant::now();
        for _ in 0..STEPS {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        black_box(x);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(STEPS)
    });
    median(samples.collect())
}
