//! Formats of vertices and actions on stencils.

use vecasm_draw::state::{StencilAction, VertexFormat};

#[test]
fn formats_fill_missing_lanes() {
    let one = 1.0f32.to_bits();
    let words = [10, 20, 30, 40];
    assert_eq!(VertexFormat::Float1.fetch(&words), [10, 0, 0, one]);
    assert_eq!(VertexFormat::Float3.fetch(&words), [10, 20, 30, one]);
    assert_eq!(VertexFormat::Float4.fetch(&words), words);
    // Memory order: the lowest byte is x.
    let lanes = VertexFormat::Bytes4.fetch(&[0xff00_8033]).map(f32::from_bits);
    assert_eq!(lanes, [51.0 / 255.0, 128.0 / 255.0, 0.0, 1.0]);
}

#[test]
fn stencil_actions_at_the_ends() {
    assert_eq!(StencilAction::IncrementSaturate.apply(255, 7), 255);
    assert_eq!(StencilAction::IncrementWrap.apply(255, 7), 0);
    assert_eq!(StencilAction::DecrementSaturate.apply(0, 7), 0);
    assert_eq!(StencilAction::DecrementWrap.apply(0, 7), 255);
    assert_eq!(StencilAction::Set.apply(1, 7), 7);
    assert_eq!(StencilAction::Invert.apply(0x0f, 7), 0xf0);
}
