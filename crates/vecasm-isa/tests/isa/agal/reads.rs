//! The lanes that instructions read.

use vecasm_ir::operand::WriteMask;
use vecasm_isa::agal::Opcode;
use vecasm_isa::agal::program::RegType;
use vecasm_isa::agal::reads::{lanes, of_register, written};

#[test]
fn lanes_follow_the_manual() {
    let of = |op, n, bits| lanes(op, n, written(op, WriteMask::from_bits(bits)), None).bits();
    // Of a cross product, lane x needs y and z of both.
    assert_eq!([1, 2, 4, 7].map(|bits| of(Opcode::Crs, 0, bits)), [6, 5, 3, 7]);
    assert_eq!((of(Opcode::Dp3, 1, 1), of(Opcode::Mul, 1, 9), of(Opcode::Ife, 0, 0)), (7, 9, 1));
    // There is no lane w of a normal.
    assert_eq!((of(Opcode::Nrm, 0, 8), of(Opcode::Nrm, 0, 9)), (0, 7));
    // Every lane is the number of the instance.
    let of = |bits| of_register(RegType::InstanceId, WriteMask::from_bits(bits)).bits();
    assert_eq!((of(0), of(10), of_register(RegType::Constant, WriteMask::ALL).bits()), (0, 1, 15));
}
