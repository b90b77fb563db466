//! From a text to a program: the assembler language of Direct3D, and what the lossless style adds.
//!
//! Statements do not end with their line. Nothing is judged: an instruction or register that another version of the
//! stage has is assembled.

use super::errors::{Findings, Quoted, id};
use super::operands::Words;
use super::symbols::{Record, Statement};
use super::{assemble, blocks, enclosed, like, preprocess, wine};
use crate::d3d9::preshader::{self, Preshader};
use crate::d3d9::program::{
    Destination, InstructionToken, ItemKind, PARAMETER, Program, Stage, Usage, Version,
};
use crate::d3d9::program::{MINOR_WORDS, Source};
use crate::d3d9::registers::{RESULT_MODIFIERS, RegType, SAMPLER_KINDS, SHIFTS};
use crate::d3d9::table::{COMPARISONS, Form, Opcode, TEXTURE_CONTROLS, code};
use crate::d3d9::usages;
use crate::findings::{NoComma, meant};
use crate::table::Shape;
use crate::text::Cursor as _;
use crate::text::numbers::hex_word;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Severity, Span};

/// A statement has been reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// A part of a statement.
pub(super) type Step<T> = Result<T, Reported>;

/// Most words behind the token of an instruction.
const MAX_LENGTH: usize = 15;
/// Most words in a comment.
const MAX_COMMENT: usize = 0x7fff;

/// How a program ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// With an end token behind the last statement.
    Implied,
    /// With the `.end` that was read.
    Written,
    /// Without.
    None,
}

/// The reader.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) version: Version,
    pub(super) findings: Findings,
    words: Vec<u32>,
    rest: Vec<u8>,
    end: End,
    /// The first word of each statement, and where it stands.
    places: Vec<(u32, Span)>,
    /// Whether the spellings of Wine's listings are read.
    pub(super) wine: bool,
    /// Whether what a listing does not say may be left out.
    incomplete: bool,
    /// The preshader in front of the model.
    leading: Option<Preshader>,
    /// Mnemonics that were found, by a number that their letters give.
    known: [Option<Found<'a>>; KNOWN],
    /// Where statements and operands stand, if that is asked for.
    pub(super) record: Option<Record>,
}

/// A mnemonic without suffixes, whether it compares, and what it is.
type Found<'a> = (&'a str, bool, Named);

