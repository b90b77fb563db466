//! Made-up inputs; [`RunFile::random`] says what they are like.

use super::{RunFile, memory};
use crate::exec::MAX_INVOCATIONS;
use crate::exec::texture::{Extent, Texture};
use crate::ir::{Dim, Filter, InputKind, Mip, SamplerState, Scalar, Shader, System, Wrap};
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

/// Texels a side of a texture.
const SIDE: u32 = 4;

pub(super) fn random(shader: &Shader, count: usize, seed: u64) -> RunFile {
    let mut random = SplitMix(seed);
    let mut count = count.min(MAX_INVOCATIONS);
    let mut inputs: Vec<Vec<[u32; 4]>> = shader.inputs.iter().map(|_| Vec::with_capacity(count)).collect();
    let (mut primitives, mut vertices_in) = (Vec::new(), 0);
    if shader.stage.has_vertices() {
        let made = super::vertices::random(shader, count, &mut random);
        (count, inputs, primitives, vertices_in) =
            (made.count, made.inputs, made.primitives, made.vertices_in);
    }
    let each = if shader.stage.has_vertices() { 0 } else { count };
    for i in 0..each {
        let one_in = if i % 8 < 4 { 0 } else { 4 };
        for (input, list) in shader.inputs.iter().zip(&mut inputs) {
            if matches!(input.kind, InputKind::System(system) if system.is_known()) {
                continue;
            }
            let float = input.ty.scalar == Scalar::F32;
            list.push(if float && input.kind != InputKind::System(System::InstanceIndex) {
                random.vector(one_in)
            } else {
                [random.below(1000) as u32, 0, 0, 0]
            });
        }
    }
    let params = shader.params.iter().map(|array| {
        let elements = if array.indexed { array.size } else { array.used };
        (0..elements).map(|_| random.vector(16)).collect()
    });
    let params = params.collect();
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
    let textures = textures.collect();
    let mut file = RunFile { count, inputs, primitives, vertices_in, params, textures, ..RunFile::default() };
    memory::random(shader, &mut random, &mut file);
    file
}
