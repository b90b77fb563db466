//! `cargo xtask ulp`: measures the error of the elementary functions over all 2^32 inputs.
//!
//! The reference are the `f64` functions of `std`, whose error (below one unit of `f64`) is 2^-29 of the unit
//! measured here. `pow` has too many pairs for all of them: it gets every pair of special values and then a dense
//! sample, most of it where results are finite. Other functions of several arguments or of `f64` must give the bits
//! of a twin; they are compared on a random sample.

mod twins;

use crate::{Args, Outcome};
use std::hint::black_box;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use vecasm::math;

/// Room for the error of the reference itself in the functions whose bound is exact.
const REFERENCE: f64 = 1e-8;
/// Inputs one thread takes at a time.
const BLOCK: u64 = 1 << 20;
/// Pairs `pow` is tried with, unless `--pairs` says otherwise.
const PAIRS: u64 = 400_000_000;
/// Arguments each function of [`twins::TWINS`] is tried with, unless `--samples` says otherwise.
const SAMPLES: u64 = 50_000_000;

/// A function of one argument: own, reference, bound, and the range its speed is measured in.
struct Unary {
    name: &'static str,
    own: fn(f32) -> f32,
    reference: fn(f64) -> f64,
    bound: f64,
    usual: (f32, f32),
}

/// One row of [`UNARY`]; the closure lets the loop over all inputs be compiled with the function in it.
macro_rules! unary {
    ($name:ident, $reference:expr, $bound:expr, $usual:expr) => {
        unary!(stringify!($name), math::$name, $reference, $bound, $usual)
    };
    ($name:expr, $own:expr, $reference:expr, $bound:expr, $usual:expr) => {
        (
            Unary { name: $name, own: $own, reference: $reference, bound: $bound, usual: $usual },
            (|stride| sweep(stride, $own, $reference)) as fn(u64) -> Worst,
        )
    };
}

type Sweep = fn(u64) -> Worst;

const UNARY: &[(Unary, Sweep)] = &[
    unary!(floor, f64::floor, 0.0, (-1e3, 1e3)),
    unary!(ceil, f64::ceil, 0.0, (-1e3, 1e3)),
    unary!(trunc, f64::trunc, 0.0, (-1e3, 1e3)),
    unary!(round_even, f64::round_ties_even, 0.0, (-1e3, 1e3)),
    unary!(sqrt, f64::sqrt, 0.5 + REFERENCE, (0.0, 1e3)),
    unary!(rsqrt, |x| 1.0 / x.sqrt(), 0.5 + REFERENCE, (1e-3, 1e3)),
    unary!(exp2, f64::exp2, math::MAX_ULP, (-20.0, 20.0)),
    unary!(exp, f64::exp, math::MAX_ULP, (-20.0, 20.0)),
    unary!(log2, f64::log2, math::MAX_ULP, (1e-3, 1e3)),
    unary!(log, f64::ln, math::MAX_ULP, (1e-3, 1e3)),
    unary!(sin, f64::sin, math::MAX_ULP, (-10.0, 10.0)),
    unary!(cos, f64::cos, math::MAX_ULP, (-10.0, 10.0)),
    unary!(exp2_floor, |x| x.floor().exp2(), 0.5, (-20.0, 20.0)),
    unary!(exponent, |x| x.abs().log2().floor(), 0.0, (1e-3, 1e3)),
    unary!(mantissa, in_1_2, 0.0, (1e-3, 1e3)),
    unary!(
        frexp_mantissa,
        |x| if x == 0.0 || x.is_infinite() { x } else { in_1_2(x).copysign(x) / 2.0 },
        0.0,
        (1e-3, 1e3)
    ),
    unary!(
        "frexp_exponent",
        |x| math::frexp_exponent(x) as f32,
        |x| if x == 0.0 || !x.is_finite() { 0.0 } else { x.abs().log2().floor() + 1.0 },
        0.0,
        (1e-3, 1e3)
    ),
    unary!("half", |x| math::half_to_f32(math::f32_to_half(x)), half, 0.0, (-1e3, 1e3)),
    unary!("flush::flush", math::flush::flush, daz, 0.0, (1e-3, 1e3)),
    unary!("flush::rcp", math::flush::rcp, |x| ftz(1.0 / daz(x)), 0.5 + REFERENCE, (1e-3, 1e3)),
    unary!("flush::sqrt", math::flush::sqrt, |x| daz(x).sqrt(), 0.5 + REFERENCE, (1e-3, 1e3)),
];

/// |x| divided by the largest power of two that is not above; 1 for zeros and infinities.
fn in_1_2(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { 1.0 } else { x.abs() / x.abs().log2().floor().exp2() }
}

/// The nearest half float: 11 bits, but none below 2^-24.
fn half(x: f64) -> f64 {
    let unit = (x.abs().log2().floor() - 10.0).max(-24.0).exp2();
    let nearest =
        if x == 0.0 || x.is_infinite() { x } else { ((x / unit).round_ties_even() * unit).copysign(x) };
    if nearest.abs() > 65504.0 { f64::INFINITY.copysign(x) } else { nearest }
}

