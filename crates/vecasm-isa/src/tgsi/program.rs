//! The lossless form of a program: its tokens in order, read.
//!
//! A program is a list of declarations, immediates, properties and instructions. The same list is written as text and as
//! binary tokens; what differs between [dialects](Dialect) are words and numbers. Operands, and the words of immediates
//! and properties, stand in lists of the program, and tokens say where.
//!
//! What binary tokens hold beyond that is kept, too: bits that mean nothing ([`Residue`]), tokens that are none
//! ([`Token::Raw`]), and a frame that is not the usual one ([`Frame`]).

use super::dialect::Dialect;
use super::formats::Format;
use super::names::{
    File, ImmediateType, Interpolation, Location, MemoryType, PropertyName, ReturnType, Semantic, Target,
};
use super::table::{Opcode, Row};
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::ir;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The stage of a program, as its header names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Processor {
    /// `VERT`
    Vertex,
    /// `TESS_CTRL`
    TessControl,
    /// `TESS_EVAL`
    TessEval,
    /// `GEOM`
    Geometry,
    /// `FRAG`
    Fragment,
    /// `COMP`
    Compute,
    /// A number that is no stage; the text form has no word for it.
    Unknown(u8),
}

impl Processor {
    /// Every stage, in the order of the pipeline.
    pub const ALL: &'static [Self] =
        &[Self::Vertex, Self::TessControl, Self::TessEval, Self::Geometry, Self::Fragment, Self::Compute];

    /// The header of a text.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Vertex => "VERT",
            Self::TessControl => "TESS_CTRL",
            Self::TessEval => "TESS_EVAL",
            Self::Geometry => "GEOM",
            Self::Fragment => "FRAG",
            Self::Compute => "COMP",
            Self::Unknown(_) => return None,
        })
    }

    /// The stages by number in a dialect. Mesa 22 counts along the pipeline; Mesa of about 20 as its enumeration of shader
    /// types (an inference); virglrenderer and Mesa 10, which had no tessellation, as the old enumeration.
    const fn by_code(dialect: Dialect) -> &'static [Self] {
        use Processor as P;
        match dialect {
            Dialect::Legacy => &[P::Fragment, P::Vertex, P::Geometry, P::Compute],
            Dialect::Virgl => &[P::Fragment, P::Vertex, P::Geometry, P::TessControl, P::TessEval, P::Compute],
            Dialect::Seed => &[P::Vertex, P::Fragment, P::Geometry, P::TessControl, P::TessEval, P::Compute],
            Dialect::Mesa22 | Dialect::Mesa25 => Self::ALL,
        }
    }

    /// Its number in the tokens of a dialect; `None` if the dialect has no such stage.
    pub fn code(self, dialect: Dialect) -> Option<u8> {
        match self {
            Self::Unknown(code) => Some(code),
            known => Self::by_code(dialect).iter().position(|p| *p == known).map(|n| n as u8),
        }
    }

    /// The stage with that number in a dialect.
    pub fn from_code(dialect: Dialect, code: u8) -> Self {
        Self::by_code(dialect).get(usize::from(code)).copied().unwrap_or(Self::Unknown(code))
    }

    /// The stage of the pipeline.
    pub const fn stage(self) -> Option<ir::Stage> {
        Some(match self {
            Self::Vertex => ir::Stage::Vertex,
            Self::TessControl => ir::Stage::TessControl,
            Self::TessEval => ir::Stage::TessEval,
            Self::Geometry => ir::Stage::Geometry,
            Self::Fragment => ir::Stage::Fragment,
            Self::Compute => ir::Stage::Compute,
            Self::Unknown(_) => return None,
        })
    }
}

vecasm_ir::spelled!(Processor, partly);

/// An instruction of the table, or a number without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// One of the table.
    Known(Opcode),
    /// A number that the numbering of the program has no instruction for.
    Unknown(u8),
}

impl Op {
    /// The row of the table.
    pub const fn row(self) -> Option<&'static Row> {
        match self {
            Self::Known(op) => Some(op.row()),
            Self::Unknown(_) => None,
        }
    }
}

/// A register that an index is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Indirect {
    /// Its file; `ADDR` in what Mesa writes.
    pub file: File,
    /// Its number.
    pub index: i16,
    /// The component, 0–3.
    pub component: u8,
    /// The array that is accessed, by the number of its declaration; 0 for none. 10 bits.
    pub array: u16,
}

