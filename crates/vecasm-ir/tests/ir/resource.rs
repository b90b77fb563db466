//! Formats and shapes of textures.

use vecasm_ir::ir::{Compare, Dim, Wrap};

#[test]
fn lanes_of_coordinates() {
    // OpenGL 4.6, tables of the texture functions; TGSI's list of targets agrees.
    let lanes: Vec<u8> = Dim::ALL.iter().map(|d| d.coord_lanes()).collect();
    assert_eq!(lanes, [1, 2, 3, 3, 2, 3, 4, 2, 1, 2, 3]);
}

#[test]
fn names_find_their_owner() {
    for dim in Dim::ALL {
        assert_eq!(Dim::named(dim.name()), Some(*dim));
    }
    for compare in Compare::ALL {
        assert_eq!(Compare::named(compare.name()), Some(*compare));
    }
    assert_eq!(Wrap::named("2d"), None);
}

#[test]
fn comparisons() {
    // Each by reference below, equal to and above the texel, and NaN.
    let held = |c: Compare| [1.0, 2.0, 3.0, f32::NAN].map(|r| c.test(r, 2.0));
    assert_eq!(held(Compare::Never), [false; 4]);
    assert_eq!(held(Compare::Less), [true, false, false, false]);
    assert_eq!(held(Compare::Equal), [false, true, false, false]);
    assert_eq!(held(Compare::LessEqual), [true, true, false, false]);
    assert_eq!(held(Compare::Greater), [false, false, true, false]);
    assert_eq!(held(Compare::NotEqual), [true, false, true, true]);
    assert_eq!(held(Compare::GreaterEqual), [false, true, true, false]);
    assert_eq!(held(Compare::Always), [true; 4]);
}
