//! The arithmetic of the transform unit of NV20 and NV2A, bit for bit.
//!
//! All functions take and give the bits of `f32` values; the unit computes with integers and truncates, so none of
//! them is an IEEE operation. The facts are the findings of the envytools project, whose author fitted an integer
//! model on chips of the NV20 family; that the NV2A of the Xbox has the same bits is an analogy that no picture
//! taken on a console contradicts.
//!
//! Shared rules: "zero" is an exponent field of 0, so denormals count as zero, except in [`sum`] (half their value)
//! and where values are only compared or copied. Arithmetic gives one NaN, [`NAN`]. Overflow gives ±[`f32::MAX`],
//! underflow a zero of the sign.

/// The NaN that arithmetic gives.
pub const NAN: u32 = 0x7fff_ffff;

/// The bit of the sign.
pub const SIGN: u32 = 0x8000_0000;
/// The bits of infinity.
pub const INFINITY: u32 = f32::INFINITY.to_bits();
/// The bits of one.
pub const ONE: u32 = 1f32.to_bits();
/// The largest finite value.
pub const MAX: u32 = f32::MAX.to_bits();
/// The bit that a 24-bit mantissa has above the fraction.
pub const HIDDEN: u32 = 0x0080_0000;

/// The exponent field.
#[inline(always)]
fn exp_field(x: u32) -> i32 {
    ((x >> 23) & 0xff) as i32
}

/// The fraction.
#[inline(always)]
fn fraction(x: u32) -> u32 {
    x & (HIDDEN - 1)
}

#[inline(always)]
fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

#[inline(always)]
fn is_infinite(x: u32) -> bool {
    x & !SIGN == INFINITY
}

/// A zero or a denormal.
#[inline(always)]
fn is_zero(x: u32) -> bool {
    x & INFINITY == 0
}

/// Puts a value together: `mantissa` has 24 bits, the highest set. An exponent field of 0 or less gives a zero of
/// the sign, one of 255 or more the largest finite value.
#[inline(always)]
fn pack(sign: u32, exponent: i32, mantissa: u32) -> u32 {
    match exponent {
        ..=0 => sign,
        1..=254 => sign | ((exponent as u32) << 23) | fraction(mantissa),
        _ => sign | MAX,
    }
}

/// The product. A zero on either side gives +0, whatever the other side is (also an infinity or NaN); then NaN
/// gives [`NAN`] and an infinity one of the product's sign. Else the product of the two 24-bit mantissas, truncated.
#[inline(always)]
pub fn mul(a: u32, b: u32) -> u32 {
    // Without branches, so that a loop over many is vectorized: the last choice that holds wins.
    let sign = (a ^ b) & SIGN;
    let product = u64::from(fraction(a) | HIDDEN) * u64::from(fraction(b) | HIDDEN);
    // The product is in 1..4 and has 46 fraction bits.
    let product = (product >> 23) as u32;
    let above_two = product >> 24;
    let mantissa = if above_two != 0 { product >> 1 } else { product };
    let exponent = exp_field(a) + exp_field(b) - 127 + above_two as i32;
    let mut out = sign | ((exponent as u32) << 23) | fraction(mantissa);
    out = if exponent >= 255 { sign | MAX } else { out };
    out = if exponent <= 0 { sign } else { out };
    out = if is_infinite(a) | is_infinite(b) { sign | INFINITY } else { out };
    out = if is_nan(a) | is_nan(b) { NAN } else { out };
    if is_zero(a) | is_zero(b) { 0 } else { out }
}

/// The sum of all terms in one operation: they are aligned to the largest with 7 bits below its last (terms lose
/// bits from 6 exponents below the largest on), added as integers and truncated. The order does not matter, but
/// adding in several steps gives other results.
///
/// NaN gives [`NAN`], as do infinities of both signs; else an infinity is the result. A denormal counts half. A
/// result of zero is +0 where the terms cancel or are zeros, and has the sign of the sum where it underflows. A
/// single term is itself, but a denormal becomes a zero of its sign and -0 becomes +0. No terms give +0.
#[inline]
pub fn sum(terms: &[u32]) -> u32 {
    let largest = terms.iter().fold(0, |largest, &term| largest.max(exp_field(term)));
    if largest == 255 {
        return sum_of_specials(terms);
    }
    let mut total: i64 = 0;
    for &term in terms {
        let exponent = exp_field(term);
        let mantissa = fraction(term) | if exponent == 0 { 0 } else { HIDDEN };
        // A mantissa has 24 bits, and 5 more make room for those shifted out.
        let aligned = i64::from(mantissa << 5 >> (largest - exponent).min(31));
        total += if term & SIGN == 0 { aligned } else { -aligned };
    }
    if total == 0 {
        return 0;
    }
    let sign = if total < 0 { SIGN } else { 0 };
    let magnitude = total.unsigned_abs();
    // The highest bit comes to 63; the largest term has its own at 28.
    let zeros = magnitude.leading_zeros();
    let mantissa = (magnitude << zeros) >> 40;
    pack(sign, largest + 35 - zeros as i32, mantissa as u32)
}

/// Whether a value is an infinity or NaN.
#[inline(always)]
pub fn is_special(x: u32) -> bool {
    x & INFINITY == INFINITY
}

