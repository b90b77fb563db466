//! Containers among other bytes.

use super::{Confidence, Hit, HitKind, Scan};
use crate::carve::Steps;
use crate::container::{Detail, Kind, inside};
use crate::cursor::Result;
use crate::format::word;
use crate::{Budget, Container, Format, rules, visit};
use alloc::collections::BTreeMap;
use alloc::string::ToString as _;
use core::ops::{ControlFlow, Range};
use vecasm_ir::diag::{Diagnostic, Place};

/// An effect whose size no header tells is not larger.
const MOST: usize = 4 << 20;

/// So many unpacked bytes are a step of the search.
const UNPACKED_BYTES: usize = 16;

/// Finds containers, none in another one, and says so.
pub(super) fn find(bytes: &[u8], step: usize, budget: &mut Budget, out: &mut Scan) {
    // What stands in a file alone needs no magic.
    if Format::of(bytes).is_some() {
        match read(bytes, budget, 0, out) {
            Ok(hit) => out.hits.push(hit),
            Err(finding) => give_up(finding, 0, out),
        }
    }
    let archives = archives(bytes);
    let mut steps = Steps::of(bytes.len());
    let mut at = out.hits.first().map_or(0, |hit| hit.range.end.next_multiple_of(step));
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= 16) {
        let Some(format) = magic(rest) else {
            at += step;
            continue;
        };
        let size = if format == Format::Zip { archives.get(&at).copied() } else { size(format, rest) };
        let file = size.and_then(|size| rest.get(..size));
        // Each has all that may be unpacked for itself: nothing of it stays. What it takes counts as a part of the search.
        let before = *budget;
        let hit = file.and_then(|file| read(file, budget, at, out).ok());
        let unpacked = budget.give_back_unpacked(&before);
        let took = match (&hit, file) {
            (Some(hit), _) => hit.range.len(),
            // Most that is none shows it early.
            (None, Some(file)) => file.len() / 2,
            (None, None) => 1,
        };
        let took = took + unpacked / UNPACKED_BYTES;
        at += match hit {
            Some(hit) => {
                let end = hit.range.end;
                out.hits.push(Hit { range: at..at + end, ..hit });
                end.next_multiple_of(step)
            }
            None => step,
        };
        if let Err(finding) = steps.take(took).and_then(|()| budget.take_entry()) {
            let message = "containers are not looked for any further";
            out.findings
                .push(finding.with_help(message).at(Place::Binary { offset: at as u32, token: None }));
            return;
        }
    }
}

/// The format whose magic bytes begin with.
fn magic(bytes: &[u8]) -> Option<Format> {
    Some(match bytes {
        [0x01, 0x09, 0xFF, 0xFE, ..] | [0xCF, 0x0B, 0xF0, 0xBC, ..] => Format::Fx2,
        [b'X', b'N', b'B', letter, 1..=5, ..] if letter.is_ascii_alphabetic() => Format::Xnb,
        [b'M', b'G', b'F', b'X', ..] => Format::Mgfx,
        [b'D', b'X', b'B', b'C', ..] => Format::Dxbc,
        [b'F', b'W', b'S', 1..=63, ..] | [b'Z', b'W', b'S', 13..=63, ..] => Format::Swf,
        // The header of zlib is a multiple of 31.
        [b'C', b'W', b'S', 6..=63, _, _, _, _, a, b, ..]
            if a & 15 == 8 && (usize::from(*a) << 8 | usize::from(*b)) % 31 == 0 =>
        {
            Format::Swf
        }
        [b'X', b'B', b'E', b'H', ..] => Format::Xbe,
        [b'r', b'g', b'x', b'a', ..] => Format::Rgxa,
        [b'P', b'K', 3, 4, ..] => Format::Zip,
        [b'M', b'Z', ..] => {
            let header = word(bytes, 0x3C)? as usize;
            bytes.get(header..)?.starts_with(b"PE\0\0").then_some(Format::Pe)?
        }
        _ => return None,
    })
}

/// How many bytes a container has at most, by its header.
fn size(format: Format, bytes: &[u8]) -> Option<usize> {
    let word = |at| word(bytes, at).map(|word| word as usize);
    match (format, bytes[0]) {
        (Format::Xnb, _) => word(6).filter(|&size| size >= 10),
        (Format::Dxbc, _) => word(24).filter(|&size| size >= 32),
        (Format::Swf, b'F') => word(4).filter(|&size| size >= 16),
        (Format::Swf, b'Z') => word(8)?.checked_add(17),
        // zlib makes nothing much larger.
        (Format::Swf, _) => word(4).map(|size| size.saturating_add(size / 8 + 64).min(bytes.len())),
        (Format::Fx2 | Format::Mgfx | Format::Rgxa, _) => Some(bytes.len().min(MOST)),
        _ => Some(bytes.len()),
    }
}

