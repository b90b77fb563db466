//! NV2A text and microcode: what nv2a-vsh assembles, prints and explains, and that nothing is lost.

use super::{File, check_table};
use std::path::Path;
use vecasm::diag::{Diagnostic, Place, Severity, line_column};
use vecasm::isa::nv2a::bytes::{decode, decode_lossless, encode, parse_words};
use vecasm::isa::nv2a::pair::Mode;
use vecasm::isa::nv2a::rules::{self, validate};
use vecasm::isa::nv2a::text::tools::{Answer, AssembleOptions, DisassembleOptions, nv2avsh, nv2avshd};
use vecasm::isa::nv2a::text::{
    Numbering, ParseOptions, PrintOptions, Style, assemble, inl, looks_like, parse, print,
};
use vecasm::isa::nv2a::{Field, Program, Slot};
use vecasm::isa::{Content, Isa, parse_hex, sniff};

/// Everything about words and text.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![
        table(shared, "oracle/nv2a/asm.tsv", assembles),
        table(shared, "oracle/nv2a/asm_equiv.tsv", equivalent),
        table(shared, "oracle/nv2a/dis.tsv", disassembles),
        table(shared, "oracle/nv2a/mustfail.tsv", must_fail),
        listings(shared),
        disassemblies(shared),
        corpus(shared),
        slots(shared),
    ]
}

/// The rows of a table.
fn table<'a>(shared: &Path, name: &str, check: fn(&[&str]) -> Result<(), String>) -> File<'a> {
    check_table(shared, name, move |report, id, columns| report.case(id, check(columns)))
}

/// The program of words as the tables write them.
pub(super) fn program(words: &str) -> Result<Program, String> {
    let slot = |text: &str| -> Option<Slot> {
        let mut slot = Slot::default();
        let mut words = text.split(' ');
        for to in &mut slot.0 {
            *to = super::bits(words.next()?)?;
        }
        words.next().is_none().then_some(slot)
    };
    let slots: Option<Vec<Slot>> = words.split('|').filter(|s| !s.is_empty()).map(slot).collect();
    slots.map(Program::new).ok_or_else(|| format!("{words}: not slots"))
}

fn written(program: &Program) -> String {
    program.slots.iter().map(|slot| format!("{slot:?}")).collect::<Vec<_>>().join("|")
}

fn same(what: &str, got: &str, expected: &str) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what}: got {got:?}, expected {expected:?}")) }
}

fn read(text: &str, options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), String> {
    match parse(text, options) {
        (Some(program), findings) => Ok((program, findings)),
        (None, findings) => Err(format!("refused: {findings:?}")),
    }
}

/// A row of `asm.tsv`, in both modes; the warnings, too; and the words survive printing.
fn assembles(columns: &[&str]) -> Result<(), String> {
    let [_, explicit_final, text, words, note] = *columns else { return Err("not five columns".into()) };
    let text = super::unescape(text);
    for mode in [Mode::Strict, Mode::Compat] {
        let options = ParseOptions { mode, explicit_final: explicit_final == "1", ..ParseOptions::default() };
        let (program, findings) = read(&text, &options)?;
        same("words", &written(&program), words)?;
        let warned = findings.iter().any(|d| d.id == "NV2A-pair-ilu-r1");
        if warned != (note == "warn") {
            return Err(format!("{mode:?}: other warnings: {findings:?}"));
        }
        survives(&program)?;
    }
    Ok(())
}

/// A row of `asm_equiv.tsv`.
fn equivalent(columns: &[&str]) -> Result<(), String> {
    let [option, text, other, words, _] = *columns else { return Err("not five columns".into()) };
    let (text, other) = (super::unescape(text), super::unescape(other));
    let numbering = if option == "constants=d3d" { Numbering::Direct3d } else { Numbering::Hardware };
    let (got, _) = read(&text, &ParseOptions { numbering, ..ParseOptions::default() })?;
    if option == "decode-verified" {
        let last = Program::new(got.slots.clone());
        let shown = print(&last, &PrintOptions { style: Style::Nv2avshd, compat: false });
        return same("disassembly", &shown, &other);
    }
    same("words", &written(&got), words)?;
    let (other, _) = read(&other, &ParseOptions::default())?;
    same("words of the equivalent", &written(&other), words)
}

