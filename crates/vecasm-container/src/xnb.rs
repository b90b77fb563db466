//! Compiled assets of XNA and MonoGame (XNB), of which those with effects have programs.
//!
//! A header, then a body: readers by name, and objects. The body may be packed by LZX (XNA) or LZ4 (MonoGame). The layout is
//! public knowledge from MonoGame and xnb_parse. LZX is read and not written: an edited file is plain, which both run times
//! read, or LZ4 if it was that.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Budget, Container, Format, rules};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::{Diagnostic, Place};

/// What an asset says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asset {
    /// The letter of its platform: `w` Windows, `x` Xbox 360, `d` MonoGame's DesktopGL.
    pub platform: char,
    /// The version of the format: 3 and 4 XNA 3, 5 XNA 4 and MonoGame.
    pub version: u8,
    /// 1 HiDef, 0x40 LZ4, 0x80 LZX.
    pub flags: u8,
    /// How long the file says it is.
    pub length: u32,
    /// How its body is packed.
    pub packing: Packing,
    /// How long the body is, unpacked.
    pub body_bytes: usize,
    /// The readers that its objects need, with their versions.
    pub readers: Vec<(String, i32)>,
    /// How many objects are shared.
    pub shared: u32,
    /// The reader of the first object, from 1; 0 for none.
    pub root: u32,
    /// The place of the effect in the body, if the first object is one. The word before is its length.
    pub effect: Option<Range<usize>>,
}

impl Asset {
    /// What the first object is, by its reader: `Texture2D`.
    pub fn content(&self) -> Option<&str> {
        let (reader, _) = self.readers.get((self.root as usize).checked_sub(1)?)?;
        let class = reader.split(',').next()?.trim();
        let class = class.rsplit('.').next()?;
        Some(class.strip_suffix("Reader").unwrap_or(class))
    }
}

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// LZ4, one block.
    Lz4,
    /// LZX, in chunks.
    Lzx,
}

impl Packing {
    /// Every one.
    pub const ALL: &'static [Self] = &[Self::Plain, Self::Lz4, Self::Lzx];

    /// The word for it: `plain`, `lz4` or `lzx`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Lz4 => "lz4",
            Self::Lzx => "lzx",
        }
    }
}

vecasm_ir::spelled!(Packing, "packing");

/// Letters of platforms that XNA and MonoGame have.
const PLATFORMS: &str = "wxmiadXnrP5ObVGsWMpvlgS";

const XBOX_360: char = 'x';

