//! Programs of the Xbox: files built here from the public description, read and written.
#![cfg(feature = "xbe")]
#![allow(clippy::unwrap_used, reason = "tests")]

use vecasm_container::{Budget, Container, Detail, Edited, Format, Kind, Limits, rules};
use vecasm_ir::diag::Diagnostic;
use vecasm_isa::Isa;

/// `mov oPos, v0`: operation 1 of the vector unit, source A the attribute, all lanes of output 0.
const MOVE: [u32; 4] = [0, 0x0020_001B, 0x0836_106C, 0x2070_F800];
/// The same to output 3, oD0.
const COLOUR: [u32; 4] = [0, 0x0020_001B, 0x0836_106C, 0x2070_F818];

fn slots(slots: &[[u32; 4]]) -> Vec<u8> {
    let mut words = slots.concat();
    *words.last_mut().unwrap() |= 1;
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

struct Section {
    name: &'static str,
    flags: u32,
    content: Vec<u8>,
    digest: [u8; 20],
}

const BASE: u32 = 0x1_0000;
/// Where the headers of sections begin, and the content of sections.
const HEADERS: usize = 0x200;
const CONTENT: usize = 0x400;

fn put(out: &mut [u8], at: usize, words: &[u32]) {
    for (n, word) in words.iter().enumerate() {
        out[at + n * 4..at + n * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
}

fn file(sections: &[Section]) -> Vec<u8> {
    let mut out = vec![0; CONTENT];
    out[..4].copy_from_slice(b"XBEH");
    put(&mut out, 0x104, &[BASE]);
    put(&mut out, 0x118, &[BASE + 0x180, sections.len() as u32, BASE + HEADERS as u32]);
    for (n, c) in "tea".chars().enumerate() {
        out[0x18C + n * 2] = c as u8;
    }
    for (n, section) in sections.iter().enumerate() {
        let name = 0x300 + n * 16;
        out[name..name + section.name.len()].copy_from_slice(section.name.as_bytes());
        let at = HEADERS + n * 56;
        let start = out.len() as u32;
        let size = section.content.len() as u32;
        put(&mut out, at, &[section.flags, 0x2_0000, size, start, size, BASE + name as u32]);
        out[at + 36..at + 56].copy_from_slice(&section.digest);
        out.extend(&section.content);
    }
    out
}

fn data(content: Vec<u8>) -> Section {
    Section { name: ".rdata", flags: 3, content, digest: [0; 20] }
}

fn code(content: Vec<u8>) -> Section {
    Section { name: ".text", flags: 6, content, digest: [0; 20] }
}

/// Bytes that are no slots.
fn noise(n: usize) -> Vec<u8> {
    vec![0xA5; n]
}

fn read(bytes: &[u8]) -> Result<Container<'_>, Diagnostic> {
    Container::read(bytes, &mut Budget::new(Limits::DEFAULT))
}

fn replace(bytes: &[u8], address: &str, with: &[u8]) -> Result<Edited, Diagnostic> {
    let container = read(bytes)?;
    container.replace(&[(container.entry(address).unwrap(), with)])
}

fn found(bytes: &[u8]) -> Vec<(String, usize)> {
    read(bytes).unwrap().entries().iter().map(|entry| (entry.address.clone(), entry.size())).collect()
}

#[test]
fn programs_among_data_are_found() {
    let program = slots(&[COLOUR, MOVE, MOVE]);
    let content = [noise(20), program.clone(), noise(12), vec![0; 64], program.clone()].concat();
    let bytes = file(&[data(content), code(slots(&[MOVE, MOVE]))]);
    assert_eq!(Format::of(&bytes), Some(Format::Xbe));
    assert_eq!(found(&bytes), [(".rdata+0x14".into(), 48), (".rdata+0x90".into(), 48)]);
    let container = read(&bytes).unwrap();
    assert!(container.findings().is_empty());
    let entry = &container.entries()[1];
    assert_eq!(entry.kind, Kind::Stream(Isa::Nv2a));
    assert_eq!(container.entry("section0+0x90").unwrap(), 1);
    assert_eq!(container.bytes(entry, &mut Budget::new(Limits::DEFAULT)).unwrap(), program);
    let Detail::Xbe(image) = container.detail() else { panic!("{:?}", container.detail()) };
    assert_eq!((image.base, &*image.title), (BASE, "tea"));
    assert_eq!(image.sections.iter().map(|section| &*section.name).collect::<Vec<_>>(), [".rdata", ".text"]);
    assert_eq!((image.candidates[0].slots, image.candidates[0].writes_position), (3, true));
}

/// The header of the XDK is part of the program, which may then have one slot.
#[test]
fn a_header_belongs_to_its_program() {
    let header = |version: u16, count: u16| [version.to_le_bytes(), count.to_le_bytes()].concat();
    let content = [
        noise(16),
        header(0x2078, 2),
        slots(&[COLOUR, MOVE]),
        noise(16),
        header(0x7378, 1),
        slots(&[COLOUR]),
        // A count that leads beyond the end leaves two slots.
        header(0x7778, 3),
        slots(&[COLOUR, MOVE]),
    ]
    .concat();
    let bytes = file(&[data(content)]);
    assert_eq!(
        found(&bytes),
        [(".rdata+0x10".into(), 36), (".rdata+0x44".into(), 20), (".rdata+0x5C".into(), 32)]
    );
}

#[test]
fn code_is_searched_last_and_only_for_the_position() {
    let content = [noise(16), slots(&[MOVE, COLOUR]), noise(4), slots(&[COLOUR, COLOUR])].concat();
    assert_eq!(found(&file(&[data(noise(64)), code(content.clone())])), [(".text+0x10".into(), 32)]);
    assert_eq!(found(&file(&[data(slots(&[COLOUR, COLOUR])), code(content)])), [(".rdata+0x0".into(), 32)]);
}

#[test]
fn a_program_is_replaced_by_one_of_the_same_size() {
    let (old, new) = (slots(&[COLOUR, MOVE]), slots(&[MOVE, COLOUR]));
    let bytes = file(&[data([noise(20), old.clone()].concat())]);
    assert_eq!(replace(&bytes, ".rdata+0x14", &old).unwrap().bytes, bytes);
    let edited = replace(&bytes, ".rdata+0x14", &new).unwrap();
    assert_eq!(edited.bytes, file(&[data([noise(20), new.clone()].concat())]));
    assert!(edited.findings.is_empty());
    for with in [slots(&[MOVE]), slots(&[MOVE, MOVE, MOVE])] {
        assert_eq!(replace(&bytes, ".rdata+0x14", &with).unwrap_err().id, rules::FIT.id);
    }
}

// The digests of the sections of the next test, by Python: `hashlib.sha1(struct.pack("<I", len(section)) + section)`.
const OLD: [u8; 20] = [
    0x64, 0xA4, 0xA8, 0x8F, 0x29, 0xBF, 0xBB, 0x2B, 0x6D, 0xAE, 0xE0, 0xA1, 0x04, 0x40, 0x5E, 0x1B, 0x24,
    0x69, 0xC7, 0x86,
];
const NEW: [u8; 20] = [
    0x02, 0xCA, 0xEF, 0x88, 0xD6, 0xBE, 0x8F, 0xF4, 0x2A, 0x2D, 0xAD, 0xAF, 0x09, 0xB1, 0x01, 0xE3, 0x6D,
    0x5C, 0xA0, 0x05,
];

#[test]
fn a_digest_follows() {
    let section = |slots: Vec<u8>, digest| Section { digest, ..data([noise(20), slots].concat()) };
    let (old, new) = (slots(&[COLOUR, MOVE]), slots(&[MOVE, COLOUR]));
    let bytes = file(&[section(old.clone(), OLD)]);
    assert!(read(&bytes).unwrap().findings().is_empty());
    let edited = replace(&bytes, ".rdata+0x14", &new).unwrap();
    assert_eq!(edited.bytes, file(&[section(new, NEW)]));
    assert_eq!(edited.findings[0].id, rules::SIGNATURE.id);

    let bytes = file(&[section(old, NEW)]);
    assert_eq!(read(&bytes).unwrap().findings()[0].id, rules::CHECKSUM.id);
}

#[test]
fn damage_is_refused() {
    let bytes = file(&[data(slots(&[COLOUR, MOVE])), code(slots(&[MOVE, MOVE]))]);
    for end in 4..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        let ids = [rules::SHORT.id, rules::COUNT.id, rules::OFFSET.id];
        assert!(ids.contains(&error.id), "cut at {end}: {error:?}");
    }
    for place in 4..bytes.len() - 3 {
        let mut bad = bytes.clone();
        bad[place..place + 4].fill(0xFF);
        let _ = read(&bad);
    }
    // The number of sections, where their headers are, where the first is and how many bytes it has.
    for (place, id) in [
        (0x11C, rules::COUNT.id),
        (0x120, rules::OFFSET.id),
        (HEADERS + 12, rules::OFFSET.id),
        (HEADERS + 16, rules::SHORT.id),
    ] {
        let mut bad = bytes.clone();
        bad[place..place + 4].fill(0xFF);
        assert_eq!(read(&bad).unwrap_err().id, id, "at {place:#x}");
    }
    // Two sections of the same bytes.
    let mut bad = bytes;
    bad.copy_within(HEADERS + 12..HEADERS + 20, HEADERS + 56 + 12);
    assert_eq!(read(&bad).unwrap_err().id, rules::VALUE.id);
}