/// As [`sum`], if no term is an infinity or NaN; else anything. Without branches and shifts by lane, so that a loop over
/// many is vectorized: the integers are held in f64, which has room for all of them.
#[inline(always)]
pub fn sum_of_finite<const N: usize>(terms: [u32; N]) -> u32 {
    // Adding and taking away 2^52 leaves the nearest integer.
    const INTEGERS: f64 = (1u64 << 52) as f64;
    let mut largest = 0;
    for term in terms {
        let exponent = (term >> 23) & 0xff;
        largest = if exponent > largest { exponent } else { largest };
    }
    let mut total = 0.0;
    for term in terms {
        let exponent = (term >> 23) & 0xff;
        let mantissa = fraction(term) | if exponent == 0 { 0 } else { HIDDEN };
        // 2^5, less by what the exponent is below the largest one.
        let scale = f64::from_bits(u64::from(1023 + 5 + exponent - largest) << 52);
        let aligned = f64::from(mantissa as i32) * scale;
        let nearest = (aligned + INTEGERS) - INTEGERS;
        let truncated = nearest - if nearest > aligned { 1.0 } else { 0.0 };
        total += f64::from_bits(truncated.to_bits() | u64::from(term & SIGN) << 32);
    }
    let bits = total.to_bits();
    let sign = (bits >> 32) as u32 & SIGN;
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023 - 28 + largest as i32;
    let mut out = sign | ((exponent as u32) << 23) | fraction((bits >> 29) as u32);
    out = if exponent >= 255 { sign | MAX } else { out };
    out = if exponent <= 0 { sign } else { out };
    if total == 0.0 { 0 } else { out }
}

/// The sum where a term is an infinity or NaN.
#[cold]
fn sum_of_specials(terms: &[u32]) -> u32 {
    let (mut positive, mut negative) = (false, false);
    for &term in terms {
        if is_nan(term) {
            return NAN;
        }
        if is_infinite(term) {
            (positive, negative) = (positive | (term & SIGN == 0), negative | (term & SIGN != 0));
        }
    }
    match (positive, negative) {
        (true, false) => INFINITY,
        (false, true) => SIGN | INFINITY,
        _ => NAN,
    }
}

/// A key that orders bits as the unit does: -NaN < -Inf < … < -0 < +0 < … < +Inf < +NaN, denormals by their bits.
#[inline(always)]
fn key(x: u32) -> u32 {
    if x & SIGN == 0 { x | SIGN } else { !x }
}

/// Whether `a` is below `b` in the total order: -NaN < -Inf < … < -0 < +0 < … < +Inf < +NaN, where two values are
/// equal only if their bits are.
#[inline(always)]
pub fn lt(a: u32, b: u32) -> bool {
    key(a) < key(b)
}

/// Whether `a` is not below `b` in the total order of [`lt`]. A NaN is not below itself.
#[inline(always)]
pub fn ge(a: u32, b: u32) -> bool {
    !lt(a, b)
}

/// The lower of two values in the total order of [`lt`], its bits unchanged.
#[inline(always)]
pub fn min(a: u32, b: u32) -> u32 {
    if lt(a, b) { a } else { b }
}

/// The higher of two values in the total order of [`lt`], its bits unchanged.
#[inline(always)]
pub fn max(a: u32, b: u32) -> u32 {
    if lt(a, b) { b } else { a }
}

/// The clamp of colours to 0..1, in the total order of [`lt`]: -0 and -NaN give +0, +NaN gives 1.
#[inline]
pub fn saturate(x: u32) -> u32 {
    min(max(x, 0), ONE)
}

/// The seeds of [`rcp`]: 128/m rounded to nearest, m in the middle of each 64th of 1..2.
pub const RCP_SEED: [u8; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        // m = d/128; the quotient plus a half, rounded down. d is odd, so there are no ties.
        let d = 129 + 2 * i as u32;
        table[i] = ((2 * 16_384 + d) / (2 * d)) as u8;
        i += 1;
    }
    table
};

/// The reciprocal. Powers of two are exact; the relative error of others is below 2^-22. NaN gives [`NAN`], a zero
/// an infinity of its sign, an infinity a zero of its sign; a result below 2^-126 is a zero of its sign, so the
/// largest finite values give zeros.
#[inline]
pub fn rcp(x: u32) -> u32 {
    let sign = x & SIGN;
    if is_nan(x) {
        return NAN;
    }
    if is_zero(x) {
        return sign | INFINITY;
    }
    let exponent = exp_field(x);
    if fraction(x) == 0 {
        return pack(sign, 254 - exponent, HIDDEN);
    }
    // Two steps of Newton's iteration, s' = s(2 - s·m), with the bits that the unit keeps.
    let m = i64::from(fraction(x) | HIDDEN);
    let seed = i64::from(RCP_SEED[((m >> 17) & 63) as usize]);
    let s1 = (((1 << 31) - seed * m) * seed) >> 24;
    let s2 = (((1 << 37) - s1 * m) * s1) >> 25;
    pack(sign, 253 - exponent, s2 as u32)
}

/// The reciprocal of [`rcp`] with its magnitude clamped to 2^-64..2^64, the sign kept: a zero gives ±2^64, an
/// infinity ±2^-64. NaN gives [`NAN`].
#[inline]
pub fn rcc(x: u32) -> u32 {
    const LOW: u32 = (127 - 64) << 23;
    const HIGH: u32 = (127 + 64) << 23;
    let r = rcp(x);
    if is_nan(r) { r } else { (r & SIGN) | (r & !SIGN).clamp(LOW, HIGH) }
}

/// The seeds of [`rsq`]: 128/sqrt(m) rounded to nearest, m in the middle of each 64th of 1..2, then of each 32nd
/// of 2..4. The first differs: 127 where the formula gives 128.
pub const RSQ_SEED: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        // The square of the exact quotient is n/d, with m = d/128 and m = d/64.
        let (n, d) =
            if i < 64 { (1 << 21, 129 + 2 * i as u32) } else { (1 << 20, 129 + 2 * (i as u32 - 64)) };
        // The largest s with (s - 1/2)^2 <= n/d.
        let mut s = 64;
        while (2 * s + 1) * (2 * s + 1) * d <= 4 * n {
            s += 1;
        }
        table[i] = s as u8;
        i += 1;
    }
    table[0] = 127;
    table
};

