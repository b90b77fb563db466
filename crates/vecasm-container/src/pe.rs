//! Programs and libraries of Windows (PE), and the shaders in them.
//!
//! Three places are looked at: the resources, the resources of .NET, and sections of data, in which programs of Direct3D 9
//! stand out by a version, instructions that exist, and an end. Resources of .NET are taken as they follow one another,
//! without their names, which only the metadata have; that they do is inferred.
//!
//! The layout is public (Microsoft's PE format). What replaces an entry must not be larger, because code and headers count on
//! the place of what follows: a resource keeps its place and gets its new size, a program among data ends by its own end.

use crate::carve::{Steps, streams};
use crate::container::{
    Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, name_entries, patched, word_of,
};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Address, Budget, Container, rules};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use vecasm_ir::diag::Diagnostic;
use vecasm_isa::Isa;

/// What a file says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The machine that it is for: 0x14C x86, 0x8664 x86-64.
    pub machine: u16,
    /// Whether its header is that of 64 bits.
    pub is_64: bool,
    /// The sections.
    pub sections: Vec<Section>,
    /// The resources: the first entries.
    pub resources: Vec<Resource>,
    /// How many entries behind those are resources of .NET.
    pub manifest: usize,
    /// Whether it is signed (Authenticode).
    pub is_signed: bool,
    /// The checksum; zero stands for none.
    pub checksum: u32,
    /// Where the checksum is.
    checksum_at: usize,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its address, relative to that of the file.
    pub address: u32,
    /// How many bytes it has in memory.
    pub memory: u32,
    /// Where it is in the file.
    pub range: Range<usize>,
    /// What it holds, as bits.
    pub characteristics: u32,
}

impl Section {
    /// Whether it holds code.
    pub const fn is_executable(&self) -> bool {
        self.characteristics & (0x20 | 0x2000_0000) != 0
    }
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// Its type.
    pub ty: Name,
    /// Its name.
    pub name: Name,
    /// The number of its language.
    pub language: u32,
    /// Where the word of its size is in the file.
    size_at: usize,
}

/// A name, or a number in the place of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// A number.
    Id(u32),
    /// A name.
    Text(String),
}

impl Name {
    /// As a step of an address.
    fn step(&self) -> Cow<'_, str> {
        match self {
            Self::Id(id) => Cow::Owned(id.to_string()),
            Self::Text(text) => Address::encode(text),
        }
    }
}

/// The types of resources that Windows has, by their numbers: the word in addresses, and what a resource of it is.
const TYPES: &[(u32, &str, &str)] = &[
    (1, "cursor", "a cursor"),
    (2, "bitmap", "a picture"),
    (3, "icon", "an icon"),
    (4, "menu", "a menu"),
    (5, "dialog", "a dialog"),
    (6, "string", "texts"),
    (7, "fontdir", "a list of fonts"),
    (8, "font", "a font"),
    (9, "accelerator", "keys"),
    (10, "rcdata", "data"),
    (11, "messagetable", "messages"),
    (12, "group_cursor", "a list of cursors"),
    (14, "group_icon", "a list of icons"),
    (16, "version", "the version"),
    (17, "dlginclude", "the name of a header"),
    (19, "plugplay", "data of Plug and Play"),
    (21, "anicursor", "a moving cursor"),
    (22, "aniicon", "a moving icon"),
    (23, "html", "a page"),
    (24, "manifest", "a manifest"),
];

