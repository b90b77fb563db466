//! Printing: programs and single slots.

use super::options::PrintOptions;
use super::raw;
use crate::nv2a::pair::{Dest, Operand, Operation, Operator, Parts, Target, parts};
use crate::nv2a::program::{Mux, Program, Slot};
use crate::nv2a::table::{self, Field, Ilu, Mac};
use crate::text::numbers::push_decimal;
use alloc::format;
use alloc::string::String;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// How programs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// The language of nv2a-vsh with directives and field overrides: reads back to the same program, bit for bit.
    #[default]
    Lossless,
    /// What `nv2avshd` writes, one line a slot, with its swizzles put right.
    Nv2avshd,
    /// What `nv2avshd -e` writes: every field of each slot behind its line.
    Explain,
    /// What `nv2avsh` writes: the words of each slot behind its source in a comment.
    Inl,
}

impl Style {
    /// Every style; the lossless one first.
    pub const ALL: [Self; 4] = [Self::Lossless, Self::Nv2avshd, Self::Explain, Self::Inl];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lossless => "lossless",
            Self::Nv2avshd => "nv2avshd",
            Self::Explain => "explain",
            Self::Inl => "inl",
        }
    }
}

vecasm_ir::spelled!(Style, "style");

/// How swizzles are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Swizzles {
    /// Four letters.
    Full,
    /// Without the repeats of the last letter.
    Short,
    /// Without any repeats, which is what nv2a-vsh does and what reads as something else.
    Collapsed,
}

/// The details in which styles differ.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    upper: bool,
    long_names: bool,
    full_masks: bool,
    bracketed: bool,
    swizzles: Swizzles,
    /// Whether A0 has the mask that its statement gives it.
    address_mask: bool,
    /// Whether nv2a-vsh's slips in the comments of `.inl` files are wanted: ARL called `add`, A0 left out.
    slips: bool,
}

impl Manner {
    /// The language of nv2a-vsh, as it is written by people.
    pub(super) const SOURCE: Self = Self {
        upper: false,
        long_names: false,
        full_masks: false,
        bracketed: true,
        swizzles: Swizzles::Short,
        address_mask: false,
        slips: false,
    };

    /// `nv2avshd`.
    pub(super) const fn nv2avshd(compat: bool) -> Self {
        let swizzles = if compat { Swizzles::Collapsed } else { Swizzles::Short };
        Self {
            upper: true,
            long_names: false,
            full_masks: true,
            bracketed: true,
            swizzles,
            address_mask: false,
            slips: false,
        }
    }

    /// The comments of `nv2avsh`.
    const fn inl(compat: bool) -> Self {
        Self {
            upper: false,
            long_names: true,
            full_masks: false,
            bracketed: false,
            swizzles: Swizzles::Full,
            address_mask: false,
            slips: compat,
        }
    }
}

/// Writes a program. See [`Style`].
pub fn print(program: &Program, options: &PrintOptions) -> String {
    match options.style {
        Style::Lossless => raw::print(program),
        Style::Nv2avshd | Style::Explain => {
            let mut out = String::with_capacity(program.slots.len() * 48);
            let manner = Manner::nv2avshd(options.compat);
            for slot in &program.slots {
                push_line(&mut out, slot, manner);
                out.push('\n');
                if options.style == Style::Explain {
                    push_explanation(&mut out, slot);
                    out.push('\n');
                }
            }
            out.pop();
            out
        }
        Style::Inl => inl(program, &[], options.compat),
    }
}

/// The words of a program, each slot behind a comment with its source, as `nv2avsh` writes them. `said` lists, by slot,
/// the statements of slots that say something else.
pub fn inl(program: &Program, said: &[(usize, Parts)], compat: bool) -> String {
    let mut out = String::with_capacity(program.slots.len() * 96);
    let mut said = said.iter();
    let mut next = said.next();
    for (index, slot) in program.slots.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        while next.is_some_and(|(slot, _)| *slot < index) {
            next = said.next();
        }
        out.push_str("/* ");
        if *slot == Slot::END {
            out.push_str("<NOP FINAL MARKER>");
        } else {
            let manner = Manner::inl(compat);
            match next.filter(|(slot, _)| *slot == index) {
                Some((_, said)) => push_parts(&mut out, said, Manner { address_mask: true, ..manner }),
                None => push_parts(&mut out, &parts(slot), manner),
            }
        }
        out.push_str(" */\n");
        push_words(&mut out, slot);
        out.push(',');
    }
    out
}

/// Appends `0x0020001b, …`, four words.
fn push_words(out: &mut String, slot: &Slot) {
    for (n, word) in slot.0.iter().enumerate() {
        out.push_str(if n == 0 { "0x" } else { ", 0x" });
        push_hex(out, *word, b"0123456789abcdef");
    }
}

/// Appends eight digits.
pub(super) fn push_hex(out: &mut String, word: u32, digits: &[u8; 16]) {
    for n in (0..8).rev() {
        out.push(digits[(word >> (n * 4) & 15) as usize] as char);
    }
}

/// One slot as one line, for listings and findings.
pub fn instruction(slot: &Slot) -> String {
    let mut out = String::new();
    push_line(&mut out, slot, Manner { full_masks: false, upper: false, ..Manner::nv2avshd(false) });
    out
}

