//! Movies of Flash (SWF), which carry AGAL as binary data, or as strings that their code joins.
//!
//! A header, then tags, which may be packed together by zlib or LZMA. Binary data are written; the strings stand in a pool of
//! constants that all methods share, so they are read only. The layout is that of Adobe's SWF File Format Specification 19; LZMA
//! data end with their mark, and their size does not count the properties, as in files of Adobe's tools.

mod abc;

pub use abc::Code;

use crate::codec::deflate;
use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Address, Budget, Container, rules};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use lzma_rust2::{Read as _, Write as _};
use vecasm_ir::diag::{Diagnostic, Place};
use vecasm_ir::ir::Stage;
use vecasm_isa::Isa;

/// What a movie says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Movie {
    /// How its tags are packed.
    pub packing: Packing,
    /// The version of the format.
    pub version: u8,
    /// How long the file says it is, unpacked.
    pub length: u32,
    /// The tags. Their places count from the header of the file, unpacked, eight bytes of which are never packed.
    pub tags: Vec<Tag>,
    /// The classes of symbols, by the number of the symbol.
    pub symbols: Vec<(u16, String)>,
    /// The code.
    pub code: Vec<Code>,
    /// The numbers of the tags with binary data, which are the first entries.
    binaries: Vec<usize>,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag {
    /// What it is: 87 binary data, 82 code.
    pub code: u16,
    /// Where its header is.
    pub header: Range<usize>,
    /// Where its content is.
    pub content: Range<usize>,
}

/// How tags are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// Not at all (`FWS`).
    Plain,
    /// By zlib (`CWS`).
    Zlib,
    /// By LZMA (`ZWS`).
    Lzma,
}

impl Packing {
    /// Every one.
    pub const ALL: &'static [Self] = &[Self::Plain, Self::Zlib, Self::Lzma];

    /// The word for it: `plain`, `zlib` or `lzma`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Zlib => "zlib",
            Self::Lzma => "lzma",
        }
    }
}

vecasm_ir::spelled!(Packing, "packing");

/// The bytes in front of the tags that are never packed.
const HEADER: usize = 8;
/// The bytes in front of LZMA data: those of the header, the packed size, the properties.
const LZMA_HEADER: usize = 17;
/// A length in the header of a tag that says that the length follows.
const LONG: u16 = 0x3F;
/// The bytes of binary data in front of the data: a number and zeros.
const BINARY: usize = 6;

/// Tags.
const END: u16 = 0;
const CODE_UNNAMED: u16 = 72;
const SYMBOLS: u16 = 76;
const CODE: u16 = 82;
const BINARY_DATA: u16 = 87;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits);
    let packing = match from.take(3, "the header")? {
        b"FWS" => Packing::Plain,
        b"CWS" => Packing::Zlib,
        b"ZWS" => Packing::Lzma,
        _ => return Err(wrong(0, "the signature", "of another kind")),
    };
    let version = from.u8("the version")?;
    let length = from.u32("the length")?;
    let Some(size) = (length as usize).checked_sub(HEADER) else {
        return Err(wrong(4, "the length", length));
    };
    let mut findings = Vec::new();
    let mut unpacked = Vec::new();
    if packing == Packing::Plain {
        let message =
            || format!("the header says the file has {length} bytes, and there are {}", bytes.len());
        if size > from.left() {
            return Err(rules::SHORT.finding(message()).at(at(4)));
        }
        if size < from.left() {
            findings.push(rules::SIZE.finding(message()).at(at(4)));
        }
    } else {
        budget.take_unpacked(from.left(), size)?;
        // The header stands in front, so that places are those of the unpacked file.
        let mut file = bytes[..HEADER].to_vec();
        file.append(&mut match packing {
            Packing::Zlib => deflate::unpack_zlib(&bytes[HEADER..], size).map_err(|why| {
                rules::CODEC.finding(format!("the tags cannot be unpacked: {why}")).at(at(HEADER))
            })?,
            _ => unpack_lzma(from, size)?,
        });
        unpacked.push(file);
    }
    let plain = match unpacked.first() {
        Some(unpacked) => &unpacked[..],
        None => &bytes[..HEADER + size],
    };
    let place = |finding| if packing == Packing::Plain { finding } else { outside(finding) };
    let tags = tags(plain, budget).map_err(place)?;
    let mut movie =
        Movie { packing, version, length, tags, symbols: Vec::new(), code: Vec::new(), binaries: Vec::new() };
    let mut symbols: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for tag in movie.tags.iter().filter(|tag| tag.code == SYMBOLS) {
        for (id, name) in symbols_of(plain, tag, budget).map_err(place)? {
            symbols.entry(id).or_default().push(Address::encode(&name).into_owned());
            movie.symbols.push((id, name));
        }
    }
    let mut entries = Vec::new();
    let mut numbers: BTreeMap<u16, usize> = BTreeMap::new();
    for (n, tag) in movie.tags.iter().enumerate().filter(|(_, tag)| tag.code == BINARY_DATA) {
        let mut content = Cursor::new(&plain[..tag.content.end], budget.limits);
        content = content.at(tag.content.start, "binary data")?;
        let id = content.u16("the number of binary data").map_err(place)?;
        content.u32("binary data").map_err(place)?;
        let range = content.range(content.left(), "binary data")?;
        let (kind, stage) = kind_of(&plain[range.clone()]);
        let part = match packing {
            Packing::Plain => Part::File(range),
            _ => Part::Unpacked { buffer: 0, range },
        };
        let count = numbers.entry(id).or_default();
        *count += 1;
        let address = match count {
            1 => format!("binary/{id}"),
            n => format!("binary/{id}#{n}"),
        };
        // Of several with one number, the first has the names.
        let aliases = symbols.remove(&id).unwrap_or_default();
        entries.push(Entry { stage, aliases, ..Entry::new(address, kind, part) });
        movie.binaries.push(n);
    }
    // All texts stand behind one another in a part of their own.
    let (buffer, mut texts) = (unpacked.len(), Vec::new());
    let mut code = Vec::new();
    for tag in movie.tags.iter().filter(|tag| matches!(tag.code, CODE | CODE_UNNAMED)) {
        let n = code.len();
        match abc::read(plain, tag, n, budget) {
            Ok((one, programs)) => {
                for program in programs {
                    let start = texts.len();
                    texts.extend_from_slice(program.text.as_bytes());
                    let part = Part::Unpacked { buffer, range: start..texts.len() };
                    let entry = Entry::new(program.address, Kind::File, part).with_alias(program.alias);
                    entries.push(Entry { stage: program.stage, ..entry });
                }
                if !one.unused.is_empty() {
                    let message = format!(
                        "{} strings of abc{n} look like AGAL and are in no program",
                        one.unused.len()
                    );
                    findings.push(
                        rules::UNUSED_TEXT
                            .finding(message)
                            .with_help("code that joins strings in loops or calls is not followed"),
                    );
                }
                code.push(one);
            }
            Err(finding) if finding.id == rules::LIMIT.id => return Err(finding),
            // Code that cannot be read hides no binary data.
            Err(finding) => {
                let message = format!("abc{n} cannot be read: {}", finding.message);
                let finding = rules::UNREADABLE.finding(message).at(finding.place);
                findings.push(place(finding));
                code.push(Code::default());
            }
        }
    }
    movie.code = code;
    if !texts.is_empty() {
        unpacked.push(texts);
    }
    Ok(Parsed { entries, unpacked, detail: Detail::Swf(Box::new(movie)), findings })
}

