//! Shaders of the Source engine: files built here from the public description, read and written.
#![cfg(feature = "vcs")]
#![allow(clippy::unwrap_used, reason = "tests")]

use vecasm_container::vcs::Packing;
use vecasm_container::{
    Address, Budget, Container, Detail, Edited, Format, Kind, Limits, break_aliases, edit, rules,
};
use vecasm_ir::diag::Diagnostic;
use vecasm_isa::Isa;

/// A vertex shader 2.0 of `moves` instructions.
fn program(moves: usize) -> Vec<u8> {
    let mut words = vec![0xFFFE_0200u32];
    for _ in 0..moves {
        words.extend([0x0200_0001, 0xC00F_0000, 0x90E4_0000]);
    }
    words.push(0x0000_FFFF);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The head of a block, and what it holds: programs by number.
type BlockOf = (Packing, Vec<(u32, Vec<u8>)>);

fn push(out: &mut Vec<u8>, words: &[u32]) {
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn pack(packing: Packing, content: &[u8]) -> Vec<u8> {
    match packing {
        Packing::Raw => content.to_vec(),
        Packing::Bzip2 => {
            let mut out = Vec::with_capacity(content.len() + 1000);
            let mut encoder = bzip2::Compress::new(bzip2::Compression::best(), 0);
            let status = encoder.compress_vec(content, &mut out, bzip2::Action::Finish).unwrap();
            assert_eq!(status, bzip2::Status::StreamEnd);
            out
        }
        Packing::Lzma => {
            let data = literals(content);
            let mut out = b"LZMA".to_vec();
            push(&mut out, &[content.len() as u32, data.len() as u32]);
            out.extend([0x5D, 0, 0, 4, 0]);
            out.extend(data);
            out
        }
    }
}

/// Bytes as raw LZMA with three bits of context that has nothing but literals (LZMA SDK, lzma-specification.txt).
fn literals(bytes: &[u8]) -> Vec<u8> {
    struct Coder {
        low: u64,
        range: u32,
        cache: u8,
        pending: u64,
        out: Vec<u8>,
    }
    impl Coder {
        fn shift(&mut self) {
            if self.low < 0xFF00_0000 || self.low > 0xFFFF_FFFF {
                let carry = (self.low >> 32) as u8;
                let mut byte = self.cache;
                for _ in 0..self.pending {
                    self.out.push(byte.wrapping_add(carry));
                    byte = 0xFF;
                }
                self.pending = 0;
                self.cache = (self.low >> 24) as u8;
            }
            self.pending += 1;
            self.low = (self.low & 0x00FF_FFFF) << 8;
        }

        fn bit(&mut self, odds: &mut u16, bit: bool) {
            let bound = (self.range >> 11) * u32::from(*odds);
            if bit {
                self.low += u64::from(bound);
                self.range -= bound;
                *odds -= *odds >> 5;
            } else {
                self.range = bound;
                *odds += (2048 - *odds) >> 5;
            }
            while self.range < 1 << 24 {
                self.range <<= 8;
                self.shift();
            }
        }
    }
    let mut coder = Coder { low: 0, range: u32::MAX, cache: 0, pending: 1, out: Vec::new() };
    let mut matches = [1024u16; 4];
    let mut odds = vec![1024u16; 8 * 0x100];
    let mut previous = 0u8;
    for (n, &byte) in bytes.iter().enumerate() {
        coder.bit(&mut matches[n % 4], false);
        let context = usize::from(previous >> 5) * 0x100;
        let mut symbol = 1usize;
        for shift in (0..8).rev() {
            let bit = byte >> shift & 1 == 1;
            coder.bit(&mut odds[context + symbol], bit);
            symbol = symbol << 1 | usize::from(bit);
        }
        previous = byte;
    }
    for _ in 0..5 {
        coder.shift();
    }
    coder.out
}

fn bits(packing: Packing) -> u32 {
    match packing {
        Packing::Bzip2 => 0,
        Packing::Lzma => 0x4000_0000,
        Packing::Raw => 0x8000_0000,
    }
}

/// A file of version 5 or 6 with these static combos, which lie in the file in this order.
fn file(version: u32, statics: &[(u32, Vec<BlockOf>)], aliases: &[(u32, u32)]) -> Vec<u8> {
    let mut bodies = Vec::new();
    for (_, blocks) in statics {
        let mut body = Vec::new();
        for (packing, programs) in blocks {
            let mut content = Vec::new();
            for (id, bytes) in programs {
                push(&mut content, &[*id, bytes.len() as u32]);
                content.extend(bytes);
            }
            let packed = pack(*packing, &content);
            push(&mut body, &[packed.len() as u32 | bits(*packing)]);
            body.extend(packed);
        }
        push(&mut body, &[u32::MAX]);
        bodies.push(body);
    }
    let mut out = Vec::new();
    push(&mut out, &[version, 8, 4, 0, 3, statics.len() as u32 + 1, 0x1234_5678]);
    let alias_bytes = if version == 6 { 4 + aliases.len() * 8 } else { 0 };
    let mut offset = 28 + (statics.len() + 1) * 8 + alias_bytes;
    for ((id, _), body) in statics.iter().zip(&bodies) {
        push(&mut out, &[*id, offset as u32]);
        offset += body.len();
    }
    push(&mut out, &[u32::MAX, offset as u32]);
    if version == 6 {
        push(&mut out, &[aliases.len() as u32]);
        aliases.iter().for_each(|&(id, same)| push(&mut out, &[id, same]));
    }
    out.extend(bodies.concat());
    out
}

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(bytes: &[u8]) -> Result<Container<'_>, Diagnostic> {
    Container::read(bytes, &mut budget())
}

fn replace(bytes: &[u8], edits: &[(&str, &[u8])]) -> Result<Edited, Diagnostic> {
    let container = read(bytes)?;
    let edits: Vec<(usize, &[u8])> =
        edits.iter().map(|(address, bytes)| (container.entry(address).unwrap(), *bytes)).collect();
    container.replace(&edits)
}

fn content(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let container = read(bytes).unwrap();
    let entries = container.entries().iter();
    entries
        .map(|entry| (entry.address.clone(), container.bytes(entry, &mut budget()).unwrap().into()))
        .collect()
}

/// Two static combos, of which the second has two blocks, each packed in its own way.
fn statics() -> Vec<(u32, Vec<BlockOf>)> {
    vec![
        (0, vec![(Packing::Lzma, vec![(0, program(1)), (2, program(2))])]),
        (
            3,
            vec![
                (Packing::Bzip2, vec![(0, program(3))]),
                (Packing::Raw, vec![(1, program(4)), (3, program(5))]),
            ],
        ),
    ]
}

#[test]
fn all_packings_are_read() {
    let bytes = file(6, &statics(), &[(1, 0), (2, 0)]);
    assert_eq!(Format::of(&bytes), Some(Format::Vcs));
    // As a member of an archive: only the start is known.
    assert_eq!(Format::of_start(&bytes[..40], bytes.len() as u64), Some(Format::Vcs));
    let expected = [
        ("static0/dynamic0", 1),
        ("static0/dynamic2", 2),
        ("static3/dynamic0", 3),
        ("static3/dynamic1", 4),
        ("static3/dynamic3", 5),
    ]
    .map(|(address, moves)| (address.to_owned(), program(moves)));
    assert_eq!(content(&bytes), expected);
    let container = read(&bytes).unwrap();
    assert!(container.findings().is_empty());
    assert!(container.entries().iter().all(|entry| entry.kind == Kind::Stream(Isa::D3d9)));
    assert_eq!(container.entries()[1].aliases, ["static1/dynamic2", "static2/dynamic2"]);
    assert_eq!(container.entry("static2/dynamic0").unwrap(), 0);
    let Detail::Vcs(combos) = container.detail() else { panic!("{:?}", container.detail()) };
    assert_eq!((combos.version, combos.total, combos.dynamic, combos.centroids), (6, 8, 4, 3));
    assert_eq!(combos.source_crc32, Some(0x1234_5678));
    assert_eq!(combos.aliases, [(1, 0), (2, 0)]);
    assert_eq!(
        combos.statics.iter().map(|combo| (combo.id, combo.blocks.clone())).collect::<Vec<_>>(),
        [(0, 0..1), (3, 1..3)]
    );
}

#[test]
fn nothing_changes_without_a_change() {
    for version in [5, 6] {
        let bytes = file(version, &statics(), &[]);
        assert_eq!(replace(&bytes, &[]).unwrap().bytes, bytes);
        assert_eq!(replace(&bytes, &[("static3/dynamic0", &program(3))]).unwrap().bytes, bytes);
    }
}

/// What is written is what the builder makes of the new programs, with raw in the place of LZMA.
#[test]
fn programs_grow_and_shrink() {
    for moves in [0, 9] {
        let bytes = file(6, &statics(), &[(1, 0)]);
        let mut expected = statics();
        expected[0].1[0].0 = Packing::Raw;
        expected[0].1[0].1[1].1 = program(moves);
        let edited = replace(&bytes, &[("static0/dynamic2", &program(moves))]).unwrap();
        assert_eq!(edited.bytes, file(6, &expected, &[(1, 0)]));
        assert_eq!(edited.findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), [rules::SHARED.id]);

        let mut expected = statics();
        expected[1].1[0].1[0].1 = program(moves);
        expected[1].1[1].1[0].1 = program(7);
        let edits = [("static3/dynamic1", &*program(7)), ("static3/dynamic0", &*program(moves))];
        let edited = replace(&bytes, &edits).unwrap();
        assert_eq!(edited.bytes, file(6, &expected, &[(1, 0)]));
        assert!(edited.findings.is_empty());
    }
}