/// Appends the line that `nv2avshd` writes for a slot, in the given manner. Operations that do not exist are called
/// `mac14` and `mac15`.
#[inline]
pub(super) fn push_line(out: &mut String, slot: &Slot, manner: Manner) {
    if slot.get(Field::Mac) == 0 && slot.ilu() == Ilu::Nop {
        out.push_str("/* 0, 0, 0, 0 */");
        return;
    }
    if slot.mac().is_none() {
        out.push_str(if manner.upper { "MAC" } else { "mac" });
        push_decimal(out, slot.get(Field::Mac));
        if slot.ilu() != Ilu::Nop {
            out.push_str(" + ");
        }
    }
    push_parts(out, &parts(slot), manner);
}

fn push_parts(out: &mut String, parts: &Parts, manner: Manner) {
    for (n, (operation, _)) in parts.iter().enumerate() {
        if n > 0 {
            out.push_str(" + ");
        }
        push_operation(out, operation, "", manner);
    }
}

/// Appends an operation; `suffix` goes behind the mnemonic.
#[inline]
pub(super) fn push_operation(out: &mut String, operation: &Operation, suffix: &str, manner: Manner) {
    let name = match operation.operator {
        Operator::Mac(Mac::Arl) if manner.slips => "add",
        // The disassembler of nv2a-vsh has names of its own for these two.
        Operator::Ilu(Ilu::Expp) if manner.upper => "exp",
        Operator::Ilu(Ilu::Logp) if manner.upper => "log",
        operator => operator.name(),
    };
    for b in name.bytes() {
        out.push(if manner.upper { b.to_ascii_uppercase() } else { b } as char);
    }
    out.push_str(suffix);
    out.push(' ');
    push_dest(out, operation.dest, manner);
    for operand in operation.sources.iter().take(operation.operator.sources()) {
        out.push_str(", ");
        push_operand(out, operand, manner);
    }
}

/// Appends the number of a constant as the text has it.
fn push_paged(out: &mut String, number: u8, page: u16) {
    push_decimal(out, u32::from(page) * 256 + u32::from(number));
}

fn push_temporary(out: &mut String, n: u8, manner: Manner) {
    out.push(if manner.upper { 'R' } else { 'r' });
    push_decimal(out, n.into());
}

fn push_dest(out: &mut String, dest: Dest, manner: Manner) {
    match dest.target {
        Target::Temporary(n) => push_temporary(out, n, manner),
        Target::Address => {
            out.push_str(if manner.upper || manner.slips { "A0" } else { "a0" });
            if !manner.address_mask {
                return;
            }
        }
        Target::Output(n) => match table::output(n.into()) {
            Some(named) => out.push_str(if manner.long_names { named.long } else { named.short }),
            None => {
                out.push('o');
                push_decimal(out, n.into());
            }
        },
        Target::Constant(n) => {
            out.push_str("c[");
            push_paged(out, n, dest.page);
            out.push(']');
        }
    }
    if dest.mask != WriteMask::ALL || manner.full_masks {
        out.push('.');
        for lane in dest.mask.lanes() {
            out.push(b"xyzw"[lane & 3] as char);
        }
    }
}

fn push_operand(out: &mut String, operand: &Operand, manner: Manner) {
    if operand.negate {
        out.push('-');
    }
    let number = u32::from(operand.number);
    match operand.mux {
        Mux::Temporary => push_temporary(out, operand.number, manner),
        Mux::Attribute => {
            out.push('v');
            push_decimal(out, number);
        }
        Mux::Constant => {
            let relative = operand.relative && !manner.slips;
            out.push_str(match (relative, manner.bracketed) {
                (true, _) => "c[A0+",
                (false, true) => "c[",
                (false, false) => "c",
            });
            push_paged(out, operand.number, operand.page);
            if relative || manner.bracketed {
                out.push(']');
            }
        }
        Mux::Undefined => out.push('?'),
    }
    push_swizzle(out, operand.swizzle, manner.swizzles);
}

fn push_swizzle(out: &mut String, swizzle: Swizzle, how: Swizzles) {
    if swizzle == Swizzle::IDENTITY {
        return;
    }
    out.push('.');
    let lanes = swizzle.lanes();
    let mut end = 4;
    while how != Swizzles::Full && end > 1 && lanes[end - 1] == lanes[end - 2] {
        end -= 1;
    }
    for (n, lane) in lanes.iter().enumerate().take(end) {
        if how != Swizzles::Collapsed || n == 0 || lanes[n - 1] != *lane {
            out.push(b"xyzw"[usize::from(*lane)] as char);
        }
    }
}

/// Appends every field of a slot with its value, in the order of the bits of words 1, 2 and 3, as a comment.
fn push_explanation(out: &mut String, slot: &Slot) {
    out.push_str("/*");
    for (n, word) in slot.0.iter().enumerate() {
        out.push_str(if n == 0 { "0x" } else { ", 0x" });
        push_hex(out, *word, b"0123456789ABCDEF");
    }
    out.push_str(":\n");
    for word in 1..4_u8 {
        // The fields of the table stand from the top bit down.
        for field in Field::ALL.iter().rev().filter(|f| **f != Field::Word1High) {
            for piece in field.pieces().iter().rev().filter(|piece| piece.word == word) {
                let value = piece.get(&slot.0);
                let width = usize::from(piece.width);
                out.push_str(&format!("\t{}: 0x{value:x} ({value:0width$b})\n", piece.name));
            }
        }
    }
    out.push_str("*/");
}