/// A row of `dis.tsv`: the line with the swizzle put right, and the line of the peer.
fn disassembles(columns: &[&str]) -> Result<(), String> {
    let [words, status, text, peer_text, _] = *columns else { return Err("not five columns".into()) };
    let program = program(words)?;
    let shown = |compat| print(&program, &PrintOptions { style: Style::Nv2avshd, compat });
    same("line", &shown(false), text)?;
    same("line of the peer", &shown(true), if status == "ok" { text } else { peer_text })?;
    survives(&program)
}

/// What must hold for every program: bytes and lossless text give it back.
fn survives(program: &Program) -> Result<(), String> {
    if decode_lossless(&encode(program)) != *program {
        return Err("other program after encoding and decoding".into());
    }
    let text = print(program, &PrintOptions::default());
    match parse(&text, &ParseOptions::default()) {
        (Some(again), _) if again == *program => {}
        (Some(again), _) => return Err(format!("reads back as {again:?}:\n{text}")),
        (None, findings) => return Err(format!("does not read back: {findings:?}\n{text}")),
    }
    if looks_like(&text) { Ok(()) } else { Err(format!("is not recognized:\n{text}")) }
}

/// Rows of the categories `syntax` and `container` whose rule is a more special one, by a piece of the reason that the row gives.
const SPECIAL: &[(&str, &str)] = &[
    ("destination mask", "NV2A-mask"),
    ("unknown mask letter", "NV2A-mask"),
    ("swizzle", "NV2A-swizzle"),
    ("mnemonic does not exist", "NV2A-mnemonic"),
    ("negated destination", "NV2A-register"),
    ("no immediate operands", "NV2A-register"),
    ("ARL must write A0", "NV2A-register"),
    ("A0 is written only by ARL", "NV2A-register"),
    ("A0 is not a source operand", "NV2A-register"),
    ("only A0 exists", "NV2A-register"),
    // Nothing tells that such files are microcode at all.
    ("unknown version word", "NV2A-not-nv2a"),
    ("header shorter than 4 bytes", "NV2A-not-nv2a"),
];

/// The one rule that a row is about.
fn rule_of(category: &str, level: &str, kind: &str, reason: &str) -> String {
    let general = matches!(category, "syntax" | "container");
    let special = SPECIAL.iter().find(|row| general && reason.contains(row.0));
    match special {
        Some((_, id)) => (*id).into(),
        // Of a statement it is the reader that says it, since slots do not tell what was meant.
        None if category == "pair-ilu-temp" && level == "lint" && kind == "text" => "NV2A-pair-ilu-r1".into(),
        None => format!("NV2A-{category}"),
    }
}

/// A row of `mustfail.tsv`: exactly its rule is found, once, at its place; nothing else is an error.
fn must_fail(columns: &[&str]) -> Result<(), String> {
    let [_, kind, level, category, input, place, reason, peer] = *columns else {
        return Err("not eight columns".into());
    };
    let place: u32 = place.parse().map_err(|_| "no place")?;
    let id = rule_of(category, level, kind, reason);
    if kind == "text" {
        return must_fail_text(&super::unescape(input), level, category, &id, place, peer);
    }
    let findings = match kind {
        "words" => validate(&program(input)?, &rules::Options::default()),
        _ => {
            let bytes = if kind == "u32-list" { parse_words(input) } else { parse_hex(input) };
            match decode(&bytes.ok_or("no bytes")?) {
                Ok(program) => validate(&program, &rules::Options::default()),
                Err(finding) => vec![finding],
            }
        }
    };
    let at = |d: &Diagnostic| match d.place {
        Place::Binary { token: Some(token), .. } => Some(token - 1),
        // A file as a whole has no slots.
        _ => Some(place),
    };
    exactly(&findings, level, &id, place, at)
}

/// Whether exactly one finding of that severity has that rule, at that place, and no other rule is an error.
fn exactly(
    findings: &[Diagnostic],
    level: &str,
    id: &str,
    place: u32,
    at: impl Fn(&Diagnostic) -> Option<u32>,
) -> Result<(), String> {
    let severity = if level == "lint" { Severity::Warning } else { Severity::Error };
    let found: Vec<&Diagnostic> = findings.iter().filter(|d| d.id == id).collect();
    let [found] = found.as_slice() else {
        return Err(format!("{} times {id} among {findings:?}", found.len()));
    };
    if found.severity != severity || at(found) != Some(place) {
        return Err(format!("not a {severity} at {place}: {found:?}"));
    }
    match findings.iter().find(|d| d.severity == Severity::Error && d.id != id) {
        Some(other) => Err(format!("{other:?} besides")),
        None => Ok(()),
    }
}

