//! The pieces every register-age instruction is made of: lanes, swizzles and write masks.

use alloc::string::String;
use core::fmt;

/// The letters of the four lanes, in order.
pub const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

/// Four lane selectors: lane `i` of the operand reads lane `get(i)` of the register.
///
/// Packed as two bits a lane with x lowest, which is how AGAL, Direct3D 9 and TGSI store it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle(u8);

impl Swizzle {
    /// `.xyzw`
    pub const IDENTITY: Self = Self(0xe4);

    /// From the packed form, two bits a lane, x lowest.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The packed form.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From four lane numbers; only the low two bits of each count.
    pub const fn new(x: u8, y: u8, z: u8, w: u8) -> Self {
        Self((x & 3) | (y & 3) << 2 | (z & 3) << 4 | (w & 3) << 6)
    }

    /// The same lane four times.
    pub const fn splat(lane: u8) -> Self {
        Self::new(lane, lane, lane, lane)
    }

    /// The register lane that operand lane `lane` (0..=3) reads.
    pub const fn get(self, lane: usize) -> u8 {
        (self.0 >> ((lane & 3) * 2)) & 3
    }

    /// The four register lanes.
    pub const fn lanes(self) -> [u8; 4] {
        [self.get(0), self.get(1), self.get(2), self.get(3)]
    }

    /// Whether all four lanes read the same one.
    pub const fn is_scalar(self) -> bool {
        self.0 == (self.0 & 3) * 0x55
    }

    /// What the lanes of `mask` read, moved together, and the last of them repeated behind; as it is for an empty mask.
    pub const fn together(self, mask: WriteMask) -> Self {
        Self(TOGETHER[mask.bits() as usize & 15][self.0 as usize])
    }

    /// The register lanes read by any lane of `needed`.
    pub const fn read_mask(self, needed: WriteMask) -> WriteMask {
        let (s, n) = (self.0, needed.0);
        WriteMask(
            (n & 1) << (s & 3)
                | (n >> 1 & 1) << (s >> 2 & 3)
                | (n >> 2 & 1) << (s >> 4 & 3)
                | (n >> 3 & 1) << (s >> 6),
        )
    }

    /// The four letters, for example `xyzz`.
    pub fn letters(self) -> String {
        self.lanes().iter().map(|&l| LANES[l as usize]).collect()
    }

    /// The shortest spelling for syntaxes that repeat the last letter: `xyzz` is `xyz`, `xxxx` is `x`.
    pub fn short_letters(self) -> String {
        let lanes = self.lanes();
        let mut n = 4;
        while n > 1 && lanes[n - 1] == lanes[n - 2] {
            n -= 1;
        }
        lanes[..n].iter().map(|&l| LANES[l as usize]).collect()
    }
}

/// By mask and swizzle: [`Swizzle::together`]. Writers ask for it for every operand; walking the lanes each time made it a
/// tenth of writing a shader.
static TOGETHER: [[u8; 256]; 16] = {
    let mut all = [[0; 256]; 16];
    let mut mask = 0;
    while mask < 16 {
        let mut bits = 0;
        while bits < 256 {
            let from = Swizzle::from_bits(bits as u8);
            let mut lanes = [0; 4];
            let (mut lane, mut n) = (0, 0);
            while lane < 4 {
                if mask >> lane & 1 == 1 || mask == 0 {
                    lanes[n] = from.get(lane);
                    n += 1;
                }
                lane += 1;
            }
            while n < 4 {
                lanes[n] = lanes[n - 1];
                n += 1;
            }
            all[mask][bits] = Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]).bits();
            bits += 1;
        }
        mask += 1;
    }
    all
};

impl Default for Swizzle {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.letters())
    }
}

/// A set of lanes, one bit each with x lowest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WriteMask(u8);

impl WriteMask {
    /// No lane.
    pub const NONE: Self = Self(0);
    /// `.x`
    pub const X: Self = Self(1);
    /// `.xyz`
    pub const XYZ: Self = Self(7);
    /// `.xyzw`
    pub const ALL: Self = Self(15);

    /// From four bits, x lowest; higher bits are dropped.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 15)
    }

    /// The first `count` lanes, all of them from four on.
    pub const fn first(count: u8) -> Self {
        Self(if count < 4 { (1 << count) - 1 } else { 15 })
    }

    /// Lane `lane` (0..=3) alone.
    pub const fn lane(lane: usize) -> Self {
        Self(1 << (lane & 3))
    }

    /// The four bits, x lowest.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether lane `lane` (0..=3) is in the set.
    pub const fn has(self, lane: usize) -> bool {
        self.0 >> (lane & 3) & 1 == 1
    }

    /// Number of lanes in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether every lane of `self` is in `other`.
    pub const fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The lanes in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The lanes of the set, ascending.
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let lane = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (lane < 4).then_some(lane)
        })
    }

    /// The letters of the set, for example `xz`.
    pub fn letters(self) -> String {
        self.lanes().map(|l| LANES[l]).collect()
    }
}

/// The letters.
#[cfg(feature = "serde")]
impl serde::Serialize for WriteMask {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.letters())
    }
}

impl fmt::Debug for WriteMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.letters())
    }
}
