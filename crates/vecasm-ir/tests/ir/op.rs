//! What the pure operations compute, against values from the manuals and from recorded runs of peers.
//!
//! "M" names a value that was measured by running Mesa's TGSI executor 22.3.6; the others follow from the
//! sentence that documents the operation.

use vecasm_ir::ir::Scalar::{self, Bool, F32, F64, I32, I64, U32, U64};
use vecasm_ir::ir::op::{Arith, Atomic, Pure, Rows, Word, constant_lane, constant_of};

fn eval(op: Pure, scalar: Scalar, args: &[u64]) -> u64 {
    let mut list = [0; 4];
    list[..args.len()].copy_from_slice(args);
    op.eval(scalar, Arith::IEEE, list)
}

fn f(v: f32) -> u64 {
    u64::from(v.to_bits())
}

fn d(v: f64) -> u64 {
    v.to_bits()
}

fn i(v: i32) -> u64 {
    u64::from(v as u32)
}

fn l(v: i64) -> u64 {
    v as u64
}

#[track_caller]
fn check(op: Pure, scalar: Scalar, args: &[u64], wanted: u64) {
    let got = eval(op, scalar, args);
    assert_eq!(got, wanted, "{} {} {args:x?}: {got:x}, not {wanted:x}", op.name(), scalar.name());
    // A word of 32 bits gives the same where everything has 32 bits.
    if !scalar.is_wide() && args.iter().all(|a| *a >> 32 == 0) && wanted >> 32 == 0 {
        let wide = matches!(op.result(), vecasm_ir::ir::op::Slot::Is(scalar) if scalar.is_wide());
        if !wide {
            let mut list = [0u32; 4];
            list.iter_mut().zip(args).for_each(|(to, from)| *to = *from as u32);
            assert_eq!(u64::from(op.eval(scalar, Arith::IEEE, list)), wanted, "{} on words", op.name());
        }
    }
}

#[test]
fn integers_divide_without_traps() {
    // M: TGSI's IDIV by 0 is 0, UDIV, UMOD and MOD by 0 are all ones; MOD has the sign of the dividend.
    check(Pure::Div, I32, &[i(7), i(0)], 0);
    check(Pure::Div, U32, &[7, 0], 0xffff_ffff);
    check(Pure::Rem, I32, &[i(7), i(0)], 0xffff_ffff);
    check(Pure::Rem, U32, &[7, 0], 0xffff_ffff);
    check(Pure::Div, I64, &[l(7), 0], 0);
    check(Pure::Div, U64, &[7, 0], u64::MAX);
    check(Pure::Rem, I64, &[l(7), 0], u64::MAX);
    check(Pure::Rem, U64, &[7, 0], u64::MAX);
    check(Pure::Div, I32, &[i(-7), i(2)], i(-3));
    check(Pure::Rem, I32, &[i(-7), i(2)], i(-1));
    check(Pure::Rem, I32, &[i(7), i(-2)], i(1));
    check(Pure::Div, I32, &[i(i32::MIN), i(-1)], i(i32::MIN));
    check(Pure::Rem, I32, &[i(i32::MIN), i(-1)], 0);
    check(Pure::Div, I64, &[l(i64::MIN), l(-1)], l(i64::MIN));
    check(Pure::Rem, I64, &[l(i64::MIN), l(-1)], 0);
}

#[test]
fn integers_wrap() {
    check(Pure::Add, U32, &[0xffff_ffff, 2], 1);
    check(Pure::Sub, I32, &[i(i32::MIN), i(1)], i(i32::MAX));
    check(Pure::Mul, I32, &[i(-3), i(5)], i(-15));
    check(Pure::Mul, U32, &[0x1_0001, 0x1_0001], 0x0002_0001);
    check(Pure::Neg, I32, &[i(i32::MIN)], i(i32::MIN));
    check(Pure::Abs, I32, &[i(i32::MIN)], i(i32::MIN));
    check(Pure::Abs, I64, &[l(-5)], 5);
    check(Pure::Sign, I32, &[i(-5)], i(-1));
    check(Pure::Sign, I64, &[0], 0);
    check(Pure::MulHigh, I32, &[i(-2), i(3)], i(-1));
    check(Pure::MulHigh, U32, &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe);
    check(Pure::Mul, U64, &[1 << 63, 3], 1 << 63);
    check(Pure::Min, I32, &[i(-1), i(1)], i(-1));
    check(Pure::Min, U32, &[0xffff_ffff, 1], 1);
    check(Pure::Max, I64, &[l(-1), 1], 1);
}

