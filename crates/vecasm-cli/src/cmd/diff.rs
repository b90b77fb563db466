//! `vecasm diff`: where two programs differ as texts.

use crate::args::ReadingArgs;
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome, io};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use vecasm::compare::diff::{Change, Diff, Rename, Row, diff, renaming};

/// Show where two programs differ, instruction by instruction, ignoring renamed registers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm diff old.frag.agal new.frag.agal\n  \
    vecasm diff old.ps.bin new.ps.d3d9 --side-by-side\n  \
    vecasm diff a.vsh b.vsh --rename all -U 0 --format json\n\n\
    Texts and binaries of one instruction set are compared, as instructions. A row that begins with `~` differs only \
    in register names; below a changed pair, `^` marks what differs.\n\
    Exit status: 0 the same but for register names, 1 different, 2 usage or input/output error.")]
pub(crate) struct Args {
    /// First program; `-` is standard input
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Second program; `-` is standard input
    #[arg(value_name = "B")]
    second: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Registers that may be renamed
    #[arg(long, value_name = "WHICH", default_value = "temporaries", help_heading = "Comparing")]
    rename: Which,
    /// Number of unchanged instructions shown around a difference
    #[arg(short = 'U', long, value_name = "N", default_value_t = 3, help_heading = "Output")]
    unified: usize,
    /// Show both programs side by side
    #[arg(short = 'y', long, help_heading = "Output")]
    side_by_side: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// None: another name is a difference
    None,
    /// Those that only the program itself sees
    Temporaries,
    /// All, each within its file: inputs, constants, samplers too
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let [a, b] = load::two(&args.first, &args.second, &args.reading, ctx)?;
    if a.program.isa() != b.program.isa() {
        let [a, b] = [&a, &b].map(|side| side.program.isa().name());
        return Err(Failure::usage(format!(
            "programs of {a} and {b} have no instructions in common; `vecasm eqv` tests whether they do the same"
        )));
    }
    let texts = [&a, &b].map(|side| side.program.instruction_texts());
    let rename = match args.rename {
        Which::None => Rename::Nothing,
        Which::Temporaries => Rename::Files(a.program.temporaries()),
        Which::All => Rename::All,
    };
    let found = diff(&texts[0], &texts[1], rename);
    let around = around(&a, &b, &found);
    let same = found.is_same() && around.iter().all(|remark| !remark.counts);
    let text = match args.format {
        Format::Text if !ctx.json() => text(args, ctx, [&a, &b], &found, &texts, &around),
        _ => format!("{}\n", to_json(&found, &texts, &around, same)),
    };
    io::print(&text)?;
    if same { Ok(()) } else { Err(Failure::Shader) }
}

/// A difference that is in no instruction.
struct Remark {
    text: String,
    /// Whether it makes the programs different.
    counts: bool,
}

/// What is different around the instructions.
fn around(a: &Loaded, b: &Loaded, found: &Diff) -> Vec<Remark> {
    let mut out = Vec::new();
    let [x, y] = [a, b].map(|side| (side.program.model(), side.program.stage().name()));
    if x != y {
        let name = |(model, stage): (String, &str)| format!("{model} {stage}");
        out.push(Remark { text: format!("the first is {}, the second {}", name(x), name(y)), counts: true });
    } else if found.is_same() && found.renamed.is_empty() && a.program.encode() != b.program.encode() {
        let text = "the instructions are the same; comments, the header or bytes after the end differ";
        out.push(Remark { text: text.into(), counts: false });
    }
    out
}

const NONE: [&str; 2] = ["", ""];
const RED: [&str; 2] = ["\x1b[31m", "\x1b[0m"];
const GREEN: [&str; 2] = ["\x1b[32m", "\x1b[0m"];
const DIM: [&str; 2] = ["\x1b[2m", "\x1b[0m"];
const CYAN: [&str; 2] = ["\x1b[36m", "\x1b[0m"];
const BOLD: [&str; 2] = ["\x1b[1m", "\x1b[0m"];

