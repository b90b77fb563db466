//! Zip archives, and the files that are some: jar, apk, swc, love.
//!
//! The central directory counts (APPNOTE 6.3). Members that are stored or deflated are read. Writing copies every other member
//! as it is, packed, with its times and extra fields; that is why the directory is read here and not by a library for archives,
//! which writes them anew.

use crate::address::encode_path;
use crate::codec::deflate;
use crate::container::{Codec, Detail, Edited, Edits, Entry, Kind, Parsed, Part, name_entries, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Budget, Container, rules};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_isa::Isa;

/// What an archive says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Archive {
    /// The members, one for each entry.
    pub members: Vec<Member>,
    /// Where the directory is.
    directory: Range<usize>,
    /// Where the record at the end is, behind those of 64 bits.
    end: usize,
    /// How much stands in front of the archive, which offsets do not count.
    shift: usize,
}

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Its name, as the archive has it.
    pub name: String,
    /// How it is packed: 0 stored, 8 deflated.
    pub method: u16,
    /// The checksum of its content.
    pub crc32: u32,
    /// How many bytes it has.
    pub size: u64,
    /// How many bytes it takes.
    pub packed: u64,
    /// Whether it is encrypted.
    pub encrypted: bool,
    /// Where its own header is.
    header: usize,
    /// Where its data are.
    data: Range<usize>,
    /// Where its record in the directory is.
    record: Range<usize>,
}

const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
const RECORD: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;
/// The bytes of a record, and of the record at the end, without names.
const RECORD_BYTES: usize = 46;

const END_BYTES: usize = 22;
/// Extra fields of 64 bits.
const EXTRA_64: u16 = 1;
/// As much of a member is looked at to tell what it is.
const PEEK: usize = 512;

/// The place of the record at the end: the last one whose comment ends with the file.
fn end_of(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_BYTES)?;
    (last.saturating_sub(0xFFFF)..=last).rev().find(|&n| {
        let comment = |rest: &[u8]| usize::from(u16::from_le_bytes([rest[20], rest[21]]));
        bytes[n..].starts_with(&END.to_le_bytes()) && n + END_BYTES + comment(&bytes[n..]) == bytes.len()
    })
}

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let limits = budget.limits;
    let all = Cursor::new(bytes, limits);
    let Some(end) = end_of(bytes) else {
        let message = "the directory at the end of the archive is missing";
        return Err(rules::SHORT.finding(message).at(at(bytes.len())));
    };
    let mut from = all.at(end + 8, "the end")?;
    from.u16("the end")?;
    let mut count = u64::from(from.u16("the end")?);
    let mut size = u64::from(from.u32("the end")?);
    let mut offset = u64::from(from.u32("the end")?);
    // Where the directory ends: before the records of 64 bits, if there are some.
    let mut stop = end;
    if let Some(locator) = end.checked_sub(20).filter(|&n| bytes[n..].starts_with(&LOCATOR_64.to_le_bytes()))
    {
        let mut from = all.at(locator + 8, "the end")?;
        let place = from.u64("the end")? as usize;
        let mut from = all.at(place, "the end of 64 bits")?;
        if from.u32("the end")? != END_64 {
            return Err(wrong(locator + 8, "the place of the end of 64 bits", place));
        }
        from.take(28, "the end")?;
        (count, size, offset) = (from.u64("the end")?, from.u64("the end")?, from.u64("the end")?);
        stop = place;
    }
    let start = (stop as u64).checked_sub(size);
    let Some((start, shift)) =
        start.and_then(|start| Some((start as usize, start.checked_sub(offset)? as usize)))
    else {
        return Err(wrong(end, "the size of the directory", size));
    };
    let mut from = all.at(start, "the directory")?;
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let mut members = Vec::new();
    for n in 0..from.count(count, RECORD_BYTES, "members")? {
        members.push(member(&mut from, &all, shift, n)?);
    }
    if from.pos() > stop {
        return Err(wrong(end, "the size of the directory", size));
    }
    refuse_overlaps(&members, start)?;
    let mut entries = Vec::new();
    for (n, member) in members.iter().enumerate() {
        entries.push(entry_of(n, member, bytes));
    }
    name_entries(&mut entries);
    let archive = Archive { members, directory: start..stop, end, shift };
    Ok(Parsed::new(entries, Detail::Zip(Box::new(archive)), Vec::new()))
}