#[test]
fn shifts_mask_their_count() {
    // M: SHL, ISHR and USHR mask with 31, the 64-bit ones with 63.
    check(Pure::Shl, I32, &[1, 33], 2);
    check(Pure::Shr, I32, &[i(-8), 1], i(-4));
    check(Pure::Shr, U32, &[i(-8), 1], 0x7fff_fffc);
    check(Pure::Shr, I32, &[i(-8), 32], i(-8));
    check(Pure::Shl, U64, &[1, 65], 2);
    check(Pure::Shr, I64, &[l(-8), 64 + 2], l(-2));
    check(Pure::Shr, U64, &[l(-1), 60], 15);
}

#[test]
fn fields_of_bits() {
    // M: IBFE and UBFE as Direct3D 11 has them.
    check(Pure::BitExtract, U32, &[0x1234_5678, 4, 8], 0x67);
    check(Pure::BitExtract, I32, &[0x0000_0080, 4, 4], i(-8));
    check(Pure::BitExtract, U32, &[0x1234_5678, 0, 32], 0x1234_5678);
    check(Pure::BitExtract, U32, &[0x1234_5678, 4, 32], 0);
    check(Pure::BitExtract, U32, &[0xf234_5678, 28, 8], 0xf);
    check(Pure::BitExtract, I32, &[0xf234_5678, 28, 8], i(-1));
    check(Pure::BitExtract, U32, &[0x1234_5678, 36, 8], 0x67);
    check(Pure::BitExtract, U32, &[0x1234_5678, 4, 0], 0);
    check(Pure::BitInsert, U32, &[0xffff_ffff, 0, 8, 8], 0xffff_00ff);
    check(Pure::BitInsert, U32, &[0, 0xabcd, 28, 8], 0xd000_0000);
    check(Pure::BitInsert, U32, &[5, 7, 3, 32], 7);
    check(Pure::BitInsert, U32, &[5, 7, 3, 0], 5);
    check(Pure::BitReverse, U32, &[0x8000_0001], 0x8000_0001);
    check(Pure::BitReverse, U32, &[0x0000_00f1], 0x8f00_0000);
    check(Pure::BitCount, U32, &[0xf0f0_0001], 9);
    // M: LSB(0) = UMSB(0) = IMSB(0) = IMSB(-1) = -1, IMSB(INT_MIN) = 30.
    check(Pure::FirstLow, U32, &[0], i(-1));
    check(Pure::FirstLow, U32, &[0x50], 4);
    check(Pure::FirstHigh, U32, &[0], i(-1));
    check(Pure::FirstHigh, U32, &[0x8000_0000], 31);
    check(Pure::FirstHigh, I32, &[0], i(-1));
    check(Pure::FirstHigh, I32, &[i(-1)], i(-1));
    check(Pure::FirstHigh, I32, &[i(i32::MIN)], 30);
}

#[test]
fn floats_round_as_the_manuals_say() {
    // M: ROUND is half to even, CEIL(-0.5) is -0, FRC(-1e-9) is 1.
    for (x, rounded) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0)] {
        check(Pure::RoundEven, F32, &[f(x)], f(rounded));
        check(Pure::RoundEven, F64, &[d(x.into())], d(rounded.into()));
    }
    check(Pure::Ceil, F32, &[f(-0.5)], f(-0.0));
    check(Pure::Trunc, F32, &[f(-1.9)], f(-1.0));
    check(Pure::Fract, F32, &[f(-1e-9)], f(1.0));
    check(Pure::Fract, F64, &[d(-0.25)], d(0.75));
    check(Pure::Floor, F64, &[d(-0.25)], d(-1.0));
    // (1 + 2^-12)² = 1 + 2^-11 + 2^-24: the last bit is lost unless it is added before rounding.
    let x = 1.0 + 2f32.powi(-12);
    check(Pure::Fma, F32, &[f(x), f(x), f(-1.0)], f(2f32.powi(-11) + 2f32.powi(-24)));
    check(Pure::Ldexp, F32, &[f(0.75), i(3)], f(6.0));
    check(Pure::Ldexp, F64, &[d(0.75), i(-3)], d(0.09375));
    check(Pure::FrexpFraction, F64, &[d(-6.0)], d(-0.75));
    check(Pure::FrexpExponent, F64, &[d(-6.0)], 3);
    // M: LIT with x = 1, y = 0, w = 0 gives 1; negative y with w = -200 an infinity; NaN x gives 0.
    check(Pure::Lit, F32, &[f(1.0), f(0.0), f(0.0)], f(1.0));
    check(Pure::Lit, F32, &[f(1.0), f(-1.0), f(-200.0)], f(f32::INFINITY));
    check(Pure::Lit, F32, &[f(f32::NAN), f(1.0), f(1.0)], 0);
    check(Pure::Lit, F32, &[f(1.0), f(3.0), f(2.0)], f(9.0));
    // TGSI's RCC: 1/x clamped to ±[5.42101e-20, 1.884467e19].
    check(Pure::Rcc, F32, &[f(0.0)], 0x5f80_0000);
    check(Pure::Rcc, F32, &[f(-0.0)], 0xdf80_0000);
    check(Pure::Rcc, F32, &[f(f32::NEG_INFINITY)], 0x9f80_0000);
    check(Pure::Rcc, F32, &[f(4.0)], f(0.25));
    check(Pure::Exponent, F32, &[f(0.3)], f(-2.0));
    check(Pure::Mantissa, F32, &[f(-6.0)], f(1.5));
    check(Pure::Exp2Floor, F32, &[f(-1.5)], f(0.25));
}

