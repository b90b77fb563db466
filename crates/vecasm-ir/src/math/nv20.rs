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