/// Says that something was not looked through, if that is because of a limit; once.
fn give_up(finding: Diagnostic, at: usize, out: &mut Scan) {
    if finding.id == rules::LIMIT.id && out.findings.is_empty() {
        out.findings.push(finding.at(Place::Binary { offset: at as u32, token: None }));
    }
}

/// The container that bytes begin with, as a hit. The offset of the bytes is for what is said of limits met in it.
fn read(bytes: &[u8], budget: &mut Budget, at: usize, out: &mut Scan) -> Result<Hit> {
    let container = Container::read(bytes, budget)?;
    let trailing = container.findings().iter().find(|finding| finding.id == rules::TRAILING.id);
    let told = trailing.and_then(|finding| match finding.place {
        Place::Binary { offset, .. } => Some(offset as usize),
        _ => None,
    });
    let end = told.or_else(|| end(&container, bytes)).unwrap_or(bytes.len()).clamp(1, bytes.len());
    let odd = container.findings().iter().any(|finding| finding.id != rules::TRAILING.id);
    let confidence = if odd { Confidence::Likely } else { Confidence::Certain };
    let mut programs = 0;
    // What cannot be read has no programs that anybody could count.
    let mut limit = None;
    let done = visit::<()>(
        &container,
        budget,
        &mut |one| {
            programs += usize::from(match one.entry.kind {
                Kind::Stream(_) => true,
                Kind::File => vecasm_isa::sniff(one.bytes).is_some(),
                _ => false,
            });
            ControlFlow::Continue(())
        },
        &mut |address, finding| {
            if finding.id == rules::LIMIT.id && limit.is_none() {
                limit = Some(inside(finding, &address.to_string()));
            }
        },
    );
    if let Some(finding) = done.err().or(limit) {
        give_up(finding, at, out);
    }
    Ok(Hit { range: 0..end, what: HitKind::Container { format: container.format(), programs }, confidence })
}

/// Where a container ends, if its reader knows and does not say.
fn end(container: &Container<'_>, bytes: &[u8]) -> Option<usize> {
    match container.detail() {
        #[cfg(feature = "pe")]
        Detail::Pe(image) => image.sections.iter().map(|section| section.range.end).max(),
        #[cfg(feature = "xbe")]
        Detail::Xbe(image) => image.sections.iter().map(|section| section.range.end).max(),
        #[cfg(feature = "swf")]
        Detail::Swf(movie) if movie.packing == crate::swf::Packing::Zlib => {
            let packed = bytes.get(8..)?;
            let size = (movie.length as usize).checked_sub(8)?;
            crate::codec::deflate::zlib_end(packed, size).map(|end| end + 8)
        }
        #[allow(unreachable_patterns, reason = "a build may have only formats above")]
        _ => {
            let _ = bytes;
            None
        }
    }
}

/// The zip archives, by where they begin, and how many bytes each has: those whose directory begins where their end says.
fn archives(bytes: &[u8]) -> BTreeMap<usize, usize> {
    const END: usize = 22;
    let mut out = BTreeMap::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= END) {
        let Some(n) = rest.iter().position(|&byte| byte == b'P') else { break };
        let end = at + n;
        at = end + 1;
        if let Some(size) = archive(bytes, end) {
            let Range { start, end } = size;
            out.insert(start, end - start);
        }
    }
    out
}

/// The place of the archive whose record of the end is there.
fn archive(bytes: &[u8], record: usize) -> Option<Range<usize>> {
    let rest = bytes.get(record..)?;
    if !rest.starts_with(b"PK\x05\x06") {
        return None;
    }
    let size = word(rest, 12)? as usize;
    let offset = word(rest, 16)? as usize;
    let comment = usize::from(u16::from_le_bytes([*rest.get(20)?, *rest.get(21)?]));
    let start = record.checked_sub(size.checked_add(offset)?)?;
    let end = record + 22 + comment;
    (end <= bytes.len() && bytes.get(start..)?.starts_with(b"PK\x03\x04")).then_some(start..end)
}
