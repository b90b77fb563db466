//! The lossless form of an AGAL program: the bytes, with names for their fields.
//!
//! A token is 24 bytes: `u32 opcode | u32 dest | u64 source 1 | u64 source 2 or sampler`, little endian. The types
//! here wrap those words, so no bit can be lost: reserved bits, holes in the opcode space and fields that an
//! instruction does not use survive, and equality compares them.

use super::table::Opcode;
use alloc::vec::Vec;
use vecasm_ir::ir::Dim;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The stage byte of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// 0
    Vertex,
    /// 1
    Fragment,
}

impl Stage {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Vertex, Self::Fragment];

    /// The stage of that kind, if AGAL has it.
    pub const fn of(stage: vecasm_ir::ir::Stage) -> Option<Self> {
        match stage {
            vecasm_ir::ir::Stage::Vertex => Some(Self::Vertex),
            vecasm_ir::ir::Stage::Fragment => Some(Self::Fragment),
            _ => None,
        }
    }

    /// What other stages of pipelines it is one with.
    pub const fn kind(self) -> vecasm_ir::ir::Stage {
        match self {
            Self::Vertex => vecasm_ir::ir::Stage::Vertex,
            Self::Fragment => vecasm_ir::ir::Stage::Fragment,
        }
    }

    /// `vertex` or `fragment`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
        }
    }

    /// The stage byte.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

vecasm_ir::spelled!(Stage, "stage");

/// The register types, in the order of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegType {
    /// 0: vertex attribute `va`.
    Attribute,
    /// 1: constant `vc`, `fc`.
    Constant,
    /// 2: temporary `vt`, `ft`.
    Temporary,
    /// 3: output `op`/`vo`, `oc`/`fo`.
    Output,
    /// 4: varying `v`.
    Varying,
    /// 5: sampler `fs`, in AGAL 4 also `vs`.
    Sampler,
    /// 6: depth output `od`/`fd`.
    Depth,
    /// 7: instance id `iid`.
    InstanceId,
}

impl RegType {
    /// Every type, in the order of the codes 0–7.
    pub const ALL: [Self; 8] = [
        Self::Attribute,
        Self::Constant,
        Self::Temporary,
        Self::Output,
        Self::Varying,
        Self::Sampler,
        Self::Depth,
        Self::InstanceId,
    ];

    /// The type with that code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Its code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The canonical register name in programs of `stage`, without the number.
    pub const fn name(self, stage: Stage) -> &'static str {
        match (self, stage) {
            (Self::Attribute, _) => "va",
            (Self::Constant, Stage::Vertex) => "vc",
            (Self::Constant, Stage::Fragment) => "fc",
            (Self::Temporary, Stage::Vertex) => "vt",
            (Self::Temporary, Stage::Fragment) => "ft",
            (Self::Output, Stage::Vertex) => "op",
            (Self::Output, Stage::Fragment) => "oc",
            (Self::Varying, _) => "v",
            (Self::Sampler, Stage::Vertex) => "vs",
            (Self::Sampler, Stage::Fragment) => "fs",
            (Self::Depth, _) => "od",
            (Self::InstanceId, _) => "iid",
        }
    }

    /// Number of registers that programs of `version` and `stage` have; versions above 4 count as 4.
    pub const fn count(self, stage: Stage, version: u32) -> u32 {
        let v = if version == 0 { 1 } else { version };
        match (self, stage) {
            (Self::Attribute, _) if v >= 3 => 16,
            (Self::Attribute, _) => 8,
            (Self::Constant, Stage::Vertex) if v == 1 => 128,
            (Self::Constant, Stage::Vertex) => 250,
            (Self::Constant, Stage::Fragment) => match v {
                1 => 28,
                2 => 64,
                _ => 200,
            },
            (Self::Temporary, _) if v == 1 => 8,
            (Self::Temporary, _) => 26,
            (Self::Output, Stage::Fragment) if v >= 2 => 4,
            (Self::Output, _) => 1,
            (Self::Varying, _) if v == 1 => 8,
            (Self::Varying, _) => 10,
            (Self::Sampler, Stage::Vertex) if v >= 4 => 4,
            (Self::Sampler, Stage::Vertex) => 0,
            (Self::Sampler, Stage::Fragment) if v == 1 => 8,
            (Self::Sampler, Stage::Fragment) => 16,
            (Self::Depth, Stage::Fragment) if v >= 2 => 1,
            (Self::Depth, _) => 0,
            (Self::InstanceId, Stage::Vertex) if v >= 3 => 1,
            (Self::InstanceId, _) => 0,
        }
    }
}

/// The destination word of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Dest(pub u32);

impl Dest {
    /// A destination without reserved bits.
    pub const fn new(ty: RegType, number: u16, mask: WriteMask) -> Self {
        Self(number as u32 | (mask.bits() as u32) << 16 | (ty.code() as u32) << 24)
    }

    /// Bits 0–15: the register number.
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// Bits 16–19: the write mask.
    pub const fn mask(self) -> WriteMask {
        WriteMask::from_bits((self.0 >> 16) as u8)
    }