#[test]
fn doubles() {
    check(Pure::Add, F64, &[d(0.1), d(0.2)], d(0.1 + 0.2));
    check(Pure::Rcp, F64, &[d(-0.0)], d(f64::NEG_INFINITY));
    check(Pure::Sqrt, F64, &[d(2.0)], d(core::f64::consts::SQRT_2));
    check(Pure::Sqrt, F64, &[d(-1.0)], 0x7ff8_0000_0000_0000);
    check(Pure::Neg, F64, &[d(0.0)], d(-0.0));
    check(Pure::Abs, F64, &[0xfff8_0000_0000_0001], 0x7ff8_0000_0000_0001);
    check(Pure::Saturate, F64, &[d(f64::NAN)], 0);
    check(Pure::Min, F64, &[d(f64::NAN), d(1.0)], d(1.0));
    check(Pure::Lt, F64, &[d(1.0), d(1.0 + f64::EPSILON)], 1);
    check(Pure::Ne, F64, &[d(f64::NAN), d(f64::NAN)], 1);
}

#[test]
fn conversions_saturate() {
    check(Pure::ToI32, F32, &[f(3e9)], i(i32::MAX));
    check(Pure::ToI32, F32, &[f(f32::NAN)], 0);
    check(Pure::ToI32, F32, &[f(-1.9)], i(-1));
    check(Pure::ToU32, F32, &[f(-1.9)], 0);
    check(Pure::ToU32, F32, &[f(3e9)], 3_000_000_000);
    check(Pure::ToU32, F64, &[d(5e9)], 0xffff_ffff);
    check(Pure::ToI64, F64, &[d(-1e30)], l(i64::MIN));
    check(Pure::ToU64, F32, &[f(1e30)], u64::MAX);
    check(Pure::ToF32, I32, &[i(-1)], f(-1.0));
    check(Pure::ToF32, U32, &[i(-1)], f(4_294_967_296.0));
    // Nearest, ties to even: 2^24 + 1 lies between two f32.
    check(Pure::ToF32, U32, &[0x0100_0001], f(16_777_216.0));
    check(Pure::ToF32, I64, &[l(-0x0100_0003)], f(-16_777_220.0));
    check(Pure::ToF32, Bool, &[1], f(1.0));
    check(Pure::ToF32, F64, &[d(0.1)], f(0.1));
    check(Pure::ToF64, F32, &[f(0.1)], d(0.1f32.into()));
    check(Pure::ToF64, U64, &[u64::MAX], d(18_446_744_073_709_551_616.0));
    check(Pure::ToI64, I32, &[i(-2)], l(-2));
    check(Pure::ToI64, U32, &[i(-2)], 0xffff_fffe);
    check(Pure::ToI32, I64, &[0x1_2345_6789], 0x2345_6789);
    check(Pure::ToU64, I32, &[i(-2)], l(-2));
    check(Pure::ToU32, Bool, &[1], 1);
    check(Pure::Pack64, U32, &[0x89ab_cdef, 0x0123_4567], 0x0123_4567_89ab_cdef);
    check(Pure::Low64, F64, &[0x0123_4567_89ab_cdef], 0x89ab_cdef);
    check(Pure::High64, U64, &[0x0123_4567_89ab_cdef], 0x0123_4567);
    // M: PK2H rounds to nearest even and overflows: 65519.99 is 7bff, 65520 is 7c00.
    check(Pure::ToHalf, F32, &[f(65519.99)], 0x7bff);
    check(Pure::ToHalf, F32, &[f(65520.0)], 0x7c00);
    check(Pure::FromHalf, U32, &[0xffff_3c00], f(1.0));
    // Casts and selections keep the bits of a NaN, arithmetic does not.
    check(Pure::AsU32, F32, &[0xffc0_1234], 0xffc0_1234);
    check(Pure::Select, F32, &[1, 0xffc0_1234, 0], 0xffc0_1234);
    check(Pure::Add, F32, &[0xffc0_1234, 0], 0x7fc0_0000);
}

