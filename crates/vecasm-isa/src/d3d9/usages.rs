//! The usages of inputs and outputs, in the order of their codes: their words, and what fixed functions make of them.
//!
//! The words of the assembler are those of [`DeclUsage`], which HLSL has, too; what only Direct3D knows is a column here.

use vecasm_ir::ir::DeclUsage;

/// What is known of a usage.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The usage; the number of the row is its code.
    pub usage: DeclUsage,
    /// The word in listings of Wine.
    pub wine: &'static str,
    /// Whether those listings write its index.
    pub wine_index: bool,
    /// How many indices a flexible vertex format has, from 0 on.
    pub fvf: u8,
    /// How many indices have a location that [`link`](super::lift::link) lists, from 0 on, and that of the first.
    pub locations: (u8, u32),
}

/// The usages by code.
#[rustfmt::skip]
pub const USAGES: &[Row] = &[
    //                         Wine          index  FVF locations
    row(DeclUsage::Position,     "position",   true,  1, (0, 0)),
    row(DeclUsage::BlendWeight,  "weight",     false, 0, (0, 0)),
    row(DeclUsage::BlendIndices, "blend",      false, 0, (0, 0)),
    row(DeclUsage::Normal,       "normal",     true,  0, (1, 11)),
    row(DeclUsage::PointSize,    "psize",      false, 1, (1, 13)),
    row(DeclUsage::TexCoord,     "texture",    true,  8, (8, 2)),
    row(DeclUsage::Tangent,      "tangent",    false, 0, (1, 12)),
    row(DeclUsage::Binormal,     "binormal",   false, 0, (0, 0)),
    row(DeclUsage::TessFactor,   "tessfactor", false, 0, (0, 0)),
    row(DeclUsage::PositionT,    "positionT",  true,  0, (0, 0)),
    row(DeclUsage::Color,        "color",      false, 2, (2, 0)),
    row(DeclUsage::Fog,          "fog",        false, 1, (1, 10)),
    row(DeclUsage::Depth,        "depth",      false, 0, (0, 0)),
    row(DeclUsage::Sample,       "sample",     false, 0, (0, 0)),
];

const fn row(usage: DeclUsage, wine: &'static str, wine_index: bool, fvf: u8, locations: (u8, u32)) -> Row {
    Row { usage, wine, wine_index, fvf, locations }
}

const _: () = {
    assert!(USAGES.len() == DeclUsage::ALL.len());
    let mut code = 0;
    while code < USAGES.len() {
        assert!(USAGES[code].usage.code() as usize == code, "the number of a row is not its code");
        code += 1;
    }
};

/// The word of the assembler for a code, if it has one.
pub fn name(code: u8) -> Option<&'static str> {
    DeclUsage::from_code(code).map(DeclUsage::name)
}

/// The usage that a word of the assembler names, in any case.
pub fn named(word: &str) -> Option<DeclUsage> {
    DeclUsage::ALL.iter().copied().find(|usage| usage.name().eq_ignore_ascii_case(word))
}

/// What the input registers of vertex shaders of Direct3D 8 are: code of the usage and index of v0 to v15 (the constants
/// `D3DVSDE` of its header; the seventeenth, normal 1, has no register).
pub const D3D8_INPUTS: [(u8, u8); 16] = [
    (DeclUsage::Position.code(), 0),
    (DeclUsage::BlendWeight.code(), 0),
    (DeclUsage::BlendIndices.code(), 0),
    (DeclUsage::Normal.code(), 0),
    (DeclUsage::PointSize.code(), 0),
    (DeclUsage::Color.code(), 0),
    (DeclUsage::Color.code(), 1),
    (DeclUsage::TexCoord.code(), 0),
    (DeclUsage::TexCoord.code(), 1),
    (DeclUsage::TexCoord.code(), 2),
    (DeclUsage::TexCoord.code(), 3),
    (DeclUsage::TexCoord.code(), 4),
    (DeclUsage::TexCoord.code(), 5),
    (DeclUsage::TexCoord.code(), 6),
    (DeclUsage::TexCoord.code(), 7),
    (DeclUsage::Position.code(), 1),
];