    /// Bits 20–23, which must be zero.
    pub const fn reserved(self) -> u8 {
        (self.0 >> 20) as u8 & 15
    }

    /// Bits 24–31: the register type with the reserved high nibble.
    pub const fn type_byte(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// Bits 24–31 as a register type, if there is one of that code.
    pub fn reg_type(self) -> Option<RegType> {
        RegType::from_code(self.type_byte())
    }
}

/// A source word pair of a token, read as a register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Source(pub u64);

impl Source {
    /// A direct source without reserved bits.
    pub const fn direct(ty: RegType, number: u16, swizzle: Swizzle) -> Self {
        Self(number as u64 | (swizzle.bits() as u64) << 24 | (ty.code() as u64) << 32)
    }

    /// An indirect source: element `index register + offset` of the file of type `ty`.
    pub const fn indirect(
        ty: RegType,
        offset: u8,
        swizzle: Swizzle,
        index_type: RegType,
        index_number: u16,
        index_component: u8,
    ) -> Self {
        Self(
            index_number as u64
                | (offset as u64) << 16
                | (swizzle.bits() as u64) << 24
                | (ty.code() as u64) << 32
                | (index_type.code() as u64) << 40
                | ((index_component & 3) as u64) << 48
                | 1 << 63,
        )
    }

    /// Bits 0–15: the register number; of an indirect source, the number of the index register.
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// Bits 16–23: the offset of an indirect source.
    pub const fn offset(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// Bits 24–31: the swizzle.
    pub const fn swizzle(self) -> Swizzle {
        Swizzle::from_bits((self.0 >> 24) as u8)
    }

    /// Bits 32–39: the register type with the reserved high nibble.
    pub const fn type_byte(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// Bits 32–39 as a register type, if there is one of that code.
    pub fn reg_type(self) -> Option<RegType> {
        RegType::from_code(self.type_byte())
    }

    /// Bits 40–47: the type of the index register with the reserved high nibble.
    pub const fn index_type_byte(self) -> u8 {
        (self.0 >> 40) as u8
    }

    /// Bits 40–47 as a register type, if there is one of that code.
    pub fn index_type(self) -> Option<RegType> {
        RegType::from_code(self.index_type_byte())
    }

    /// Bits 48–49: the component of the index register.
    pub const fn index_component(self) -> u8 {
        (self.0 >> 48) as u8 & 3
    }

    /// Bits 50–62, which must be zero.
    pub const fn reserved(self) -> u16 {
        (self.0 >> 50) as u16 & 0x1fff
    }

    /// Bit 63: whether the source is indirect.
    pub const fn is_indirect(self) -> bool {
        self.0 >> 63 == 1
    }

    /// The same bits read as a sampler operand.
    pub const fn sampler(self) -> Sampler {
        Sampler(self.0)
    }
}

/// The second source word pair of a texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sampler(pub u64);

impl Sampler {
    /// Bits 0–15: the sampler number.
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// Bits 16–23: the level-of-detail bias in 1/8 levels.
    pub const fn bias_eighths(self) -> i8 {
        (self.0 >> 16) as u8 as i8
    }

    /// Bits 24–31, which are zero in every assembler's output.
    pub const fn reserved(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// Bits 32–39: the register type, 5.
    pub const fn type_byte(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// Bits 40–43: the texture format: 0 rgba, 1 dxt1, 2 dxt5, 3 video.
    pub const fn format(self) -> u8 {
        (self.0 >> 40) as u8 & 15
    }

    /// Bits 44–47: the dimension: 0 2d, 1 cube, 2 3d.
    pub const fn dim(self) -> u8 {
        (self.0 >> 44) as u8 & 15
    }

    /// The shape of the texture; `None` of an unknown [dimension](Self::dim).
    pub const fn shape(self) -> Option<Dim> {
        match self.dim() {
            0 => Some(Dim::D2),
            1 => Some(Dim::Cube),
            2 => Some(Dim::D3),
            _ => None,
        }
    }

    /// Bits 48–51: the special flags: 1 centroid, 2 single, 4 ignoresampler.
    pub const fn special(self) -> u8 {
        (self.0 >> 48) as u8 & 15
    }

    /// Bits 52–55: the wrap mode: 0 clamp, 1 repeat, 2 clamp_u_repeat_v, 3 repeat_u_clamp_v.
    pub const fn wrap(self) -> u8 {
        (self.0 >> 52) as u8 & 15
    }

    /// Bits 56–59: the mip mode: 0 none, 1 nearest, 2 linear.
    pub const fn mip(self) -> u8 {
        (self.0 >> 56) as u8 & 15
    }

    /// Bits 60–63: the filter: 0 nearest, 1 linear, 2–5 anisotropic 2x–16x.
    pub const fn filter(self) -> u8 {
        (self.0 >> 60) as u8 & 15
    }

    /// The flag of [`special`](Self::special) that leaves the sampler state to the runtime.
    pub const IGNORE_SAMPLER: u8 = 4;
    /// The flag of [`special`](Self::special) that replicates component x.
    pub const SINGLE: u8 = 2;
    /// The flag of [`special`](Self::special) for centroid sampling.
    pub const CENTROID: u8 = 1;
}

/// One instruction: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Token {
    /// The opcode word.
    pub opcode: u32,
    /// The destination word.
    pub dest: Dest,
    /// The first source.
    pub src1: Source,
    /// The second source, or the sampler.
    pub src2: Source,
}

impl Token {
    /// Bytes of a token.
    pub const SIZE: usize = 24;

    /// Reads a token.
    pub fn from_bytes(b: &[u8; Self::SIZE]) -> Self {
        let word = |i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let pair = |i: usize| u64::from(word(i)) | u64::from(word(i + 4)) << 32;
        Self { opcode: word(0), dest: Dest(word(4)), src1: Source(pair(8)), src2: Source(pair(16)) }
    }

    /// Writes the token.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut b = [0; Self::SIZE];
        b[..4].copy_from_slice(&self.opcode.to_le_bytes());
        b[4..8].copy_from_slice(&self.dest.0.to_le_bytes());
        b[8..16].copy_from_slice(&self.src1.0.to_le_bytes());
        b[16..].copy_from_slice(&self.src2.0.to_le_bytes());
        b
    }

    /// The operation in programs of `version`, if the code has one there.
    pub fn operation(&self, version: u32) -> Option<Opcode> {
        Opcode::from_code(self.opcode, version)
    }
}

/// What stands before the tokens: 7 bytes (`A0`, version, `A1`, stage), 8 in files with an extra byte, fewer in
/// truncated ones. Kept as bytes, so that wrong ones survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    bytes: [u8; 8],
    len: u8,
}

impl Header {
    /// Bytes of a regular header.
    pub const SIZE: usize = 7;
    /// The first byte.
    pub const MAGIC: u8 = 0xa0;
    /// The byte before the stage.
    pub const STAGE_TAG: u8 = 0xa1;

