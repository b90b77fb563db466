//! Direct3D 8 and 9: token streams, assembly text and tables of constants.

use super::{File, Report, check_lines, listed_files};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use vecasm::isa::d3d9::ctab::{self, ConstantTable, RegisterSet, Type};
use vecasm::isa::d3d9::text::{self, PrintOptions, looks_like, parse, print};
use vecasm::isa::d3d9::{ItemKind, Program, bytes};
use vecasm::isa::{AnyProgram, Content, Isa, sniff};

/// Everything about tokens, text and tables of constants.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let mut out = vec![
        check_lines(shared, "oracle/d3d9/asm.jsonl", assembles),
        check_lines(shared, "oracle/d3d9/asm_wine_rejects.jsonl", |report, id, row| {
            report.case(id, accepted(row));
        }),
        check_lines(shared, "oracle/d3d9/ctab.jsonl", |report, id, row| report.case(id, table(shared, row))),
    ];
    for file in ["dis", "exec"] {
        let path = format!("oracle/d3d9/{file}.jsonl");
        out.push(round_trips(shared, &path));
    }
    out.extend(streams(shared));
    out
}

/// The streams in a column `tokens` survive. The lines are not read as JSON: some hold numbers that JSON does not have.
fn round_trips<'a>(shared: &Path, path: &str) -> File<'a> {
    let Ok(text) = std::fs::read_to_string(shared.join(path)) else { return File::absent(path) };
    let mut file = File::new(format!("{path} (round trips)"));
    for (n, line) in text.lines().enumerate() {
        let Some((_, behind)) = line.split_once("\"tokens\":") else { continue };
        let digits = behind.trim_start().strip_prefix('"').and_then(|digits| digits.split('"').next());
        let digits = digits.map(str::to_string);
        file.add(format!("line {}", n + 1), move |report, id| {
            let words = digits.as_deref().ok_or_else(|| String::from("no words")).and_then(words);
            report.case(id, words.and_then(|words| survives(&Program::new(words, &[]))));
        });
    }
    file
}

/// The words of a column of digits.
pub(super) fn words(digits: &str) -> Result<Vec<u32>, String> {
    let word = |text: &str| super::bits(text).ok_or_else(|| format!("{text} is no word"));
    digits.split_whitespace().map(word).collect()
}

fn shown(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
}

pub(super) fn same_words(got: &[u32], wanted: &[u32]) -> Result<(), String> {
    if got == wanted { Ok(()) } else { Err(format!("\n    is  {}\n    not {}", shown(got), shown(wanted))) }
}

pub(super) fn column<'a>(row: &'a Value, name: &str) -> Result<&'a str, String> {
    row.get(name).and_then(Value::as_str).ok_or_else(|| format!("no column {name}"))
}

/// What must hold for every program: bytes, digits and text give it back, and the text is recognized.
fn survives(program: &Program) -> Result<(), String> {
    let encoded = bytes::encode(program);
    if bytes::decode_lossless(&encoded) != *program {
        return Err("other program after encoding and decoding".into());
    }
    let digits = AnyProgram::D3d9(program.clone()).hex();
    if bytes::parse_digits(&digits).as_ref() != Some(&encoded) {
        return Err(format!("the digits give other bytes: {digits}"));
    }
    let printed = print(program, &PrintOptions::default());
    match parse(&printed) {
        (Some(again), _) if again == *program => {}
        (Some(again), _) => return same_words(again.words(), program.words()),
        (None, findings) => return Err(format!("does not read back: {findings:?}\n{printed}")),
    }
    if !looks_like(&printed) || sniff(printed.as_bytes()) != Some(Content::Text(Isa::D3d9)) {
        return Err(format!("is not recognized:\n{printed}"));
    }
    let formatted = text::format(&printed).map_err(|findings| format!("is not formatted: {findings:?}"))?;
    match parse(&formatted).0 {
        Some(again) if again == *program => Ok(()),
        _ => Err(format!("other program after formatting:\n{formatted}")),
    }
}

/// A row of `asm.jsonl`: the text gives the words.
fn assembles(report: &mut Report, id: &str, row: &Value) {
    let source = row.get("text").and_then(Value::as_str).unwrap_or("");
    let check = || {
        let wanted = words(column(row, "tokens")?)?;
        let (program, findings) = parse(source);
        let program = program.ok_or_else(|| format!("refused: {findings:?}\n{source}"))?;
        same_words(program.words(), &wanted)?;
        survives(&program)
    };
    report.case(id, check());
}

/// A row of `asm_wine_rejects.jsonl`: nothing is expected but that what we make of it survives, and, where the other peer
/// assembles it, the same words; but it drops the usage of inputs, which it never encodes.
fn accepted(row: &Value) -> Result<(), String> {
    let source = column(row, "text")?;
    let (program, findings) = parse(source);
    let program = program.ok_or_else(|| format!("refused: {findings:?}"))?;
    if let Ok(digits) = column(row, "mojoshader_tokens") {
        let drops_usage = ["dcl_texcoord", "dcl_color"].iter().any(|dcl| source.contains(dcl));
        let mut wanted = words(digits)?;
        if drops_usage {
            if let (Some(to), Some(from)) = (wanted.get_mut(2), program.words().get(2)) {
                *to = *from;
            }
        }
        same_words(program.words(), &wanted)?;
    }
    survives(&program)
}

