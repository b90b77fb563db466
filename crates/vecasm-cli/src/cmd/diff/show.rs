//! Two programs compared, as text and as JSON.

use super::{Args, RenameScope};
use crate::load::Loaded;
use crate::report::Ctx;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::ops::Range;
use vecasm::compare::diff::{Change, Diff, Rename, Row, diff, renaming};

/// Where two programs differ.
pub(super) struct ProgramComparison {
    /// Instruction by instruction.
    pub(super) found: Diff,
    /// The instructions of both.
    pub(super) texts: [Vec<String>; 2],
    /// What else is different.
    pub(super) remarks: Vec<Remark>,
}

impl ProgramComparison {
    /// Compares two programs; `None` if they are of two instruction sets.
    pub(super) fn of(a: &Loaded, b: &Loaded, rename: RenameScope) -> Option<Self> {
        if a.program.isa() != b.program.isa() {
            return None;
        }
        let texts = [a, b].map(|side| side.program.instruction_texts());
        let rename = match rename {
            RenameScope::None => Rename::Nothing,
            RenameScope::Temporaries => Rename::Files(a.program.temporaries()),
            RenameScope::All => Rename::All,
        };
        let found = diff(&texts[0], &texts[1], rename);
        let remarks = around(a, b, &found);
        Some(Self { found, texts, remarks })
    }

    /// Whether they are the same but for names, comments and the like.
    pub(super) fn is_same(&self) -> bool {
        self.found.is_same() && self.remarks.iter().all(|remark| !remark.counts)
    }

    /// `2 changed, 1 only in the first, 0 only in the second`.
    pub(super) fn counts(&self) -> String {
        let [changed, removed, added] = self.found.counts();
        format!("{changed} changed, {removed} only in the first, {added} only in the second")
    }

    /// What is different beside instructions, in lines.
    pub(super) fn beside(&self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.found.renamed.is_empty() {
            let what = if self.found.is_same() { "same up to renaming" } else { "renamed" };
            out.push(format!("{what} {}", renaming(&self.found)));
        }
        out.extend(self.remarks.iter().map(|remark| remark.text.clone()));
        out
    }
}

/// A difference that is in no instruction.
pub(super) struct Remark {
    pub(super) text: String,
    /// Whether it makes the programs different.
    pub(super) counts: bool,
}

/// What is said of programs with the same instructions that are not the same.
pub(super) const UNSEEN: &str =
    "the instructions are the same; comments, the header or bytes after the end differ";

/// What is different around the instructions.
fn around(a: &Loaded, b: &Loaded, found: &Diff) -> Vec<Remark> {
    let mut out = Vec::new();
    let [x, y] = [a, b].map(|side| (side.program.model(), side.program.stage().name()));
    if x != y {
        let name = |(model, stage): (String, &str)| format!("{model} {stage}");
        out.push(Remark { text: format!("the first is {}, the second {}", name(x), name(y)), counts: true });
    } else if found.is_same() && found.renamed.is_empty() && a.program.encode() != b.program.encode() {
        out.push(Remark { text: UNSEEN.into(), counts: false });
    }
    out
}

const NONE: [&str; 2] = ["", ""];
const RED: [&str; 2] = ["\x1b[31m", "\x1b[0m"];
const GREEN: [&str; 2] = ["\x1b[32m", "\x1b[0m"];
const DIM: [&str; 2] = ["\x1b[2m", "\x1b[0m"];
const CYAN: [&str; 2] = ["\x1b[36m", "\x1b[0m"];
const BOLD: [&str; 2] = ["\x1b[1m", "\x1b[0m"];

/// The instructions that differ, with what is around them; nothing if none do.
pub(super) fn rows(args: &Args, ctx: &Ctx, names: [&str; 2], compared: &ProgramComparison) -> String {
    let ProgramComparison { found, texts, .. } = compared;
    let color = |code: [&'static str; 2]| if ctx.color_out { code } else { NONE };
    let mut out = String::new();
    if !found.is_same() {
        let [on, off] = color(BOLD);
        let [a, b] = names.map(vecasm::diag::printable_line);
        let _ = writeln!(out, "{on}--- {a}{off}\n{on}+++ {b}{off}");
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
    if !found.is_same() {
        let _ = writeln!(out, "{}", compared.counts());
    }
    out
}

/// All that there is to say about two programs.
pub(super) fn text(args: &Args, ctx: &Ctx, names: [&str; 2], compared: &ProgramComparison) -> String {
    let mut out = rows(args, ctx, names, compared);
    for line in compared.beside() {
        let _ = writeln!(out, "{line}");
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

/// The members of the object about two programs.
pub(super) fn to_json(compared: &ProgramComparison) -> Map<String, Value> {
    let ProgramComparison { found, texts, remarks } = compared;
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
    let value = json!({
        "same": compared.is_same(),
        "changed": changed,
        "removed": removed,
        "added": added,
        "renamed": found.renamed,
        "remarks": remarks.iter().map(|remark| &remark.text).collect::<Vec<_>>(),
        "rows": rows,
    });
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
