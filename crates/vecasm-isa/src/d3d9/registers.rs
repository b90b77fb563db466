//! What parameter tokens name: register files, modifiers, usages, kinds of samplers.
//!
//! Source: Microsoft's shader reference and the tokens of its header files, as described there.

use super::program::{Stage, Version};

/// Floating-point constants that a device may have: those of software, which has the most.
pub const MAX_CONSTANTS: u32 = 8192;

/// A register file. Its code has five bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegType {
    /// 0: temporary.
    Temp,
    /// 1: input.
    Input,
    /// 2: floating-point constant 0–2047.
    Const,
    /// 3: address register of vertex shaders, texture coordinates of pixel shaders.
    AddrOrTexture,
    /// 4: position, fog and point size.
    RastOut,
    /// 5: colour output of vertex shaders before 3.0.
    AttrOut,
    /// 6: texture coordinate output; in vs_3_0 any output.
    Output,
    /// 7: integer constant.
    ConstInt,
    /// 8: colour output of pixel shaders.
    ColorOut,
    /// 9: depth output.
    DepthOut,
    /// 10: sampler.
    Sampler,
    /// 11: floating-point constant 2048–4095.
    Const2,
    /// 12: floating-point constant 4096–6143.
    Const3,
    /// 13: floating-point constant 6144–8191.
    Const4,
    /// 14: boolean constant.
    ConstBool,
    /// 15: loop counter.
    Loop,
    /// 16: temporary of half precision, which no model has.
    TempFloat16,
    /// 17: position and face of the pixel.
    Misc,
    /// 18: label.
    Label,
    /// 19: predicate.
    Predicate,
}

/// How the registers of a file are written in the models of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The file.
    pub ty: RegType,
    /// The stage; `None` is both.
    pub stage: Option<Stage>,
    /// First version that has the file under that name, as in a version token.
    pub since: u16,
    /// Last version.
    pub until: u16,
    /// The name, or the letters in front of the number.
    pub name: &'static str,
    /// The number, where the name has none.
    pub number: Option<u16>,
    /// Number of the first register in text: the files of constants are one in text.
    pub first: u16,
}

const fn row(ty: RegType, stage: Option<Stage>, since: u16, until: u16, name: &'static str) -> Spelling {
    Spelling { ty, stage, since, until, name, number: None, first: 0 }
}

const fn single(
    ty: RegType,
    stage: Stage,
    since: u16,
    until: u16,
    name: &'static str,
    number: u16,
) -> Spelling {
    Spelling { ty, stage: Some(stage), since, until, name, number: Some(number), first: 0 }
}

const fn constants(ty: RegType, first: u16) -> Spelling {
    Spelling { ty, stage: None, since: 0x0100, until: 0x03ff, name: "c", number: None, first }
}

/// Numbers that a parameter token can hold.
pub const NUMBERS: u16 = 2048;

const V: Option<Stage> = Some(Stage::Vertex);
const P: Option<Stage> = Some(Stage::Pixel);

/// Every name of a register file, in the order of the codes.
pub const SPELLINGS: &[Spelling] = &[
    row(RegType::Temp, None, 0x0100, 0x03ff, "r"),
    row(RegType::Input, None, 0x0100, 0x03ff, "v"),
    constants(RegType::Const, 0),
    single(RegType::AddrOrTexture, Stage::Vertex, 0x0101, 0x03ff, "a0", 0),
    row(RegType::AddrOrTexture, P, 0x0100, 0x02ff, "t"),
    single(RegType::RastOut, Stage::Vertex, 0x0100, 0x02ff, "oPos", 0),
    single(RegType::RastOut, Stage::Vertex, 0x0100, 0x02ff, "oFog", 1),
    single(RegType::RastOut, Stage::Vertex, 0x0100, 0x02ff, "oPts", 2),
    row(RegType::AttrOut, V, 0x0100, 0x02ff, "oD"),
    row(RegType::Output, V, 0x0300, 0x03ff, "o"),
    row(RegType::Output, V, 0x0100, 0x02ff, "oT"),
    row(RegType::ConstInt, None, 0x0200, 0x03ff, "i"),
    row(RegType::ColorOut, P, 0x0200, 0x03ff, "oC"),
    single(RegType::DepthOut, Stage::Pixel, 0x0200, 0x03ff, "oDepth", 0),
    row(RegType::Sampler, None, 0x0200, 0x03ff, "s"),
    constants(RegType::Const2, 2048),
    constants(RegType::Const3, 4096),
    constants(RegType::Const4, 6144),
    row(RegType::ConstBool, None, 0x0200, 0x03ff, "b"),
    Spelling { number: Some(0), ..row(RegType::Loop, None, 0x0200, 0x03ff, "aL") },
    single(RegType::Misc, Stage::Pixel, 0x0300, 0x03ff, "vPos", 0),
    single(RegType::Misc, Stage::Pixel, 0x0300, 0x03ff, "vFace", 1),
    row(RegType::Label, None, 0x0200, 0x03ff, "l"),
    row(RegType::Predicate, None, 0x0201, 0x03ff, "p"),
];

