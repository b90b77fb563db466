//! Shaders of Valve's Source engine (VCS): the programs of one source, one for each combination of its switches.
//!
//! Static switches are chosen with a material, dynamic ones at each draw. A file lists the static combos; each has blocks of
//! programs, packed by bzip2 (versions 3 to 5) or LZMA (6), or raw. In version 6 static combos may be the same as others, which
//! shows as more names of their entries. Streams of versions before 6 are numbered by both combos together.
//!
//! The layout is public knowledge: the header `shader_vcs_version.h` of the Source SDK and the community's compilers; sizes of
//! blocks were measured on real files of version 6. The table of version 1 is inferred, which a warning says; versions 2 and 4
//! store differences between programs, and version 3 packed blocks, in ways that nobody has described: they are refused.
//!
//! Writing packs only the blocks anew whose programs change: with bzip2 what was packed so, else raw, which every engine that
//! reads LZMA reads, too.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::limits::exceeded;
use crate::{Budget, Container, Format, Limits, rules};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::{Diagnostic, Place};

/// What a file says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Combos {
    /// The version: 1, 5 or 6.
    pub version: u32,
    /// How many combinations there are of all switches.
    pub total: u32,
    /// How many there are of dynamic switches.
    pub dynamic: u32,
    /// Flags of the shader.
    pub flags: u32,
    /// Which texture coordinates are read at the centroid, one bit each.
    pub centroids: u32,
    /// The checksum of the source, from version 5 on; zero if the compiler wrote none. It says nothing of the programs.
    pub source_crc32: Option<u32>,
    /// The static combos, by number.
    pub statics: Vec<Static>,
    /// Static combos that are the same as others: their numbers, and those of the others.
    pub aliases: Vec<(u32, u32)>,
    /// The blocks of all static combos: what was unpacked of block 2 is the third part of what was unpacked.
    pub blocks: Vec<Block>,
}

/// A static combo.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Static {
    /// Its number.
    pub id: u32,
    /// Its blocks, by number.
    pub blocks: Range<usize>,
    /// Where they begin.
    offset: usize,
}

/// Programs that are packed together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// How they are packed.
    pub packing: Packing,
    /// Where the packed bytes are in the file, behind a word of their length.
    pub range: Range<usize>,
}

/// How a block is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// By bzip2.
    Bzip2,
    /// By LZMA, behind a header of Valve's.
    Lzma,
    /// Not at all.
    Raw,
}

impl Packing {
    /// The word for it: `bzip2`, `lzma` or `raw`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bzip2 => "bzip2",
            Self::Lzma => "lzma",
            Self::Raw => "raw",
        }
    }

    /// The two high bits of the length of a block.
    const fn bits(self) -> u32 {
        match self {
            Self::Bzip2 => 0,
            Self::Lzma => 1 << 30,
            Self::Raw => 1 << 31,
        }
    }
}

/// The length of a block without the bits of its packing.
const LENGTH: u32 = (1 << 30) - 1;
/// What stands for the end of blocks and of the table of static combos.
const END: u32 = u32::MAX;
/// Where the table of static combos begins.
const TABLE: usize = 28;
/// The bytes of a record in a table, and in front of a program.
const RECORD: usize = 8;
/// As many bytes have room in the engine's buffer for a block.
const BUFFER: usize = 131_072;
/// As many bytes the compiler leaves free in it.
const SPARE: usize = 16;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits);
    let version = from.u32("the header")?;
    let mut combos = Combos {
        version,
        total: from.u32("the header")?,
        dynamic: from.u32("the header")?,
        flags: from.u32("the header")?,
        centroids: from.u32("the header")?,
        source_crc32: None,
        statics: Vec::new(),
        aliases: Vec::new(),
        blocks: Vec::new(),
    };
    match version {
        1 => read_first(bytes, from, combos),
        2..=4 => {
            let message = format!("version {version} of VCS is not read");
            let why = match version {
                3 => "its blocks are packed by bzip2, and nobody has described where they stand",
                _ => "it stores programs as differences, in a way that nobody has described",
            };
            let help = format!("{why}; versions 1, 5 and 6 are read");
            Err(rules::FOREIGN.finding(message).at(at(0)).with_help(help))
        }
        5 | 6 => {
            let count = from.u32("the header")?;
            combos.source_crc32 = Some(from.u32("the header")?);
            read_blocks(bytes, from, count, combos, budget)
        }
        _ => Err(wrong(0, "the version", version)),
    }
}

