//! Tokens from words.

use super::layout::{Layout, TYPE, declaration, header, immediate, instruction, kind, operand, property};
use super::write;
use crate::tgsi::formats::Format;
use crate::tgsi::names::{
    File, ImmediateType, Interpolation, Location, MemoryType, PropertyName, ReturnType, Semantic, Target,
};
use crate::tgsi::program::{
    Declaration, Dimension, Frame, ImageInfo, Indirect, Instruction, InterpolationInfo, Memory, Op, Operand,
    Predicate, Processor, Program, Residue, SemanticInfo, Texture, Token, ViewInfo,
};
use crate::tgsi::table::Opcode;
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// What the next words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Declaration,
    Immediate,
    Property,
    /// With so many operands.
    Instruction(usize),
    Raw,
}

/// What stands in front of some words, and how many of them it is: at least one of them if there are any.
fn next(words: &[u32], layout: &Layout) -> (Kind, usize) {
    let Some(&first) = words.first() else { return (Kind::Raw, 0) };
    let token_type = TYPE.of(first);
    let length = match token_type {
        kind::DECLARATION => declaration::LENGTH.of(first),
        kind::IMMEDIATE => immediate::LENGTH.of(first),
        kind::INSTRUCTION => layout.length.of(first) + 1,
        kind::PROPERTY => property::LENGTH.of(first),
        _ => return (Kind::Raw, 1),
    } as usize;
    if length == 0 {
        return (Kind::Raw, 1);
    }
    // Where a token goes on behind the end, nobody knows where the next one is.
    let Some(token) = words.get(..length) else { return (Kind::Raw, words.len()) };
    let found = match token_type {
        kind::DECLARATION => (declaration_length(first, layout) == length).then_some(Kind::Declaration),
        kind::IMMEDIATE => Some(Kind::Immediate),
        kind::PROPERTY => Some(Kind::Property),
        _ => {
            let (operands, needed) = instruction_length(token, layout);
            (needed == length).then_some(Kind::Instruction(operands))
        }
    };
    (found.unwrap_or(Kind::Raw), length)
}

/// The number of words that a declaration has by its flags and its file.
fn declaration_length(first: u32, layout: &Layout) -> usize {
    use declaration as d;
    let flags = [d::DIMENSION, d::SEMANTIC, d::INTERPOLATE, d::ARRAY];
    let file = layout.file(d::FILE.of(first));
    let more = Layout::has_image(file) || Layout::has_view(file);
    2 + flags.iter().filter(|flag| flag.is_set(first)).count() + usize::from(more)
}

/// The number of operands of an instruction, and the number of words that it has by its flags and theirs. It is too large
/// where they say more than there is.
fn instruction_length(token: &[u32], layout: &Layout) -> (usize, usize) {
    let word = |at: usize| token.get(at).copied().unwrap_or(0);
    let first = word(0);
    let mut at = 1;
    at += usize::from(layout.predicate.is_set(first));
    at += usize::from(layout.label.is_set(first));
    let mut operands = 0;
    if layout.texture.is_set(first) {
        operands = instruction::OFFSETS.of(word(at)) as usize;
        at += 1 + operands;
    }
    at += usize::from(layout.memory.is_set(first));
    let kinds = [
        (layout.destinations, operand::DST_INDIRECT, operand::DST_DIMENSION),
        (layout.sources, operand::SRC_INDIRECT, operand::SRC_DIMENSION),
    ];
    for (count, indirect, dimension) in kinds {
        let count = count.of(first);
        operands += count as usize;
        for _ in 0..count {
            let here = word(at);
            at += 1 + usize::from(indirect.is_set(here));
            if dimension.is_set(here) {
                at += 1 + usize::from(operand::DIMENSION_INDIRECT.is_set(word(at)));
            }
        }
    }
    (operands, at)
}

