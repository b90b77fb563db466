//! A container: its entries, their bytes, and other bytes in their place.

use crate::comments::has_table;
use crate::cursor::{Result, at};
use crate::limits::exceeded;
use crate::{Budget, Format, Limits, codec, rules};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::Stage;
use vecasm_isa::Isa;

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A program, as bytes.
    Stream(Isa),
    /// An expression of an effect, as tokens of Direct3D 9.
    Expression,
    /// A choice out of an array of programs: the name of the array and the expression of the number.
    Selector,
    /// The name of what is used instead.
    Reference,
    /// A file whose content has to tell what it is.
    File,
    /// Another container.
    Container(Format),
    /// Code of another kind, or data: what it is.
    Foreign(Cow<'static, str>),
}

impl Kind {
    /// The word for it: `stream`, `expression`, `selector`, `reference`, `file`, `container` or `foreign`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Stream(_) => "stream",
            Self::Expression => "expression",
            Self::Selector => "selector",
            Self::Reference => "reference",
            Self::File => "file",
            Self::Container(_) => "container",
            Self::Foreign(_) => "foreign",
        }
    }

    /// What it is, for sentences: `an expression`.
    pub const fn title(&self) -> &'static str {
        match self {
            Self::Stream(_) => "a program",
            Self::Expression => "an expression",
            Self::Selector => "a choice out of an array of programs",
            Self::Reference => "the name of something else",
            Self::File => "a file without a program",
            Self::Container(format) => format.title(),
            Self::Foreign(_) => "data",
        }
    }

    /// What a file is, by its first bytes, its size, and the ending of its name. Where a program may be, all of its content tells.
    #[cfg(any(feature = "pe", feature = "swf", feature = "zip"))]
    pub(crate) fn of_file(start: &[u8], size: u64, name: Option<&str>) -> Self {
        if let Some(format) = Format::of_start(start, size) {
            return Self::Container(format);
        }
        if vecasm_isa::d3d9::bytes::looks_like(start) {
            return Self::Stream(Isa::D3d9);
        }
        let ending = name.and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
        if vecasm_isa::may_begin(start, size) || ending.and_then(Isa::of_ending).is_some() {
            return Self::File;
        }
        Self::Foreign("data".into())
    }
}

/// Where the bytes of an entry are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// In the file.
    File(Range<usize>),
    /// In what was unpacked while the file was read.
    Unpacked {
        /// Which part of it.
        buffer: usize,
        /// Where in that.
        range: Range<usize>,
    },
    /// In the file, in a form that cannot be unpacked: encrypted, or packed in a way that is not read. Its bytes are those of the file.
    Sealed(Range<usize>),
    /// In the file, packed: unpacked when it is asked for.
    Packed {
        /// Where in the file.
        range: Range<usize>,
        /// How many bytes come out.
        size: usize,
        /// How.
        codec: Codec,
    },
}

/// How bytes are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// As in zip archives.
    Deflate,
}

impl Part {
    /// Where they are, in the file or in the unpacked part.
    pub const fn range(&self) -> &Range<usize> {
        match self {
            Self::File(range)
            | Self::Sealed(range)
            | Self::Unpacked { range, .. }
            | Self::Packed { range, .. } => range,
        }
    }

    /// How many they are.
    pub fn size(&self) -> usize {
        match self {
            Self::Packed { size, .. } => *size,
            _ => self.range().len(),
        }
    }
}

/// One thing in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its address, by numbers: `technique0/pass1/ps`.
    pub address: String,
    /// Its addresses by names: `Blur/P1/ps`. Names have their special characters [encoded](crate::Address).
    pub aliases: Vec<String>,
    /// What it is.
    pub kind: Kind,
    /// Where its bytes are.
    pub part: Part,
    /// The stage of a program, where the container or the program says it.
    pub stage: Option<Stage>,
    /// The version word of a program of Direct3D 9.
    pub version: Option<u32>,
}