fn must_fail_text(
    text: &str,
    level: &str,
    category: &str,
    id: &str,
    line: u32,
    peer: &str,
) -> Result<(), String> {
    if level == "compat-only" {
        // Negative numbers are Direct3D's, for texts that say so.
        let numbering = if text.contains('-') { Numbering::Direct3d } else { Numbering::Hardware };
        let (program, findings) = parse(text, &ParseOptions { numbering, ..ParseOptions::default() });
        if program.is_none() || findings.iter().any(|d| d.severity == Severity::Error) {
            return Err(format!("refused: {findings:?}"));
        }
        return compat_says(text, peer);
    }
    let (assembled, mut findings) = assemble(text, &ParseOptions::default());
    if let Some(assembled) = &assembled {
        // What is found about slots stands where their statements are.
        for mut finding in validate(&assembled.program, &rules::Options::default()) {
            if let Place::Binary { token: Some(token), .. } = finding.place {
                finding.place =
                    assembled.spans.get(token as usize - 1).map_or(Place::Whole, |span| Place::Text(*span));
            }
            findings.push(finding);
        }
    }
    let at = |d: &Diagnostic| match d.place {
        Place::Text(span) => Some(line_column(text, span.start).0),
        _ => None,
    };
    if category == "c-range" {
        // The row names the declaration, which may stand there unused, so it is warned about; the error is the use, on
        // the next line.
        exactly(&findings, level, id, line + 1, at)?;
        findings.retain(|d| d.id != id);
        exactly(&findings, "lint", "NV2A-uniform-range", line, at)?;
    } else {
        exactly(&findings, level, id, line, at)?;
    }
    compat_says(text, peer)
}

/// What nv2a-vsh does with the text, as the column `peer` tells, in compat mode.
fn compat_says(text: &str, peer: &str) -> Result<(), String> {
    let (program, findings) = parse(text, &ParseOptions { mode: Mode::Compat, ..ParseOptions::default() });
    if peer.starts_with("ACCEPTS") {
        return if program.is_some() { Ok(()) } else { Err(format!("compat refuses: {findings:?}")) };
    }
    let Some(first) = findings.iter().find(|d| d.severity == Severity::Error) else {
        return Err("compat takes it".into());
    };
    // The column is cut. What has addresses of objects in it cannot be said again.
    let Some(said) = peer.strip_prefix("rejects: ") else { return Ok(()) };
    let is_exception = first.id == "NV2A-exception";
    let got = match (said.strip_prefix("syntax "), first.place) {
        (Some(_), Place::Text(span)) if !is_exception => {
            let (line, column) = line_column(text, span.start);
            format!("syntax {line}:{} {}", column - 1, first.message)
        }
        (None, _) if is_exception => first.message.clone(),
        _ => return Err(format!("compat says {first:?}, not {said:?}")),
    };
    let got = got.replace('\n', "\\n");
    if got.starts_with(said) { Ok(()) } else { Err(format!("compat says {got:?}, not {said:?}")) }
}

/// The files of a folder with an ending, by name.
pub(super) fn files(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut out: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    out.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ending)));
    out.sort();
    out
}

pub(super) fn read_file(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// A row for each file of a folder with an ending.
fn check_files<'a>(
    name: &str,
    paths: Vec<std::path::PathBuf>,
    check: impl Fn(&Path) -> Result<(), String> + Send + Sync + 'a,
) -> File<'a> {
    if paths.is_empty() {
        return File::absent(name);
    }
    let mut file = File::new(name);
    let id = |path: &Path| path.file_name().and_then(|n| n.to_str()).unwrap_or("").to_string();
    let rows = paths.into_iter().map(|path| (id(&path), path));
    file.add_all(rows, move |report, id, path| report.case(id, check(path)));
    file
}

/// `inl/`: the output of `nv2avsh`, byte for byte, of the library's writer and of all that the binary of that name
/// does with a file.
fn listings(shared: &Path) -> File<'_> {
    let folder = shared.join("oracle/nv2a/inl");
    check_files("oracle/nv2a/inl", files(&folder, ".vsh"), |path| {
        let text = read_file(path)?;
        let expected = read_file(&path.with_extension("inl"))?;
        for (mode, compat) in [(Mode::Strict, false), (Mode::Compat, true)] {
            let options = ParseOptions { mode, ..ParseOptions::default() };
            let (assembled, findings) = assemble(&text, &options);
            let assembled = assembled.ok_or_else(|| format!("refused: {findings:?}"))?;
            same("listing", &inl(&assembled.program, &assembled.said, compat), &expected)?;
            let options = AssembleOptions { strict_compat: compat, ..AssembleOptions::default() };
            answers("nv2avsh", nv2avsh("a.vsh", text.as_bytes(), &options), &expected)?;
        }
        recognized(&expected)
    })
}

