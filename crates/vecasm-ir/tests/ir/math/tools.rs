//! What tests of elementary functions share, those of private functions in the library included.

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = f64::INFINITY.to_bits();
/// Bits of the fraction of an `f64`.
const FRACTION: u32 = 52;

/// Steele, Lea and Flood's SplitMix64.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Compares the bits of results; NaN equals NaN.
pub(crate) fn table(f: impl Fn(f32) -> f32, rows: &[(f32, f32)]) {
    for &(x, want) in rows {
        let got = f(x);
        let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
        assert!(same, "x = {x:e}: got {got:e}, want {want:e}");
    }
}

/// The values where functions of `f64` change their ways, of both signs.
pub(crate) fn special_wide() -> impl Iterator<Item = f64> + Clone {
    const BITS: [u64; 30] = [
        0,
        1,
        2,
        3,
        0x0008_0000_0000_0000,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000, // 2^-1022
        0x0010_0000_0000_0001,
        0x001f_ffff_ffff_ffff,
        0x0020_0000_0000_0000,
        0x1e60_0000_0000_0000,
        0x3ca0_0000_0000_0000, // 2^-53
        0x3ca0_0000_0000_0001,
        0x3fdf_ffff_ffff_ffff,
        0x3fe0_0000_0000_0000, // 0.5
        0x3fe0_0000_0000_0001,
        0x3fef_ffff_ffff_ffff,
        0x3ff0_0000_0000_0000, // 1
        0x3ff0_0000_0000_0001,
        0x3ff8_0000_0000_0000, // 1.5
        0x4004_0000_0000_0000, // 2.5
        0x400f_ffff_ffff_ffff,
        0x4010_0000_0000_0000, // 4
        0x4320_0000_0000_0001, // 2^51 + 1/2
        0x4330_0000_0000_0000, // 2^52
        0x4340_0000_0000_0001,
        0x5fe0_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        INFINITY,
        0x7ff8_0000_0000_0000,
    ];
    BITS.into_iter().flat_map(|bits| [bits, bits | SIGN]).map(f64::from_bits)
}

/// A number of any bits, or one with an exponent within `spread` of 0.
pub(crate) fn any(state: &mut u64, spread: u64) -> f64 {
    let (bits, exponent) = (random(state), random(state));
    let near = 1023 - spread + exponent % (2 * spread + 1);
    f64::from_bits(if exponent >> 63 == 0 { bits } else { bits & !INFINITY | near << FRACTION })
}

#[track_caller]
pub(crate) fn same(got: f64, want: f64, what: &dyn core::fmt::Debug) {
    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    assert!(same, "{what:x?}: got {got:e}, want {want:e}");
}
