//! Adobe's AGALMiniAssembler, bug for bug.
//!
//! Four public versions of the ActionScript source are told apart ([`Assembler`]). What each does with a text was
//! found by running those sources; bytes, error texts, warnings and the exception of a missing component are the
//! same here. The peculiarities worth knowing: an opcode is the first three word characters of a line; whatever
//! stands between operands is ignored; lines with an unknown opcode are skipped with a warning; sampler options stay
//! in force until another line has some; unknown options are a bias of NaN, which is 0.

use super::errors::id;
use super::options::{self, Field, SamplerOption};
use super::parse::operations;
use super::print::in_stage;
use super::registers::{self, Name};
use super::syntax::{comment_start, ends_line};
use crate::agal::program::{Dest, Header, RegType, Source, Stage, Token};
use crate::agal::table::Opcode;
use crate::table::{Flow, Lift, Shape};
use crate::text::cursor::{is_word, is_word_char};
use crate::text::numbers::{count_digits, strip_hex};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::diag::{Diagnostic, Span};
use vecasm_ir::operand::{LANES, Swizzle, WriteMask};

/// A published version of the AGALMiniAssembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Assembler {
    /// `com.adobe.utils.v3` of graphicscorelib: AGAL 1–3. The one that most programs were written for.
    #[default]
    V3,
    /// `com.adobe.utils` of 2011: AGAL 1 only, with the conditionals and loops that no player ever had.
    Legacy,
    /// `com.adobe.utils.extended`, the beta of AGAL 2.
    Extended,
    /// The copy of 2017 in the Starling framework: AGAL 1–4, with `tld`, `vs` and 16 samplers.
    Agal4,
}

impl Assembler {
    /// Every version.
    pub const ALL: [Self; 4] = [Self::V3, Self::Legacy, Self::Extended, Self::Agal4];

    /// `v3`, `legacy`, `extended` or `agal4`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V3 => "v3",
            Self::Legacy => "legacy",
            Self::Extended => "extended",
            Self::Agal4 => "agal4",
        }
    }

    /// Most opcodes that a program may have.
    pub const fn max_opcodes(self) -> usize {
        match self {
            Self::Legacy => 256,
            Self::Extended => 2048,
            Self::V3 | Self::Agal4 => 4096,
        }
    }

    const fn is_v3_family(self) -> bool {
        matches!(self, Self::V3 | Self::Agal4)
    }

    fn opcode(self, name: &str) -> Option<Opcode> {
        let has = |op: Opcode| {
            let row = op.row();
            let of_legacy = match row.lift {
                Lift::Reserved => true,
                _ => row.since < 2,
            };
            match op {
                Opcode::Ted => false,
                Opcode::Tld => self == Self::Agal4,
                _ if self == Self::Legacy => of_legacy,
                _ => !matches!(row.lift, Lift::Reserved),
            }
        };
        operations(name).find(|&op| has(op))
    }

    fn register(self, name: &str) -> Option<&'static Name> {
        registers::by_name(name).filter(|n| match n.name {
            "vs" => self == Self::Agal4,
            "iid" | "i" => self.is_v3_family(),
            "vo" | "fo" | "vi" | "fi" | "od" | "fd" => self != Self::Legacy,
            _ => true,
        })
    }

    /// Highest register number allowed, before `ignore_limits`.
    fn range(self, ty: RegType, stage: Stage, version: u32) -> u32 {
        let count = match (ty, self) {
            (RegType::Sampler, Self::Agal4) if stage == Stage::Vertex => 4,
            (RegType::Sampler, Self::Agal4) => 16,
            (RegType::Sampler, _) => 8,
            (RegType::InstanceId, _) => 1,
            (RegType::Depth, _) if version == 1 => 0,
            (RegType::Depth, _) => 1,
            (_, Self::Legacy) => ty.count(stage, 1),
            (_, Self::Extended) => ty.count(stage, version.min(2)),
            _ => ty.count(stage, version),
        };
        // The range of the depth output in version 1 is −1, stored unsigned: it never refuses.
        count.wrapping_sub(1)
    }

    fn option(self, name: &str) -> Option<&'static SamplerOption> {
        static DEPTH: SamplerOption = SamplerOption { name: "depth", field: Field::Special, value: 4 };
        if name == DEPTH.name && self == Self::Legacy {
            return Some(&DEPTH);
        }
        options::by_name(name).filter(|o| match o.name {
            "compressed" | "compressedalpha" => self.is_v3_family(),
            "ignoresampler" | "video" => self != Self::Legacy,
            _ => true,
        })
    }
}