/// What a tool gives for a file that nothing is wrong with.
fn answers(tool: &str, answer: Answer, expected: &str) -> Result<(), String> {
    // nv2a-vsh warns about one thing.
    let quiet = answer.errors.lines().all(|line| line.starts_with("Warning: Paired ILU instruction "));
    match (answer.status(), answer.output, answer.errors.as_str()) {
        (0, Some(output), _) if quiet => same(tool, &output, expected),
        (status, _, errors) => Err(format!("{tool}: status {status}, says {errors:?}")),
    }
}

/// A list of words is recognized, whatever stands in its comments.
fn recognized(words: &str) -> Result<(), String> {
    match sniff(words.as_bytes()) {
        Some(Content::Hex(Isa::Nv2a)) => Ok(()),
        other => Err(format!("taken for {other:?}")),
    }
}

/// `disfiles/`: the output of `nv2avshd -t`, with and without `-e`, byte for byte, of the library's writer and of all
/// that the binary of that name does with a file; without `-t`, from the binary form.
fn disassemblies(shared: &Path) -> File<'_> {
    let folder = shared.join("oracle/nv2a/disfiles");
    check_files("oracle/nv2a/disfiles", files(&folder, ".words"), |path| {
        let words = read_file(path)?;
        let bytes = parse_words(&words).ok_or("no words")?;
        let program = decode(&bytes).map_err(|e| e.to_string())?;
        for (ending, style) in [("dis", Style::Nv2avshd), ("explain", Style::Explain)] {
            let Ok(expected) = read_file(&path.with_extension(ending)) else { continue };
            for compat in [false, true] {
                same(ending, &print(&program, &PrintOptions { style, compat }), &expected)?;
                let explain = style == Style::Explain;
                let options = DisassembleOptions { text: true, explain, strict_compat: compat };
                answers("nv2avshd -t", nv2avshd("a.words", words.as_bytes(), &options), &expected)?;
            }
            let options = DisassembleOptions { explain: style == Style::Explain, ..Default::default() };
            answers("nv2avshd", nv2avshd("a.bin", &bytes, &options), &expected)?;
        }
        Ok(())
    })
}

/// The corpus: bytes and text give the same program back, and the sources assemble to the words beside them.
fn corpus(shared: &Path) -> File<'_> {
    let folder = shared.join("corpus/nv2a");
    check_files("corpus/nv2a (words, text)", files(&folder, ".words"), |path| {
        let text = read_file(path)?;
        recognized(&text)?;
        let bytes = parse_words(&text).ok_or("no words")?;
        let program = decode(&bytes).map_err(|e| e.to_string())?;
        if encode(&program) != bytes {
            return Err("other bytes".into());
        }
        survives(&program)?;
        if let Ok(source) = read_file(&path.with_extension("vsh")) {
            for mode in [Mode::Strict, Mode::Compat] {
                let (assembled, _) = read(&source, &ParseOptions { mode, ..ParseOptions::default() })?;
                same("words", &written(&assembled), &written(&program))?;
            }
        }
        Ok(())
    })
}

/// The words of `slots.jsonl`: nothing is lost, and the operations are those that the disassembly names.
fn slots(shared: &Path) -> File<'_> {
    let file = super::check_lines(shared, "oracle/nv2a/slots.jsonl", |report, id, case| {
        let words = case.get("w").and_then(serde_json::Value::as_str).unwrap_or("");
        let outcome = program(words).and_then(|mut program| {
            survives(&program)?;
            // What nv2a-vsh prints, it means: the line assembles to a slot that says the same.
            let style = |compat| PrintOptions { style: Style::Nv2avshd, compat };
            let line = print(&program, &style(false));
            let (again, _) = read(&line, &ParseOptions::default())?;
            for slot in &mut program.slots {
                slot.set(Field::Final, 1);
            }
            let parts = |line: &str| {
                // Where both units copy one value it does not matter which of them writes an output.
                let mut parts: Vec<String> = line.split(" + ").map(str::to_string).collect();
                parts.sort();
                parts.join(" + ")
            };
            same("disassembly of the disassembly", &parts(&print(&again, &style(false))), &parts(&line))
        });
        report.case(id, outcome);
    });
    file.append_name(" (encoding)")
}