impl Entry {
    /// An entry without names.
    pub(crate) fn new(address: impl Into<String>, kind: Kind, part: Part) -> Self {
        Self { address: address.into(), aliases: Vec::new(), kind, part, stage: None, version: None }
    }

    /// A program of Direct3D 9 in these bytes.
    pub(crate) fn of_tokens(address: impl Into<String>, part: Part, bytes: &[u8]) -> Self {
        let version = bytes.get(..4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
        let stage = match version.map(|version| version >> 16) {
            Some(0xFFFE) => Some(Stage::Vertex),
            Some(0xFFFF) => Some(Stage::Fragment),
            _ => None,
        };
        Self { stage, version, ..Self::new(address, Kind::Stream(Isa::D3d9), part) }
    }

    /// With an address by names, unless one of them is missing.
    pub(crate) fn with_alias(mut self, alias: impl Into<Option<String>>) -> Self {
        self.aliases.extend(alias.into().filter(|alias| !self.aliases.contains(alias)));
        self
    }

    /// The name that it has as a file, if it has one: with an ending, which tells a reader what it is.
    pub fn file_name(&self) -> Option<&str> {
        let mut names = self.aliases.iter().chain([&self.address]);
        names.find(|name| name.contains('.')).map(String::as_str)
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.part.size()
    }

    /// Whether it is a program.
    pub const fn is_program(&self) -> bool {
        matches!(self.kind, Kind::Stream(_))
    }
}

/// What a container says beside its entries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Detail {
    /// See [`fx2::Effect`](crate::fx2::Effect).
    #[cfg(feature = "fx2")]
    Fx2(Box<crate::fx2::Effect>),
    /// See [`xnb::Asset`](crate::xnb::Asset).
    #[cfg(feature = "xnb")]
    Xnb(Box<crate::xnb::Asset>),
    /// See [`mgfx::Effect`](crate::mgfx::Effect).
    #[cfg(feature = "mgfx")]
    Mgfx(Box<crate::mgfx::Effect>),
    /// See [`dxbc::Blob`](crate::dxbc::Blob).
    #[cfg(feature = "dxbc")]
    Dxbc(Box<crate::dxbc::Blob>),
    /// See [`zip::Archive`](crate::zip::Archive).
    #[cfg(feature = "zip")]
    Zip(Box<crate::zip::Archive>),
    /// See [`swf::Movie`](crate::swf::Movie).
    #[cfg(feature = "swf")]
    Swf(Box<crate::swf::Movie>),
    /// See [`virgl::Commands`](crate::virgl::Commands).
    #[cfg(feature = "virgl")]
    Virgl(Box<crate::virgl::Commands>),
    /// See [`sdp::Package`](crate::sdp::Package).
    #[cfg(feature = "sdp")]
    Sdp(crate::sdp::Package),
    /// See [`vcs::Combos`](crate::vcs::Combos).
    #[cfg(feature = "vcs")]
    Vcs(Box<crate::vcs::Combos>),
    /// See [`xbe::Image`](crate::xbe::Image).
    #[cfg(feature = "xbe")]
    Xbe(Box<crate::xbe::Image>),
    /// See [`pe::Image`](crate::pe::Image).
    #[cfg(feature = "pe")]
    Pe(Box<crate::pe::Image>),
    /// See [`rgxa::Effect`](crate::rgxa::Effect).
    #[cfg(feature = "rgxa")]
    Rgxa(Box<crate::rgxa::Effect>),
}

/// What reading a format gives.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) entries: Vec<Entry>,
    pub(crate) unpacked: Vec<Vec<u8>>,
    pub(crate) detail: Detail,
    pub(crate) findings: Vec<Diagnostic>,
}

impl Parsed {
    /// Entries in the file itself.
    pub(crate) const fn new(entries: Vec<Entry>, detail: Detail, findings: Vec<Diagnostic>) -> Self {
        Self { entries, unpacked: Vec::new(), detail, findings }
    }
}

