//! The fused product and sum.

use super::special;
use super::tools::random;
use vecasm_ir::math::fma;

#[track_caller]
fn check(x: f32, y: f32, z: f32, want: f32) {
    let got = fma(x, y, z);
    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    assert!(same, "{x:e} * {y:e} + {z:e}: got {got:e}, want {want:e}");
}

#[test]
fn one_rounding() {
    let u = f32::EPSILON; // 2^-23
    let tiny = f32::from_bits(1); // 2^-149
    let power = |e: i32| f32::from_bits(((127 + e) as u32) << 23);
    // (1 + u)(1 - u) = 1 - u², which rounds to 1.
    check(1.0 + u, 1.0 - u, -1.0, -u * u);
    // (1 + u)² = 1 + 2u + u²: the u² alone is left.
    check(1.0 + u, 1.0 + u, -(1.0 + 2.0 * u), u * u);
    // 1 + u/2 is half-way and goes to even 1; the least bit more goes up, however far below the 53 bits of f64
    // it is; so do the least bits at 1 + 3u/2, where the tie goes up.
    check(1.0, 1.0, u / 2.0, 1.0);
    check(1.0 + u, 0.5 * u, 1.0, 1.0 + u);
    check(power(-60), power(-60), 1.0 + u, 1.0 + u);
    check(1.0 + 1.5 * u, 1.0, 0.0, 1.0 + 2.0 * u);
    // A sum of 2^-23·(1 + 2^-24) - 2^-120 beside half of the last place of 2: f64 cannot hold it.
    let y = 1.0 + 2.0 * u;
    check(power(-24), y, 1.0, 1.0 + u);
    check(-power(-24), y, 1.0, 1.0 - u / 2.0);
    // Denormal results: half of the last place with a trace above and below it.
    check(power(-75), power(-75), 0.0, 0.0);
    check(power(-75), power(-75) * (1.0 + u), 0.0, tiny);
    check(power(-75), power(-75) * (1.0 - u / 2.0), tiny, tiny);
    check(power(-75), power(-75) * (1.0 + u), tiny, 2.0 * tiny);
    check(power(-75), power(-75), tiny, 2.0 * tiny);
    // Overflow: half of the last place above the largest number.
    check(power(103), 1.0, f32::MAX, f32::INFINITY);
    check(power(103), 1.0 - u / 2.0, f32::MAX, f32::MAX);
    check(power(64), power(64), -power(127), power(127));
    // Zeros: an exact sum of opposite signs is +0, a rounded one keeps its sign.
    check(0.0, -1.0, -0.0, -0.0);
    check(0.0, -1.0, 0.0, 0.0);
    check(2.0, 3.0, -6.0, 0.0);
    check(-tiny, tiny, 0.0, -0.0);
    check(f32::INFINITY, 0.0, 1.0, f32::NAN);
    check(f32::INFINITY, 1.0, f32::NEG_INFINITY, f32::NAN);
    check(f32::MAX, f32::MAX, f32::NEG_INFINITY, f32::NEG_INFINITY);
}

#[test]
fn like_std() {
    for x in special() {
        for y in special() {
            for z in special() {
                check(x, y, z, x.mul_add(y, z));
            }
        }
    }
    let mut state = 1;
    for i in 0..2_000_000u64 {
        let (word, other) = (random(&mut state), random(&mut state));
        let (x, y) = (f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32));
        // Products in and below the range of denormals for a part of them.
        let y = if i % 3 == 0 { y } else { (y / x) * f32::from_bits((other >> 58) as u32 * (1 << 22)) };
        let product = f64::from(x) * f64::from(y);
        let z = match i % 4 {
            0 => f32::from_bits(other as u32),
            // Cancels most of the product.
            1 => f32::from_bits((-product as f32).to_bits().wrapping_add(other as u32 % 5).wrapping_sub(2)),
            _ => (product * f64::from_bits((1023 - 60 + other % 120) << 52)) as f32,
        };
        check(x, y, z, x.mul_add(y, z));
        let cut = |v: f32| f32::from_bits(v.to_bits() & !0xfff);
        check(cut(x), cut(y), z, cut(x).mul_add(cut(y), z));
    }
}
