//! Provenance: which source instruction read and wrote what.
//!
//! A shader lifted with its step table has one [`Op::Mark`] behind the operations of each source
//! instruction. The mark names a [`Step`], and its arguments are the values that the step's accesses saw: one argument
//! an access, reads first, with a lane for each lane of the access's mask. So the table stays exact under every
//! pass for free: a pass maps the arguments of a mark as it maps those of any effect, or it drops marks and table
//! ([`strip`]).

use super::{Home, Inst, Node, Op, OutputId, ParamId, Region, Shader};
use crate::isa::operand::WriteMask;
use alloc::string::String;
use alloc::vec::Vec;

/// A place in which the source program keeps four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A register.
    Register(Home),
    /// An output cell.
    Output(OutputId),
    /// Element `.1` of a parameter array.
    Param(ParamId, u32),
    /// An element of a parameter array at a computed index plus `.1`.
    ParamAt(ParamId, i32),
}

/// One read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where.
    pub cell: Cell,
    /// Which lanes.
    pub mask: WriteMask,
}

/// What one source instruction (or one half of a paired one) read and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the source instruction, from 0.
    pub source: u32,
    /// Which part of it: 0 for the only one or the first, 1 for the second half of a pair (NV2A: the scalar unit).
    pub part: u8,
    /// What it read.
    pub reads: Vec<Access>,
    /// What it wrote.
    pub writes: Vec<Access>,
}

impl Step {
    /// Reads, then writes: the order of the arguments of the mark.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.reads.iter().chain(&self.writes)
    }
}

impl Shader {
    /// The name of a cell as the source spells it: `ft0`, `oc`, `vc[3]`, `vc[…+5]`.
    pub fn cell_name(&self, cell: Cell) -> String {
        let param = |id: ParamId| self.params.get(id.index()).map_or("?", |p| p.name.as_str());
        match cell {
            Cell::Register(home) => self.home_name(home),
            Cell::Output(id) => self.outputs.get(id.index()).map_or_else(|| "?".into(), |o| o.name.clone()),
            Cell::Param(id, index) => alloc::format!("{}[{index}]", param(id)),
            Cell::ParamAt(id, offset) => alloc::format!("{}[…{offset:+}]", param(id)),
        }
    }
}

/// Drops the step table and its marks.
pub fn strip(shader: &mut Shader) {
    unmark(&mut shader.body);
    shader.steps.clear();
}

fn unmark(region: &mut Region) {
    region.nodes.retain(|node| !matches!(node, Node::Inst(Inst { op: Op::Mark(_), .. })));
    for node in &mut region.nodes {
        node.for_each_region_mut(unmark);
    }
}
