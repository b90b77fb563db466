//! The facts of the NV2A.

use crate::isa::nv2a::rules::describe;
use crate::isa::nv2a::{Program, methods, table, text};
use crate::isa::operand::WriteMask;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

#[cfg(feature = "schemars")]
use super::schema::Lanes;

/// The slots of a program and their registers, up to the first final slot.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "Nv2aFacts"))]
#[non_exhaustive]
pub struct Facts {
    /// Registers, file by file.
    pub registers: Registers,
    /// Slots.
    pub slots: Slots,
    /// Operations, unit by unit.
    pub units: Units,
    /// Most temporaries whose content is still needed at one place.
    pub temporaries_live: usize,
    /// Whether a constant is read relative to A0.
    pub relative: bool,
    /// Slot by slot, what is needed later.
    pub live: Vec<LiveSlot>,
    /// The draws of the recording that it is in at which it runs; left out if it is in none, or runs nowhere there.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub draws: Vec<Draw>,
}

/// A draw of a recording, or the launch of a vertex state program.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "Nv2aDraw"))]
#[non_exhaustive]
pub struct Draw {
    /// Its number, from 1: `FILE::draw2` is what runs there.
    pub draw: usize,
    /// The constants that differ from those at the draw before, by number; null in a lane that is infinite or no number.
    pub constants: BTreeMap<u32, [f32; 4]>,
}

impl Draw {
    /// Those of a recording at which its program of a number, from 1, runs.
    pub fn of(recording: &[methods::Draw], program: usize) -> Vec<Self> {
        let numbered = (1..).zip(recording).filter(|(_, draw)| draw.program == Some(program));
        let constants = |draw: &methods::Draw| {
            draw.constants.iter().map(|(n, bits)| (*n, bits.map(f32::from_bits))).collect()
        };
        numbered.map(|(number, draw)| Self { draw: number, constants: constants(draw) }).collect()
    }
}

impl Facts {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let usage = describe(program);
        let live = program.slots.iter().zip(&usage.live_lanes).map(|(slot, live)| {
            let lanes = live.iter().enumerate().filter(|(_, mask)| **mask != WriteMask::NONE);
            LiveSlot {
                text: text::instruction(slot),
                live: lanes.map(|(n, mask)| (format!("r{n}"), *mask)).collect(),
            }
        });
        Self {
            live: live.collect(),
            registers: Registers {
                attributes: usage.attributes,
                constants: usage.constants,
                constants_relative: usage.constants_relative,
                constants_written: usage.constants_written,
                temporaries: usage.temporaries,
                outputs: usage.outputs.into_iter().map(|(n, mask)| (output(n), mask)).collect(),
            },
            slots: Slots {
                all: program.slots.len(),
                used: usage.slots,
                last: usage.last,
                paired: usage.paired,
                free: table::SLOTS.saturating_sub(program.slots.len()),
            },
            units: Units { mac: usage.mac, ilu: usage.ilu },
            temporaries_live: usage.live,
            relative: usage.relative,
            draws: Vec::new(),
        }
    }
}

fn output(n: u32) -> String {
    table::output(n).map_or_else(|| format!("o{n}"), |named| named.short.to_string())
}

/// The registers of a program, by number or name, each with the lanes that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "Nv2aRegisters"))]
#[non_exhaustive]
pub struct Registers {
    /// Vertex attributes that are read.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub attributes: BTreeMap<u32, WriteMask>,
    /// Constants that are read; of those that are relative to A0 the base.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub constants: BTreeMap<u32, WriteMask>,
    /// Constants that are read relative to A0, by base; `constants` has them, too.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub constants_relative: BTreeMap<u32, WriteMask>,
    /// Constants that are written.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub constants_written: BTreeMap<u32, WriteMask>,
    /// Temporaries that are read or written.
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<u32, Lanes>"))]
    pub temporaries: BTreeMap<u32, WriteMask>,
    /// Outputs that are written, by name.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::serial::map"))]
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<String, Lanes>"))]
    pub outputs: Vec<(String, WriteMask)>,
}

/// The slots of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Slots {
    /// Number of slots.
    pub all: usize,
    /// Number of slots up to the first final one, or to the end if none is final.
    pub used: usize,
    /// First final slot, from 0; null if none is.
    #[cfg_attr(feature = "serde", serde(rename = "final"))]
    pub last: Option<usize>,
    /// Slots in which both units work.
    pub paired: usize,
    /// Slots of the machine that the program leaves.
    pub free: usize,
}

/// How often each operation of a unit occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Units {
    /// Operations of the vector unit.
    pub mac: BTreeMap<&'static str, usize>,
    /// Operations of the scalar unit.
    pub ilu: BTreeMap<&'static str, usize>,
}

/// A slot, and what is needed later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LiveSlot {
    /// Operations, as text.
    pub text: String,
    /// Temporaries that are needed later, just before the slot, with their lanes.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::serial::map"))]
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<String, Lanes>"))]
    pub live: Vec<(String, WriteMask)>,
}
