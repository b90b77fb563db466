//! `vecasm explain`: the manual entry of an instruction, a method of the NV2A, the rule of a finding or a cause that `why`
//! names, or the bit fields of a slot.

use crate::report::{Ctx, MORE};
use crate::{Failure, Outcome, io, slots};
use clap::ValueEnum;
use std::fmt::Write as _;
use vecasm::debug::why::Cause;
use vecasm::diag::near::{self, distance};
use vecasm::diag::{Provenance, Rule};
use vecasm::isa::any::Instruction;
use vecasm::isa::nv2a::methods::{METHODS, Method};
use vecasm::isa::table::{Flow, Shape, Stages};
use vecasm::isa::{Isa, agal};

/// Show the manual entry of an instruction or of the rule of a finding, or the bit fields of a slot
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm explain m44         what the instruction does, its operands, versions and stages\n  \
    vecasm explain AGAL3646    the rule of a finding; the bare number works, too\n  \
    vecasm explain 0x1e9c      an opcode, or a method of the NV2A\n  \
    vecasm explain 0x0 0x0020001b 0x0836106c 0x2070f801   every field of an NV2A slot\n  \
    vecasm explain             everything that has an entry")]
pub(crate) struct Args {
    /// Instruction, method or id, for example `m44` or `AGAL3646`, opcode or method as `0x` number, or the words of slots; none
    /// lists everything
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Search only this instruction set
    #[arg(long, value_name = "ISA", value_parser = crate::args::parse_isa)]
    isa: Option<Isa>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Text,
    /// One JSON array
    Json,
}

