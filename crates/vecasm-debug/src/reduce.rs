//! Making a program that fails smaller, as long as it still fails.
//!
//! [`reduce`] works on texts, one instruction a line, in any syntax of any instruction set: it takes lines away (delta
//! debugging: large parts first), then what is in them: halves of pairs, suffixes, modifiers, signs, masks and swizzles,
//! operands, and makes numbers and registers small. What a text means it asks from outside: whether it can be read at
//! all, and whether it still fails. A binary is reduced as its lossless text.
//!
//! Every step that is kept makes the text cheaper by [`cost`], so it ends; the same text and answers give the same result.

use crate::compare::words::{Kind, Word, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// How much may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How often it is asked whether a text still fails, at most.
    pub tries: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tries: 10_000 }
    }
}

/// Who is asked, and who is told.
pub trait Judge {
    /// Whether a text is a program. What is none is not asked about further, and costs no try.
    fn reads(&mut self, text: &str) -> bool;

    /// Whether it still fails.
    fn fails(&mut self, text: &str) -> bool;

    /// A smaller text that fails was found, after so many tries.
    fn kept(&mut self, text: &str, tries: usize) {
        let _ = (text, tries);
    }
}

/// A reduced text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The text.
    pub text: String,
    /// How often it was asked whether a text still fails.
    pub tries: usize,
    /// Whether nothing smaller was left to try; otherwise the tries ran out.
    pub done: bool,
}

/// What makes a text large, the most important first: lines that are not blank, words, and how odd its numbers, names of
/// operations and letters are.
pub fn cost(text: &str) -> (usize, usize, usize) {
    let mut out = (0, 0, 0);
    for line in text.lines() {
        if line.trim().is_empty() {
            continue;
        }
        out.0 += 1;
        out.2 += line.len();
        let words = words(line);
        out.1 += words.len();
        for word in &words {
            let letters = word.text(line);
            out.2 += match word.kind {
                Kind::Index | Kind::Number => {
                    let small = letters.parse::<usize>().unwrap_or(1000).min(1000);
                    small * 16
                }
                Kind::Mnemonic if letters.eq_ignore_ascii_case("mov") => 0,
                Kind::Mnemonic => 8,
                _ => 0,
            };
        }
    }
    out
}

/// Makes a text smaller that fails. The text given is not asked about: it counts as failing.
pub fn reduce(text: &str, options: &Options, judge: &mut dyn Judge) -> Reduced {
    let mut it = Reduction { text: text.to_string(), tries: 0, most: options.tries, judge };
    loop {
        let before = cost(&it.text);
        it.lines();
        it.inside();
        if it.tries >= it.most || cost(&it.text) >= before {
            let done = it.tries < it.most;
            return Reduced { text: it.text, tries: it.tries, done };
        }
    }
}

struct Reduction<'a> {
    text: String,
    tries: usize,
    most: usize,
    judge: &'a mut dyn Judge,
}

impl Reduction<'_> {
    /// Takes a text over if it is cheaper and still fails.
    fn take(&mut self, text: String) -> bool {
        if self.tries >= self.most || cost(&text) >= cost(&self.text) || !self.judge.reads(&text) {
            return false;
        }
        self.tries += 1;
        if !self.judge.fails(&text) {
            return false;
        }
        self.text = text;
        self.judge.kept(&self.text, self.tries);
        true
    }

    /// Takes parts of the lines away: halves, quarters and so on down to single ones, as long as one can go.
    fn lines(&mut self) {
        let mut size = self.text.lines().count().div_ceil(2);
        while size > 0 {
            let mut any = false;
            // From the end, where what is computed is used last.
            let mut end = self.text.lines().count();
            while end > 0 {
                let start = end.saturating_sub(size);
                if self.take(without_lines(&self.text, start..end)) {
                    any = true;
                }
                end = start;
                if self.tries >= self.most {
                    return;
                }
            }
            size = match (any, size) {
                (true, 1) => 1,
                (false, 1) => 0,
                _ => size.div_ceil(2),
            };
        }
    }

    /// Simplifies lines one after another.
    fn inside(&mut self) {
        let mut n = 0;
        while n < self.text.lines().count() {
            let Some(line) = self.text.lines().nth(n).map(str::to_string) else { return };
            let mut kept = false;
            for candidate in simpler(&line) {
                if self.tries >= self.most {
                    return;
                }
                if self.take(with_line(&self.text, n, &candidate)) {
                    kept = true;
                    break;
                }
            }
            // What is simpler now may become simpler still.
            if !kept {
                n += 1;
            }
        }
    }
}

fn without_lines(text: &str, range: Range<usize>) -> String {
    let lines = text.split_inclusive('\n').enumerate().filter(|(n, _)| !range.contains(n));
    lines.map(|(_, line)| line).collect()
}

fn with_line(text: &str, n: usize, with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if i == n {
            out.push_str(with);
            if line.ends_with('\n') {
                out.push('\n');
            }
        } else {
            out.push_str(line);
        }
    }
    out
}

