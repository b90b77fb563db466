//! Shaders of Direct3D 10 and later (DXBC), which carry a program of Direct3D 9 where they were compiled for feature level 9.
//!
//! That program stands in the chunk `Aon9`, behind tables that say where its constants and samplers come from. The other chunks
//! are listed and left alone. The layout is public knowledge from Wine; the tables' shapes come from real files, and the names
//! of the boolean and the run-time tables are inferred.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Budget, Container, rules};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::Diagnostic;

/// What a blob says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blob {
    /// The checksum that stands in it; zeros stand for none.
    pub checksum: [u8; 16],
    /// Whether it fits the content.
    pub checksum_fits: bool,
    /// The chunks, in the order of the file.
    pub chunks: Vec<Chunk>,
    /// The program of Direct3D 9, if there is one.
    pub level9: Option<Level9>,
}

/// A chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// Its four letters.
    pub tag: [u8; 4],
    /// Where its content is in the file.
    pub range: Range<usize>,
}

impl Chunk {
    /// Its four letters; others than ASCII are shown as `?`.
    pub fn name(&self) -> String {
        self.tag.iter().map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { '?' }).collect()
    }
}

/// A program for feature level 9.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Level9 {
    /// The number of its chunk.
    pub chunk: usize,
    /// The version word, as in the program.
    pub version: u32,
    /// The entries of its tables: constant buffers, integer constants, booleans, samplers, constants of the run time; and where
    /// each table begins, counted from the chunk.
    pub tables: [(u16, u16); 5],
    /// Which constants come from which buffers.
    pub constants: Vec<ConstantRange>,
    /// Where the program is in the file.
    pub stream: Range<usize>,
}

/// Registers of a constant buffer as constants of the program for level 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstantRange {
    /// The buffer.
    pub buffer: u16,
    /// The first register in it.
    pub first: u16,
    /// How many.
    pub count: u16,
    /// The first constant, `c#`.
    pub to: u16,
}

/// The bytes in front of the offsets of the chunks.
const HEADER: usize = 32;
/// Where what the checksum covers begins.
const COVERED: usize = 20;
/// The bytes of the header of level 9, with the places of its tables.
const TABLES: usize = 36;
/// The bytes of a constant range.
const RANGE: usize = 12;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits);
    from.take(4, "the header")?;
    let mut checksum = [0; 16];
    checksum.copy_from_slice(from.take(16, "the checksum")?);
    let mut findings = Vec::new();
    let one = from.u32("the header")?;
    if one != 1 {
        return Err(wrong(COVERED, "the version", one));
    }
    let total = from.size("the size")?;
    if total > bytes.len() || total < HEADER {
        let message = format!("the header says {total} bytes, and there are {}", bytes.len());
        return Err(rules::SHORT.finding(message).at(at(24)));
    }
    if total < bytes.len() {
        let message = format!("{} bytes follow the end", bytes.len() - total);
        findings.push(rules::TRAILING.finding(message).at(at(total)));
    }
    let blob = &bytes[..total];
    let fits = checksum_of(blob) == checksum;
    if !fits && checksum != [0; 16] {
        findings.push(rules::CHECKSUM.finding("the checksum does not fit the content").at(at(4)));
    }
    let mut from = Cursor::new(blob, budget.limits).at(28, "the chunks")?;
    let mut chunks = Vec::new();
    let count = from.list(4, "chunks")?;
    let head = HEADER + 4 * count;
    for n in 0..count {
        let place = from.pos();
        let offset = from.u32("the offset of a chunk")?;
        // In the header it would lie in the checksum, among others.
        if (offset as usize) < head {
            return Err(wrong(place, "the offset of a chunk", offset));
        }
        let offset = offset as usize;
        let mut chunk = from.at(offset, format_args!("chunk {n}"))?;
        let mut tag = [0; 4];
        tag.copy_from_slice(chunk.take(4, "a chunk")?);
        let size = chunk.size("the size of a chunk")?;
        chunks.push(Chunk { tag, range: chunk.range(size, format_args!("chunk {n}"))? });
    }
    let mut level9 = None;
    let mut entries = Vec::new();
    for (n, chunk) in chunks.iter().enumerate() {
        if &chunk.tag == b"Aon9" && level9.is_none() {
            let found = level9_of(blob, n, chunk, budget)?;
            let part = Part::File(found.stream.clone());
            entries.push(Entry::of_tokens("aon9", part, &blob[found.stream.clone()]));
            level9 = Some(found);
            continue;
        }
        let what: Cow<'static, str> = match &chunk.tag {
            b"SHDR" | b"SHEX" => "code of Direct3D 10 and later: dxbc-spirv and vkd3d read it".into(),
            b"DXIL" => "code of Direct3D 12 (DXIL)".into(),
            b"RDEF" => "resources and their names".into(),
            b"ISGN" => "inputs".into(),
            b"OSGN" => "outputs".into(),
            b"STAT" => "statistics".into(),
            _ => "a chunk of another kind".into(),
        };
        let address = format!("chunk{n}");
        let entry = Entry::new(address, Kind::Foreign(what), Part::File(chunk.range.clone()));
        entries.push(entry.with_alias(chunk.name()));
    }
    let detail = Detail::Dxbc(Box::new(Blob { checksum, checksum_fits: fits, chunks, level9 }));
    Ok(Parsed::new(entries, detail, findings))
}

