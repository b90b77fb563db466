//! Provenance: which source instruction read and wrote what.
//!
//! A shader lifted with its step table has one [`Op::Mark`] after the operations of each source instruction. The mark
//! names a [`Step`], and its arguments are the values that the step's accesses saw: one argument for each access, reads
//! first, with a lane for each lane of the access's mask. So the table stays exact under every pass for free: a pass
//! maps the arguments of a mark as it maps those of any effect, or it drops marks and table ([`strip`]).

use super::{Home, InputId, Inst, LocalId, Node, Op, OutputId, ParamId, Region, Shader, StateId};
use crate::operand::WriteMask;
use alloc::string::String;
use alloc::vec::Vec;

/// A place in which the source program keeps four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// A register.
    Register(Home),
    /// An output cell.
    Output(OutputId),
    /// Element `.1` of a parameter array.
    Param(ParamId, u32),
    /// An element of a parameter array at a computed index plus `.1`.
    ParamAt(ParamId, i32),
    /// Element `.1` of a local array.
    Local(LocalId, u32),
    /// An element of a local array at a computed index plus `.1`.
    LocalAt(LocalId, i32),
    /// The input at a computed index plus `.1`, counted from `.0`.
    InputAt(InputId, i32),
    /// The output cell at a computed index plus `.1`, counted from `.0`.
    OutputAt(OutputId, i32),
    /// A state value.
    State(StateId),
}

impl Cell {
    /// Whether a computed index decides which cell is meant.
    pub const fn is_computed(self) -> bool {
        matches!(self, Self::ParamAt(..) | Self::LocalAt(..) | Self::InputAt(..) | Self::OutputAt(..))
    }
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
        let name = |name: Option<&String>| name.map_or_else(|| "?".into(), String::clone);
        let input = |id: InputId| name(self.inputs.get(id.index()).map(|i| &i.name));
        let output = |id: OutputId| name(self.outputs.get(id.index()).map(|o| &o.name));
        let param = |id: ParamId| name(self.params.get(id.index()).map(|p| &p.name));
        let local = |id: LocalId| name(self.locals.get(id.index()).map(|l| &l.name));
        match cell {
            Cell::Register(home) => self.home_name(home),
            Cell::Output(id) => output(id),
            Cell::Param(id, index) => alloc::format!("{}[{index}]", param(id)),
            Cell::ParamAt(id, offset) => alloc::format!("{}[…{offset:+}]", param(id)),
            Cell::Local(id, index) => {
                let name = local(id);
                let (file, first) = first_of(&name);
                alloc::format!("{file}[{}]", first.saturating_add(index.into()))
            }
            Cell::LocalAt(id, offset) => computed(&local(id), offset),
            Cell::InputAt(id, offset) => computed(&input(id), offset),
            Cell::OutputAt(id, offset) => computed(&output(id), offset),
            Cell::State(id) => name(self.states.get(id.index()).map(|s| &s.name)),
        }
    }
}

/// The file and the first number of a run of registers: of `IN[3]`, and of the array `TEMP[10..25]`.
pub fn first_of(name: &str) -> (&str, i64) {
    let numbers = || {
        let (file, numbers) = name.strip_suffix(']')?.rsplit_once('[')?;
        let first = numbers.split_once("..").map_or(numbers, |(first, _)| first);
        Some((file, first.parse().ok()?))
    };
    numbers().unwrap_or((name, 0))
}

/// The name of one of a run of registers at a computed index: `vc[…+5]`.
fn computed(name: &str, offset: i32) -> String {
    let (file, first) = first_of(name);
    alloc::format!("{file}[…{:+}]", first.saturating_add(offset.into()))
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