vecasm_ir::spelled!(Assembler, "assembler");

/// What to assemble, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompatOptions<'a> {
    /// The version of the assembler.
    pub assembler: Assembler,
    /// The stage as the caller of the original gives it; anything but `vertex` and `fragment` is an error of the
    /// assembler.
    pub mode: &'a str,
    /// The version of AGAL: goes into the header and selects register ranges. The legacy assembler knows 1 only.
    pub version: u32,
    /// The parameter of the same name: every register range becomes 0..=1024.
    pub ignore_limits: bool,
}

/// Why the assembler gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompatError {
    /// The `error` property of the original, with the line it names: `error: …\n  at line 0 mov …`.
    Message(String),
    /// The original throws `TypeError #1009` (null dereference): a component is missing in `vc[…]`.
    TypeError1009,
}

impl fmt::Display for CompatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(text) => f.write_str(text),
            Self::TypeError1009 => f.write_str("TypeError #1009"),
        }
    }
}

impl core::error::Error for CompatError {}

/// What the assembler gave.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CompatOutput {
    /// The program; empty after an error.
    pub bytes: Vec<u8>,
    /// The error, if there was one.
    pub error: Option<CompatError>,
    /// The lines of the trace, without newlines.
    pub warnings: Vec<String>,
    warned: Vec<Span>,
    failed: Span,
}

/// Most warnings that [`CompatOutput::diagnostics`] lists.
const MAX_WARNINGS: usize = 1000;

impl CompatOutput {
    /// Warnings and error with their places in the text, for display. Of very many warnings only the first 1000
    /// are listed.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut out: Vec<_> = self
            .warnings
            .iter()
            .zip(&self.warned)
            .take(MAX_WARNINGS)
            .map(|(text, span)| {
                let message = text.strip_prefix("warning: ").unwrap_or(text);
                Diagnostic::warning(id::BAD_LINE, message)
                    .at_span(*span)
                    .with_help("Adobe's assembler skips the line; strict mode refuses it")
            })
            .collect();
        if let Some(error) = &self.error {
            let d = match error {
                CompatError::Message(text) => {
                    let first = text.split('\n').next().unwrap_or("");
                    let prefix = first.get(..7).filter(|p| p.eq_ignore_ascii_case("error: "));
                    Diagnostic::error(id::ASSEMBLER, &first[prefix.map_or(0, str::len)..])
                }
                CompatError::TypeError1009 => Diagnostic::error(
                    id::ASSEMBLER,
                    "TypeError #1009: cannot access a property or method of a null object reference",
                )
                .with_help("a component of the index register is missing in vc[...]: write vc[va0.x]"),
            };
            out.push(Diagnostic { first: true, ..d.at_span(self.failed) });
        }
        out
    }
}

