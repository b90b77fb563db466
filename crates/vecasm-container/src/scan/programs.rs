//! Programs among other bytes.
//!
//! | what | how it is told |
//! |---|---|
//! | Direct3D 8 and 9 | a version that exists, instructions that exist, and the end, in less than a MiB |
//! | AGAL | the seven bytes of a header, and the instructions behind it that the language can say |
//! | NV2A | slots behind a header of the XDK, or two and more of which the last and no other is final |
//! | TGSI | a line with a stage, and all up to the line that ends the program, if it can be read; also in UTF-16 |

use super::wide::{self, Order};
use super::{Confidence, Hit, HitKind, Scan};
use crate::Budget;
use crate::carve::{Run, Steps, length, longest, runs};
use crate::comments::has_table;
use crate::cursor::Result;
use crate::limits::exceeded;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::{Place, Severity};
use vecasm_isa::any::CheckOptions;
use vecasm_isa::tgsi::program::Processor;
use vecasm_isa::{AnyProgram, Isa, agal};

/// A program of AGAL that is longer has not been seen.
const TOKENS: usize = 4096;
/// What an instruction of AGAL takes to look at, in words of Direct3D 9.
const TOKEN_STEPS: usize = 256;
/// A line of a text that is longer is none.
const LINE: usize = 4096;
/// A text that is longer is none.
const TEXT: usize = 1 << 20;

/// What begins a text of TGSI.
fn heads() -> impl Iterator<Item = &'static str> {
    Processor::ALL.iter().copied().filter_map(Processor::name)
}

/// What looks like a program.
enum Candidate {
    D3d9,
    Agal,
    Nv2a(Run),
    /// A text, in one byte a character or in two.
    Tgsi(Option<Order>),
}

/// A search through the pieces of a file.
pub(super) struct Search {
    step: usize,
    steps: Steps,
    /// Whether the search for bytecode has ended for want of steps.
    ended: bool,
    /// Whether there are as many hits as there may be.
    full: bool,
}

impl Search {
    pub(super) fn new(bytes: usize, step: usize) -> Self {
        Self { step, steps: Steps::of(bytes), ended: false, full: false }
    }

    /// Finds the programs in a piece.
    pub(super) fn run(&mut self, bytes: &[u8], piece: Range<usize>, budget: &mut Budget, out: &mut Scan) {
        if self.full {
            return;
        }
        let within = bytes.get(piece.clone()).unwrap_or_default();
        let mut found = Vec::new();
        if !self.ended {
            if let Err(finding) = self.tokens(within, piece.start, budget, &mut found) {
                let offset = found
                    .last()
                    .map_or(piece.start, |(range, _): &(Range<usize>, Candidate)| piece.start + range.end);
                self.ended = true;
                let place = Place::Binary { offset: offset as u32, token: None };
                out.findings.push(finding.at(place).with_help("bytecode is not looked for any further"));
            }
        }
        found
            .extend(runs(within, self.step).into_iter().map(|run| (run.range.clone(), Candidate::Nv2a(run))));
        texts(within, &mut |range| found.push((range, Candidate::Tgsi(None))));
        wide::texts(within, piece.start, &mut |range, order| {
            found.push((range, Candidate::Tgsi(Some(order))));
        });
        for (range, candidate) in longest(found) {
            let Some(hit) = hit(&within[range.clone()], &candidate) else { continue };
            if let Err(finding) = budget.take_entry() {
                self.full = true;
                out.findings.push(finding);
                return;
            }
            out.hits.push(Hit { range: piece.start + range.start..piece.start + range.end, ..hit });
        }
    }

    /// Finds bytecode of Direct3D and of AGAL.
    fn tokens(
        &mut self,
        bytes: &[u8],
        start: usize,
        budget: &Budget,
        found: &mut Vec<(Range<usize>, Candidate)>,
    ) -> Result<()> {
        // Pieces begin at multiples of the step.
        for at in (start.next_multiple_of(self.step) - start..bytes.len()).step_by(self.step) {
            let rest = &bytes[at..];
            let (len, candidate) = match rest {
                [_, _, 0xFE | 0xFF, 0xFF, ..] if rest.len() >= 12 => {
                    (length(rest, &mut self.steps)?, Candidate::D3d9)
                }
                [0xA0, 1..=4, 0, 0, 0, 0xA1, 0 | 1, tokens @ ..] => {
                    (self.agal(&rest[..7], tokens)?, Candidate::Agal)
                }
                _ => continue,
            };
            if let Some(len) = len {
                if found.len() >= budget.limits.entries {
                    return Err(exceeded("another program", "entries", budget.limits.entries, "in all"));
                }
                found.push((at..at + len, candidate));
            }
        }
        Ok(())
    }