/// A file of version 1: a table of all combos, in which missing ones have no size.
fn read_first(bytes: &[u8], mut from: Cursor<'_>, combos: Combos) -> Result<Parsed> {
    from.u32("the header")?;
    if combos.dynamic == 0 {
        return Err(wrong(8, "the number of dynamic combos", 0));
    }
    let count = from.count(combos.total, RECORD, "combos")?;
    let mut entries = Vec::new();
    for n in 0..count as u32 {
        let what = "a combo";
        let (offset, size) = (from.size(what)?, from.size(what)?);
        if size == 0 {
            continue;
        }
        let range = from.at(offset, what)?.range(size, what)?;
        let address = format!("static{}/dynamic{n}", n / combos.dynamic);
        entries.push(entry_of(address, Part::File(range.clone()), &bytes[range]));
    }
    let message = "this is version 1 of VCS, whose layout no file has confirmed";
    let unverified = rules::UNVERIFIED.finding(message).at(at(0));
    Ok(Parsed::new(entries, Detail::Vcs(Box::new(combos)), Vec::from([unverified])))
}

/// A program in these bytes.
fn entry_of(address: String, part: Part, bytes: &[u8]) -> Entry {
    if vecasm_isa::d3d9::bytes::looks_like(bytes) {
        return Entry::of_tokens(address, part, bytes);
    }
    let kind = match bytes.starts_with(b"DXBC") {
        true => Kind::Container(Format::Dxbc),
        false => Kind::Foreign("code of another kind".into()),
    };
    Entry::new(address, kind, part)
}