/// The first index of a register with two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// The number: of a buffer or a vertex; what is added to the register, if there is one.
    pub index: i16,
    /// The register it is taken from.
    pub indirect: Option<Indirect>,
}

/// A register with what an instruction says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The file.
    pub file: File,
    /// The number; what is added to [`indirect`](Self::indirect), if there is one.
    pub index: i16,
    /// Of a destination: the components written.
    pub mask: WriteMask,
    /// Of a source: the components read. Of a texel offset the first three; the fourth is w.
    pub swizzle: Swizzle,
    /// Of a source: whether its sign is taken away, before `negate`.
    pub absolute: bool,
    /// Of a source: whether it is negated.
    pub negate: bool,
    /// The register that the index is taken from.
    pub indirect: Option<Indirect>,
    /// The first one of two indices.
    pub dimension: Option<Dimension>,
}

impl Operand {
    /// A register without anything.
    pub const fn new(file: File, index: i16) -> Self {
        Self {
            file,
            index,
            mask: WriteMask::ALL,
            swizzle: Swizzle::IDENTITY,
            absolute: false,
            negate: false,
            indirect: None,
            dimension: None,
        }
    }

    /// Number of words in the binary form.
    fn words(&self) -> usize {
        let of = |there: bool| usize::from(there);
        let dimension = self.dimension.map_or(0, |d| 1 + of(d.indirect.is_some()));
        1 + of(self.indirect.is_some()) + dimension
    }
}

/// What an instruction says of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// Its target.
    pub target: Target,
    /// What a texel is; text does not say it, and then it is [`UNSAID`](ReturnType::UNSAID). Only Mesa's tokens have it.
    pub returns: ReturnType,
}

/// What an instruction says of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// A bit for each of [`MEMORY_QUALIFIERS`](super::names::MEMORY_QUALIFIERS).
    pub qualifiers: u8,
    /// The target of an image; `BUFFER` (the number 0) if none is said.
    pub target: Target,
    /// The format of an image.
    pub format: Format,
}

/// The condition on an instruction of Mesa 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// The number of the register of the file `PRED`.
    pub index: i16,
    /// The components that decide.
    pub swizzle: Swizzle,
    /// Whether it holds where they are not set.
    pub negate: bool,
}

/// An instruction. Its operands are in the [program](Program::destinations).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Which one.
    pub op: Op,
    /// How the result is clamped: 0 not, 1 to 0..=1; Mesa 10 also had 2, to -1..=1.
    pub saturate: u8,
    /// Whether it is exactly what is written: `_PRECISE`.
    pub precise: bool,
    /// The label behind it: the number of an instruction, 24 bits.
    pub label: Option<u32>,
    /// What it says of a texture.
    pub texture: Option<Texture>,
    /// What it says of memory.
    pub memory: Option<Memory>,
    /// The condition on it.
    pub predicate: Option<Predicate>,
    first: u32,
    counts: [u8; 3],
}

impl Instruction {
    /// An instruction without anything; [`Program::push_instruction`] gives it operands.
    pub const fn new(op: Op) -> Self {
        Self {
            op,
            saturate: 0,
            precise: false,
            label: None,
            texture: None,
            memory: None,
            predicate: None,
            first: 0,
            counts: [0; 3],
        }
    }

    /// The row of the table.
    pub const fn row(&self) -> Option<&'static Row> {
        self.op.row()
    }
}

/// What a declaration says of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageInfo {
    /// Its target.
    pub target: Target,
    /// The format of its texels.
    pub format: Format,
    /// `RAW`: accessed by byte.
    pub raw: bool,
    /// `WR`: written.
    pub writable: bool,
}

/// What a declaration says of a sampler view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewInfo {
    /// Its target.
    pub target: Target,
    /// What each component of a texel is.
    pub returns: [ReturnType; 4],
}

/// What a declaration says of the meaning of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SemanticInfo {
    /// The meaning.
    pub name: Semantic,
    /// Its number.
    pub index: u16,
    /// The stream of each component, of outputs of a geometry shader: 0–3.
    pub streams: [u8; 4],
}

/// What a declaration says of interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InterpolationInfo {
    /// How.
    pub mode: Interpolation,
    /// Where.
    pub location: Location,
    /// Axes along which a texture coordinate goes the short way round a cylinder: a bit each, of Mesa before 21 and
    /// virglrenderer.
    pub cylindrical: u8,
}

