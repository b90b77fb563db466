//! Programs of the Xbox (XBE), and the shaders of the NV2A among their data.
//!
//! A file has no table of shaders. Sections of data are searched for programs behind a header of the XDK and for slots of which
//! the last one and no other is final; sections of code only if nothing was found there, and then only for what writes the
//! position, because code looks like slots now and then. Definitions of pixel shaders, which set up register combiners, are
//! not looked for.
//!
//! The layout is public knowledge (Caustik's description, pyxbe). Programs are replaced by others of the same size; the digest
//! of the section follows where there is one.

use crate::carve::{Run, runs};
use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, name_entries, patched};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Address, Budget, Container, rules};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use vecasm_ir::ir::Stage;
use vecasm_isa::Isa;
use vecasm_isa::nv2a;

/// What a file says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The address that the file is loaded at.
    pub base: u32,
    /// The title in the certificate.
    pub title: String,
    /// How many bytes the headers have.
    pub headers: u32,
    /// How many bytes the file has in memory.
    pub memory: u32,
    /// The address that it begins to run at, mixed with a key that tells consoles apart.
    pub entry: u32,
    /// The sections.
    pub sections: Vec<Section>,
    /// What was found, one for each entry.
    pub candidates: Vec<Candidate>,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its flags: 1 writable, 2 loaded at the start, 4 executable.
    pub flags: u32,
    /// The address that it is loaded at.
    pub address: u32,
    /// How many bytes it has in memory.
    pub memory: u32,
    /// Where it is in the file.
    pub range: Range<usize>,
    /// SHA-1 of its length and its bytes; zeros stand for none.
    pub digest: [u8; 20],
    /// Where the digest is.
    digest_at: usize,
}

impl Section {
    /// Whether it holds code.
    pub const fn is_executable(&self) -> bool {
        self.flags & 4 != 0
    }
}

/// What looks like a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The number of its section.
    pub section: usize,
    /// How many slots it has. Of many slots it is more surely a program.
    pub slots: usize,
    /// What its header says, if it has one.
    pub kind: Option<nv2a::program::Kind>,
    /// Whether it writes the position, as every program for vertices does.
    pub writes_position: bool,
}

/// Where the numbers of the header begin, behind the signature.
const HEADER: usize = 0x104;
/// The bytes of the header of a section.
const SECTION: usize = 56;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let all = Cursor::new(bytes, budget.limits);
    let mut from = all.at(HEADER, "the header")?;
    let base = from.u32("the header")?;
    let (headers, memory) = (from.u32("the header")?, from.u32("the header")?);
    from.take(0x118 - 0x110, "the header")?;
    let certificate = from.u32("the header")?;
    let count = from.u32("the number of sections")?;
    let table = from.u32("the header")?;
    let _ = from.u32("the header")?;
    let entry = from.u32("the header")?;
    let place = |address: u32| address.checked_sub(base).map_or(usize::MAX, |offset| offset as usize);
    // Only tools look at the title: a file without one is read all the same.
    let title = all.at(place(certificate), "the certificate").and_then(|mut from| {
        from.take(12, "the certificate")?;
        from.take(80, "the certificate")
    });
    let title = title.map_or_else(|_| String::new(), utf16);
    let mut from = all.at(place(table), "the table of sections")?;
    let mut findings = Vec::new();
    let mut sections = Vec::new();
    for n in 0..from.count(count, SECTION, "sections")? {
        sections.push(section(&mut from, &all, format_args!("section {n}"), base)?);
    }
    // Sections that share bytes would be searched any number of times.
    let mut order: Vec<&Range<usize>> = sections.iter().map(|section: &Section| &section.range).collect();
    order.sort_unstable_by_key(|range| (range.start, range.end));
    if let Some(pair) = order.windows(2).find(|pair| pair[0].end > pair[1].start) {
        return Err(wrong(pair[1].start, "a section", "inside another one"));
    }
    let mut found = search(bytes, &sections, |section, _| !section.is_executable());
    if found.is_empty() {
        found = search(bytes, &sections, |section, run| section.is_executable() && run.writes_position);
    }
    let (mut entries, mut candidates) = (Vec::new(), Vec::new());
    for (n, run) in found {
        let section = &sections[n];
        let range = section.range.start + run.range.start..section.range.start + run.range.end;
        let address = format!("section{n}+0x{:X}", run.range.start);
        let mut entry = Entry::new(address, Kind::Stream(Isa::Nv2a), Part::File(range));
        entry.stage = Some(Stage::Vertex);
        let name = format!("{}+0x{:X}", Address::encode(&section.name), run.range.start);
        entries.push(entry.with_alias(Some(name).filter(|_| !section.name.is_empty())));
        let Run { slots, kind, writes_position, .. } = run;
        candidates.push(Candidate { section: n, slots, kind, writes_position });
    }
    name_entries(&mut entries);
    for section in &sections {
        if section.digest != [0; 20] && digest_of(&bytes[section.range.clone()]) != section.digest {
            let message = format!("the digest of section {} does not fit its content", section.name);
            findings.push(rules::CHECKSUM.finding(message).at(at(section.digest_at)));
        }
    }
    let image = Image { base, title, headers, memory, entry, sections, candidates };
    Ok(Parsed::new(entries, Detail::Xbe(Box::new(image)), findings))
}

