//! The slots of a program for the NV2A for reading: its registers, slot by slot what is live, and the bit fields of a slot.

use crate::Failure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use vecasm::isa::nv2a::rules::{FieldMeaning, Usage, describe, field_meanings};
use vecasm::isa::nv2a::table::{self, Field, Named};
use vecasm::isa::nv2a::{Program, Slot, text};
use vecasm::isa::operand::WriteMask;

/// A slot has four words.
const WORDS: usize = 4;

/// What is used, and a table of what is live in front of each slot, for reading.
pub(crate) fn table(program: &Program) -> String {
    let usage = describe(program);
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let value = if value.is_empty() { "none".into() } else { value };
        let _ = writeln!(out, "  {name:<12} {value}");
    };
    let last = usage.last.map_or_else(|| "no slot is FINAL".into(), |n| format!("FINAL in slot {n}"));
    let after = match program.slots.len() - usage.slots {
        0 => String::new(),
        n => format!(", {n} after it"),
    };
    row("slots", format!("{} of {}, {} paired, {last}{after}", usage.slots, table::SLOTS, usage.paired));
    let counts = |map: &BTreeMap<&str, usize>| {
        map.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
    };
    row("vector unit", counts(&usage.mac));
    row("scalar unit", counts(&usage.ilu));
    row("inputs", list(&usage.attributes, &|n| named(table::INPUTS, n, "v")));
    row("outputs", list(&usage.outputs, &|n| named(table::OUTPUTS, n, "o")));
    let mut direct = usage.constants.clone();
    // Of a base that is read both ways the table has one line.
    direct.retain(|n, _| !usage.constants_relative.contains_key(n));
    let mut constants = list(&direct, &|n| format!("c{n}"));
    let relative = list(&usage.constants_relative, &|n| format!("c[A0+{n}]"));
    if !constants.is_empty() && !relative.is_empty() {
        constants.push_str(", ");
    }
    row("constants", constants + &relative);
    row("  written", list(&usage.constants_written, &|n| format!("c{n}")));
    row("temporaries", format!("{}, at most {} live", usage.temporaries.len(), usage.live));
    out.push('\n');
    push_live(&mut out, program, &usage);
    out
}

/// The name of a register and what it is for.
fn named(registers: &[Named], n: u32, prefix: &str) -> String {
    let named = registers.iter().find(|named| u32::from(named.number) == n);
    named.map_or_else(|| format!("{prefix}{n}"), |named| format!("{} ({})", named.short, named.doc))
}

