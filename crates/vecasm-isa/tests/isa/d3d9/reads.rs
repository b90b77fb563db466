//! The lanes that instructions read.

use vecasm_ir::operand::WriteMask;
use vecasm_isa::d3d9::reads::{
    Control, destination, has_coordinates, lanes, of_control, unasked, writes_depth,
};
use vecasm_isa::d3d9::{Opcode, Version};
use vecasm_isa::table::Shape;

#[test]
fn lanes_follow_the_model() {
    let of = |op, word, control, source| {
        lanes(op, Version(word), control, source, Shape::Src).mask(WriteMask::X, 2).bits()
    };
    assert_eq!(of(Opcode::Add, 0xfffe_0101, 0, 1), 1);
    assert_eq!(of(Opcode::Dst, 0xfffe_0101, 0, 1), 10);
    assert_eq!(of(Opcode::Dp2add, 0xffff_0200, 0, 2), 8);
    assert_eq!(of(Opcode::Tex, 0xffff_0200, 0, 0), 3);
    assert_eq!(of(Opcode::Tex, 0xffff_0200, 1, 0), 11);
    assert_eq!(of(Opcode::Tex, 0xffff_0104, 0, 0), 7);
    assert_eq!(of(Opcode::Texkill, 0xffff_0101, 0, 0), 0);
    assert_eq!(of(Opcode::Cnd, 0xffff_0103, 0, 0), 8);
    assert_eq!(of(Opcode::Cnd, 0xffff_0104, 0, 0), 1);
}

#[test]
fn some_operands_are_not_what_their_place_says() {
    assert_eq!(destination(Opcode::Texdepth), Some(WriteMask::from_bits(3)));
    assert_eq!((destination(Opcode::Texm3x3), writes_depth(Opcode::Texm3x2depth)), (None, true));
    // t1 of `texreg2ar t2, t1` is a colour, and the stage is that of t2.
    let of = |op, word| has_coordinates(op, Version(word));
    assert!(of(Opcode::Texbem, 0xffff_0101) && !of(Opcode::Texreg2ar, 0xffff_0101));
    assert!(!of(Opcode::Tex, 0xffff_0104) && !of(Opcode::Mov, 0xffff_0101));
    let of = |op, shape| of_control(op, shape);
    assert_eq!(of(Opcode::Loop, Shape::Counter), Some(Control::Sets(WriteMask::X)));
    assert_eq!(of(Opcode::Loop, Shape::Integer), Some(Control::Reads(WriteMask::XYZ)));
    assert_eq!(of(Opcode::Rep, Shape::Integer), Some(Control::Reads(WriteMask::X)));
    assert_eq!(of(Opcode::Add, Shape::Src), None);
    assert_eq!(unasked(Opcode::Nrm, WriteMask::ALL), WriteMask::ALL);
}