impl RegType {
    /// Every file, in the order of the codes 0–19.
    pub const ALL: [Self; 20] = [
        Self::Temp,
        Self::Input,
        Self::Const,
        Self::AddrOrTexture,
        Self::RastOut,
        Self::AttrOut,
        Self::Output,
        Self::ConstInt,
        Self::ColorOut,
        Self::DepthOut,
        Self::Sampler,
        Self::Const2,
        Self::Const3,
        Self::Const4,
        Self::ConstBool,
        Self::Loop,
        Self::TempFloat16,
        Self::Misc,
        Self::Label,
        Self::Predicate,
    ];

    /// The file with that code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Its code.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// The name of a register in a model: the one that the model has, else one of another version of its stage.
///
/// Gives the spelling and the number behind it, if it has one.
pub fn spelling(ty: RegType, number: u16, version: Version) -> Option<(&'static str, Option<u16>)> {
    let code = usize::from(ty.code());
    let (start, end) = (*STARTS.get(code)?, *STARTS.get(code + 1)?);
    let rows = SPELLINGS.get(usize::from(start)..usize::from(end))?;
    let fits = |s: &&Spelling| s.is_for(version.stage()) && s.number.is_none_or(|n| n == number);
    let row = match rows {
        [row] => Some(row).filter(fits),
        rows => {
            let exact = rows.iter().filter(fits).find(|s| s.is_in(version));
            exact.or_else(|| rows.iter().find(fits))
        }
    }?;
    Some((row.name, row.number.is_none().then(|| row.first + number)))
}

/// Where the rows of each register file begin in [`SPELLINGS`], and where the last ones end.
const STARTS: [u8; 21] = {
    let mut out = [0; 21];
    let mut code = 0;
    while code < out.len() {
        let mut n = 0;
        while n < SPELLINGS.len() && (SPELLINGS[n].ty.code() as usize) < code {
            n += 1;
        }
        out[code] = n as u8;
        code += 1;
    }
    out
};

impl Spelling {
    /// Whether the models of a stage use it in some version.
    pub fn is_for(&self, stage: Stage) -> bool {
        self.stage.is_none_or(|s| s == stage)
    }

    /// Whether a model uses it.
    pub fn is_in(&self, version: Version) -> bool {
        self.is_for(version.stage()) && (self.since..=self.until).contains(&version.number())
    }
}

/// The suffixes and signs that the modifier of a source stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceModifier {
    /// The code in the token.
    pub code: u8,
    /// What stands in front of the register.
    pub prefix: &'static str,
    /// What stands behind it, in front of the swizzle, without the underscore; empty if nothing.
    pub suffix: &'static str,
}

const fn modifier(code: u8, prefix: &'static str, suffix: &'static str) -> SourceModifier {
    SourceModifier { code, prefix, suffix }
}

/// Every modifier of sources, in the order of the codes 0–13.
pub const SOURCE_MODIFIERS: &[SourceModifier] = &[
    modifier(0, "", ""),
    modifier(1, "-", ""),
    modifier(2, "", "bias"),
    modifier(3, "-", "bias"),
    modifier(4, "", "bx2"),
    modifier(5, "-", "bx2"),
    modifier(6, "1-", ""),
    modifier(7, "", "x2"),
    modifier(8, "-", "x2"),
    modifier(9, "", "dz"),
    modifier(10, "", "dw"),
    modifier(11, "", "abs"),
    modifier(12, "-", "abs"),
    modifier(13, "!", ""),
];

/// Other spellings of suffixes of sources.
pub const SUFFIX_ALIASES: &[(&str, &str)] = &[("db", "dz"), ("da", "dw")];

/// The shifts of results: the signed code in the token and the suffix of the mnemonic.
pub const SHIFTS: &[(u8, &str)] = &[(1, "x2"), (2, "x4"), (3, "x8"), (15, "d2"), (14, "d4"), (13, "d8")];

/// The modifiers of results: the bit in the token and the suffix of the mnemonic.
pub const RESULT_MODIFIERS: &[(u8, &str)] = &[(1, "sat"), (2, "pp"), (4, "centroid")];

/// The kinds of samplers: the code in a declaration and the suffix of `dcl`. Code 0 is not said.
pub const SAMPLER_KINDS: &[(u8, &str)] = &[(1, "1d"), (2, "2d"), (3, "cube"), (4, "volume")];
