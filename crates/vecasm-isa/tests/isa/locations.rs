//! Varyings between two stages get locations that targets have.

use vecasm_isa::any::LiftOptions;
use vecasm_isa::{AnyProgram, Isa};

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
    assert_eq!((written, read), (vec![None, Some(1), Some(2), Some(0)], vec![Some(1), Some(0)]));
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
        let written = control.outputs.iter().find(|of| of.semantic == semantic).map(|of| of.kind.number());
        let read = evaluation.inputs.iter().find(|of| of.semantic == semantic).map(|of| of.kind.number());
        (written.flatten(), read.flatten())
    };
    // GENERIC[20] is 0, and the patch behind it 1. The position has no location, whatever stands there.
    assert_eq!(numbers("GENERIC[20]"), (Some(0), Some(0)));
    assert_eq!(numbers("PATCH[1]"), (Some(1), Some(1)));
}