/// How well words are tokens of a dialect: the number of words that are no token, and of instructions that are not in
/// the table or have other numbers of operands. The fewer the better.
pub(super) fn misfit(words: &[u32], layout: &Layout) -> (usize, usize) {
    let (mut raw, mut odd) = (0, 0);
    let mut rest = words;
    while let Some(&first) = rest.first() {
        let (kind, length) = next(rest, layout);
        match kind {
            Kind::Raw => raw += length,
            Kind::Instruction(_) => {
                let row = Opcode::from_code(layout.numbering, layout.opcode.of(first) as u8).map(Opcode::row);
                let fits = row.is_some_and(|row| {
                    row.destinations() == layout.destinations.of(first) as usize
                        && row.sources_in(layout.dialect) == layout.sources.of(first) as usize
                });
                odd += usize::from(!fits);
            }
            _ => {}
        }
        rest = rest.get(length..).unwrap_or(&[]);
    }
    (raw, odd)
}

/// Reads words and the bytes behind them as a program of a dialect.
pub(super) fn program(words: &[u32], rest: &[u8], layout: &Layout) -> Program {
    let split = words.len().min(header::WORDS);
    let (head, behind) = words.split_at_checked(split).unwrap_or((words, &[]));
    let said = head.first().map_or(0, |word| header::BODY.of(*word) as usize);
    let (body, outside) = behind.split_at_checked(said).unwrap_or((behind, &[]));
    let usual = matches!(*head, [first, processor]
        if header::SIZE.of(first) as usize == header::WORDS
            && header::BODY.of(first) as usize == body.len()
            && processor <= header::PROCESSOR.max());
    // Without one the number is none of a stage.
    let none = Processor::Unknown(header::PROCESSOR.max() as u8);
    let processor = head
        .get(1)
        .map_or(none, |word| Processor::from_code(layout.dialect, header::PROCESSOR.of(*word) as u8));
    let mut program = Program::with_room(layout.dialect, processor, room(body, layout));
    if !usual || !outside.is_empty() || !rest.is_empty() {
        let mut tail = Vec::with_capacity(outside.len() * 4 + rest.len());
        outside.iter().for_each(|word| tail.extend_from_slice(&word.to_le_bytes()));
        tail.extend_from_slice(rest);
        program.frame = Some(Box::new(Frame { head: head.to_vec(), tail }));
    }
    append(&mut program, body, layout);
    program
}

/// Numbers of tokens, of operands, and of words of what is no instruction.
fn room(words: &[u32], layout: &Layout) -> [usize; 3] {
    let mut room = [0; 3];
    let mut rest = words;
    let mut was_raw = false;
    while !rest.is_empty() {
        let (kind, length) = next(rest, layout);
        room[0] += usize::from(!(was_raw && kind == Kind::Raw));
        was_raw = kind == Kind::Raw;
        match kind {
            Kind::Declaration => {}
            Kind::Immediate | Kind::Property => room[2] += length - 1,
            Kind::Instruction(operands) => room[1] += operands,
            Kind::Raw => room[2] += length,
        }
        rest = rest.get(length..).unwrap_or(&[]);
    }
    room
}

/// Appends the tokens that words are.
pub(super) fn append(program: &mut Program, words: &[u32], layout: &Layout) {
    let mut operands = Vec::new();
    let mut again = Vec::new();
    let mut rest = words;
    while !rest.is_empty() {
        let (kind, length) = next(rest, layout);
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        rest = behind;
        let first = token.first().copied().unwrap_or(0);
        // What the token would be written as: of what has words of its own, the first word only.
        again.clear();
        match kind {
            Kind::Raw => {
                program.push_raw(token);
                continue;
            }
            Kind::Immediate => {
                let ty = immediate::DATA_TYPE.of(first) as u8;
                let ty = ImmediateType::from_code(layout.numbering, ty);
                program.push_immediate(ty, token.get(1..).unwrap_or(&[]));
                again.push(write::immediate_head(ty, length - 1, layout));
            }
            Kind::Property => {
                let name = property::NAME.of(first) as u8;
                let name = PropertyName::from_code(layout.numbering, name);
                program.push_property(name, token.get(1..).unwrap_or(&[]));
                again.push(write::property_head(name, length - 1, layout));
            }
            Kind::Declaration => {
                let declaration = read_declaration(&mut Cursor(token), layout);
                program.tokens.push(Token::Declaration(declaration));
                write::declaration(&declaration, layout, &mut again);
            }
            Kind::Instruction(_) => {
                read_instruction(program, &mut Cursor(token), layout, &mut operands);
                if let Some(Token::Instruction(instruction)) = program.tokens.last() {
                    write::instruction(program, instruction, layout, &mut again);
                }
            }
        }
        let number = program.tokens.len() as u32 - 1;
        for (word, (is, would_be)) in token.iter().zip(&again).enumerate() {
            if is != would_be {
                program.residue.push(Residue { token: number, word: word as u32, bits: is ^ would_be });
            }
        }
    }
}

