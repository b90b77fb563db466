//! The table of instructions.

use vecasm_isa::d3d9::table::slots;
use vecasm_isa::d3d9::{Opcode, Version};

#[test]
fn codes_and_forms_are_sound() {
    for op in Opcode::ALL {
        let row = op.row();
        assert_eq!(Opcode::from_code(row.code), Some(*op));
        assert!(row.doc.ends_with('.'), "{op:?}");
        for form in row.forms {
            assert!(
                form.since <= form.until && form.name.bytes().all(|b| b.is_ascii_alphanumeric()),
                "{op:?}"
            );
        }
    }
    assert_eq!(Opcode::from_code(0x31), None);
    assert_eq!(Opcode::from_code(0xfffe), None);
}

#[test]
fn slots_follow_the_model() {
    let of = |op, word, control, cube| slots(op, Version(word), control, cube);
    assert_eq!(of(Opcode::Exp, 0xfffe_0101, 0, false), Some(10));
    assert_eq!(of(Opcode::Exp, 0xfffe_0200, 0, false), Some(1));
    assert_eq!(of(Opcode::Cmp, 0xffff_0102, 0, false), Some(2));
    assert_eq!(of(Opcode::Cmp, 0xffff_0104, 0, false), Some(1));
    assert_eq!(of(Opcode::Tex, 0xffff_0300, 1, true), Some(4));
    assert_eq!(of(Opcode::Texldl, 0xfffe_0300, 0, true), Some(5));
    assert_eq!(of(Opcode::Lit, 0xffff_0300, 0, false), None);
}