/// Something that has an entry in the manual.
enum Entry {
    Instruction(Isa, Instruction),
    Rule(Isa, &'static Rule),
    /// A reason for which a target language refuses a shader.
    Target(&'static str, &'static Rule),
    /// A reason for which a verb refuses what it is given beside a shader.
    Verb(&'static str, &'static Rule),
    /// What `why` finds.
    Cause(Cause),
    /// A method of the graphics processor of the NV2A, or several in a row.
    Method(&'static Method),
}

impl Entry {
    fn name(&self) -> &'static str {
        match self {
            Self::Instruction(_, row) => row.name,
            Self::Rule(_, rule) | Self::Target(_, rule) | Self::Verb(_, rule) => rule.id,
            Self::Cause(cause) => cause.word(),
            Self::Method(method) => method.name,
        }
    }

    /// Whether `name` means this entry.
    fn is_called(&self, name: &str) -> bool {
        match self {
            Self::Instruction(isa, row) => {
                // In tokens of Direct3D the other half of the word says more.
                let opcode = |n| if *isa == Isa::D3d9 { n & 0xffff } else { n };
                row.name.eq_ignore_ascii_case(name) || hex(name).map(opcode) == Some(row.code)
            }
            Self::Cause(cause) => cause.word().eq_ignore_ascii_case(name),
            Self::Method(method) => {
                let short = name.split('[').next().unwrap_or(name);
                let found = hex(name).map_or_else(|| Method::from_name(short), Method::from_number);
                found.is_some_and(|found| found.first == method.first)
            }
            Self::Rule(_, rule) | Self::Target(_, rule) | Self::Verb(_, rule) => {
                let number = name.trim_start_matches('#');
                let short = rule.id.split_once('-').map_or("", |(_, short)| short);
                rule.id.eq_ignore_ascii_case(name)
                    || short.eq_ignore_ascii_case(name)
                    || rule.number != 0 && number.parse() == Ok(rule.number)
            }
        }
    }

    fn one_line(&self) -> String {
        match self {
            Self::Instruction(_, row) => format!("{:<12} {}", row.name, row.doc),
            Self::Rule(_, rule) | Self::Target(_, rule) | Self::Verb(_, rule) => {
                format!("{:<12} {}", rule.id, without_arguments(rule.message))
            }
            Self::Cause(cause) => format!("{:<12} {}", cause.word(), cause.doc()),
            Self::Method(method) => format!("0x{:04x}       {}", method.first, method.full_name()),
        }
    }

    fn text(&self, bold: &str, off: &str) -> String {
        match self {
            Self::Instruction(isa, row) => instruction_text(*isa, row, bold, off),
            Self::Rule(isa, rule) => rule_text(isa.name(), rule, bold, off),
            Self::Target(owner, rule) | Self::Verb(owner, rule) => rule_text(owner, rule, bold, off),
            Self::Cause(cause) => {
                format!("{bold}{}{off}  a cause that `vecasm why` names\n\n  {}\n", cause.word(), cause.doc())
            }
            Self::Method(method) => method_text(method, bold, off),
        }
    }

    fn json(&self) -> serde_json::Value {
        match self {
            Self::Instruction(isa, row) => serde_json::json!({
                "kind": "instruction",
                "isa": isa.name(),
                "name": row.name,
                "unit": row.unit,
                "code": row.code,
                "since": first_version(*isa, row),
                "until": row.until,
                "stages": stages(row.stages),
                "operands": row.shape.iter().map(|s| shape_word(*s)).collect::<Vec<_>>(),
                "lanes": row.lanes,
                "ir": row.ir,
                "reserved": row.reserved,
                "doc": row.doc,
            }),
            Self::Cause(cause) => {
                serde_json::json!({ "kind": "cause", "verb": "why", "id": cause.word(), "doc": cause.doc() })
            }
            Self::Method(method) => serde_json::json!({
                "kind": "method",
                "isa": Isa::Nv2a.name(),
                "name": method.full_name(),
                "first": method.first,
                "count": method.count,
                "doc": method.purpose.doc(),
            }),
            Self::Target(target, rule) => serde_json::json!({
                "kind": "rule",
                "target": target,
                "id": rule.id,
                "severity": rule.severity.word(),
                "message": rule.message,
                "reason": rule.reason,
                "provenance": rule.provenance.word(),
            }),
            Self::Verb(verb, rule) => serde_json::json!({
                "kind": "rule",
                "verb": verb,
                "id": rule.id,
                "severity": rule.severity.word(),
                "message": rule.message,
                "reason": rule.reason,
                "provenance": rule.provenance.word(),
            }),
            Self::Rule(isa, rule) => serde_json::json!({
                "kind": "rule",
                "isa": isa.name(),
                "id": rule.id,
                "number": if rule.number == 0 { None } else { Some(rule.number) },
                "severity": rule.severity.word(),
                "message": rule.message,
                "reason": rule.reason,
                "provenance": rule.provenance.word(),
            }),
        }
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let (bold, off) = if ctx.color_out { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    if args.isa.is_none_or(|isa| isa == Isa::Nv2a) {
        if let Some(slots) = slots::words(&args.names)? {
            return io::print(&match args.format {
                _ if ctx.json() => lines(slots.iter().map(slots::explain_json)),
                Format::Json => {
                    format!("{:#}\n", slots.iter().map(slots::explain_json).collect::<serde_json::Value>())
                }
                Format::Text => {
                    slots.iter().map(|slot| slots::explain(slot, bold, off)).collect::<Vec<_>>().join("\n")
                }
            });
        }
    }
    let isas: Vec<Isa> = args.isa.map_or_else(|| Isa::ALL.to_vec(), |isa| vec![isa]);
    let entries = all(args.isa);
    let mut found: Vec<&Entry> = Vec::new();
    for name in &args.names {
        let before = found.len();
        found.extend(entries.iter().filter(|entry| entry.is_called(name)));
        if found.len() == before {
            return Err(Failure::usage(unknown(name, &entries)));
        }
    }
    if args.format == Format::Json || ctx.json() {
        let shown: Vec<_> =
            if args.names.is_empty() { entries.iter().map(Entry::json).collect() } else { json(&found) };
        return io::print(&match ctx.json() {
            true => lines(shown.into_iter()),
            false => format!("{:#}\n", serde_json::Value::Array(shown)),
        });
    }
    let mut out = String::new();
    if args.names.is_empty() {
        for isa in isas {
            let _ = writeln!(out, "{bold}{}{off}", isa.title());
            for entry in self::entries(isa) {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
        }
        if args.isa.is_none() {
            for (title, target, rules) in TARGETS {
                let _ = writeln!(out, "{bold}{title}: refusals of `vecasm to {target}`{off}");
                for rule in *rules {
                    let _ = writeln!(out, "  {}", Entry::Target(target, rule).one_line());
                }
            }
            let _ = writeln!(out, "{bold}Refusals of lowering to instruction sets{off}");
            for entry in lowering() {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
            let _ = writeln!(out, "{bold}Refusals of `vecasm run` in tables and arrays{off}");
            for entry in tables() {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
            let _ = writeln!(out, "{bold}Findings of every verb{off}");
            for entry in shaders() {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
            let _ = writeln!(out, "{bold}Findings about containers{off}");
            for entry in containers() {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
            let _ = writeln!(out, "{bold}Causes named by `vecasm why`{off}");
            for entry in causes() {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
        }
        if args.isa.is_none_or(|isa| isa == Isa::Nv2a) {
            let _ = writeln!(out, "{bold}Methods in NV2A logs{off}");
            for entry in methods() {
                let _ = writeln!(out, "  {}", entry.one_line());
            }
        }
    }
    for (n, entry) in found.into_iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        out.push_str(&entry.text(bold, off));
    }
    io::print(&out)
}

/// An object a line.
fn lines(values: impl Iterator<Item = serde_json::Value>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

fn json(entries: &[&Entry]) -> Vec<serde_json::Value> {
    entries.iter().map(|entry| entry.json()).collect()
}

/// Everything that has an entry, of one instruction set if it is named.
/// The ids of the rules of instruction sets that are called so, by id, short id or number.
pub(crate) fn rules_called(name: &str, isa: Option<Isa>) -> Outcome<Vec<&'static str>> {
    let rules: Vec<Entry> = all(isa).into_iter().filter(|entry| matches!(entry, Entry::Rule(..))).collect();
    let found: Vec<&str> = rules.iter().filter(|rule| rule.is_called(name)).map(Entry::name).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let number = name.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit());
    let near = near::nearest(name, rules.iter().map(Entry::name)).filter(|_| !number);
    let near = near
        .map_or_else(|| "; `vecasm explain` lists all".into(), |near| format!("; did you mean `{near}`?"));
    Err(Failure::usage(format!("no such rule: `{name}`{near}")))
}

fn all(isa: Option<Isa>) -> Vec<Entry> {
    let isas = Isa::ALL.iter().copied().filter(|of| isa.is_none_or(|isa| isa == *of));
    let mut all: Vec<Entry> = isas.flat_map(entries).collect();
    if isa.is_none() {
        all.extend(targets());
        all.extend(lowering());
        all.extend(tables());
        all.extend(shaders());
        all.extend(containers());
        all.extend(causes());
    }
    if isa.is_none_or(|isa| isa == Isa::Nv2a) {
        all.extend(methods());
    }
    all
}

fn entries(isa: Isa) -> Vec<Entry> {
    let instructions = isa.instructions().into_iter().map(|row| Entry::Instruction(isa, row));
    instructions.chain(isa.rules().into_iter().map(|rule| Entry::Rule(isa, rule))).collect()
}

/// Target languages: title, word, what they refuse.
const TARGETS: &[(&str, &str, &[Rule])] = &[
    ("WGSL", "wgsl", vecasm::emit::wgsl::RULES),
    ("SPIR-V", "spirv", vecasm::emit::spirv::RULES),
    ("GLSL", "glsl", vecasm::emit::glsl::RULES),
    ("HLSL", "hlsl", vecasm::emit::hlsl::RULES),
    ("MSL", "msl", vecasm::emit::msl::RULES),
];

/// Why a shader is no program of an instruction set.
fn lowering() -> impl Iterator<Item = Entry> {
    vecasm::code::rules::RULES.iter().map(|rule| Entry::Target("lowering", rule))
}

fn targets() -> impl Iterator<Item = Entry> {
    TARGETS.iter().flat_map(|(_, target, rules)| rules.iter().map(|rule| Entry::Target(target, rule)))
}

fn unknown(name: &str, entries: &[Entry]) -> String {
    let mut out = format!("no entry `{name}`");
    if hex(name).is_some() {
        out.push_str("; a number alone is an opcode or a method of the NV2A, four are the words of a slot");
        return out;
    }
    let lower = name.to_ascii_lowercase();
    // Of names that differ in case only, the one written more like the word asked for is named.
    let known = entries.iter().map(|e| {
        let plain = e.name().to_ascii_lowercase();
        // People leave out what tells the instruction set: `X5335` is `D3D9-X5335`.
        let short = plain.split_once('-').map_or(plain.as_str(), |(_, short)| short);
        (distance(&lower, &plain).min(distance(&lower, short)), plain, distance(name, e.name()), e.name())
    });
    let mut near: Vec<(usize, String, usize, &str)> = known.collect();
    near.sort_unstable();
    near.dedup_by(|a, b| a.1 == b.1);
    near.sort_by_key(|row| (row.0, row.2));
    let limit = near::limit(name);
    let near: Vec<String> =
        near.into_iter().filter(|row| row.0 <= limit).take(3).map(|row| format!("`{}`", row.3)).collect();
    if near.is_empty() {
        out.push_str("; `vecasm explain` lists everything");
    } else {
        let _ = write!(out, "; did you mean {}?", near.join(" or "));
    }
    out
}

/// The first version of the language that has the instruction; tables count from 0 where headers may say so.
fn first_version(isa: Isa, row: &Instruction) -> u32 {
    row.since.max(isa.versions().0)
}

/// The words for the stages of a row.
pub(crate) fn stages(stages: Stages) -> Vec<&'static str> {
    stages.list().iter().map(|stage| stage.name()).collect()
}

/// The word for an operand.
fn shape_word(shape: Shape) -> &'static str {
    match shape {
        Shape::Dst => "destination",
        Shape::Src => "source",
        Shape::Scalar => "scalar",
        Shape::Rows3 => "3 rows",
        Shape::Rows4 => "4 rows",
        Shape::Sampler => "sampler",
        Shape::Rows2 => "2 rows",
        Shape::Read => "register",
        Shape::Label => "label",
        Shape::Condition => "condition",
        Shape::Integer => "integers",
        Shape::Counter => "counter",
        Shape::Usage => "usage",
        Shape::Floats4 => "4 numbers",
        Shape::Integers4 => "4 integers",
        Shape::Flag => "true|false",
        Shape::View => "sampler view",
        Shape::Resource => "memory",
        Shape::Store => "memory",
        Shape::Target => "target",
    }
}

fn shape_help(shape: Shape) -> &'static str {
    match shape {
        Shape::Dst => "a register with a write mask",
        Shape::Src => "a register with a swizzle",
        Shape::Scalar => "one component of a register",
        Shape::Rows3 => "the first of three consecutive registers, without swizzle",
        Shape::Rows4 => "the first of four consecutive registers, without swizzle",
        Shape::Sampler => "a sampler register; in AGAL with its options in <…>",
        Shape::Rows2 => "the first of two consecutive registers, without swizzle",
        Shape::Read => "a register whose lanes in the write mask are read",
        Shape::Label => "the label of a subroutine",
        Shape::Condition => "a boolean constant, or a component of a predicate",
        Shape::Integer => "an integer constant",
        Shape::Counter => "the counter aL",
        Shape::Usage => "the use of the register, written in the mnemonic",
        Shape::Floats4 => "four floating-point numbers",
        Shape::Integers4 => "four integers",
        Shape::Flag => "the value",
        Shape::View => "a sampler view, with a swizzle",
        Shape::Resource => "a buffer, memory, an image or a counter",
        Shape::Store => "a buffer, memory or an image, with a write mask",
        Shape::Target => "the target of the texture",
    }
}

fn instruction_text(isa: Isa, row: &Instruction, bold: &str, off: &str) -> String {
    let mut out = String::new();
    let since = first_version(isa, row);
    let versions = if since == row.until {
        format!("version {since}")
    } else {
        format!("versions {since}-{}", row.until)
    };
    let _ = writeln!(
        out,
        "{bold}{}{off}  {} {}instruction 0x{:02x}, {versions}, {} programs",
        row.name,
        isa.name().to_ascii_uppercase(),
        row.unit.map_or(String::new(), |unit| format!("{unit} ")),
        row.code,
        if row.stages == Stages::Any { "all".into() } else { stages(row.stages).join(" and ") }
    );
    let operands: Vec<&str> = row.shape.iter().map(|s| shape_word(*s)).collect();
    let _ = writeln!(out, "\n    {} {}", row.name, operands.join(", "));
    let _ = writeln!(out, "\n  {}", row.doc);
    if !row.shape.is_empty() {
        out.push('\n');
        for shape in row.shape {
            let _ = writeln!(out, "  {:<12} {}", shape_word(*shape), shape_help(*shape));
        }
    }
    let mut remarks = Vec::new();
    if row.lanes == 3 {
        remarks.push("The result has only the lanes x, y and z: .w cannot be written.".to_string());
    }
    match row.flow {
        Flow::Straight => {}
        Flow::If => remarks.push("Opens a conditional.".to_string()),
        Flow::Else => remarks.push("Separates the branches of a conditional.".to_string()),
        Flow::EndIf => remarks.push("Closes a conditional.".to_string()),
        // What it does says it.
        _ => {}
    }
    if row.reserved {
        remarks.push("No player ever implemented it.".to_string());
    }
    if let Some(ir) = row.ir {
        remarks.push(format!("In the IR it is `{ir}`."));
    }
    if !remarks.is_empty() {
        let _ = writeln!(out, "\n  {}", remarks.join("\n  "));
    }
    out
}

/// How a fact is known, in a sentence.
/// What `run` refuses of tables and arrays.
fn tables() -> impl Iterator<Item = Entry> {
    super::run::RULES.iter().map(|rule| Entry::Verb("run", rule))
}

/// What any verb may say of a shader.
fn shaders() -> impl Iterator<Item = Entry> {
    let own = [Entry::Target("ir", vecasm::ir::verify::UNSOUND), Entry::Verb("check", MORE)];
    own.into_iter().chain(vecasm::isa::RULES.iter().map(|rule| Entry::Verb("asm", rule)))
}

/// What may be wrong with a container.
fn containers() -> impl Iterator<Item = Entry> {
    vecasm::container::rules::RULES.iter().map(|rule| Entry::Verb("container", rule))
}

/// What `why` finds.
fn causes() -> impl Iterator<Item = Entry> {
    Cause::ALL.into_iter().map(Entry::Cause)
}

/// The methods that logs and pushbuffers of the NV2A have.
fn methods() -> impl Iterator<Item = Entry> {
    METHODS.iter().map(Entry::Method)
}

/// A number in hexadecimal digits after `0x`.
fn hex(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X"))?;
    u32::from_str_radix(digits, 16).ok()
}

fn method_text(method: &Method, bold: &str, off: &str) -> String {
    let name = method.full_name();
    let (numbers, brackets) = match method.count {
        1 => (format!("0x{:04x}", method.first), String::new()),
        count => {
            let last = method.first + 4 * (count - 1);
            (format!("0x{:04x} to 0x{last:04x}", method.first), format!("[0..{}]", count - 1))
        }
    };
    format!("{bold}{name}{brackets}{off}  NV2A {numbers}\n\n  {}\n", method.purpose.doc())
}

fn provenance(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Recorded => "Observed in the runtime itself.",
        Provenance::Documented => "From the vendor's documentation or published source.",
        Provenance::Peer => "Another implementation applies it.",
        Provenance::Believed => "Only the text of the message is known, or the rule is inferred.",
        Provenance::Own => "A rule of vecasm itself, about its syntax or limits.",
    }
}

/// A message with dots for its arguments.
fn without_arguments(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '%' if chars.next_if(char::is_ascii_digit).is_some() => out.push('…'),
            c => out.push(c),
        }
    }
    out
}

fn rule_text(owner: &str, rule: &Rule, bold: &str, off: &str) -> String {
    let mut out = String::new();
    let runtime = if rule.number == 0 { String::new() } else { format!(", runtime error {}", rule.number) };
    let _ = writeln!(
        out,
        "{bold}{}{off}  {} {}{runtime}",
        rule.id,
        owner.to_ascii_uppercase(),
        rule.severity.word()
    );
    let message = without_arguments(rule.message);
    if message != "…" {
        let _ = writeln!(out, "\n    {message}");
    }
    if !rule.reason.is_empty() {
        let _ = writeln!(out, "\n  {}", rule.reason);
    }
    let _ = writeln!(out, "  {}", provenance(rule.provenance));
    if let Some(rule) = agal::rules::RuleId::from_id(rule.id) {
        let agal::rules::Details { class, since } = *rule.details();
        let _ = writeln!(
            out,
            "  The player throws an {}; AGAL {since} and later can break the rule.",
            class.name()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_that_a_verb_prints_has_an_entry() {
        let mut ids: Vec<&str> = Cause::ALL.iter().map(|cause| cause.word()).collect();
        ids.extend(Isa::ALL.iter().flat_map(|isa| isa.rules()).map(|rule| rule.id));
        ids.extend(TARGETS.iter().flat_map(|(.., rules)| rules.iter()).map(|rule| rule.id));
        ids.extend(vecasm::code::rules::RULES.iter().map(|rule| rule.id));
        ids.extend(crate::cmd::run::RULES.iter().map(|rule| rule.id));
        ids.extend(vecasm::isa::RULES.iter().map(|rule| rule.id));
        ids.extend(vecasm::container::rules::RULES.iter().map(|rule| rule.id));
        ids.extend([vecasm::ir::verify::UNSOUND.id, MORE.id]);
        let all = all(None);
        for id in ids {
            assert!(all.iter().any(|entry| entry.is_called(id)), "{id}");
        }
    }

    #[test]
    fn near_names_are_found() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("m4", "m44"), 1);
        assert_eq!(distance("omv", "mov"), 1);
        let entries = entries(Isa::ALL[0]);
        assert!(unknown("mow", &entries).contains("`mov`"));
        assert!(unknown("AGAL36461", &entries).contains("`AGAL3646`"));
        assert!(unknown("nonsense", &entries).contains("lists everything"));
    }
}