/// A declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The file.
    pub file: File,
    /// The components that are used.
    pub mask: WriteMask,
    /// The first register.
    pub first: u16,
    /// The last register.
    pub last: u16,
    /// The first of two indices: the number of a buffer.
    pub dimension: Option<i16>,
    /// How a fragment input is interpolated.
    pub interpolation: Option<InterpolationInfo>,
    /// What the registers mean.
    pub semantic: Option<SemanticInfo>,
    /// Of images.
    pub image: Option<ImageInfo>,
    /// Of sampler views.
    pub view: Option<ViewInfo>,
    /// The number of the array that the registers are; 10 bits.
    pub array: Option<u16>,
    /// `INVARIANT`: computed alike by every program that computes it.
    pub invariant: bool,
    /// `LOCAL`: no subroutine needs it.
    pub local: bool,
    /// `ATOMIC`: a buffer of counters.
    pub atomic: bool,
    /// What memory it is.
    pub memory: MemoryType,
}

impl Declaration {
    /// A declaration of some registers and nothing else.
    pub const fn new(file: File, first: u16, last: u16) -> Self {
        Self {
            file,
            mask: WriteMask::ALL,
            first,
            last,
            dimension: None,
            interpolation: None,
            semantic: None,
            image: None,
            view: None,
            array: None,
            invariant: false,
            local: false,
            atomic: false,
            memory: MemoryType::Global,
        }
    }
}

/// Some of the words of a program; see [`Program::words_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    first: u32,
    count: u32,
}

impl Words {
    /// How many there are.
    pub const fn count(self) -> usize {
        self.count as usize
    }
}

/// An immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Immediate {
    /// What it holds.
    pub ty: ImmediateType,
    /// Its words, four in what comes from texts; of 64-bit values the low one first.
    pub words: Words,
}

/// A property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: PropertyName,
    /// Its words, one in what comes from texts.
    pub words: Words,
}

/// A piece of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// `DCL`
    Declaration(Declaration),
    /// `IMM`
    Immediate(Immediate),
    /// `PROPERTY`
    Property(Property),
    /// An instruction.
    Instruction(Instruction),
    /// Words that are no token: of an unknown type, or with a length that does not fit.
    Raw(Words),
}

/// Bits of a token that mean nothing, where they are not zero: exclusive-or of what the token holds and what it would be
/// written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue {
    /// The token, by its place in [`Program::tokens`].
    pub token: u32,
    /// The word of it.
    pub word: u32,
    /// The bits.
    pub bits: u32,
}

/// The words in front of the tokens and the bytes behind them, where they are not the usual ones.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    /// The header and the processor, as they stand there: as many words as there are of them.
    pub head: Vec<u32>,
    /// What stands behind the last token: behind the end that the header says, or no whole word.
    pub tail: Vec<u8>,
}

/// A program, without loss of a bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Whose numbers those of unknown words are, and what its tokens are written as.
    pub dialect: Dialect,
    /// The stage.
    pub processor: Processor,
    /// The tokens in order.
    pub tokens: Vec<Token>,
    /// What means nothing, in order of tokens and words.
    pub residue: Vec<Residue>,
    /// What is around the tokens, if it is not the usual.
    pub frame: Option<Box<Frame>>,
    operands: Vec<Operand>,
    words: Vec<u32>,
}

impl Program {
    /// A program without tokens. `capacity` is about the number of tokens to come.
    pub fn new(dialect: Dialect, processor: Processor, capacity: usize) -> Self {
        Self::with_room(dialect, processor, [capacity, capacity * 3, 0])
    }

    /// A program without tokens, and room for so many tokens, operands, and words of what is no instruction.
    pub(super) fn with_room(dialect: Dialect, processor: Processor, room: [usize; 3]) -> Self {
        let [tokens, operands, words] = room;
        Self {
            dialect,
            processor,
            tokens: Vec::with_capacity(tokens),
            residue: Vec::new(),
            frame: None,
            operands: Vec::with_capacity(operands),
            words: Vec::with_capacity(words),
        }
    }

    /// Numbers of tokens, of operands, and of words of what is no instruction.
    pub(super) fn room(&self) -> [usize; 3] {
        [self.tokens.len(), self.operands.len(), self.words.len()]
    }

    fn operands_at(&self, first: usize, count: u8) -> &[Operand] {
        self.operands.get(first..first + usize::from(count)).unwrap_or(&[])
    }

    /// Where an instruction writes.
    pub fn destinations(&self, instruction: &Instruction) -> &[Operand] {
        self.operands_at(instruction.first as usize, instruction.counts[0])
    }

