//! Made-up inputs; [`RunFile::random`] says what they are like.

use super::{RunFile, memory};
use crate::MAX_INVOCATIONS;
use crate::interp::in_quads;
use crate::texture::{Extent, Texture};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Dim, Filter, Input, InputKind, Mip, Op, Pure, SamplerState, Scalar, Shader, System, Type, Wrap,
};

/// Sebastiano Vigna's SplitMix64.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, which is small.
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.next() >> 32) * n) >> 32
    }

    /// A whole number from -8 to 8, or a number of either sign between 2^-6 and 2^6.
    pub fn ordinary(&mut self) -> u32 {
        if self.below(4) == 0 {
            return (self.below(17) as f32 - 8.0).to_bits();
        }
        let bits = self.next() as u32;
        // Sign and fraction at random, exponent -6..=5.
        bits & 0x807f_ffff | (127 - 6 + self.below(12) as u32) << 23
    }

    fn special(&mut self) -> u32 {
        let sign = (self.next() as u32) & 0x8000_0000;
        let pick = self.below(SPECIAL.len() as u64) as usize;
        SPECIAL.get(pick).copied().unwrap_or_default() | sign
    }

    /// A value of a type without a range of its own: of numbers, one lane in `one_in` is special, 0 for none.
    pub(super) fn of_type(&mut self, ty: Type, one_in: u64) -> [u32; 4] {
        match ty.scalar {
            Scalar::F32 => {
                let lanes = usize::from(ty.lanes);
                let mut numbers = self.vector(one_in);
                numbers.iter_mut().skip(lanes).for_each(|lane| *lane = 0);
                numbers
            }
            Scalar::Bool => self.lanes(ty, 2),
            _ => self.lanes(ty, 1000),
        }
    }

    /// Whole numbers below a bound in the lanes that a type has.
    fn lanes(&mut self, ty: Type, below: u64) -> [u32; 4] {
        let lanes = usize::from(ty.lanes);
        core::array::from_fn(|lane| if lane < lanes { self.below(below) as u32 } else { 0 })
    }

    /// A number from 0 to 1.
    fn part(&mut self) -> u32 {
        (self.below(257) as f32 / 256.0).to_bits()
    }

    /// Four lanes, of which one in `one_in` is special; 0 for none.
    pub(super) fn vector(&mut self, one_in: u64) -> [u32; 4] {
        core::array::from_fn(|_| {
            if one_in > 0 && self.below(one_in) == 0 { self.special() } else { self.ordinary() }
        })
    }
}

/// Special values without their sign.
const SPECIAL: [u32; 12] = [
    0x0000_0000, // zero
    0x0000_0001, // the smallest denormal
    0x007f_ffff, // the largest denormal
    0x0080_0000, // the smallest normal number
    0x3f7f_ffff, // just below 1
    0x3f80_0000, // 1
    0x4b00_0000, // 2^23, from where on everything is whole
    0x4f00_0000, // 2^31
    0x5f80_0000, // 2^64
    0x7f7f_ffff, // the largest number
    0x7f80_0000, // infinity
    0x7fc0_0000, // NaN
];

/// Made-up inputs, block by block. A block has the same values whatever the sizes of the blocks.
#[derive(Clone, Debug)]
pub struct RandomInputs {
    random: SplitMix,
    /// Number of invocations that were made up already, and of those that are to come.
    at: usize,
    rest: usize,
    /// The left-top pixel of the quad that is being made up.
    corner: [u64; 2],
}

/// Pixels along a side of the window that fragments are made up in.
const WINDOW: u64 = 512;

impl RandomInputs {
    fn new(shader: &Shader, count: usize, seed: u64) -> Self {
        // One fragment alone fills its quad; others come in fours.
        let rest = match count.checked_next_multiple_of(4) {
            Some(whole) if count > 1 && in_quads(shader) => whole,
            _ => count,
        };
        Self { random: SplitMix(seed), at: 0, rest, corner: [0; 2] }
    }

