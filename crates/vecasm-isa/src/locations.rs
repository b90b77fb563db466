//! Locations of varyings that targets have.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::ir::{InputKind, OutputKind, Shader};

/// The first location that targets may lack: WebGPU has 16.
pub(super) const SPARSE: u32 = 16;

/// Numbers the varyings between two stages anew if a location is above 15: those that the second stage reads get the
/// locations from 0 on, in ascending order (those of patches behind the others), and what is written but not read those
/// behind. The result depends on nothing but the two stages.
pub(super) fn number(first: &mut Shader, second: &mut Shader) {
    let in_between = second.stage.has_vertices();
    let read = second.inputs.iter().filter(|input| !(in_between && is_builtin(&input.semantic)));
    let read = read.filter_map(|input| match input.kind {
        InputKind::Varying { location } => Some(((false, location), false)),
        InputKind::PatchVarying { location } => Some(((true, location), false)),
        _ => None,
    });
    let written = first.outputs.iter().filter_map(|output| match output.kind {
        OutputKind::Varying { location } => Some(((false, location), true)),
        OutputKind::PatchVarying { location } => Some(((true, location), true)),
        _ => None,
    });
    // What is read comes last, and counts.
    let varyings: BTreeMap<(bool, u32), bool> = written.chain(read).collect();
    if varyings.keys().all(|(_, location)| *location < SPARSE) {
        return;
    }
    let mut order: Vec<(bool, (bool, u32))> =
        varyings.into_iter().map(|(varying, unread)| (unread, varying)).collect();
    order.sort_unstable();
    let places: BTreeMap<(bool, u32), u32> =
        order.iter().zip(0..).map(|((_, varying), place)| (*varying, place)).collect();
    let place = |patch: bool, location: &mut u32| {
        if let Some(place) = places.get(&(patch, *location)) {
            *location = *place;
        }
    };
    for output in &mut first.outputs {
        match &mut output.kind {
            OutputKind::Varying { location } => place(false, location),
            OutputKind::PatchVarying { location } => place(true, location),
            _ => {}
        }
    }
    for input in &mut second.inputs {
        match &mut input.kind {
            InputKind::Varying { location } => place(false, location),
            InputKind::PatchVarying { location } => place(true, location),
            _ => {}
        }
    }
}

/// Whether an input of a stage between is what the stage before wrote for the rasterizer, which has no location.
fn is_builtin(semantic: &str) -> bool {
    ["POSITION", "PSIZE", "CLIPDIST", "CLIPDIST[1]"].iter().any(|of| semantic.eq_ignore_ascii_case(of))
}
