//! What the instructions of TGSI take their operands for.

#![cfg(feature = "tgsi")]

use vecasm_ir::ir::Scalar;
use vecasm_isa::tgsi::Opcode;
use vecasm_isa::tgsi::signature::{Signature, Texels};
use vecasm_isa::tgsi::table::Type::{Bits, F32, F64, I32, U32};

#[test]
fn operands_are_what_the_manual_says() {
    let of = |op, texels| {
        let all = Signature::of(op, texels);
        (all.result, [0, 1, 2].map(|n| all.source(n)))
    };
    let plain = |op| of(op, Texels::default());
    assert_eq!(plain(Opcode::Mul), (F32, [F32; 3]));
    // The exponent is an integer.
    assert_eq!(plain(Opcode::Dldexp).1[..2], [F64, I32]);
    assert_eq!(plain(Opcode::Ucmp), (Bits, [U32, Bits, Bits]));
    assert_eq!(plain(Opcode::Atomcas), (Bits, [Bits, U32, Bits]));
    let texels = |scalar, compared| Texels { scalar: Some(scalar), compared, ..Texels::default() };
    assert_eq!(of(Opcode::Load, texels(Scalar::I32, false)), (I32, [Bits, U32, U32]));
    assert_eq!(of(Opcode::Store, texels(Scalar::U32, false)).1[..2], [U32, U32]);
    // Coordinates, a component, a sampler or its handle.
    assert_eq!(of(Opcode::Tg4, texels(Scalar::U32, false)), (U32, [F32, U32, U32]));
    assert_eq!(of(Opcode::Tg4, texels(Scalar::F32, true)), (F32, [F32, F32, U32]));
}
