//! The tests of Direct3D 8 and 9: kinds of test files, and the contract.

use crate::case::{self, Case, Kind, neighbours, repeated};
use crate::properties::d3d9::survives;
use crate::properties::presentable;
use crate::trial;
use libtest_mimic::Trial;
use std::path::Path;
use vecasm::diag::{Diagnostic, Place, Severity, Span, line_column};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::d3d9::bytes::{decode, decode_lossless, encode, parse_digits};
use vecasm::isa::d3d9::convert::{CanonicalizeOptions, UpgradeOptions, canonicalize, upgrade};
use vecasm::isa::d3d9::lift;
use vecasm::isa::d3d9::rules::{Options, Profile, check_pair, validate};
use vecasm::isa::d3d9::table::{COMPARISONS, Form};
use vecasm::isa::d3d9::text::{self, PrintOptions, ReadOptions, Style, print, version_name};
use vecasm::isa::d3d9::{Opcode, Program, Stage, Version};
use vecasm::isa::table::Shape;
use vecasm::isa::{AnyProgram, Isa};

pub(crate) const KINDS: &[Kind] = &[
    Kind { word: "asm", directives: &["words"], run: run_asm },
    Kind { word: "bytes", directives: &["hex"], run: run_bytes },
    Kind { word: "dis", directives: &["hex"], run: run_dis },
    Kind { word: "like", directives: &["hex", "words"], run: run_like },
    Kind { word: "exec", directives: &["run", "texture", "lift"], run: crate::d3d9_exec::run_exec },
    Kind { word: "to", directives: &[], run: run_to },
    Kind { word: "bad", directives: BAD, run: run_bad },
    crate::fmt::D3D9,
    crate::why::D3D9,
];

/// What a file of kind `bad` may say.
const BAD: &[&str] =
    &["at", "message", "hex", "repeat", "lift", "profile", "set", "pair", "passes", "convert"];

/// The bytes of the directives of one key, together.
fn digits(case: &Case, key: &str) -> Result<Vec<u8>, String> {
    let lines: Vec<&str> = case.all(key).map(|d| d.value.as_str()).collect();
    parse_digits(&lines.join("\n")).ok_or_else(|| format!("the `{key}` lines are not words"))
}

fn run_asm(case: &Case) -> Result<(), String> {
    let (program, findings) = text::parse(&case.text);
    let program = program.ok_or_else(|| format!("refused: {findings:?}"))?;
    let wanted = digits(case, "words")?;
    let got = encode(&program);
    if got != wanted {
        let hex = |bytes: &[u8]| AnyProgram::D3d9(decode_lossless(bytes)).hex();
        return Err(format!("the words are\n{}not\n{}", hex(&got), hex(&wanted)));
    }
    if text::instruction_spans(&case.text).len() != program.instructions().count() {
        return Err("an instruction has no place in the text".into());
    }
    survives(&program)
}

/// A program and its translations, with the names of its table.
fn run_to(case: &Case) -> Result<(), String> {
    let (program, findings) = text::parse(&case.text);
    let program = AnyProgram::D3d9(program.ok_or_else(|| format!("refused: {findings:?}"))?);
    let shader = program.lift(&LiftOptions::default()).map_err(|e| e.to_string())?;
    crate::kinds::translated(case, &[shader])
}

fn run_bytes(case: &Case) -> Result<(), String> {
    let bytes = digits(case, "hex")?;
    let program = decode(&bytes).map_err(|e| e.to_string())?;
    if encode(&program) != bytes {
        return Err("other bytes".into());
    }
    let printed = print(&program, &PrintOptions::default());
    if printed != case.body {
        return Err(format!("the text is\n{printed}not\n{}", case.body));
    }
    survives(&program)
}

/// A stream in a style that loses something, which gives it again if it is read as a listing of it.
fn run_dis(case: &Case) -> Result<(), String> {
    let [_, style] = &case.words[..] else { return Err("line 1: `// test: dis STYLE`".into()) };
    let style = style.parse::<Style>().map_err(|_| "line 1: no style of that name")?;
    let program = decode_lossless(&digits(case, "hex")?);
    let printed = print(&program, &PrintOptions { style });
    if printed != case.body {
        return Err(format!("the text is\n{printed}not\n{}", case.body));
    }
    like(&printed, &program, &encode(&program))
}