/// A record of the directory, and the header that it leads to.
fn member(from: &mut Cursor<'_>, all: &Cursor<'_>, shift: usize, n: usize) -> Result<Member> {
    let place = from.pos();
    let what = format!("the record of member {n}");
    let what = what.as_str();
    if from.u32(what)? != RECORD {
        return Err(wrong(place, what, "no record"));
    }
    from.take(4, what)?;
    let flags = from.u16(what)?;
    let method = from.u16(what)?;
    from.take(4, what)?;
    let crc32 = from.u32(what)?;
    let mut packed = u64::from(from.u32(what)?);
    let mut size = u64::from(from.u32(what)?);
    let (name, extra, comment) = (from.u16(what)?.into(), from.u16(what)?.into(), from.u16(what)?.into());
    from.take(8, what)?;
    let mut header = u64::from(from.u32(what)?);
    let name = from.name_length(name)?;
    let name = String::from_utf8_lossy(from.take(name, what)?).into_owned();
    let mut fields = Cursor::new(from.take(extra, what)?, *all.limits());
    from.take(comment, what)?;
    let record = place..from.pos();
    while fields.left() >= 4 {
        let (id, len) = (fields.u16(what)?, fields.u16(what)?);
        if usize::from(len) > fields.left() {
            break;
        }
        let mut field = Cursor::new(fields.take(len.into(), what)?, *all.limits());
        if id == EXTRA_64 {
            for number in [&mut size, &mut packed, &mut header] {
                if *number == u64::from(u32::MAX) {
                    *number = field.u64(what)?;
                }
            }
        }
    }
    let header =
        usize::try_from(header).ok().and_then(|header| header.checked_add(shift)).unwrap_or(usize::MAX);
    let mut local = all.at(header, format_args!("member {n}, {name},"))?;
    if local.u32("the header of a member")? != LOCAL {
        return Err(wrong(header, format_args!("the header of member {n}"), "no header"));
    }
    local.take(22, "the header of a member")?;
    let own = usize::from(local.u16("the header of a member")?);
    let extra = usize::from(local.u16("the header of a member")?);
    local.take(own + extra, "the header of a member")?;
    let data =
        local.range(usize::try_from(packed).unwrap_or(usize::MAX), format_args!("member {n}, {name}"))?;
    Ok(Member { name, method, crc32, size, packed, encrypted: flags & 1 != 0, header, data, record })
}

/// Refuses members that share bytes: a small file could unpack to any size so.
fn refuse_overlaps(members: &[Member], directory: usize) -> Result<()> {
    let mut ranges: Vec<(usize, usize)> =
        members.iter().map(|member| (member.header, member.data.end)).collect();
    ranges.sort_unstable();
    let ends = ranges.iter().map(|&(_, end)| end);
    let starts = ranges.iter().skip(1).map(|&(start, _)| start).chain([directory]);
    match ends.zip(starts).find(|(end, next)| end > next) {
        Some((_, next)) => Err(wrong(next, "a member", "inside another one")),
        None => Ok(()),
    }
}