    /// An input of the next invocation.
    fn input(&mut self, input: &Input) -> [u32; 4] {
        let one_in = if self.at % 8 < 4 { 0 } else { 4 };
        match input.kind {
            InputKind::System(system) => self.system(system, input.ty, one_in),
            _ => self.random.of_type(input.ty, one_in),
        }
    }

    /// A value that the pipeline gives the next invocation, in the range that it has there.
    fn system(&mut self, system: System, ty: Type, one_in: u64) -> [u32; 4] {
        let random = &mut self.random;
        match system {
            System::FragCoord => {
                if self.at % 4 == 0 {
                    self.corner = [(); 2].map(|()| random.below(WINDOW / 2) * 2);
                }
                let at = self.at as u64;
                let [x, y] = [self.corner[0] + (at & 1), self.corner[1] + (at >> 1 & 1)];
                let center = |pixel: u64| (pixel as f32 + 0.5).to_bits();
                let over_w = (random.below(64) + 1) as f32 / 16.0;
                [center(x), center(y), random.part(), over_w.to_bits()]
            }
            System::PointCoord | System::SamplePosition => [random.part(), random.part(), 0, 0],
            System::FrontFacing => random.lanes(ty, 2),
            System::SampleIndex => random.lanes(ty, 4),
            System::SampleMask => [random.below(15) as u32 + 1, 0, 0, 0],
            System::Layer | System::DrawIndex => random.lanes(ty, 8),
            System::ViewportIndex | System::InstanceIndex | System::BaseInstance | System::BaseVertex => {
                random.lanes(ty, 16)
            }
            _ => random.of_type(ty, one_in),
        }
    }

    /// Number of invocations that are to come.
    pub const fn rest(&self) -> usize {
        self.rest
    }

    /// Makes up the inputs of the next invocations, at most `most`, in place of what `lists` hold; gives their number, which
    /// is 0 at the end. Lists of what the engine knows stay empty.
    pub fn next(&mut self, shader: &Shader, most: usize, lists: &mut Vec<Vec<[u32; 4]>>) -> usize {
        lists.resize_with(shader.inputs.len(), Vec::new);
        lists.iter_mut().for_each(Vec::clear);
        let count = most.min(self.rest);
        self.rest -= count;
        let made = shader.inputs.iter().zip(lists.iter_mut());
        let mut made: Vec<_> = made
            .filter(|(input, _)| !matches!(input.kind, InputKind::System(system) if system.is_known()))
            .collect();
        made.iter_mut().for_each(|(_, list)| list.reserve_exact(count));
        for _ in 0..count {
            for (input, list) in &mut made {
                list.push(self.input(input));
            }
            self.at += 1;
        }
        count
    }
}

/// Texels a side of a texture.
const SIDE: u32 = 4;

pub(super) fn random(shader: &Shader, count: usize, seed: u64) -> RunFile {
    let count = count.min(MAX_INVOCATIONS);
    if shader.stage.has_vertices() {
        let made = super::vertices::random(shader, count, &mut SplitMix(seed));
        let file = RunFile {
            count: made.count,
            inputs: made.inputs,
            primitives: made.primitives,
            vertices_in: made.vertices_in,
            ..RunFile::default()
        };
        return bound(shader, seed, file);
    }
    let mut all = RandomInputs::new(shader, count, seed);
    let mut inputs = Vec::new();
    let count = all.next(shader, usize::MAX, &mut inputs);
    bound(shader, seed, RunFile { count, inputs, ..RunFile::default() })
}

pub(super) fn random_in_blocks(shader: &Shader, count: usize, seed: u64) -> (RunFile, RandomInputs) {
    let inputs_of_none = shader.inputs.iter().map(|_| Vec::new()).collect();
    let file = bound(shader, seed, RunFile { inputs: inputs_of_none, ..RunFile::default() });
    (file, RandomInputs::new(shader, count, seed))
}

/// Made-up integers of parameters are below this: they count rounds of loops and choose elements.
const SMALL: u64 = 8;

/// Which lanes of the parameters of a shader are used as integers, where arrays hold words for either use.
struct Integers {
    /// By array and element; the element is missing where it is computed.
    lanes: BTreeMap<(usize, Option<u32>), u8>,
}

