//! Words from tokens. What a dialect has no number for is written as the highest number of its field, and what it has no
//! field for is left out; [`convert`](super::convert) says where that is so.

use super::layout::{
    Field, Layout, TYPE, declaration as d, header, immediate, instruction as i, kind, operand, property,
};
use crate::tgsi::formats::Format;
use crate::tgsi::names::{File, ImmediateType, PropertyName};
use crate::tgsi::program::{Declaration, Indirect, Instruction, Op, Operand, Processor, Program, Token};
use alloc::vec::Vec;

/// The number of a word, or the highest one.
fn number(code: Option<u8>) -> u32 {
    code.map_or(u32::MAX, u32::from)
}

fn format_number(format: Format, layout: &Layout) -> u32 {
    format.code(layout.numbering).map_or(u32::MAX, u32::from)
}

fn file_number(file: File, layout: &Layout) -> u32 {
    number(file.code(layout.numbering))
}

fn bit(field: Field, value: bool) -> u32 {
    field.with(u32::from(value))
}

/// The number of a stage.
pub(super) fn processor_number(processor: Processor, layout: &Layout) -> u32 {
    header::PROCESSOR.with(number(processor.code(layout.dialect)))
}

/// The first word of an immediate with so many words behind it.
pub(super) fn immediate_head(ty: ImmediateType, words: usize, layout: &Layout) -> u32 {
    TYPE.with(kind::IMMEDIATE)
        | immediate::LENGTH.with(words as u32 + 1)
        | immediate::DATA_TYPE.with(number(ty.code(layout.numbering)))
}

/// The first word of a property with so many words behind it.
pub(super) fn property_head(name: PropertyName, words: usize, layout: &Layout) -> u32 {
    TYPE.with(kind::PROPERTY)
        | property::LENGTH.with(words as u32 + 1)
        | property::NAME.with(number(name.code(layout.numbering)))
}

/// Appends the words of a token.
pub(super) fn token(program: &Program, token: &Token, layout: &Layout, out: &mut Vec<u32>) {
    match token {
        Token::Declaration(token) => declaration(token, layout, out),
        Token::Immediate(token) => {
            let words = program.words_of(token.words);
            out.push(immediate_head(token.ty, words.len(), layout));
            out.extend_from_slice(words);
        }
        Token::Property(token) => {
            let words = program.words_of(token.words);
            out.push(property_head(token.name, words.len(), layout));
            out.extend_from_slice(words);
        }
        Token::Instruction(token) => instruction(program, token, layout, out),
        Token::Raw(words) => out.extend_from_slice(program.words_of(*words)),
    }
}

/// Appends the words of a declaration.
pub(super) fn declaration(token: &Declaration, layout: &Layout, out: &mut Vec<u32>) {
    let numbering = layout.numbering;
    let start = out.len();
    out.push(0);
    out.push(d::FIRST.with(token.first.into()) | d::LAST.with(token.last.into()));
    if let Some(index) = token.dimension {
        out.push(d::DIMENSION_INDEX.with(index as u32));
    }
    if let Some(info) = &token.interpolation {
        out.push(
            d::MODE.with(number(info.mode.code(numbering)))
                | d::LOCATION.with(number(info.location.code(numbering)))
                | layout.cylindrical.with(info.cylindrical.into()),
        );
    }
    if let Some(info) = &token.semantic {
        let streams = info.streams.iter().rev().fold(0, |all, stream| all << 2 | u32::from(stream & 3));
        out.push(
            d::NAME.with(number(info.name.code(numbering)))
                | d::INDEX.with(info.index.into())
                | layout.streams.with(streams),
        );
    }
    if Layout::has_image(token.file) {
        out.push(token.image.map_or(0, |info| {
            d::RESOURCE.with(number(info.target.code(numbering)))
                | bit(d::RAW, info.raw)
                | bit(d::WRITABLE, info.writable)
                | layout.image_format.with(format_number(info.format, layout))
        }));
    }
    if Layout::has_view(token.file) {
        out.push(token.view.map_or(0, |info| {
            let returns = d::RETURNS.iter().zip(info.returns);
            returns.fold(d::RESOURCE.with(number(info.target.code(numbering))), |word, (field, ty)| {
                word | field.with(number(ty.code(numbering)))
            })
        }));
    }
    if let Some(id) = token.array {
        out.push(d::ARRAY_ID.with(id.into()));
    }
    let length = out.len() - start;
    let memory = if token.file == File::Memory { number(token.memory.code(numbering)) } else { 0 };
    if let Some(first) = out.get_mut(start) {
        *first = TYPE.with(kind::DECLARATION)
            | d::LENGTH.with(length as u32)
            | d::FILE.with(file_number(token.file, layout))
            | d::MASK.with(token.mask.bits().into())
            | bit(d::DIMENSION, token.dimension.is_some())
            | bit(d::SEMANTIC, token.semantic.is_some())
            | bit(d::INTERPOLATE, token.interpolation.is_some())
            | bit(d::INVARIANT, token.invariant)
            | bit(d::LOCAL, token.local)
            | bit(d::ARRAY, token.array.is_some())
            | bit(d::ATOMIC, token.atomic && token.file == File::Buffer)
            | d::MEMORY_TYPE.with(memory);
    }
}