/// A text that is read as a listing of a stream.
fn run_like(case: &Case) -> Result<(), String> {
    like(&case.text, &decode_lossless(&digits(case, "hex")?), &digits(case, "words")?)
}

fn like(text: &str, original: &Program, wanted: &[u8]) -> Result<(), String> {
    let reading = ReadOptions { like: Some(original), ..ReadOptions::default() };
    let done =
        text::assemble(text, &text::preprocess::Options::default(), &reading, &mut |_| Err("no file".into()));
    let program = done.program.ok_or_else(|| format!("refused: {:?}", done.findings))?;
    if encode(&program) != wanted {
        let hex = |program: Program| AnyProgram::D3d9(program).hex();
        return Err(format!("the words are\n{}not\n{}", hex(program), hex(decode_lossless(wanted))));
    }
    if done.places.len() != program.instructions().count() {
        return Err("an instruction has no place in the text".into());
    }
    Ok(())
}

/// Where a finding is: an instruction by the line of its text, if there is one.
fn place(finding: &Diagnostic, text: &str, spans: &[Span]) -> String {
    match finding.place {
        Place::Binary { offset, token } => {
            let span = token.and_then(|n| spans.get((n as usize).checked_sub(1)?));
            match span {
                Some(span) => format!("line {}", line_column(text, span.start).0),
                None => format!("byte {offset}"),
            }
        }
        _ => case::place(finding, text, ""),
    }
}

/// Who is asked.
fn options(case: &Case) -> Result<Options, String> {
    let mut out = Options::default();
    if let Some(d) = case.one("profile")? {
        out.profile = d.value.parse::<Profile>().map_err(|_| format!("line {}: no profile", d.line))?;
    }
    for d in case.all("set") {
        let (name, value) = d.value.split_once('=').unwrap_or((&d.value, ""));
        out.switches.set(name, value).map_err(|error| format!("line {}: {error:?}", d.line))?;
    }
    Ok(out)
}

/// Every finding about a text: of the reader, of the validator, of the linkage if it is a pair.
fn findings_of(case: &Case, text: &str) -> Result<Vec<Diagnostic>, String> {
    let options = options(case)?;
    if case.one("pair")?.is_some() {
        let at = text.rfind("\nps").ok_or("a pair has a line that begins with `ps`")?;
        let (vertex, pixel) = text.split_at(at);
        let (vertex, mut findings) = text::parse(vertex);
        let (pixel, more) = text::parse(pixel);
        findings.extend(more);
        if let (Some(vertex), Some(pixel)) = (vertex, pixel) {
            let found = check_pair(&vertex, &pixel, &options);
            findings.extend([found.vertex, found.fragment, found.linkage].concat());
        }
        return Ok(findings);
    }
    let (program, mut findings) = if case.all("hex").next().is_some() {
        let bytes = digits(case, "hex")?;
        // Other implementations are asked about any words.
        let program =
            if case.one("profile")?.is_some() { Ok(decode_lossless(&bytes)) } else { decode(&bytes) };
        match program {
            Ok(program) => (Some(program), Vec::new()),
            Err(finding) => (None, vec![finding]),
        }
    } else {
        text::parse(text)
    };
    if let Some(program) = program {
        // What has no meaning breaks other rules too.
        if case.one("lift")?.is_some() {
            findings.extend(lift::lift(&program, &lift::Options::default()).err());
        } else {
            findings.extend(validate(&program, &options));
        }
        if let Some(d) = case.one("convert")? {
            let done = match d.value.as_str() {
                "d3d9" => upgrade(&program, &UpgradeOptions::default()),
                "mojoshader" => canonicalize(&program, &CanonicalizeOptions::default()),
                _ => return Err(format!("line {}: d3d9 or mojoshader", d.line)),
            };
            findings = done.map_or_else(|errors| errors, |done| done.notes);
        }
    }
    Ok(findings)
}