/// Assembles `text` as the given version of the AGALMiniAssembler does.
pub fn assemble(text: &str, options: &CompatOptions<'_>) -> CompatOutput {
    let mut out = CompatOutput::default();
    let version = if options.assembler == Assembler::Legacy { 1 } else { options.version };
    let Ok(stage) = options.mode.parse::<Stage>() else {
        let line = lines(text).next().unwrap_or((0, ""));
        let message =
            format!("ERROR: mode needs to be \"fragment\" or \"vertex\" but is \"{}\".", options.mode);
        out.fail(Failure::Message(message), 0, line);
        return out;
    };
    out.bytes.extend_from_slice(Header::new(stage, version).bytes());
    let mut state = State {
        assembler: options.assembler,
        stage,
        version,
        ignore_limits: options.ignore_limits,
        sampler: SamplerBits::default(),
        nesting: 0,
        opcodes: 0,
    };
    for (i, line) in lines(text).enumerate() {
        match state.line(line.1) {
            Ok(Some(token)) => out.bytes.extend_from_slice(&token.to_bytes()),
            Ok(None) => {}
            Err(Failure::Skipped) => {
                out.warnings.push(format!("warning: bad line {i}: {}", line.1));
                out.warned.push(line_span(line));
            }
            Err(failure) => {
                out.fail(failure, i, line);
                return out;
            }
        }
    }
    out
}

impl CompatOutput {
    fn fail(&mut self, failure: Failure, i: usize, line: (usize, &str)) {
        self.bytes = Vec::new();
        self.failed = line_span(line);
        self.error = Some(match failure {
            Failure::Message(text) => CompatError::Message(format!("{text}\n  at line {i} {}", line.1)),
            Failure::Exception | Failure::Skipped => CompatError::TypeError1009,
        });
    }
}

enum Failure {
    /// The line is skipped with a warning.
    Skipped,
    Message(String),
    Exception,
}

fn fail<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Message(message.into()))
}

/// The lines with their byte offsets. Runs of breaks count once, so lines are not numbered as an editor does.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = Some(0);
    core::iter::from_fn(move || {
        let start = rest?;
        let tail = &text[start..];
        let end = tail.bytes().position(ends_line);
        rest = end.map(|end| start + end + count(&tail.as_bytes()[end..], ends_line));
        Some((start, &tail[..end.unwrap_or(tail.len())]))
    })
}

fn line_span((start, line): (usize, &str)) -> Span {
    let indent = line.len() - line.trim_start().len();
    Span::new(start + indent, start + indent + line.trim().len())
}

/// The sampler word that the options in force make, and their bias.
#[derive(Clone, Copy, Default)]
struct SamplerBits {
    fields: u64,
    bias: u8,
}

struct State {
    assembler: Assembler,
    stage: Stage,
    version: u32,
    ignore_limits: bool,
    /// Not cleared between lines: `var` is scoped to the function in ActionScript.
    sampler: SamplerBits,
    nesting: u32,
    opcodes: usize,
}

impl State {
    fn line(&mut self, raw: &str) -> Result<Option<Token>, Failure> {
        let mut line = raw.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if let Some(comment) = comment_start(line) {
            line = &line[..comment];
        }
        if let Some(open) = line.find('<').filter(|&open| line[open..].contains('>')) {
            self.sampler = self.options(&line[open..]);
            line = &line[..open];
        }
        let word = line.get(..3).filter(|w| w.bytes().all(is_word));
        let Some(op) = word.and_then(|w| self.assembler.opcode(w)) else {
            // The original counts UTF-16 code units.
            return if line.encode_utf16().nth(2).is_some() { Err(Failure::Skipped) } else { Ok(None) };
        };
        self.check_opcode(op)?;
        self.opcodes += 1;
        let max = self.assembler.max_opcodes();
        if self.opcodes > max {
            return fail(format!("error: too many opcodes. maximum is {max}."));
        }
        self.operands(op, &line[3..]).map(Some)
    }