/// An instruction, how the table spells it, and its control bits.
type Named = (Opcode, &'static str, u8);

/// Mnemonics that are kept in mind.
const KNOWN: usize = 64;

/// What a mnemonic says.
struct Mnemonic {
    op: Opcode,
    name: &'static str,
    control: u8,
    /// Modifiers of the result, where they are in the destination.
    result: u32,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    /// The program that the text is a listing of. What a listing does not say is taken from it,
    /// as far as their instructions are the same: comments, what is behind the end, bits that nothing tells.
    pub like: Option<&'a Program>,
    /// Which program of a listing that has several, counted from 1; 0 is the only one.
    pub number: usize,
}

/// Reads a text, with a preprocessor if it has lines for one, which finds no files. The program is there if there is no
/// error; everything found is listed, at most 1000 findings.
pub fn parse(text: &str) -> (Option<Program>, Vec<Diagnostic>) {
    let text = &*enclosed::alone(text, 1);
    let (program, findings, _) = if preprocess::is_needed(text) {
        assemble::alone(text, &ReadOptions::default())
    } else {
        let (program, findings, _) = read_places(text, &ReadOptions::default());
        return (program, findings);
    };
    (program, findings)
}

/// Where each instruction of the program stands in the text.
pub fn instruction_spans(text: &str) -> Vec<Span> {
    let text = &*enclosed::alone(text, 1);
    if preprocess::is_needed(text) {
        return assemble::alone(text, &ReadOptions::default()).2;
    }
    read(text, &ReadOptions::default()).2
}

/// Reads a text without a preprocessor: the program, what is found, where each instruction stands.
pub(super) fn read(text: &str, options: &ReadOptions<'_>) -> (Option<Program>, Vec<Diagnostic>, Vec<Span>) {
    let (program, findings, places) = read_places(text, options);
    let Some(program) = program else { return (None, findings, Vec::new()) };
    let items = program.items().iter().filter(|item| item.kind == ItemKind::Instruction);
    let spans = items.map(|item| {
        let next = places.partition_point(|(word, _)| *word <= item.start);
        next.checked_sub(1).and_then(|n| places.get(n)).map_or(Span::default(), |place| place.1)
    });
    let spans = spans.collect();
    (Some(program), findings, spans)
}

/// The program, what is found, and the first word of each statement with its place.
type Places = (Option<Program>, Vec<Diagnostic>, Vec<(u32, Span)>);

fn read_places(text: &str, options: &ReadOptions<'_>) -> Places {
    let done = match read_either(text, options.number, options.like.is_some(), false) {
        Ok(done) => done,
        Err((span, what)) => {
            let mut findings = Findings::new(id::MORE);
            findings.error(id::LISTING, span, what);
            return (None, findings.finish(), Vec::new());
        }
    };
    let Read { program, findings, places, leading, .. } = done;
    match (program, options.like) {
        (Some(program), Some(original)) => {
            let (program, places) = like::restore(&program, leading, &places, original);
            (Some(program), findings, places)
        }
        (Some(program), None) => {
            let (program, places) = with_preshader(program, leading, places);
            (Some(program), findings, places)
        }
        (None, _) => (None, findings, places),
    }
}

/// The words of the statements of a text that can be read, and where they and their operands stand.
pub(super) fn record(text: &str, number: usize) -> Option<(Program, Record)> {
    read_either(text, number, false, true).ok()?.recorded
}

/// Reads the shader of that number, in the style of Wine where that alone succeeds; `recording` is whether places are recorded.
fn read_either(text: &str, number: usize, incomplete: bool, recording: bool) -> Result<Read, (Span, String)> {
    let (start, end) = blocks::shader(text, number)?;
    let text = text.get(..end).unwrap_or(text);
    let read = |wine| read_as(text, start, wine, incomplete, recording.then(Record::default));
    let done = read(false);
    // What only Wine writes is tried where it seems to stand.
    if done.bad && (incomplete || wine::looks_like(text)) {
        let again = read(true);
        if !again.bad {
            return Ok(again);
        }
    }
    Ok(done)
}

/// What a text says.
struct Read {
    program: Option<Program>,
    findings: Vec<Diagnostic>,
    places: Vec<(u32, Span)>,
    leading: Option<Preshader>,
    /// What was recorded, in place of the program and its places.
    recorded: Option<(Program, Record)>,
    bad: bool,
}

/// A preshader as the comment that it is in a program.
pub(super) fn preshader_comment(preshader: &Preshader) -> Vec<u32> {
    let mut words = preshader.comment();
    words.truncate(MAX_COMMENT);
    words.insert(0, u32::from(code::COMMENT) | (words.len() as u32) << 16);
    words
}

/// The preshader in front of a model stands behind its token.
fn with_preshader(
    program: Program,
    leading: Option<Preshader>,
    mut places: Vec<(u32, Span)>,
) -> (Program, Vec<(u32, Span)>) {
    let Some(preshader) = leading else { return (program, places) };
    let comment = preshader_comment(&preshader);
    let mut words = program.words().to_vec();
    let at = words.len().min(1);
    places.iter_mut().for_each(|(word, _)| *word += comment.len() as u32);
    words.splice(at..at, comment);
    (Program::new(words, program.rest()), places)
}

/// The words of the instructions of a text in one of the styles that lose something, one behind the other.
pub(super) fn canonical(text: &str, wine: bool) -> Option<Program> {
    read_as(text, 0, wine, true, None).program
}

fn read_as(text: &str, start: usize, wine: bool, incomplete: bool, record: Option<Record>) -> Read {
    let mut reader = Reader {
        text,
        at: start,
        version: Version(0),
        findings: Findings::new(id::MORE),
        words: Vec::new(),
        rest: Vec::new(),
        end: End::Implied,
        places: Vec::new(),
        wine,
        incomplete,
        leading: None,
        known: [None; KNOWN],
        record,
    };
    if reader.model().is_ok() {
        loop {
            reader.skip_blanks();
            if reader.rest().is_empty() {
                break;
            }
            let start = reader.at;
            let word = reader.words.len() as u32;
            let first = reader.record.as_ref().map_or(0, |record| record.marks.len());
            let done = reader.statement();
            let span = reader.since(start);
            match done {
                Ok(()) if reader.record.is_some() => {}
                Ok(()) => reader.places.push((word, span)),
                Err(Reported) => reader.skip_line(),
            }
            if let Some(record) = &mut reader.record {
                let marks = first..record.marks.len();
                if marks.is_empty() {
                    continue;
                }
                record.statements.push(Statement { span, word, marks, good: done.is_ok() });
            }
        }
    }
    if reader.end == End::Implied {
        reader.words.push(code::END);
    }
    let Reader { words, rest, findings, places, leading, record, .. } = reader;
    let bad = findings.has_errors();
    let (program, recorded) = match record {
        Some(record) => (None, Some((Program::new(words, &rest), record))),
        None => ((!bad).then(|| Program::new(words, &rest)), None),
    };
    Read { program, findings: findings.finish(), places, leading, recorded, bad }
}

/// The model that a word and what follows it name; gives the number of bytes too. `any` takes numbers that name none, and
/// those of models that have a word, as listings of Wine have them.
pub(super) fn model(text: &str, any: bool) -> Option<(Version, usize)> {
    let prefix = text.get(..2)?;
    let (code, _) = Version::PREFIXES.into_iter().find(|row| prefix.eq_ignore_ascii_case(row.1))?;
    let part = |at: usize| -> Option<(&str, usize)> {
        let rest = text.get(at..)?.strip_prefix(['_', '.'])?;
        let end = rest.bytes().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
        Some((rest.get(..end)?, at + 1 + end))
    };
    let (major, at) = part(2)?;
    let (minor, end) = part(at)?;
    if text.get(end..)?.starts_with('_') {
        return None;
    }
    let major = major.parse::<u8>().ok().filter(|_| !major.starts_with('+'))?;
    let word = MINOR_WORDS.iter().find(|(of, _, word, others)| {
        *of == major && [word].into_iter().chain(*others).any(|word| word.eq_ignore_ascii_case(minor))
    });
    let minor = match word {
        Some(row) => row.1,
        None => minor.parse::<u8>().ok()?,
    };
    let version = Version(u32::from(code) << 16 | u32::from(major) << 8 | u32::from(minor));
    let named = word.is_some() || !MINOR_WORDS.iter().any(|row| (row.0, row.1) == (major, minor));
    (any || version.is_preshader() || named && version.is_known()).then_some((version, end))
}

impl<'a> Reader<'a> {
    /// The first statement: the model, or a directive.
    fn model(&mut self) -> Step<()> {
        self.skip_blanks();
        if let Some((_, end)) = blocks::preshader(self.text, self.at) {
            self.leading_preshader(end);
        }
        if matches!(self.peek(), Some(b'.')) {
            return Ok(());
        }
        if self.peek() == Some(b'#') {
            return self.preprocessor();
        }
        if let Some((version, len)) = model(self.rest(), self.wine) {
            self.at += len;
            self.version = version;
            self.words.push(version.0);
            return Ok(());
        }
        let start = self.at;
        let first = self.rest().split([' ', '\t', '\n', '\r', ',']).next().unwrap_or("");
        self.at += first.len();
        let what = if first.is_empty() {
            String::from("expected a shader model")
        } else {
            format!("expected a shader model, such as `vs_2_0` or `ps_2_0`, found {}", Quoted(first))
        };
        self.fail(id::VERSION, self.since(start), what)
    }

    /// Reads the preshader in front of the model, which stands at `model`.
    fn leading_preshader(&mut self, model: usize) {
        let (preshader, findings, _) = preshader::parse_at(self.text, self.at);
        for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
            if let Place::Text(span) = finding.place {
                self.findings.error(finding.id, span, &finding.message);
            }
        }
        self.leading = preshader;
        self.at = model;
    }

    #[cold]
    fn preprocessor<T>(&mut self) -> Step<T> {
        let start = self.at;
        self.at += 1;
        let word = self.word();
        let what = format!("{} must begin a line", Quoted(&format!("#{word}")));
        self.fail(id::PREPROCESSOR, self.since(start), what)
    }

    fn statement(&mut self) -> Step<()> {
        match self.peek() {
            Some(b'.') => return self.directive(),
            Some(b'#') => return self.preprocessor(),
            _ => {}
        }
        if self.end != End::Implied && self.end != End::None {
            return self.fail(id::DIRECTIVE, self.here(), "only .raw and .bytes may follow .end");
        }
        let start = self.at;
        let mut token = 0;
        if self.eat(b'+') {
            token |= InstructionToken::COISSUE;
            self.skip_blanks();
        }
        let mut predicate = None;
        if self.eat(b'(') {
            let at = self.at;
            let (word, index) = self.source()?;
            let source = Source(word);
            let plain = index.is_none() && !source.is_relative() && matches!(source.modifier(), 0 | 13);
            if source.reg_type() != Some(RegType::Predicate) || !plain {
                let what = "a predicate is p0 or !p0, with components or without";
                return self.fail(id::SYNTAX, self.since(at), what);
            }
            if !self.eat_next(b')') {
                return self.fail(id::SYNTAX, self.here(), "expected `)` after the predicate");
            }
            self.skip_blanks();
            token |= InstructionToken::PREDICATED;
            predicate = Some(word);
        }
        let at = self.at;
        let word = self.word();
        if word.is_empty() {
            return self.fail(id::SYNTAX, self.here(), "expected a mnemonic");
        }
        let mut operands = Vec::with_capacity(8);
        let op = if word.get(..3).is_some_and(|d| d.eq_ignore_ascii_case("dcl"))
            && matches!(word.as_bytes().get(3), None | Some(b'_'))
        {
            self.declaration(word, at, &mut operands)?;
            Opcode::Dcl
        } else {
            let mnemonic = self.mnemonic(word, at)?;
            token |= u32::from(mnemonic.control) << 16;
            self.operands(&mnemonic, at, &mut operands)?;
            mnemonic.op
        };
        if let Some(predicate) = predicate {
            let first = op.forms(self.version).next().and_then(|form| form.shape.first());
            let behind = match first {
                // Behind the destination and what it is relative to.
                Some(Shape::Dst | Shape::Read) => {
                    1 + usize::from(Destination(operands.first().copied().unwrap_or(0)).is_relative())
                }
                _ => 0,
            };
            operands.insert(behind.min(operands.len()), predicate);
        }
        if operands.len() > MAX_LENGTH {
            return self.fail(id::OPERANDS, self.since(start), "the instruction is too long to be encoded");
        }
        token |= u32::from(op.row().code);
        if self.version.has_lengths() {
            token |= (operands.len() as u32) << 24;
        }
        self.words.push(token);
        self.words.extend_from_slice(&operands);
        Ok(())
    }

    /// What a mnemonic with its suffixes says.
    fn mnemonic(&mut self, word: &'a str, at: usize) -> Step<Mnemonic> {
        let span = Span::new(at, at + word.len());
        let mut parts = word.split('_').filter(|part| !(self.wine && *part == "nz"));
        let mut base = parts.next().unwrap_or("");
        if self.wine {
            base = wine::mnemonic(base, self.version);
        }
        let (mut comparison, mut shift, mut modifiers) = (None, None, 0);
        for part in parts {
            let is = |name: &str| name.eq_ignore_ascii_case(part);
            let compares = COMPARISONS.iter().find(|(_, name)| is(name));
            let shifts = SHIFTS.iter().find(|(_, name)| is(name));
            let modifies = RESULT_MODIFIERS.iter().find(|(_, name)| is(name));
            let twice = match (compares, shifts, modifies) {
                (Some(row), ..) => comparison.replace(row.0).is_some(),
                (_, Some(row), _) => shift.replace(row.0).is_some(),
                (.., Some(row)) => {
                    let before = modifiers;
                    modifiers |= row.0;
                    before & row.0 != 0
                }
                _ => {
                    let known = self.find(base, false).is_some() || self.find(base, true).is_some();
                    let (id, what) = if known {
                        (id::MODIFIER, format!("there is no suffix {}", Quoted(part)))
                    } else {
                        (id::MNEMONIC, format!("there is no instruction {}", Quoted(word)))
                    };
                    return self.fail(id, span, what);
                }
            };
            if twice {
                let what = format!("{} has two suffixes of one kind", Quoted(word));
                return self.fail(id::MODIFIER, span, what);
            }
        }
        if self.incomplete && comparison.is_none() && base == "setp" {
            comparison = Some(0);
        }
        let Some((op, name, control)) = self.find_again(base, comparison.is_some()) else {
            return self.unknown_mnemonic(word, base, comparison.is_some(), span);
        };
        let result = u32::from(modifiers) << 20 | u32::from(shift.unwrap_or(0)) << 24;
        Ok(Mnemonic { op, name, control: comparison.unwrap_or(control), result })
    }

    /// As [`find`](Self::find), which looks at every instruction, for mnemonics that come again.
    fn find_again(&mut self, base: &'a str, compares: bool) -> Option<Named> {
        let letters = base.bytes().fold(base.len(), |sum, b| sum.wrapping_mul(31).wrapping_add(b.into()));
        let place = (letters ^ letters >> 6) % KNOWN;
        match self.known.get(place) {
            Some(Some((name, with, found))) if *name == base && *with == compares => return Some(*found),
            _ => {}
        }
        let found = self.find(base, compares)?;
        if let Some(place) = self.known.get_mut(place) {
            *place = Some((base, compares, found));
        }
        Some(found)
    }

    /// The instruction of the stage with that name: one that compares, or one that does not.
    fn find(&self, base: &str, compares: bool) -> Option<Named> {
        let variant =
            TEXTURE_CONTROLS.iter().find(|row| row.code != 0 && row.name.eq_ignore_ascii_case(base));
        let (wanted, control) = variant.map_or((base, 0), |row| (TEXTURE_CONTROLS[0].name, row.code));
        let stage = self.version.stage();
        Opcode::ALL.iter().filter(|op| op.compares() == compares).find_map(|op| {
            let mut forms = op.row().forms.iter().filter(|form| form.is_for(stage));
            let form = forms.find(|form| form.name.eq_ignore_ascii_case(wanted))?;
            Some((*op, form.name, control))
        })
    }

    #[cold]
    fn unknown_mnemonic<T>(&mut self, word: &str, base: &str, compares: bool, span: Span) -> Step<T> {
        let all = Opcode::ALL.iter().flat_map(|op| op.row().forms);
        if self.find(base, !compares).is_some() {
            let what = if compares {
                "has no comparison"
            } else {
                "needs a comparison: _gt, _eq, _ge, _lt, _ne or _le"
            };
            return self.fail(id::MODIFIER, span, format!("{} {what}", Quoted(base)));
        }
        let elsewhere = all.into_iter().any(|form| form.name.eq_ignore_ascii_case(base));
        let what = match (elsewhere, self.version.stage()) {
            (true, Stage::Vertex) => format!("vertex shaders have no instruction {}", Quoted(base)),
            (true, Stage::Pixel) => format!("pixel shaders have no instruction {}", Quoted(base)),
            _ => format!("there is no instruction {}", Quoted(word)),
        };
        let stage = self.version.stage();
        let forms = Opcode::ALL.iter().flat_map(|op| op.row().forms).filter(|form| form.is_for(stage));
        let near = || meant(base, forms.map(|form| form.name));
        self.findings.error_asking(id::MNEMONIC, span, what, near);
        Err(Reported)
    }

    /// Operands separated by commas, in the shape of the form that has so many.
    fn operands(&mut self, mnemonic: &Mnemonic, at: usize, out: &mut Vec<u32>) -> Step<()> {
        let name = mnemonic.name;
        let forms = || mnemonic.op.forms(self.version).filter(|form| form.name == name);
        let Some(first) = forms().next() else {
            return self.fail(id::MNEMONIC, self.since(at), "there is no such instruction");
        };
        // Which form it is shows at the end; they agree as far as they go.
        let longest: &'static Form = forms().max_by_key(|form| form.shape.len()).unwrap_or(first);
        if mnemonic.result != 0 && !matches!(first.shape.first(), Some(Shape::Dst | Shape::Read)) {
            let what = format!("{} has no result that a suffix could modify", Quoted(name));
            return self.fail(id::MODIFIER, self.since(at), what);
        }
        let lengths = forms().fold(0u32, |all, form| all | 1 << form.shape.len().min(31));
        let mut count = 0;
        let mut last = self.at;
        for shape in longest.shape {
            if count > 0 {
                let comma = self.at;
                if !(self.eat_next(b',') || self.wine && self.eat(b'=')) {
                    self.at = comma;
                    break;
                }
            }
            self.skip_blanks();
            last = self.at;
            let (word, more): Words = match shape {
                Shape::Dst | Shape::Read => {
                    self.skip_blanks();
                    let start = self.at;
                    let (word, index) = self.destination()?;
                    let ty = Destination(word).reg_type();
                    let defines = matches!(mnemonic.op, Opcode::Def | Opcode::Defi | Opcode::Defb);
                    if defines && (index.is_some() || !ty.is_some_and(|ty| mnemonic.op.defines(ty))) {
                        let what = format!("{} can only define a constant of its kind", Quoted(name));
                        return self.fail(id::REGISTER, self.since(start), what);
                    }
                    (word | mnemonic.result, index)
                }
                Shape::Floats4 | Shape::Integers4 => {
                    for n in 0..4 {
                        if n > 0 && !self.eat_next(b',') {
                            let what = format!("{} takes four numbers, found {n}", Quoted(name));
                            return self.fail(id::OPERANDS, self.since(at), what);
                        }
                        let number = if *shape == Shape::Floats4 { self.float()? } else { self.integer()? };
                        out.push(number);
                    }
                    count += 1;
                    continue;
                }
                Shape::Flag => (self.flag()?, None),
                _ => self.source()?,
            };
            out.push(word);
            out.extend(more);
            count += 1;
        }
        let more = {
            let comma = self.at;
            let found = self.eat_next(b',');
            self.at = comma;
            found
        };
        if more || lengths >> count & 1 == 0 {
            let rest = self.rest().trim_start_matches([' ', '\t']);
            let found =
                rest.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).next().unwrap_or("");
            let operand = self.taken(last).trim();
            if !more && !found.is_empty() && !operand.is_empty() && !found.starts_with(['/', '#', '+']) {
                let start = self.text.len() - rest.len();
                let span = Span::new(start, start + found.len());
                return self.fail(id::OPERANDS, span, NoComma { after: operand, found });
            }
            let wanted = first.shape.len();
            let got = if more { String::from("more") } else { format!("{count}") };
            let what = format!("{} takes {wanted} operands, found {got}", Quoted(name));
            return self.fail(id::OPERANDS, self.since(at), what);
        }
        Ok(())
    }

    fn flag(&mut self) -> Step<u32> {
        self.skip_blanks();
        let start = self.at;
        let word = self.word();
        match word {
            _ if word.eq_ignore_ascii_case("true") => Ok(1),
            _ if word.eq_ignore_ascii_case("false") => Ok(0),
            _ => self.fail(
                id::NUMBER,
                self.since(start),
                format!("{} is neither true nor false", Quoted(word)),
            ),
        }
    }

    /// A declaration: what is in its mnemonic, and the register.
    fn declaration(&mut self, word: &str, at: usize, out: &mut Vec<u32>) -> Step<()> {
        let (mut usage, mut kind, mut modifiers) = (None, None, 0);
        let mut words = word;
        if self.wine && word.ends_with(wine::UNKNOWN) && self.eat(b'(') {
            // `dcl_unknown_resource_type(0x2)_pp`
            let number = self.word();
            kind =
                wine::KINDS.iter().find(|(_, name)| wine::number_of(name) == Some(number)).map(|row| row.0);
            if !self.eat(b')') || kind.is_none() {
                return self.fail(id::DECLARATION, self.since(at), "samplers do not have that type");
            }
            words = self.word();
        }
        let span = self.since(at);
        for part in words.split('_').skip(1) {
            let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
            let is = |name: &str| name.eq_ignore_ascii_case(part);
            if let Some(code) = wine::kind(part).filter(|_| self.wine && usage.is_none()) {
                kind = Some(code);
            } else if let Some(semantic) = wine::usage(part).filter(|_| self.wine) {
                usage = Some(semantic);
            } else if let Some(row) =
                SAMPLER_KINDS.iter().find(|(_, name)| is(name)).filter(|_| usage.is_none())
            {
                if kind.replace(row.0).is_some() {
                    return self.fail(id::DECLARATION, span, "a sampler has only one kind");
                }
            } else if let Some(row) = RESULT_MODIFIERS.iter().find(|(_, name)| is(name)) {
                if modifiers & row.0 != 0 {
                    return self.fail(id::MODIFIER, span, format!("{} is given twice", Quoted(part)));
                }
                modifiers |= row.0;
            } else if let Some(named) = usages::named(letters) {
                let digits = part.get(letters.len()..).unwrap_or("");
                let index = if digits.is_empty() { Some(0) } else { digits.parse().ok().filter(|n| *n < 16) };
                let Some(index) = index else {
                    return self.fail(id::DECLARATION, span, "the index of a usage is 0-15");
                };
                if usage.replace(Usage::semantic(named.code(), index)).is_some() || kind.is_some() {
                    return self.fail(id::DECLARATION, span, "a declaration has only one usage");
                }
            } else {
                return self.fail(id::DECLARATION, span, format!("there is no usage {}", Quoted(part)));
            }
        }
        let start = self.at;
        let (word, index) = self.destination()?;
        let ty = Destination(word).reg_type();
        let sampler = ty == Some(RegType::Sampler);
        let what = match (sampler, kind.is_some(), usage.is_some()) {
            (true, _, true) => Some("a sampler has a kind, not a usage"),
            (false, true, _) => Some("only samplers can be declared 1d, 2d, cube or volume"),
            (false, false, false) if self.version.stage() == Stage::Vertex => {
                Some("inputs and outputs of vertex shaders must be declared with a usage")
            }
            _ => None,
        };
        if let Some(what) = what {
            return self.fail(id::DECLARATION, self.since(start), what);
        }
        let usage = match kind {
            Some(kind) => Usage::sampler(kind),
            None => usage.unwrap_or(Usage(PARAMETER)),
        };
        out.push(usage.0);
        out.push(word | u32::from(modifiers) << 20);
        out.extend(index);
        Ok(())
    }

    /// A preshader in braces, as the comment that it is.
    fn preshader(&mut self, start: usize) -> Step<()> {
        if !self.eat_next(b'{') {
            return self.fail(id::DIRECTIVE, self.here(), "expected `{` after .preshader");
        }
        let (preshader, findings, end) = preshader::parse_at(self.text, self.at);
        self.at = end;
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        for finding in errors {
            if let Place::Text(span) = finding.place {
                self.findings.error(finding.id, span, &finding.message);
            }
        }
        if !self.eat_next(b'}') {
            return self.fail(id::DIRECTIVE, self.here(), "expected `}` after a preshader");
        }
        let Some(preshader) = preshader else { return Err(Reported) };
        let words = preshader.comment();
        if words.len() > MAX_COMMENT {
            return self.fail(id::DIRECTIVE, self.since(start), "a comment has at most 32767 words");
        }
        self.words.push(u32::from(code::COMMENT) | (words.len() as u32) << 16);
        self.words.extend(words);
        Ok(())
    }

    fn directive(&mut self) -> Step<()> {
        let start = self.at;
        self.at += 1;
        let word = self.word();
        let span = self.since(start);
        if self.end == End::Written && !matches!(word, "raw" | "bytes") {
            return self.fail(id::DIRECTIVE, span, "only .raw and .bytes may follow .end");
        }
        match word {
            "raw" => {
                let before = self.words.len();
                self.hex_words(before)?;
                if before == 0 {
                    self.version = Version(self.words.first().copied().unwrap_or(0));
                }
                if self.words.len() == before {
                    return self.fail(
                        id::DIRECTIVE,
                        span,
                        "expected words of eight hexadecimal digits after `.raw`",
                    );
                }
            }
            "comment" => self.comment(start)?,
            "preshader" => self.preshader(start)?,
            "end" => {
                self.words.push(code::END);
                self.end = End::Written;
            }
            "noend" => self.end = End::None,
            "bytes" => loop {
                self.skip_spaces();
                let at = self.at;
                let digits = self.word();
                match (digits.len(), u8::from_str_radix(digits, 16)) {
                    (2, Ok(byte)) if self.rest.len() < 3 => self.rest.push(byte),
                    (0, _) if !self.rest.is_empty() => break,
                    _ => {
                        let what = "expected one to three bytes of two hexadecimal digits after `.bytes`";
                        return self.fail(id::DIRECTIVE, self.since(at), what);
                    }
                }
            },
            _ => {
                let what = format!("there is no directive {}", Quoted(&format!(".{word}")));
                return self.fail(id::DIRECTIVE, span, what);
            }
        }
        Ok(())
    }

    /// Words of eight digits up to the end of the line; those of a comment that begins at `first` may go on.
    fn hex_words(&mut self, first: usize) -> Step<()> {
        loop {
            self.skip_spaces();
            if !self.peek().is_some_and(|b| b.is_ascii_alphanumeric()) {
                return Ok(());
            }
            let at = self.at;
            let digits = self.word();
            match hex_word(digits) {
                Some(word) => self.words.push(word),
                None => {
                    self.words.truncate(first);
                    let what = format!("{} is not a word of eight hexadecimal digits", Quoted(digits));
                    return self.fail(id::DIRECTIVE, self.since(at), what);
                }
            }
        }
    }

    /// `.comment NAME { WORDS }`, where the name is the first word as four letters; without it all words are there.
    fn comment(&mut self, start: usize) -> Step<()> {
        self.skip_spaces();
        let at = self.at;
        let name = self.word();
        let first = self.words.len();
        self.words.push(0);
        match <[u8; 4]>::try_from(name.as_bytes()) {
            Ok(name) => self.words.push(u32::from_le_bytes(name)),
            Err(_) if name.is_empty() => {}
            Err(_) => {
                let what = format!("{} is not a name of four letters", Quoted(name));
                return self.fail(id::DIRECTIVE, self.since(at), what);
            }
        }
        if !self.eat_next(b'{') {
            self.words.truncate(first);
            return self.fail(id::DIRECTIVE, self.here(), "expected `{` and the words of the comment");
        }
        loop {
            self.skip_blanks();
            if self.eat(b'}') {
                break;
            }
            let before = self.words.len();
            self.hex_words(first)?;
            if self.words.len() == before {
                self.words.truncate(first);
                return self.fail(id::DIRECTIVE, self.here(), "expected words of eight digits, or `}`");
            }
        }
        let len = self.words.len() - first - 1;
        if len > MAX_COMMENT {
            self.words.truncate(first);
            return self.fail(id::DIRECTIVE, self.since(start), "a comment has at most 32767 words");
        }
        if let Some(token) = self.words.get_mut(first) {
            *token = u32::from(code::COMMENT) | (len as u32) << 16;
        }
        Ok(())
    }
}
