//! The lanes that instructions read.

use vecasm_ir::operand::WriteMask;
use vecasm_isa::tgsi::Opcode;
use vecasm_isa::tgsi::names::Target;
use vecasm_isa::tgsi::reads::{lanes, written};
use vecasm_isa::tgsi::signature::Texels;

#[test]
fn lanes_follow_the_manual() {
    let of = |op, n, bits, target: Option<Target>| {
        let texels = target.map(Texels::from).unwrap_or_default();
        lanes(op, n, WriteMask::from_bits(bits), texels).bits()
    };
    assert_eq!((of(Opcode::Mad, 2, 5, None), of(Opcode::Dp3, 1, 8, None)), (5, 7));
    // z of LIT needs the light, the shine and the power.
    assert_eq!([2, 4, 9].map(|bits| of(Opcode::Lit, 0, bits, None)), [1, 11, 0]);
    assert_eq!(of(Opcode::Tex, 0, 15, Some(Target::Shadow2)), 7);
    assert_eq!(of(Opcode::Txb, 0, 15, Some(Target::D2)), 11);
    // One float to a double in zw is y.
    assert_eq!((of(Opcode::F2d, 0, 12, None), of(Opcode::Dadd, 0, 12, None)), (2, 12));
    assert_eq!(written(Opcode::Dslt, 0, WriteMask::ALL).bits(), 5);
    assert_eq!(written(Opcode::D2f, 0, WriteMask::from_bits(14)).bits(), 6);
}