fn text(
    args: &Args,
    ctx: &Ctx,
    [a, b]: [&Loaded; 2],
    found: &Diff,
    texts: &[Vec<String>; 2],
    around: &[Remark],
) -> String {
    let color = |code: [&'static str; 2]| if ctx.color_out { code } else { NONE };
    let mut out = String::new();
    if !found.is_same() {
        let [on, off] = color(BOLD);
        let _ = writeln!(out, "{on}--- {}{off}\n{on}+++ {}{off}", a.input.name, b.input.name);
    }
    for hunk in hunks(&found.rows, args.unified) {
        let rows = &found.rows[hunk.clone()];
        let place = |side: usize| {
            let first = rows.iter().find_map(|row| row.places[side]).map_or(0, |n| n + 1);
            let count = rows.iter().filter(|row| row.places[side].is_some()).count();
            format!("{first},{count}")
        };
        let [on, off] = color(CYAN);
        let _ = writeln!(out, "{on}@@ -{} +{} @@{off}", place(0), place(1));
        if args.side_by_side {
            beside(&mut out, rows, texts, &color);
        } else {
            below(&mut out, rows, texts, &color);
        }
    }
    let [changed, removed, added] = found.counts();
    if !found.is_same() {
        let _ = writeln!(out, "{changed} changed, {removed} only in the first, {added} only in the second");
    }
    if !found.renamed.is_empty() {
        let what = if found.is_same() { "same up to renaming" } else { "renamed" };
        let _ = writeln!(out, "{what} {}", renaming(found));
    }
    for remark in around {
        let _ = writeln!(out, "{}", remark.text);
    }
    out
}

/// Ranges of rows that are shown: differences with what is around them.
fn hunks(rows: &[Row], around: usize) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        if matches!(row.change, Change::Same | Change::Renamed) {
            continue;
        }
        let (from, to) = (n.saturating_sub(around), n.saturating_add(around + 1).min(rows.len()));
        match out.last_mut() {
            Some(last) if last.end >= from => last.end = to,
            _ => out.push(from..to),
        }
    }
    out
}

/// A line of `^` under the bytes that are marked.
fn carets(text: &str, marks: &[Range<usize>]) -> Option<String> {
    let mut out = String::new();
    for (at, _) in text.char_indices() {
        out.push(if marks.iter().any(|mark| mark.contains(&at)) { '^' } else { ' ' });
    }
    (!marks.is_empty()).then(|| out.trim_end().to_string())
}

type Paint<'a> = dyn Fn([&'static str; 2]) -> [&'static str; 2] + 'a;

fn below(out: &mut String, rows: &[Row], texts: &[Vec<String>; 2], color: &Paint<'_>) {
    let of =
        |side: usize, row: &Row| row.places[side].and_then(|n| texts[side].get(n)).map_or("", String::as_str);
    for row in rows {
        let mut line = |sign: char, side: usize, paint: [&'static str; 2]| {
            let ([on, off], text) = (color(paint), of(side, row));
            let _ = writeln!(out, "{on}{sign} {text}{off}");
            if let Some(carets) = carets(text, &row.marks[side]) {
                let _ = writeln!(out, "{on}  {carets}{off}");
            }
        };
        match row.change {
            Change::Same => line(' ', 0, NONE),
            Change::Renamed => line('~', 1, DIM),
            Change::Removed => line('-', 0, RED),
            Change::Added => line('+', 1, GREEN),
            Change::Changed => {
                line('-', 0, RED);
                line('+', 1, GREEN);
            }
        }
    }
}

fn beside(out: &mut String, rows: &[Row], texts: &[Vec<String>; 2], color: &Paint<'_>) {
    let of =
        |side: usize, row: &Row| row.places[side].and_then(|n| texts[side].get(n)).map_or("", String::as_str);
    let wide = rows.iter().map(|row| of(0, row).chars().count()).max().unwrap_or(0).max(20);
    for row in rows {
        let (x, y) = (of(0, row), of(1, row));
        let (sign, first, second) = match row.change {
            Change::Same => (' ', NONE, NONE),
            Change::Renamed => ('~', DIM, DIM),
            Change::Changed => ('|', RED, GREEN),
            Change::Removed => ('<', RED, NONE),
            Change::Added => ('>', NONE, GREEN),
        };
        let ([on, off], [on2, off2]) = (color(first), color(second));
        let line = format!("{on}{x:<wide$}{off} {sign} {on2}{y}{off2}");
        let _ = writeln!(out, "{}", line.trim_end());
        let marks = [carets(x, &row.marks[0]), carets(y, &row.marks[1])].map(Option::unwrap_or_default);
        if marks.iter().any(|m| !m.is_empty()) {
            let line = format!("{on}{:<wide$}{off}   {on2}{}{off2}", marks[0], marks[1]);
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
}

fn to_json(found: &Diff, texts: &[Vec<String>; 2], around: &[Remark], same: bool) -> Value {
    let rows: Vec<Value> = found
        .rows
        .iter()
        .map(|row| {
            let side = |side: usize| {
                row.places[side].map(|n| {
                    json!({
                        "instruction": n,
                        "text": texts[side].get(n),
                        "marks": row.marks[side].iter().map(|m| [m.start, m.end]).collect::<Vec<_>>(),
                    })
                })
            };
            let change = match row.change {
                Change::Same => "same",
                Change::Renamed => "renamed",
                Change::Changed => "changed",
                Change::Removed => "removed",
                Change::Added => "added",
            };
            json!({ "change": change, "a": side(0), "b": side(1) })
        })
        .collect();
    let [changed, removed, added] = found.counts();
    json!({
        "same": same,
        "changed": changed,
        "removed": removed,
        "added": added,
        "renamed": found.renamed,
        "remarks": around.iter().map(|remark| &remark.text).collect::<Vec<_>>(),
        "rows": rows,
    })
}
