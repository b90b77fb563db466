//! The lossless form of a program: its words, and where the tokens lie in them.
//!
//! A program is a version token, instructions and comments, and an end token. The words are kept as they are, so
//! nothing can be lost; [`Program::items`] says what they are. The types for tokens here wrap words.

use super::registers::RegType;
use super::table::{Opcode, code};
use crate::table::{Shape, Stages};
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The stage that a version token names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// `vs`
    Vertex,
    /// `ps`
    Pixel,
}

impl Stage {
    /// `vs` or `ps`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Vertex => "vs",
            Self::Pixel => "ps",
        }
    }

    /// The stage in the words of the instruction tables.
    pub const fn stages(self) -> Stages {
        match self {
            Self::Vertex => Stages::V,
            Self::Pixel => Stages::F,
        }
    }

    /// The upper half of the version token.
    pub const fn code(self) -> u16 {
        match self {
            Self::Vertex => 0xfffe,
            Self::Pixel => 0xffff,
        }
    }

    /// The stage with that upper half of the version token.
    pub const fn from_code(code: u16) -> Option<Self> {
        match code {
            0xfffe => Some(Self::Vertex),
            0xffff => Some(Self::Pixel),
            _ => None,
        }
    }
}

/// A version token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version(pub u32);

impl core::fmt::Debug for Version {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// Minor versions that have a word in place of a number: major, minor, the word written, other words read.
pub const MINOR_WORDS: &[(u8, u8, &str, &[&str])] =
    &[(2, 1, "x", &["a", "b"]), (2, 0xff, "sw", &[]), (3, 0xff, "sw", &[])];

impl Version {
    /// A version token.
    pub const fn new(stage: Stage, major: u8, minor: u8) -> Self {
        Self((stage.code() as u32) << 16 | (major as u32) << 8 | minor as u32)
    }

    /// The stage, if the upper half is one of a shader.
    pub const fn known_stage(self) -> Option<Stage> {
        Stage::from_code((self.0 >> 16) as u16)
    }

    /// Whether it is the token of a model: vs 1.0 and 1.1, ps 1.0–1.4, 2.0, 2.x, 3.0 and the software models.
    pub const fn is_known(self) -> bool {
        match self.known_stage() {
            None => false,
            Some(stage) => match (self.major(), self.minor()) {
                (1, minor) => minor <= if matches!(stage, Stage::Vertex) { 1 } else { 4 },
                (2, 0 | 1 | 0xff) | (3, 0 | 0xff) => true,
                _ => false,
            },
        }
    }

    /// The stage; what is no shader counts as a vertex shader.
    pub const fn stage(self) -> Stage {
        match self.known_stage() {
            Some(stage) => stage,
            None => Stage::Vertex,
        }
    }

    /// Upper halves and what models with them begin with: shaders, and streams without a shader.
    pub const PREFIXES: [(u16, &'static str); 4] = [
        (Stage::Vertex.code(), Stage::Vertex.prefix()),
        (Stage::Pixel.code(), Stage::Pixel.prefix()),
        (0x4658, "fx"),
        (0x5458, "tx"),
    ];

    /// What the name of the model begins with; what is nothing of [`Self::PREFIXES`] counts as a vertex shader.
    pub fn prefix(self) -> &'static str {
        let code = (self.0 >> 16) as u16;
        Self::PREFIXES.iter().find(|row| row.0 == code).map_or(Stage::Vertex.prefix(), |row| row.1)
    }

    /// Whether it is the version token of a stream without shader: a preshader alone, or one that fills a texture.
    pub const fn is_preshader(self) -> bool {
        matches!(self.0 >> 16, 0x4658 | 0x5458)
    }

    /// Major and minor version, as in the table of instructions.
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// The major version.
    pub const fn major(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The minor version; 255 is a software model.
    pub const fn minor(self) -> u8 {
        self.0 as u8
    }

    /// Whether tokens of instructions hold their length: from 2.0 on.
    pub const fn has_lengths(self) -> bool {
        self.major() >= 2
    }

    /// Ten times the major version plus the minor one, for people: 11–14, 20, 21 (2.x and software), 30.
    pub const fn decimal(self) -> u32 {
        let minor = match (self.major(), self.minor()) {
            (2, 1..) => 1,
            (3.., 0xff) => 0,
            (_, minor) if minor > 9 => 9,
            (_, minor) => minor,
        };
        self.major() as u32 * 10 + minor as u32
    }
}

/// The token of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstructionToken(pub u32);

impl InstructionToken {
    /// Bit of the second instruction of a pair.
    pub const COISSUE: u32 = 1 << 30;
    /// Bit of a predicated instruction.
    pub const PREDICATED: u32 = 1 << 28;

    /// Bits 0–15: the code.
    pub const fn code(self) -> u16 {
        self.0 as u16
    }