fn entry_of(n: usize, member: &Member, bytes: &[u8]) -> Entry {
    let address = encode_path(&member.name);
    let size = usize::try_from(member.size).unwrap_or(usize::MAX);
    let packed = bytes.get(member.data.clone()).unwrap_or_default();
    let (part, start) = match (member.method, member.encrypted) {
        (0, false) => (Part::File(member.data.clone()), packed.get(..PEEK).unwrap_or(packed).to_vec()),
        (8, false) => {
            let part = Part::Packed { range: member.data.clone(), size, codec: Codec::Deflate };
            (part, deflate::peek(packed, PEEK.min(size)))
        }
        (method, encrypted) => {
            let what = match encrypted {
                true => "an encrypted member".into(),
                false => format!("a member packed by method {method}"),
            };
            let kind = Kind::Foreign(what.into());
            return Entry::new(format!("#{n}"), kind, Part::Sealed(member.data.clone())).with_alias(address);
        }
    };
    let kind = if member.name.ends_with('/') {
        Kind::Foreign("a folder".into())
    } else {
        Kind::of_file(&start, member.size, Some(&member.name))
    };
    let mut entry = match kind {
        Kind::Stream(Isa::D3d9) => Entry::of_tokens(format!("#{n}"), part, &start),
        kind => Entry::new(format!("#{n}"), kind, part),
    };
    entry.aliases.push(address);
    entry
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Zip(archive) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    // Members as they lie in the file, with what is between them.
    let mut order: Vec<usize> = (0..archive.members.len()).collect();
    order.sort_by_key(|&n| archive.members[n].header);
    let mut out = Vec::with_capacity(file.len());
    let mut headers = alloc::vec![0; archive.members.len()];
    let mut packed = alloc::vec![None; archive.members.len()];
    let mut from = 0;
    for n in order {
        let member = &archive.members[n];
        out.extend_from_slice(&file[from..member.header]);
        headers[n] = word_of(out.len() - archive.shift, "an archive")?;
        from = member.data.end;
        let Some(new) = edits.get(&n) else {
            out.extend_from_slice(&file[member.header..member.data.end]);
            continue;
        };
        // What is packed otherwise, or encrypted, would be taken for that with other bytes in it, too.
        if matches!(container.entries()[n].part, Part::Sealed(_)) {
            let message = format!("{}: a member that cannot be unpacked cannot be replaced", member.name);
            return Err(rules::READ_ONLY.finding(message).at(at(member.header)));
        }
        let crc = crc32fast::hash(new);
        let data = match member.method {
            8 => miniz_oxide::deflate::compress_to_vec(new, 6),
            _ => new.to_vec(),
        };
        let (size, len) = (word_of(new.len(), "a member")?, word_of(data.len(), "a member")?);
        let header = out.len();
        out.extend_from_slice(&file[member.header..member.data.start]);
        // A size that stood behind the data stays there; what the header says is right all the same.
        let described = out[header + 6] & 8 != 0;
        if !described {
            set_sizes(&mut out[header + 14..header + 26], crc, len, size);
        }
        out.extend_from_slice(&data);
        if described {
            from = skip_descriptor(file, member, &mut out, crc, len, size);
        }
        packed[n] = Some((crc, len, size));
    }
    out.extend_from_slice(&file[from..archive.directory.start]);
    let start = out.len();
    let mut from = archive.directory.start;
    for (n, member) in archive.members.iter().enumerate() {
        out.extend_from_slice(&file[from..member.record.start]);
        let record = out.len();
        out.extend_from_slice(&file[member.record.clone()]);
        from = member.record.end;
        // Numbers of 64 bits stand elsewhere: such an archive keeps its places only without edits.
        if out[record + 42..record + 46] == [0xFF; 4] || out[record + 20..record + 24] == [0xFF; 4] {
            let message = format!("{} has sizes of 64 bits, which are not written", member.name);
            return Err(rules::FIT.finding(message).at(at(member.record.start)));
        }
        out[record + 42..record + 46].copy_from_slice(&headers[n].to_le_bytes());
        if let Some((crc, len, size)) = packed[n] {
            set_sizes(&mut out[record + 16..record + 28], crc, len, size);
        }
    }
    out.extend_from_slice(&file[from..archive.directory.end]);
    if archive.directory.end != archive.end {
        let message = "the archive has a directory of 64 bits, which is not written";
        return Err(rules::FIT.finding(message).at(at(archive.directory.end)));
    }
    let end = out.len();
    out.extend_from_slice(&file[archive.end..]);
    let (size, offset) =
        (word_of(end - start, "a directory")?, word_of(start - archive.shift, "an archive")?);
    out[end + 12..end + 16].copy_from_slice(&size.to_le_bytes());
    out[end + 16..end + 20].copy_from_slice(&offset.to_le_bytes());
    Ok(Edited { bytes: out, findings: Vec::new() })
}

/// Checksum, packed size and size, where they stand together.
fn set_sizes(to: &mut [u8], crc: u32, packed: u32, size: u32) {
    for (to, word) in to.chunks_exact_mut(4).zip([crc, packed, size]) {
        to.copy_from_slice(&word.to_le_bytes());
    }
}

/// Writes anew what says the sizes behind the data of a member, and gives the place where it ends in the file.
fn skip_descriptor(
    file: &[u8],
    member: &Member,
    out: &mut Vec<u8>,
    crc: u32,
    packed: u32,
    size: u32,
) -> usize {
    let old = file.get(member.data.end..).unwrap_or_default();
    let signed = old.starts_with(b"PK\x07\x08");
    let start = if signed { 4 } else { 0 };
    if old.get(start..start + 4) != Some(&member.crc32.to_le_bytes()[..]) || old.len() < start + 12 {
        return member.data.end;
    }
    out.extend_from_slice(&old[..start]);
    let at = out.len();
    out.resize(at + 12, 0);
    set_sizes(&mut out[at..], crc, packed, size);
    member.data.end + start + 12
}
