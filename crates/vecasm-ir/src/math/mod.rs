//! Elementary functions, written in basic operations: of `f32`, and where a module says so of `f64` or of bits.
//!
//! The library must give the same bits on every platform and build without `std`, so it brings its own functions.
//! They are used by [`Pure::eval`](crate::ir::op::Pure::eval) and therefore part of the definition of the IR.
//!
//! * `round`: [`floor`], [`ceil`], [`trunc`], [`round_even`] (exact)
//! * `root`: [`sqrt`], [`rsqrt`] (correctly rounded)
//! * `exp_log`: [`exp2`], [`exp`], [`log2`], [`log`], [`pow`]
//! * `trig`: [`sin`], [`cos`]
//! * `fma`: [`fma()`] (correctly rounded)
//! * `scale`: [`ldexp`], [`exp2_floor`] (correctly rounded), [`frexp_mantissa`], [`frexp_exponent`], [`exponent`],
//!   [`mantissa`] (exact)
//! * `half`: [`f32_to_half`] (correctly rounded), [`half_to_f32`] (exact)
//! * [`wide`]: functions of `f64`; `double`: elementary ones, less exact
//! * [`flush`](mod@flush): arithmetic without denormals
//! * [`nv20`]: the arithmetic of another machine, on bits
//!
//! # Method
//!
//! Everything transcendental is computed in `f64` and rounded to `f32` once at the end, which also gives gradual
//! underflow and overflow without extra code. The only operations are `+ − × ÷` of `f64`, conversions between `f32`
//! and `f64`, comparisons with selection, and integer operations on bits; all of them are exact or correctly
//! rounded by IEEE 754, so the result is a pure function of the input. Nothing may be contracted to a fused
//! multiply-add or reassociated: an engine that computes several lanes at once must do the same operations in the
//! same order. There are no tables (the bits of 1/π for huge angles and [`nv20`] apart) and, on the usual path, no
//! data-dependent branches. Rare inputs are handed to `#[cold]` functions; which inputs depends on the input only.
//!
//! The polynomials are minimax approximations, found by a Remez exchange in 200-bit arithmetic for the weighted
//! error named beside each one, then rounded to `f64`; the stated errors are those of the rounded coefficients.
//!
//! # Accuracy
//!
//! The largest error over all 2^32 inputs, in units in the last place of the exact result (in the range of
//! denormals: of 2^-149), as `cargo xtask ulp` measures it:
//!
//! | function | largest error | inputs not correctly rounded |
//! |---|---|---|
//! | `floor` `ceil` `trunc` `round_even` | exact | 0 |
//! | `exponent` `mantissa` `frexp_mantissa` `frexp_exponent` | exact | 0 |
//! | `sqrt` `rsqrt` `exp2_floor` `f32_to_half` `flush::rcp` `flush::sqrt` | 0.5 | 0 |
//! | `exp2` | 0.500013 | 1,442 |
//! | `exp` | 0.500013 | 1,342 |
//! | `log2` | 0.5000003 | 4 |
//! | `log` | 0.5000001 | 10 |
//! | `sin` | 0.500002 | 1,274 |
//! | `cos` | 0.500002 | 1,408 |
//! | `pow` | 0.500045 | 1,277 of 400 million pairs |
//!
//! [`MAX_ULP`] is the bound the library promises for all of them. The task compares the correctly rounded functions of
//! several arguments (`fma`, `ldexp`, those of [`flush`](mod@flush)) and what `std` has of [`wide`] with `std` or with
//! the processor, on random arguments; there are no differences.
//!
//! # NaN
//!
//! Where the result is NaN, its sign and payload mean nothing and may differ between platforms; whoever makes bits
//! visible writes [`CANONICAL_NAN`].

#[doc(hidden)]
pub mod double;
mod exp_log;
pub mod flush;
mod fma;
mod half;
pub mod nv20;
mod root;
mod round;
mod scale;
mod trig;
pub mod wide;

/// What the functions are made of, for engines that compute them on vectors by the same operations in the same order.
pub mod terms {
    pub use super::exp_log::{EXP2, LOG2};
    pub use super::trig::{FAST_LIMIT, PI_HIGH, PI_LOW, SIN};

    /// Added to an `f64` of magnitude below 2^51 and subtracted again, rounds it to an integer, ties to even. The low
    /// bits of the sum are the integer in two's complement.
    pub const ROUND: f64 = super::ROUND;
}

pub use exp_log::{exp, exp2, log, log2, pow};
pub use fma::fma;
pub use half::{f32_to_half, half_to_f32};
pub use root::{rsqrt, sqrt};
pub use round::{ceil, floor, round_even, trunc};
pub use scale::{exp2_floor, exponent, frexp_exponent, frexp_mantissa, ldexp, mantissa};
pub use trig::{cos, sin};

/// The NaN that arithmetic gives where its bits become visible: quiet, positive, no payload.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// The documented bound of the error of the transcendental functions, in units in the last place. A correctly
/// rounded function has 0.5.
pub const MAX_ULP: f64 = 0.5001;

/// Added to an `f64` of magnitude below 2^51 and subtracted again, rounds it to an integer, ties to even. The low
/// bits of the sum are the integer in two's complement.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52

/// The exponent field of an `f64` starts at this bit.
const F64_EXPONENT: u32 = 52;

/// Functions for usual inputs only, without branches: a loop over many is vectorized. Others give anything.
#[doc(hidden)]
pub mod usual {
    pub use super::exp_log::{log2_usual as log2, pow_positive as pow};
    pub use super::root::{is_normal, rsqrt_usual as rsqrt};
    pub use super::trig::{cos_usual as cos, is_angle, sin_usual as sin};

    /// Whether a number is usual as an exponent.
    #[inline(always)]
    pub fn is_finite(y: f32) -> bool {
        y.to_bits() & 0x7fff_ffff < 0x7f80_0000
    }
}

/// Whether `x` is +0 < x < +Inf; one comparison for everything that needs special care in roots and logarithms.
#[inline(always)]
pub fn is_positive_finite(x: f32) -> bool {
    x.to_bits().wrapping_sub(1) < 0x7f7f_ffff
}

/// The error of `got` against `want`, the exact result or one far more precise than `f32`, in units in the last
/// place of `want` as an `f32` (in the range of denormals: of 2^-149). Correct rounding gives at most 0.5.
///
/// NaN for NaN is no error; a wrong NaN, a wrong infinity or a wrong sign, also of zero, is an infinite one. The
/// infinity that overflow rounds to counts as 2^128.
pub fn ulp_error(got: f32, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() == want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != want.is_sign_negative() {
        return f64::INFINITY;
    }
    let magnitude = |v: f64| f64::from_bits(v.to_bits() & !(1 << 63));
    let (got, want) = (magnitude(f64::from(got)), magnitude(want));
    // The unit is 2^(e - 23), where 2^e <= want < 2^(e+1) inside the range of normal numbers.
    let exponent = (want.to_bits() >> F64_EXPONENT).clamp(1023 - 126, 1023 + 127);
    let ulp = f64::from_bits((exponent - 23) << F64_EXPONENT);
    let overflow = f64::from(f32::MAX) + ulp;
    match (got == f64::INFINITY, want >= overflow) {
        (true, true) => 0.0,
        (true, false) => (overflow - want) / ulp,
        (false, _) => magnitude(got - want) / ulp,
    }
}

#[cfg(test)]
#[path = "../../tests/ir/math/tools.rs"]
mod tools;