#[test]
fn logic_is_bitwise() {
    check(Pure::And, U32, &[0xff00_ff00, 0x0ff0_0ff0], 0x0f00_0f00);
    check(Pure::Xor, U64, &[u64::MAX, 1], u64::MAX - 1);
    check(Pure::Not, I32, &[0], i(-1));
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check(Pure::And, Bool, &[a, b], a & b);
        check(Pure::Or, Bool, &[a, b], a | b);
        check(Pure::Xor, Bool, &[a, b], a ^ b);
        check(Pure::Eq, Bool, &[a, b], u64::from(a == b));
        check(Pure::Ne, Bool, &[a, b], u64::from(a != b));
        check(Pure::Not, Bool, &[a], 1 - a);
    }
}

#[test]
fn zero_wins_in_products_only() {
    let by = |op: Pure, args: [u64; 4]| -> u64 { op.eval(F32, Arith::ZERO_WINS, args) };
    let (inf, nan) = (f(f32::INFINITY), f(f32::NAN));
    assert_eq!(by(Pure::Mul, [f(-0.0), inf, 0, 0]), 0);
    assert_eq!(by(Pure::Mul, [nan, f(0.0), 0, 0]), 0);
    assert_eq!(by(Pure::Mul, [f(-0.0), f(2.0), 0, 0]), 0);
    assert_eq!(by(Pure::Mul, [f(3.0), f(2.0), 0, 0]), f(6.0));
    assert_eq!(by(Pure::Fma, [f(0.0), inf, f(5.0), 0]), f(5.0));
    assert_eq!(by(Pure::Fma, [f(0.0), inf, f(-0.0), 0]), f(0.0));
    assert_eq!(by(Pure::Div, [f(0.0), f(0.0), 0, 0]), 0x7fc0_0000);
    let x = [0, inf, f(1.0), nan];
    let y = [nan, 0, f(4.0), 0];
    assert_eq!(Pure::Dot.eval_reduce(F32, Arith::ZERO_WINS, x, y, 4), f(4.0));
    assert_eq!(Pure::Dot.eval_reduce(F32, Arith::IEEE, x, y, 4), 0x7fc0_0000);
}

#[test]
fn flushed_denormals() {
    let flush = Arith { flush: true, ..Arith::IEEE };
    let by = |op: Pure, args: [u64; 4]| -> u64 { op.eval(F32, flush, args) };
    let (least, tiny) = (f(f32::MIN_POSITIVE), u64::from(0x0040_0000u32));
    // Operands first: -tiny is -0 before anything is added to it.
    assert_eq!(by(Pure::Add, [tiny, 0, 0, 0]), 0);
    assert_eq!(by(Pure::Add, [tiny | 0x8000_0000, f(-0.0), 0, 0]), f(-0.0));
    // Then the result, with its sign.
    assert_eq!(by(Pure::Mul, [least, f(-0.5), 0, 0]), f(-0.0));
    assert_eq!(by(Pure::Sub, [f(1.5 * f32::MIN_POSITIVE), least, 0, 0]), 0);
    // Moves keep what they move.
    assert_eq!(by(Pure::Neg, [tiny, 0, 0, 0]), tiny | 0x8000_0000);
    assert_eq!(by(Pure::Lt, [0, tiny, 0, 0]), 0);
}

#[test]
fn nv20_sums_are_fused() {
    // A sum of three whose first two cancel: one after another the third one's low bits survive, fused they are
    // below 2^-24 of the largest term and go (NV20: terms lose bits from 6 exponents below the largest).
    let terms = [f(1.0e8), f(-1.0e8), f(1.0000001), 0];
    let fused: u64 = Pure::Sum.eval_reduce(F32, Arith::NV20, terms, [0; 4], 3);
    let chained: u64 = Pure::Sum.eval_reduce(F32, Arith::IEEE, terms, [0; 4], 3);
    assert_eq!(chained, f(1.0000001));
    // 1e8 has exponent 26; its term is shifted left by 5, so one unit is 2^(26-23-5) = 2^-2, and 1.0000001 is 1.0.
    assert_eq!(fused, f(1.0));
    // Products are truncated, and zero wins.
    let x = [f(f32::INFINITY), f(2.0), 0, 0];
    let y = [0, f(3.0), 0, 0];
    assert_eq!(Pure::Dot.eval_reduce(F32, Arith::NV20, x, y, 2), f(6.0));
}