/// The words of a token, of which there are enough.
struct Cursor<'a>(&'a [u32]);

impl Cursor<'_> {
    fn take(&mut self) -> u32 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }
}

fn read_declaration(words: &mut Cursor<'_>, layout: &Layout) -> Declaration {
    use declaration as d;
    let numbering = layout.numbering;
    let first = words.take();
    let range = words.take();
    let file = layout.file(d::FILE.of(first));
    let mut out = Declaration::new(file, d::FIRST.of(range) as u16, d::LAST.of(range) as u16);
    out.mask = WriteMask::from_bits(d::MASK.of(first) as u8);
    out.invariant = d::INVARIANT.is_set(first);
    out.local = d::LOCAL.is_set(first);
    out.atomic = file == File::Buffer && d::ATOMIC.is_set(first);
    if file == File::Memory {
        out.memory = MemoryType::from_code(numbering, d::MEMORY_TYPE.of(first) as u8);
    }
    if d::DIMENSION.is_set(first) {
        out.dimension = Some(d::DIMENSION_INDEX.of(words.take()) as i16);
    }
    if d::INTERPOLATE.is_set(first) {
        let word = words.take();
        out.interpolation = Some(InterpolationInfo {
            mode: Interpolation::from_code(numbering, d::MODE.of(word) as u8),
            location: Location::from_code(numbering, d::LOCATION.of(word) as u8),
            cylindrical: layout.cylindrical.of(word) as u8,
        });
    }
    if d::SEMANTIC.is_set(first) {
        let word = words.take();
        let streams = layout.streams.of(word);
        out.semantic = Some(SemanticInfo {
            name: Semantic::from_code(numbering, d::NAME.of(word) as u8),
            index: d::INDEX.of(word) as u16,
            streams: [0, 2, 4, 6].map(|at| (streams >> at) as u8 & 3),
        });
    }
    if Layout::has_image(file) {
        let word = words.take();
        out.image = Some(ImageInfo {
            target: Target::from_code(numbering, d::RESOURCE.of(word) as u8),
            format: Format::from_code(numbering, layout.image_format.of(word) as u16),
            raw: d::RAW.is_set(word),
            writable: d::WRITABLE.is_set(word),
        });
    }
    if Layout::has_view(file) {
        let word = words.take();
        out.view = Some(ViewInfo {
            target: Target::from_code(numbering, d::RESOURCE.of(word) as u8),
            returns: d::RETURNS.map(|field| ReturnType::from_code(numbering, field.of(word) as u8)),
        });
    }
    if d::ARRAY.is_set(first) {
        out.array = Some(d::ARRAY_ID.of(words.take()) as u16);
    }
    out
}