/// A denormal `f32` becomes a zero of its sign.
fn daz(x: f64) -> f64 {
    if x.abs() < f64::from(f32::MIN_POSITIVE) { 0f64.copysign(x) } else { x }
}

/// What is tiny once it is rounded to 24 bits becomes a zero of its sign. Scaled up, numbers around 2^-126 are not
/// denormal, so that the conversion rounds them to 24 bits.
fn ftz(x: f64) -> f64 {
    let up = 64f64.exp2();
    let rounded = f64::from((x * up) as f32) / up;
    if rounded.abs() < f64::from(f32::MIN_POSITIVE) { 0f64.copysign(x) } else { x }
}

/// The largest error found, where, and how many results are not the correctly rounded one.
#[derive(Clone, Copy, Default)]
struct Worst {
    error: f64,
    at: (f32, f32),
    misrounded: u64,
    inputs: u64,
}

impl Worst {
    #[inline]
    fn see(&mut self, at: (f32, f32), got: f32, want: f64) {
        self.inputs += 1;
        let rounded = want as f32;
        let same = got.to_bits() == rounded.to_bits() || (got.is_nan() && rounded.is_nan());
        self.misrounded += u64::from(!same);
        let error = math::ulp_error(got, want);
        if error > self.error {
            (self.error, self.at) = (error, at);
        }
    }

    fn merge(&mut self, other: Self) {
        self.misrounded += other.misrounded;
        self.inputs += other.inputs;
        if other.error > self.error {
            (self.error, self.at) = (other.error, other.at);
        }
    }
}

/// `cargo xtask ulp [FUNCTION…] [--stride N] [--pairs N] [--samples N]`.
pub(crate) fn main(args: &[String]) -> Outcome {
    let parsed = Args::parse(args, &["stride", "pairs", "samples"], &[]);
    let options = parsed.and_then(|a| {
        let (stride, pairs) = (a.number("stride", 1)?.max(1), a.number("pairs", PAIRS)?);
        let samples = a.number("samples", SAMPLES)?;
        let known = |n: &String| {
            n == "pow"
                || UNARY.iter().any(|(f, _)| f.name == n)
                || twins::TWINS.iter().any(|(name, _)| name == n)
        };
        match a.alone().iter().find(|n| !known(n)) {
            Some(name) => Err(format!("no function is called {name}")),
            None => Ok((a.alone().to_vec(), stride, pairs, samples)),
        }
    });
    let (wanted, stride, pairs, samples) = match options {
        Ok(options) => options,
        Err(why) => return Outcome::Usage(why),
    };
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    println!(
        "{:<16} {:>11} {:>13} {:>9} {:>11} {:>6}  worst input",
        "function", "inputs", "largest ulp", "bound", "misrounded", "ns"
    );
    let mut fine = true;
    for (f, sweep) in UNARY {
        if wants(f.name) {
            let worst = sweep(stride);
            let x = worst.at.0;
            let at = format!(
                "{x:e} ({:08x}): {:e}, not {:e}",
                x.to_bits(),
                (f.own)(x),
                (f.reference)(f64::from(x))
            );
            fine &= print(f.name, worst, f.bound, nanoseconds(|a, _| (f.own)(a), f.usual, (0.0, 0.0)), &at);
        }
    }
    if wants("pow") {
        let worst = pow(pairs);
        let (x, y) = worst.at;
        let at = format!(
            "{x:e}, {y:e} ({:08x}, {:08x}): {:e}, not {:e}",
            x.to_bits(),
            y.to_bits(),
            math::pow(x, y),
            f64::from(x).powf(f64::from(y))
        );
        fine &= print("pow", worst, math::MAX_ULP, nanoseconds(math::pow, (1e-3, 10.0), (-3.0, 3.0)), &at);
    }
    println!("{:<16} {:>13} {:>13}  first difference", "function", "arguments", "differences");
    for &(name, once) in twins::TWINS {
        if wants(name) {
            fine &= compare(name, samples, once);
        }
    }
    Outcome::of(fine)
}

/// Compares a function with its twin `samples` times.
fn compare(name: &str, samples: u64, once: fn(&mut u64) -> Option<twins::Difference>) -> bool {
    let first = Mutex::new(None);
    let worst = parallel(samples, |block, worst| {
        // A state of its own for each block, far from the others.
        let mut state = random(&mut block.start.clone());
        for _ in block {
            worst.inputs += 1;
            if let Some(difference) = once(&mut state) {
                worst.misrounded += 1;
                if let Ok(mut first) = first.lock() {
                    first.get_or_insert(difference);
                }
            }
        }
    });
    let at = match first.into_inner().ok().flatten() {
        Some((arguments, got, want)) => format!("{arguments:x?}: {got:x}, not {want:x}"),
        None => String::new(),
    };
    println!("{name:<16} {:>13} {:>13}  {at}", worst.inputs, worst.misrounded);
    worst.misrounded == 0
}