fn run_bad(case: &Case) -> Result<(), String> {
    let [_, id] = &case.words[..] else { return Err("line 1: `// test: bad RULE`".into()) };
    let rule = Isa::D3d9.rules().into_iter().find(|rule| rule.id == id);
    let rule = rule.ok_or_else(|| format!("no rule is called {id}"))?;
    let text = repeated(case, &case.text)?;
    let findings = findings_of(case, &text)?;
    for finding in &findings {
        presentable(finding, "case", Some(&text));
    }
    let spans = if case.one("pair")?.is_some() { Vec::new() } else { text::instruction_spans(&text) };
    let place = |d: &Diagnostic| place(d, &text, &spans);
    let listed: String = findings.iter().map(|d| format!("\n  {d} ({})", place(d))).collect();
    let at = case.one("at")?.ok_or("no `at` line")?;
    let found = findings.iter().find(|d| d.id == id && place(d) == at.value);
    let found = found.ok_or_else(|| format!("{id} is not found at {}:{listed}", at.value))?;
    if found.severity != rule.severity {
        return Err(format!("is a {}, not a {}", found.severity, rule.severity));
    }
    if rule.severity != Severity::Note && findings.iter().any(|d| d.severity == Severity::Error && d.id != id)
    {
        return Err(format!("there are other errors:{listed}"));
    }
    if let Some(d) = case.one("message")? {
        if found.message != d.value {
            return Err(format!("says {:?}", found.message));
        }
    }
    neighbours(case, id, &text, |text| findings_of(case, text))
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("contract d3d9: every form of every instruction".into(), every_form),
        trial("contract d3d9: every single-bit corruption".into(), every_corruption),
        trial("manual d3d9: the examples assemble".into(), examples),
        trial("contract d3d9: the public table has every form".into(), public_table),
    ]
}

/// Every model that somebody names.
fn models() -> Vec<Version> {
    let of = |stage, list: &[(u8, u8)]| -> Vec<Version> {
        list.iter().map(|(major, minor)| Version::new(stage, *major, *minor)).collect()
    };
    let mut out = of(Stage::Vertex, &[(1, 0), (1, 1), (2, 0), (2, 1), (2, 255), (3, 0), (3, 255)]);
    let pixel = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 0), (2, 1), (2, 255), (3, 0), (3, 255)];
    out.extend(of(Stage::Pixel, &pixel));
    out
}

/// The text of an operand and its words, by hand from the layout of parameters: file in bits 28-30 and 11-12, swizzle or mask
/// from bit 16.
fn operand(shape: Shape, version: Version) -> (&'static str, &'static [u32]) {
    match shape {
        Shape::Dst | Shape::Read if version.major() >= 2 => ("r3.xz", &[0x8005_0003]),
        Shape::Dst | Shape::Read => ("r1", &[0x800f_0001]),
        Shape::Sampler => ("s2", &[0xa0e4_0802]),
        Shape::Label => ("l5", &[0xa0e4_1005]),
        Shape::Condition => ("b3", &[0xe0e4_0803]),
        Shape::Integer => ("i4", &[0xf0e4_0004]),
        Shape::Counter => ("aL", &[0xf0e4_0800]),
        Shape::Scalar => ("-c7.y", &[0xa155_0007]),
        Shape::Rows2 | Shape::Rows3 | Shape::Rows4 => ("c4", &[0xa0e4_0004]),
        Shape::Floats4 => ("1, -2, 0.5, 0", &[0x3f80_0000, 0xc000_0000, 0x3f00_0000, 0]),
        Shape::Integers4 => ("1, -2, 0, 7", &[1, 0xffff_fffe, 0, 7]),
        Shape::Flag => ("true", &[1]),
        _ => ("v1.wzyx", &[0x901b_0001]),
    }
}

