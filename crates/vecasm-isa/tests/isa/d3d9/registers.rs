//! The names of registers.

use vecasm_isa::d3d9::Version;
use vecasm_isa::d3d9::registers::{RegType, SOURCE_MODIFIERS, spelling};

#[test]
fn names_depend_on_the_model() {
    let name = |ty, number, word| spelling(ty, number, Version(word));
    assert_eq!(name(RegType::AddrOrTexture, 0, 0xfffe_0200), Some(("a0", None)));
    assert_eq!(name(RegType::AddrOrTexture, 2, 0xffff_0104), Some(("t", Some(2))));
    assert_eq!(name(RegType::AddrOrTexture, 1, 0xfffe_0200), None);
    assert_eq!(name(RegType::Output, 3, 0xfffe_0200), Some(("oT", Some(3))));
    assert_eq!(name(RegType::Output, 3, 0xfffe_0300), Some(("o", Some(3))));
    assert_eq!(name(RegType::Const3, 1, 0xfffe_02ff), Some(("c", Some(4097))));
    assert_eq!(name(RegType::RastOut, 2, 0xfffe_0101), Some(("oPts", None)));
    assert_eq!(name(RegType::TempFloat16, 0, 0xffff_0300), None);
}

#[test]
fn codes_are_places() {
    for (n, ty) in RegType::ALL.into_iter().enumerate() {
        assert_eq!(usize::from(ty.code()), n);
    }
    for (n, row) in SOURCE_MODIFIERS.iter().enumerate() {
        assert_eq!(usize::from(row.code), n);
    }
}
