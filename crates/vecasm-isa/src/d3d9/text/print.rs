//! Programs as text, without loss.

use super::listing::Depth;
use super::operands::is_scalar;
use super::{listing, numbers, wine};
use crate::d3d9::program::{
    Destination, InstructionToken, ItemKind, MINOR_WORDS, PARAMETER, Parameters, Program, Source, Stage,
    Usage, Version,
};
use crate::d3d9::registers::{RESULT_MODIFIERS, RegType, SAMPLER_KINDS, SHIFTS, SOURCE_MODIFIERS, spelling};
use crate::d3d9::table::{COMPARISONS, Form, Opcode, TEXTURE_CONTROLS};
use crate::d3d9::{ctab, preshader, usages};
use crate::table::Shape;
use crate::text::numbers::push_decimal;
use alloc::string::String;
use core::fmt::Write as _;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The way of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// Reads back word for word: instructions as D3DX has them, `.comment` for comments, `.raw` for what the syntax
    /// cannot say.
    #[default]
    Lossless,
    /// As Microsoft's compiler and D3DXDisassembleShader list: parameters and registers, instructions, slots.
    Listing,
    /// As the disassembler of Wine lists, every mask and swizzle written out.
    Wine,
}

/// Small differences between the styles of the assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Numbers with as many digits as it takes to come back, swizzles without letters that repeat the last one.
    Short,
    /// Numbers of nine digits, swizzles of one letter or four.
    Microsoft,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 3] = [Self::Lossless, Self::Listing, Self::Wine];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lossless => "lossless",
            Self::Listing => "listing",
            Self::Wine => "wine",
        }
    }
}

vecasm_ir::spelled!(Style, "style");

/// How a program is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// The style.
    pub style: Style,
}

/// What the line of an instruction begins with.
const INDENT: &str = "    ";
/// Words on a line.
const PER_LINE: usize = 8;

/// Writes a program.
pub fn print(program: &Program, options: &PrintOptions) -> String {
    match options.style {
        Style::Lossless => lossless(program),
        Style::Listing => listing::listing(program),
        Style::Wine => wine::listing(program),
    }
}

/// What an expression says, as comments: its words are those of the comments that follow.
fn push_expression(out: &mut String, program: &Program) {
    let Some(expression) = preshader::read(program.words()).0 else { return };
    for instruction in expression.code() {
        let text = preshader::instruction_text(&expression, instruction, preshader::Style::Listing);
        let _ = writeln!(out, "{INDENT}// {text}");
    }
}

fn lossless(program: &Program) -> String {
    let mut out = String::with_capacity(program.words().len() * 12 + 32);
    let version = program.version();
    let mut ended = false;
    let mut depth = Depth::default();
    for (n, item) in program.items().iter().enumerate() {
        let words = program.words_of(*item);
        match item.kind {
            ItemKind::Version if version.is_known() || version.is_preshader() => {
                push_version(&mut out, version);
                out.push('\n');
                if version.is_preshader() {
                    push_expression(&mut out, program);
                }
            }
            ItemKind::Instruction => {
                depth.begin(&mut out, InstructionToken(words.first().copied().unwrap_or(0)));
                push_instruction(&mut out, version, words, Manner::Short);
                out.push('\n');
            }
            ItemKind::Comment => comment(&mut out, words.get(1..).unwrap_or(&[])),
            ItemKind::End => {
                ended = true;
                // Without anything behind it the end goes without saying.
                if n + 1 < program.items().len() || !program.rest().is_empty() {
                    out.push_str(".end\n");
                }
            }
            ItemKind::Version | ItemKind::Stray | ItemKind::Cut | ItemKind::Tail => {
                for line in words.chunks(PER_LINE) {
                    out.push_str(".raw");
                    push_words(&mut out, line);
                }
            }
        }
    }
    if !ended {
        out.push_str(".noend\n");
    }
    if !program.rest().is_empty() {
        out.push_str(".bytes");
        for byte in program.rest() {
            let _ = write!(out, " {byte:02x}");
        }
        out.push('\n');
    }
    out
}

fn push_words(out: &mut String, words: &[u32]) {
    for word in words {
        let _ = write!(out, " {word:08x}");
    }
    out.push('\n');
}