    /// How many bytes a program of AGAL has.
    fn agal(&mut self, header: &[u8], bytes: &[u8]) -> Result<Option<usize>> {
        let program = agal::bytes::decode_lossless(header);
        let (stage, version) = (program.stage(), program.version());
        let mut count = 0;
        for token in bytes.chunks_exact(agal::program::Token::SIZE).take(TOKENS) {
            self.steps.take(TOKEN_STEPS)?;
            let Ok(token) = token.try_into() else { break };
            if !agal::text::sayable(stage, version, &agal::program::Token::from_bytes(token)) {
                break;
            }
            count += 1;
        }
        Ok((count > 0).then_some(header.len() + count * agal::program::Token::SIZE))
    }
}

/// What a candidate is; `None` if it turns out to be none.
fn hit(bytes: &[u8], candidate: &Candidate) -> Option<Hit> {
    let (isa, is_text) = match candidate {
        Candidate::D3d9 => (Isa::D3d9, false),
        Candidate::Agal => (Isa::Agal, false),
        Candidate::Nv2a(_) => (Isa::Nv2a, false),
        Candidate::Tgsi(_) => (Isa::Tgsi, true),
    };
    let program = match candidate {
        Candidate::Tgsi(None) => AnyProgram::parse(isa, core::str::from_utf8(bytes).ok()?, None, None).0?,
        Candidate::Tgsi(Some(order)) => {
            let narrow = order.narrow(bytes);
            AnyProgram::parse(isa, core::str::from_utf8(&narrow).ok()?, None, None).0?
        }
        _ => AnyProgram::decode(isa, bytes).ok()?,
    };
    let is_good = {
        let findings = program.validate(&CheckOptions::default());
        findings.iter().all(|finding| finding.severity != Severity::Error)
    };
    let instructions = program.instruction_count();
    let sure = match candidate {
        Candidate::D3d9 => is_good || has_table(bytes),
        Candidate::Agal | Candidate::Tgsi(_) => is_good,
        Candidate::Nv2a(run) => is_good && run.kind.is_some(),
    };
    let likely = match candidate {
        Candidate::D3d9 => instructions >= 4,
        Candidate::Agal => instructions >= 2,
        Candidate::Nv2a(run) => run.kind.is_some() || is_good && run.slots >= 3 && run.writes_position,
        Candidate::Tgsi(_) => true,
    };
    let confidence = match (sure, likely) {
        (true, _) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        (false, false) => Confidence::Weak,
    };
    let what =
        HitKind::Program { isa, stage: program.stage(), model: program.model(), instructions, is_text };
    Some(Hit { range: 0..bytes.len(), what, confidence })
}

/// Finds texts of TGSI.
pub(super) fn texts(bytes: &[u8], found: &mut dyn FnMut(Range<usize>)) {
    let mut at = 0;
    while let Some(rest) = bytes.get(at..) {
        let Some(n) = rest.iter().position(|byte| matches!(byte, b'V' | b'F' | b'G' | b'T' | b'C')) else {
            return;
        };
        let start = at + n;
        at = start + 1;
        if !heads().any(|head| bytes[start..].starts_with(head.as_bytes())) || !begins_line(&bytes[..start]) {
            continue;
        }
        // A text ends in front of the next one: no byte is looked at by more than two.
        match text(&bytes[start..]) {
            Ok(len) if len <= TEXT => {
                found(start..start + len);
                at = start + len;
            }
            Ok(_) => {}
            Err(len) => at = at.max(start + len),
        }
    }
}

/// Whether what follows those bytes is the first on a line of a text.
fn begins_line(before: &[u8]) -> bool {
    let blanks = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let other = before.iter().rev().take(LINE).find(|byte| !blanks(byte));
    other.is_none_or(|byte| !is_text(byte) || *byte == b'\n')
}

pub(super) const fn is_text(byte: &u8) -> bool {
    matches!(*byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')
}

/// How many bytes the text has that begins with a head and goes on to an end; of one that does not, how many were looked at, up to
/// the next head.
fn text(bytes: &[u8]) -> core::result::Result<usize, usize> {
    let mut end = 0;
    loop {
        let rest = &bytes[end..];
        let most = &rest[..rest.len().min(LINE)];
        // Anything that is no text may follow the last line.
        let stop = most.iter().position(|byte| *byte == b'\n' || !is_text(byte));
        let line = stop.map_or(most, |n| &most[..n]);
        let words = line.trim_ascii();
        let is_head = heads().any(|head| head.as_bytes() == words);
        if is_head != (end == 0) {
            return Err(end);
        }
        if end > 0 {
            let number = words.iter().position(|&byte| byte == b':').map_or(0, |colon| colon + 1);
            let (number, rest) = words.split_at(number);
            let counts = number.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b' '));
            if counts && rest.trim_ascii() == b"END" {
                return Ok(end + line.trim_ascii_end().len());
            }
        }
        match stop {
            Some(n) if most[n] == b'\n' => end += n + 1,
            _ => return Err(end),
        }
    }
}
