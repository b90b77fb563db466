//! Direct3D 8 and 9: listings as others print them, and reading them back.

use super::d3d9_text::{column, same_words, words};
use super::{File, Report, check_lines, listed_files};
use serde_json::Value;
use std::path::Path;
use vecasm::isa::d3d9::text::preprocess::Options;
use vecasm::isa::d3d9::text::{PrintOptions, ReadOptions, Style, assemble, parse, print};
use vecasm::isa::d3d9::{ItemKind, Program, bytes};

/// Everything about listings.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![
        check_lines(shared, "oracle/d3d9/dis.jsonl", |report, id, row| report.case(id, as_wine(shared, row))),
        check_lines(shared, "oracle/d3d9/dis_native_fxc.jsonl", |report, id, row| {
            report.case(id, as_microsoft(shared, row));
        }),
        check_lines(shared, "oracle/d3d9/mustfail.jsonl", refused),
        corpus(shared),
        read_wine(shared),
    ]
}

/// The stream of a row: a file of the corpus, or the words in it.
fn stream(shared: &Path, row: &Value) -> Result<Program, String> {
    match column(row, "file") {
        Ok(file) => {
            let file = shared.join("corpus/d3d9").join(file);
            let data = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            Ok(bytes::decode_lossless(&data))
        }
        Err(_) => Ok(Program::new(words(column(row, "tokens")?)?, &[])),
    }
}

fn same_text(got: &str, wanted: &str) -> Result<(), String> {
    if got == wanted {
        return Ok(());
    }
    let mut lines = got.lines().zip(wanted.lines()).filter(|(a, b)| a != b);
    Err(match lines.next() {
        Some((got, wanted)) => format!("is  {got:?}\n    not {wanted:?}"),
        None => format!("one is longer:\n{got:?}\n{wanted:?}"),
    })
}

/// A row of `dis.jsonl`: the listing of Wine, byte for byte.
fn as_wine(shared: &Path, row: &Value) -> Result<(), String> {
    let program = stream(shared, row)?;
    same_text(&print(&program, &PrintOptions { style: Style::Wine }), column(row, "wine_text")?)
}

/// A row of `dis_native_fxc.jsonl`: the listing of Microsoft's compiler, byte for byte but for its command line, which
/// is not in the stream.
fn as_microsoft(shared: &Path, row: &Value) -> Result<(), String> {
    let program = stream(shared, row)?;
    let text = column(row, "text")?;
    let mut wanted = String::new();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("//   fxc ") {
            // It may take several lines; two empty ones are behind it.
            while lines.next_if(|line| line.trim_end() != "//").is_some() {}
            while lines.next_if(|line| line.trim_end() == "//").is_some() {}
            continue;
        }
        wanted += line;
    }
    same_text(&print(&program, &PrintOptions { style: Style::Listing }), &wanted)
}

/// The words of the instructions.
fn instructions(program: &Program) -> Vec<u32> {
    program.instructions().flatten().copied().collect()
}

/// Reads a listing as one of `original`.
fn read_like(text: &str, original: &Program) -> Result<Program, String> {
    let reading = ReadOptions { like: Some(original), ..ReadOptions::default() };
    let done = assemble(text, &Options::default(), &reading, &mut |_| Err("no file".into()));
    done.program.ok_or_else(|| format!("refused: {:?}\n{text}", done.findings))
}

/// What must hold for the listings of a program: Microsoft's has the instructions, and each gives the file again if it
/// is read as a listing of it.
fn comes_back(program: &Program) -> Result<(), String> {
    let listing = print(program, &PrintOptions { style: Style::Listing });
    let (again, findings) = parse(&listing);
    let again = again.ok_or_else(|| format!("refused: {findings:?}\n{listing}"))?;
    same_words(&instructions(&again), &instructions(program))?;
    for style in [Style::Listing, Style::Wine, Style::Lossless] {
        let text = print(program, &PrintOptions { style });
        let again = read_like(&text, program)?;
        if bytes::encode(&again) != bytes::encode(program) {
            same_words(again.words(), program.words()).map_err(|e| format!("{}: {e}", style.name()))?;
            return Err(format!("{}: other bytes behind the last word", style.name()));
        }
    }
    edited(program, &listing)
}

/// One instruction put into a listing and one taken out of it: everything else stays as it is.
fn edited(program: &Program, listing: &str) -> Result<(), String> {
    let is_said = |line: &&str| line.starts_with("    ") && !line.trim_start().starts_with(['v', 'p']);
    let lines: Vec<&str> = listing.lines().filter(is_said).collect();
    let items: Vec<_> = program.items().iter().filter(|i| i.kind == ItemKind::Instruction).copied().collect();
    let odd = program.items().iter().any(|i| matches!(i.kind, ItemKind::Stray | ItemKind::Cut));
    if odd || lines.len() != items.len() || items.len() < 2 {
        return Ok(());
    }
    let (gone, line) = (items[items.len() / 2], lines[lines.len() / 2]);
    let Some(at) = listing
        .match_indices(line)
        .map(|found| found.0)
        .nth(lines.iter().take(lines.len() / 2).filter(|other| other.starts_with(line)).count())
    else {
        return Ok(());
    };
    let mut text = listing.to_string();
    text.replace_range(at..at + line.len(), "    nop");
    let again = read_like(&text, program)?;
    let mut wanted = program.words().to_vec();
    let range = gone.start as usize..(gone.start + gone.len) as usize;
    wanted.splice(range, [0]);
    same_words(again.words(), &wanted).map_err(|e| format!("edited: {e}"))
}

/// Every stream of the corpus.
fn corpus(shared: &Path) -> File<'_> {
    let Some(entries) = listed_files(shared, "d3d9") else { return File::absent("corpus/d3d9 (listings)") };
    let mut file = File::new("corpus/d3d9 (listings read back)");
    for entry in entries {
        file.add(column(&entry, "id").unwrap_or("?").to_string(), move |report, id| {
            report.case(id, stream(shared, &entry).and_then(|program| comes_back(&program)));
        });
    }
    file
}

/// The listings that Wine printed, read as listings of their streams.
fn read_wine(shared: &Path) -> File<'_> {
    let file = check_lines(shared, "oracle/d3d9/dis.jsonl", |report, id, row| {
        let check = || {
            let program = stream(shared, row)?;
            let again = read_like(column(row, "wine_text")?, &program)?;
            same_words(again.words(), program.words())
        };
        report.case(id, check());
    });
    file.append_name(" (read back)")
}

/// Rules of `mustfail.jsonl` that are about the text alone.
const OF_TEXT: [&str; 3] = ["syntax", "version", "preprocessor"];

/// A row of `mustfail.jsonl` that an assembler refuses: those about the text are refused here, with a place; the others
/// are for the validator if they assemble.
fn refused(report: &mut Report, id: &str, row: &Value) {
    if column(row, "stage") != Ok("assemble") {
        return report.skip("for the validator");
    }
    let check = || {
        let text = column(row, "text")?;
        let rule = column(row, "rule")?;
        match parse(text) {
            (None, findings) if findings.is_empty() => Err("refused without a finding".into()),
            (None, _) => Ok(true),
            (Some(_), _) if OF_TEXT.contains(&rule) => Err(format!("{rule}: assembled:\n{text}")),
            _ => Ok(false),
        }
    };
    match check() {
        Ok(true) => report.case(id, Ok(())),
        Ok(false) => report.skip("assembled, and left to the validator"),
        Err(why) => report.case(id, Err(why)),
    }
}