/// The bytes of the header of a section.
const SECTION: usize = 40;
/// The bytes of an entry of a directory of resources.
const DIRECTORY: usize = 8;
/// The directories of resources, of signatures and of .NET among those of the header.
const RESOURCES: usize = 2;
const SIGNATURES: usize = 4;
const NET: usize = 14;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let all = Cursor::new(bytes, budget.limits);
    let header = all.at(0x3C, "the header")?.size("the header")?;
    let mut from = all.at(header, "the header")?;
    let signature = from.take(4, "the header")?;
    if signature != b"PE\0\0" {
        return Err(wrong(header, "the signature of the header", "not PE"));
    }
    let machine = from.u16("the header")?;
    let count = from.u16("the header")?;
    from.take(12, "the header")?;
    let size = from.u16("the header")?;
    from.take(2, "the header")?;
    let optional = from.range(size.into(), "the optional header")?;
    let (is_64, directories, checksum_at) = optional_header(&all, bytes, &optional)?;
    let checksum = all.at(checksum_at, "the checksum")?.u32("the checksum")?;
    let mut from = all.at(optional.end, "the sections")?;
    let mut sections = Vec::new();
    for n in 0..from.count(count.into(), SECTION, "sections")? {
        sections.push(section(&mut from, bytes.len(), format_args!("section {n}"))?);
    }
    let mut tree = Tree {
        all: all.clone(),
        sections: &sections,
        root: 0,
        entries: Vec::new(),
        resources: Vec::new(),
        left: bytes.len() / DIRECTORY,
    };
    let (mut findings, mut covered) = (Vec::new(), Vec::new());
    if let Some((address, _)) = directory(&directories, RESOURCES) {
        match offset_of(&sections, address, 16) {
            None => {
                let message = format!("the resources lie at {address:#x}, where no section is");
                findings.push(rules::UNKNOWN.finding(message));
            }
            Some(range) => {
                tree.root = range.start;
                tree.table(0, 0, &mut Vec::new(), bytes)?;
            }
        }
    }
    let Tree { mut entries, resources, .. } = tree;
    name_entries(&mut entries);
    let mut manifest = 0;
    if let Some((address, _)) = directory(&directories, NET) {
        manifest = net_resources(&all, bytes, &sections, address, &mut entries, &mut findings)?;
    }
    covered.extend(entries.iter().map(|entry: &Entry| entry.part.range().clone()));
    covered.sort_by_key(|range: &Range<usize>| range.start);
    let named = entries.len();
    carve(bytes, &sections, &covered, &mut entries)?;
    name_entries(&mut entries[named..]);
    let is_signed = directory(&directories, SIGNATURES).is_some();
    let image = Image { machine, is_64, sections, resources, manifest, is_signed, checksum, checksum_at };
    Ok(Parsed::new(entries, Detail::Pe(Box::new(image)), findings))
}

/// Whether the optional header is that of 64 bits; the directories, addresses and sizes; and where the checksum is.
type OptionalHeader = (bool, Vec<(u32, u32)>, usize);

/// Reads the optional header.
fn optional_header(all: &Cursor<'_>, bytes: &[u8], range: &Range<usize>) -> Result<OptionalHeader> {
    let header = &bytes[..range.end];
    let within = Cursor::new(header, *all.limits());
    let mut from = within.at(range.start, "the optional header")?;
    let (is_64, skipped) = match from.u16("the optional header")? {
        0x10B => (false, 92),
        0x20B => (true, 108),
        other => {
            return Err(wrong(range.start, "the kind of the optional header", format_args!("{other:#x}")));
        }
    };
    from.take(skipped - 2, "the optional header")?;
    let count = from.u32("the number of directories")?;
    let mut out = Vec::new();
    // Windows takes 16 at most, whatever the number says.
    for _ in 0..count.min(16) {
        if from.left() < 8 {
            break;
        }
        out.push((from.u32("a directory")?, from.u32("a directory")?));
    }
    Ok((is_64, out, range.start + 64))
}

fn directory(directories: &[(u32, u32)], n: usize) -> Option<(u32, u32)> {
    directories.get(n).copied().filter(|&(address, size)| address != 0 && size != 0)
}

fn section(from: &mut Cursor<'_>, file: usize, what: fmt::Arguments<'_>) -> Result<Section> {
    let place = from.pos();
    let name = from.take(8, what)?.split(|&byte| byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name).into_owned();
    let (memory, address) = (from.u32(what)?, from.u32(what)?);
    let (size, start) = (from.size(what)?, from.size(what)?);
    from.take(12, what)?;
    let characteristics = from.u32(what)?;
    // A section of zeros says any place, and has no bytes.
    let range = if size == 0 || start == 0 { 0..0 } else { start..start.saturating_add(size) };
    if range.end > file {
        let message = format!("{what}, {name}, ends at {}, and the file at {file}", range.end);
        return Err(rules::SHORT.finding(message).at(at(place)));
    }
    Ok(Section { name, address, memory, range, characteristics })
}

/// Where `size` bytes at an address are in the file.
fn offset_of(sections: &[Section], address: u32, size: usize) -> Option<Range<usize>> {
    sections.iter().find_map(|section| {
        let start = section.range.start.checked_add(address.checked_sub(section.address)? as usize)?;
        let end = start.checked_add(size)?;
        (start < section.range.end && end <= section.range.end).then_some(start..end)
    })
}

/// The tree of resources while it is read.
struct Tree<'a, 'b> {
    all: Cursor<'a>,
    sections: &'b [Section],
    /// Where it begins in the file; offsets in it count from here.
    root: usize,
    entries: Vec<Entry>,
    resources: Vec<Resource>,
    /// How many entries of directories may still follow: more than the file has room for are the same ones again.
    left: usize,
}