impl Integers {
    fn of(shader: &Shader) -> Self {
        let mut loads = BTreeMap::new();
        shader.body.for_each_inst(&mut |inst| {
            let place = match inst.op {
                Op::Param { array, index } => (array.index(), Some(index)),
                Op::ParamAt { array, .. } => (array.index(), None),
                _ => return,
            };
            if let Some(result) = inst.result {
                loads.insert(result.index(), place);
            }
        });
        let mut lanes = BTreeMap::new();
        shader.body.for_each_inst(&mut |inst| {
            // What moves a word says nothing about it.
            if matches!(inst.op, Op::Compose | Op::Pure(Pure::AsF32 | Pure::Select)) {
                return;
            }
            for arg in shader.args(inst.args) {
                let Some(&place) = loads.get(&arg.value.index()) else { continue };
                let read: u8 = (0..arg.lanes).fold(0, |read, at| read | 1 << arg.swizzle.get(at.into()));
                *lanes.entry(place).or_default() |= read;
            }
        });
        Self { lanes }
    }

    /// The lanes of an element that are.
    fn lanes(&self, array: usize, index: u32) -> u8 {
        let of = |place| self.lanes.get(&place).copied().unwrap_or_default();
        of((array, Some(index))) | of((array, None))
    }
}

/// Numbers for what has that name: two programs that say the same in another order are bound to the same.
fn named(seed: u64, name: &str) -> SplitMix {
    // FNV-1a.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    SplitMix(SplitMix(!seed ^ hash).next())
}

/// Makes up what is bound to a shader. It does not depend on the number of invocations.
fn bound(shader: &Shader, seed: u64, mut file: RunFile) -> RunFile {
    let integers = Integers::of(shader);
    let params = shader.params.iter().enumerate().map(|(at, array)| {
        let elements = if array.indexed { array.size } else { array.used };
        let mut random = named(seed, &array.name);
        let element = |index: u32| {
            let small = match array.scalar {
                Scalar::F32 => 0,
                // All four lanes are one truth value.
                Scalar::Bool => return [random.below(2) as u32; 4],
                Scalar::U32 => integers.lanes(at, index),
                _ => 0b1111,
            };
            let numbers = random.vector(16);
            let lane = |lane: usize| {
                if small >> lane & 1 != 0 { random.below(SMALL) as u32 } else { numbers[lane] }
            };
            core::array::from_fn(lane)
        };
        let mut values: Vec<[u32; 4]> = (0..elements).map(element).collect();
        // The values of those that the program brings are known.
        for (element, bits) in shader.symbols.defaults_of(&array.name) {
            if let Some(value) = values.get_mut(element as usize) {
                *value = bits;
            }
        }
        values
    });
    file.params = params.collect();
    let textures = shader.textures.iter().map(|texture| {
        let mut random = named(seed, &texture.name);
        let state = texture.sampler.unwrap_or(SamplerState {
            mip: Mip::Nearest,
            ..SamplerState::PLAIN.with_wrap(Wrap::Repeat).with_filter(Filter::Linear)
        });
        let dim = texture.dim;
        let extent = Extent {
            height: if dim.axes() > 1 { SIDE } else { 1 },
            depth: if dim == Dim::D3 { SIDE } else { 1 },
            layers: if dim.arrayed() { 2 } else { 1 },
            samples: if dim.multisampled() { 4 } else { 1 },
            ..Extent::new(SIDE, 1)
        };
        let levels = if dim.has_levels() { SIDE.ilog2() } else { 0 };
        let levels = (0..=levels).map(|level| {
            let texels = extent.level(level).texels(dim);
            let lane = |random: &mut SplitMix| match texture.scalar {
                Scalar::F32 => (f32::from(random.next() as u8) / 255.0).to_bits(),
                _ => random.next() as u32,
            };
            (0..texels).map(|_| [(); 4].map(|()| lane(&mut random))).collect()
        });
        let texels = Texture::new(dim, texture.scalar, extent, levels.collect());
        texels.ok().map(|texels| (texels, state))
    });
    file.textures = textures.collect();
    memory::random(shader, &mut named(seed, ""), &mut file);
    file
}