    /// The instruction, if the code has one.
    pub fn opcode(self) -> Option<Opcode> {
        Opcode::from_code(self.code())
    }

    /// Bits 16–23: a comparison, or the variant of `texld`.
    pub const fn control(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// Bits 24–27: number of words that follow, from 2.0 on.
    pub const fn length(self) -> u32 {
        self.0 >> 24 & 15
    }

    /// Whether a predicate stands among the parameters.
    pub const fn is_predicated(self) -> bool {
        self.0 & Self::PREDICATED != 0
    }

    /// Whether it is issued together with the instruction in front of it.
    pub const fn is_coissued(self) -> bool {
        self.0 & Self::COISSUE != 0
    }

    /// Bits 29 and 31, which must be zero.
    pub const fn reserved(self) -> u32 {
        self.0 & 0xa000_0000
    }
}

/// Bit 31, which every parameter has.
pub const PARAMETER: u32 = 1 << 31;

const fn register_type(word: u32) -> u8 {
    (word >> 28 & 7 | word >> 8 & 0x18) as u8
}

const fn register_bits(ty: RegType, number: u16) -> u32 {
    let code = ty.code() as u32;
    PARAMETER | (code & 7) << 28 | (code & 0x18) << 8 | (number & 0x7ff) as u32
}

/// A destination parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Destination(pub u32);

impl Destination {
    /// A destination without modifiers.
    pub const fn new(ty: RegType, number: u16, mask: WriteMask) -> Self {
        Self(register_bits(ty, number) | (mask.bits() as u32) << 16)
    }

    /// The write mask.
    pub const fn mask(self) -> WriteMask {
        WriteMask::from_bits((self.0 >> 16) as u8)
    }

    /// Bits 20–23: the [modifiers](super::registers::RESULT_MODIFIERS).
    pub const fn modifiers(self) -> u8 {
        (self.0 >> 20) as u8 & 15
    }

    /// Bits 24–27: the [shift](super::registers::SHIFTS).
    pub const fn shift(self) -> u8 {
        (self.0 >> 24) as u8 & 15
    }
}

/// A source parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source(pub u32);

impl Source {
    /// A source without modifier.
    pub const fn new(ty: RegType, number: u16, swizzle: Swizzle) -> Self {
        Self(register_bits(ty, number) | (swizzle.bits() as u32) << 16)
    }

    /// The components.
    pub const fn swizzle(self) -> Swizzle {
        Swizzle::from_bits((self.0 >> 16) as u8)
    }

    /// Bits 24–27: the [modifier](super::registers::SOURCE_MODIFIERS).
    pub const fn modifier(self) -> u8 {
        (self.0 >> 24) as u8 & 15
    }
}

macro_rules! registers {
    ($($Parameter:ident)*) => { $(
        impl $Parameter {
            /// Bits 0–10: the number of the register.
            pub const fn number(self) -> u16 {
                self.0 as u16 & 0x7ff
            }

            /// The register file, if its code has one.
            pub fn reg_type(self) -> Option<RegType> {
                RegType::from_code(register_type(self.0))
            }

            /// Whether the number is relative.
            pub const fn is_relative(self) -> bool {
                self.0 & 1 << 13 != 0
            }

            /// Bits 14 and 15, which must be zero.
            pub const fn reserved(self) -> u32 {
                self.0 & 0xc000
            }
        }
    )* };
}

// What both kinds of parameters say of their register.
registers! { Destination Source }

/// The usage token of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Usage(pub u32);

impl Usage {
    /// The usage of an input or output.
    pub const fn semantic(usage: u8, index: u8) -> Self {
        Self(PARAMETER | (usage & 15) as u32 | (index as u32 & 15) << 16)
    }

    /// The kind of a sampler.
    pub const fn sampler(kind: u8) -> Self {
        Self(PARAMETER | (kind as u32 & 15) << 27)
    }

    /// Bits 0–4: the [usage](super::usages).
    pub const fn usage(self) -> u8 {
        self.0 as u8 & 31
    }

    /// Bits 16–19: the index behind the usage.
    pub const fn index(self) -> u8 {
        (self.0 >> 16) as u8 & 15
    }

    /// Bits 27–30: the [kind of the sampler](super::registers::SAMPLER_KINDS).
    pub const fn kind(self) -> u8 {
        (self.0 >> 27) as u8 & 15
    }
}

/// What some words of a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// The version token.
    Version,
    /// An instruction with its parameters.
    Instruction,
    /// A comment: its token and what is in it.
    Comment,
    /// The end token.
    End,
    /// A word where an instruction should begin that is none: a parameter too many, for example.
    Stray,
    /// An instruction or comment whose words are not all there.
    Cut,
    /// Everything behind the end token.
    Tail,
}

/// Some words of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// What they are.
    pub kind: ItemKind,
    /// The first one.
    pub start: u32,
    /// How many there are, 1 or more.
    pub len: u32,
}

/// A program, without loss of a bit.
#[derive(Clone, Debug, Default)]
pub struct Program {
    words: Vec<u32>,
    rest: Vec<u8>,
    items: Vec<Item>,
}

// The items follow from the words.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words && self.rest == other.rest
    }
}