    fn check_opcode(&mut self, op: Opcode) -> Result<(), Failure> {
        let row = op.row();
        if self.assembler == Assembler::Legacy {
            if matches!(row.flow, Flow::Else | Flow::EndIf) {
                match self.nesting.checked_sub(1) {
                    Some(n) => self.nesting = n,
                    None => return fail("error: conditional closes without open."),
                }
            }
            if matches!(row.flow, Flow::If | Flow::Else) {
                self.nesting += 1;
                if self.nesting > MAX_NESTING {
                    return fail(format!("error: nesting to deep, maximum allowed is {MAX_NESTING}."));
                }
            }
        } else if row.since >= 2 && self.version < 2 {
            return fail("error: opcode requires version 2.");
        }
        if !in_stage(row.stages, self.stage) {
            let other = if self.stage == Stage::Vertex { Stage::Fragment } else { Stage::Vertex };
            return fail(format!("error: opcode is only allowed in {} programs.", other.name()));
        }
        Ok(())
    }

    fn operands(&self, op: Opcode, text: &str) -> Result<Token, Failure> {
        let row = op.row();
        let mut found = 0;
        let mut operands = [""; 3];
        for operand in (Operands { assembler: self.assembler, rest: text }) {
            if let Some(slot) = operands.get_mut(found) {
                *slot = operand;
            }
            found += 1;
        }
        if found != row.shape.len() {
            let expected = row.shape.len();
            return fail(format!("error: wrong number of operands. found {found} but expected {expected}."));
        }
        let mut token = Token { opcode: row.code, ..Token::default() };
        let mut sources = [Source::default(); 2];
        let mut filled = 0;
        for (j, (shape, operand)) in row.shape.iter().zip(operands).enumerate() {
            let operand = self.operand(j, operand)?;
            if *shape == Shape::Dst {
                if operand.index.is_some() {
                    return fail("error: relative can not be destination");
                }
                token.dest = operand.dest();
                continue;
            }
            let source = match shape {
                Shape::Sampler => {
                    let SamplerBits { fields, bias } = self.sampler;
                    let ty = u64::from(RegType::Sampler.code()) << 32;
                    Source(u64::from(operand.number) | u64::from(bias) << 16 | ty | fields)
                }
                _ => self.source(&operand)?,
            };
            if let Some(slot) = sources.get_mut(filled) {
                *slot = source;
            }
            filled += 1;
        }
        [token.src1, token.src2] = sources;
        Ok(token)
    }

