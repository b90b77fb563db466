//! Which registers a program uses.

use crate::nv2a::pair::{Operator, Target, parts};
use crate::nv2a::program::{Mux, Program};
use crate::nv2a::table::{self, Ilu, Mac};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// The lanes of a source that an operation looks at, when it writes `written`.
pub fn lanes_read(operator: Operator, n: usize, written: WriteMask) -> WriteMask {
    let bits = |b| WriteMask::from_bits(b);
    match operator {
        Operator::Mov => written,
        Operator::Mac(op) => match (op, n) {
            (Mac::Nop, _) => WriteMask::NONE,
            (Mac::Dp3, _) | (Mac::Dph, 0) => WriteMask::XYZ,
            (Mac::Dp4, _) | (Mac::Dph, _) => WriteMask::ALL,
            // (1, a.y b.y, a.z, b.w)
            (Mac::Dst, n) => bits(written.bits() & if n == 0 { 0b0110 } else { 0b1010 }),
            (Mac::Arl, _) => WriteMask::X,
            _ => written,
        },
        Operator::Ilu(Ilu::Lit) => {
            let (y, z) = (if written.has(1) { 1 } else { 0 }, if written.has(2) { 0b1011 } else { 0 });
            bits(y | z)
        }
        Operator::Ilu(_) => WriteMask::X,
    }
}

/// The registers of a program, each with the lanes that are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Vertex attributes that are read.
    pub attributes: BTreeMap<u32, WriteMask>,
    /// Constants that are read; of those that are relative to A0 the base.
    pub constants: BTreeMap<u32, WriteMask>,
    /// Constants that are written.
    pub constants_written: BTreeMap<u32, WriteMask>,
    /// Temporaries that are read or written.
    pub temporaries: BTreeMap<u32, WriteMask>,
    /// Outputs that are written, by address.
    pub outputs: BTreeMap<u32, WriteMask>,
    /// Slots in which both units work.
    pub paired: usize,
    /// Whether a constant is read relative to A0.
    pub relative: bool,
    /// Constants that are read relative to A0, by base; they stand among [`constants`](Self::constants), too.
    pub constants_relative: BTreeMap<u32, WriteMask>,
    /// How often each operation of the vector unit stands there.
    pub mac: BTreeMap<&'static str, usize>,
    /// How often each operation of the scalar unit stands there.
    pub ilu: BTreeMap<&'static str, usize>,
    /// Number of slots up to the first final one, or to the end if none is final.
    pub slots: usize,
    /// The first final slot, from 0.
    pub last: Option<usize>,
    /// Of each temporary, in front of each of these slots, the lanes that are needed later.
    pub live_lanes: Vec<[WriteMask; table::TEMPORARIES as usize]>,
    /// The most temporaries whose content is still needed at one place.
    pub live: usize,
}

/// Says which registers a program uses, up to its first final slot.
pub fn describe(program: &Program) -> Usage {
    let last = program.slots.iter().position(|slot| slot.is_final());
    let end = last.map_or(program.slots.len(), |n| n + 1);
    let mut out = Usage { last, slots: end, ..Usage::default() };
    let slots = program.slots.get(..end).unwrap_or(&[]);
    let add = |map: &mut BTreeMap<u32, WriteMask>, n: u32, mask: WriteMask| {
        if mask != WriteMask::NONE {
            let lanes = map.entry(n).or_default();
            *lanes = lanes.union(mask);
        }
    };
    // From the end, so that it is known what is needed later.
    let mut live = [WriteMask::NONE; table::TEMPORARIES as usize];
    for slot in slots.iter().rev() {
        let parts = parts(slot);
        for (operation, _) in parts.iter() {
            let (target, mask) = (operation.dest.target, operation.dest.lanes());
            match target {
                Target::Temporary(n) => {
                    add(&mut out.temporaries, n.into(), mask);
                    if let Some(lanes) = live.get_mut(usize::from(n)) {
                        *lanes = WriteMask::from_bits(lanes.bits() & !mask.bits());
                    }
                }
                Target::Output(n) => add(&mut out.outputs, n.into(), mask),
                Target::Constant(n) => add(&mut out.constants_written, n.into(), mask),
                Target::Address => {}
            }
        }
        for (operation, _) in parts.iter() {
            for (n, source) in operation.sources.iter().enumerate().take(operation.operator.sources()) {
                let lanes =
                    source.swizzle.read_mask(lanes_read(operation.operator, n, operation.dest.lanes()));
                let number = u32::from(source.number);
                match source.mux {
                    Mux::Temporary => {
                        add(&mut out.temporaries, number, lanes);
                        if let Some(needed) = live.get_mut(usize::from(source.number)) {
                            *needed = needed.union(lanes);
                        }
                    }
                    Mux::Attribute => add(&mut out.attributes, number, lanes),
                    Mux::Constant => {
                        add(&mut out.constants, number, lanes);
                        if source.relative {
                            out.relative = true;
                            add(&mut out.constants_relative, number, lanes);
                        }
                    }
                    Mux::Undefined => {}
                }
            }
        }
        let (mut mac, mut ilu) = (false, false);
        for (_, scalar) in parts.iter() {
            mac |= !scalar;
            ilu |= scalar;
        }
        out.paired += usize::from(mac && ilu);
        if let Some(op) = slot.mac().filter(|op| *op != Mac::Nop) {
            *out.mac.entry(op.row().name).or_default() += 1;
        }
        if slot.ilu() != Ilu::Nop {
            *out.ilu.entry(slot.ilu().row().name).or_default() += 1;
        }
        out.live = out.live.max(live.iter().filter(|lanes| **lanes != WriteMask::NONE).count());
        out.live_lanes.push(live);
    }
    out.live_lanes.reverse();
    out
}
