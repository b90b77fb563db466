//! The lossless style: every program reads back bit for bit.
//!
//! A slot is written as a statement of the language. Where the words of the statement differ from the slot in fields
//! that nothing uses, the fields stand behind it in braces: `mov r0, v0 {OUT_ORB=0}`. A MOV that has to go to a
//! certain unit is `mov:mac` or `mov:ilu`. What has no statement is `.raw` and four words.

use super::print::{Manner, push_hex, push_line, push_operation};
use crate::nv2a::pair::{Mode, Operation, Operator, Parts, Target, combine, parts};
use crate::nv2a::program::{Container, Mux, Program, Slot};
use crate::nv2a::table::{self, Field, Mac, swizzle_from_field};
use crate::text::numbers::push_decimal;
use alloc::format;
use alloc::string::String;
use vecasm_ir::operand::Swizzle;

/// Most fields that stand behind a statement; with more the words are easier to read.
const MAX_FIELDS: usize = 12;

/// Words that stand on a line of `.push`.
const WORDS_A_LINE: usize = 8;

/// The program in the lossless style.
pub(super) fn print(program: &Program) -> String {
    let mut out = String::with_capacity(program.slots.len() * 64 + 64);
    out.push_str(".nv2a");
    let mut commands = [].as_slice();
    match &program.container {
        Container::Bare => {}
        Container::Microcode { version, count } => {
            out.push_str(&format!(" microcode 0x{version:04x} {count}"));
        }
        Container::Pushbuffer(list) => {
            out.push_str(" pushbuffer");
            commands = list;
        }
    }
    out.push('\n');
    let mut push = |out: &mut String, index: usize| {
        while let Some((first, rest)) = commands.split_first().filter(|(first, _)| first.before <= index) {
            if first.words.is_empty() {
                out.push_str(".push\n");
            }
            for (line, words) in first.words.chunks(WORDS_A_LINE).enumerate() {
                // A further line of the same commands.
                out.push_str(if line == 0 { ".push" } else { ".more" });
                for word in words {
                    out.push(' ');
                    push_hex(out, *word, b"0123456789abcdef");
                }
                out.push('\n');
            }
            commands = rest;
        }
    };
    let last = program.slots.len().saturating_sub(1);
    for (index, slot) in program.slots.iter().enumerate() {
        push(&mut out, index);
        push_slot(&mut out, slot, index == last);
        out.push('\n');
    }
    push(&mut out, usize::MAX);
    if !program.tail.is_empty() {
        out.push_str(".tail ");
        out.push_str(&crate::to_hex(&program.tail));
        out.push('\n');
    }
    out
}

/// Appends a slot; `last` is whether it is the last one, which is final unless something else is said.
pub(super) fn push_slot(out: &mut String, slot: &Slot, last: bool) {
    let parts = parts(slot);
    match statement(slot, &parts, last) {
        Some((plain, forced)) => {
            for (n, (operation, ilu)) in parts.iter().enumerate() {
                if n > 0 {
                    out.push_str(" + ");
                }
                let suffix = match (forced && operation.operator == Operator::Mov, ilu) {
                    (false, _) => "",
                    (true, false) => ":mac",
                    (true, true) => ":ilu",
                };
                push_operation(out, operation, suffix, Manner::SOURCE);
            }
            push_fields(out, slot, &plain);
        }
        None => {
            out.push_str(".raw");
            for word in slot.0 {
                out.push(' ');
                push_hex(out, word, b"0123456789abcdef");
            }
            if !parts.is_empty() || slot.mac().is_none() {
                out.push_str("  ; ");
                push_line(out, slot, Manner::nv2avshd(false));
            }
        }
    }
}

/// The slot that the statement of `parts` gives, with the fields that have to be said behind it still different, and
/// whether MOVs need their unit; `None` if there is no such statement.
fn statement(slot: &Slot, parts: &Parts, last: bool) -> Option<(Slot, bool)> {
    let mut operations = [parts.iter().next()?.0; 4];
    let mut units = [None; 4];
    let mut count = 0;
    let mut movs = false;
    for (to, (operation, ilu)) in operations.iter_mut().zip(parts.iter()) {
        if !is_sayable(operation) {
            return None;
        }
        *to = *operation;
        units[count] = Some(*ilu);
        movs |= operation.operator == Operator::Mov;
        count += 1;
    }
    let operations = operations.get(..count)?;
    // The parser takes three at most.
    if count > MAX_OPERATIONS {
        return None;
    }
    let good = |units: &[Option<bool>]| {
        let mut plain = combine(operations, units, Mode::Strict).ok()?;
        plain.slot.set(Field::Final, last.into());
        let same_units = plain.slot.get(Field::Mac) == slot.get(Field::Mac) && plain.slot.ilu() == slot.ilu();
        (same_units && plain.renamed.is_none() && differences(slot, &plain.slot) <= MAX_FIELDS)
            .then_some(plain.slot)
    };
    match good(&[]) {
        Some(plain) => Some((plain, false)),
        None if movs => good(units.get(..count)?).map(|plain| (plain, true)),
        None => None,
    }
}

/// Most operations in a statement of the strict language: each unit writes a temporary, one of them an output.
pub(super) const MAX_OPERATIONS: usize = 3;

/// Whether the language has names for all registers of an operation.
pub(super) fn is_sayable(operation: &Operation) -> bool {
    let dest = match operation.dest.target {
        Target::Temporary(n) => u32::from(n) < table::TEMPORARIES,
        Target::Output(n) => table::output(n.into()).is_some(),
        Target::Constant(n) => u32::from(n) < table::CONSTANTS,
        Target::Address => true,
    };
    let arl = operation.operator == Operator::Mac(Mac::Arl);
    arl == (operation.dest.target == Target::Address)
        && dest
        && operation.sources.iter().take(operation.operator.sources()).all(|source| match source.mux {
            Mux::Temporary => u32::from(source.number) <= table::POSITION_SHADOW,
            Mux::Attribute => true,
            Mux::Constant => u32::from(source.number) < table::CONSTANTS,
            Mux::Undefined => false,
        })
}

fn differences(slot: &Slot, plain: &Slot) -> usize {
    if slot == plain {
        return 0;
    }
    Field::ALL.iter().filter(|f| slot.get(**f) != plain.get(**f)).count()
}

/// Appends the fields in which `slot` differs from `plain`, in braces.
fn push_fields(out: &mut String, slot: &Slot, plain: &Slot) {
    if slot == plain {
        return;
    }
    let mut first = true;
    for field in Field::ALL.iter().filter(|f| slot.get(**f) != plain.get(**f)) {
        out.push_str(if first { " {" } else { " " });
        first = false;
        out.push_str(field.name());
        out.push('=');
        let value = slot.get(*field);
        if field.is_swizzle() {
            let swizzle: Swizzle = swizzle_from_field(value);
            for lane in swizzle.lanes() {
                out.push(b"xyzw"[usize::from(lane)] as char);
            }
        } else if field.width() <= 8 {
            push_decimal(out, value);
        } else {
            out.push_str("0x");
            push_hex(out, value, b"0123456789abcdef");
        }
    }
    out.push('}');
}