/// A comment, in front of it what a table of constants in it says.
fn comment(out: &mut String, words: &[u32]) {
    let name = words.first().map(|word| word.to_le_bytes());
    let name = name.filter(|name| name.iter().all(u8::is_ascii_alphanumeric));
    if name == Some(*ctab::NAME) {
        if let Some(table) = ctab::read(words).0 {
            out.push_str(&table.summary(INDENT));
        }
    }
    if name == Some(*preshader::NAME) {
        if let Some(text) = preshader_text(words) {
            let _ = write!(out, "{INDENT}.preshader {{\n{text}{INDENT}}}\n");
            return;
        }
    }
    out.push_str(INDENT);
    out.push_str(".comment ");
    let inside = match name {
        Some(name) => {
            out.extend(name.iter().map(|b| *b as char));
            out.push(' ');
            words.get(1..).unwrap_or(&[])
        }
        None => words,
    };
    out.push('{');
    if inside.is_empty() {
        out.push_str(" }\n");
        return;
    }
    out.push('\n');
    for line in inside.chunks(PER_LINE) {
        out.push_str(INDENT);
        out.push_str("   ");
        push_words(out, line);
    }
    out.push_str(INDENT);
    out.push_str("}\n");
}

/// A preshader as text, if that reads back.
fn preshader_text(words: &[u32]) -> Option<String> {
    let preshader = preshader::read(words.get(1..)?).0?;
    let text = preshader::print(&preshader, preshader::Style::Lossless, "        ");
    let again = preshader::parse(&text).0?;
    (again.comment() == words).then_some(text)
}

/// The model, as `vs_2_0`, `ps_2_x`, `vs_3_sw`.
pub fn version_name(version: Version) -> String {
    let mut out = String::new();
    push_version(&mut out, version);
    out
}

pub(super) fn push_version(out: &mut String, version: Version) {
    let (major, minor) = (version.major(), version.minor());
    let _ = write!(out, "{}_{major}_", version.prefix());
    let words = MINOR_WORDS.iter().filter(|_| !version.is_preshader());
    match words.into_iter().find(|row| (row.0, row.1) == (major, minor)) {
        Some(row) => out.push_str(row.2),
        None => {
            let _ = write!(out, "{minor}");
        }
    }
}

/// The model with its numbers, as `ps_2_1`.
pub(super) fn version_letters(out: &mut String, version: Version) {
    out.push_str(version.stage().prefix());
    out.push('_');
    push_decimal(out, version.major().into());
    out.push('_');
    push_decimal(out, version.minor().into());
}

/// An instruction as a line of text.
pub fn instruction(version: Version, words: &[u32]) -> String {
    let mut out = String::new();
    push_instruction(&mut out, version, words, Manner::Short);
    out
}

/// Appends an instruction and gives its form, if the syntax can say it.
pub(super) fn push_instruction(
    out: &mut String,
    version: Version,
    words: &[u32],
    manner: Manner,
) -> Option<&'static Form> {
    let start = out.len();
    let form = try_instruction(out, version, words, manner);
    if form.is_none() {
        out.truncate(start);
        for (n, line) in words.chunks(PER_LINE).enumerate() {
            if n > 0 {
                out.push('\n');
            }
            push_raw(out, line);
        }
    }
    form
}

/// Writes an instruction if the syntax can say all of it.
fn try_instruction(
    out: &mut String,
    version: Version,
    words: &[u32],
    manner: Manner,
) -> Option<&'static Form> {
    let (&first, parameters) = words.split_first()?;
    let token = InstructionToken(first);
    let op = token.opcode()?;
    let length = if version.has_lengths() { parameters.len() as u32 } else { 0 };
    if token.reserved() != 0 || token.length() != length {
        return None;
    }
    let start = out.len();
    for form in op.forms(version) {
        if try_form(out, version, token, op, form, parameters, manner).is_some() {
            return Some(form);
        }
        out.truncate(start);
    }
    None
}

/// Words that the language cannot say.
pub(super) fn push_raw(out: &mut String, words: &[u32]) {
    out.push_str(".raw");
    for word in words {
        let _ = write!(out, " {word:08x}");
    }
}