/// A file of version 5 or 6, behind its header.
fn read_blocks(
    bytes: &[u8],
    mut from: Cursor<'_>,
    count: u32,
    mut combos: Combos,
    budget: &mut Budget,
) -> Result<Parsed> {
    let mut findings = Vec::new();
    let count = from.count(count, RECORD, "static combos")?;
    let mut end = None;
    for n in 0..count {
        let place = from.pos();
        let (id, offset) = (from.u32("a static combo")?, from.size("a static combo")?);
        if id == END && n + 1 == count {
            end = Some(offset);
            break;
        }
        if combos.statics.last().is_some_and(|last| last.id >= id) || id == END {
            return Err(wrong(place, format_args!("the number of record {n}"), id));
        }
        combos.statics.push(Static { id, offset, blocks: 0..0 });
    }
    match end {
        None => return Err(wrong(20, "the number of static combos", count)),
        Some(end) if end != bytes.len() => {
            let message = format!("the table says {end} bytes, and there are {}", bytes.len());
            findings.push(rules::SIZE.finding(message).at(at(from.pos() - 4)));
        }
        Some(_) => {}
    }
    let mut names: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    if combos.version == 6 {
        for _ in 0..from.list(RECORD, "static combos that are the same as others")? {
            let place = from.pos();
            let (id, same) = (from.u32("a static combo")?, from.u32("a static combo")?);
            combos.aliases.push((id, same));
            if combos.statics.binary_search_by_key(&same, |combo| combo.id).is_err() {
                let message = format!("static combo {id} is the same as {same}, which is not there");
                findings.push(rules::UNKNOWN.finding(message).at(at(place)));
            }
            names.entry(same).or_default().push(id);
        }
    }
    // In the order of the file, each up to the next: what two combos shared could be unpacked any number of times.
    let mut order: Vec<usize> = (0..combos.statics.len()).collect();
    order.sort_by_key(|&n| combos.statics[n].offset);
    let stops: Vec<usize> =
        order.iter().skip(1).map(|&n| combos.statics[n].offset).chain([bytes.len()]).collect();
    let mut unpacked = Vec::new();
    let mut entries = EntryList { entries: Vec::new(), names: 0, limits: budget.limits };
    let mut of_static: Vec<Range<usize>> = vec![0..0; combos.statics.len()];
    for (&n, &stop) in order.iter().zip(&stops) {
        let combo = &combos.statics[n];
        if combo.offset < from.pos() {
            return Err(wrong(
                TABLE + n * RECORD + 4,
                format_args!("the offset of static combo {}", combo.id),
                combo.offset,
            ));
        }
        let region = bytes.get(..stop).unwrap_or(bytes);
        let start = Cursor::new(region, budget.limits);
        let mut from = start.at(combo.offset, format_args!("static combo {}", combo.id))?;
        let first = (combos.blocks.len(), entries.entries.len());
        let mut seen = BTreeMap::new();
        loop {
            let head = from.u32("the length of a block")?;
            if head == END {
                break;
            }
            let packing = match head >> 30 {
                0 => Packing::Bzip2,
                1 => Packing::Lzma,
                2 => Packing::Raw,
                _ => return Err(wrong(from.pos() - 4, "the length of a block", head)),
            };
            let range = from.range((head & LENGTH) as usize, "a block")?;
            let block = unpack(packing, &bytes[range.clone()], range.start, budget)?;
            let aliases = names.get(&combo.id).map_or(&[][..], |names| names);
            entries
                .read(&block, unpacked.len(), combo.id, aliases, &mut seen)
                .map_err(|finding| in_block(finding, range.start))?;
            combos.blocks.push(Block { packing, range });
            unpacked.push(block);
        }
        combos.statics[n].blocks = first.0..combos.blocks.len();
        of_static[n] = first.1..entries.entries.len();
    }
    let entries = entries.entries;
    // By number where the file has another order.
    let entries = match order.is_sorted() {
        true => entries,
        false => of_static.into_iter().flat_map(|range| entries[range].to_vec()).collect(),
    };
    Ok(Parsed { entries, unpacked, detail: Detail::Vcs(Box::new(combos)), findings })
}

/// A finding in an unpacked block, at the place of the block in the file.
fn in_block(mut finding: Diagnostic, start: usize) -> Diagnostic {
    if let Place::Binary { offset, .. } = finding.place {
        finding.message = format!("{}, {offset} bytes into what the block unpacks to", finding.message);
    }
    let help = "newer branches of the engine have programs of other kinds in files of the same version";
    finding.at(at(start)).with_help(help)
}

/// The entries so far.
struct EntryList {
    entries: Vec<Entry>,
    /// How many names they have beside their own.
    names: usize,
    limits: Limits,
}

impl EntryList {
    /// The programs in an unpacked block; `seen` counts numbers that come several times.
    fn read(
        &mut self,
        block: &[u8],
        buffer: usize,
        id: u32,
        aliases: &[u32],
        seen: &mut BTreeMap<u32, u32>,
    ) -> Result<()> {
        let mut from = Cursor::new(block, self.limits);
        while from.left() > 0 {
            let dynamic = from.u32("the number of a dynamic combo")?;
            let size = from.size("the size of a program")?;
            let range = from.range(size, format_args!("dynamic combo {dynamic}"))?;
            let times = seen.entry(dynamic).or_default();
            *times += 1;
            let address = |id: u32| match *times {
                1 => format!("static{id}/dynamic{dynamic}"),
                times => format!("static{id}/dynamic{dynamic}#{times}"),
            };
            let part = Part::Unpacked { buffer, range: range.clone() };
            let mut entry = entry_of(address(id), part, &block[range]);
            self.names += aliases.len();
            if self.entries.len().max(self.names) >= self.limits.entries {
                return Err(exceeded("more combos", "entries", self.limits.entries, "entries"));
            }
            entry.aliases.extend(aliases.iter().map(|&id| address(id)));
            self.entries.push(entry);
        }
        Ok(())
    }
}