    /// What an instruction reads.
    pub fn sources(&self, instruction: &Instruction) -> &[Operand] {
        let first = instruction.first as usize + usize::from(instruction.counts[0]);
        self.operands_at(first, instruction.counts[1])
    }

    /// The texel offsets of an instruction.
    pub fn offsets(&self, instruction: &Instruction) -> &[Operand] {
        let [destinations, sources, offsets] = instruction.counts;
        let first = instruction.first as usize + usize::from(destinations) + usize::from(sources);
        self.operands_at(first, offsets)
    }

    /// Appends an instruction with its operands, of which there are at most 255 of a kind.
    pub fn push_instruction(
        &mut self,
        instruction: Instruction,
        destinations: &[Operand],
        sources: &[Operand],
        offsets: &[Operand],
    ) {
        let first = self.operands.len() as u32;
        let lists = [destinations, sources, offsets];
        for list in lists {
            self.operands.extend(list.iter().take(255));
        }
        let counts = lists.map(|list| list.len().min(255) as u8);
        self.tokens.push(Token::Instruction(Instruction { first, counts, ..instruction }));
    }

    /// Makes room for so many tokens, operands, and words of what is no instruction.
    pub(super) fn reserve(&mut self, room: [usize; 3]) {
        let [tokens, operands, words] = room;
        self.tokens.reserve(tokens);
        self.operands.reserve(operands);
        self.words.reserve(words);
    }

    /// Appends an operand of the instruction that [`finish_instruction`](Self::finish_instruction) will append.
    #[inline]
    pub(super) fn push_operand(&mut self, operand: Operand) {
        self.operands.push(operand);
    }

    /// Appends an instruction whose operands are the last ones, so many of each kind.
    #[inline]
    pub(super) fn finish_instruction(&mut self, instruction: Instruction, counts: [u8; 3]) {
        let count: usize = counts.iter().map(|n| usize::from(*n)).sum();
        let first = self.operands.len().saturating_sub(count) as u32;
        self.tokens.push(Token::Instruction(Instruction { first, counts, ..instruction }));
    }

    /// Makes registers of the file `IMMX` immediates, the first one that of number `base`.
    pub(super) fn rename_immediate_arrays(&mut self, base: i16) {
        for operand in &mut self.operands {
            if operand.file == File::ImmX && operand.dimension.is_none() {
                operand.file = File::Imm;
                operand.index = operand.index.wrapping_add(base);
            }
        }
    }

    /// The words of an immediate, a property or raw words.
    pub fn words_of(&self, words: Words) -> &[u32] {
        let first = words.first as usize;
        self.words.get(first..first + words.count as usize).unwrap_or(&[])
    }

    fn keep(&mut self, words: &[u32]) -> Words {
        let first = self.words.len() as u32;
        self.words.extend_from_slice(words);
        Words { first, count: words.len() as u32 }
    }

    /// Keeps the words of the tokens in their order, also of those that were put between others.
    pub(super) fn arrange_words(&mut self) {
        let kept = core::mem::take(&mut self.words);
        self.words.reserve(kept.len());
        for token in &mut self.tokens {
            let words = match token {
                Token::Immediate(immediate) => &mut immediate.words,
                Token::Property(property) => &mut property.words,
                Token::Raw(words) => words,
                _ => continue,
            };
            let (from, count) = (words.first as usize, words.count as usize);
            words.first = self.words.len() as u32;
            self.words.extend_from_slice(kept.get(from..from + count).unwrap_or(&[]));
        }
    }

    /// Appends an immediate.
    pub fn push_immediate(&mut self, ty: ImmediateType, words: &[u32]) {
        let words = self.keep(words);
        self.tokens.push(Token::Immediate(Immediate { ty, words }));
    }

    /// Appends a property.
    pub fn push_property(&mut self, name: PropertyName, words: &[u32]) {
        let words = self.keep(words);
        self.tokens.push(Token::Property(Property { name, words }));
    }

    /// Appends words that are no token: to those in front of them, if there are some.
    pub fn push_raw(&mut self, words: &[u32]) {
        let kept = self.keep(words);
        if let Some(Token::Raw(last)) = self.tokens.last_mut() {
            last.count += kept.count;
        } else {
            self.tokens.push(Token::Raw(kept));
        }
    }