impl Tree<'_, '_> {
    /// A directory of types, names or languages.
    fn table(&mut self, offset: usize, depth: usize, path: &mut Vec<Name>, bytes: &[u8]) -> Result<()> {
        let what = "a directory of resources";
        let mut from = self.all.at(self.root.saturating_add(offset), what)?;
        from.take(12, what)?;
        let count = u32::from(from.u16(what)?) + u32::from(from.u16(what)?);
        for _ in 0..from.count(count, DIRECTORY, "resources")? {
            let place = from.pos();
            self.left =
                self.left.checked_sub(1).ok_or_else(|| wrong(place, what, "part of several others"))?;
            let (name, to) = (from.u32(what)?, from.u32(what)?);
            path.push(self.name(name)?);
            let below = (to & 0x7FFF_FFFF) as usize;
            match (to >> 31, depth) {
                (0, _) => self.leaf(below, path, bytes)?,
                (_, 0 | 1) => self.table(below, depth + 1, path, bytes)?,
                _ => return Err(wrong(place + 4, what, "in more than two others")),
            }
            path.pop();
        }
        Ok(())
    }

    fn name(&self, word: u32) -> Result<Name> {
        if word >> 31 == 0 {
            return Ok(Name::Id(word));
        }
        let what = "the name of a resource";
        let mut from = self.all.at(self.root.saturating_add((word & 0x7FFF_FFFF) as usize), what)?;
        let n = from.u16(what)?;
        let n = from.name_length(usize::from(n))?;
        let units =
            from.take(n * 2, what)?.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Ok(Name::Text(text))
    }

    fn leaf(&mut self, offset: usize, path: &[Name], bytes: &[u8]) -> Result<()> {
        let what = "a resource";
        let mut from = self.all.at(self.root.saturating_add(offset), what)?;
        let place = from.pos();
        let (address, size) = (from.u32(what)?, from.size(what)?);
        let n = self.entries.len();
        let Some(range) = offset_of(self.sections, address, size) else {
            let message = format!("resource {n} lies at {address:#x}, and no section has {size} bytes there");
            return Err(rules::OFFSET.finding(message).at(at(place)));
        };
        let ty = path.first().cloned().unwrap_or(Name::Id(0));
        let name = path.get(1).cloned().unwrap_or(Name::Id(0));
        let language = match path.get(2) {
            Some(Name::Id(id)) => *id,
            _ => 0,
        };
        let known = match ty {
            Name::Id(id) => TYPES.iter().find(|row| row.0 == id),
            Name::Text(_) => None,
        };
        let kind = match known {
            Some(&(id, _, what)) if id != 10 => Kind::Foreign(what.into()),
            _ => Kind::of_file(&bytes[range.clone()], size as u64, None),
        };
        let step = match known {
            Some(&(_, word, _)) => Cow::Borrowed(word),
            None => ty.step(),
        };
        let path = format!("{step}/{}", name.step());
        let entry = entry_of(format!("resource{n}"), kind, range, bytes).with_alias(path.clone());
        self.entries.push(entry.with_alias(format!("{path}/{language}")));
        self.resources.push(Resource { ty, name, language, size_at: place + 4 });
        Ok(())
    }
}

fn entry_of(address: String, kind: Kind, range: Range<usize>, bytes: &[u8]) -> Entry {
    match kind {
        Kind::Stream(Isa::D3d9) => Entry::of_tokens(address, Part::File(range.clone()), &bytes[range]),
        kind => Entry::new(address, kind, Part::File(range)),
    }
}

/// The resources of .NET: lengths and bytes, each at a multiple of eight.
fn net_resources(
    all: &Cursor<'_>,
    bytes: &[u8],
    sections: &[Section],
    address: u32,
    entries: &mut Vec<Entry>,
    findings: &mut Vec<Diagnostic>,
) -> Result<usize> {
    let Some(header) = offset_of(sections, address, 72) else { return Ok(0) };
    let mut from = all.at(header.start + 24, "the header of .NET")?;
    let (address, size) = (from.u32("the header of .NET")?, from.size("the header of .NET")?);
    if size == 0 {
        return Ok(0);
    }
    let Some(range) = offset_of(sections, address, size) else {
        let message =
            format!("the resources of .NET lie at {address:#x}, and no section has {size} bytes there");
        findings.push(rules::OFFSET.finding(message).at(at(header.start + 24)));
        return Ok(0);
    };
    let mut from = Cursor::new(&bytes[..range.end], *all.limits()).at(range.start, "resources of .NET")?;
    let mut n = 0;
    while from.left() >= 4 {
        let place = from.pos();
        let len = from.size("a resource of .NET")?;
        let Ok(found) = from.range(len, "a resource of .NET") else {
            let message = format!("resource {n} of .NET ends outside the others, which are left out");
            findings.push(rules::SIZE.finding(message).at(at(place)));
            break;
        };
        if !found.is_empty() {
            let kind = Kind::of_file(&bytes[found.clone()], len as u64, None);
            entries.push(entry_of(format!("net{n}"), kind, found, bytes));
            n += 1;
        }
        let rest = (range.start + (from.pos() - range.start).next_multiple_of(8)) - from.pos();
        from.take(rest.min(from.left()), "a resource of .NET")?;
    }
    Ok(n)
}

