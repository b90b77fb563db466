//! Cells in a run: whom they belong to, what they start with, how they are spelled.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_exec::interp::{Absence, StepEvent};
use vecasm_ir::ir::steps::{Access, Cell};
use vecasm_ir::ir::{FileRole, LocalId, OutputId, ParamId, Scalar, Shader};
use vecasm_ir::operand::WriteMask;

/// The invocation a cell belongs to; what one leaves for the next belongs to the first, as what all share does.
pub(super) fn owner(shader: &Shader, cell: Cell, invocation: usize) -> usize {
    if is_shared(shader, cell) { 0 } else { invocation }
}

/// Whether all invocations of a run have one cell together: parameters (also registers that the program gives values to as
/// if they were some), states, and cells that one invocation leaves for the next.
pub(super) fn is_shared(shader: &Shader, cell: Cell) -> bool {
    match cell {
        Cell::Param(..) | Cell::State(_) => true,
        Cell::Register(home) => {
            let name = shader.files.get(usize::from(home.file));
            let mut files = shader.registers.iter().filter(|file| file.role == FileRole::Param);
            name.is_some_and(|name| files.any(|file| file.name == *name))
        }
        Cell::Output(id) => {
            shader.serial && shader.outputs.get(id.index()).is_some_and(|output| output.carried)
        }
        _ => false,
    }
}

/// What a cell holds before the run, if that is known without it: outputs and parameters. `params` are those given.
pub(super) fn first_bits(shader: &Shader, params: &[Vec<[u32; 4]>], cell: Cell) -> Option<[u32; 4]> {
    match cell {
        Cell::Output(id) => shader.outputs.get(id.index()).map(|output| output.init),
        Cell::Param(id, index) => {
            let given = params.get(id.index()).and_then(|param| param.get(index as usize));
            Some(given.copied().unwrap_or([0; 4]))
        }
        Cell::Local(..) => Some([0; 4]),
        _ => None,
    }
}

/// What an access with a computed index means in an invocation of an event: the cells it turned out to be, their lanes, and
/// the bits in front. `bits` are those of the access.
pub(super) fn meant(
    event: &StepEvent<'_>,
    access: &Access,
    written: bool,
    invocation: usize,
    bits: [u32; 4],
) -> Vec<(Cell, WriteMask, [u32; 4])> {
    if written {
        let stores = event.stores.iter().filter(|s| s.invocation == invocation && is_of(access.cell, s.cell));
        return stores.map(|s| (s.cell, s.mask, s.values)).collect();
    }
    let load = event.loads.iter().find(|l| l.invocation == invocation && l.cell == access.cell);
    let cell = load.and_then(|load| element(access.cell, load.found?));
    cell.map(|cell| (cell, access.mask, bits)).into_iter().collect()
}

/// Whether a computed cell may mean that one.
fn is_of(computed: Cell, cell: Cell) -> bool {
    match (computed, cell) {
        (Cell::OutputAt(..), Cell::Output(_)) => true,
        (Cell::ParamAt(array, _), Cell::Param(of, _)) => array == of,
        (Cell::LocalAt(array, _), Cell::Local(of, _)) => array == of,
        _ => false,
    }
}

/// The cell that a computed one means when that element was found; inputs have no cells of their own.
fn element(computed: Cell, number: u32) -> Option<Cell> {
    match computed {
        Cell::OutputAt(..) => Some(Cell::Output(OutputId(number))),
        Cell::ParamAt(array, _) => Some(Cell::Param(ParamId(array.0), number)),
        Cell::LocalAt(array, _) => Some(Cell::Local(LocalId(array.0), number)),
        _ => None,
    }
}

/// A cell and its lanes as the source spells them: `ft0.xy`.
pub fn access_name(shader: &Shader, access: &Access) -> String {
    format!("{}.{}", shader.cell_name(access.cell), access.mask.letters())
}

/// Why an invocation takes no part, in words.
pub fn reason(why: Absence) -> String {
    match why {
        Absence::Condition(step) => format!("step {step} took the other branch"),
        Absence::Left(step) => format!("left the region after step {step}"),
        Absence::Demoted(step) => format!("demoted by step {step}"),
        Absence::Exhausted(step) => format!("out of fuel after step {step}"),
        Absence::Helper => "completes the group".into(),
    }
}

/// Writes a lane as JSON: a number, or true or false, by its type; a number that is not finite as a string of its bits.
pub(super) fn write_lane(out: &mut String, scalar: Scalar, bits: u32) {
    let value = f32::from_bits(bits);
    let _ = match scalar {
        Scalar::I32 => write!(out, "{}", bits as i32),
        Scalar::F32 if value.is_finite() => write!(out, "{value}"),
        Scalar::F32 => write!(out, "\"0x{bits:08x}\""),
        Scalar::Bool => write!(out, "{}", bits != 0),
        // Registers have 32 bits; nothing wider is ever marked.
        Scalar::U32 | Scalar::F64 | Scalar::I64 | Scalar::U64 => write!(out, "{bits}"),
    };
}
