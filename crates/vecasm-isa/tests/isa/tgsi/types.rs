//! What registers hold, by the instructions on them.

use vecasm_ir::ir::Scalar;
use vecasm_isa::Isa;
use vecasm_isa::any::{AnyProgram, LiftOptions};

/// The type of the output of a fragment program with these declarations and instructions.
fn output(lines: &str) -> Scalar {
    let text = format!("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0]\n{lines}END\n");
    let (program, findings) = AnyProgram::parse(Isa::Tgsi, &text, None, None);
    let shader = program.unwrap_or_else(|| panic!("{findings:?}")).lift(&LiftOptions::default()).unwrap();
    shader.outputs[0].scalar
}

#[test]
fn webs_are_of_floats_or_of_integers() {
    assert_eq!(output("ADD OUT[0], IN[0], IN[0]\n"), Scalar::F32);
    assert_eq!(output("UADD OUT[0], IN[0], IN[0]\n"), Scalar::I32);
    assert_eq!(
        output("UADD TEMP[0], IN[0], IN[0]\nADD OUT[0], TEMP[0], TEMP[0]\nMOV OUT[0], TEMP[0]\n"),
        Scalar::U32
    );
}

/// A colour that is fetched is a float to who fetches it, so that an output that integers are written to, too, holds bits.
#[test]
fn a_colour_that_is_fetched_is_of_floats() {
    assert_eq!(output("FBFETCH TEMP[0], OUT[0]\nUADD OUT[0], TEMP[0], IN[0]\n"), Scalar::U32);
}

/// What is clamped is a float, whatever else the instruction says of it.
#[test]
fn what_is_clamped_is_of_floats() {
    assert_eq!(output("UCMP_SAT OUT[0], IN[0], IN[0].yzwx, IN[0].zwxy\n"), Scalar::F32);
    assert_eq!(output("UADD_SAT OUT[0], IN[0], IN[0]\n"), Scalar::F32);
}
