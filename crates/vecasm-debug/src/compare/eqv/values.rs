//! What lanes are tried with.

use super::judge::{at_order, order};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use vecasm_exec::runfile::SplitMix;
use vecasm_ir::ir::{Op, Scalar, Shader};

/// Special values without their sign.
const SPECIAL: [u32; 14] = [
    0x0000_0000, // zero
    0x0000_0001, // the smallest denormal
    0x007f_ffff, // the largest denormal
    0x0080_0000, // the smallest normal number
    0x3f00_0000, // 0.5
    0x3f7f_ffff, // just below 1
    0x3f80_0000, // 1
    0x3f80_0001, // just above 1
    0x4b00_0000, // 2^23, from where on everything is whole
    0x4f00_0000, // 2^31
    0x5f80_0000, // 2^64
    0x7f7f_ffff, // the largest number
    0x7f80_0000, // infinity
    0x7fc0_0000, // NaN
];

/// Most values that are mined from a pair.
const MOST_MINED: usize = 512;

/// How the lanes of an invocation or a setting are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Whole numbers from -8 to 8, and both signs between 2^-6 and 2^6.
    Ordinary,
    /// 0..=1.
    Unit,
    /// -1..=1.
    Signed,
    /// Whole numbers, most of them small.
    Whole,
    /// Both signs, every exponent between 2^-40 and 2^40 alike.
    Scale,
    /// All bits alike.
    Bits,
    /// Half of them special, the others ordinary.
    Special,
    /// One in eight special, the others ordinary.
    Spiced,
    /// Most of them mined from the programs, or a neighbour of such a number.
    Mined,
    /// Two values only, and their opposites.
    Few,
    /// Indices into constants.
    Index,
    /// Nothing but zero, with few exceptions.
    Sparse,
}

impl Manner {
    const ALL: [Self; 12] = [
        Self::Ordinary,
        Self::Unit,
        Self::Signed,
        Self::Whole,
        Self::Scale,
        Self::Bits,
        Self::Special,
        Self::Spiced,
        Self::Mined,
        Self::Few,
        Self::Index,
        Self::Sparse,
    ];
}

/// What is known of the programs that is worth trying.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// Numbers of the programs, their neighbours, and what simple operations make of them.
    mined: Vec<u32>,
    /// Size of the largest array that is read with a computed index.
    indexed: Option<u32>,
}

impl Pool {
    /// Of the constants of shaders, whose arrays with computed indices have `shared` elements in common, if they differ.
    pub(super) fn of(shaders: [&Shader; 2], shared: Option<u32>) -> Self {
        let mut first: BTreeSet<u32> = BTreeSet::new();
        let mut indexed = None;
        for shader in shaders {
            shader.body.for_each_inst(&mut |inst| {
                let Op::Const(bits) = inst.op else { return };
                let Some(info) = inst.result.and_then(|v| shader.values.get(v.index())) else { return };
                for &lane in bits.iter().take(usize::from(info.ty.lanes)) {
                    first.insert(match info.ty.scalar {
                        Scalar::F32 => lane,
                        // An integer that a float is turned into or compared with.
                        _ => (lane as i32 as f32).to_bits(),
                    });
                }
            });
            let arrays = shader.params.iter().filter(|array| array.indexed);
            indexed = indexed.max(arrays.map(|array| array.size).max());
        }
        let first: Vec<f32> =
            first.into_iter().map(f32::from_bits).filter(|x| x.is_finite()).take(32).collect();
        let mut all: Vec<u32> = Vec::new();
        let mut add = |x: f32| {
            if x.is_finite() && !all.contains(&x.to_bits()) && all.len() < MOST_MINED {
                all.push(x.to_bits());
            }
        };
        for &x in &first {
            [x, -x].into_iter().for_each(&mut add);
        }
        // Where a boundary is one simple operation away from an input.
        for &x in &first {
            [1.0 / x, x * x, vecasm_ir::math::sqrt(x.abs()), x * 0.5, x * 2.0, x + 1.0, x - 1.0]
                .into_iter()
                .for_each(&mut add);
        }
        for &x in &first {
            for &y in &first {
                [x - y, x + y, x / y, x * y].into_iter().for_each(&mut add);
            }
        }
        Self { mined: all, indexed: shared.or(indexed) }
    }