/// The reciprocal square root of the magnitude, with a relative error below 2^-21.6. A power of 4 gives one unit less
/// than the exact value: 1 gives 3f7fffff. NaN gives [`NAN`], a zero +Inf, an infinity +0.
#[inline]
pub fn rsq(x: u32) -> u32 {
    if is_nan(x) {
        return NAN;
    }
    if is_zero(x) {
        return INFINITY;
    }
    if is_infinite(x) {
        return 0;
    }
    let exponent = exp_field(x);
    // x = m · 4^k with m in 1..4; m has 23 fraction bits.
    let above_two = (exponent + 1) & 1;
    let m = u64::from(fraction(x) | HIDDEN) << above_two;
    let index = (fraction(x) >> 17) as usize + if above_two == 0 { 0 } else { 64 };
    // Two steps of Newton's iteration, s' = s(3 - s²m)/2, with the bits that the unit keeps.
    let seed = u64::from(RSQ_SEED[index]);
    let s1 = (((3 << 37) - seed * seed * m) * seed) >> 32;
    let s2 = (((3 << 49) - s1 * s1 * m) * s1) >> 39;
    pack(0, 126 - (exponent - 127 - above_two) / 2, s2 as u32)
}

/// The values of 2^(i/32) - 1 that [`exp2`] interpolates between, with 14 fraction bits.
pub const EXP2: [u16; 32] = [
    0x0000, 0x0167, 0x02d5, 0x044c, 0x05cb, 0x0752, 0x08e2, 0x0a7b, 0x0c1c, 0x0dc7, 0x0f7b, 0x1138, 0x12ff,
    0x14d1, 0x16ac, 0x1892, 0x1a83, 0x1c7e, 0x1e84, 0x2096, 0x22b4, 0x24dd, 0x2712, 0x2954, 0x2ba3, 0x2dfe,
    0x3067, 0x32dc, 0x3561, 0x37f2, 0x3a93, 0x3d44,
];
/// The difference after the last of [`EXP2`].
pub const EXP2_LAST: u32 = 0x2bb;

/// The integer of [`exp2`] and its kin: floor(x·2^13). Magnitudes below 2^-23 give 0, also negative ones; from 2^18
/// on, and for NaN (of either sign: the highest), it saturates.
#[inline]
fn to_fixed(x: u32) -> i32 {
    let exponent = exp_field(x);
    let negative = x & SIGN != 0;
    if is_nan(x) {
        return i32::MAX;
    }
    match exponent {
        ..=103 => 0,
        104..=144 => {
            let mantissa = i64::from(fraction(x) | HIDDEN);
            let value = if negative { -mantissa } else { mantissa };
            // x = value · 2^(exponent - 150).
            let shift = exponent - 150 + 13;
            (if shift >= 0 { value << shift } else { value >> -shift }) as i32
        }
        _ if negative => i32::MIN,
        _ => i32::MAX,
    }
}

/// 2 to the power of a number with 13 fraction bits: +0 where that is below 2^-126, +Inf from 2^128 on.
#[inline]
fn exp2_fixed(p: i32) -> u32 {
    match p >> 13 {
        ..=-127 => 0,
        128.. => INFINITY,
        exponent => {
            let (high, low) = (((p >> 8) & 31) as usize, (p & 0xff) as u32);
            let start = u32::from(EXP2[high]);
            let step = EXP2.get(high + 1).map_or(EXP2_LAST, |&next| u32::from(next) - start);
            pack(0, exponent + 127, 2 * (start * 256 + step * low))
        }
    }
}

/// 2 to the power `x` by interpolation, with a relative error of 2^-13: EXP.z. NaN gives [`NAN`]; `x` is rounded
/// down to a multiple of 2^-13 first.
#[inline]
pub fn exp2(x: u32) -> u32 {
    if is_nan(x) { NAN } else { exp2_fixed(to_fixed(x)) }
}

/// 2 to the power floor(`x`): EXP.x. NaN gives +Inf; a negative value above -2^-23 gives 1.
#[inline]
pub fn exp2_floor(x: u32) -> u32 {
    exp2_fixed(to_fixed(x) & !0x1fff)
}

/// `x` minus floor(`x`): EXP.y. Exact where the result has at most 23 fraction bits, else (`x` in -1..0) rounded
/// down to that. A negative normal value above -2^-23 gives 1; zeros, denormals, infinities and magnitudes from
/// 2^23 on give +0; NaN gives itself.
#[inline]
pub fn fract(x: u32) -> u32 {
    if is_nan(x) {
        return x;
    }
    let exponent = exp_field(x);
    if exponent == 0 || exponent >= 150 {
        return 0;
    }
    let negative = x & SIGN != 0;
    if exponent < 127 && !negative {
        return x;
    }
    if exponent < 104 {
        return ONE;
    }
    // The magnitude with 23 fraction bits; what does not fit (negative values only) is rounded up.
    let mantissa = u64::from(fraction(x) | HIDDEN);
    let fixed = if exponent >= 127 {
        mantissa << (exponent - 127)
    } else {
        let shift = 127 - exponent;
        (mantissa + ((1 << shift) - 1)) >> shift
    };
    let fixed = fraction(if negative { (fixed as u32).wrapping_neg() } else { fixed as u32 });
    if fixed == 0 {
        return 0;
    }
    let highest = fixed.ilog2();
    pack(0, 127 - 23 + highest as i32, fixed << (23 - highest))
}

