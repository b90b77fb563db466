//! The facts of AGAL.

use crate::isa::agal::Program;
use crate::isa::agal::program::Sampler;
use crate::isa::agal::rules::describe;
use crate::isa::agal::text::sampler_words;
use crate::isa::operand::WriteMask;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

#[cfg(feature = "schemars")]
use super::schema::Lanes;

/// The registers of a program for the Flash Player, and what matters to the hardware. They are counted as Adobe's own
/// code does: a source counts with every lane of its swizzle, and one indirect operand makes every constant count.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "AgalFacts"))]
#[non_exhaustive]
pub struct Facts {
    /// Registers, file by file.
    pub registers: Registers,
    /// Runs of constants to upload, ascending; at most eight, of which the last takes in all that follow.
    pub constant_ranges: Vec<Range>,
    /// Samplers, by number, each with the operand that used it first.
    pub samplers: Vec<SamplerOperand>,
    /// Number of `tex`, `ted` and `tld`.
    pub texture_reads: u32,
    /// Number of `kil`.
    pub kills: u32,
    /// Whether an operand is indirect.
    pub indirect: bool,
    /// Whether there is a `kil`, `sge`, `slt`, `seq` or `sne`, which some hardware runs by predication.
    pub predicated: bool,
    /// Whether there is a `sin` or `cos`, which costs more on some hardware.
    pub sin_cos: bool,
}

impl Facts {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let usage = describe(program);
        let batches = usage.constant_batches().into_iter();
        Self {
            registers: Registers {
                attributes: used(&usage.attributes),
                constants: used(&usage.constants),
                temporaries: used(&usage.temporaries),
                varyings: used(&usage.varyings),
                outputs: used(&usage.outputs),
                depth: usage.depth,
                instance_id: usage.instance_id,
            },
            constant_ranges: batches.map(|(first, count)| Range { first, count }).collect(),
            samplers: usage.samplers.iter().copied().map(SamplerOperand::from).collect(),
            texture_reads: usage.texture_reads,
            kills: usage.kills,
            indirect: usage.indirect,
            predicated: usage.predicated,
            sin_cos: usage.sin_cos,
        }
    }
}

/// Those registers of a file of which lanes are used.
fn used(masks: &[WriteMask]) -> BTreeMap<u32, WriteMask> {
    (0..).zip(masks.iter().copied()).filter(|(_, mask)| *mask != WriteMask::NONE).collect()
}

/// The registers of a program, by number, each with the lanes that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "AgalRegisters"))]
#[non_exhaustive]
pub struct Registers {
    /// Vertex attributes that are read.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub attributes: BTreeMap<u32, WriteMask>,
    /// Constants that are read.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub constants: BTreeMap<u32, WriteMask>,
    /// Temporaries that are read or written.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub temporaries: BTreeMap<u32, WriteMask>,
    /// Varyings that a vertex program writes or a fragment program reads.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub varyings: BTreeMap<u32, WriteMask>,
    /// Outputs that are written.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub outputs: BTreeMap<u32, WriteMask>,
    /// Whether the depth output is written.
    pub depth: bool,
    /// Whether the instance id is read.
    pub instance_id: bool,
}

/// A run of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Range {
    /// First constant.
    pub first: usize,
    /// Number of constants.
    pub count: usize,
}

/// The sampler operand of an instruction in the words of AGAL's text; null is a value without one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SamplerOperand {
    /// Number of the sampler.
    pub slot: u16,
    /// Shape of the texture.
    pub dim: Option<&'static str>,
    /// Filter within a level.
    pub filter: Option<&'static str>,
    /// Filter between levels.
    pub mip: Option<&'static str>,
    /// Wrap.
    pub wrap: Option<&'static str>,
    /// Format of the texture.
    pub format: Option<&'static str>,
    /// Bias of the level, in eighths.
    pub bias: f32,
    /// Special flags.
    pub flags: Vec<&'static str>,
}

impl From<Sampler> for SamplerOperand {
    fn from(sampler: Sampler) -> Self {
        let ([dim, filter, mip, wrap, format], flags) = sampler_words(sampler);
        let bias = f32::from(sampler.bias_eighths()) / 8.0;
        Self { slot: sampler.number(), dim, filter, mip, wrap, format, bias, flags }
    }
}
