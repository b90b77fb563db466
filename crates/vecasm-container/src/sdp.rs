//! Shader packages of Bethesda's games (SDP): a list of names and programs.
//!
//! Names have 256 bytes; a package has no checksum. The games need the tables of constants of the programs. The layout is
//! public knowledge from the community's readers (UESP, oblivionsdp); what a game takes of two entries of one name is not
//! known, so both are kept.

use crate::container::{Detail, Edited, Edits, Entry, Parsed, Part, Patch, name_entries, patched, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Address, Budget, Container, rules};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What a package says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Package {
    /// The names, one for each entry: `SLS1000.vso`.
    pub names: Vec<String>,
    /// How many bytes follow the header, as the header says.
    pub data_bytes: u32,
}

/// The bytes of the header.
const HEADER: usize = 12;
/// The bytes of a name.
const NAME: usize = 256;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits);
    let kind = from.u32("the header")?;
    if kind != 100 {
        return Err(wrong(0, "the first number", kind));
    }
    let count = from.u32("the header")?;
    let data_bytes = from.u32("the header")?;
    let count = from.count(count, NAME + 4, "entries")?;
    let mut findings = Vec::new();
    if data_bytes as usize != bytes.len() - HEADER {
        let message =
            format!("the header says {data_bytes} bytes follow it, and there are {}", bytes.len() - HEADER);
        findings.push(rules::SIZE.finding(message).at(at(8)));
    }
    let (mut entries, mut names) = (Vec::new(), Vec::new());
    for n in 0..count {
        let name = from.take(NAME, format_args!("the name of entry {n}"))?;
        let name =
            String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned();
        let size = from.size(format_args!("the size of entry {n}"))?;
        let range = from.range(size, format_args!("entry {n}, {name}"))?;
        let entry = Entry::of_tokens(format!("#{n}"), Part::File(range.clone()), &bytes[range]);
        entries.push(entry.with_alias(Address::encode(&name).into_owned()));
        names.push(name);
    }
    name_entries(&mut entries);
    if from.left() > 0 {
        let message = format!("{} bytes follow the last entry", from.left());
        findings.push(rules::TRAILING.finding(message).at(at(from.pos())));
    }
    Ok(Parsed::new(entries, Detail::Sdp(Package { names, data_bytes }), findings))
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let mut patches = Vec::new();
    for (&n, bytes) in edits {
        let range = container.entries()[n].part.range();
        patches.push(Patch::word(range.start - 4, word_of(bytes.len(), "an entry")?));
        patches.push(Patch { range: range.clone(), bytes: bytes.to_vec() });
    }
    let mut bytes = patched(file, patches);
    // A size that was right before stays right; a wrong one is the file's own business.
    if let Detail::Sdp(package) = container.detail() {
        if package.data_bytes as usize == file.len() - HEADER {
            let size = word_of(bytes.len() - HEADER, "a package")?;
            bytes[8..HEADER].copy_from_slice(&size.to_le_bytes());
        }
    }
    Ok(Edited { bytes, findings: Vec::new() })
}