fn read_instruction(
    program: &mut Program,
    words: &mut Cursor<'_>,
    layout: &Layout,
    operands: &mut Vec<Operand>,
) {
    use instruction as i;
    let numbering = layout.numbering;
    let first = words.take();
    let code = layout.opcode.of(first) as u8;
    let op = Opcode::from_code(numbering, code).map_or(Op::Unknown(code), Op::Known);
    let mut out = Instruction::new(op);
    out.saturate = layout.saturate.of(first) as u8;
    out.precise = layout.precise.is_set(first);
    if layout.predicate.is_set(first) {
        let word = words.take();
        out.predicate = Some(Predicate {
            index: i::PREDICATE_INDEX.of(word) as i16,
            swizzle: Swizzle::from_bits(i::PREDICATE_SWIZZLE.of(word) as u8),
            negate: i::PREDICATE_NEGATE.is_set(word),
        });
    }
    if layout.label.is_set(first) {
        out.label = Some(i::LABEL.of(words.take()));
    }
    operands.clear();
    if layout.texture.is_set(first) {
        let word = words.take();
        let returns = match layout.returns.max() {
            0 => ReturnType::UNSAID,
            _ => ReturnType::from_code(numbering, layout.returns.of(word) as u8),
        };
        let target = Target::from_code(numbering, i::TARGET.of(word) as u8);
        out.texture = Some(Texture { target, returns });
        for _ in 0..i::OFFSETS.of(word) {
            let word = words.take();
            let file = layout.file(operand::OFFSET_FILE.of(word));
            let mut offset = Operand::new(file, operand::OFFSET_INDEX.of(word) as i16);
            // The fourth component is w, in the two bits above.
            offset.swizzle = Swizzle::from_bits(operand::OFFSET_SWIZZLE.of(word) as u8 | 3 << 6);
            operands.push(offset);
        }
    }
    let offsets = operands.len();
    if layout.memory.is_set(first) {
        let word = words.take();
        out.memory = Some(Memory {
            qualifiers: layout.qualifiers.of(word) as u8,
            target: Target::from_code(numbering, layout.memory_target.of(word) as u8),
            format: Format::from_code(numbering, layout.memory_format.of(word) as u16),
        });
    }
    let destinations = layout.destinations.of(first);
    for _ in 0..destinations {
        let word = words.take();
        let file = layout.file(operand::FILE.of(word));
        let mut dst = Operand::new(file, operand::DST_INDEX.of(word) as i16);
        dst.mask = WriteMask::from_bits(operand::DST_MASK.of(word) as u8);
        read_indices(&mut dst, word, [operand::DST_INDIRECT, operand::DST_DIMENSION], words, layout);
        operands.push(dst);
    }
    for _ in 0..layout.sources.of(first) {
        let word = words.take();
        let file = layout.file(operand::FILE.of(word));
        let mut src = Operand::new(file, operand::SRC_INDEX.of(word) as i16);
        src.swizzle = Swizzle::from_bits(operand::SRC_SWIZZLE.of(word) as u8);
        src.absolute = operand::SRC_ABSOLUTE.is_set(word);
        src.negate = operand::SRC_NEGATE.is_set(word);
        read_indices(&mut src, word, [operand::SRC_INDIRECT, operand::SRC_DIMENSION], words, layout);
        operands.push(src);
    }
    let (offsets, others) = operands.split_at_checked(offsets).unwrap_or((&[], &[]));
    let (destinations, sources) = others.split_at_checked(destinations as usize).unwrap_or((&[], &[]));
    program.push_instruction(out, destinations, sources, offsets);
}

/// Reads what the index of an operand is taken from, and its other index.
fn read_indices(
    operand: &mut Operand,
    word: u32,
    [indirect, dimension]: [super::layout::Field; 2],
    words: &mut Cursor<'_>,
    layout: &Layout,
) {
    if indirect.is_set(word) {
        operand.indirect = Some(read_indirect(words.take(), layout));
    }
    if dimension.is_set(word) {
        let word = words.take();
        let indirect = operand::DIMENSION_INDIRECT.is_set(word);
        operand.dimension = Some(Dimension {
            index: operand::DIMENSION_INDEX.of(word) as i16,
            indirect: indirect.then(|| read_indirect(words.take(), layout)),
        });
    }
}

fn read_indirect(word: u32, layout: &Layout) -> Indirect {
    Indirect {
        file: layout.file(operand::FILE.of(word)),
        index: operand::INDIRECT_INDEX.of(word) as i16,
        component: operand::INDIRECT_COMPONENT.of(word) as u8,
        array: operand::INDIRECT_ARRAY.of(word) as u16,
    }
}