impl Eq for Program {}

impl Program {
    /// A program of these words, and of what is left behind the last whole one: up to three bytes.
    pub fn new(words: Vec<u32>, rest: &[u8]) -> Self {
        let items = walk(&words);
        Self { words, rest: rest.iter().copied().take(3).collect(), items }
    }

    /// Every word, the version token first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The bytes behind the last whole word, up to three.
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// What the words are, in order and without gaps.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The words of an item.
    pub fn words_of(&self, item: Item) -> &[u32] {
        let start = item.start as usize;
        self.words.get(start..start.saturating_add(item.len as usize)).unwrap_or(&[])
    }

    /// The version token; zero if there is none.
    pub fn version(&self) -> Version {
        Version(self.words.first().copied().unwrap_or(0))
    }

    /// The words of each instruction, declarations and definitions too, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &[u32]> {
        let items = self.items.iter().filter(|item| item.kind == ItemKind::Instruction);
        items.map(|item| self.words_of(*item))
    }

    /// What each comment holds, without its token.
    pub fn comments(&self) -> impl Iterator<Item = &[u32]> {
        let items = self.items.iter().filter(|item| item.kind == ItemKind::Comment);
        items.map(|item| self.words_of(*item).get(1..).unwrap_or(&[]))
    }

    /// Whether there is an end token.
    pub fn has_end(&self) -> bool {
        self.items.iter().rev().take(2).any(|item| item.kind == ItemKind::End)
    }
}

/// Number of words that follow the token of an instruction, before 2.0, where only the table tells: the parameters of
/// the form, or, of what is unknown, everything that is a parameter.
fn implied_length(token: InstructionToken, version: Version, behind: &[u32]) -> usize {
    let present = behind.iter().take(16).take_while(|word| **word & PARAMETER != 0).count();
    let Some(op) = token.opcode() else { return present };
    let lengths = op.forms(version).map(|form| {
        let immediates = form.shape.iter().map(|shape| immediates(*shape)).sum::<usize>();
        (form.shape.len() + immediates, immediates > 0)
    });
    let mut wanted = None;
    for (length, immediate) in lengths {
        // The numbers of a definition look like anything.
        if immediate || length <= present {
            return length.min(behind.len());
        }
        wanted = wanted.max(Some(length));
    }
    // An instruction of the other stage.
    wanted.map_or(present, |wanted| wanted.min(present))
}

/// Words of an operand besides the first one.
const fn immediates(shape: Shape) -> usize {
    match shape {
        Shape::Floats4 | Shape::Integers4 => 3,
        _ => 0,
    }
}

fn walk(words: &[u32]) -> Vec<Item> {
    let mut items = Vec::with_capacity(words.len() / 3 + 2);
    let version = Version(words.first().copied().unwrap_or(0));
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let behind = words.get(at + 1..).unwrap_or(&[]);
        let token = InstructionToken(word);
        let (kind, len) = if at == 0 {
            (ItemKind::Version, 0)
        } else if word == code::END {
            (ItemKind::End, 0)
        } else if word & PARAMETER != 0 {
            (ItemKind::Stray, 0)
        } else if token.code() == code::COMMENT {
            (ItemKind::Comment, (word >> 16) as usize)
        } else if version.has_lengths() {
            (ItemKind::Instruction, token.length() as usize)
        } else {
            (ItemKind::Instruction, implied_length(token, version, behind))
        };
        let kind = if len > behind.len() { ItemKind::Cut } else { kind };
        let len = len.min(behind.len()) + 1;
        items.push(Item { kind, start: at as u32, len: len as u32 });
        at += len;
        if kind == ItemKind::End {
            if at < words.len() {
                items.push(Item { kind: ItemKind::Tail, start: at as u32, len: (words.len() - at) as u32 });
            }
            break;
        }
    }
    items
}

/// The parameters of an instruction, read one by one.
pub(super) struct Parameters<'a> {
    /// What is left.
    pub(super) words: &'a [u32],
    /// The model.
    pub(super) version: Version,
}

impl Parameters<'_> {
    /// The next word.
    #[inline]
    pub(super) fn word(&mut self) -> Option<u32> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*first)
    }

    /// The word behind a relative parameter, which models from 2.0 on have.
    #[inline]
    pub(super) fn behind(&mut self, relative: bool) -> Option<Option<u32>> {
        if relative && self.version.has_lengths() { self.word().map(Some) } else { Some(None) }
    }
}