#[test]
fn a_combo_that_is_the_same_as_another_gets_programs_of_its_own() {
    let bytes = file(6, &statics(), &[(1, 0), (2, 0)]);
    let container = read(&bytes).unwrap();
    let at = Address::parse("static1/dynamic2");
    let edits = [(at.clone(), program(9))];
    let refused = edit(&container, &edits, &mut budget()).unwrap_err();
    assert_eq!(refused.id, rules::ALIAS.id);
    assert_eq!(refused.message, "static1/dynamic2 is the same as static0/dynamic2");
    // Its source is edited as before, and changes it.
    edit(&container, &[(Address::parse("static0/dynamic2"), program(9))], &mut budget()).unwrap();

    let own = break_aliases(&container, &[at], &mut budget()).unwrap().unwrap();
    let container = read(&own).unwrap();
    assert!(container.findings().is_empty());
    let Detail::Vcs(combos) = container.detail() else { panic!("{:?}", container.detail()) };
    assert_eq!(combos.aliases, [(2, 0)]);
    assert_eq!(combos.statics.iter().map(|combo| combo.id).collect::<Vec<_>>(), [0, 1, 3]);
    // Header and tables have the same size, and the blocks that were there stay where they were.
    let tables = 28 + 4 * 8 + 4 + 8;
    assert_eq!(own[tables..bytes.len()], bytes[tables..]);
    let edited = edit(&container, &edits, &mut budget()).unwrap();
    assert!(edited.findings.is_empty(), "{:?}", edited.findings);
    let mut expected = content(&bytes);
    expected.insert(2, ("static1/dynamic0".into(), program(1)));
    expected.insert(3, ("static1/dynamic2".into(), program(9)));
    assert_eq!(content(&edited.bytes), expected);
    // What is no alias asks for nothing.
    assert_eq!(break_aliases(&container, &[Address::parse("static3/dynamic0")], &mut budget()), Ok(None));
}

