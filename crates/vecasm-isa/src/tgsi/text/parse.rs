//! Reading texts: statements.

use super::symbols::Record;
use super::words::{self, Mnemonic};
use super::{Labels, ParseOptions, id};
use crate::findings::{Findings, Quoted};
use crate::table::Flow;
use crate::text::Cursor as _;
use crate::tgsi::dialect::Dialect;
use crate::tgsi::names::{ImmediateType, Primitive, PropertyName};
use crate::tgsi::program::{Frame, Processor, Program, Residue, Token};
use crate::tgsi::table::Opcode;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::diag::{Diagnostic, Span};

/// An error was reported, the statement cannot be read on.
pub(super) struct Stop;

/// What reading a piece of a statement gives.
pub(super) type Read<T> = Result<T, Stop>;

/// Dialects as bits by their order in [`Dialect::ALL`].
pub(super) type Dialects = u8;

/// The set of the dialects for which something holds.
pub(super) fn dialects(holds: impl Fn(Dialect) -> bool) -> Dialects {
    Dialect::ALL.iter().fold(0, |set, d| set | u8::from(holds(*d)) << (*d as u8))
}

/// A word that a dialect does not have.
pub(super) struct Foreign<'a> {
    pub word: &'a str,
    /// Where it stands first.
    pub at: usize,
    /// The dialects that have it.
    pub set: Dialects,
}

/// Most words of other dialects that are told apart.
const MAX_FOREIGN: usize = 64;

/// Where a statement is.
pub(super) struct Statement {
    pub span: Span,
    /// Number of tokens up to its end.
    pub tokens: usize,
}

/// A conditional or loop that is not closed.
pub(super) struct Open {
    /// Its instruction: its number and its place in the tokens.
    pub number: u32,
    pub token: usize,
    /// What it is.
    pub flow: Flow,
    /// The label it has in the text.
    pub written: Option<(u32, Span)>,
}

/// Data of an array of immediates, which become plain ones.
pub(super) struct ImmediateArray {
    /// The number of its first register.
    pub first: u32,
    /// What is in it.
    pub values: Vec<[u32; 4]>,
}