/// New bytes of entries, by number.
pub(crate) type Edits<'e> = BTreeMap<usize, &'e [u8]>;

/// An edited file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edited {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Warnings.
    pub findings: Vec<Diagnostic>,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    format: Format,
    file: Cow<'a, [u8]>,
    unpacked: Vec<Vec<u8>>,
    entries: Vec<Entry>,
    detail: Detail,
    findings: Vec<Diagnostic>,
    /// How many containers it is in.
    depth: usize,
    limits: Limits,
}

impl<'a> Container<'a> {
    /// Reads a file of the format that its content tells.
    ///
    /// # Errors
    ///
    /// [`FORMAT`](rules::FORMAT) if it is of none; else what is wrong with it, at the byte where that shows.
    pub fn read(file: impl Into<Cow<'a, [u8]>>, budget: &mut Budget) -> Result<Self> {
        Self::read_in(file.into(), budget, 0)
    }

    fn read_in(file: Cow<'a, [u8]>, budget: &mut Budget, depth: usize) -> Result<Self> {
        if depth >= budget.limits.depth {
            return Err(exceeded("a container in too many others", "depth", budget.limits.depth, "deep"));
        }
        if file.len() > budget.limits.file {
            return Err(exceeded(
                &format!("a file of {} bytes", file.len()),
                "file",
                budget.limits.file,
                "bytes",
            ));
        }
        let Some(format) = Format::of(&file) else {
            return Err(rules::FORMAT.finding("this is no container that vecasm reads"));
        };
        let Some(read) = format.reader() else {
            let message = format!("{}, which this build does not read", format.title());
            return Err(rules::FORMAT.finding(message));
        };
        let Parsed { entries, unpacked, detail, findings } = read(&file, budget).map_err(|finding| {
            let message = format!("this is {}: {}", format.title(), finding.message);
            Diagnostic { message, ..finding }
        })?;
        for _ in &entries {
            budget.take_entry()?;
        }
        Ok(Self { format, file, unpacked, entries, detail, findings, depth, limits: budget.limits })
    }

    /// Its format.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// All bytes of the file.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// What is in it, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What else it says.
    pub const fn detail(&self) -> &Detail {
        &self.detail
    }

    /// Warnings about the file.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// The limits that it was read with.
    #[cfg(feature = "vcs")]
    pub(crate) const fn limits(&self) -> Limits {
        self.limits
    }

    /// The part of a file that was unpacked while reading.
    pub(crate) fn unpacked(&self, buffer: usize) -> &[u8] {
        self.unpacked.get(buffer).map_or(&[], |bytes| bytes)
    }

