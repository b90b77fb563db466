//! What the command-line tools of nv2a-vsh 0.1.12 do with a file, for programs that take their place.
//!
//! [`nv2avsh`] and [`nv2avshd`] get the bytes of a file and say what goes to the output, what to standard error, and
//! the exit status; opening, writing and the reading of arguments are the caller's. The output is that tool's, byte
//! for byte, but where the tool would give words that do something else, text that reads back as something else, or a
//! crash: there they do what was meant, or say why it cannot be done, and say in one line that the tool differs. With
//! `strict_compat` they do all that, too.

use super::dialect::Dialect;
use super::errors::id;
use super::options::{ParseOptions, PrintOptions};
use super::parse::{Assembled, assemble};
use super::print::{Style, inl as listing, print};
use crate::nv2a::bytes::{decode, looks_like};
use crate::nv2a::pair::Mode;
use crate::nv2a::program::{Container, Mux, Program, Slot};
use crate::nv2a::table::{self, Field, Ilu, Mac, Port};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::diag::{Diagnostic, Lines, Place, Severity};
use vecasm_ir::operand::WriteMask;

/// What a tool does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What is written to the output, without the line end that standard output gets behind it; `None` if no output
    /// is made.
    pub output: Option<String>,
    /// The lines for standard error, each with its line end.
    pub errors: String,
}

impl Answer {
    /// The exit status: 0, or 1 if there is no output.
    pub const fn status(&self) -> u8 {
        if self.output.is_some() { 0 } else { 1 }
    }

    fn say(&mut self, line: impl Display) {
        self.errors.push_str(&format!("{line}\n"));
    }

    /// Says who reads a log, in which the words are not all of programs.
    fn suggest_dis(&mut self, source: &[u8], options: &DisassembleOptions) {
        let is_log = || text_of(source).is_ok_and(|text| Dialect::recognize(&text) == Some(Dialect::Log));
        if options.text && !options.strict_compat && is_log() {
            self.say("note: this is a log; `vecasm dis` reads the programs in it");
        }
    }

    /// Says that nv2a-vsh does something else.
    fn differs(&mut self, what: impl Display) {
        self.say(format_args!("note: nv2a-vsh 0.1.12 {what}; --strict-compat does the same"));
    }
}

/// The module that the class of most exceptions of nv2a-vsh is printed with.
const MODULE: &str = "nv2a_vsh.nv2a_vsh_asm.encoding_error.";

/// The last line of what Python prints about an exception, from its class and what it says.
fn exception(message: &str) -> String {
    let module = if message.starts_with("EncodingError") { MODULE } else { "" };
    format!("{module}{message}")
}

/// The text of a file as Python reads it: every line end is `\n`. An exception if it is not UTF-8.
fn text_of(source: &[u8]) -> Result<Cow<'_, str>, String> {
    let text = core::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        let first = source.get(at).copied().unwrap_or(0);
        let len = error.error_len().unwrap_or(source.len() - at);
        let why = match (error.error_len(), first) {
            (None, _) => "unexpected end of data",
            // No character begins with these.
            (_, 0x80..=0xc1 | 0xf5..) => "invalid start byte",
            _ => "invalid continuation byte",
        };
        let what = if len > 1 {
            format!("bytes in position {at}-{}", at + len - 1)
        } else {
            format!("byte 0x{first:02x} in position {at}")
        };
        format!("UnicodeDecodeError: 'utf-8' codec can't decode {what}: {why}")
    })?;
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() })
}

/// What [`nv2avsh`] is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssembleOptions {
    /// `--explicit-final`: a slot that does nothing is appended to end the program.
    pub explicit_final: bool,
    /// Whether everything is done as nv2a-vsh does it, with its wrong words and its failures.
    pub strict_compat: bool,
}

