//! The arithmetic of NV20, by hand and against exact results.

use super::tools::random;
use vecasm_ir::math::nv20::*;

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
        for x in
            [mul(a, b), sum(&[a, b]), sum(&[a, b, mul(a, b)]), rcp(a), rcc(a), rsq(a), exp2(a), lit(a, b, a)]
        {
            assert!(
                x == NAN || !f32::from_bits(x).is_nan() && !f32::from_bits(x).is_subnormal(),
                "{a:08x} {b:08x}: {x:08x}"
            );
        }
        assert_eq!(mul(a, b), mul(b, a));
    }
}