/// The values of log2(1 + i/32) that [`log2`] interpolates between, with 18 fraction bits.
pub const LOG2: [u32; 32] = [
    0x00000, 0x02db6, 0x059bd, 0x08493, 0x0ae2d, 0x0d6a6, 0x0fe20, 0x12468, 0x149ce, 0x16e47, 0x191df,
    0x1b4a1, 0x1d696, 0x1f7c9, 0x2183f, 0x23804, 0x2571e, 0x27592, 0x2936b, 0x2b0ab, 0x2cd5a, 0x2e97c,
    0x3051a, 0x32035, 0x33ad3, 0x354f7, 0x36ea9, 0x387e9, 0x3a0bd, 0x3b928, 0x3d12b, 0x3e8d5,
];
/// The difference after the last of [`LOG2`].
pub const LOG2_LAST: u32 = 0x172a;

/// The base-2 logarithm of the magnitude of a number that is not zero, with 26 fraction bits.
#[inline]
fn log2_fixed(x: u32) -> i64 {
    let (high, low) = ((fraction(x) >> 18) as usize, (fraction(x) >> 10) & 0xff);
    let start = LOG2[high];
    let step = LOG2.get(high + 1).map_or(LOG2_LAST, |next| next - start);
    i64::from(start * 256 + step * low) + (i64::from(exp_field(x) - 127) << 26)
}

/// What [`log2`] and [`exponent`] give where there is nothing to compute: NaN gives itself with the sign cleared,
/// zeros -Inf, infinities +Inf.
#[inline]
fn log_special(x: u32) -> Option<u32> {
    if is_zero(x) {
        Some(SIGN | INFINITY)
    } else if exp_field(x) == 255 {
        Some(x & !SIGN)
    } else {
        None
    }
}

/// The base-2 logarithm of the magnitude by interpolation, with an error of 2^-12: LOG.z. A zero gives -Inf, an
/// infinity +Inf, NaN itself with the sign cleared.
#[inline]
pub fn log2(x: u32) -> u32 {
    log_special(x).unwrap_or_else(|| {
        let fixed = log2_fixed(x);
        if fixed == 0 {
            return 0;
        }
        let sign = if fixed < 0 { SIGN } else { 0 };
        let magnitude = fixed.unsigned_abs();
        let highest = magnitude.ilog2() as i32;
        let mantissa = if highest >= 23 { magnitude >> (highest - 23) } else { magnitude << (23 - highest) };
        pack(sign, 127 - 26 + highest, mantissa as u32)
    })
}

/// floor(log2) of the magnitude, exact: LOG.x. A zero gives -Inf, an infinity +Inf, NaN itself with the sign
/// cleared.
#[inline]
pub fn exponent(x: u32) -> u32 {
    log_special(x).unwrap_or_else(|| ((exp_field(x) - 127) as f32).to_bits())
}

/// The magnitude divided by the power of two of [`exponent`], in 1..2: LOG.y. Zeros and infinities give 1, NaN
/// itself with the sign cleared.
#[inline]
pub fn mantissa(x: u32) -> u32 {
    if is_nan(x) {
        x & !SIGN
    } else if is_zero(x) {
        ONE
    } else {
        ONE | fraction(x)
    }
}

/// The specular term of LIT, its component z; `x`, `y` and `w` are those of the source.
///
/// In this order: +0 if `x` has its sign set (also -0 and -NaN) or is a zero; 1 if `w` is a zero; [`NAN`] if `y` or
/// `w` is NaN; for `y` negative or zero, +Inf if `w` is negative and else +0; for `y` = +Inf, +0 if `w` is negative
/// and else +Inf; else `y` to the power `w`, clamped to -128..128 - 2^-13, from the tables of [`log2`] and [`exp2`].
#[inline]
pub fn lit(x: u32, y: u32, w: u32) -> u32 {
    let w_negative = w & SIGN != 0;
    if x & SIGN != 0 || is_zero(x) {
        0
    } else if is_zero(w) {
        ONE
    } else if is_nan(y) || is_nan(w) {
        NAN
    } else if y & SIGN != 0 || is_zero(y) {
        if w_negative { INFINITY } else { 0 }
    } else if is_infinite(y) {
        if w_negative { 0 } else { INFINITY }
    } else {
        // At most 2^33 · 2^20, so that the shifted product fits 32 bits.
        let power = i64::from(to_fixed(w).clamp(-0x0010_0000, 0x000f_ffff));
        exp2_fixed(((log2_fixed(y) * power) >> 26) as i32)
    }
}

#[cfg(test)]
mod test {
    use super::super::test::random;
    use super::*;

    const NEGATIVE_NAN: u32 = SIGN | NAN;
    const NEGATIVE_INFINITY: u32 = SIGN | INFINITY;
    /// The smallest normal number, 2^-126.
    const MIN_NORMAL: u32 = HIDDEN;
    /// The largest denormal number.
    const DENORMAL: u32 = HIDDEN - 1;

    fn f(x: f32) -> u32 {
        x.to_bits()
    }

    fn value(x: u32) -> f64 {
        f64::from(f32::from_bits(x))
    }

    /// Words whose exponents lie so close that operations on them do something.
    fn near(state: &mut u64) -> u32 {
        let word = random(state);
        (word as u32 & 0x807f_ffff) | ((112 + (word >> 60) as u32 * 2) << 23)
    }