#[test]
fn reductions() {
    let v = [f(1.0), f(2.0), f(3.0), f(4.0)];
    assert_eq!(Pure::Sum.eval_reduce(F32, Arith::IEEE, v, v, 3), f(6.0));
    assert_eq!(Pure::Dot.eval_reduce(F32, Arith::IEEE, v, v, 4), f(30.0));
    // In ascending order: (1e8 + 1) + -1e8 loses the 1, 1 + (1e8 - 1e8) would not.
    let v = [f(1e8), f(1.0), f(-1e8), 0];
    assert_eq!(Pure::Sum.eval_reduce(F32, Arith::IEEE, v, v, 3), f(0.0));
    assert_eq!(Pure::Sum.eval_reduce(F64, Arith::IEEE, [d(1.5), d(2.0), 0, 0], [0; 4], 2), d(3.5));
    assert_eq!(Pure::All.eval_reduce(Bool, Arith::IEEE, [1, 1, 0, 0u32], [0; 4], 2), 1);
    assert_eq!(Pure::All.eval_reduce(Bool, Arith::IEEE, [1, 1, 0, 0u32], [0; 4], 3), 0);
    assert_eq!(Pure::Any.eval_reduce(Bool, Arith::IEEE, [0, 0, 1, 0u32], [0; 4], 2), 0);
    assert_eq!(Pure::Any.eval_reduce(Bool, Arith::IEEE, [0, 0, 1, 0u32], [0; 4], 3), 1);
}

#[test]
fn rows_of_elements_are_single_ones() {
    // Rows as short as an invocation, as long as a quad, and longer. Lane 1 of an argument is row 1 behind that of lane 0.
    for n in [1usize, 4, 7] {
        let quads = n.div_ceil(4);
        let element = |i: usize| (i as f32 * 0.75 - 2.0).to_bits();
        let words: Vec<[u32; 4]> =
            (0..6 * quads).map(|i| core::array::from_fn(|l| element(i * 4 + l))).collect();
        let at = [[0, 1, 0, 0], [3, 4, 0, 0], [2, 3, 0, 0], [5, 5, 0, 0]];
        for &op in Pure::ALL {
            for scalar in [F32, I32, U32, Bool] {
                let mut out = vec![[0u32; 4]; 2 * quads];
                op.eval_all(scalar, Arith::IEEE, Rows { words: &words, n, at: &at }, &mut out);
                for (lane, i) in (0..2).flat_map(|lane| (0..n).map(move |i| (lane, i))) {
                    let args = at.map(|rows| words[rows[lane] as usize * quads + i / 4][i % 4]);
                    let got = out[lane * quads + i / 4][i % 4];
                    assert_eq!(got, op.eval(scalar, Arith::IEEE, args), "{} {}", op.name(), scalar.name());
                }
            }
        }
    }
}

#[test]
fn constants_hold_their_lanes() {
    assert_eq!(constant_of(&[1, 2], F64), Some([1, 0, 2, 0]));
    assert_eq!(constant_of(&[1 << 32 | 5], U64), Some([5, 1, 0, 0]));
    assert_eq!(constant_of(&[1, 2, 3], F64), None);
    assert_eq!(constant_lane([5, 1, 7, 2], I64, 1), 2 << 32 | 7);
    assert_eq!(constant_lane([5, 1, 7, 2], I32, 2), 7);
    assert_eq!(<u32 as Word>::from_bits(1 << 32 | 5), 5);
}

#[test]
fn atomics() {
    assert_eq!(Atomic::Add.apply(u32::MAX, 2, 0), 1);
    assert_eq!(Atomic::FloatAdd.apply(1.5f32.to_bits(), 2.0f32.to_bits(), 0), 3.5f32.to_bits());
    assert_eq!(Atomic::MinSigned.apply(1, u32::MAX, 0), u32::MAX);
    assert_eq!(Atomic::MinUnsigned.apply(1, u32::MAX, 0), 1);
    assert_eq!(Atomic::CompareExchange.apply(5, 5, 9), 9);
    assert_eq!(Atomic::CompareExchange.apply(5, 6, 9), 5);
    // Mesa's documentation of ATOMINC_WRAP and ATOMDEC_WRAP in 22.3: old >= max ? 0 : old + 1, and
    // old == 0 || old > max ? max : old - 1.
    assert_eq!([2, 3, 4].map(|old| Atomic::IncrementWrap.apply(old, 3, 0)), [3, 0, 0]);
    assert_eq!([0, 1, 3, 4].map(|old| Atomic::DecrementWrap.apply(old, 3, 0)), [3, 0, 2, 3]);
}