fn try_form(
    out: &mut String,
    version: Version,
    token: InstructionToken,
    op: Opcode,
    form: &Form,
    words: &[u32],
    manner: Manner,
) -> Option<()> {
    let mut parameters = Parameters { words, version };
    // A destination and the predicate behind it are needed in front of the mnemonic.
    let has_destination = matches!(form.shape.first(), Some(Shape::Dst | Shape::Read));
    let mut destination = None;
    if has_destination {
        let word = Destination(parameters.word()?);
        destination = Some((word, parameters.behind(word.is_relative())?));
    }
    if token.is_coissued() {
        out.push_str(if manner == Manner::Microsoft { "+ " } else { "+" });
    }
    if token.is_predicated() {
        let word = Source(parameters.word()?);
        let plain = word.reg_type() == Some(RegType::Predicate) && matches!(word.modifier(), 0 | 13);
        if !plain || word.is_relative() {
            return None;
        }
        out.push('(');
        source(out, version, word, None, manner)?;
        out.push_str(") ");
    }
    if op == Opcode::Dcl {
        return declaration(out, version, token, parameters);
    }
    match op {
        Opcode::Tex if form.name == TEXTURE_CONTROLS[0].name => {
            let row = TEXTURE_CONTROLS.iter().find(|row| row.code == token.control())?;
            out.push_str(row.name);
        }
        _ if op.compares() => {
            let row = COMPARISONS.iter().find(|row| row.0 == token.control())?;
            out.push_str(form.name);
            out.push('_');
            out.push_str(row.1);
        }
        _ if token.control() != 0 => return None,
        _ => out.push_str(form.name),
    }
    let definition = matches!(op, Opcode::Def | Opcode::Defi | Opcode::Defb);
    if let Some((word, _)) = destination {
        if definition && (word.0 & 0x0ff0_0000 != 0 || word.is_relative() || !op.defines(word.reg_type()?)) {
            return None;
        }
        result_suffixes(out, word, true)?;
    }
    for (n, shape) in form.shape.iter().enumerate() {
        out.push_str(if n == 0 { " " } else { ", " });
        match shape {
            Shape::Dst | Shape::Read => {
                let (word, index) = destination.take()?;
                destination_text(out, version, word, index)?;
            }
            Shape::Floats4 | Shape::Integers4 => {
                for n in 0..4 {
                    if n > 0 {
                        out.push_str(", ");
                    }
                    let word = parameters.word()?;
                    if *shape == Shape::Floats4 {
                        match manner {
                            Manner::Short => float(out, word),
                            Manner::Microsoft => numbers::general(out, word),
                        }
                    } else {
                        let _ = write!(out, "{}", word as i32);
                    }
                }
            }
            Shape::Flag => out.push_str(match parameters.word()? {
                0 => "false",
                1 => "true",
                _ => return None,
            }),
            _ => {
                let word = Source(parameters.word()?);
                let index = parameters.behind(word.is_relative())?;
                source(out, version, word, index, manner)?;
            }
        }
    }
    parameters.words.is_empty().then_some(())
}

/// The suffixes for the modifiers of a result.
pub(super) fn result_suffixes(out: &mut String, word: Destination, shifts: bool) -> Option<()> {
    if word.shift() != 0 {
        let row = SHIFTS.iter().find(|row| row.0 == word.shift()).filter(|_| shifts)?;
        out.push('_');
        out.push_str(row.1);
    }
    let mut left = word.modifiers();
    for (bit, name) in RESULT_MODIFIERS {
        if left & bit != 0 {
            out.push('_');
            out.push_str(name);
            left &= !bit;
        }
    }
    (left == 0).then_some(())
}

fn declaration(
    out: &mut String,
    version: Version,
    token: InstructionToken,
    mut parameters: Parameters<'_>,
) -> Option<()> {
    let usage = Usage(parameters.word()?);
    let word = Destination(parameters.word()?);
    let index = parameters.behind(word.is_relative())?;
    if token.control() != 0 || !parameters.words.is_empty() {
        return None;
    }
    out.push_str("dcl");
    let ty = word.reg_type()?;
    let bare = usage.0 == PARAMETER;
    if ty == RegType::Sampler {
        if usage.0 != Usage::sampler(usage.kind()).0 {
            return None;
        }
        if usage.kind() != 0 {
            let row = SAMPLER_KINDS.iter().find(|row| row.0 == usage.kind())?;
            let _ = write!(out, "_{}", row.1);
        }
    } else if !(bare && (ty == RegType::Misc || version.stage() == Stage::Pixel && version.major() < 3)) {
        let name = usages::name(usage.usage())?;
        if usage.0 != Usage::semantic(usage.usage(), usage.index()).0 {
            return None;
        }
        let _ = write!(out, "_{name}");
        if usage.index() != 0 {
            let _ = write!(out, "{}", usage.index());
        }
    }
    result_suffixes(out, word, false)?;
    out.push(' ');
    destination_text(out, version, word, index)
}