/// Simpler lines, from the one that drops most on.
fn simpler(line: &str) -> Vec<String> {
    let words = words(line);
    let mut out = Vec::new();
    let cut = |range: Range<usize>, with: &str| {
        format!("{}{with}{}", line.get(..range.start).unwrap_or(""), line.get(range.end..).unwrap_or(""))
    };
    let end = words.last().map_or(0, |word| word.range.end);
    // Comments.
    out.push(line.get(..end).unwrap_or(line).to_string());
    // One half of a pair.
    for word in words.iter().filter(|word| word.text(line) == "+") {
        out.push(line.get(..word.range.start).unwrap_or("").trim_end().to_string());
        out.push(line.get(word.range.end..).unwrap_or("").trim_start().to_string());
    }
    let Some(operation) = words.iter().position(|word| word.kind == Kind::Mnemonic) else { return out };
    // What stands in front: a predicate, the sign of a pair.
    if operation > 0 {
        out.push(cut(0..words[operation].range.start, ""));
    }
    // Operands: a move of the first source, and each one gone.
    let capital = words[operation].text(line).starts_with(|c: char| c.is_ascii_uppercase());
    let mov = if capital { "MOV" } else { "mov" };
    let operands = operands(line, &words, operation);
    if let [destination, source, ..] = &operands[..] {
        out.push(format!("{mov} {}, {}", slice(line, destination), slice(line, source)));
        for other in operands.iter().skip(2) {
            out.push(format!("{mov} {}, {}", slice(line, destination), slice(line, other)));
        }
    }
    for pair in operands.windows(2) {
        out.push(cut(pair[0].end..pair[1].end, ""));
    }
    // A source for another one.
    for (n, operand) in operands.iter().enumerate().skip(1) {
        for other in operands.iter().take(n).skip(1) {
            out.push(cut(operand.clone(), slice(line, other)));
        }
    }
    // Suffixes of the operation, from the last one on.
    let name = words[operation].text(line);
    for (at, _) in name.match_indices('_') {
        let start = words[operation].range.start;
        out.push(cut(start + at..words[operation].range.end, ""));
        let next = name.get(at + 1..).and_then(|rest| rest.find('_')).map(|n| at + 1 + n);
        if let Some(next) = next {
            out.push(cut(start + at..start + next, ""));
        }
    }
    for (n, word) in words.iter().enumerate().skip(operation + 1) {
        let letters = word.text(line);
        let range = word.range.clone();
        match word.kind {
            // With the dot.
            Kind::Lanes => {
                out.push(cut(range.start - 1..range.end, ""));
                let first: String = letters.chars().take(1).collect();
                if letters.len() > 1 {
                    out.push(cut(range, &first));
                }
            }
            Kind::Modifier => out.push(cut(range, "")),
            Kind::Index | Kind::Number => {
                for small in ["0", "1", "2", "3"].into_iter().take_while(|small| *small != letters) {
                    out.push(cut(range.clone(), small));
                }
            }
            Kind::Sign => match letters {
                "-" | "!" | "|" => {
                    out.push(cut(range.clone(), ""));
                    // The number of a complement, `1-r0`, goes with it.
                    let before = n.checked_sub(1).and_then(|n| words.get(n));
                    if let Some(before) = before.filter(|word| word.kind == Kind::Number) {
                        out.push(cut(before.range.start..range.end, ""));
                    }
                    // Both bars of a magnitude.
                    let other =
                        words.iter().skip(n + 1).find(|word| letters == "|" && word.text(line) == "|");
                    if let Some(other) = other {
                        let inner = line.get(range.end..other.range.start).unwrap_or("");
                        out.push(cut(range.start..other.range.end, inner));
                    }
                }
                "[" => {
                    // `c[a0.x+3]`: an element that is not computed.
                    if let Some(close) = words.iter().skip(n).find(|word| word.text(line) == "]") {
                        out.push(cut(range.start..close.range.end, "0"));
                        out.push(cut(range.start..close.range.end, "[0]"));
                    }
                }
                "<" => {
                    // Options of a sampler, one by one.
                    for part in words.iter().skip(n + 1).filter(|word| word.text(line) == ",") {
                        out.push(cut(part.range.start..part.range.end, ""));
                    }
                }
                _ => {}
            },
            Kind::Mnemonic | Kind::File => {}
        }
    }
    out.retain(|candidate| candidate != line);
    out.dedup();
    out
}

fn slice<'a>(line: &'a str, range: &Range<usize>) -> &'a str {
    line.get(range.clone()).unwrap_or("").trim()
}

/// The bytes of each operand behind an operation.
fn operands(line: &str, words: &[Word], operation: usize) -> Vec<Range<usize>> {
    let mut out = vec![];
    let mut inside = 0usize;
    let mut start = None;
    let mut end = 0;
    for word in words.iter().skip(operation + 1) {
        match word.text(line) {
            "[" | "(" | "<" => inside += 1,
            "]" | ")" | ">" => inside = inside.saturating_sub(1),
            "," if inside == 0 => {
                out.extend(start.take().map(|start| start..end));
                continue;
            }
            // What is behind belongs to the other half of a pair.
            "+" if inside == 0 => break,
            _ => {}
        }
        start.get_or_insert(word.range.start);
        end = word.range.end;
    }
    out.extend(start.map(|start| start..end));
    out
}