/// The streams of the corpus: nothing is lost, every instruction has a syntax, and every table of constants is sound.
fn streams(shared: &Path) -> Vec<File<'_>> {
    let folder = shared.join("corpus/d3d9");
    let name = "corpus/d3d9 (streams)";
    let Some(entries) = listed_files(shared, "d3d9") else { return vec![File::absent(name)] };
    let of = |entry: Value| (column(&entry, "id").unwrap_or("?").to_string(), entry);
    let rows: Vec<(String, Value)> = entries.into_iter().map(of).collect();
    let folder = Arc::new(folder);
    let mut streams = File::new(name);
    let from = Arc::clone(&folder);
    streams.add_all(rows.clone(), move |report, id, entry| report.case(id, stream(&from, entry).map(drop)));
    // What is no stream the rows above tell.
    let mut texts = File::new("corpus/d3d9 (texts)");
    let from = Arc::clone(&folder);
    let with_text = rows.iter().filter(|(_, entry)| column(entry, "asm_file").is_ok()).cloned();
    texts.add_all(with_text, move |report, id, entry| {
        if let (Ok(file), Ok(program)) = (column(entry, "asm_file"), decoded(&from, entry)) {
            texts_of(report, id, &from.join(file), &program.0);
        }
    });
    let mut tables = File::new("corpus/d3d9 (tables of constants written again)");
    tables.add_all(rows, move |report, id, entry| {
        let Ok((program, _)) = decoded(&folder, entry) else { return };
        for words in program.comments().filter(|words| is_table(words)) {
            written_again(report, id, words);
        }
    });
    vec![streams, texts, tables]
}

/// The program of a file, and its bytes.
fn decoded(folder: &Path, entry: &Value) -> Result<(Program, Vec<u8>), String> {
    let file = column(entry, "file")?;
    let data = std::fs::read(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
    Ok((bytes::decode(&data).map_err(|d| d.to_string())?, data))
}

fn stream(folder: &Path, entry: &Value) -> Result<Program, String> {
    let (program, data) = decoded(folder, entry)?;
    if sniff(&data) != Some(Content::Binary(Isa::D3d9)) {
        return Err("is not recognized".into());
    }
    if bytes::encode(&program) != data {
        return Err("other bytes came back".into());
    }
    survives(&program)?;
    let odd = |item: &&vecasm::isa::d3d9::Item| {
        // Two streams of Wine's tests have a comment that is longer than the stream.
        let comment = program.words_of(**item).first().is_some_and(|word| *word as u16 == 0xfffe);
        item.kind == ItemKind::Stray || item.kind == ItemKind::Cut && !comment
    };
    if let Some(item) = program.items().iter().find(odd) {
        return Err(format!("{item:?}: {}", shown(program.words_of(*item))));
    }
    let version = program.version();
    let raw = program.instructions().map(|words| text::instruction(version, words));
    if let Some(line) = raw.into_iter().find(|line| line.contains(".raw")) {
        return Err(format!("has no syntax: {line}"));
    }
    let name = text::version_name(version);
    if column(entry, "version") != Ok(name.as_str()) {
        return Err(format!("the model is {name}"));
    }
    Ok(program)
}

/// The text that belongs to a stream gives its instructions; comments are not in the text.
fn texts_of(report: &mut Report, id: &str, file: &Path, program: &Program) {
    let Ok(source) = std::fs::read_to_string(file) else {
        return report.case(id, Err(format!("{} is not there", file.display())));
    };
    let assembled = |program: &Program| -> Vec<u32> {
        let items = program.items().iter().filter(|item| item.kind != ItemKind::Comment);
        items.flat_map(|item| program.words_of(*item).iter().copied()).collect()
    };
    report.case(
        id,
        match parse(&source) {
            (Some(got), _) => same_words(&assembled(&got), &assembled(program)),
            (None, findings) => Err(format!("refused: {findings:?}\n{source}")),
        },
    );
}

fn is_table(words: &[u32]) -> bool {
    words.first().is_some_and(|word| word.to_le_bytes() == *ctab::NAME)
}

/// A table that is read without a finding and written gives the same words.
fn written_again(report: &mut Report, id: &str, words: &[u32]) {
    let check = || {
        let (table, findings) = ctab::read(words);
        let table = table.filter(|_| findings.is_empty()).ok_or_else(|| format!("{findings:?}"))?;
        same_words(&table.words(), words)
    };
    report.case(id, check());
}

/// A row of `ctab.jsonl`: the symbols.
fn table(shared: &Path, row: &Value) -> Result<(), String> {
    let file = shared.join("corpus/d3d9").join(column(row, "file")?);
    let data = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let program = bytes::decode(&data).map_err(|d| d.to_string())?;
    let (table, findings) = ctab::of(&program);
    if !findings.is_empty() {
        return Err(format!("{findings:?}"));
    }
    let got = table.as_ref().map(symbols).unwrap_or_default();
    let wanted = row.get("symbols").cloned().unwrap_or(Value::Array(Vec::new()));
    if Value::Array(got.clone()) == wanted {
        return Ok(());
    }
    Err(format!("\n    is  {}\n    not {wanted}", Value::Array(got)))
}

pub(super) fn symbols(table: &ConstantTable) -> Vec<Value> {
    let symbol = |c: &ctab::Constant| {
        let mut out = typed(&c.name, &c.ty);
        if let Some(object) = out.as_object_mut() {
            object.insert("register_set".into(), c.register_set().map_or("", RegisterSet::name).into());
            object.insert("register_index".into(), c.index.into());
            object.insert("register_count".into(), c.count.into());
        }
        out
    };
    table.constants.iter().map(symbol).collect()
}

fn typed(name: &str, ty: &Type) -> Value {
    let members: Vec<Value> = ty.members.iter().map(|member| typed(&member.name, &member.ty)).collect();
    serde_json::json!({
        "name": name, "class": ty.class_name(), "type": ty.kind_name(), "rows": ty.rows,
        "columns": ty.columns, "elements": ty.elements, "members": members,
    })
}