    #[test]
    fn products_truncate_and_zero_wins() {
        assert_eq!(mul(f(3.0), f(-5.0)), f(-15.0));
        // (1 + 2^-23)² = 1 + 2·2^-23 + 2^-46: to nearest and truncated the same.
        assert_eq!(mul(0x3f80_0001, 0x3f80_0001), 0x3f80_0002);
        // (1.5 + 2^-23)² = 2.25 + 1.5·2^-22 + 2^-46: more than one and a half units above 2.25, to nearest two.
        assert_eq!(mul(0x3fc0_0001, 0x3fc0_0001), 0x4010_0001);
        assert_eq!(mul(0, NAN), 0);
        assert_eq!(mul(SIGN, f(1.0)), 0);
        assert_eq!(mul(SIGN | 1, INFINITY), 0);
        assert_eq!(mul(ONE, NEGATIVE_NAN), 0x7fff_ffff);
        assert_eq!(mul(f(-1.0), INFINITY), NEGATIVE_INFINITY);
        assert_eq!(mul(MAX, f(-1.5)), SIGN | MAX);
        assert_eq!(mul(MAX, f(2.0)), MAX);
        assert_eq!(mul(MIN_NORMAL, f(-0.5)), SIGN);
        assert_eq!(mul(MIN_NORMAL, f(0.999)), 0);
        assert_eq!(mul(MIN_NORMAL, f(1.0)), MIN_NORMAL);
    }

    #[test]
    fn products_are_exact_ones_without_their_low_bits() {
        let mut state = 1;
        for _ in 0..200_000 {
            let (a, b) = (near(&mut state), near(&mut state));
            // 48 bits fit an f64; what is below 24 goes.
            let product = value(a) * value(b);
            let truncated = f64::from_bits(product.to_bits() & !((1 << 29) - 1));
            assert_eq!(mul(a, b), f(truncated as f32), "{a:08x} {b:08x}");
        }
    }

    #[test]
    fn sums_drop_what_is_far_below_the_largest_term() {
        let tiny = |e: i32| ((127 + e) as u32) << 23;
        assert_eq!(sum(&[f(1.5), f(2.25)]), f(3.75));
        assert_eq!(sum(&[f(1.5), f(-1.5)]), 0);
        assert_eq!(sum(&[SIGN, SIGN]), 0);
        // 1 has 23 + 5 bits below it: 2^-28 is still seen, and lost in the truncation of a sum above 1; from 1 it
        // borrows, and the difference 1 - 2^-28 is truncated to 1 - 2^-24. 2^-29 vanishes.
        assert_eq!(sum(&[ONE, tiny(-28)]), ONE);
        assert_eq!(sum(&[ONE, SIGN | tiny(-28)]), 0x3f7f_ffff);
        assert_eq!(sum(&[ONE, SIGN | tiny(-29)]), ONE);
        // Two halves of a last place add up in one operation, and not in two.
        assert_eq!(sum(&[ONE, tiny(-24), tiny(-24)]), ONE + 1);
        assert_eq!(sum(&[sum(&[ONE, tiny(-24)]), tiny(-24)]), ONE);
        // In units of 2^-28: 2^-24 is 16, and 2^-24 - 2^-48 is cut to 15; together less than the 32 of a last place,
        // though the exact sum rounds to it.
        assert_eq!(sum(&[ONE, tiny(-24), 0x337f_ffff]), ONE);
    }

    #[test]
    fn sums_of_special_values() {
        assert_eq!(sum(&[]), 0);
        assert_eq!(sum(&[f(-7.25)]), f(-7.25));
        assert_eq!(sum(&[SIGN]), 0);
        assert_eq!(sum(&[SIGN | 1]), SIGN);
        assert_eq!(sum(&[INFINITY, ONE]), INFINITY);
        assert_eq!(sum(&[ONE, NEGATIVE_INFINITY, NEGATIVE_INFINITY]), NEGATIVE_INFINITY);
        assert_eq!(sum(&[INFINITY, ONE, NEGATIVE_INFINITY]), NAN);
        assert_eq!(sum(&[INFINITY, NEGATIVE_NAN]), NAN);
        assert_eq!(sum(&[MAX, MAX]), MAX);
        assert_eq!(sum(&[SIGN | MAX, SIGN | MAX]), SIGN | MAX);
        // A denormal counts half: 2^-126 plus the largest denormal is 1.5·2^-126 less half a unit, truncated.
        assert_eq!(sum(&[MIN_NORMAL, DENORMAL]), 0x00bf_ffff);
        // Two denormals stay below 2^-126.
        assert_eq!(sum(&[DENORMAL, DENORMAL]), 0);
        assert_eq!(sum(&[SIGN | DENORMAL, SIGN | DENORMAL]), SIGN);
        // 1.5·2^-126 - 2^-126 underflows.
        assert_eq!(sum(&[SIGN | 0x00c0_0000, MIN_NORMAL]), SIGN);
        // Many terms need more than the bits of four.
        assert_eq!(sum(&[ONE; 1000]), f(1000.0));
    }

    #[test]
    fn the_order_of_terms_does_not_matter() {
        let mut state = 2;
        for _ in 0..50_000 {
            let [a, b, c, d] = core::array::from_fn(|_| near(&mut state));
            assert_eq!(sum(&[a, b, c, d]), sum(&[d, b, a, c]));
            assert_eq!(sum(&[a, b]), sum(&[b, a]));
            // The sign of all changes that of the result.
            let (plus, minus) = (sum(&[a, b, c]), sum(&[a ^ SIGN, b ^ SIGN, c ^ SIGN]));
            assert_eq!(minus, if plus == 0 { 0 } else { plus ^ SIGN });
        }
    }