/// A finding at a place in unpacked tags, which is none in the file.
fn outside(finding: Diagnostic) -> Diagnostic {
    match finding.place {
        Place::Binary { offset, .. } => {
            let message = format!("at {offset} of the unpacked file: {}", finding.message);
            Diagnostic { message, ..finding }.at(Place::Whole)
        }
        _ => finding,
    }
}

/// The tags of an unpacked file.
fn tags(plain: &[u8], budget: &Budget) -> Result<Vec<Tag>> {
    let mut from = Cursor::new(plain, budget.limits).at(HEADER, "the tags")?;
    // The size of the stage: a number of bits, and four numbers of so many.
    let bits = usize::from(from.u8("the size of the stage")? >> 3);
    from.take((5 + 4 * bits).div_ceil(8) - 1, "the size of the stage")?;
    from.take(4, "the rate and the number of frames")?;
    let mut tags = Vec::new();
    while from.left() > 0 {
        let n = tags.len();
        let start = from.pos();
        let word = from.u16(format_args!("the header of tag {n}"))?;
        let size = match word & LONG {
            LONG => from.size(format_args!("the length of tag {n}"))?,
            size => usize::from(size),
        };
        let header = start..from.pos();
        let tag = Tag { code: word >> 6, header, content: from.range(size, format_args!("tag {n}"))? };
        let is_end = tag.code == END;
        tags.push(tag);
        if is_end {
            break;
        }
    }
    Ok(tags)
}

/// The classes of symbols, by the number of the symbol.
fn symbols_of(plain: &[u8], tag: &Tag, budget: &Budget) -> Result<Vec<(u16, String)>> {
    let mut from = Cursor::new(&plain[..tag.content.end], budget.limits).at(tag.content.start, "symbols")?;
    let count = from.u16("the number of symbols")?;
    let mut out = Vec::new();
    for _ in 0..from.count(count.into(), 3, "symbols")? {
        let id = from.u16("the number of a symbol")?;
        out.push((id, name(&mut from, "the class of a symbol")?));
    }
    Ok(out)
}

/// A name that ends with a zero.
fn name(from: &mut Cursor<'_>, what: &str) -> Result<String> {
    let rest = from.peek(from.left()).unwrap_or_default();
    let most = rest.get(..=from.limits().name).unwrap_or(rest);
    let Some(n) = most.iter().position(|&byte| byte == 0) else {
        from.name_length(most.len())?;
        return from.take(rest.len() + 1, what).map(|_| String::new());
    };
    let name = String::from_utf8_lossy(from.take(n, what)?).into_owned();
    from.u8(what)?;
    Ok(name)
}