/// 10,915 moves are 130,988 bytes: with another program in the same block they are too many for the engine.
#[test]
fn a_block_that_grows_too_large_becomes_two() {
    let bytes = file(6, &statics(), &[]);
    let large = program(10_915);
    let edited = replace(&bytes, &[("static3/dynamic1", &large)]).unwrap();
    let mut expected = statics();
    expected[1].1[1].1 = vec![(1, large)];
    expected[1].1.push((Packing::Raw, vec![(3, program(5))]));
    assert_eq!(edited.bytes, file(6, &expected, &[]));

    let error = replace(&bytes, &[("static3/dynamic1", &program(11_000))]).unwrap_err();
    assert_eq!(error.id, rules::FIT.id);
}

/// The table is by number; the combos lie in another order.
#[test]
fn static_combos_in_another_order_are_read() {
    let bytes = file(6, &statics(), &[]);
    let word = |n: usize| u32::from_le_bytes(bytes[n..n + 4].try_into().unwrap());
    let (first, second, end) = (word(32) as usize, word(40) as usize, bytes.len());
    let mut swapped = bytes[..first].to_vec();
    swapped.extend(&bytes[second..end]);
    swapped.extend(&bytes[first..second]);
    swapped[32..36].copy_from_slice(&((first + end - second) as u32).to_le_bytes());
    swapped[40..44].copy_from_slice(&(first as u32).to_le_bytes());
    assert_eq!(content(&swapped), content(&bytes));
    let edited = replace(&swapped, &[("static3/dynamic3", &program(1))]).unwrap();
    let mut all = content(&bytes);
    all[4].1 = program(1);
    assert_eq!(content(&edited.bytes), all);
}