    /// The bytes of an entry.
    ///
    /// # Errors
    ///
    /// [`CODEC`](rules::CODEC) if they cannot be unpacked, [`LIMIT`](rules::LIMIT) if they are too many.
    pub fn bytes(&self, entry: &Entry, budget: &mut Budget) -> Result<Cow<'_, [u8]>> {
        let (from, range) = match &entry.part {
            Part::File(range) | Part::Sealed(range) => (&*self.file, range),
            Part::Unpacked { buffer, range } => (self.unpacked(*buffer), range),
            Part::Packed { range, size, codec } => {
                budget.take_unpacked(range.len(), *size)?;
                let packed = self.file.get(range.clone()).unwrap_or_default();
                let unpacked = codec::unpack(*codec, packed, *size);
                return unpacked.map(Cow::Owned).map_err(|why| {
                    let message = format!("{} cannot be unpacked: {why}", entry.address);
                    rules::CODEC.finding(message).at(at(range.start))
                });
            }
        };
        Ok(Cow::Borrowed(from.get(range.clone()).unwrap_or_default()))
    }

    /// Why nobody can tell whether a [foreign](Kind::Foreign) entry holds a program: it is encrypted, packed in a way that is not
    /// read, or unpacks to more than the limits allow. Nothing is unpacked for it.
    pub(crate) fn unread(&self, entry: &Entry) -> Option<Diagnostic> {
        let Kind::Foreign(what) = &entry.kind else { return None };
        match &entry.part {
            Part::Packed { range, size, .. } => {
                Budget::new(self.limits).take_unpacked(range.len(), *size).err()
            }
            Part::Sealed(range) => {
                Some(rules::UNREADABLE.finding(format!("{what} is not read")).at(at(range.start)))
            }
            Part::File(_) | Part::Unpacked { .. } => None,
        }
    }

    /// The entry of that address, by numbers or by names. See [`find`](crate::find) for addresses that lead on into it.
    ///
    /// # Errors
    ///
    /// [`ADDRESS`](rules::ADDRESS) if there is none, [`AMBIGUOUS`](rules::AMBIGUOUS) if several have the name.
    pub fn entry(&self, address: &str) -> Result<usize> {
        if let Some(n) = self.entries.iter().position(|entry| entry.address == address) {
            return Ok(n);
        }
        // Capitals count where they tell entries apart.
        let exact = |entry: &Entry| entry.aliases.iter().any(|name| name == address);
        let mut same = self.entries.iter().enumerate().filter(|(_, entry)| exact(entry));
        if let (Some((n, _)), None) = (same.next(), same.next()) {
            return Ok(n);
        }
        let fits = |name: &String| name.eq_ignore_ascii_case(address);
        let has = |entry: &Entry| fits(&entry.address) || entry.aliases.iter().any(fits);
        let mut found = self.entries.iter().enumerate().filter(|(_, entry)| has(entry));
        match (found.next(), found.next()) {
            (Some((n, _)), None) => Ok(n),
            (Some((_, first)), Some((_, second))) => {
                let message = format!("{address} names {} and {}", first.address, second.address);
                Err(rules::AMBIGUOUS.finding(message).with_help("tell them apart by those addresses"))
            }
            (None, _) => {
                // As somebody may type it: folders with backslashes, characters by their numbers where that is not needed.
                let plain = crate::Address::plain(address);
                if plain != address {
                    return self.entry(&plain);
                }
                let names = self.entries.iter().flat_map(|entry| {
                    core::iter::once(&*entry.address).chain(entry.aliases.iter().map(String::as_str))
                });
                let near = vecasm_ir::diag::near::nearest(address, names);
                let error = rules::ADDRESS.finding(format!("there is no entry {address}"));
                Err(match near {
                    Some(near) => error.with_help(format!("did you mean {near}?")),
                    None => error.with_help("`vecasm info FILE` lists the entries"),
                })
            }
        }
    }

    /// The programs that an entry, which has these bytes, can choose: the elements of the array that a [selector](Kind::Selector)
    /// names, the program that a [reference](Kind::Reference) names. Other entries choose none.
    pub fn candidates(&self, entry: &Entry, bytes: &[u8]) -> Vec<&Entry> {
        #[cfg(feature = "fx2")]
        let name = match entry.kind {
            Kind::Selector => crate::fx2::selector(bytes).map(|(name, _)| name),
            Kind::Reference => crate::fx2::reference(bytes),
            _ => None,
        };
        #[cfg(not(feature = "fx2"))]
        let name: Option<&str> = core::str::from_utf8(bytes).ok().filter(|_| entry.is_program());
        let Some(name) = name.filter(|name| !name.is_empty()) else { return Vec::new() };
        let name = crate::Address::encode(name);
        // An array is named without its elements.
        let is_meant = |alias: &String| {
            alias.strip_prefix(&*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let programs = self.entries.iter().filter(|entry| entry.is_program());
        programs.filter(|entry| entry.aliases.iter().any(is_meant)).collect()
    }

    /// Reads the container that an entry is.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn open(&self, entry: &Entry, budget: &mut Budget) -> Result<Container<'_>> {
        self.open_bytes(self.bytes(entry, budget)?, budget)
    }

    /// Reads the container that the bytes of an entry are.
    pub(crate) fn open_bytes<'b>(&self, bytes: Cow<'b, [u8]>, budget: &mut Budget) -> Result<Container<'b>> {
        Container::read_in(bytes, budget, self.depth + 1)
    }

    /// The file with other bytes in the place of entries. All that need not change stays; without edits the bytes are the same.
    ///
    /// # Errors
    ///
    /// [`READ_ONLY`](rules::READ_ONLY) for formats that are not written, [`FIT`](rules::FIT) for bytes that have no room.
    pub fn replace(&self, edits: &[(usize, &[u8])]) -> Result<Edited> {
        let mut changed = Edits::new();
        for &(n, bytes) in edits {
            let Some(entry) = self.entries.get(n) else {
                return Err(rules::ADDRESS.finding(format!("there is no entry {n}")));
            };
            if *self.bytes(entry, &mut Budget::new(self.limits))? != *bytes {
                changed.insert(n, bytes);
            }
        }
        if changed.is_empty() {
            return Ok(Edited { bytes: self.file.to_vec(), findings: Vec::new() });
        }
        let Some(write) = self.format.writer() else {
            let message = format!("{} cannot be written", self.format.title());
            return Err(rules::READ_ONLY.finding(message));
        };
        let mut edited = write(self, &changed)?;
        for (&n, bytes) in &changed {
            let entry = &self.entries[n];
            let had = || self.bytes(entry, &mut Budget::new(self.limits)).is_ok_and(|old| has_table(&old));
            if entry.kind == Kind::Stream(Isa::D3d9) && !has_table(bytes) && had() {
                let message =
                    format!("{} had a table of constants, and what replaces it has none", entry.address);
                let help = "programs find constants by their names in that table";
                edited.findings.push(rules::TABLE_LOST.finding(message).with_help(help));
            }
        }
        Ok(edited)
    }
}