    #[test]
    fn the_order_is_total() {
        let ascending = [
            NEGATIVE_NAN,
            SIGN | 0x7fc0_0000,
            NEGATIVE_INFINITY,
            SIGN | MAX,
            f(-1.0),
            SIGN | 2,
            SIGN | 1,
            SIGN,
            0,
            1,
            DENORMAL,
            MIN_NORMAL,
            ONE,
            MAX,
            INFINITY,
            0x7fc0_0000,
            NAN,
        ];
        for (i, &a) in ascending.iter().enumerate() {
            for (j, &b) in ascending.iter().enumerate() {
                assert_eq!(lt(a, b), i < j, "{a:08x} {b:08x}");
                assert_eq!(ge(a, b), i >= j, "{a:08x} {b:08x}");
                assert_eq!(min(a, b), ascending[i.min(j)]);
                assert_eq!(max(a, b), ascending[i.max(j)]);
            }
        }
    }

    #[test]
    fn colours_are_clamped() {
        for (x, want) in [
            (NEGATIVE_NAN, 0),
            (NEGATIVE_INFINITY, 0),
            (f(-0.5), 0),
            (SIGN | 1, 0),
            (SIGN, 0),
            (0, 0),
            (1, 1),
            (f(0.25), f(0.25)),
            (ONE, ONE),
            (ONE + 1, ONE),
            (INFINITY, ONE),
            (0x7f80_0001, ONE),
            (NAN, ONE),
        ] {
            assert_eq!(saturate(x), want, "{x:08x}");
        }
    }

    #[test]
    fn reciprocals() {
        for e in 1..=253 {
            assert_eq!(rcp(e << 23), (254 - e) << 23);
            assert_eq!(rcp(SIGN | e << 23), SIGN | (254 - e) << 23);
        }
        for (x, want) in [
            (0, INFINITY),
            (SIGN, NEGATIVE_INFINITY),
            (DENORMAL, INFINITY),
            (SIGN | 1, NEGATIVE_INFINITY),
            (INFINITY, 0),
            (NEGATIVE_INFINITY, SIGN),
            (NEGATIVE_NAN, NAN),
            // 2^127 has the reciprocal 2^-127; those of all above 2^126 are below 2^-126.
            (0x7f00_0000, 0),
            (SIGN | MAX, SIGN),
            (0x7e80_0000, MIN_NORMAL),
            (0x7e80_0001, 0),
        ] {
            assert_eq!(rcp(x), want, "{x:08x}");
        }
        for bits in (ONE..f(2.0)).step_by(5) {
            let error = (value(rcp(bits)) * value(bits) - 1.0).abs();
            assert!(error < 1.0 / 4_194_304.0, "{bits:08x}: {error:e}");
        }
    }

    /// By hand: the seed, then two steps.
    #[test]
    fn two_steps_of_newton() {
        // 1/3: m = 1.5·2^23, seed 128/(1 + 32.5/64) = 84.9, so 85; (2^31 - 85m)·85 >> 24 = 5461;
        // (2^37 - 5461m)·5461 >> 25 = 11184810, one below 2^25/3.
        assert_eq!(rcp(f(3.0)), (125 << 23) | (11_184_810 - (1 << 23)));
        // 1/sqrt(2): m = 2^24, seed 128/sqrt(2 + 1/64) = 90.2, so 90; (3·2^37 - 90²m)·90 >> 32 = 5792;
        // (3·2^49 - 5792²m)·5792 >> 39 = 11863283, that is 2^24/sqrt(2).
        assert_eq!(rsq(f(2.0)), (126 << 23) | (11_863_283 - (1 << 23)));
    }

    #[test]
    fn reciprocals_clamped() {
        let power = |e: i32| ((127 + e) as u32) << 23;
        for (x, want) in [
            (0, power(64)),
            (SIGN | DENORMAL, SIGN | power(64)),
            (INFINITY, power(-64)),
            (NEGATIVE_INFINITY, SIGN | power(-64)),
            (MAX, power(-64)),
            (NEGATIVE_NAN, NAN),
            (power(64), power(-64)),
            (power(63) + 1, rcp(power(63) + 1)),
            (power(64) + 1, power(-64)),
            (power(-64), power(64)),
            (power(-64) + 1, rcp(power(-64) + 1)),
            (power(-64) - 1, power(64)),
            (f(-2.0), f(-0.5)),
        ] {
            assert_eq!(rcc(x), want, "{x:08x}");
        }
    }

    #[test]
    fn reciprocal_roots() {
        for (x, want) in [
            (ONE, 0x3f7f_ffff),
            (f(4.0), 0x3eff_ffff),
            (f(-4.0), 0x3eff_ffff),
            (0, INFINITY),
            (SIGN | DENORMAL, INFINITY),
            (NEGATIVE_INFINITY, 0),
            (INFINITY, 0),
            (NEGATIVE_NAN, NAN),
        ] {
            assert_eq!(rsq(x), want, "{x:08x}");
        }
        for bits in (ONE..f(4.0)).step_by(7) {
            let r = rsq(bits);
            let error = (value(r) * value(bits).sqrt() - 1.0).abs();
            assert!(error < 3.13e-7, "{bits:08x}: {error:e}"); // 2^-21.6
            // A power of four changes the exponent alone.
            assert_eq!(rsq(bits + (40 << 23)), r - (20 << 23));
            assert_eq!(rsq(bits - (126 << 23)), r + (63 << 23));
        }
    }

