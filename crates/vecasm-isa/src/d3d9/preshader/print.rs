//! Preshaders as text.
//!
//! Both styles are read by [`parse`](super::parse()):
//!
//! | what | is written |
//! |---|---|
//! | head | `preshader`, lossless: behind it the version token |
//! | instructions | `mul r0.xyz, c4.x, c1.xyz`, `mov c0, c0[c10.x]`; numbers in parentheses: `add c0.x, c1.x, (0.5)` |
//! | lossless: one lane, marked as one for all | the mnemonic with `_s` |
//! | lossless: where a number lies that another place holds too | `l1.x`, lane 4 of the numbers |
//! | lossless: registers of the shader as operands | `oc0`, `ob0`, `oi0` |
//! | lossless: what the syntax cannot say | `.raw { words of an instruction }` |
//! | lossless: the numbers, registers that are written | `.literals { 0, 0.5 }`, `.outputs c0 4` |
//! | lossless: other comments, words, the end | `.comment CTAB { words }`, `.words { words }`, `.code`, `.noend`, `.tail { words }` |

use super::{Block, File, Instruction, Operand, OutputMap, Preshader, lanes_text};
use crate::d3d9::table::code;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

/// The way of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// As in the listings of Microsoft's compilers: the instructions and how many there are.
    #[default]
    Listing,
    /// Reads back word for word.
    Lossless,
}

/// Words on a line.
const PER_LINE: usize = 8;

/// Writes a preshader, each line behind `indent`.
pub fn print(preshader: &Preshader, style: Style, indent: &str) -> String {
    let mut out = format!("{indent}preshader");
    if style == Style::Listing {
        out.push('\n');
        for instruction in preshader.code() {
            out.push_str(indent);
            out.push_str(&instruction_text(preshader, instruction, style));
            out.push('\n');
        }
        let count = preshader.code().len();
        let noun = if count == 1 { "instruction" } else { "instructions" };
        let _ = write!(out, "\n// approximately {count} {noun} used\n");
        return out;
    }
    // This tells a reader that nothing is to be added.
    let _ = writeln!(out, " {:08x}", preshader.version.0);
    let mut in_code = false;
    for block in &preshader.blocks {
        let before = in_code;
        in_code = matches!(block, Block::Code(_));
        match block {
            Block::Code(code) => {
                if before || code.is_empty() {
                    let _ = writeln!(out, "{indent}.code");
                }
                for instruction in code {
                    let _ = writeln!(out, "{indent}{}", instruction_text(preshader, instruction, style));
                }
            }
            Block::Literals(bits) => {
                let _ = write!(out, "{indent}.literals {{ ");
                for (n, bits) in bits.iter().enumerate() {
                    out.push_str(if n > 0 { ", " } else { "" });
                    exact(&mut out, *bits);
                }
                out.push_str(if bits.is_empty() { "}\n" } else { " }\n" });
            }
            Block::Outputs(map) if plain(map).is_some() => {
                let (first, count) = plain(map).unwrap_or_default();
                let _ = writeln!(out, "{indent}.outputs c{first} {count}");
            }
            Block::Words(words) => braced(&mut out, indent, ".words", words),
            Block::Outputs(_) | Block::Table(_) | Block::Comment(_) => {
                let words = block.words();
                let words = words.get(1..).unwrap_or(&[]);
                let name = words.first().map(|word| word.to_le_bytes());
                match name.filter(|name| name.iter().all(u8::is_ascii_alphanumeric)) {
                    Some(name) => {
                        let name: String = name.iter().map(|b| char::from(*b)).collect();
                        braced(&mut out, indent, &format!(".comment {name}"), words.get(1..).unwrap_or(&[]));
                    }
                    None => braced(&mut out, indent, ".comment", words),
                }
            }
        }
    }
    match preshader.end.as_slice() {
        [] => {
            let _ = writeln!(out, "{indent}.noend");
        }
        [code::END] => {}
        end => braced(&mut out, indent, ".tail", end),
    }
    out
}

/// First register and number, of a map that has only one range and says the same twice.
pub(super) fn plain(map: &OutputMap) -> Option<(u32, u32)> {
    let [(first, count)] = *map.ranges.first()?.as_slice() else { return None };
    (*map == one_range(first, count)).then_some((first, count))
}

/// The map of one range of floating-point constants.
pub(super) fn one_range(first: u32, count: u32) -> OutputMap {
    OutputMap {
        first: [first, 0, 0],
        count: [count, 0, 0],
        ranges: [alloc::vec![(first, count)], Default::default(), Default::default()],
    }
}

fn braced(out: &mut String, indent: &str, what: &str, words: &[u32]) {
    let _ = writeln!(out, "{indent}{what} {{");
    for line in words.chunks(PER_LINE) {
        out.push_str(indent);
        out.push_str("   ");
        for word in line {
            let _ = write!(out, " {word:08x}");
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{indent}}}");
}