/// What a block unpacks to; it stands at `start`.
fn unpack(packing: Packing, packed: &[u8], start: usize, budget: &mut Budget) -> Result<Vec<u8>> {
    let refuse =
        |why: &str| rules::CODEC.finding(format!("the block cannot be unpacked: {why}")).at(at(start));
    match packing {
        Packing::Raw => {
            check_size(packed.len(), start)?;
            budget.take_unpacked(packed.len(), packed.len())?;
            Ok(packed.to_vec())
        }
        Packing::Bzip2 => {
            // No size is stored: one byte more than fits shows that it does not.
            let mut out = vec![0; BUFFER + 1];
            let mut decoder = bzip2::Decompress::new(false);
            let mut done = false;
            loop {
                let (taken, made) = (decoder.total_in() as usize, decoder.total_out() as usize);
                let (rest, room) =
                    (packed.get(taken..).unwrap_or_default(), out.get_mut(made..).unwrap_or_default());
                if done || room.is_empty() {
                    break;
                }
                match decoder.decompress(rest, room) {
                    Ok(bzip2::Status::StreamEnd) => done = true,
                    Ok(_) => {
                        let moved =
                            decoder.total_in() as usize > taken || decoder.total_out() as usize > made;
                        if !moved {
                            return Err(refuse("the packed data end too early"));
                        }
                    }
                    Err(_) => return Err(refuse("the packed data are damaged")),
                }
            }
            out.truncate(decoder.total_out() as usize);
            check_size(out.len(), start)?;
            budget.take_unpacked(packed.len(), out.len())?;
            // Room that is not used would count for each of thousands of blocks.
            out.shrink_to_fit();
            Ok(out)
        }
        Packing::Lzma => {
            let mut from = Cursor::new(packed, budget.limits);
            let mut header = || -> Result<_> {
                let magic = from.take(4, "the header of a block")?;
                let (size, len) = (from.size("the header of a block")?, from.size("the header of a block")?);
                let properties = from.u8("the header of a block")?;
                let dictionary = from.u32("the header of a block")?;
                Ok((magic, size, properties, dictionary, from.take(len, "packed data")?))
            };
            let (magic, size, properties, dictionary, data) =
                header().map_err(|finding| finding.at(at(start)))?;
            if magic != b"LZMA" {
                return Err(wrong(start, "the start of a block that is packed by LZMA", "not LZMA"));
            }
            check_size(size, start)?;
            // Compilers write 3, 0 and 2 for the three properties; large ones take memory that no block needs.
            let (low, high) = (properties % 9, properties / 9 % 5);
            if properties >= 9 * 5 * 5 || low + high > 4 {
                return Err(wrong(start + 12, "the properties of LZMA", properties));
            }
            budget.take_unpacked(packed.len(), size)?;
            let dictionary = dictionary.clamp(1 << 12, BUFFER as u32);
            let mut out = vec![0; size];
            let decoder =
                lzma_rust2::LzmaReader::new_with_props(data, size as u64, properties, dictionary, None);
            let read = decoder.and_then(|mut decoder| lzma_rust2::Read::read_exact(&mut decoder, &mut out));
            match read {
                Ok(()) => Ok(out),
                Err(_) => Err(refuse("the packed data are damaged or end too early")),
            }
        }
    }
}