    #[test]
    fn powers_of_two_are_interpolated() {
        for e in -126..128 {
            assert_eq!(exp2(f(e as f32)), ((127 + e) as u32) << 23);
            assert_eq!(exp2_floor(f(e as f32)), ((127 + e) as u32) << 23);
            assert_eq!(exp2_floor(f(e as f32 + 0.999)), ((127 + e) as u32) << 23);
        }
        for (x, power, floor_power) in [
            (0, ONE, ONE),
            (SIGN, ONE, ONE),
            (SIGN | DENORMAL, ONE, ONE),
            (f(128.0), INFINITY, INFINITY),
            (INFINITY, INFINITY, INFINITY),
            (MAX, INFINITY, INFINITY),
            (f(-127.0), 0, 0),
            (SIGN | MAX, 0, 0),
            (NEGATIVE_INFINITY, 0, 0),
            (NAN, NAN, INFINITY),
            (NEGATIVE_NAN, NAN, INFINITY),
            // The largest negative value that counts as 0 is just above -2^-23, which is one step of 2^-13 down:
            // 2^-1 · (1 + A[31] + B[31]·255/256), A and B of the tables.
            (0xb3ff_ffff, ONE, ONE),
            (0xb400_0000, f(0.5) + 2 * (0x3d44 * 256 + 0x2bb * 255), f(0.5)),
            // Half-way in the first interval.
            (f(1.0 / 64.0), ONE + 2 * 0x167 * 128, ONE),
        ] {
            assert_eq!(exp2(x), power, "{x:08x}");
            assert_eq!(exp2_floor(x), floor_power, "{x:08x}");
        }
        for bits in (ONE..f(2.0)).step_by(11) {
            let error = (value(exp2(bits)) / value(bits).exp2() - 1.0).abs();
            assert!(error < 1.15e-4, "{bits:08x}: {error:e}"); // 2^-13.1
        }
    }

    /// The entries lie where straight lines between them are near the functions.
    #[test]
    fn tables_follow_their_functions() {
        for i in 0..32 {
            let off = f64::from(EXP2[i]) - 16_384.0 * ((i as f64 / 32.0).exp2() - 1.0);
            assert!(off.abs() < if i < 31 { 0.62 } else { 2.2 }, "{i}: {off}");
            // The logarithm is above its chords by up to 2^18/(8 · 32² · ln 2) = 46 units.
            let off = f64::from(LOG2[i]) - 262_144.0 * (1.0 + i as f64 / 32.0).log2();
            assert!(if i == 0 { off == 0.0 } else { (18.0..65.0).contains(&off) }, "{i}: {off}");
        }
        // Both last lines end one unit low.
        assert_eq!(u32::from(EXP2[31]) + EXP2_LAST, (1 << 14) - 1);
        assert_eq!(LOG2[31] + LOG2_LAST, (1 << 18) - 1);
    }

    #[test]
    fn fractions() {
        for (x, want) in [
            (f(0.75), f(0.75)),
            (f(-0.75), f(0.25)),
            (f(2.5), f(0.5)),
            (f(-2.25), f(0.75)),
            (f(-3.0), 0),
            (f(8_388_607.5), f(0.5)),
            (f(-1_048_575.25), f(0.75)),
            (f(8_388_608.0), 0),
            (SIGN | MAX, 0),
            (INFINITY, 0),
            (NEGATIVE_INFINITY, 0),
            (NEGATIVE_NAN, NEGATIVE_NAN),
            (0, 0),
            (SIGN, 0),
            (SIGN | DENORMAL, 0),
            (DENORMAL, 0),
            (MIN_NORMAL, MIN_NORMAL),
            (SIGN | MIN_NORMAL, ONE),
            (0xb3ff_ffff, ONE),
            // -2^-23 gives 1 - 2^-23; a little more is rounded down to 1 - 2^-22, -1 + 2^-24 to 0.
            (0xb400_0000, 0x3f7f_fffe),
            (0xb400_0001, 0x3f7f_fffc),
            (0xbf7f_ffff, 0),
        ] {
            assert_eq!(fract(x), want, "{x:08x}");
        }
        for bits in (MIN_NORMAL..INFINITY).step_by(20_011) {
            let x = value(bits);
            assert_eq!(fract(bits), f((x - x.floor()) as f32), "{bits:08x}");
            if x >= 1.0 {
                assert_eq!(fract(SIGN | bits), f((-x - (-x).floor()) as f32), "-{bits:08x}");
            }
        }
    }

    #[test]
    fn logarithms() {
        for (x, log, whole, rest) in [
            (0, NEGATIVE_INFINITY, NEGATIVE_INFINITY, ONE),
            (SIGN | DENORMAL, NEGATIVE_INFINITY, NEGATIVE_INFINITY, ONE),
            (INFINITY, INFINITY, INFINITY, ONE),
            (NEGATIVE_INFINITY, INFINITY, INFINITY, ONE),
            (SIGN | 0x7fab_cdef, 0x7fab_cdef, 0x7fab_cdef, 0x7fab_cdef),
            (ONE, 0, 0, ONE),
            (f(-8.0), f(3.0), f(3.0), ONE),
            (MIN_NORMAL, f(-126.0), f(-126.0), ONE),
            // 1 + 1/32, the second entry of the table of 18 bits.
            (f(1.03125), f(11_702.0 / 262_144.0), 0, f(1.03125)),
            // Below 1 by a unit of 24 bits: -1 + (LA[31]·256 + LB[31]·255)/2^26, which has 26 bits.
            (
                0x3f7f_ffff,
                f(-((67_108_864 - 0x3e8d5 * 256 - 0x172a * 255) as f32) / 67_108_864.0),
                f(-1.0),
                0x3fff_ffff,
            ),
        ] {
            assert_eq!(log2(x), log, "{x:08x}");
            assert_eq!(exponent(x), whole, "{x:08x}");
            assert_eq!(mantissa(x), rest, "{x:08x}");
        }
        for bits in (MIN_NORMAL..INFINITY).step_by(30_011) {
            let error = (value(log2(bits)) - value(bits).log2()).abs();
            assert!(error < 2.5e-4, "{bits:08x}: {error:e}"); // 2^-11.99
            assert_eq!(log2(bits), log2(SIGN | bits));
            assert_eq!(value(exponent(bits)), value(bits).log2().floor());
            assert_eq!(value(mantissa(bits)) * value(exponent(bits)).exp2(), value(bits));
        }
    }