/// An instruction as a line of text.
pub fn instruction_text(preshader: &Preshader, instruction: &Instruction, style: Style) -> String {
    if let Some(text) = try_instruction(preshader, instruction, style) {
        let same = || super::parse::reads_as(&text, preshader, instruction);
        if style == Style::Listing || same() {
            return text;
        }
    }
    let mut out = String::from(".raw {");
    for word in instruction.words() {
        let _ = write!(out, " {word:08x}");
    }
    out.push_str(" }");
    out
}

fn try_instruction(preshader: &Preshader, instruction: &Instruction, style: Style) -> Option<String> {
    let mut out = String::from(instruction.op()?.row().name);
    if style == Style::Lossless && instruction.is_scalar() && instruction.lanes() == 1 {
        out.push_str("_s");
    }
    out.push(' ');
    register(&mut out, instruction.result, instruction.result_lanes(), true)?;
    for (n, operand) in instruction.operands.iter().enumerate() {
        out.push_str(", ");
        let lanes = instruction.operand_lanes(n);
        if operand.slot.file() == Some(File::Literal) && operand.index.is_none() {
            let values = literal(preshader, operand.slot.offset, lanes)?;
            if style == Style::Listing || find(preshader, values) == Some(operand.slot.offset) {
                out.push('(');
                for (n, bits) in values.iter().enumerate() {
                    out.push_str(if n > 0 { ", " } else { "" });
                    if style == Style::Listing {
                        nine_digits(&mut out, f64::from_bits(*bits));
                    } else {
                        exact(&mut out, *bits);
                    }
                }
                out.push(')');
                continue;
            }
        }
        register(&mut out, *operand, lanes, false)?;
    }
    Some(out)
}

fn register(out: &mut String, operand: Operand, lanes: u32, is_result: bool) -> Option<()> {
    let file = operand.slot.file()?;
    let letters = match (is_result, file) {
        (true, File::Literal | File::Constant) => return None,
        (true, _) => file.letters().trim_start_matches('o'),
        (false, _) => file.letters(),
    };
    let each = file.lanes();
    let _ = write!(out, "{letters}{}", operand.slot.offset / each);
    if let Some(index) = operand.index {
        out.push('[');
        register(out, Operand { slot: index, index: None }, 1, false)?;
        out.push(']');
    }
    if each == 1 {
        return (lanes == 1).then_some(());
    }
    out.push_str(&lanes_text(operand.slot.offset % each, lanes)?);
    Some(())
}

/// The numbers that an operand reads.
fn literal(preshader: &Preshader, offset: u32, lanes: u32) -> Option<&[u64]> {
    let start = offset as usize;
    preshader.literals().get(start..start.checked_add(lanes as usize)?).filter(|values| !values.is_empty())
}

/// Where compilers begin with the numbers: behind as many registers as there are temporaries, at least one.
pub(super) fn first_literal(temporaries: u32) -> usize {
    temporaries.div_ceil(4).clamp(1, 0x1000) as usize * 4
}

/// The first place within a register that holds these numbers, first among those that compilers use.
pub(super) fn find(preshader: &Preshader, values: &[u64]) -> Option<u32> {
    find_among(preshader.literals(), first_literal(preshader.temporaries()), values)
}

/// [`find`] among the numbers, of which those from `first` on are used.
pub(super) fn find_among(all: &[u64], first: usize, values: &[u64]) -> Option<u32> {
    let holds = |at: &usize| at % 4 + values.len() <= 4 && all.get(*at..*at + values.len()) == Some(values);
    let found = (first..all.len()).find(holds).or_else(|| (0..first.min(all.len())).find(holds));
    found.map(|at| at as u32)
}

/// The shortest digits that read back as these bits; what is no number is written as bits.
fn exact(out: &mut String, bits: u64) {
    let value = f64::from_bits(bits);
    let _ = if !value.is_finite() {
        write!(out, "0x{bits:016x}")
    } else if value != 0.0 && !(1e-5..1e9).contains(&value.abs()) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    };
}

/// Nine significant digits and no zeros behind them, with an exponent of three digits where it is below -5 or above 8.
fn nine_digits(out: &mut String, value: f64) {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let _ = write!(out, "{sign}1.#{}", if value.is_nan() { "QNAN" } else { "INF" });
        return;
    }
    let text = format!("{value:.8e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..9).contains(&exponent) {
        let places = (8 - exponent).max(0) as usize;
        let fixed = format!("{value:.places$}");
        let fixed =
            if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.') } else { &fixed };
        out.push_str(fixed);
        return;
    }
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "{digits}e{sign}{:03}", exponent.unsigned_abs());
}