/// Assembles a file as `nv2avsh` does: the words of each slot behind its source in a comment. `name` is the file's, for
/// messages.
pub fn nv2avsh(name: &str, source: &[u8], options: &AssembleOptions) -> Answer {
    let mut answer = Answer::default();
    let text = match text_of(source) {
        Ok(text) => text,
        Err(why) => {
            answer.say(why);
            return answer;
        }
    };
    let read = |mode, explicit_final| {
        assemble(&text, &ParseOptions { mode, explicit_final, ..ParseOptions::default() })
    };
    let (peers, said) = read(Mode::Compat, false);
    if options.strict_compat {
        complain(&mut answer, name, &text, &said);
        if let Some(program) = peers {
            // Its listing pairs every slot with a source, and the appended one has none.
            if options.explicit_final && !program.program.slots.is_empty() {
                answer.say("ValueError: zip() argument 2 is shorter than argument 1");
            } else {
                answer.output = Some(listing(&program.program, &program.said, true));
            }
        }
        return answer;
    }
    let (ours, findings) = read(Mode::Strict, options.explicit_final);
    let Some(ours) = ours.filter(|ours| ours.program.slots.len() <= table::SLOTS) else {
        complain(&mut answer, name, &text, &findings);
        if !findings.iter().any(|d| d.severity == Severity::Error) {
            answer.say(format_args!(
                "Assembly failed due to errors in {name}:\n{name}: the program is longer than {} slots",
                table::SLOTS
            ));
        }
        if peers.is_some() {
            answer.differs("accepts this text and writes words that do something else");
        }
        return answer;
    };
    // What it warns about, in its words.
    complain(&mut answer, name, &text, if peers.is_some() { &said } else { &findings });
    tell_difference(&mut answer, &ours, peers.as_ref(), &said, options);
    answer.output = Some(listing(&ours.program, &ours.said, false));
    answer
}

/// The words of a program with its text in comments, as [`nv2avsh`] writes them.
pub fn inl(program: &Program) -> String {
    listing(program, &[], false)
}

/// Says in one line how nv2a-vsh differs, if it does.
fn tell_difference(
    answer: &mut Answer,
    ours: &Assembled,
    peers: Option<&Assembled>,
    said: &[Diagnostic],
    options: &AssembleOptions,
) {
    let Some(peers) = peers else {
        let error = said.iter().find(|d| d.severity == Severity::Error);
        let first = error.map_or("", |d| d.message.lines().next().unwrap_or(""));
        return answer.differs(format_args!("refuses this text ({first})"));
    };
    if options.explicit_final && !peers.program.slots.is_empty() {
        return answer.differs("stops with an exception at -e");
    }
    let other = |of: fn(&Assembled) -> String| {
        let (ours, peers) = (of(ours), of(peers));
        ours.lines().zip(peers.lines()).position(|(a, b)| a != b).map(|line| line / 2)
    };
    if let Some(slot) = other(|a| listing(&a.program, &a.said, true)) {
        answer.differs(format_args!("has other words in slot {slot}"));
    } else if listing(&ours.program, &ours.said, true) != listing(&ours.program, &ours.said, false) {
        answer.differs("writes comments here that assemble to something else");
    }
}

/// Writes findings as nv2a-vsh does.
fn complain(answer: &mut Answer, name: &str, text: &str, findings: &[Diagnostic]) {
    let mut first = true;
    let lines = Lines::new(text);
    for finding in findings {
        let place = match finding.place {
            Place::Text(span) => {
                let (line, column) = lines.line_column(span.start);
                format!("{name}:{line}:{}", column.saturating_sub(1))
            }
            _ => name.into(),
        };
        match finding.severity {
            Severity::Error if finding.id == id::EXCEPTION => answer.say(exception(&finding.message)),
            Severity::Error => {
                if first {
                    answer.say(format_args!("Assembly failed due to errors in {name}:"));
                    first = false;
                }
                answer.say(format_args!("{place}: {}", finding.message));
            }
            Severity::Warning | Severity::Note if finding.id == id::ILU_RENAMED => {
                answer.say(format_args!("Warning: {}", finding.message));
            }
            severity => answer.say(format_args!("{place}: {severity}: {}", finding.message)),
        }
    }
}

/// What [`nv2avshd`] is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisassembleOptions {
    /// `--text`: the file is text with words behind `0x`.
    pub text: bool,
    /// `--explain`: every field of each slot is listed.
    pub explain: bool,
    /// Whether everything is done as nv2a-vsh does it, with its wrong swizzles and its failures.
    pub strict_compat: bool,
}

/// Disassembles a file as `nv2avshd` does. Without `text` the file may be words in binary, microcode or a pushbuffer,
/// which nv2a-vsh cannot read; one that is none of these and has words in text is read as text.
pub fn nv2avshd(name: &str, source: &[u8], options: &DisassembleOptions) -> Answer {
    let mut answer = Answer::default();
    let program = if options.text {
        text_of(source).and_then(|text| slots_of(&text, options.strict_compat))
    } else if options.strict_compat {
        Err("NotImplementedError".into())
    } else {
        binary(name, source)
    };
    let program = match program {
        Ok(program) => program,
        Err(why) => {
            answer.say(why);
            answer.suggest_dis(source, options);
            return answer;
        }
    };
    let style = if options.explain { Style::Explain } else { Style::Nv2avshd };
    let failure = program.slots.iter().find_map(failure);
    if options.strict_compat {
        match failure {
            Some(why) => answer.say(why),
            None => answer.output = Some(print(&program, &PrintOptions { style, compat: true })),
        }
        return answer;
    }
    let output = print(&program, &PrintOptions { style, compat: false });
    if !options.text {
        // That it cannot read binaries is known to whoever gives it one.
    } else if let Some(why) = failure {
        answer.differs(format_args!("stops at these words ({why})"));
        answer.suggest_dis(source, options);
    } else {
        let peers = print(&program, &PrintOptions { style, compat: true });
        if let Some(line) = output.lines().zip(peers.lines()).position(|(a, b)| a != b) {
            answer.differs(format_args!(
                "prints other swizzles than the words have, first in line {}",
                line + 1
            ));
        }
    }
    answer.output = Some(output);
    answer
}