/// What looks like programs in sections, by the number of the section, where `take` says so.
fn search(bytes: &[u8], sections: &[Section], take: impl Fn(&Section, &Run) -> bool) -> Vec<(usize, Run)> {
    let mut out = Vec::new();
    for (n, section) in sections.iter().enumerate() {
        let found = runs(&bytes[section.range.clone()], 4);
        out.extend(found.into_iter().filter(|run| take(section, run)).map(|run| (n, run)));
    }
    out
}

fn section(from: &mut Cursor<'_>, all: &Cursor<'_>, what: fmt::Arguments<'_>, base: u32) -> Result<Section> {
    let flags = from.u32(what)?;
    let (address, memory) = (from.u32(what)?, from.u32(what)?);
    let (start, size) = (from.size(what)?, from.size(what)?);
    let name = from.u32(what)?;
    from.take(12, what)?;
    let digest_at = from.pos();
    let mut digest = [0; 20];
    digest.copy_from_slice(from.take(20, what)?);
    let range = match size {
        0 => 0..0,
        _ => all.at(start, what)?.range(size, what)?,
    };
    // The name ends with a zero, and 64 bytes are enough for any.
    let name = name
        .checked_sub(base)
        .and_then(|offset| all.at(offset as usize, what).ok())
        .and_then(|from| from.peek(from.left().min(64)))
        .and_then(|bytes| bytes.split(|&byte| byte == 0).next());
    let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
    Ok(Section { name, flags, address, memory, range, digest, digest_at })
}

/// A text of 16 bits a character, up to a zero.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    char::decode_utf16(units.take_while(|&unit| unit != 0))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Xbe(image) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let mut patches = Vec::new();
    for (&n, new) in edits {
        let entry = &container.entries()[n];
        let range = entry.part.range().clone();
        if new.len() != range.len() {
            let message = format!(
                "{} bytes do not fit {}, which takes exactly {}",
                new.len(),
                entry.address,
                range.len()
            );
            let help =
                "code of the file knows the size and what follows: only a program of the same size has room";
            return Err(rules::FIT.finding(message).at(at(range.start)).with_help(help));
        }
        patches.push(Patch { range, bytes: new.to_vec() });
    }
    let mut bytes = patched(file, patches);
    let mut findings = Vec::new();
    for (n, section) in image.sections.iter().enumerate() {
        let touched = edits.keys().any(|&entry| image.candidates[entry].section == n);
        if touched && section.digest != [0; 20] {
            let digest = digest_of(&bytes[section.range.clone()]);
            bytes[section.digest_at..section.digest_at + 20].copy_from_slice(&digest);
            let message =
                format!("the digest of section {} changes, and the signature covers it", section.name);
            let help = "consoles that are not modified refuse the file; emulators take it";
            findings.push(rules::SIGNATURE.finding(message).with_help(help));
        }
    }
    Ok(Edited { bytes, findings })
}

/// The digest of the bytes of a section: SHA-1 of their number and of them.
pub fn digest_of(section: &[u8]) -> [u8; 20] {
    let len = (section.len() as u32).to_le_bytes();
    sha1(&[&len, section])
}

/// SHA-1 (FIPS 180-4) of pieces that follow one another.
fn sha1(pieces: &[&[u8]]) -> [u8; 20] {
    let mut state = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    let mut block = [0; 64];
    let mut filled = 0;
    let mut bits = 0u64;
    for piece in pieces {
        bits = bits.wrapping_add(piece.len() as u64 * 8);
        let mut rest = *piece;
        while !rest.is_empty() {
            let n = rest.len().min(64 - filled);
            let (now, behind) = rest.split_at(n);
            block[filled..filled + n].copy_from_slice(now);
            filled += n;
            rest = behind;
            if filled == 64 {
                mix(&mut state, &block);
                filled = 0;
            }
        }
    }
    block[filled] = 0x80;
    block[filled + 1..].fill(0);
    if filled >= 56 {
        mix(&mut state, &block);
        block = [0; 64];
    }
    block[56..].copy_from_slice(&bits.to_be_bytes());
    mix(&mut state, &block);
    let mut out = [0; 20];
    for (to, word) in out.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    out
}

/// One block of SHA-1.
fn mix(state: &mut [u32; 5], block: &[u8; 64]) {
    let mut words = [0u32; 80];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for n in 16..80 {
        words[n] = (words[n - 3] ^ words[n - 8] ^ words[n - 14] ^ words[n - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (n, word) in words.into_iter().enumerate() {
        let (mixed, constant) = match n / 20 {
            0 => ((b & c) | (!b & d), 0x5A82_7999),
            1 => (b ^ c ^ d, 0x6ED9_EBA1),
            2 => ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC),
            _ => (b ^ c ^ d, 0xCA62_C1D6u32),
        };
        let next =
            a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    }
    for (to, word) in state.iter_mut().zip([a, b, c, d, e]) {
        *to = to.wrapping_add(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &[&[u8]]) -> String {
        sha1(text).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The examples of FIPS 180-1: one block, and two.
    #[test]
    fn sha1_has_the_digests_of_the_standard() {
        assert_eq!(hex(&[b"abc"]), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(&[two]), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(&[&two[..5], &two[5..]]), hex(&[two]));
        assert_eq!(hex(&[]), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }
}
