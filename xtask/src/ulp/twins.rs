//! Functions that must give the very bits of a twin: of `std`, or of the processor with denormals flushed. Random
//! arguments, most of them where rounding is hard.

use super::random;
use vecasm::math::{flush, fma, ldexp, wide};

/// What one draw found: the arguments, the result and that of the twin, all as bits.
pub(super) type Difference = (Vec<u64>, u64, u64);

/// A function, with what tries it once.
pub(super) type Twin = (&'static str, fn(&mut u64) -> Option<Difference>);

/// One row a function.
pub(super) const TWINS: &[Twin] = &[
    ("fma", |state| {
        let (x, y, z) = triple(state);
        narrow(&[x, y, z], fma(x, y, z), x.mul_add(y, z))
    }),
    ("ldexp", |state| {
        let (x, n) = (f32::from_bits(random(state) as u32), (random(state) % 253) as i32 - 126);
        narrow(&[x, n as f32], ldexp(x, n), x * power(n) as f32)
    }),
    ("wide::floor", |state| {
        let x = any(state, 56);
        double(&[x], wide::floor(x), x.floor())
    }),
    ("wide::ceil", |state| {
        let x = any(state, 56);
        double(&[x], wide::ceil(x), x.ceil())
    }),
    ("wide::trunc", |state| {
        let x = any(state, 56);
        double(&[x], wide::trunc(x), x.trunc())
    }),
    ("wide::round_even", |state| {
        let x = any(state, 56);
        double(&[x], wide::round_even(x), x.round_ties_even())
    }),
    ("wide::ldexp", |state| {
        let (x, n) = (any(state, 100), (random(state) % 2045) as i32 - 1022);
        double(&[x, f64::from(n)], wide::ldexp(x, n), x * power(n))
    }),
    ("wide::fma", |state| {
        let (x, y, z) = wide_triple(state);
        double(&[x, y, z], wide::fma(x, y, z), x.mul_add(y, z))
    }),
    #[cfg(target_arch = "x86_64")]
    ("flush::add", |state| {
        let (x, y) = (low(state), low(state));
        narrow(&[x, y], flush::add(x, y), cpu::add(x, y))
    }),
    #[cfg(target_arch = "x86_64")]
    ("flush::sub", |state| {
        let (x, y) = (low(state), low(state));
        narrow(&[x, y], flush::sub(x, y), cpu::sub(x, y))
    }),
    #[cfg(target_arch = "x86_64")]
    ("flush::mul", |state| {
        let x = f32::from_bits(random(state) as u32);
        let y = (least(state) / f64::from(x)) as f32;
        narrow(&[x, y], flush::mul(x, y), cpu::mul(x, y))
    }),
    #[cfg(target_arch = "x86_64")]
    ("flush::div", |state| {
        let x = f32::from_bits(random(state) as u32);
        let y = (f64::from(x) / least(state)) as f32;
        narrow(&[x, y], flush::div(x, y), cpu::div(x, y))
    }),
    #[cfg(target_arch = "x86_64")]
    ("flush::fma", |state| {
        let (x, y, z) = triple(state);
        // A part of them so that the sum is near the limit.
        let z = match random(state) % 4 {
            0 => f32::MIN_POSITIVE,
            1 => (least(state) - f64::from(x) * f64::from(y)) as f32,
            _ => z,
        };
        let twin = cpu::fma(x, y, z);
        twin.and_then(|twin| narrow(&[x, y, z], flush::fma(x, y, z), twin))
    }),
];

fn narrow(arguments: &[f32], got: f32, want: f32) -> Option<Difference> {
    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    let bits = |x: f32| u64::from(x.to_bits());
    (!same).then(|| (arguments.iter().map(|&x| bits(x)).collect(), bits(got), bits(want)))
}

fn double(arguments: &[f64], got: f64, want: f64) -> Option<Difference> {
    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    (!same).then(|| (arguments.iter().map(|x| x.to_bits()).collect(), got.to_bits(), want.to_bits()))
}

/// 2^n for n in the range of normal numbers of `f64`.
fn power(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// A number of any bits, or as often one with an exponent within `spread` of 0.
fn any(state: &mut u64, spread: u64) -> f64 {
    let (bits, exponent) = (random(state), random(state));
    let near = 1023 - spread + exponent % (2 * spread + 1);
    f64::from_bits(if exponent >> 63 == 0 { bits } else { (bits & !(0x7ff << 52)) | (near << 52) })
}

/// A number with few bits, every other time: sums of them are often half-way between two numbers.
fn cut(state: &mut u64, x: f64, bits: u32) -> f64 {
    if random(state).is_multiple_of(2) { x } else { f64::from_bits(x.to_bits() & !((1 << bits) - 1)) }
}

/// A third number for a product: anything, or one that cancels it, or one larger or smaller by up to `spread`.
fn third(state: &mut u64, product: f64, spread: u64, anything: f64) -> f64 {
    let word = random(state);
    match word % 4 {
        0 => anything,
        1 => -product,
        _ => product * f64::from_bits((1023 - spread + (word >> 8) % (2 * spread)) << 52),
    }
}

/// Arguments of a fused multiply-add of `f32`; a third of the results is denormal.
fn triple(state: &mut u64) -> (f32, f32, f32) {
    let number = |state: &mut u64| {
        let x = f64::from(f32::from_bits(random(state) as u32));
        cut(state, x, 41) as f32
    };
    let (x, y) = (number(state), number(state));
    let y = if random(state).is_multiple_of(3) { (low(state) / x) * 0.5 } else { y };
    let anything = f64::from(number(state));
    let z = third(state, f64::from(x) * f64::from(y), 60, anything) as f32;
    // Beside the product itself there are its neighbours.
    let step = (random(state) % 5) as u32;
    (x, y, f32::from_bits(z.to_bits().wrapping_add(step).wrapping_sub(2)))
}

/// Arguments of a fused multiply-add of `f64`; a third of the results is denormal, a third near overflow.
fn wide_triple(state: &mut u64) -> (f64, f64, f64) {
    let number = |state: &mut u64| {
        let x = any(state, 40);
        cut(state, x, 26)
    };
    let (x, y) = (number(state), number(state));
    let anything = any(state, 80);
    let z = third(state, x * y, 120, anything);
    let word = random(state);
    let z = f64::from_bits(z.to_bits().wrapping_add(word % 5).wrapping_sub(2));
    let by = match word >> 62 {
        0 => power(-500 - (word >> 8) as i32 % 60),
        1 => power(490 + (word >> 8) as i32 % 24),
        _ => 1.0,
    };
    (x * by, y * by, z * by * by)
}

/// A denormal number or one of the lowest exponents.
fn low(state: &mut u64) -> f32 {
    let word = random(state);
    f32::from_bits((word as u32 & 0x807f_ffff) | (((word >> 32) as u32 % 28) << 23))
}

/// A number within some units of 2^-126.
#[cfg(target_arch = "x86_64")]
fn least(state: &mut u64) -> f64 {
    let word = random(state);
    let steps = (word % 64) as f64 - 32.0;
    f64::from(f32::MIN_POSITIVE) * (1.0 + steps * power((word >> 6) as i32 % 12 - 26))
}

/// The processor's own operations with the modes FTZ and DAZ.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "no safe function sets the modes")]
mod cpu {
    use std::arch::asm;

    /// All exceptions masked, to nearest even, FTZ (bit 15) and DAZ (bit 6).
    const FLUSH: u32 = 0x9fc0;
    /// The same without the two.
    const USUAL: u32 = 0x1f80;

    macro_rules! operation {
        ($name:ident, $instruction:literal) => {
            pub(super) fn $name(mut x: f32, y: f32) -> f32 {
                // SAFETY: reads the two constants and works on registers; the modes are the usual ones again at the
                // end.
                unsafe {
                    asm!(
                        "ldmxcsr [{flush}]",
                        concat!($instruction, " {x}, {y}"),
                        "ldmxcsr [{usual}]",
                        flush = in(reg) &FLUSH,
                        usual = in(reg) &USUAL,
                        x = inout(xmm_reg) x,
                        y = in(xmm_reg) y,
                        options(readonly, nostack),
                    );
                }
                x
            }
        };
    }

    operation!(add, "addss");
    operation!(sub, "subss");
    operation!(mul, "mulss");
    operation!(div, "divss");

    /// `None` where the processor has no such instruction.
    pub(super) fn fma(x: f32, y: f32, mut z: f32) -> Option<f32> {
        if !std::arch::is_x86_feature_detected!("fma") {
            return None;
        }
        // SAFETY: as above; the instruction is there.
        unsafe {
            asm!(
                "ldmxcsr [{flush}]",
                "vfmadd231ss {z}, {x}, {y}",
                "ldmxcsr [{usual}]",
                flush = in(reg) &FLUSH,
                usual = in(reg) &USUAL,
                x = in(xmm_reg) x,
                y = in(xmm_reg) y,
                z = inout(xmm_reg) z,
                options(readonly, nostack),
            );
        }
        Some(z)
    }
}