/// A file that is not said to be text.
fn binary(name: &str, source: &[u8]) -> Result<Program, String> {
    if !looks_like(source) {
        if let Ok(program) = text_of(source).and_then(|text| slots_of(&text, false)) {
            if !program.slots.is_empty() {
                return Ok(program);
            }
        }
    }
    let program = decode(source).map_err(|finding| format!("{name}: {}", finding.message))?;
    match program.tail.len() {
        0 => Ok(program),
        n => Err(format!("{name}: {n} bytes after the last whole slot")),
    }
}

/// The slots of all the words in a text: whatever stands behind `0x`, in comments, too.
fn slots_of(text: &str, strict_compat: bool) -> Result<Program, String> {
    let mut words = Vec::with_capacity(text.len() / 11);
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = rest.get(at + 2..).unwrap_or("");
        let len = digits.bytes().position(|b| !b.is_ascii_hexdigit()).unwrap_or(digits.len());
        let (word, behind) = digits.split_at(len);
        if len > 0 {
            words.push(word);
        }
        rest = behind;
    }
    if words.len() % 4 != 0 {
        return Err(format!("ValueError: Invalid input, {} is not divisible by 4.", words.len()));
    }
    let mut slots = Vec::with_capacity(words.len() / 4);
    for four in words.chunks_exact(4) {
        let mut slot = Slot::default();
        for (to, word) in slot.0.iter_mut().zip(four) {
            *to = u32::from_str_radix(word, 16).map_err(|_| too_large(word, four, &slots, strict_compat))?;
        }
        slots.push(slot);
    }
    Ok(Program { container: Container::Bare, slots, tail: Vec::new() })
}

/// What is said of a number of a slot that has more than 32 bits.
#[cold]
fn too_large(word: &str, four: &[&str], before: &[Slot], strict_compat: bool) -> String {
    if !strict_compat {
        return format!("0x{word} has more than 32 bits");
    }
    // nv2a-vsh would have stopped at what stands in front.
    if let Some(why) = before.iter().find_map(failure) {
        return why;
    }
    let values: Vec<Option<u128>> = four.iter().map(|word| u128::from_str_radix(word, 16).ok()).collect();
    if values.first() == Some(&Some(0)) {
        return "OverflowError: int too big to convert".into();
    }
    let shown: Vec<String> = values
        .iter()
        .zip(four)
        .map(|(n, word)| n.map_or_else(|| format!("0x{word}"), |n| format!("{n}")))
        .collect();
    format!("ValueError: First element must be zero [{}]", shown.join(", "))
}

/// The exception with which nv2a-vsh stops at a slot, if it does.
fn failure(slot: &Slot) -> Option<String> {
    if slot.get(Field::Word0) != 0 {
        let words = slot.0.map(|word| format!("{word}")).join(", ");
        return Some(format!("ValueError: First element must be zero [{words}]"));
    }
    if slot.get(Field::Mac) == 0 && slot.ilu() == Ilu::Nop {
        return None;
    }
    let Some(mac) = slot.mac() else {
        return Some(format!("ValueError: {} is not a valid MAC", slot.get(Field::Mac)));
    };
    let some = |mask: WriteMask| mask != WriteMask::NONE;
    let address = slot.get(Field::OutAddress);
    if some(slot.output_mask()) && slot.get(Field::OutOrb) == 1 && table::output(address).is_none() {
        return Some(format!("ValueError: {address} is not a valid OutputRegisters"));
    }
    let to_mac = some(slot.output_mask()) && slot.get(Field::OutMux) == 0;
    if mac == Mac::Arl && (some(slot.mac_mask()) || to_mac) {
        let why = "ARL implicitly writes to A0 with an x mask; mac must not be specified";
        return Some(format!("ValueError: {why}"));
    }
    let no_file = Port::ALL.iter().any(|port| slot.source(*port).mux == Mux::Undefined);
    no_file.then(|| "ValueError: Unknown mux code 0".into())
}