#[test]
fn version_1_is_read_and_not_written() {
    let mut bytes = Vec::new();
    let (a, b) = (program(1), program(2));
    push(&mut bytes, &[1, 4, 2, 0, 0, 0]);
    let start = 24 + 4 * 8;
    push(&mut bytes, &[start, a.len() as u32, 0, 0, 0, 0, start + a.len() as u32, b.len() as u32]);
    bytes.extend([a.clone(), b.clone()].concat());
    assert_eq!(content(&bytes), [("static0/dynamic0".to_owned(), a), ("static1/dynamic3".to_owned(), b)]);
    assert_eq!(replace(&bytes, &[("static0/dynamic0", &program(5))]).unwrap_err().id, rules::READ_ONLY.id);
    let ids: Vec<_> = read(&bytes).unwrap().findings().iter().map(|finding| finding.id).collect();
    assert_eq!(ids, [rules::UNVERIFIED.id]);
    for (version, why) in [(2, "differences"), (3, "bzip2"), (4, "differences")] {
        bytes[0] = version;
        let error = read(&bytes).unwrap_err();
        assert_eq!(error.id, rules::FOREIGN.id);
        assert!(error.help.is_some_and(|help| help.contains(why)), "{version}");
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let bytes = file(6, &statics(), &[(1, 0)]);
    let first = u32::from_le_bytes(bytes[32..36].try_into().unwrap()) as usize;
    let refused = [
        // The number of static combos: then the file is not even told to be one.
        (20, rules::FORMAT.id),
        // The number of one, and its offset.
        (36, rules::VALUE.id),
        (32, rules::OFFSET.id),
        // How many are the same as others.
        (52, rules::COUNT.id),
        // What a block unpacks to, and its packed bytes.
        (first + 8, rules::VALUE.id),
        (first + 12, rules::SHORT.id),
    ];
    for (place, id) in refused {
        let mut bad = bytes.clone();
        bad[place..place + 4].fill(0xFF);
        assert_eq!(read(&bad).unwrap_err().id, id, "at {place}");
    }
    // Blocks without an end, and those of two combos in one place.
    let mut bad = bytes.clone();
    bad[first..first + 4].copy_from_slice(&0xBFFF_FFFFu32.to_le_bytes());
    assert_eq!(read(&bad).unwrap_err().id, rules::SHORT.id);
    let mut bad = bytes.clone();
    bad.copy_within(32..36, 40);
    assert_eq!(read(&bad).unwrap_err().id, rules::SHORT.id);
    // Damaged data.
    let mut bad = bytes;
    bad[first + 21] ^= 0xFF;
    assert_eq!(read(&bad).unwrap_err().id, rules::CODEC.id);
}

/// bzip2 says no size: four million zeros in 45 bytes are stopped at what a block may have.
#[test]
fn a_block_that_unpacks_to_too_much_is_refused() {
    let bomb = [(0, vec![(Packing::Bzip2, vec![(0, vec![0; 4 << 20])])])];
    assert_eq!(read(&file(5, &bomb, &[])).unwrap_err().id, rules::VALUE.id);
}

#[test]
fn damage_is_never_taken_in_silence() {
    for version in [5, 6] {
        let bytes = file(version, &statics(), &[(1, 0)]);
        for end in 0..bytes.len() {
            let silent = read(&bytes[..end]).is_ok_and(|container| container.findings().is_empty());
            assert!(!silent, "cut at {end}");
        }
        for place in 0..bytes.len() - 3 {
            let mut bad = bytes.clone();
            bad[place..place + 4].fill(0xFF);
            let _ = read(&bad);
        }
    }
}
