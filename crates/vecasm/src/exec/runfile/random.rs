//! Made-up inputs; [`RunFile::random`] says what they are like.

use super::{RunFile, memory};
use crate::exec::MAX_INVOCATIONS;
use crate::exec::texture::{Extent, Texture};
use crate::ir::{Dim, Filter, Input, InputKind, Mip, SamplerState, Scalar, Shader, System, Wrap};
use alloc::vec::Vec;

/// Sebastiano Vigna's SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, which is small.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((self.next() >> 32) * n) >> 32
    }

    /// A whole number from -8 to 8, or a number of either sign between 2^-6 and 2^6.
    pub(crate) fn ordinary(&mut self) -> u32 {
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

    /// An input of an invocation outside the stages with vertices.
    fn input(&mut self, input: &Input, invocation: usize) -> [u32; 4] {
        let float = input.ty.scalar == Scalar::F32;
        if float && input.kind != InputKind::System(System::InstanceIndex) {
            self.vector(if invocation % 8 < 4 { 0 } else { 4 })
        } else {
            [self.below(1000) as u32, 0, 0, 0]
        }
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
}

impl RandomInputs {
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
        let made = shader.inputs.iter().zip(lists.iter_mut());
        let mut made: Vec<_> = made
            .filter(|(input, _)| !matches!(input.kind, InputKind::System(system) if system.is_known()))
            .collect();
        made.iter_mut().for_each(|(_, list)| list.reserve_exact(count));
        for i in self.at..self.at + count {
            for (input, list) in &mut made {
                list.push(self.random.input(input, i));
            }
        }
        self.at += count;
        self.rest -= count;
        count
    }
}

/// Texels a side of a texture.
const SIDE: u32 = 4;

pub(super) fn random(shader: &Shader, count: usize, seed: u64) -> RunFile {
    let mut random = SplitMix(seed);
    let count = count.min(MAX_INVOCATIONS);
    if shader.stage.has_vertices() {
        let made = super::vertices::random(shader, count, &mut random);
        let file = RunFile {
            count: made.count,
            inputs: made.inputs,
            primitives: made.primitives,
            vertices_in: made.vertices_in,
            ..RunFile::default()
        };
        return bound(shader, random, file);
    }
    let mut all = RandomInputs { random, at: 0, rest: count };
    let mut inputs = Vec::new();
    all.next(shader, count, &mut inputs);
    bound(shader, all.random, RunFile { count, inputs, ..RunFile::default() })
}

pub(super) fn random_in_blocks(shader: &Shader, count: usize, seed: u64) -> (RunFile, RandomInputs) {
    let inputs = RandomInputs { random: SplitMix(seed), at: 0, rest: count };
    // What is bound is made up behind all inputs.
    let (mut all, mut block) = (inputs.clone(), Vec::new());
    while all.next(shader, 4096, &mut block) > 0 {}
    let inputs_of_none = shader.inputs.iter().map(|_| Vec::new()).collect();
    let file = bound(shader, all.random, RunFile { inputs: inputs_of_none, ..RunFile::default() });
    (file, inputs)
}

/// Makes up what is bound to a shader.
fn bound(shader: &Shader, mut random: SplitMix, mut file: RunFile) -> RunFile {
    let params = shader.params.iter().map(|array| {
        let elements = if array.indexed { array.size } else { array.used };
        (0..elements).map(|_| random.vector(16)).collect()
    });
    file.params = params.collect();
    let textures = shader.textures.iter().map(|texture| {
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
    memory::random(shader, &mut random, &mut file);
    file
}