/// Refuses a block that the engine has no room for.
fn check_size(size: usize, start: usize) -> Result<()> {
    match size <= BUFFER {
        true => Ok(()),
        false => Err(wrong(start, "the size of a block", format_args!("more than {BUFFER} bytes"))),
    }
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Vcs(combos) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    if combos.version < 5 {
        let message = format!("version {} of VCS cannot be written", combos.version);
        return Err(rules::READ_ONLY.finding(message).with_help("versions 5 and 6 can"));
    }
    let mut findings = Vec::new();
    let mut touched = BTreeSet::new();
    for &n in edits.keys() {
        let entry = &container.entries()[n];
        if let Part::Unpacked { buffer, .. } = entry.part {
            touched.insert(buffer);
        }
        if let Some((first, more)) = entry.aliases.split_first() {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!("{} is {first}{more}, too, which changes with it", entry.address);
            findings.push(rules::SHARED.finding(message));
        }
    }
    let mut programs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, entry) in container.entries().iter().enumerate() {
        if let Part::Unpacked { buffer, .. } = entry.part {
            if touched.contains(&buffer) {
                programs.entry(buffer).or_default().push(n);
            }
        }
    }
    let mut patches = Vec::new();
    // Where bytes are added or removed, and how many, in the order of the file.
    let mut moves: Vec<(usize, i64)> = Vec::new();
    for (buffer, programs) in programs {
        let block = &combos.blocks[buffer];
        let content = container.unpacked(buffer);
        let mut new: Vec<Vec<u8>> = vec![Vec::new()];
        for n in programs {
            let entry = &container.entries()[n];
            let range = entry.part.range();
            let record = match edits.get(&n) {
                None => content[range.start - RECORD..range.end].to_vec(),
                Some(bytes) => {
                    let mut record = content[range.start - RECORD..range.start - 4].to_vec();
                    record.extend_from_slice(&word_of(bytes.len(), "a program")?.to_le_bytes());
                    record.extend_from_slice(bytes);
                    record
                }
            };
            if record.len() > BUFFER {
                let message = format!("{} bytes do not fit {}", record.len() - RECORD, entry.address);
                let help = format!("the engine has room for {} bytes", BUFFER - RECORD);
                return Err(rules::FIT.finding(message).with_help(help));
            }
            match new.last_mut() {
                Some(last) if last.is_empty() || last.len() + record.len() + SPARE < BUFFER => {
                    last.extend_from_slice(&record);
                }
                _ => new.push(record),
            }
        }
        let start = block.range.start - 4;
        let mut bytes = Vec::new();
        for content in &new {
            let (packing, packed) = pack(block.packing, content)?;
            bytes.extend_from_slice(&(packed.len() as u32 | packing.bits()).to_le_bytes());
            bytes.extend_from_slice(&packed);
        }
        moves.push((start, bytes.len() as i64 - (block.range.len() as i64 + 4)));
        patches.push(Patch { range: start..block.range.end, bytes });
    }
    moves.sort_unstable();
    let ends: Vec<(usize, i64)> = moves
        .iter()
        .scan(0, |sum, &(place, by)| {
            *sum += by;
            Some((place, *sum))
        })
        .collect();
    let moved = |offset: usize| {
        let before = ends.partition_point(|&(place, _)| place < offset);
        let by = before.checked_sub(1).map_or(0, |n| ends[n].1);
        word_of(usize::try_from(offset as i64 + by).unwrap_or_default(), "a file")
    };
    for (n, combo) in combos.statics.iter().enumerate() {
        patches.push(Patch::word(TABLE + n * RECORD + 4, moved(combo.offset)?));
    }
    let last = TABLE + combos.statics.len() * RECORD + 4;
    let end = Cursor::new(file, container.limits()).at(last, "the end")?.size("the end")?;
    patches.push(Patch::word(last, moved(end)?));
    Ok(Edited { bytes: patched(file, patches), findings })
}

