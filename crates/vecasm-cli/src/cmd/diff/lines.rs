//! Two edits of a program put together, line by line of its text.

use super::show::ProgramComparison;
use crate::Outcome;
use crate::args::ReadingArgs;
use crate::io::Input;
use crate::load::{self, Loaded};
use vecasm::compare::diff::{Rename, diff};
use vecasm::compare::merge::{Merge, Names, merge};
use vecasm::container::with_comments_of;
use vecasm::diag::Diagnostic;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::{AssumedNotation, Notation, OpenOptions};

/// Three programs as lines, and the edits put together.
pub(super) struct MergedLines {
    isa: Isa,
    /// The lines of the base, the first and the second program.
    pub(super) lines: [Vec<String>; 3],
    /// What comes from where.
    pub(super) merge: Merge,
}

impl MergedLines {
    /// Puts the edits of two programs together. A program of Direct3D without the comments that the base begins with counts as
    /// having them.
    pub(super) fn of([base, a, b]: [&AnyProgram; 3]) -> Result<Self, String> {
        let isa = base.isa();
        if a.isa() != isa || b.isa() != isa {
            let [base, a, b] = [base, a, b].map(|program| program.isa().name());
            return Err(format!("programs of {base}, {a} and {b} have no instructions in common"));
        }
        let sides = match isa {
            Isa::D3d9 => {
                let old = base.encode();
                let with = |program: &AnyProgram| {
                    let bytes = with_comments_of(&old, &program.encode());
                    AnyProgram::from(vecasm::isa::d3d9::bytes::decode_lossless(&bytes))
                };
                [base.clone(), with(a), with(b)]
            }
            _ => [base.clone(), a.clone(), b.clone()],
        };
        let lines = sides.each_ref().map(lines_of);
        let subroutines =
            lines.each_ref().map(|lines| lines.iter().filter(|line| is_subroutine(line)).count());
        let called = lines.iter().flatten().any(|line| line.contains(CALL));
        if isa == Isa::Tgsi && called && subroutines.iter().any(|count| *count != subroutines[0]) {
            return Err("a subroutine was added or removed, so that the numbers in CAL mean others".into());
        }
        let merge = merge(&lines[0], &lines[1], &lines[2]);
        Ok(Self { isa, lines, merge })
    }

    /// What a side, 1 or 2, changed, line by line. A register with another name is a change like all others.
    pub(super) fn changes(&self, side: usize) -> ProgramComparison {
        let lines = [&self.lines[0], &self.lines[side]];
        let mut found = diff(lines[0], lines[1], Rename::Nothing);
        // A comment in braces is shown in one line, in which no place can be marked.
        let is_block = |side: usize, n: Option<usize>| n.is_some_and(|n| lines[side][n].contains('\n'));
        for row in &mut found.rows {
            if is_block(0, row.places[0]) || is_block(1, row.places[1]) {
                row.marks = Default::default();
            }
        }
        let texts = lines.map(|lines| lines.iter().map(|line| in_one_line(line)).collect());
        ProgramComparison { found, texts, remarks: Vec::new() }
    }

    /// The merged text; conflicts are between markers.
    pub(super) fn text(&self, names: Names<'_>) -> String {
        let [base, a, b] = &self.lines;
        let mut lines = self.merge.texts(base, a, b, names);
        if self.isa == Isa::Tgsi {
            number_calls(&mut lines);
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// What the merged text is, if there is no conflict in it; or what is wrong with it.
    pub(super) fn read(
        &self,
        name: &str,
        names: Names<'_>,
    ) -> Outcome<Result<Loaded, (Input, Vec<Diagnostic>)>> {
        let input = Input::new(name, None, self.text(names).into_bytes());
        let open = OpenOptions::default().with_isa(self.isa).with_notation(Notation::Text);
        load::read(input, &ReadingArgs::of(open), AssumedNotation::Text)
    }
}

/// The lines of the text that says a program without loss, a comment in braces as one. Nothing in them depends on how many
/// lines are in front.
fn lines_of(program: &AnyProgram) -> Vec<String> {
    let text = program.to_text();
    let mut out: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim();
        if inside {
            if let Some(block) = out.last_mut() {
                block.push('\n');
                block.push_str(line);
            }
            inside = line != "}";
        } else if !line.is_empty() && !line.starts_with("//") {
            inside = line.starts_with('.') && line.ends_with('{');
            out.push(line.into());
        }
    }
    if program.isa() == Isa::Tgsi {
        name_calls(&mut out);
    }
    out
}

/// A line as it is; of a comment in braces how many lines it has.
fn in_one_line(line: &str) -> String {
    match line.split_once('\n') {
        Some((head, rest)) => format!("{head} … }} ({} lines)", rest.lines().count().saturating_sub(1)),
        None => line.into(),
    }
}

/// What stands behind CAL in place of the number of an instruction: the number of the subroutine.
const CALL: &str = "CAL :sub";

fn is_subroutine(line: &str) -> bool {
    line.trim_start().starts_with("BGNSUB")
}

/// The number that a line of TGSI begins with, and the instruction behind it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = line.split_once(':')?;
    Some((number.trim().parse().ok()?, rest.trim()))
}

/// Takes the numbers of instructions out of lines of TGSI: those in front, and labels, which a reader makes again.
fn name_calls(lines: &mut [String]) {
    let subroutines: Vec<usize> = lines
        .iter()
        .filter_map(|line| numbered(line))
        .filter(|(_, rest)| is_subroutine(rest))
        .map(|(n, _)| n)
        .collect();
    for line in lines {
        let Some((_, instruction)) = numbered(line) else { continue };
        let mut new = instruction.to_string();
        if let Some((front, label)) = instruction.rsplit_once(" :") {
            if let Ok(label) = label.parse::<usize>() {
                let target = subroutines.iter().position(|at| *at == label);
                match target.filter(|_| front.ends_with("CAL")) {
                    Some(target) => new = format!("{front} :sub{target}"),
                    None if front.ends_with("CAL") => {}
                    None => new = front.into(),
                }
            }
        }
        *line = new;
    }
}

/// Gives calls the numbers of the instructions that they mean.
fn number_calls(lines: &mut [String]) {
    let is_instruction = |line: &&mut String| {
        let word = line.split([' ', '[', '.']).next().unwrap_or_default();
        let marker = line.starts_with(['<', '|', '=', '>']);
        !marker
            && !["DCL", "IMM", "PROPERTY", "VERT", "FRAG", "GEOM", "COMP", "TESS_CTRL", "TESS_EVAL", ""]
                .contains(&word)
    };
    let mut subroutines = Vec::new();
    for (n, line) in lines.iter_mut().filter(is_instruction).enumerate() {
        if is_subroutine(line) {
            subroutines.push(n);
        }
    }
    for line in lines {
        let call =
            line.split_once(CALL).map(|(front, number)| (front.to_string(), number.parse::<usize>().ok()));
        if let Some((front, number)) = call {
            if let Some(at) = number.and_then(|number| subroutines.get(number)) {
                *line = format!("{front}CAL :{at}");
            }
        }
    }
}