/// A line with that form in that model, and its words.
fn line(op: Opcode, form: &Form, version: Version) -> (String, Vec<u32>) {
    let mut name = form.name.to_string();
    let mut token = u32::from(op.row().code);
    if op.compares() {
        let (code, suffix) = COMPARISONS[usize::from(op.row().code) % COMPARISONS.len()];
        name += &format!("_{suffix}");
        token |= u32::from(code) << 16;
    }
    let mut operands = Vec::new();
    let mut words = Vec::new();
    for shape in form.shape {
        if *shape == Shape::Usage {
            name += "_texcoord3";
            words.push(0x8003_0005);
            continue;
        }
        // A definition is of a constant of its own kind.
        let (text, more): (&str, &[u32]) = match op {
            Opcode::Def if words.is_empty() => ("c2", &[0xa00f_0002]),
            Opcode::Defi if words.is_empty() => ("i2", &[0xf00f_0002]),
            Opcode::Defb if words.is_empty() => ("b2", &[0xe00f_0802]),
            _ => operand(*shape, version),
        };
        operands.push(text);
        words.extend_from_slice(more);
    }
    if version.major() >= 2 {
        token |= (words.len() as u32) << 24;
    }
    words.insert(0, token);
    (format!("    {name} {}", operands.join(", ")).trim_end().to_string(), words)
}

/// Every form of every model assembles to the words of the layout and is printed as it was written.
fn every_form() -> Result<(), String> {
    let mut count = 0;
    for version in models() {
        for op in Opcode::ALL {
            for form in op.row().forms.iter().filter(|form| form.is_in(version)) {
                let (line, words) = line(*op, form, version);
                let text = format!("{}\n{line}\n", version_name(version));
                let (program, findings) = text::parse(&text);
                let program = program.ok_or_else(|| format!("{text}: {findings:?}"))?;
                let wanted = [vec![version.0], words, vec![0xffff]].concat();
                if program.words() != wanted {
                    return Err(format!("{text}: {:08x?}\n not {wanted:08x?}", program.words()));
                }
                let printed = print(&program, &PrintOptions::default());
                if printed != text {
                    return Err(format!("{text} is printed as\n{printed}"));
                }
                survives(&program)?;
                count += 1;
            }
        }
    }
    if count > 500 { Ok(()) } else { Err(format!("only {count} forms")) }
}

/// A stream of each form survives the loss of any bit.
fn every_corruption() -> Result<(), String> {
    for version in models() {
        for op in Opcode::ALL {
            for form in op.row().forms.iter().filter(|form| form.is_in(version)) {
                let words = [vec![version.0], line(*op, form, version).1, vec![0xffff]].concat();
                for bit in 0..words.len() * 32 {
                    let mut words = words.clone();
                    words[bit / 32] ^= 1 << (bit % 32);
                    // What is no version token has no model in its text.
                    survives(&Program::new(words, &[])).map_err(|why| format!("{op:?}, bit {bit}: {why}"))?;
                }
            }
        }
    }
    Ok(())
}

/// The examples of the manual.
fn examples() -> Result<(), String> {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/d3d9-text.md");
    let manual = std::fs::read_to_string(&manual).map_err(|e| format!("{}: {e}", manual.display()))?;
    let blocks: Vec<&str> = manual.split("```d3d9\n").skip(1).filter_map(|b| b.split("```").next()).collect();
    for block in &blocks {
        let (program, findings) = text::parse(block);
        survives(&program.ok_or_else(|| format!("{block}: {findings:?}"))?)?;
    }
    if blocks.len() == 2 { Ok(()) } else { Err(format!("{} examples", blocks.len())) }
}

/// The table that tools see names every form.
fn public_table() -> Result<(), String> {
    let rows = Isa::D3d9.instructions();
    for op in Opcode::ALL {
        for form in op.row().forms {
            let found = rows.iter().find(|row| {
                row.code == u32::from(op.row().code)
                    && row.name == form.name
                    && row.shape == form.shape
                    && row.stages == form.stages
            });
            let [since, until] = [form.since, form.until].map(|number| Version(number.into()).decimal());
            if !found.is_some_and(|row| row.since <= since && row.until >= until) {
                return Err(format!("{op:?} has the form {form:?}, which is not listed"));
            }
        }
    }
    Ok(())
}
