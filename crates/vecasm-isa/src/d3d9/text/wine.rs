//! Listings as the disassembler of Wine prints them, with what it loses: whether a texture is read with a bias, the
//! comparison of `setp`, the index of some usages, the bits that it does not look at.
//!
//! Known from listings of Wine 8.0; `ifc`, on which that one never ends, is written as `breakc` is.

use super::listing::{MAX_INDENT, indents};
use super::numbers;
use super::print::{self, result_suffixes, version_letters};
use crate::d3d9::Opcode;
use crate::d3d9::program::{
    Destination, InstructionToken, ItemKind, Parameters, Program, Source, Stage, Usage, Version,
};
use crate::d3d9::registers::{RegType, SOURCE_MODIFIERS, spelling};
use crate::d3d9::table::COMPARISONS;
use crate::d3d9::usages::USAGES;
use crate::table::{Flow, Shape};
use crate::text::numbers::push_decimal;
use alloc::string::String;
use core::fmt::Write as _;
use vecasm_ir::ir::DeclUsage;
use vecasm_ir::operand::WriteMask;

/// The usage of colours that are not the first one; its index is one less.
pub(super) const SPECULAR: (&str, DeclUsage) = ("specular", DeclUsage::Color);

/// The kinds of samplers.
pub(super) const KINDS: [(u8, &str); 5] =
    [(0, "unknown_resource_type(0)"), (1, "unknown_resource_type(0x2)"), (2, "2d"), (3, "cube"), (4, "3d")];

/// Instructions whose name differs from that of the assembler.
pub(super) const NAMES: [(Opcode, &str); 8] = [
    (Opcode::Texcoord, "texcrd"),
    (Opcode::Tex, "texld"),
    (Opcode::Texkill, "texkill_nz"),
    (Opcode::If, "if_nz"),
    (Opcode::Breakp, "breakp_nz"),
    (Opcode::Ifc, "ifc"),
    (Opcode::Breakc, "breakc"),
    (Opcode::Sgn, "sgn"),
];

/// What the kinds without a name begin with.
pub(super) const UNKNOWN: &str = "unknown_resource_type";

/// Whether a text may be such a listing.
pub(super) fn looks_like(text: &str) -> bool {
    [".xyzw", "|", "_nz", " = ", UNKNOWN, "0x2)"].iter().any(|piece| text.contains(piece))
}

/// The mnemonic of the assembler for one of a listing.
pub(super) fn mnemonic(base: &str, version: Version) -> &str {
    let old = version.stage() == Stage::Pixel && version.number() < 0x0104;
    match base {
        "ifc" => "if",
        "breakc" => "break",
        "texld" if old => "tex",
        "texcrd" if old => "texcoord",
        base => base,
    }
}

/// The number in brackets behind a kind without a name.
pub(super) fn number_of(name: &str) -> Option<&str> {
    name.strip_prefix(UNKNOWN)?.strip_prefix('(')?.strip_suffix(')')
}

/// The kind of samplers with that name.
pub(super) fn kind(name: &str) -> Option<u8> {
    KINDS.iter().find(|row| row.1 == name).map(|row| row.0)
}

/// The usage that a word of a declaration names, where the assembler has another word for it.
pub(super) fn usage(word: &str) -> Option<Usage> {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = word.get(letters.len()..).unwrap_or("");
    let index = if number.is_empty() { 0 } else { number.parse::<u8>().ok().filter(|n| *n < 16)? };
    if letters == SPECULAR.0 {
        return (index < 15).then(|| Usage::semantic(SPECULAR.1.code(), index + 1));
    }
    let row = USAGES.iter().find(|row| row.wine == letters)?;
    Some(Usage::semantic(row.usage.code(), index))
}

/// The listing of a program.
pub(super) fn listing(program: &Program) -> String {
    let mut out = String::with_capacity(program.words().len() * 16 + 32);
    let version = program.version();
    let mut depth = 0usize;
    for item in program.items() {
        let words = program.words_of(*item);
        match item.kind {
            ItemKind::Version if version.known_stage().is_some() => {
                version_letters(&mut out, version);
                out.push('\n');
            }
            ItemKind::Instruction => {
                let op = InstructionToken(words.first().copied().unwrap_or(0)).opcode();
                // `rep` does not indent.
                let flow = match op {
                    Some(Opcode::Rep | Opcode::Endrep) | None => Flow::Straight,
                    Some(op) => op.row().flow,
                };
                let (closes, opens) = indents(flow);
                depth = depth.saturating_sub(usize::from(closes));
                for _ in 0..depth.min(MAX_INDENT) {
                    out.push_str("    ");
                }
                let start = out.len();
                if instruction(&mut out, version, words).is_none() {
                    out.truncate(start);
                    print::push_raw(&mut out, words);
                }
                out.push('\n');
                depth += usize::from(opens);
            }
            ItemKind::Version | ItemKind::Stray => {
                print::push_raw(&mut out, words);
                out.push('\n');
            }
            ItemKind::Comment | ItemKind::End | ItemKind::Cut | ItemKind::Tail => {}
        }
    }
    out
}

impl Parameters<'_> {
    /// A parameter and what it is relative to.
    fn next(&mut self) -> Option<(u32, Option<u32>)> {
        let word = self.word()?;
        Some((word, self.behind(Source(word).is_relative()).flatten()))
    }
}