const LZ4: u8 = 0x40;
const LZX: u8 = 0x80;
/// The most that a chunk of LZX gives.
const CHUNK: usize = 0x8000;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits);
    let mut findings = Vec::new();
    from.take(3, "the header")?;
    let platform = char::from(from.u8("the platform")?);
    let version = from.u8("the version")?;
    let flags = from.u8("the flags")?;
    let length = from.u32("the length")?;
    // Numbers of the Xbox 360 may have their high byte first: the length of the whole file tells.
    let is_swapped = platform == XBOX_360 && length as usize > bytes.len();
    let order = if is_swapped { u32::swap_bytes } else { |number| number };
    let length = order(length);
    if !PLATFORMS.contains(platform) {
        let message = format!("the platform is `{platform}`, whose meaning is unknown");
        findings.push(rules::UNKNOWN.finding(message).at(at(3)));
    }
    if !(1..=5).contains(&version) {
        return Err(wrong(4, "the version", version));
    }
    if length as usize > bytes.len() {
        let message = format!("the header says the file has {length} bytes, and there are {}", bytes.len());
        return Err(rules::SHORT.finding(message).at(at(6)));
    }
    if (length as usize) < bytes.len() {
        let message = format!("the header says the file has {length} bytes, and there are {}", bytes.len());
        findings.push(rules::SIZE.finding(message).at(at(6)));
    }
    let packing = match flags & (LZ4 | LZX) {
        0 => Packing::Plain,
        LZ4 => Packing::Lz4,
        LZX => Packing::Lzx,
        _ => return Err(wrong(5, "the flags", flags)),
    };
    let mut unpacked = Vec::new();
    let body = match packing {
        Packing::Plain => from.pos()..bytes.len(),
        _ => {
            let size = order(from.u32("the size of the body")?) as usize;
            budget.take_unpacked(from.left(), size)?;
            unpacked.push(match packing {
                Packing::Lz4 => unpack_lz4(&bytes[from.pos()..], size, from.pos())?,
                _ => unpack_lzx(from, size)?,
            });
            0..size
        }
    };
    let content = match unpacked.first() {
        Some(unpacked) => &unpacked[..],
        None => &bytes[body.clone()],
    };
    let (readers, shared, root, effect, head) =
        objects(content, order, budget).map_err(|finding| match (packing, finding.place) {
            (Packing::Plain, Place::Binary { offset, .. }) => finding.at(at(body.start + offset as usize)),
            // A place in the unpacked body is none in the file.
            (_, Place::Binary { offset, .. }) => {
                let message = format!("at {offset} of the unpacked body: {}", finding.message);
                Diagnostic { message, ..finding }.at(Place::Whole)
            }
            _ => finding,
        })?;
    let asset = Asset {
        platform,
        version,
        flags,
        length,
        packing,
        body_bytes: content.len(),
        readers,
        shared,
        root,
        effect,
    };
    let part = |range: &Range<usize>| match packing {
        Packing::Plain => Part::File(body.start + range.start..body.start + range.end),
        _ => Part::Unpacked { buffer: 0, range: range.clone() },
    };
    let mut entries = Vec::new();
    match &asset.effect {
        Some(range) if platform == XBOX_360 => {
            entries.push(Entry::new("effect", Kind::Foreign("code of the Xbox 360".into()), part(range)));
        }
        Some(range) => entries.push(Entry::new("effect", kind_of(&content[range.clone()]), part(range))),
        None => {
            for (n, range) in scanned(content, head, budget).iter().enumerate() {
                entries.push(Entry::new(format!("scan{n}"), kind_of(&content[range.clone()]), part(range)));
            }
        }
    }
    Ok(Parsed { entries, unpacked, detail: Detail::Xnb(Box::new(asset)), findings })
}

/// What the bytes of an effect are.
fn kind_of(bytes: &[u8]) -> Kind {
    match Format::of(bytes) {
        Some(format) => Kind::Container(format),
        None => Kind::Foreign("an effect of another kind".into()),
    }
}

type Objects = (Vec<(String, i32)>, u32, u32, Option<Range<usize>>, usize);

/// The readers, how many objects are shared, the reader of the first object, its place if it is an effect, and where the objects
/// begin.
fn objects(body: &[u8], order: fn(u32) -> u32, budget: &Budget) -> Result<Objects> {
    let mut from = Cursor::new(body, budget.limits);
    let count = from.varint("the number of readers")?;
    let mut readers = Vec::new();
    for _ in 0..from.count(count, 5, "readers")? {
        let n = from.varint("the name of a reader")? as usize;
        let n = from.name_length(n)?;
        let name = String::from_utf8_lossy(from.take(n, "the name of a reader")?).into_owned();
        readers.push((name, order(from.u32("the version of a reader")?) as i32));
    }
    let shared = from.varint("the number of shared objects")?;
    let place = from.pos();
    let root = from.varint("the first object")?;
    if root as usize > readers.len() {
        return Err(wrong(place, "the reader of the first object", root));
    }
    let is_effect = |(name, _): &(String, i32)| {
        name.split(',').next().is_some_and(|name| name.trim().ends_with(".EffectReader"))
    };
    let head = from.pos();
    let effect = match (root as usize).checked_sub(1).and_then(|n| readers.get(n)) {
        Some(reader) if is_effect(reader) => {
            let n = order(from.u32("the size of the effect")?) as usize;
            Some(from.range(n, "the effect")?)
        }
        _ => None,
    };
    Ok((readers, shared, root, effect, head))
}

