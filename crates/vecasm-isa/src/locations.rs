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

#[cfg(all(test, feature = "tgsi"))]
mod tests {
    use crate::any::LiftOptions;
    use crate::{AnyProgram, Isa};

    #[test]
    fn varyings_of_tgsi_get_locations_that_targets_have() {
        let lifted = |text: &str| {
            let program = AnyProgram::parse(Isa::Tgsi, text, None, None).0.expect("it can be read");
            program.lift(&LiftOptions::default()).expect("it has a meaning")
        };
        let mut vertex = lifted(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[30]\nDCL OUT[2], GENERIC[0]\nDCL OUT[3], GENERIC[9]\n\
             MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\nMOV OUT[3], IN[0]\nEND\n",
        );
        let mut fragment = lifted(
            "FRAG\nDCL IN[0], GENERIC[30], PERSPECTIVE\nDCL IN[1], GENERIC[9], PERSPECTIVE\nDCL OUT[0], COLOR\n\
             ADD OUT[0], IN[0], IN[1]\nEND\n",
        );
        Isa::Tgsi.link(&mut vertex, &mut fragment);
        // GENERIC[9] and GENERIC[30] are read: 0 and 1; GENERIC[0] is only written: 2.
        let written: Vec<_> = vertex.outputs.iter().map(|output| output.kind.number()).collect();
        let read: Vec<_> = fragment.inputs.iter().map(|input| input.kind.number()).collect();
        assert_eq!(
            (written, read),
            (alloc::vec![None, Some(1), Some(2), Some(0)], alloc::vec![Some(1), Some(0)])
        );
    }

    #[test]
    fn stages_between_get_locations_of_their_own() {
        let lifted = |text: &str| {
            let program = AnyProgram::parse(Isa::Tgsi, text, None, None).0.expect("it can be read");
            program.lift(&LiftOptions::default()).expect("it has a meaning")
        };
        let mut control = lifted(
            "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[40]\n\
             DCL OUT[][0], POSITION\nDCL OUT[][1], GENERIC[20]\nDCL OUT[2], PATCH[1]\nDCL OUT[3], TESSOUTER\n\
             DCL SV[0], INVOCATIONID\nDCL ADDR[0]\nUARL ADDR[0].x, SV[0].xxxx\n\
             MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nMOV OUT[ADDR[0].x][1], IN[ADDR[0].x][1]\nMOV OUT[2], IN[0][1]\nMOV OUT[3], IN[0][1]\nEND\n",
        );
        let mut evaluation = lifted(
            "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[20]\nDCL IN[2], PATCH[1]\n\
             DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0][0]\nADD OUT[1], IN[1][1], IN[2]\nEND\n",
        );
        Isa::Tgsi.link(&mut control, &mut evaluation);
        let numbers = |semantic: &str| {
            let written =
                control.outputs.iter().find(|of| of.semantic == semantic).map(|of| of.kind.number());
            let read = evaluation.inputs.iter().find(|of| of.semantic == semantic).map(|of| of.kind.number());
            (written.flatten(), read.flatten())
        };
        // GENERIC[20] is 0, and the patch behind it 1. The position has no location, whatever stands there.
        assert_eq!(numbers("GENERIC[20]"), (Some(0), Some(0)));
        assert_eq!(numbers("PATCH[1]"), (Some(1), Some(1)));
    }
}