/// The operands of a list that its field can count.
fn counted(operands: &[Operand], field: Field) -> &[Operand] {
    operands.get(..field.max() as usize).unwrap_or(operands)
}

/// Appends the words of an instruction.
pub(super) fn instruction(program: &Program, token: &Instruction, layout: &Layout, out: &mut Vec<u32>) {
    let numbering = layout.numbering;
    let code = match token.op {
        Op::Known(op) => op.row().code(numbering),
        Op::Unknown(code) => Some(code),
    };
    let destinations = counted(program.destinations(token), layout.destinations);
    let sources = counted(program.sources(token), layout.sources);
    let memory = token.memory.filter(|_| layout.memory.max() > 0);
    let predicate = token.predicate.filter(|_| layout.predicate.max() > 0);
    let start = out.len();
    out.push(0);
    if let Some(info) = predicate {
        out.push(
            i::PREDICATE_INDEX.with(info.index as u32)
                | i::PREDICATE_SWIZZLE.with(info.swizzle.bits().into())
                | bit(i::PREDICATE_NEGATE, info.negate),
        );
    }
    if let Some(label) = token.label {
        out.push(i::LABEL.with(label));
    }
    if let Some(info) = token.texture {
        let offsets = counted(program.offsets(token), i::OFFSETS);
        out.push(
            i::TARGET.with(number(info.target.code(numbering)))
                | i::OFFSETS.with(offsets.len() as u32)
                | layout.returns.with(number(info.returns.code(numbering))),
        );
        out.extend(offsets.iter().map(|offset| {
            operand::OFFSET_INDEX.with(offset.index as u32)
                | operand::OFFSET_FILE.with(file_number(offset.file, layout))
                | operand::OFFSET_SWIZZLE.with(offset.swizzle.bits().into())
        }));
    }
    if let Some(info) = memory {
        out.push(
            layout.qualifiers.with(info.qualifiers.into())
                | layout.memory_target.with(number(info.target.code(numbering)))
                | layout.memory_format.with(format_number(info.format, layout)),
        );
    }
    for dst in destinations {
        out.push(
            operand::FILE.with(file_number(dst.file, layout))
                | operand::DST_MASK.with(dst.mask.bits().into())
                | bit(operand::DST_INDIRECT, dst.indirect.is_some())
                | bit(operand::DST_DIMENSION, dst.dimension.is_some())
                | operand::DST_INDEX.with(dst.index as u32),
        );
        indices(dst, layout, out);
    }
    for src in sources {
        out.push(
            operand::FILE.with(file_number(src.file, layout))
                | bit(operand::SRC_INDIRECT, src.indirect.is_some())
                | bit(operand::SRC_DIMENSION, src.dimension.is_some())
                | operand::SRC_INDEX.with(src.index as u32)
                | operand::SRC_SWIZZLE.with(src.swizzle.bits().into())
                | bit(operand::SRC_ABSOLUTE, src.absolute)
                | bit(operand::SRC_NEGATE, src.negate),
        );
        indices(src, layout, out);
    }
    let length = out.len() - start - 1;
    if let Some(first) = out.get_mut(start) {
        *first = TYPE.with(kind::INSTRUCTION)
            | layout.length.with(length as u32)
            | layout.opcode.with(number(code))
            | layout.saturate.with(token.saturate.into())
            | layout.destinations.with(destinations.len() as u32)
            | layout.sources.with(sources.len() as u32)
            | bit(layout.predicate, predicate.is_some())
            | bit(layout.label, token.label.is_some())
            | bit(layout.texture, token.texture.is_some())
            | bit(layout.memory, memory.is_some())
            | bit(layout.precise, token.precise);
    }
}

fn indices(operand: &Operand, layout: &Layout, out: &mut Vec<u32>) {
    if let Some(indirect) = operand.indirect {
        out.push(indirect_word(indirect, layout));
    }
    if let Some(dimension) = operand.dimension {
        out.push(
            bit(operand::DIMENSION_INDIRECT, dimension.indirect.is_some())
                | operand::DIMENSION_INDEX.with(dimension.index as u32),
        );
        if let Some(indirect) = dimension.indirect {
            out.push(indirect_word(indirect, layout));
        }
    }
}

fn indirect_word(indirect: Indirect, layout: &Layout) -> u32 {
    operand::FILE.with(file_number(indirect.file, layout))
        | operand::INDIRECT_INDEX.with(indirect.index as u32)
        | operand::INDIRECT_COMPONENT.with(indirect.component.into())
        | operand::INDIRECT_ARRAY.with(indirect.array.into())
}