/// The number of the static combo that a name of an entry says, if that is the same as another one.
pub(crate) fn alias_of(container: &Container<'_>, name: &str) -> Option<u32> {
    let Detail::Vcs(combos) = container.detail() else { return None };
    let id = name.get(..6).filter(|word| word.eq_ignore_ascii_case("static")).and_then(|_| name.get(6..))?;
    let id = id.split('/').next()?.parse().ok()?;
    combos.aliases.iter().any(|alias| alias.0 == id).then_some(id)
}

/// The file in which a static combo that was the same as another one has blocks of its own, the same ones, behind all others. The record
/// of the one takes the room of that of the other, so that nothing else moves.
pub(crate) fn with_own_combo(container: &Container<'_>, id: u32) -> Result<Vec<u8>> {
    let file = container.file();
    let Detail::Vcs(combos) = container.detail() else { return Ok(file.to_vec()) };
    let same = combos.aliases.iter().find(|alias| alias.0 == id).map(|alias| alias.1);
    let Some(combo) = same.and_then(|same| combos.statics.iter().find(|combo| combo.id == same)) else {
        return Err(rules::ADDRESS.finding(format!("static combo {id} is the same as none that is there")));
    };
    if combos.statics.iter().any(|combo| combo.id == id) {
        let message =
            format!("static combo {id} is in the table, and is said to be the same as {} as well", combo.id);
        return Err(rules::FIT.finding(message));
    }
    let last = TABLE + combos.statics.len() * RECORD + 4;
    let end = Cursor::new(file, container.limits()).at(last, "the end")?.size("the end")?;
    if end != file.len() {
        let message =
            format!("bytes that follow the end, at {end}, would be in the way of static combo {id}");
        return Err(rules::FIT.finding(message).at(at(last)));
    }
    // The blocks, and the word behind them.
    let stop = combos.blocks[combo.blocks.clone()].last().map_or(combo.offset, |block| block.range.end) + 4;
    let blocks = &file[combo.offset..stop];
    let offset = word_of(end, "a file")?;
    let mut statics: Vec<(u32, u32)> = Vec::with_capacity(combos.statics.len() + 2);
    for combo in &combos.statics {
        statics.push((combo.id, word_of(combo.offset, "a file")?));
    }
    let at = statics.partition_point(|combo| combo.0 < id);
    statics.insert(at, (id, offset));
    statics.push((END, word_of(end + blocks.len(), "a file")?));
    let aliases: Vec<(u32, u32)> = combos.aliases.iter().copied().filter(|alias| alias.0 != id).collect();
    let words = |pairs: &[(u32, u32)]| -> Vec<u8> {
        pairs.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect()
    };
    let count = word_of(aliases.len(), "a file")?.to_le_bytes().to_vec();
    let tables = [words(&statics), count, words(&aliases)].concat();
    let patches = Vec::from([
        Patch::word(20, word_of(statics.len(), "a file")?),
        Patch { range: TABLE..TABLE + tables.len(), bytes: tables },
        Patch { range: end..end, bytes: blocks.to_vec() },
    ]);
    Ok(patched(file, patches))
}

/// A block as it stands in a file, packed as the one that it replaces if that is done here.
fn pack(packing: Packing, content: &[u8]) -> Result<(Packing, Vec<u8>)> {
    if packing != Packing::Bzip2 {
        return Ok((Packing::Raw, content.to_vec()));
    }
    // What cannot be packed grows by a hundredth and some bytes (bzip2's manual).
    let mut out = Vec::with_capacity(content.len() + content.len() / 100 + 600);
    let mut encoder = bzip2::Compress::new(bzip2::Compression::best(), 0);
    loop {
        let rest = content.get(encoder.total_in() as usize..).unwrap_or_default();
        match encoder.compress_vec(rest, &mut out, bzip2::Action::Finish) {
            Ok(bzip2::Status::StreamEnd) => return Ok((packing, out)),
            Ok(_) if out.len() < out.capacity() => {}
            _ => return Err(rules::FIT.finding("a block cannot be packed by bzip2")),
        }
    }
}