/// The letters of lanes.
const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A point and the letters of a write mask.
pub(super) fn mask(out: &mut String, mask: WriteMask) {
    out.push('.');
    for (n, letter) in LETTERS.into_iter().enumerate() {
        if mask.has(n) {
            out.push(letter);
        }
    }
}

/// A point and so many letters of a swizzle.
pub(super) fn swizzle(out: &mut String, swizzle: Swizzle, count: usize) {
    out.push('.');
    for lane in swizzle.lanes().into_iter().take(count) {
        out.push(LETTERS.get(usize::from(lane)).copied().unwrap_or('x'));
    }
}

/// A point and the letters of a swizzle, without those that repeat the last one.
fn short_swizzle(out: &mut String, lanes: Swizzle) {
    let [x, y, z, w] = lanes.lanes();
    let count = if z != w {
        4
    } else if y != z {
        3
    } else {
        1 + usize::from(x != y)
    };
    swizzle(out, lanes, count);
}

fn register(out: &mut String, version: Version, ty: RegType, number: u16) -> Option<()> {
    let (name, number) = spelling(ty, number, version)?;
    out.push_str(name);
    if let Some(number) = number {
        push_decimal(out, number.into());
    }
    Some(())
}

fn destination_text(out: &mut String, version: Version, word: Destination, index: Option<u32>) -> Option<()> {
    if word.0 & PARAMETER == 0 || word.reserved() != 0 {
        return None;
    }
    if word.is_relative() && index.is_none() || word.mask() == WriteMask::NONE {
        return None;
    }
    let ty = word.reg_type()?;
    if is_scalar(ty, word.number()) && word.mask() == WriteMask::X {
        return None;
    }
    register(out, version, ty, word.number())?;
    if word.is_relative() {
        relative(out, version, index)?;
    }
    if word.mask() != WriteMask::ALL {
        mask(out, word.mask());
    }
    Some(())
}

fn source(
    out: &mut String,
    version: Version,
    word: Source,
    index: Option<u32>,
    manner: Manner,
) -> Option<()> {
    if word.0 & PARAMETER == 0 || word.reserved() != 0 {
        return None;
    }
    let modifier = SOURCE_MODIFIERS.get(usize::from(word.modifier()))?;
    out.push_str(modifier.prefix);
    register(out, version, word.reg_type()?, word.number())?;
    if word.is_relative() {
        relative(out, version, index)?;
    }
    if !modifier.suffix.is_empty() {
        out.push('_');
        out.push_str(modifier.suffix);
    }
    if word.swizzle() != Swizzle::IDENTITY {
        match manner {
            Manner::Microsoft if !word.swizzle().is_scalar() => swizzle(out, word.swizzle(), 4),
            _ => short_swizzle(out, word.swizzle()),
        }
    }
    Some(())
}

/// The register that a number is relative to; in models 1.x it is a0.x and not encoded.
fn relative(out: &mut String, version: Version, index: Option<u32>) -> Option<()> {
    let Some(word) = index.map(Source) else {
        if version.stage() != Stage::Vertex {
            return None;
        }
        out.push_str("[a0.x]");
        return Some(());
    };
    if word.0 & PARAMETER == 0 || word.reserved() != 0 || word.is_relative() || word.modifier() != 0 {
        return None;
    }
    let (ty, number) = (word.reg_type()?, word.number());
    if ty == RegType::Loop && word.swizzle() != Swizzle::IDENTITY {
        return None;
    }
    out.push('[');
    register(out, version, ty, number)?;
    if word.swizzle() != Swizzle::IDENTITY {
        short_swizzle(out, word.swizzle());
    }
    out.push(']');
    Some(())
}

/// The shortest number that reads back as these bits; what is none is written as bits.
fn float(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    let _ = if !value.is_finite() {
        write!(out, "0x{bits:08x}")
    } else if value != 0.0 && !(1e-5..1e9).contains(&value.abs()) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    };
}