    #[test]
    fn logarithms_are_truncated_toward_zero() {
        // 128·(1 + 4·2^-13): 7·2^26 + LB[0]·4 in units of 2^-26. It has 29 bits, of which 24 stay.
        let fixed = (7u32 << 26) + 0x2db6 * 4;
        assert_eq!(log2(f(128.0) + (4 << 10)), f((fixed & !31) as f32 / 67_108_864.0));
        // 2^-8·(1 + 4·2^-13): -8·2^26 + LB[0]·4; its magnitude has 29 bits too.
        let fixed = (8u32 << 26) - 0x2db6 * 4;
        assert_eq!(log2((119 << 23) + (4 << 10)), f(-((fixed & !31) as f32 / 67_108_864.0)));
    }

    #[test]
    fn specular_terms() {
        let two = f(2.0);
        for (x, y, w, want) in [
            // In the order of the tests; each beats all that follow.
            (f(-1.0), two, 0, 0),
            (NEGATIVE_NAN, two, 0, 0),
            (SIGN, two, 0, 0),
            (0, NAN, NAN, 0),
            (DENORMAL, two, 0, 0),
            (ONE, NAN, 0, ONE),
            (NAN, f(-1.0), SIGN | DENORMAL, ONE),
            (ONE, NAN, two, NAN),
            (ONE, NEGATIVE_NAN, two, NAN),
            (ONE, f(-1.0), NEGATIVE_NAN, NAN),
            (ONE, f(-1.0), two, 0),
            (ONE, f(-1.0), f(-2.0), INFINITY),
            (ONE, DENORMAL, two, 0),
            (ONE, SIGN, f(-2.0), INFINITY),
            (ONE, INFINITY, two, INFINITY),
            (ONE, INFINITY, f(-2.0), 0),
            (ONE, two, f(3.0), f(8.0)),
            (ONE, f(0.5), f(10.0), f(1.0 / 1024.0)),
            (ONE, f(4.0), f(0.5), two),
            (ONE, ONE, INFINITY, ONE),
            // The exponent is clamped to -128..=128 - 2^-13.
            (ONE, two, f(200.0), exp2(f(128.0 - 1.0 / 8192.0))),
            (ONE, two, f(-200.0), 0),
            (ONE, f(0.5), f(-200.0), INFINITY),
            (ONE, f(0.5), NEGATIVE_INFINITY, INFINITY),
            (ONE, f(0.5), INFINITY, exp2(f(-128.0 + 1.0 / 8192.0))),
        ] {
            assert_eq!(lit(x, y, w), want, "{x:08x} {y:08x} {w:08x}");
        }
        let mut state = 3;
        for _ in 0..100_000 {
            let (y, w) = (near(&mut state) & !SIGN, near(&mut state));
            let want = value(y).powf(value(w).clamp(-128.0, 128.0));
            if (1e-30..1e30).contains(&want) {
                let got = value(lit(ONE, y, w));
                // The error 2^-12 of the logarithm grows with the exponent; 2^-13 of that are cut off, too.
                let bound = (2.0f64).powf(2.5e-4 * value(w).abs().min(128.0))
                    * 1.0004
                    * (2.0f64).powf(value(y).log2().abs() / 8192.0);
                assert!(got <= want * bound && want <= got * bound, "{y:08x} {w:08x}: {got:e}, not {want:e}");
            }
        }
    }

    /// The form for loops against the definition: any finite bits, equal and nearby exponents, cancellation, denormals.
    #[test]
    fn sums_in_f64_are_sums() {
        let mut state = 5;
        for round in 0..200_000 {
            let base = (random(&mut state) as u32 >> 24 & 0xff).min(254);
            let mut term = || {
                let bits = random(&mut state) as u32;
                let exponent = match round % 4 {
                    0 => (bits >> 23 & 0xff).min(254),
                    1 => base.saturating_sub(bits >> 27),
                    2 => base,
                    _ => bits >> 30,
                };
                bits & !INFINITY | exponent << 23
            };
            let [a, b, c, d] = [term(), term(), term(), term()];
            assert_eq!(sum_of_finite([a, b]), sum(&[a, b]), "{a:08x} {b:08x}");
            assert_eq!(sum_of_finite([a, a ^ SIGN ^ 1]), sum(&[a, a ^ SIGN ^ 1]), "{a:08x}");
            assert_eq!(sum_of_finite([a, b, c]), sum(&[a, b, c]), "{a:08x} {b:08x} {c:08x}");
            assert_eq!(sum_of_finite([a, b, c, d]), sum(&[a, b, c, d]), "{a:08x} {b:08x} {c:08x} {d:08x}");
        }
    }

    #[test]
    fn words_of_all_kinds() {
        let mut state = 4;
        for _ in 0..200_000 {
            let word = random(&mut state);
            let (a, b) = (word as u32, (word >> 32) as u32);
            // Results of arithmetic are normal numbers, +-0, +-Inf or the one NaN.
            for x in [
                mul(a, b),
                sum(&[a, b]),
                sum(&[a, b, mul(a, b)]),
                rcp(a),
                rcc(a),
                rsq(a),
                exp2(a),
                lit(a, b, a),
            ] {
                assert!(
                    x == NAN || !is_nan(x) && (fraction(x) == 0 || exp_field(x) > 0),
                    "{a:08x} {b:08x}: {x:08x}"
                );
            }
            assert_eq!(mul(a, b), mul(b, a));
        }
    }
}