/// Effects in a body whose objects, from `head` on, are of other kinds: signatures behind a size that fits.
fn scanned(body: &[u8], head: usize, budget: &Budget) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut at = head + 4;
    while let Some(bytes) = body.get(at..at + 4) {
        let is = matches!(bytes, [0xCF, 0x0B, 0xF0, 0xBC] | [0x01, 0x09, 0xFF, 0xFE] | b"MGFX");
        let size = body.get(at - 4..at).and_then(|size| size.try_into().ok()).map_or(0, u32::from_le_bytes);
        if is && size >= 16 && body.len() - at >= size as usize && out.len() < budget.limits.elements {
            out.push(at..at + size as usize);
            at += size as usize;
        } else {
            at += 1;
        }
    }
    out
}

fn unpack_lz4(packed: &[u8], size: usize, place: usize) -> Result<Vec<u8>> {
    let fail = |why: &dyn core::fmt::Display| {
        rules::CODEC.finding(format!("the body cannot be unpacked: {why}")).at(at(place))
    };
    let mut out = alloc::vec![0; size];
    match lz4_flex::block::decompress_into(packed, &mut out) {
        Ok(n) if n == size => Ok(out),
        Ok(n) => Err(fail(&format_args!("{n} bytes came out, not {size}"))),
        Err(why) => Err(fail(&why)),
    }
}

fn unpack_lzx(mut from: Cursor<'_>, size: usize) -> Result<Vec<u8>> {
    let place = from.pos();
    let fail = |place: usize, why: &dyn core::fmt::Display| {
        rules::CODEC.finding(format!("the body cannot be unpacked: {why}")).at(at(place))
    };
    let mut lzx = lzxd::Lzxd::new(lzxd::WindowSize::KB64);
    let mut out = Vec::with_capacity(size);
    while from.left() > 1 && out.len() < size {
        let here = from.pos();
        let mut unpacked = CHUNK;
        let word = |from: &mut Cursor<'_>| from.u16("a chunk").map(|n| usize::from(n.swap_bytes()));
        if from.peek(1) == Some(&[0xFF]) {
            from.u8("a chunk")?;
            unpacked = word(&mut from)?;
        }
        let packed = word(&mut from)?;
        if packed == 0 || unpacked == 0 {
            break;
        }
        let chunk = from.take(packed, "a chunk")?;
        // What may come out is known, so that no chunk gives more than the header said.
        let piece =
            lzx.decompress_next(chunk, unpacked.min(size - out.len())).map_err(|why| fail(here, &why))?;
        out.extend_from_slice(piece);
    }
    match out.len() == size {
        true => Ok(out),
        false => Err(fail(place, &format_args!("{} bytes came out, not {size}", out.len()))),
    }
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Xnb(asset) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    if asset.platform == XBOX_360 && !edits.is_empty() {
        let message = "assets of the Xbox 360 are not written";
        return Err(rules::READ_ONLY
            .finding(message)
            .with_help("the order of their numbers is not known for sure"));
    }
    // The body without its frame, and where entries lie in it.
    let start = if asset.packing == Packing::Plain { 10 } else { 14 };
    let (body, shift) = match asset.packing {
        Packing::Plain => (&file[start..], start),
        _ => (container.unpacked(0), 0),
    };
    let mut patches = Vec::new();
    for (&n, bytes) in edits {
        let range = container.entries()[n].part.range();
        let range = range.start - shift..range.end - shift;
        patches.push(Patch::word(range.start - 4, word_of(bytes.len(), "an effect")?));
        patches.push(Patch { range, bytes: bytes.to_vec() });
    }
    let body = patched(body, patches);
    let mut out = file[..10].to_vec();
    match asset.packing {
        Packing::Lz4 => {
            out.extend_from_slice(&word_of(body.len(), "a body")?.to_le_bytes());
            out.extend_from_slice(&lz4_flex::block::compress(&body));
        }
        _ => {
            out[5] &= !(LZ4 | LZX);
            out.extend_from_slice(&body);
        }
    }
    // What follows the asset in the file still does.
    let behind = match asset.packing {
        Packing::Plain => file.len() - (asset.length as usize).min(file.len()),
        _ => 0,
    };
    let length = word_of(out.len().saturating_sub(behind), "an asset")?;
    out[6..10].copy_from_slice(&length.to_le_bytes());
    Ok(Edited { bytes: out, findings: Vec::new() })
}