fn print(name: &str, worst: Worst, bound: f64, ns: f64, at: &str) -> bool {
    let fine = worst.error <= bound;
    let Worst { error, inputs, misrounded, .. } = worst;
    let at = if error > 0.0 { at } else { "" };
    let verdict = if fine { "" } else { "  ABOVE THE BOUND" };
    println!("{name:<16} {inputs:>11} {error:>13.9} {bound:>9.6} {misrounded:>11} {ns:>6.2}  {at}{verdict}");
    fine
}

/// Runs `work` on every block of `0..total`, on all cores.
fn parallel(total: u64, work: impl Fn(std::ops::Range<u64>, &mut Worst) + Sync) -> Worst {
    let (next, sum) = (AtomicU64::new(0), Mutex::new(Worst::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                let mut worst = Worst::default();
                loop {
                    let start = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if start >= total {
                        break;
                    }
                    work(start..total.min(start + BLOCK), &mut worst);
                }
                if let Ok(mut sum) = sum.lock() {
                    sum.merge(worst);
                }
            });
        }
    });
    sum.into_inner().unwrap_or_default()
}

/// Every `stride`th of all inputs.
fn sweep(stride: u64, own: impl Fn(f32) -> f32 + Sync, reference: impl Fn(f64) -> f64 + Sync) -> Worst {
    parallel((1u64 << 32).div_ceil(stride), |block, worst| {
        for i in block {
            let x = f32::from_bits((i * stride) as u32);
            worst.see((x, 0.0), own(x), reference(f64::from(x)));
        }
    })
}

/// The special values of `pow`; all pairs are tried, of both signs.
const SPECIAL: &[f32] = &[
    0.0,
    f32::from_bits(1),
    1e-40,
    f32::MIN_POSITIVE,
    1e-30,
    1.0 / 3.0,
    0.5,
    0.999_999_94,
    1.0,
    1.000_000_1,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    127.0,
    128.0,
    149.0,
    150.0,
    151.0,
    8_388_607.5,
    8_388_609.0,
    16_777_215.0,
    16_777_216.0,
    16_777_218.0,
    1e30,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

fn pow(pairs: u64) -> Worst {
    let mut worst = parallel(pairs, |block, worst| {
        let mut state = block.start;
        for i in block {
            let (x, y) = pair(i, &mut state);
            worst.see((x, y), math::pow(x, y), f64::from(x).powf(f64::from(y)));
        }
    });
    let signed = || SPECIAL.iter().flat_map(|&v| [v, -v]);
    for x in signed() {
        for y in signed() {
            worst.see((x, y), math::pow(x, y), f64::from(x).powf(f64::from(y)));
        }
    }
    worst
}

/// A pair to try: the kinds take turns.
fn pair(i: u64, state: &mut u64) -> (f32, f32) {
    let bits = random(state);
    let (x, other) = (f32::from_bits(bits as u32), (bits >> 32) as u32);
    let part = f64::from(other) / f64::from(u32::MAX);
    // The exponent that makes the result 2^e, for an e from under the denormals to over the infinity.
    let for_result = |x: f32, e: f64| (e / f64::from(x).abs().log2()) as f32;
    match i % 6 {
        0 => (x.abs(), for_result(x, part * 300.0 - 160.0)),
        // Bases near 1, where the logarithm is hard.
        1 => {
            let x = f32::from_bits(0x3f80_0000u32.wrapping_add_signed((bits as i32) >> (8 + other % 24)));
            (x, for_result(x, f64::from(random(state) as u32) / f64::from(u32::MAX) * 300.0 - 160.0))
        }
        // Denormal results.
        2 => (x.abs(), for_result(x, part * -30.0 - 124.0)),
        // Integer and half exponents, negative bases.
        3 => (x, (other % 65) as f32 - 32.0),
        4 => (x, ((other % 257) as f32 - 128.0) / 2.0),
        // Anything to anything.
        _ => (x, f32::from_bits(other)),
    }
}

/// Steele, Lea and Flood's SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Nanoseconds of a call with arguments from the usual range, the best of several runs; calls may overlap, as they
/// do in an interpreter.
fn nanoseconds(f: impl Fn(f32, f32) -> f32, a: (f32, f32), b: (f32, f32)) -> f64 {
    const COUNT: usize = 1 << 16;
    let mut state = 1;
    let mut spread =
        |(low, high): (f32, f32)| low + (high - low) * (random(&mut state) as u32 as f32 / 4_294_967_296.0);
    let inputs: Vec<(f32, f32)> = (0..COUNT).map(|_| (spread(a), spread(b))).collect();
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for &(a, b) in &inputs {
            black_box(f(black_box(a), b));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / COUNT as f64
}