/// What binary data are, and the stage of a program.
fn kind_of(bytes: &[u8]) -> (Kind, Option<Stage>) {
    if vecasm_isa::agal::bytes::looks_like(bytes) {
        let stage = match bytes.get(6) {
            Some(0) => Some(Stage::Vertex),
            Some(1) => Some(Stage::Fragment),
            _ => None,
        };
        return (Kind::Stream(Isa::Agal), stage);
    }
    let kind = match bytes {
        [b'A', b'T', b'F', ..] => Kind::Foreign(Cow::Borrowed("a texture (ATF)")),
        _ => Kind::of_file(bytes, bytes.len() as u64, None),
    };
    (kind, None)
}

fn unpack_lzma(mut from: Cursor<'_>, size: usize) -> Result<Vec<u8>> {
    let start = from.pos();
    let fail = |why: lzma_rust2::Error| {
        rules::CODEC.finding(format!("the tags cannot be unpacked: {why:?}")).at(at(start))
    };
    from.u32("the packed size")?;
    let properties = from.u8("the properties")?;
    let window = from.u32("the size of the window")?;
    let packed = from.take(from.left(), "the packed tags")?;
    // Nothing lies further back than the start, so that a smaller window does.
    let window = window.min(u32::try_from(size).unwrap_or(u32::MAX));
    let mut lzma = lzma_rust2::LzmaReader::new_with_props(packed, size as u64, properties, window, None)
        .map_err(fail)?;
    // The end is where the size says; a mark may follow.
    lzma.set_relaxed_end_condition(true);
    let mut out = alloc::vec![0; size];
    lzma.read_exact(&mut out).map_err(fail)?;
    Ok(out)
}

/// Packed bytes, behind the properties.
fn pack_lzma(bytes: &[u8], window: u32) -> Result<(u8, Vec<u8>)> {
    let fail = |why: lzma_rust2::Error| rules::CODEC.finding(format!("the tags cannot be packed: {why:?}"));
    let mut options = lzma_rust2::LzmaOptions::with_preset(6);
    let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    options.dict_size = window.min(size).clamp(4096, options.dict_size);
    let mut lzma = lzma_rust2::LzmaWriter::new_no_header(Vec::new(), &options, true).map_err(fail)?;
    lzma.write_all(bytes).map_err(fail)?;
    Ok((options.get_props(), lzma.finish().map_err(fail)?))
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Swf(movie) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let plain = if movie.packing == Packing::Plain { file } else { container.unpacked(0) };
    let mut patches = Vec::new();
    for (&n, new) in edits {
        let Some(&tag) = movie.binaries.get(n) else {
            let address = &container.entries()[n].address;
            let message =
                format!("{address} is joined from strings of the pool of constants, which is not written");
            let help =
                "methods share those strings; compile the movie again, or load the program from binary data";
            return Err(rules::READ_ONLY.finding(message).with_help(help));
        };
        let tag = &movie.tags[tag];
        let size = word_of(new.len() + BINARY, "a tag")?;
        let is_short = tag.header.len() == 2 && size < u32::from(LONG);
        let code = tag.code << 6;
        let mut header = (code | if is_short { size as u16 } else { LONG }).to_le_bytes().to_vec();
        if !is_short {
            header.extend_from_slice(&size.to_le_bytes());
        }
        patches.push(Patch { range: tag.header.clone(), bytes: header });
        let data = tag.content.start + BINARY..tag.content.end;
        patches.push(Patch { range: data, bytes: new.to_vec() });
    }
    let mut plain = patched(plain, patches);
    let grown = plain.len() as u64 + u64::from(movie.length);
    let old = if movie.packing == Packing::Plain { file.len() } else { movie.length as usize };
    let length = word_of(grown as usize - old, "a movie")?;
    plain[4..HEADER].copy_from_slice(&length.to_le_bytes());
    let bytes = match movie.packing {
        Packing::Plain => plain,
        Packing::Zlib => {
            let mut out = plain[..HEADER].to_vec();
            out.extend_from_slice(&miniz_oxide::deflate::compress_to_vec_zlib(&plain[HEADER..], 9));
            out
        }
        Packing::Lzma => {
            let word = |at: usize| u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]);
            let (properties, packed) = pack_lzma(&plain[HEADER..], word(13))?;
            let mut out = plain[..HEADER].to_vec();
            // Writers differ in whether the properties count.
            let counted = (word(8) as usize).checked_sub(file.len() - LZMA_HEADER).filter(|&n| n <= 5);
            out.extend_from_slice(&word_of(packed.len() + counted.unwrap_or(0), "a movie")?.to_le_bytes());
            out.push(properties);
            out.extend_from_slice(&file[13..LZMA_HEADER]);
            out.extend_from_slice(&packed);
            out
        }
    };
    Ok(Edited { bytes, findings: Vec::new() })
}
