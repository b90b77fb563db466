//! Other programs in the place of those that a text carries.

use super::pieces::Content;
use super::{AssumedNotation, Form, Input, NoHost, OpenOptions, digits};
use crate::container::rules;
use crate::container::without_comments;
use crate::diag::{Diagnostic, Span};
use crate::isa::{self, AnyProgram, Isa};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A program that comes in the place of one that a text carries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replacement {
    /// Which one it replaces: its place among [those that are carried](Input::carried), from 0.
    pub index: usize,
    /// Its bytecode.
    pub bytes: Vec<u8>,
    /// Its assembly, if it came as that; where a text is needed and there is none, the bytecode is disassembled.
    pub text: Option<String>,
}

impl Replacement {
    /// Bytecode in the place of the program of that number, from 0.
    pub fn new(index: usize, bytes: Vec<u8>) -> Self {
        Self { index, bytes, text: None }
    }

    /// The same with its assembly.
    #[must_use]
    pub fn with_text(self, text: Option<String>) -> Self {
        Self { text, ..self }
    }
}

impl Input {
    /// The text with other programs in the place of some that it [carries](Input::carried): arrays, digits and dumps in the notation
    /// that they have, assembly as text. Everything else stays as it is, except for comments between the elements of an array that
    /// changes. What is returned was read back: the programs are those that were given.
    ///
    /// # Errors
    ///
    /// `CONTAINER-fit`: the text cannot say one of the programs. `CONTAINER-address`: there is no program of that number.
    pub fn with_programs(
        &self,
        programs: &[Replacement],
        options: &OpenOptions<'_>,
    ) -> Result<String, Diagnostic> {
        // With the zeros that pad it, which are no part of any program.
        let Ok(text) = core::str::from_utf8(self.bytes()) else {
            return Err(rules::FIT.finding("programs of a recording are read, and not written"));
        };
        if programs.is_empty() {
            return Ok(text.into());
        }
        let carried = self.carried(options);
        let mut patches: Vec<(Range<usize>, String)> = Vec::new();
        for program in programs {
            let Some(old) = carried.get(program.index) else {
                let message = format!("no program {}; there are {}", program.index + 1, carried.len());
                return Err(rules::ADDRESS.finding(message));
            };
            let range = old.range();
            let part = range.clone().and_then(|range| text.get(range));
            let (Some(range), Some(part)) = (range, part) else {
                return Err(unfit(old, "programs of a recording are read, and not written"));
            };
            let Some(place) = old.place(text, range, options) else {
                return Err(unfit(
                    old,
                    "lines with something in front of them, as in logs, are read, and not written",
                ));
            };
            let part = text.get(place.clone()).unwrap_or(part);
            let new = old.rewritten(part, program, options)?;
            if is_quoted(text, &place) && new.contains(['"', '\\']) {
                return Err(unfit(old, "a text with quotes in it does not fit between quotes"));
            }
            patches.push((place, new));
            patches.extend(old.length_patch(text, program));
        }
        patches.sort_by_key(|(range, _)| range.start);
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (range, new) in patches {
            out.push_str(text.get(at..range.start).unwrap_or_default());
            out.push_str(&new);
            at = range.end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        self.verify(&out, &carried, programs, options)?;
        Ok(out)
    }

    /// Where in the whole text the program stands; `None` if it is no part of it.
    fn range(&self) -> Option<Range<usize>> {
        let piece = self.piece.as_ref().filter(|piece| matches!(piece.content, Content::Part))?;
        let start = piece.start as usize;
        Some(piece.names.place.clone().unwrap_or(start..start + self.bytes().len()))
    }

    /// Where its text is, without what stands in front of its first line; `None` if its lines have something in front of them.
    fn place(&self, text: &str, range: Range<usize>, options: &OpenOptions<'_>) -> Option<Range<usize>> {
        if self.piece.as_ref().is_some_and(|piece| piece.names.place.is_some()) {
            return Some(range);
        }
        if !matches!(self.form(&options.with_likely(AssumedNotation::Text)), Ok(Form::Text)) {
            return Some(range);
        }
        let part = text.get(range.clone())?;
        let first = part.split_whitespace().next().unwrap_or_default();
        match self.isa_of_text(part, options) {
            Ok(Isa::D3d9) => {
                let span = isa::d3d9::text::text_of_program(text, Span::new(range.start, range.end))?;
                let place = span.start as usize..span.end as usize;
                // Escapes are of literals in a source, which have their own rules.
                (!is_quoted(text, &place) || !text.get(place.clone())?.contains('\\')).then_some(place)
            }
            Ok(Isa::Tgsi) => {
                isa::tgsi::Processor::ALL.iter().any(|stage| stage.name() == Some(first)).then_some(range)
            }
            Ok(Isa::Nv2a) => isa::nv2a::text::looks_like(part).then_some(range),
            _ => Some(range),
        }
    }

    /// The number of bytes that a source says of an array beside it, as `xxd -i` does: `unsigned int NAME_len = 31;`.
    fn length_patch(&self, text: &str, program: &Replacement) -> Option<(Range<usize>, String)> {
        let name = self.piece.as_ref()?.names.all.first()?;
        let Ok(Form::Bytes(old)) = self.form(&OpenOptions::default().with_likely(AssumedNotation::Text))
        else {
            return None;
        };
        let at = ["_len", "_LEN", "_size", "_SIZE"].iter().find_map(|ending| {
            let word = format!("{name}{ending}");
            let at = text.find(&word)? + word.len();
            text.get(at..)?.trim_start().starts_with('=').then_some(at)
        })?;
        let rest = text.get(at..)?;
        let start = at + rest.find(|c: char| c.is_ascii_digit())?;
        let digits = text.get(start..)?.split(|c: char| !c.is_ascii_digit()).next()?;
        (digits == format!("{}", old.len()))
            .then(|| (start..start + digits.len(), format!("{}", program.bytes.len())))
    }

    /// What comes in the place of a part of the text.
    fn rewritten(
        &self,
        part: &str,
        program: &Replacement,
        options: &OpenOptions<'_>,
    ) -> Result<String, Diagnostic> {
        match self.form(&options.with_likely(AssumedNotation::Text)) {
            Ok(Form::Bytes(old)) => digits::with_bytes(part, options.isa, &old, &program.bytes)
                .ok_or_else(|| unfit(self, "the digits here are in a notation that cannot be written")),
            Ok(Form::Text) => self.assembly(part, program, options),
            _ => Err(unfit(self, "what is here cannot be read")),
        }
    }

    /// Assembly in the place of a part of a text, with its line ends.
    fn assembly(
        &self,
        part: &str,
        program: &Replacement,
        options: &OpenOptions<'_>,
    ) -> Result<String, Diagnostic> {
        let text = match &program.text {
            Some(text) => without_blocks(text),
            None => self.disassembly(&program.bytes, options)?,
        };
        let end = if part.contains("\r\n") { "\r\n" } else { "\n" };
        let mut out: String = text.trim_end().lines().map(|line| format!("{line}{end}")).collect();
        if !part.ends_with('\n') {
            out.truncate(out.len().saturating_sub(end.len()));
        }
        Ok(out)
    }

    /// Bytecode as text, without comments.
    fn disassembly(&self, bytes: &[u8], options: &OpenOptions<'_>) -> Result<String, Diagnostic> {
        let read = self.read(options, &mut NoHost);
        let isa = read.map_err(|_| unfit(self, "what is here cannot be read"))?.isa();
        let bytes = if isa == Isa::D3d9 { without_comments(bytes) } else { bytes.to_vec() };
        let program = AnyProgram::decode(isa, &bytes).map_err(|finding| {
            unfit(self, &format!("this is no program of {}: {}", isa.name(), finding.message))
        })?;
        match program.say(isa.dialects().first().copied().unwrap_or_default()) {
            Some(Ok(text)) => Ok(text),
            _ => Err(unfit(self, "this program has no text")),
        }
    }

    /// Fails unless a text carries as many programs as the one that it comes from, with the new ones among them.
    fn verify(
        &self,
        new: &str,
        before: &[Self],
        programs: &[Replacement],
        options: &OpenOptions<'_>,
    ) -> Result<(), Diagnostic> {
        let input = Self::new(self.name(), self.file(), new.as_bytes().to_vec());
        let after = input.carried(options);
        for (n, (old, new)) in before.iter().zip(&after).enumerate() {
            let edit = programs.iter().find(|program| program.index == n);
            let is_right = match edit {
                Some(edit) => new.read(options, &mut NoHost).is_ok_and(|read| {
                    let plain = |bytes: &[u8]| {
                        let is_text = matches!(new.form(options), Ok(Form::Text));
                        if is_text && read.isa() == Isa::D3d9 {
                            without_comments(bytes)
                        } else {
                            bytes.to_vec()
                        }
                    };
                    plain(&read.encode()) == plain(&edit.bytes)
                }),
                None => old.bytes() == new.bytes(),
            } && old.piece.as_ref().map(|piece| &piece.names.all)
                == new.piece.as_ref().map(|piece| &piece.names.all);
            if !is_right {
                return Err(unfit(old, "the text with the new program would not read back as that"));
            }
        }
        if before.len() != after.len() {
            let message = format!("the text would carry {} programs, and not {}", after.len(), before.len());
            return Err(rules::FIT.finding(message));
        }
        Ok(())
    }
}

/// A text without the blocks that say comments of bytecode word for word, `.comment CTAB { … }`: other readers of these texts do not
/// know them.
fn without_blocks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        let word = line.trim_start();
        is_inside |= word.starts_with(".comment") && word.contains('{');
        if !is_inside {
            out.push_str(line);
        }
        is_inside &= !word.contains('}');
    }
    out
}

/// Whether a part of a text follows a quote.
fn is_quoted(text: &str, part: &Range<usize>) -> bool {
    text.get(..part.start)
        .is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with(['"', '\'', '`']))
}

/// That a program cannot come where another is.
fn unfit(old: &Input, why: &str) -> Diagnostic {
    let name = old.piece.as_ref().map_or_else(String::new, |piece| match piece.names.all.first() {
        Some(name) => format!("{name}: "),
        None => format!("program {}: ", piece.number),
    });
    rules::FIT.finding(format!("{name}{why}"))
}