/// Registers with their lanes, where these are not all; several in a row as one.
fn list(masks: &BTreeMap<u32, WriteMask>, name: &dyn Fn(u32) -> String) -> String {
    let mut out: Vec<(u32, u32, WriteMask)> = Vec::new();
    for (&n, &mask) in masks {
        match out.last_mut() {
            // What each of them is for is worth a word.
            Some((_, last, lanes)) if *last + 1 == n && *lanes == mask && !name(n).contains('(') => *last = n,
            _ => out.push((n, n, mask)),
        }
    }
    let shown = out.into_iter().map(|(first, last, mask)| {
        let lanes = if mask == WriteMask::ALL { String::new() } else { format!(".{}", mask.letters()) };
        // The lanes stand after the register, in front of what it is for.
        let with_lanes = |n| match name(n).split_once(' ') {
            Some((register, about)) => format!("{register}{lanes} {about}"),
            None => format!("{}{lanes}", name(n)),
        };
        if first == last { with_lanes(first) } else { format!("{} to {}", name(first), with_lanes(last)) }
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn push_live(out: &mut String, program: &Program, usage: &Usage) {
    let used: Vec<usize> = (0..table::TEMPORARIES as usize)
        .filter(|n| usage.live_lanes.iter().any(|live| live[*n] != WriteMask::NONE))
        .collect();
    out.push_str("  slot");
    for n in &used {
        let _ = write!(out, "  {:<4}", format!("r{n}"));
    }
    out.push_str("  its operations; the lanes that are live before it\n");
    for (index, slot) in program.slots.iter().enumerate() {
        let _ = write!(out, "  {index:>4}");
        for &n in &used {
            let lanes = usage.live_lanes.get(index).map_or(WriteMask::NONE, |live| live[n]);
            let shown: String =
                (0..4).map(|lane| if lanes.has(lane) { ["x", "y", "z", "w"][lane] } else { "." }).collect();
            let _ = write!(out, "  {}", if lanes == WriteMask::NONE { "    " } else { &shown });
        }
        let _ =
            writeln!(out, "  {}{}", text::instruction(slot), if slot.is_final() { "  FINAL" } else { "" });
    }
}

/// The slots that arguments spell: words after `0x`, or of eight digits, four a slot. `None` if they are names.
pub(crate) fn words(names: &[String]) -> Result<Option<Vec<Slot>>, Failure> {
    let word = |name: &str| {
        let name = name.trim_end_matches(',');
        let digits = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X"));
        let digits = digits.or_else(|| (name.len() == 8).then_some(name))?;
        u32::from_str_radix(digits, 16).ok()
    };
    // A whole slot may stand in quotes.
    let pieces: Vec<&str> = names.iter().flat_map(|name| name.split_whitespace()).collect();
    let words: Option<Vec<u32>> = pieces.into_iter().map(word).collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else { return Ok(None) };
    // A number alone is an opcode or a method.
    if words.len() == 1 {
        return Ok(None);
    }
    if words.len() % WORDS != 0 {
        return Err(Failure::usage(format!(
            "a slot has four words, found {}; a number alone is an opcode or a method",
            words.len()
        )));
    }
    let slot = |four: &[u32]| Slot([four[0], four[1], four[2], four[3]]);
    Ok(Some(words.chunks_exact(WORDS).map(slot).collect()))
}

/// Every field of a slot: where it stands, its value, what that means, and whether anything looks at it.
pub(crate) fn explain(slot: &Slot, bold: &str, off: &str) -> String {
    let mut out = format!("{bold}{}{off}\n", text::instruction(slot));
    let facts = field_meanings(slot);
    for (n, word) in slot.0.iter().enumerate() {
        let _ = writeln!(out, "\n  word {n}  {bold}{word:08x}{off}");
        for told in facts.iter().filter(|told| starts_in(told.field, n)) {
            let mark = if told.matters() { ' ' } else { '-' };
            let _ = writeln!(
                out,
                "  {mark} {:<11} {:<12} {:>10}  {}",
                places(told.field),
                told.field.name(),
                value(told),
                told.meaning
            );
        }
    }
    out.push_str("\n  - the field is unused: assemblers differ in its value\n");
    out
}

/// Whether the most significant bits of a field are in that word.
fn starts_in(field: Field, word: usize) -> bool {
    field.pieces().first().is_some_and(|piece| usize::from(piece.word) == word)
}

/// `27:25`; `1:0, 31:30` for a field that goes on in the next word.
fn places(field: Field) -> String {
    let mut runs: Vec<(u8, u8, u8)> = Vec::new();
    for piece in field.pieces() {
        let top = piece.low + piece.width - 1;
        match runs.last_mut() {
            Some((word, _, low)) if *word == piece.word && *low == top + 1 => *low = piece.low,
            _ => runs.push((piece.word, top, piece.low)),
        }
    }
    let one =
        |(_, top, low): &(u8, u8, u8)| if top == low { format!("{top}") } else { format!("{top}:{low}") };
    runs.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The value in the way in which people know it: bits of masks and swizzles, else a number.
fn value(told: &FieldMeaning) -> String {
    let width = told.field.width() as usize;
    match told.field {
        Field::OutMacMask | Field::OutIluMask | Field::OutOMask => format!("{:0width$b}", told.value),
        field if field.is_swizzle() => {
            let bits = format!("{:0width$b}", told.value);
            let pairs: Vec<&str> = (0..4).filter_map(|n| bits.get(n * 2..n * 2 + 2)).collect();
            pairs.join(" ")
        }
        _ if width > 8 => format!("0x{:08x}", told.value),
        _ => told.value.to_string(),
    }
}

/// The same as JSON.
pub(crate) fn explain_json(slot: &Slot) -> Value {
    let fields = field_meanings(slot).into_iter().map(|told| {
        let bits = told.field.pieces().iter().map(
            |piece| json!({ "word": piece.word, "high": piece.low + piece.width - 1, "low": piece.low }),
        );
        json!({
            "name": told.field.name(),
            "bits": bits.collect::<Vec<_>>(),
            "value": told.value,
            "care": told.care,
            "meaning": told.meaning,
            "doc": told.field.doc(),
        })
    });
    json!({
        "kind": "slot",
        "isa": "nv2a",
        "words": slot.0.map(|word| format!("0x{word:08x}")),
        "text": text::instruction(slot),
        "fields": fields.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_names() {
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let slot = Slot([0, 0x0020_001b, 0x0836_106c, 0x2070_f801]);
        for spelled in [
            &["0x0", "0x0020001b", "0x0836106c", "0x2070f801"][..],
            &["0x00000000,", "0x0020001B,", "0x0836106C,", "0x2070F801,"],
            &["00000000 0020001b 0836106c 2070f801"],
        ] {
            assert_eq!(words(&names(spelled)).unwrap(), Some(vec![slot]), "{spelled:?}");
        }
        assert_eq!(words(&names(&["mov", "0x1"])).unwrap(), None);
        assert_eq!(words(&[]).unwrap(), None);
        assert!(words(&names(&["0x1", "0x2"])).is_err());
    }

    #[test]
    fn fields_stand_where_the_manual_has_them() {
        assert_eq!(places(Field::Ilu), "27:25");
        assert_eq!(places(Field::ASwz), "7:0");
        assert_eq!(places(Field::CTempReg), "1:0, 31:30");
        assert_eq!(places(Field::Final), "0");
    }
}