/// A text that is being read.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub at: usize,
    pub program: Program,
    pub findings: Findings,
    /// Whose numbers and literals there are.
    pub home: Dialect,
    /// Whether only what `home` reads is read.
    pub strict: bool,
    /// Whether comments and carriage returns are skipped.
    pub tolerant: bool,
    pub labels: Labels,
    /// Whether the text says its dialect.
    pub said: bool,
    /// The dialects that have all the words so far.
    pub possible: Dialects,
    /// Words that only other dialects have, so that each is warned of once.
    pub foreign: Vec<Foreign<'a>>,
    /// Whether the header is read.
    pub headed: bool,
    /// Number of immediates so far.
    pub immediates: u32,
    /// Number of instructions so far.
    pub instructions: u32,
    /// The size of an array without a size; 0 if there is none.
    pub implied: u32,
    /// Most texel offsets of the instruction that is read.
    pub offsets: usize,
    pub open: Vec<Open>,
    pub arrays: Vec<ImmediateArray>,
    /// Where instructions have another number than the text says, until it is known whether that matters.
    pub misnumbered: Option<Span>,
    /// Whether a label of the text is that of a subroutine.
    pub calls: bool,
    /// Where the statements are, if that is asked for.
    pub statements: Option<Vec<Statement>>,
    /// Where the tokens are, if that is asked for, and whether they are instructions.
    pub spans: Option<Vec<(Span, bool)>>,
    /// What symbols are made of, if that is asked for.
    pub record: Option<Record>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, options: &ParseOptions, home: Dialect) -> Self {
        Self {
            text,
            at: 0,
            program: Program::new(home, Processor::Unknown(0), 0),
            findings: Findings::new(id::MORE),
            home,
            strict: options.dialect.is_some(),
            tolerant: options.tolerant,
            labels: options.labels,
            said: false,
            possible: u8::MAX,
            foreign: Vec::new(),
            headed: false,
            immediates: 0,
            instructions: 0,
            implied: 0,
            offsets: 0,
            open: Vec::new(),
            arrays: Vec::new(),
            misnumbered: None,
            calls: false,
            statements: None,
            spans: None,
            record: None,
        }
    }

    /// Reads the whole text.
    pub(super) fn read(&mut self) {
        if self.header().is_err() {
            return;
        }
        // About what texts as they are printed need.
        let tokens = self.text.len().min(1 << 16) / 32;
        self.program.reserve([tokens, tokens * 3, 8]);
        loop {
            let before = self.at;
            self.skip();
            if self.at_end() {
                break;
            }
            let start = self.at;
            let (marks, tokens, instruction) = (self.marks(), self.program.tokens.len(), self.instructions);
            let result =
                if before == self.at { Err(self.stop(id::SYNTAX, "Syntax error")) } else { self.statement() };
            if self.record.is_some() {
                let made = self.program.tokens.get(tokens).filter(|_| result.is_ok()).copied();
                self.record_statement(start, marks, made, instruction);
            }
            if self.spans.is_some() || self.statements.is_some() {
                self.take_span(start);
            }
            if result.is_err() {
                self.recover(start);
            }
        }
        self.finish();
    }

    /// Notes where a statement is, for each token that it made.
    fn take_span(&mut self, start: usize) {
        let span = self.since(start);
        let tokens = self.program.tokens.len();
        if let Some(statements) = &mut self.statements {
            statements.push(Statement { span, tokens });
        }
        let Some(spans) = &mut self.spans else { return };
        while let Some(token) = self.program.tokens.get(spans.len()) {
            spans.push((span, matches!(token, Token::Instruction(_))));
        }
    }

    /// Goes to where the next statement may begin: what was not expected, if it begins a line, else the next line.
    #[cold]
    fn recover(&mut self, start: usize) {
        let line = self.text.get(..self.at).and_then(|before| before.rfind('\n')).map_or(0, |n| n + 1);
        let indent = self.text.get(line..self.at).unwrap_or("");
        if !(line > start && indent.bytes().all(|b| matches!(b, b' ' | b'\t'))) {
            let rest = self.text.get(self.at..).unwrap_or("");
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else {
            // In front of the line, so that there are blanks in front of the statement.
            self.at = line - 1;
        }
    }

    pub(super) fn header(&mut self) -> Read<()> {
        if self.tolerant && self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        self.skip();
        while self.byte() == b'.' && !self.strict {
            let start = self.at;
            self.directive()?;
            self.take_span(start);
            self.skip();
        }
        let start = self.at;
        let processor = match self.number_of_word()? {
            // A number that has a word is that of a program without a header.
            Some(code) => Processor::Unknown(code as u8),
            None => match Processor::named(self.word()) {
                Some(processor) => processor,
                None => {
                    self.at = start;
                    return Err(self.stop(id::UNKNOWN_HEADER, "Unknown header"));
                }
            },
        };
        self.program.processor = processor;
        self.headed = true;
        self.take_span(start);
        if matches!(processor, Processor::TessControl | Processor::TessEval) {
            self.implied = 32;
        }
        Ok(())
    }

    /// A number instead of a word: `$` and digits.
    pub(super) fn number_of_word(&mut self) -> Read<Option<u32>> {
        if self.byte() != b'$' || self.strict {
            return Ok(None);
        }
        let start = self.at;
        self.at += 1;
        match self.lossless_number() {
            Some(number) => Ok(Some(number)),
            None => {
                self.at = start;
                Err(self.stop(id::NUMBER, "Expected a number after `$'"))
            }
        }
    }

    /// A number of the notation for what the language cannot say: decimal, or in base 16 behind `0x`; 32 bits.
    pub(super) fn lossless_number(&mut self) -> Option<u32> {
        let start = self.at;
        if self.byte() == b'0' && matches!(self.byte_at(1), b'x' | b'X') {
            self.at += 2;
            let digits = self.word();
            return u32::from_str_radix(digits, 16).ok().or_else(|| {
                self.at = start;
                None
            });
        }
        // The number of an instruction may have suffixes.
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        let number = self.text.get(start..self.at).and_then(|digits| digits.parse().ok());
        let ends = !self.byte().is_ascii_alphabetic();
        if number.is_none() || !ends {
            self.at = start;
        }
        number.filter(|_| ends)
    }

    /// A number behind blanks, else an error.
    pub(super) fn expect_number(&mut self) -> Read<u32> {
        self.skip();
        match self.lossless_number() {
            Some(number) => Ok(number),
            None => Err(self.stop(id::NUMBER, "Expected a number")),
        }
    }

    fn statement(&mut self) -> Read<()> {
        let start = self.at;
        match self.byte() {
            b'0'..=b'9' => {
                let number = self.uint();
                if let Some(record) = &mut self.record {
                    record.now.number = Some(Span::new(start, self.at));
                }
                self.skip();
                if !self.eat(b':') {
                    self.at = start;
                    return Err(self.no_statement());
                }
                if number != Some(self.instructions) && self.misnumbered.is_none() {
                    self.misnumbered = Some(self.since(start));
                }
                self.skip();
                let begin = self.at;
                let predicate = self.predicate()?;
                let word = self.word();
                if word.is_empty() && self.byte() == b'$' && !self.strict {
                    return self.numbered_instruction(predicate);
                }
                match words::mnemonic(word) {
                    Some(mnemonic) if self.has(mnemonic, word) => {
                        self.instruction(mnemonic, predicate, begin, true)
                    }
                    _ => {
                        self.at = begin;
                        let (span, names) = (self.next_place(), Opcode::ROWS.iter().map(|row| row.name));
                        Err(self.stop_meant(id::UNKNOWN_OPCODE, span, "Unknown opcode", names))
                    }
                }
            }
            b'.' if !self.strict => self.directive(),
            b'$' if !self.strict => self.numbered_instruction(None),
            b'(' => {
                let predicate = self.predicate()?;
                let begin = self.at;
                let word = self.word();
                match words::mnemonic(word) {
                    Some(mnemonic) if predicate.is_some() && self.has(mnemonic, word) => {
                        self.instruction(mnemonic, predicate, begin, false)
                    }
                    _ if predicate.is_some() && self.byte() == b'$' && word.is_empty() => {
                        self.numbered_instruction(predicate)
                    }
                    _ => {
                        self.at = begin;
                        Err(self.no_statement())
                    }
                }
            }
            _ => {
                let word = self.word();
                if let Some(mnemonic) = words::mnemonic(word) {
                    if self.has(mnemonic, word) {
                        return self.instruction(mnemonic, None, start, false);
                    }
                }
                if word.eq_ignore_ascii_case("DCL") {
                    self.blank()?;
                    self.declaration()
                } else if word.eq_ignore_ascii_case("IMM") {
                    self.immediate()
                } else if word.eq_ignore_ascii_case("PROPERTY") {
                    self.blank()?;
                    self.property()
                } else {
                    self.at = start;
                    Err(self.no_statement())
                }
            }
        }
    }

    /// Whether the dialect has an instruction.
    #[inline(always)]
    fn has(&mut self, mnemonic: Mnemonic, word: &'a str) -> bool {
        let row = mnemonic.opcode.row();
        let plain = !mnemonic.alias && mnemonic.saturate < 2;
        if plain && row.is_in(self.home) {
            return true;
        }
        self.has_foreign(dialects(|d| (plain || d == Dialect::Legacy) && row.is_in(d)), word)
    }

    /// Whether something that only the dialects of a set have is read. If so, that is noted.
    #[cold]
    pub(super) fn has_foreign(&mut self, set: Dialects, word: &'a str) -> bool {
        if set & 1 << (self.home as u8) != 0 {
            return true;
        }
        if self.strict {
            return false;
        }
        if !self.said {
            self.possible &= set;
        }
        let start = self.at.saturating_sub(word.len());
        if self.lacks(set, word, start) {
            let span = self.since(start);
            let home = self.home.name();
            let names = Names(set);
            self.warn(
                id::DIALECT,
                span,
                format_args!("{} is not in the dialect {home}; it is in {names}", Quoted(word)),
            );
        }
        true
    }

    /// Keeps a word that only the dialects of a set have; whether it is a new one.
    #[cold]
    pub(super) fn lacks(&mut self, set: Dialects, word: &'a str, at: usize) -> bool {
        let known =
            self.foreign.iter().any(|known| known.set == set && known.word.eq_ignore_ascii_case(word));
        if known || self.foreign.len() >= MAX_FOREIGN {
            return false;
        }
        self.foreign.push(Foreign { word, at, set });
        true
    }

    /// Notes a way of writing that a dialect does not have; an error if it is the one that was asked for.
    #[cold]
    pub(super) fn note(&mut self, start: usize, message: &'static str) {
        let span = self.since(start);
        self.warn(id::DIALECT, span, message);
    }

    #[cold]
    pub(super) fn no_statement(&mut self) -> Stop {
        let found = self.next_word();
        let message = "Expected `DCL', `IMM' or a label";
        if found.is_empty() {
            return self.stop(id::STATEMENT, message);
        }
        let names = Opcode::ROWS.iter().map(|row| row.name).chain(["DCL", "IMM", "PROPERTY"]);
        let span = self.next_place();
        self.stop_meant(id::STATEMENT, span, format_args!("{message}, not {}", Quoted(found)), names)
    }

    /// Blanks that have to be there.
    #[inline(always)]
    pub(super) fn blank(&mut self) -> Read<()> {
        let before = self.at;
        self.skip();
        if before == self.at {
            return Err(self.stop(id::SYNTAX, "Syntax error"));
        }
        Ok(())
    }

    fn property(&mut self) -> Read<()> {
        let start = self.at;
        let name = match self.number_of_word()? {
            Some(code) => PropertyName::from_code(self.home.numbering(), code as u8),
            None => {
                if self.byte().is_ascii_digit() {
                    return Err(self.stop(id::SYNTAX, "Syntax error"));
                }
                let word = self.word();
                match self.property_named(word) {
                    Some(name) => name,
                    None if word.is_empty() => return Err(self.stop(id::SYNTAX, "Syntax error")),
                    None if self.home == Dialect::Virgl => {
                        let span = self.since(start);
                        let message = "unknown property: the rest of the line is skipped";
                        self.warn(id::SKIPPED_PROPERTY, span, message);
                        self.at +=
                            self.text.get(self.at..).map_or(0, |rest| rest.find('\n').unwrap_or(rest.len()));
                        return Ok(());
                    }
                    None => {
                        self.at = start;
                        let (span, names) =
                            (self.next_place(), PropertyName::ALL.iter().filter_map(|p| p.name()));
                        return Err(self.stop_meant(
                            id::UNKNOWN_PROPERTY,
                            span,
                            format_args!("Unknown property : {}", Quoted(word)),
                            names,
                        ));
                    }
                }
            }
        };
        self.blank()?;
        if self.byte() == b'$' && !self.strict {
            return self.property_words(name);
        }
        let value = self.property_value(name)?;
        self.program.push_property(name, &[value]);
        if name == PropertyName::GsInputPrimitive && self.program.processor == Processor::Geometry {
            self.implied = vertices(value);
        }
        Ok(())
    }

    fn property_named(&mut self, word: &'a str) -> Option<PropertyName> {
        let old = word.eq_ignore_ascii_case(PropertyName::MUL_ZERO_WINS);
        let name = if old { PropertyName::LegacyMathRules } else { words::property(word)? };
        if name == PropertyName::LegacyMathRules {
            let set = dialects(|d| match d {
                Dialect::Seed | Dialect::Virgl => old,
                Dialect::Mesa22 | Dialect::Mesa25 => !old,
                Dialect::Legacy => false,
            });
            return self.has_foreign(set, word).then_some(name);
        }
        Some(name)
    }

    fn property_value(&mut self, name: PropertyName) -> Read<u32> {
        use PropertyName as P;
        let start = self.at;
        let found = match name {
            P::GsInputPrimitive | P::GsOutputPrimitive => {
                let primitive = Primitive::named(self.word());
                primitive.and_then(|p| p.code(self.home.numbering())).map(u32::from)
            }
            P::FsCoordOrigin => place(&ORIGINS, self.word()),
            P::FsCoordPixelCenter => place(&PIXEL_CENTERS, self.word()),
            P::NextShader => Processor::named(self.word()).and_then(|p| p.code(self.home)).map(u32::from),
            _ => self.uint(),
        };
        if let Some(value) = found {
            return Ok(value);
        }
        self.at = start;
        let message = match name {
            P::GsInputPrimitive | P::GsOutputPrimitive => "Unknown primitive name as property!",
            P::FsCoordOrigin => "Unknown coord origin as property: must be UPPER_LEFT or LOWER_LEFT!",
            P::FsCoordPixelCenter => {
                "Unknown coord pixel center as property: must be HALF_INTEGER or INTEGER!"
            }
            P::NextShader => "Unknown next shader property value.",
            _ => "Expected unsigned integer as property!",
        };
        Err(self.stop(id::PROPERTY_VALUE, message))
    }

    /// Words as they are: `$` and a number each; `$` alone is none.
    fn words(&mut self) -> Read<Vec<u32>> {
        let mut words = Vec::new();
        while self.byte() == b'$' {
            self.at += 1;
            if is_end(self.byte()) && words.is_empty() {
                break;
            }
            words.push(self.expect_number()?);
            let behind = self.at;
            self.skip();
            if self.byte() != b'$' {
                self.at = behind;
                break;
            }
        }
        Ok(words)
    }

    fn property_words(&mut self, name: PropertyName) -> Read<()> {
        let words = self.words()?;
        self.program.push_property(name, &words);
        if name == PropertyName::GsInputPrimitive && self.program.processor == Processor::Geometry {
            self.implied = words.first().copied().map_or(0, vertices);
        }
        Ok(())
    }

    /// What stands in lines that begin with a point; see the documentation of this room.
    fn directive(&mut self) -> Read<()> {
        let start = self.at;
        self.at += 1;
        let word = self.word();
        match word {
            "dialect" => {
                self.skip();
                let name = self.word();
                let Ok(dialect) = name.parse::<Dialect>() else {
                    self.at -= name.len();
                    return Err(self.stop(id::DIRECTIVE, "Expected the name of a dialect"));
                };
                if !self.headed {
                    self.home = dialect;
                    self.program.dialect = dialect;
                    self.said = true;
                    return Ok(());
                }
                let span = self.since(start);
                Err(self.stop_at(id::DIRECTIVE, span, "The dialect must precede the header"))
            }
            _ if !self.headed => {
                self.at = start;
                Err(self.stop(id::UNKNOWN_HEADER, "Unknown header"))
            }
            "head" => {
                let words = self.numbers()?;
                self.frame().head.extend(words);
                Ok(())
            }
            "tail" => {
                for number in self.numbers()? {
                    match u8::try_from(number) {
                        Ok(byte) => self.frame().tail.push(byte),
                        Err(_) => return Err(self.stop(id::NUMBER, "Expected bytes")),
                    }
                }
                self.frame();
                Ok(())
            }
            "words" => {
                let words = self.numbers()?;
                self.program.push_raw(&words);
                Ok(())
            }
            "bits" => {
                let word = self.expect_number()?;
                let bits = self.expect_number()?;
                match self.program.tokens.len().checked_sub(1) {
                    Some(token) => {
                        self.program.residue.push(Residue { token: token as u32, word, bits });
                        Ok(())
                    }
                    None => {
                        let span = self.since(start);
                        Err(self.stop_at(id::DIRECTIVE, span, "Bits must follow the token they belong to"))
                    }
                }
            }
            _ => {
                let span = self.since(start);
                Err(self.stop_at(
                    id::DIRECTIVE,
                    span,
                    format_args!("Unknown directive {}", Quoted(self.taken(start))),
                ))
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.program.frame.get_or_insert_with(|| Box::new(Frame::default()))
    }

    /// Numbers behind blanks, as many as there are.
    fn numbers(&mut self) -> Read<Vec<u32>> {
        let mut numbers = Vec::new();
        loop {
            let behind = self.at;
            self.skip();
            // The number of an instruction is none of them.
            let hexadecimal = self.byte() == b'0' && matches!(self.byte_at(1), b'x' | b'X');
            if !hexadecimal {
                self.at = behind;
                return Ok(numbers);
            }
            numbers.push(self.expect_number()?);
        }
    }

    /// Everything that is known only at the end.
    fn finish(&mut self) {
        if self.calls {
            if let Some(span) = self.misnumbered {
                self.warn(id::NUMBERING, span, "wrong instruction number; labels count from 0");
            }
        }
        while let Some(open) = self.open.pop() {
            if let (Some((label, _)), Labels::Computed) = (open.written, self.labels) {
                self.set_label(open.token, label);
            }
        }
        self.append_arrays();
    }

    /// Turns arrays of immediates into plain ones behind the others.
    fn append_arrays(&mut self) {
        if self.arrays.is_empty() {
            return;
        }
        let last = |token: &Token| matches!(token, Token::Immediate(_) | Token::Declaration(_));
        let at = self.program.tokens.iter().rposition(last).map_or(0, |n| n + 1);
        let behind = self.program.tokens.split_off(at);
        let mut spans_behind = self.spans.as_mut().map(|spans| spans.split_off(at.min(spans.len())));
        let base = self.immediates;
        let mut count = 0u32;
        for array in core::mem::take(&mut self.arrays) {
            count = count.max(array.first.saturating_add(array.values.len() as u32));
            for value in &array.values {
                self.program.push_immediate(ImmediateType::Flt32, value);
            }
        }
        if let (Some(spans), Some(behind)) = (&mut self.spans, &mut spans_behind) {
            spans.resize(self.program.tokens.len(), (Span::default(), false));
            spans.append(behind);
        }
        self.program.tokens.extend(behind);
        self.program.arrange_words();
        self.program.rename_immediate_arrays(base as i16);
    }

    /// A reader of every dialect, comments and carriage returns.
    pub(super) fn any(text: &'a str) -> Self {
        Self::new(text, &ParseOptions::tolerant(), Dialect::default())
    }

    /// The program and what was found.
    pub(super) fn into_parts(self) -> (Option<Program>, Vec<Diagnostic>) {
        let program = (!self.findings.has_errors()).then_some(self.program);
        (program, self.findings.finish())
    }
}

/// Reads a text; the reader behind its end, or what is wrong with the text.
pub(super) fn read_any(mut reader: Reader<'_>) -> Result<Reader<'_>, Vec<Diagnostic>> {
    reader.read();
    if reader.findings.has_errors() { Err(reader.findings.finish()) } else { Ok(reader) }
}

/// Whether a word ends there.
fn is_end(byte: u8) -> bool {
    matches!(byte, 0 | b' ' | b'\t' | b'\n' | b'\r' | b'}' | b',')
}

/// Values of `FS_COORD_ORIGIN`.
pub(super) const ORIGINS: [&str; 2] = ["UPPER_LEFT", "LOWER_LEFT"];

/// Values of `FS_COORD_PIXEL_CENTER`.
pub(super) const PIXEL_CENTERS: [&str; 2] = ["HALF_INTEGER", "INTEGER"];

fn place(words: &[&str], word: &str) -> Option<u32> {
    words.iter().position(|w| w.eq_ignore_ascii_case(word)).map(|n| n as u32)
}

/// Number of vertices of a primitive that a geometry program takes; those of a number without a name are triangles.
pub(super) fn vertices(code: u32) -> u32 {
    use crate::tgsi::dialect::Numbering;
    use Primitive as P;
    match u8::try_from(code).map(|code| P::from_code(Numbering::Mesa, code)) {
        Ok(P::Points) => 1,
        Ok(P::Lines | P::LineLoop | P::LineStrip) => 2,
        Ok(P::Quads | P::QuadStrip | P::LinesAdjacency | P::LineStripAdjacency) => 4,
        Ok(P::TrianglesAdjacency | P::TriangleStripAdjacency) => 6,
        _ => 3,
    }
}

/// The names of a set of dialects.
pub(super) struct Names(pub Dialects);

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for dialect in Dialect::ALL.iter().filter(|d| self.0 & 1 << (**d as u8) != 0) {
            if !first {
                f.write_str(", ")?;
            }
            f.write_str(dialect.name())?;
            first = false;
        }
        if first { f.write_str("none") } else { Ok(()) }
    }
}