    /// A regular header.
    pub fn new(stage: Stage, version: u32) -> Self {
        let mut bytes = [0; 8];
        bytes[0] = Self::MAGIC;
        bytes[1..5].copy_from_slice(&version.to_le_bytes());
        bytes[5] = Self::STAGE_TAG;
        bytes[6] = stage.code();
        Self { bytes, len: Self::SIZE as u8 }
    }

    /// The header of a file. Files of a version of at least 0x10 whose stage tag is at byte 6 have an extra byte
    /// after the version (old mis-assembled files that AwayJS reads); files of fewer than 7 bytes are header only.
    pub fn from_file(file: &[u8]) -> Self {
        let extended = file.len() >= 8
            && file[0] == Self::MAGIC
            && u32::from_le_bytes([file[1], file[2], file[3], file[4]]) >= 0x10
            && file[5] != Self::STAGE_TAG
            && file[6] == Self::STAGE_TAG;
        let len = file.len().min(if extended { 8 } else { Self::SIZE });
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(&file[..len]);
        Self { bytes, len: len as u8 }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether there is an extra byte between version and stage tag.
    pub const fn is_extended(&self) -> bool {
        self.len == 8
    }

    /// Whether magic, stage tag and stage are there and right.
    pub fn is_regular(&self) -> bool {
        usize::from(self.len) >= Self::SIZE
            && self.bytes[0] == Self::MAGIC
            && self.bytes[usize::from(self.len) - 2] == Self::STAGE_TAG
            && self.stage().is_some()
    }

    /// The version word; 0 if the header is too short to have one.
    pub const fn version_word(&self) -> u32 {
        if self.len < 5 {
            return 0;
        }
        u32::from_le_bytes([self.bytes[1], self.bytes[2], self.bytes[3], self.bytes[4]])
    }

    /// The version of the language: the version word, halved in files with an extra byte.
    pub const fn version(&self) -> u32 {
        self.version_word() >> self.is_extended() as u32
    }

    /// The stage, if the last byte names one.
    pub const fn stage(&self) -> Option<Stage> {
        if (self.len as usize) < Self::SIZE {
            return None;
        }
        match self.bytes[self.len as usize - 1] {
            0 => Some(Stage::Vertex),
            1 => Some(Stage::Fragment),
            _ => None,
        }
    }
}

/// An AGAL program without loss of a bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What stands before the tokens.
    pub header: Header,
    /// The instructions.
    pub tokens: Vec<Token>,
    /// The bytes after the last whole token, at most 23.
    pub tail: Vec<u8>,
}

impl Program {
    /// An empty program.
    pub fn new(stage: Stage, version: u32) -> Self {
        Self { header: Header::new(stage, version), tokens: Vec::new(), tail: Vec::new() }
    }

    /// The stage; a header without one counts as fragment, as in the messages of the Flash Player.
    pub fn stage(&self) -> Stage {
        self.header.stage().unwrap_or(Stage::Fragment)
    }

    /// The version of the language.
    pub const fn version(&self) -> u32 {
        self.header.version()
    }

    /// Byte offset of token `index`.
    pub fn token_offset(&self, index: usize) -> usize {
        self.header.bytes().len() + index * Token::SIZE
    }
}