/// The program in a chunk for feature level 9.
fn level9_of(blob: &[u8], n: usize, chunk: &Chunk, budget: &Budget) -> Result<Level9> {
    let start = chunk.range.start;
    let place = |finding: Diagnostic| match finding.place {
        vecasm_ir::diag::Place::Binary { offset, .. } => finding.at(at(start + offset as usize)),
        _ => finding,
    };
    let read = || -> Result<Level9> {
        let content = &blob[chunk.range.clone()];
        let mut from = Cursor::new(content, budget.limits);
        from.u32("the size of level 9")?;
        let version = from.u32("the version of level 9")?;
        let size = from.size("the size of the program")?;
        let offset = from.size("the offset of the program")?;
        let mut tables = [(0, 0); 5];
        for table in &mut tables {
            *table = (from.u16("a table of level 9")?, from.u16("a table of level 9")?);
        }
        let (count, first) = tables[0];
        let mut constants = Vec::new();
        let mut from = from.at(usize::from(first), "the table of constants")?;
        for _ in 0..from.count(u32::from(count), RANGE, "constant ranges")? {
            let mut field = || from.u16("a constant range");
            constants.push(ConstantRange {
                buffer: field()?,
                first: field()?,
                count: field()?,
                to: field()?,
            });
            from.u32("a constant range")?;
        }
        let stream = from.at(offset, "the program")?.range(size, "the program")?;
        Ok(Level9 { chunk: n, version, tables, constants, stream: start + stream.start..start + stream.end })
    };
    read().map_err(place)
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Dxbc(blob) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let mut bytes = file.to_vec();
    for (&n, new) in edits {
        let entry = &container.entries()[n];
        let stream = entry.part.range();
        let Some(level9) = blob.level9.as_ref().filter(|level9| level9.stream == *stream) else {
            let message = format!("{} cannot be replaced", entry.address);
            let help = "only the program for feature level 9, aon9, can";
            return Err(rules::READ_ONLY.finding(message).with_help(help));
        };
        let chunk = &blob.chunks[level9.chunk].range;
        // What lies elsewhere than compilers put it would be moved, or written over.
        let front = stream.start - chunk.start;
        let ahead = level9.tables.iter().enumerate().all(|(n, (count, offset))| {
            let entry = if n == 0 { RANGE } else { 4 };
            usize::from(*offset) + usize::from(*count) * entry <= front
        });
        let apart = |(n, other): (usize, &Chunk)| {
            n == level9.chunk || other.range.end <= chunk.start - 8 || other.range.start - 8 >= chunk.end
        };
        if !ahead || front < TABLES || !blob.chunks.iter().enumerate().all(apart) {
            let message = "the parts of the file overlap: no program in it can be replaced";
            return Err(rules::FIT.finding(message).at(at(chunk.start)));
        }
        let mut content = file[chunk.start..stream.start].to_vec();
        content.extend_from_slice(new);
        content.extend_from_slice(&file[stream.end..chunk.end]);
        let size = word_of(content.len(), "a chunk")?;
        let set = |content: &mut [u8], at: usize, value: u32| {
            content[at..at + 4].copy_from_slice(&value.to_le_bytes());
        };
        set(&mut content, 0, size);
        if let Some(version) = new.get(..4) {
            content[4..8].copy_from_slice(version);
        }
        set(&mut content, 8, word_of(new.len(), "a program")?);
        let grown = content.len().next_multiple_of(4);
        let old = chunk.len().next_multiple_of(4).min(file.len() - chunk.start);
        content.resize(grown, 0);
        bytes.splice(chunk.start..chunk.start + old, content);
        set(&mut bytes, chunk.start - 4, size);
        let moved = |offset: usize| if offset > chunk.start { offset + grown - old } else { offset };
        for (n, chunk) in blob.chunks.iter().enumerate() {
            let offset = word_of(moved(chunk.range.start - 8), "a file")?;
            set(&mut bytes, HEADER + n * 4, offset);
        }
        let total = u32::from_le_bytes([file[24], file[25], file[26], file[27]]) as usize;
        let total = total + grown - old;
        set(&mut bytes, 24, word_of(total, "a file")?);
        // Files without a checksum stay without one.
        if blob.checksum != [0; 16] {
            let checksum = checksum_of(&bytes[..total]);
            bytes[4..COVERED].copy_from_slice(&checksum);
        }
    }
    Ok(Edited { bytes, findings: Vec::new() })
}