    /// Reads operand number `j`, a match of the operand pattern.
    fn operand<'a>(&self, j: usize, text: &'a str) -> Result<Operand<'a>, Failure> {
        // The original replaces the brackets by the digit 0 and goes on with that text.
        let index = text.find('[').and_then(|open| text.get(open..=text.find(']')?));
        let shown = match index {
            Some(index) => Cow::Owned(text.replace(index, "0")),
            None => Cow::Borrowed(text),
        };
        let letters = leading_letters(&shown, if self.assembler.is_v3_family() { 3 } else { 2 });
        let Some(register) = self.assembler.register(letters) else {
            let what = match self.assembler {
                Assembler::Legacy => "could not parse operand",
                _ => "could not find register name for operand",
            };
            return fail(format!("error: {what} {j} ({shown})."));
        };
        if let Some(stage) = register.stage.filter(|&stage| stage != self.stage) {
            let stage = stage.name();
            return fail(format!("error: register operand {j} ({shown}) only allowed in {stage} programs."));
        }
        // The name under which the register is kept is searched in the operand; if it is an alias that does not
        // contain it, the position −1 leaves the last letter of the name in place.
        let kept = if self.assembler == Assembler::Legacy { register.name } else { register.main };
        let cut = match shown.as_bytes().windows(kept.len()).position(|w| w == kept.as_bytes()) {
            Some(at) => at + kept.len(),
            None => kept.len() - 1,
        };
        let rest = shown.get(cut..).unwrap_or("");
        let number = first_number(index.unwrap_or(rest));
        let range = self.assembler.range(register.ty, self.stage, self.version);
        let range = if self.ignore_limits { 1024 } else { range };
        if number > range {
            let limit = range.wrapping_add(1);
            return fail(format!("error: register operand {j} ({rest}) index exceeds limit of {limit}."));
        }
        let mut lanes = [0; 4];
        let mut count = 0;
        let suffixes = rest.match_indices('.').map(|(dot, _)| &rest[dot + 1..]);
        for c in suffixes.filter(|s| s.starts_with(LANES)).take(1).flat_map(str::chars).take(4) {
            let Some(lane) = LANES.iter().position(|&l| l == c) else { break };
            lanes[count] = lane as u8;
            count += 1;
        }
        Ok(Operand { register, number: number as u16, lanes, count, index })
    }

    fn source(&self, operand: &Operand<'_>) -> Result<Source, Failure> {
        let (ty, swizzle) = (operand.register.ty, operand.swizzle());
        let Some(index) = operand.index else {
            return Ok(Source::direct(ty, operand.number, swizzle));
        };
        let name = leading_letters(&index[1..], if self.assembler.is_v3_family() { 3 } else { 2 });
        let Some(register) = self.assembler.register(name) else {
            return fail("error: bad index register");
        };
        let component = index
            .char_indices()
            .find_map(|(i, c)| {
                let lane = index[i..].chars().nth(1)?;
                if c == '.' { LANES.iter().position(|&l| l == lane) } else { None }
            })
            .ok_or(Failure::Exception)?;
        let offset = index.find('+').map_or(0, |plus| first_number(&index[plus..]));
        let Ok(offset) = u8::try_from(offset) else {
            return fail(format!("error: index offset {offset} out of bounds. [0..255]"));
        };
        Ok(Source::indirect(ty, offset, swizzle, register.ty, operand.number, component as u8))
    }

    fn options(&self, text: &str) -> SamplerBits {
        let mut out = SamplerBits::default();
        for word in text.split(|c: char| !(is_word_char(c) || matches!(c, '.' | '-' | '+'))) {
            if word.is_empty() {
                continue;
            }
            match self.assembler.option(word) {
                Some(option) => {
                    let shift = option.field.shift();
                    if option.field != Field::Special {
                        out.fields &= !(15 << shift);
                    }
                    out.fields |= u64::from(option.value) << shift;
                }
                None => out.bias = to_int8(number(word) * 8.0),
            }
        }
        out
    }
}

/// Deepest nesting of conditionals in the legacy assembler.
const MAX_NESTING: u32 = 4;

struct Operand<'a> {
    register: &'static Name,
    number: u16,
    lanes: [u8; 4],
    count: usize,
    index: Option<&'a str>,
}

impl Operand<'_> {
    fn dest(&self) -> Dest {
        let mask = self.lanes[..self.count].iter().fold(0, |mask, lane| mask | 1 << lane);
        let mask = if self.count == 0 { WriteMask::ALL } else { WriteMask::from_bits(mask) };
        Dest::new(self.register.ty, self.number, mask)
    }

    fn swizzle(&self) -> Swizzle {
        let lane = |i: usize| self.lanes[i.min(self.count.saturating_sub(1))];
        if self.count == 0 { Swizzle::IDENTITY } else { Swizzle::new(lane(0), lane(1), lane(2), lane(3)) }
    }
}

/// The matches of the operand pattern, from left to right. Nothing in the patterns needs backtracking.
struct Operands<'a> {
    assembler: Assembler,
    rest: &'a str,
}

impl<'a> Iterator for Operands<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = |b: u8| self.is_first(b);
        let start = self.rest.bytes().position(first)?;
        let text = &self.rest[start..];
        let len = self.relative(text.as_bytes()).unwrap_or_else(|| {
            let name = self.name(text.as_bytes());
            let digits = count_digits(&text.as_bytes()[name..]);
            name + digits + suffix(&text.as_bytes()[name + digits..])
        });
        let (operand, rest) = text.split_at(len);
        self.rest = rest;
        Some(operand)
    }
}