fn instruction(out: &mut String, version: Version, words: &[u32]) -> Option<()> {
    let (&first, behind) = words.split_first()?;
    let token = InstructionToken(first);
    let op = token.opcode()?;
    let mut parameters = Parameters { words: behind, version };
    if token.is_coissued() {
        out.push('+');
    }
    match op {
        Opcode::Dcl => return declaration(out, version, parameters),
        Opcode::Def | Opcode::Defi | Opcode::Defb => return definition(out, version, op, parameters),
        _ => {}
    }
    let form = op.forms(version).next()?;
    let has_destination = matches!(form.shape.first(), Some(Shape::Dst | Shape::Read));
    let destination = if has_destination { Some(parameters.next()?) } else { None };
    if token.is_predicated() {
        let (word, index) = parameters.next()?;
        out.push('(');
        source(out, version, Source(word), index)?;
        out.push_str(") ");
    }
    match NAMES.iter().find(|row| row.0 == op) {
        Some(_) if op == Opcode::Tex && token.control() == 1 => out.push_str("texldp"),
        Some(row) => out.push_str(row.1),
        None => out.push_str(form.name),
    }
    if matches!(op, Opcode::Ifc | Opcode::Breakc) {
        let row = COMPARISONS.iter().find(|row| row.0 == token.control())?;
        out.push('_');
        out.push_str(row.1);
    }
    let mut separator = " ";
    if let Some((word, index)) = destination {
        let word = Destination(word);
        result_suffixes(out, word, true)?;
        out.push_str(separator);
        separator = ", ";
        register(out, version, Source(word.0), index)?;
        mask(out, word)?;
    }
    // In 3.0 its other sources are not looked at.
    let most = if op == Opcode::Sgn && version.major() >= 3 { 1 } else { usize::MAX };
    let mut count = 0;
    while !parameters.words.is_empty() && count < most {
        let (word, index) = parameters.next()?;
        out.push_str(separator);
        separator = ", ";
        source(out, version, Source(word), index)?;
        count += 1;
    }
    Some(())
}

fn mask(out: &mut String, word: Destination) -> Option<()> {
    if word.mask() == WriteMask::NONE {
        return None;
    }
    if word.reg_type() != Some(RegType::Sampler) {
        print::mask(out, word.mask());
    }
    Some(())
}

fn definition(out: &mut String, version: Version, op: Opcode, mut parameters: Parameters<'_>) -> Option<()> {
    let (word, index) = parameters.next()?;
    // Before 2.0 only `def` has a length of its own; the others are as long as their words look like operands, which those of
    // the text that is read back need not.
    if version.major() < 2 && op != Opcode::Def {
        return None;
    }
    out.push_str(op.row().forms.first()?.name);
    out.push(' ');
    register(out, version, Source(word), index)?;
    out.push_str(" = ");
    let wanted = if op == Opcode::Defb { 1 } else { 4 };
    if parameters.words.len() != wanted {
        return None;
    }
    for (n, word) in parameters.words.iter().enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        match op {
            Opcode::Def => numbers::scientific(out, *word),
            Opcode::Defi => {
                let _ = write!(out, "{}", *word as i32);
            }
            _ => out.push_str(if *word == 0 { "false" } else { "true" }),
        }
    }
    Some(())
}

fn declaration(out: &mut String, version: Version, mut parameters: Parameters<'_>) -> Option<()> {
    let usage = Usage(parameters.word()?);
    let (word, index) = parameters.next()?;
    let word = Destination(word);
    if !parameters.words.is_empty() {
        return None;
    }
    out.push_str("dcl");
    if word.reg_type()? == RegType::Sampler {
        out.push('_');
        out.push_str(KINDS.iter().find(|row| row.0 == usage.kind())?.1);
    } else if version.stage() == Stage::Vertex || version.major() >= 3 {
        out.push('_');
        let row = USAGES.get(usize::from(usage.usage()))?;
        if row.usage == SPECULAR.1 && usage.index() > 0 {
            out.push_str(SPECULAR.0);
            push_decimal(out, u32::from(usage.index()) - 1);
        } else {
            out.push_str(row.wine);
            if row.wine_index {
                push_decimal(out, u32::from(usage.index()));
            }
        }
    }
    result_suffixes(out, word, false)?;
    out.push(' ');
    register(out, version, Source(word.0), index)
}

/// A register, in brackets where it is relative.
fn register(out: &mut String, version: Version, word: Source, index: Option<u32>) -> Option<()> {
    let ty = word.reg_type()?;
    let (name, number) = spelling(ty, word.number(), version)?;
    let number = match ty {
        // These have a number here.
        RegType::Loop | RegType::DepthOut => Some(word.number()),
        _ => number,
    };
    if !word.is_relative() {
        out.push_str(name);
        if let Some(number) = number {
            push_decimal(out, u32::from(number));
        }
        return Some(());
    }
    out.push_str(name);
    out.push('[');
    match index.map(Source) {
        None => out.push_str("a0.xyzw"),
        Some(word) => {
            if word.is_relative() {
                return None;
            }
            register(out, version, word, None)?;
            swizzle(out, word);
        }
    }
    out.push_str(" + ");
    push_decimal(out, u32::from(number?));
    out.push(']');
    Some(())
}

fn swizzle(out: &mut String, word: Source) {
    if word.reg_type() == Some(RegType::Sampler) {
        return;
    }
    let lanes = word.swizzle();
    let same = (1..4).all(|n| lanes.get(n) == lanes.get(0));
    print::swizzle(out, lanes, if same { 1 } else { 4 });
}

fn source(out: &mut String, version: Version, word: Source, index: Option<u32>) -> Option<()> {
    let modifier = SOURCE_MODIFIERS.get(usize::from(word.modifier()))?;
    out.push_str(modifier.prefix);
    if modifier.suffix == "abs" {
        out.push('|');
        register(out, version, word, index)?;
        swizzle(out, word);
        out.push('|');
        return Some(());
    }
    register(out, version, word, index)?;
    if !modifier.suffix.is_empty() {
        out.push('_');
        out.push_str(modifier.suffix);
    }
    swizzle(out, word);
    Some(())
}