/// The checksum of a blob: the rounds of MD5 over all that follows it, with a last block of its own kind.
pub fn checksum_of(blob: &[u8]) -> [u8; 16] {
    let covered = blob.get(COVERED..).unwrap_or_default();
    let bits = (covered.len() as u32).wrapping_mul(8);
    let (blocks, rest) = covered.split_at(covered.len() / 64 * 64);
    let mut state = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    for block in blocks.chunks_exact(64) {
        digest(&mut state, block);
    }
    let mut last = [0; 64];
    let end = (bits >> 2) | 1;
    if rest.len() < 56 {
        last[..4].copy_from_slice(&bits.to_le_bytes());
        last[4..4 + rest.len()].copy_from_slice(rest);
        last[4 + rest.len()] = 0x80;
    } else {
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 0x80;
        digest(&mut state, &last);
        last = [0; 64];
        last[..4].copy_from_slice(&bits.to_le_bytes());
    }
    last[60..].copy_from_slice(&end.to_le_bytes());
    digest(&mut state, &last);
    let mut out = [0; 16];
    for (to, word) in out.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// Floors of 2³² · |sin(n)|, n in radians from 1 on, as RFC 1321 lists them.
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// How far each of the four kinds of rounds turns.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// One block of MD5 (RFC 1321).
fn digest(state: &mut [u32; 4], block: &[u8]) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for (n, sine) in SINES.into_iter().enumerate() {
        let (mixed, word) = match n / 16 {
            0 => ((b & c) | (!b & d), n),
            1 => ((d & b) | (!d & c), 5 * n + 1),
            2 => (b ^ c ^ d, 3 * n + 5),
            _ => (c ^ (b | !d), 7 * n),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(sine).wrapping_add(words[word % 16]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(TURNS[n / 16][n % 4])));
    }
    for (to, word) in state.iter_mut().zip([a, b, c, d]) {
        *to = to.wrapping_add(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One block of plain MD5: the digest of the empty text is known (RFC 1321, A.5).
    #[test]
    fn a_block_is_that_of_md5() {
        let mut state = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
        let mut block = [0; 64];
        block[0] = 0x80;
        digest(&mut state, &block);
        let bytes: Vec<String> = state.iter().map(|word| format!("{:08x}", word.swap_bytes())).collect();
        assert_eq!(bytes.concat(), "d41d8cd98f00b204e9800998ecf8427e");
    }
}