    /// A manner for one setting or invocation: every other one ordinary.
    pub(super) fn manner(&self, random: &mut SplitMix, number: usize) -> Manner {
        if number % 4 == 0 {
            return Manner::Ordinary;
        }
        let pick = random.below(Manner::ALL.len() as u64 + 2) as usize;
        match Manner::ALL.get(pick) {
            Some(Manner::Mined) if self.mined.is_empty() => Manner::Special,
            Some(Manner::Index) if self.indexed.is_none() => Manner::Signed,
            Some(&manner) => manner,
            None if self.indexed.is_some() => Manner::Index,
            None => Manner::Unit,
        }
    }

    /// A lane.
    pub(super) fn lane(&self, random: &mut SplitMix, manner: Manner, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::F32 => self.float(random, manner),
            Scalar::Bool => random.below(2) as u32,
            Scalar::I32 if random.below(8) == 0 => (random.below(16) as i32 - 8) as u32,
            _ if random.below(32) == 0 => random.below(256) as u32,
            _ => random.below(5) as u32,
        }
    }

    fn float(&self, random: &mut SplitMix, manner: Manner) -> u32 {
        let unit = |random: &mut SplitMix| random.below(1 << 24) as f32 / (1 << 24) as f32;
        match manner {
            Manner::Ordinary => random.ordinary(),
            Manner::Unit => unit(random).to_bits(),
            Manner::Signed => (unit(random) * 2.0 - 1.0).to_bits(),
            Manner::Whole if random.below(4) == 0 => (random.below(600) as f32 - 300.0).to_bits(),
            Manner::Whole => (random.below(9) as f32 - 4.0).to_bits(),
            Manner::Scale => {
                let bits = random.next() as u32;
                bits & 0x807f_ffff | (127 - 40 + random.below(81) as u32) << 23
            }
            Manner::Bits => random.next() as u32,
            Manner::Special if random.below(2) == 0 => special(random),
            Manner::Spiced if random.below(8) == 0 => special(random),
            Manner::Special | Manner::Spiced | Manner::Few => random.ordinary(),
            Manner::Mined if random.below(4) == 0 => random.ordinary(),
            Manner::Mined => {
                let pick = random.below(self.mined.len().max(1) as u64) as usize;
                let bits = self.mined.get(pick).copied().unwrap_or(0);
                match random.below(4) {
                    0 => at_order(order(bits).saturating_add(1)),
                    1 => at_order(order(bits).saturating_sub(1)),
                    _ => bits,
                }
            }
            Manner::Index => {
                let size = u64::from(self.indexed.unwrap_or(1));
                let whole = random.below(size + 4) as f32 - 2.0;
                match random.below(4) {
                    0 => (whole + unit(random)).to_bits(),
                    1 => (random.below(4) as f32).to_bits(),
                    _ => whole.to_bits(),
                }
            }
            Manner::Sparse if random.below(6) == 0 => random.ordinary(),
            Manner::Sparse => 0,
        }
    }

    /// Four lanes of one thing; `few` are the values of [`Manner::Few`].
    pub(super) fn vector(
        &self,
        random: &mut SplitMix,
        manner: Manner,
        scalar: Scalar,
        few: [u32; 2],
    ) -> [u32; 4] {
        core::array::from_fn(|_| {
            if manner == Manner::Few && scalar == Scalar::F32 {
                let bits = few[random.below(2) as usize];
                return if random.below(4) == 0 { bits ^ 0x8000_0000 } else { bits };
            }
            self.lane(random, manner, scalar)
        })
    }
}

fn special(random: &mut SplitMix) -> u32 {
    let sign = (random.next() as u32) & 0x8000_0000;
    let pick = random.below(SPECIAL.len() as u64) as usize;
    SPECIAL.get(pick).copied().unwrap_or_default() | sign
}