    /// The instructions in order. Labels count them.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> + Clone {
        self.tokens.iter().filter_map(|token| match token {
            Token::Instruction(instruction) => Some(instruction),
            _ => None,
        })
    }

    /// The declarations in order.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> + Clone {
        self.tokens.iter().filter_map(|token| match token {
            Token::Declaration(declaration) => Some(declaration),
            _ => None,
        })
    }

    /// The immediates in order: what they are and their words. Registers of the file `IMM` count them.
    pub fn immediates(&self) -> impl Iterator<Item = (ImmediateType, &[u32])> + Clone {
        self.tokens.iter().filter_map(|token| match token {
            Token::Immediate(immediate) => Some((immediate.ty, self.words_of(immediate.words))),
            _ => None,
        })
    }

    /// Number of words of a token in the binary form.
    fn size(&self, token: &Token) -> usize {
        let count = |list: &[bool]| list.iter().filter(|there| **there).count();
        match token {
            Token::Declaration(d) => {
                2 + count(&[
                    d.dimension.is_some(),
                    d.interpolation.is_some(),
                    d.semantic.is_some(),
                    d.image.is_some(),
                    d.view.is_some(),
                    d.array.is_some(),
                ])
            }
            Token::Immediate(immediate) => 1 + immediate.words.count(),
            Token::Property(property) => 1 + property.words.count(),
            Token::Instruction(i) => {
                let all = i.counts.map(usize::from).iter().sum::<usize>() - usize::from(i.counts[2]);
                let first = i.first as usize;
                let operands = self.operands.get(first..first + all).unwrap_or(&[]);
                let texture = if i.texture.is_some() { 1 + usize::from(i.counts[2]) } else { 0 };
                let more = count(&[i.label.is_some(), i.memory.is_some(), i.predicate.is_some()]);
                1 + more + texture + operands.iter().map(Operand::words).sum::<usize>()
            }
            Token::Raw(words) => words.count(),
        }
    }

    /// Number of words of the binary form, without bytes behind the last token.
    pub fn words(&self) -> usize {
        let head = self.frame.as_ref().map_or(2, |frame| frame.head.len());
        head + self.tokens.iter().map(|token| self.size(token)).sum::<usize>()
    }

    /// Where each token begins in the binary form, in bytes from its start.
    pub fn token_offsets(&self) -> Vec<u32> {
        let head = self.frame.as_ref().map_or(2, |frame| frame.head.len());
        let mut at = head;
        let mut out = Vec::with_capacity(self.tokens.len());
        for token in &self.tokens {
            out.push(u32::try_from(at.saturating_mul(4)).unwrap_or(u32::MAX));
            at += self.size(token);
        }
        out
    }

    /// The first word of a property; the last one counts if it is said several times.
    pub fn property(&self, name: PropertyName) -> Option<u32> {
        let mut found = None;
        for token in &self.tokens {
            match token {
                Token::Property(property) if property.name == name => {
                    found = self.words_of(property.words).first().copied().or(found);
                }
                _ => {}
            }
        }
        found
    }

    /// The labels that the structure asks for, one for each instruction: of a conditional the `ELSE` or `ENDIF`, of an
    /// `ELSE` the `ENDIF`, of a loop's ends the other end. `None` of everything else, and where the partner is missing.
    pub fn structural_labels(&self) -> Vec<Option<u32>> {
        use crate::table::Flow;
        let mut labels: Vec<Option<u32>> = alloc::vec![None; self.instructions().count()];
        let mut open: Vec<(u32, Flow)> = Vec::new();
        for (n, instruction) in self.instructions().enumerate() {
            let here = n as u32;
            let flow = instruction.row().map_or(Flow::Straight, |row| row.flow);
            match flow {
                Flow::If | Flow::Loop => open.push((here, flow)),
                Flow::Else | Flow::EndIf => {
                    if let Some(&(at, Flow::If | Flow::Else)) = open.last() {
                        if let Some(label) = labels.get_mut(at as usize) {
                            *label = Some(here);
                        }
                        open.pop();
                        if flow == Flow::Else {
                            open.push((here, flow));
                        }
                    }
                }
                Flow::EndLoop => {
                    if let Some(&(at, Flow::Loop)) = open.last() {
                        if let Some(label) = labels.get_mut(at as usize) {
                            *label = Some(here);
                        }
                        if let Some(label) = labels.get_mut(n) {
                            *label = Some(at);
                        }
                        open.pop();
                    }
                }
                _ => {}
            }
        }
        labels
    }
}