/// Gives entries their names as addresses, where a name is there and is that of no other; the number, as `#3`, stays an alias.
pub(crate) fn name_entries(entries: &mut [Entry]) {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &*entries {
        for name in &entry.aliases {
            *names.entry(name.to_ascii_lowercase()).or_default() += 1;
        }
    }
    for entry in entries {
        if let Some(name) = entry.aliases.first_mut().filter(|name| !name.is_empty()) {
            if names.get(&name.to_ascii_lowercase()) == Some(&1) {
                core::mem::swap(name, &mut entry.address);
            }
        }
    }
}

/// Bytes in the place of others.
#[derive(Debug)]
pub(crate) struct Patch {
    pub(crate) range: Range<usize>,
    pub(crate) bytes: Vec<u8>,
}

impl Patch {
    /// A number in the place of another.
    pub(crate) fn word(offset: usize, value: u32) -> Self {
        Self { range: offset..offset + 4, bytes: value.to_le_bytes().to_vec() }
    }
}

/// The bytes with patches, which do not overlap.
pub(crate) fn patched(bytes: &[u8], mut patches: Vec<Patch>) -> Vec<u8> {
    patches.sort_by_key(|patch| patch.range.start);
    let grown: usize = patches.iter().map(|patch| patch.bytes.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + grown);
    let mut from = 0;
    for patch in &patches {
        out.extend_from_slice(bytes.get(from..patch.range.start).unwrap_or_default());
        out.extend_from_slice(&patch.bytes);
        from = patch.range.end;
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out
}

/// A length as the word that a format has for it.
pub(crate) fn word_of(len: usize, what: &str) -> Result<u32> {
    u32::try_from(len).map_err(|_| {
        rules::FIT.finding(format!("{len} bytes do not fit {what}: 4 GiB are the most")).at(at(0))
    })
}

/// A finding of a nested file, said with the address of that.
pub(crate) fn inside(mut finding: Diagnostic, address: &str) -> Diagnostic {
    finding.message = format!("{address}: {}", finding.message);
    finding
}
