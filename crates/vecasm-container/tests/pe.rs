//! Programs and libraries of Windows: files built here from the public description, read and written.
#![cfg(feature = "pe")]
#![allow(clippy::unwrap_used, reason = "tests")]

use vecasm_container::pe::Name;
use vecasm_container::{Budget, Container, Detail, Edited, Format, Kind, Limits, rules};
use vecasm_ir::diag::Diagnostic;
use vecasm_isa::Isa;

/// A pixel shader 2.0 of `moves` instructions.
fn program(moves: usize) -> Vec<u8> {
    let mut words = vec![0xFFFF_0200u32];
    for _ in 0..moves {
        words.extend([0x0200_0001, 0x800F_0800, 0xA0E4_0000]);
    }
    words.push(0x0000_FFFF);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Where the header of Windows begins; where sections do, in the file and in memory.
const HEADER: usize = 0x80;
const CONTENT: usize = 0x400;
const ADDRESS: u32 = 0x1000;
const CODE: u32 = 0x6000_0020;
const DATA: u32 = 0x4000_0040;

struct Section {
    name: &'static str,
    flags: u32,
    content: Vec<u8>,
}

fn put(out: &mut [u8], at: usize, words: &[u32]) {
    for (n, word) in words.iter().enumerate() {
        out[at + n * 4..at + n * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// The address of the first byte of section `n`: they are a page apart, and 0x400 bytes in the file.
fn address(n: usize) -> u32 {
    ADDRESS * (n as u32 + 1)
}

/// Where the optional header of 64 or 32 bits has its directories.
fn directories(is_64: bool) -> usize {
    HEADER + 24 + if is_64 { 112 } else { 96 }
}

fn file(is_64: bool, sections: &[Section], directory: &[(usize, u32, u32)]) -> Vec<u8> {
    let mut out = vec![0; CONTENT];
    out[..2].copy_from_slice(b"MZ");
    put(&mut out, 0x3C, &[HEADER as u32]);
    out[HEADER..HEADER + 4].copy_from_slice(b"PE\0\0");
    let (machine, kind) = if is_64 { (0x8664u16, 0x20B) } else { (0x14C, 0x10B) };
    out[HEADER + 4..HEADER + 6].copy_from_slice(&machine.to_le_bytes());
    out[HEADER + 6] = sections.len() as u8;
    let size = directories(is_64) + 16 * 8 - (HEADER + 24);
    out[HEADER + 20] = size as u8;
    put(&mut out, HEADER + 24, &[kind]);
    put(&mut out, directories(is_64) - 4, &[16]);
    for &(n, address, size) in directory {
        put(&mut out, directories(is_64) + n * 8, &[address, size]);
    }
    for (n, section) in sections.iter().enumerate() {
        let at = HEADER + 24 + size + n * 40;
        out[at..at + section.name.len()].copy_from_slice(section.name.as_bytes());
        let (len, start) = (section.content.len() as u32, out.len() as u32);
        put(&mut out, at + 8, &[len, address(n), 0x400, start]);
        put(&mut out, at + 36, &[section.flags]);
        out.extend(&section.content);
        out.resize(start as usize + 0x400, 0);
    }
    out
}

/// Resources of a section at that address: `SHADER/BLUR`, `rcdata/7` in two languages, and a version.
fn resources(address: u32, blur: &[u8], seven: [&[u8]; 2], size: u32) -> Vec<u8> {
    let mut out = vec![0; 0x200];
    let table = |out: &mut Vec<u8>, at: usize, names: u16, entries: &[(u32, u32)]| {
        out[at + 12..at + 14].copy_from_slice(&names.to_le_bytes());
        out[at + 14..at + 16].copy_from_slice(&(entries.len() as u16 - names).to_le_bytes());
        for (n, &(name, to)) in entries.iter().enumerate() {
            put(out, at + 16 + n * 8, &[name, to]);
        }
    };
    let below = |at: u32| at | 1 << 31;
    table(&mut out, 0, 1, &[(below(0x180), below(0x30)), (10, below(0x50)), (16, below(0x70))]);
    table(&mut out, 0x30, 1, &[(below(0x190), below(0x90))]);
    table(&mut out, 0x50, 0, &[(7, below(0xB0))]);
    table(&mut out, 0x70, 0, &[(1, below(0xD0))]);
    table(&mut out, 0x90, 0, &[(1033, 0x100)]);
    table(&mut out, 0xB0, 0, &[(1031, 0x110), (1033, 0x120)]);
    table(&mut out, 0xD0, 0, &[(1033, 0x130)]);
    for (at, name) in [(0x180, "SHADER"), (0x190, "BLUR")] {
        out[at] = name.len() as u8;
        for (n, c) in name.bytes().enumerate() {
            out[at + 2 + n * 2] = c;
        }
    }
    let places = [0x200, 0x280, 0x300, 0x380];
    let sizes = [size, seven[0].len() as u32, seven[1].len() as u32, 8];
    for (n, (place, size)) in places.into_iter().zip(sizes).enumerate() {
        put(&mut out, 0x100 + n * 16, &[address + place, size]);
    }
    out.resize(0x388, 0);
    for (place, bytes) in places.into_iter().zip([blur, seven[0], seven[1]]) {
        out[place as usize..place as usize + bytes.len()].copy_from_slice(bytes);
    }
    out
}

fn with_resources(is_64: bool, blur: &[u8], size: u32, seven: [&[u8]; 2]) -> Vec<u8> {
    let code = Section { name: ".text", flags: CODE, content: vec![0xCC; 64] };
    let content = resources(address(1), blur, seven, size);
    let tree = Section { name: ".rsrc", flags: DATA, content };
    file(is_64, &[code, tree], &[(2, address(1), 0x388)])
}

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(bytes: &[u8]) -> Result<Container<'_>, Diagnostic> {
    Container::read(bytes, &mut budget())
}

fn replace(bytes: &[u8], address: &str, with: &[u8]) -> Result<Edited, Diagnostic> {
    let container = read(bytes)?;
    container.replace(&[(container.entry(address).unwrap(), with)])
}

fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let container = read(bytes).unwrap();
    let all = container.entries().iter();
    all.map(|entry| (entry.address.clone(), container.bytes(entry, &mut budget()).unwrap().into())).collect()
}

#[test]
fn resources_are_read() {
    let (a, b, c) = (program(4), program(1), program(2));
    for is_64 in [false, true] {
        let bytes = with_resources(is_64, &a, a.len() as u32, [&b, &c]);
        assert_eq!(Format::of(&bytes), Some(Format::Pe));
        assert_eq!(Format::of(&bytes[..HEADER]), None);
        // Two languages of one name: their numbers are their addresses.
        assert_eq!(
            entries(&bytes),
            [
                ("SHADER/BLUR".into(), a.clone()),
                ("resource1".into(), b.clone()),
                ("resource2".into(), c.clone()),
                ("version/1".into(), vec![0; 8]),
            ]
        );
        let container = read(&bytes).unwrap();
        assert!(container.findings().is_empty());
        for (address, n) in
            [("resource0", 0), ("shader/blur/1033", 0), ("rcdata/7/1031", 1), ("rcdata/7/1033", 2)]
        {
            assert_eq!(container.entry(address).unwrap(), n, "{address}");
        }
        assert_eq!(container.entry("rcdata/7").unwrap_err().id, rules::AMBIGUOUS.id);
        assert_eq!(container.entries()[0].kind, Kind::Stream(Isa::D3d9));
        assert_eq!(container.entries()[3].kind, Kind::Foreign("the version".into()));
        let Detail::Pe(image) = container.detail() else { panic!("{:?}", container.detail()) };
        assert_eq!((image.machine, image.is_64), if is_64 { (0x8664, true) } else { (0x14C, false) });
        assert_eq!(image.resources[0].name, Name::Text("BLUR".into()));
        assert_eq!(image.resources[1].name, Name::Id(7));
        assert_eq!(image.resources[1].language, 1031);
    }
}

#[test]
fn a_resource_is_replaced_by_one_that_is_no_larger() {
    let (a, b, c) = (program(4), program(1), program(2));
    let bytes = with_resources(true, &a, a.len() as u32, [&b, &c]);
    assert_eq!(replace(&bytes, "SHADER/BLUR", &a).unwrap().bytes, bytes);
    for moves in [1, 3] {
        let smaller = program(moves);
        let edited = replace(&bytes, "SHADER/BLUR", &smaller).unwrap();
        assert_eq!(edited.bytes, with_resources(true, &smaller, smaller.len() as u32, [&b, &c]));
        assert!(edited.findings.is_empty());
    }
    assert_eq!(replace(&bytes, "SHADER/BLUR", &program(5)).unwrap_err().id, rules::FIT.id);
}

/// The checksum of the file as written, by the rule: the 16-bit words with carries, and the length.
#[test]
fn a_checksum_that_is_right_stays_right() {
    let sum = |bytes: &[u8]| {
        let mut sum = 0u32;
        for pair in bytes.chunks(2) {
            sum += u32::from(u16::from_le_bytes([pair[0], pair[1]]));
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        sum + bytes.len() as u32
    };
    let a = program(4);
    let place = HEADER + 24 + 64;
    let mut bytes = with_resources(true, &a, a.len() as u32, [&a, &a]);
    let right = sum(&bytes);
    put(&mut bytes, place, &[right]);
    let mut edited = replace(&bytes, "SHADER/BLUR", &program(2)).unwrap().bytes;
    let written = u32::from_le_bytes(edited[place..place + 4].try_into().unwrap());
    put(&mut edited, place, &[0]);
    assert_eq!(written, sum(&edited));
    // A wrong one is left alone.
    put(&mut bytes, place, &[right ^ 1]);
    let edited = replace(&bytes, "SHADER/BLUR", &program(2)).unwrap().bytes;
    assert_eq!(edited[place..place + 4], (right ^ 1).to_le_bytes());
}

#[test]
fn a_signature_is_told() {
    let content = program(2);
    let section = || Section { name: ".rdata", flags: DATA, content: content.clone() };
    let bytes = file(true, &[section()], &[(4, 0x800, 8)]);
    let edited = replace(&bytes, ".rdata+0x0", &program(1)).unwrap();
    assert_eq!(edited.findings[0].id, rules::SIGNATURE.id);
}

#[test]
fn programs_among_data_are_found() {
    let with_comment = {
        let mut bytes = program(2);
        // A comment of three words that hold a version and an end.
        let comment = [0x0003_FFFEu32, 0xFFFF_0200, 0x0000_FFFF, 0];
        bytes.splice(4..4, comment.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    };
    // Versions without instructions that exist, without an end, without instructions.
    let bad = [
        [0xFFFF_0200u32, 0x0200_7001, 1, 2, 0x0000_FFFF],
        [0xFFFF_0200, 0x0F00_0001, 0, 0, 0],
        [0xFFFE_0200, 0x0000_FFFF, 0, 0, 0],
    ]
    .concat();
    let bad: Vec<u8> = bad.iter().flat_map(|word| word.to_le_bytes()).collect();
    let data = [bad.clone(), with_comment.clone(), vec![1, 2, 3, 4], program(1)].concat();
    let second = u32::try_from(bad.len() + with_comment.len() + 4).unwrap();
    let sections = || {
        [
            Section { name: ".text", flags: CODE, content: program(3) },
            Section { name: ".rdata", flags: DATA, content: data.clone() },
        ]
    };
    let bytes = file(false, &sections(), &[]);
    let expected =
        [(".rdata+0x3C".into(), with_comment.clone()), (format!(".rdata+0x{second:X}"), program(1))];
    assert_eq!(entries(&bytes), expected);
    assert_eq!(replace(&bytes, ".rdata+0x3C", &with_comment).unwrap().bytes, bytes);
    // A smaller one ends by its own end, and zeros follow.
    let edited = replace(&bytes, "section1+0x3C", &program(1)).unwrap();
    let mut expected = sections();
    let start = bad.len();
    expected[1].content[start..start + with_comment.len()].fill(0);
    expected[1].content[start..start + program(1).len()].copy_from_slice(&program(1));
    assert_eq!(edited.bytes, file(false, &expected, &[]));
    assert_eq!(replace(&bytes, ".rdata+0x3C", &program(9)).unwrap_err().id, rules::FIT.id);
}

/// The header of .NET leads to lengths and bytes, each at a multiple of eight.
#[test]
fn resources_of_net_are_read() {
    let (a, b) = (program(1), program(3));
    let mut content = vec![0; 72];
    put(&mut content, 24, &[address(0) + 72, (8 + a.len() + b.len() + 4) as u32]);
    // 4 + 20 bytes are a multiple of eight, and so the second length follows at once.
    assert_eq!((4 + a.len()) % 8, 0);
    for bytes in [&a, &b] {
        content.extend((bytes.len() as u32).to_le_bytes());
        content.extend(bytes.iter());
    }
    content.extend([0; 4]);
    let bytes = file(false, &[Section { name: ".text", flags: CODE, content }], &[(14, address(0), 72)]);
    assert_eq!(entries(&bytes), [("net0".to_owned(), a), ("net1".to_owned(), b)]);
    assert_eq!(replace(&bytes, "net1", &program(2)).unwrap_err().id, rules::FIT.id);
}

#[test]
fn damage_is_refused() {
    let a = program(4);
    let bytes = with_resources(true, &a, a.len() as u32, [&a, &a]);
    for end in 0x40..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "cut at {end}");
    }
    for place in 4..bytes.len() - 3 {
        let mut bad = bytes.clone();
        bad[place..place + 4].fill(0xFF);
        let _ = read(&bad);
    }
    let tree = CONTENT + 0x400;
    for (place, word, id) in [
        // The numbers of names and others of the first directory.
        (tree + 12, u32::MAX, rules::COUNT.id),
        // A directory in itself, and a resource outside its section.
        (tree + 0x30 + 16 + 4, 1 << 31 | 0x30, rules::VALUE.id),
        (tree + 0x100, 0x7000_0000, rules::OFFSET.id),
        (tree + 0x104, u32::MAX, rules::OFFSET.id),
        // The name of a type outside the file.
        (tree + 16, u32::MAX, rules::OFFSET.id),
    ] {
        let mut bad = bytes.clone();
        put(&mut bad, place, &[word]);
        assert_eq!(read(&bad).unwrap_err().id, id, "at {place:#x}");
    }
}

/// Directories that share one another would be read a thousand times a thousand times.
#[test]
fn directories_that_share_others_are_refused() {
    let mut content = vec![0; 0x400];
    for at in [0usize, 0x100, 0x200] {
        content[at + 14] = 29;
        for n in 0..29 {
            let to = if at < 0x200 { 1 << 31 | (at as u32 + 0x100) } else { 0x3F0 };
            put(&mut content, at + 16 + n * 8, &[n as u32, to]);
        }
    }
    put(&mut content, 0x3F0, &[address(0), 4]);
    let section = Section { name: ".rsrc", flags: DATA, content };
    let bytes = file(true, &[section], &[(2, address(0), 0x400)]);
    assert_eq!(read(&bytes).unwrap_err().id, rules::VALUE.id);
}