/// Programs of Direct3D 9 in sections of data, outside what is covered.
fn carve(
    bytes: &[u8],
    sections: &[Section],
    covered: &[Range<usize>],
    entries: &mut Vec<Entry>,
) -> Result<()> {
    let mut steps = Steps::of(bytes.len());
    // Sections may share bytes, which are searched once.
    let mut searched = 0;
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|&n| sections[n].range.start);
    let mut covered = covered.iter().peekable();
    for n in order {
        let section = &sections[n];
        let mut start = section.range.start.max(searched);
        searched = searched.max(section.range.end);
        if section.is_executable() {
            continue;
        }
        let mut search = |range: Range<usize>, entries: &mut Vec<Entry>| -> Result<()> {
            for found in streams(bytes.get(range.clone()).unwrap_or_default(), &mut steps)? {
                let found = range.start + found.start..range.start + found.end;
                let offset = found.start - section.range.start;
                let entry = Entry::of_tokens(
                    format!("section{n}+0x{offset:X}"),
                    Part::File(found.clone()),
                    &bytes[found],
                );
                let name = format!("{}+0x{offset:X}", Address::encode(&section.name));
                entries.push(entry.with_alias(Some(name).filter(|_| !section.name.is_empty())));
            }
            Ok(())
        };
        while let Some(next) = covered.peek().filter(|next| next.start < section.range.end) {
            if next.start > start {
                search(start..next.start, entries)?;
            }
            // Programs begin at words of the section.
            let behind = next.end.max(start);
            start = section.range.start + behind.saturating_sub(section.range.start).next_multiple_of(4);
            covered.next();
        }
        if start < section.range.end {
            search(start..section.range.end, entries)?;
        }
    }
    Ok(())
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Pe(image) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let mut patches: Vec<Patch> = Vec::new();
    for (&n, new) in edits {
        let entry = &container.entries()[n];
        let range = entry.part.range().clone();
        if new.len() > range.len() {
            let message = format!(
                "{} bytes do not fit {}, which has room for {}",
                new.len(),
                entry.address,
                range.len()
            );
            let help = "code and headers of the file count on the place of what follows: only as many bytes or fewer have room";
            return Err(rules::FIT.finding(message).at(at(range.start)).with_help(help));
        }
        if let Some(resource) = image.resources.get(n) {
            patches.push(Patch::word(resource.size_at, word_of(new.len(), "a resource")?));
        } else if n < image.resources.len() + image.manifest && new.len() != range.len() {
            let message = format!(
                "{} bytes do not fit {}, which takes exactly {}",
                new.len(),
                entry.address,
                range.len()
            );
            let help = "metadata know the place of each resource of .NET: only as many bytes have room";
            return Err(rules::FIT.finding(message).at(at(range.start)).with_help(help));
        }
        let mut bytes = new.to_vec();
        bytes.resize(range.len(), 0);
        patches.push(Patch { range, bytes });
    }
    patches.sort_by_key(|patch| patch.range.start);
    if let Some(pair) = patches.windows(2).find(|pair| pair[0].range.end > pair[1].range.start) {
        let message = "two of the entries share bytes";
        return Err(rules::AMBIGUOUS.finding(message).at(at(pair[1].range.start)));
    }
    let mut bytes = patched(file, patches);
    let mut findings = Vec::new();
    // A checksum that was right before stays right; a wrong one is the file's own business.
    if image.checksum != 0 && checksum_of(file, image.checksum_at) == image.checksum {
        let checksum = checksum_of(&bytes, image.checksum_at);
        bytes[image.checksum_at..image.checksum_at + 4].copy_from_slice(&checksum.to_le_bytes());
    }
    if image.is_signed {
        let message = "the file is signed, and its signature does not fit the change";
        let help = "Windows says so where it asks for signatures; the file runs all the same unless a policy forbids it";
        findings.push(rules::SIGNATURE.finding(message).with_help(help));
    }
    Ok(Edited { bytes, findings })
}

/// The checksum of a file, whose place counts as zero: the sum of its 16-bit words, carries added again, and its length.
fn checksum_of(bytes: &[u8], place: usize) -> u32 {
    let mut sum = 0u64;
    for (n, unit) in bytes.chunks(2).enumerate() {
        if (place..place + 4).contains(&(n * 2)) {
            continue;
        }
        sum += u64::from(unit[0]) | u64::from(unit.get(1).copied().unwrap_or(0)) << 8;
    }
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    (sum as u32).wrapping_add(bytes.len() as u32)
}