impl Operands<'_> {
    fn is_first(&self, b: u8) -> bool {
        matches!(b | 0x20, b'v' | b'o' | b'f') || (b | 0x20 == b'i' && self.assembler.is_v3_family())
    }

    /// Length of the register name at the start of `text`.
    fn name(&self, text: &[u8]) -> usize {
        let at = |i: usize| text.get(i).map_or(0, u8::to_ascii_lowercase);
        if !text.first().is_some_and(|&b| self.is_first(b)) {
            return 0;
        }
        let second: &[u8] = if self.assembler == Assembler::Legacy { b"actps" } else { b"acostdip" };
        let mut len = 1 + usize::from(second.contains(&at(1)));
        if self.assembler.is_v3_family() && at(len) == b'd' {
            len += 1;
        }
        len
    }

    /// Length of `vc[register.component+offset].suffix` at the start of `text`.
    fn relative(&self, text: &[u8]) -> Option<usize> {
        if !text.get(..3)?.eq_ignore_ascii_case(b"vc[") {
            return None;
        }
        let mut at = 3;
        let name = self.name(&text[at..]);
        if name == 0 {
            return None;
        }
        at += name;
        at += count_digits(&text[at..]);
        let mut component = false;
        if text.get(at) == Some(&b'.') && is_lane(*text.get(at + 1)?) {
            component = true;
            at += 2;
        }
        if text.get(at) == Some(&b'+') && (component || self.assembler.is_v3_family()) {
            let digits = count_digits(&text[at + 1..]);
            if !(1..=3).contains(&digits) {
                return None;
            }
            at += 1 + digits;
        }
        (text.get(at) == Some(&b']')).then(|| at + 1 + suffix(&text[at + 1..]))
    }
}

fn is_lane(b: u8) -> bool {
    LANES.contains(&(b.to_ascii_lowercase() as char))
}

fn count(text: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&b| !holds(b)).unwrap_or(text.len())
}

/// Length of `.xyzw` (one to four letters) at the start of `text`, 0 if there is none.
fn suffix(text: &[u8]) -> usize {
    if text.first() != Some(&b'.') {
        return 0;
    }
    match count(&text[1..], is_lane).min(4) {
        0 => 0,
        letters => 1 + letters,
    }
}

fn leading_letters(text: &str, max: usize) -> &str {
    &text[..count(text.as_bytes(), |b| b.is_ascii_alphabetic()).min(max)]
}

/// `uint()` of the first run of digits, 0 if there is none.
fn first_number(text: &str) -> u32 {
    let start = text.bytes().position(|b| b.is_ascii_digit()).unwrap_or(text.len());
    let digits = &text[start..start + count_digits(&text.as_bytes()[start..])];
    match digits.len() {
        0 => 0,
        1..=9 => digits.parse().unwrap_or(0),
        _ => to_uint32(digits.parse().unwrap_or(0.0)),
    }
}

/// `Number()` of a word.
fn number(word: &str) -> f64 {
    if let Some(hex) = strip_hex(word) {
        let mut digits = hex.chars().map(|c| c.to_digit(16));
        let value = digits.try_fold(0.0, |n: f64, d| Some(n * 16.0 + f64::from(d?)));
        return if hex.is_empty() { f64::NAN } else { value.unwrap_or(f64::NAN) };
    }
    // `inf`, `nan` and the like, which Rust would take. `Infinity` is 0 as a byte, as NaN is.
    let plain = word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if plain { word.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// The remainder of a truncated value modulo 2^32, 0 for NaN and infinities.
fn to_uint32(value: f64) -> u32 {
    const TWO32: f64 = 4_294_967_296.0;
    if !value.is_finite() {
        return 0;
    }
    let rest = value % TWO32;
    if rest < 0.0 { (-rest as u32).wrapping_neg() } else { rest as u32 }
}

fn to_int8(value: f64) -> u8 {
    to_uint32(value) as u8
}
