//! Programs and containers among other bytes: files put together here, so that every place is known.
#![cfg(all(
    feature = "scan",
    feature = "dxbc",
    feature = "fx2",
    feature = "mgfx",
    feature = "xnb",
    feature = "zip"
))]
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "container/build.rs"]
mod build;

use build::{archive, deflated, effect, lz4_asset, package, plain_asset, words, wrapped_effect};
use core::ops::Range;
use vecasm_container::scan::{Confidence, Hit, HitKind, Options, Scan, scan};
use vecasm_container::{Budget, Format, Limits, rules};
use vecasm_isa::Isa;

/// `mov oC0, c0` in ps_2_0, without faults: five words.
const GOOD: [u32; 5] = [0xFFFF_0200, 0x0200_0001, 0x800F_0800, 0xA0E4_0000, 0x0000_FFFF];
/// `mov r0, c0` four times: nothing writes a colour, which is a fault. 14 words.
const LONG: [u32; 14] = [
    0xFFFF_0200,
    0x0200_0001,
    0x800F_0000,
    0xA0E4_0000,
    0x0200_0001,
    0x800F_0000,
    0xA0E4_0000,
    0x0200_0001,
    0x800F_0000,
    0xA0E4_0000,
    0x0200_0001,
    0x800F_0000,
    0xA0E4_0000,
    0x0000_FFFF,
];
/// `mov oPos, v0` of the NV2A, not final; its last word with bit 0 set is.
const MOVE: [u32; 4] = [0, 0x0020_001B, 0x0836_106C, 0x2070_F800];
/// The same to oD0, which is no position.
const COLOUR: [u32; 4] = [0, 0x0020_001B, 0x0836_106C, 0x2070_F818];
const TEXT: &str = "FRAG\nPROPERTY NEXT_SHADER FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n";

fn slots(slots: &[[u32; 4]]) -> Vec<u8> {
    let mut all = slots.concat();
    *all.last_mut().unwrap() |= 1;
    words(&all)
}

/// `mov oc, fc0` of AGAL 1: a header, an opcode, the destination oc with all lanes, the source fc0 unswizzled, none.
fn agal() -> Vec<u8> {
    let mut out = vec![0xA0, 1, 0, 0, 0, 0xA1, 1];
    out.extend([0, 0, 0, 0, 0, 0, 0x0F, 3, 0, 0, 0, 0xE4, 1, 0, 0, 0]);
    out.extend([0; 8]);
    out
}

/// A byte that nothing begins with.
const NOISE: u8 = 0x9C;

/// Pieces with noise of so many bytes in front of each, and where they are.
fn among(pieces: &[(usize, &[u8])]) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for (noise, piece) in pieces {
        bytes.resize(bytes.len() + noise, NOISE);
        places.push(bytes.len()..bytes.len() + piece.len());
        bytes.extend_from_slice(piece);
    }
    bytes.resize(bytes.len() + 41, NOISE);
    (bytes, places)
}

fn scanned(bytes: &[u8], options: Options) -> Scan {
    scan(bytes, &options, &mut Budget::new(Limits::DEFAULT))
}

fn hits(bytes: &[u8]) -> Vec<Hit> {
    let found = scanned(bytes, Options::default());
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    found.hits
}

fn program(hit: &Hit) -> (Range<usize>, Isa, &str, usize, Confidence) {
    let HitKind::Program { isa, model, instructions, .. } = &hit.what else { panic!("{hit:?}") };
    (hit.range.clone(), *isa, model, *instructions, hit.confidence)
}

#[test]
fn programs_of_every_kind_are_found() {
    let (good, long, agal) = (words(&GOOD), words(&LONG), agal());
    let bare = slots(&[COLOUR, COLOUR, MOVE]);
    let blob = [&words(&[0x2078 | 2 << 16])[..], &slots(&[COLOUR, MOVE])].concat();
    let two = slots(&[COLOUR, COLOUR]);
    let pieces: [(usize, &[u8]); 7] = [
        (16, &long),
        (8, &good),
        (4, &bare),
        (12, &blob),
        (4, &agal),
        (9, TEXT.trim_end().as_bytes()),
        (7, &two),
    ];
    let (mut bytes, places) = among(&pieces);
    let at = |n: usize| places[n].clone();
    // AGAL ends where its instructions do; the text may begin anywhere, and so must the last one not.
    let last = at(6).start % 4;
    assert_eq!((at(4).start % 4, at(5).start % 4, last), (0, 0, 0), "{places:?}");
    let found = hits(&bytes);
    let list: Vec<_> = found.iter().map(program).collect();
    assert_eq!(
        list,
        [
            (at(1), Isa::D3d9, "ps_2_0", 1, Confidence::Certain),
            (at(3), Isa::Nv2a, "NV2A 1", 2, Confidence::Certain),
            (at(4), Isa::Agal, "AGAL 1", 1, Confidence::Certain),
            (at(5), Isa::Tgsi, "TGSI FRAG", 2, Confidence::Certain),
            (at(0), Isa::D3d9, "ps_2_0", 4, Confidence::Likely),
            (at(2), Isa::Nv2a, "NV2A 1", 3, Confidence::Likely),
            (at(6), Isa::Nv2a, "NV2A 1", 2, Confidence::Weak),
        ]
    );
    // One byte further they are at no multiple of four; the text is found all the same.
    bytes.insert(0, NOISE);
    assert_eq!(hits(&bytes).iter().map(|hit| program(hit).1).collect::<Vec<_>>(), [Isa::Tgsi]);
    let unaligned = scanned(&bytes, Options::default().with_unaligned(true)).hits;
    let moved = |hit: &Hit| hit.range.start - 1..hit.range.end - 1;
    assert_eq!(
        unaligned.iter().map(moved).collect::<Vec<_>>(),
        list.iter().map(|hit| hit.0.clone()).collect::<Vec<_>>()
    );
}

#[test]
fn a_container_is_one_hit() {
    let program = words(&GOOD);
    let (fx, wrapped, asset) = (effect(), wrapped_effect(), plain_asset(&effect()));
    let zip = archive(&[deflated("a.bin", &program), deflated("b.txt", b"nothing")]);
    let (bytes, places) =
        among(&[(8, &fx), (8, &program), (8, &wrapped), (8, &asset), (8, &zip), (8, &program)]);
    let aligned: Vec<_> = places.iter().filter(|place| place.start % 4 == 0).collect();
    assert!(aligned.len() > 3, "{places:?}");
    let found = scanned(&bytes, Options::default().with_unaligned(true));
    let mut list: Vec<_> = found
        .hits
        .iter()
        .map(|hit| match &hit.what {
            HitKind::Container { format, programs } => (hit.range.clone(), format.name(), *programs),
            HitKind::Program { isa, .. } => (hit.range.clone(), isa.name(), 1),
            other => panic!("{other:?}"),
        })
        .collect();
    list.sort_by_key(|one| one.0.start);
    let at = |n: usize| places[n].clone();
    // The effect has a program in a pass and two in an array.
    let of = |bytes: &[u8]| {
        let found = scanned(bytes, Options::default());
        match found.hits[..] {
            [Hit { what: HitKind::Container { programs, .. }, .. }] => programs,
            _ => panic!("{found:?}"),
        }
    };
    let in_effect = of(&fx);
    assert!(in_effect >= 1);
    assert_eq!(
        list,
        [
            (at(0), "fx2", in_effect),
            (at(1), "d3d9", 1),
            (at(2), "fx2", in_effect),
            (at(3), "xnb", in_effect),
            (at(4), "zip", 1),
            (at(5), "d3d9", 1),
        ]
    );
    // A file that is a container as a whole needs no magic.
    let package = package(&[("A.vso", program.clone()), ("B.vso", program.clone())]);
    let whole = hits(&package);
    assert_eq!(whole[0].range, 0..package.len());
    assert_eq!(whole[0].what, HitKind::Container { format: Format::Sdp, programs: 2 });
    // Programs in it, as anywhere: names of 256 bytes and a size are in front of each.
    let inside = scanned(&package, Options::default().with_containers(false)).hits;
    let places: Vec<_> = inside.iter().map(|hit| hit.range.start).collect();
    assert_eq!(places, [12 + 260, 12 + 260 + 20 + 260]);
}

#[test]
fn a_container_that_cannot_be_read_is_searched() {
    // An effect whose pool is larger than the file, and a program after its header.
    let (bytes, places) = among(&[(4, &words(&[0xFEFF_0901, 0x00FF_0000])), (8, &words(&GOOD))]);
    let found = hits(&bytes);
    assert_eq!(found.len(), 1);
    assert_eq!(program(&found[0]).0, places[1]);
}

#[test]
fn the_longest_of_those_that_overlap_stays() {
    // A comment of five words holds a whole program.
    let inner = [&[0xFFFF_0200, 0x0005_FFFE], &GOOD[..], &GOOD[1..]].concat();
    let (bytes, places) = among(&[(4, &words(&inner))]);
    let found = hits(&bytes);
    assert_eq!(
        found.iter().map(program).collect::<Vec<_>>(),
        [(places[0].clone(), Isa::D3d9, "ps_2_0", 1, Confidence::Certain)]
    );
    // The version and the first instruction of the longer one are operands of the other, whose end is an operand of its.
    let both = [
        0xFFFF_0200,
        0x0200_0001,
        0xFFFF_0200,
        0x0200_0001,
        0x0000_FFFF,
        0xA0E4_0000,
        0x0200_0001,
        0x800F_0800,
        0xA0E4_0000,
        0x0000_FFFF,
    ];
    assert_eq!(hits(&words(&both[..5]))[0].range, 0..20);
    let found = hits(&words(&both));
    assert_eq!((found.len(), &found[0].range), (1, &(8..40)));
    // A text that breaks off, and one after it.
    let text = format!("VERT\nDCL IN[0]\n  0: MOV OUT[0], I\n{TEXT}");
    let found = hits(text.as_bytes());
    assert_eq!(found[0].range, text.len() - TEXT.len()..text.len() - 1);
    assert_eq!(found.len(), 1);
}

#[test]
fn what_breaks_off_is_nothing() {
    for n in 0..GOOD.len() * 4 {
        assert_eq!(hits(&words(&GOOD)[..n]), [], "{n}");
    }
    let agal = agal();
    for n in 0..agal.len() {
        assert_eq!(hits(&agal[..n]), [], "{n}");
    }
    let text = TEXT.trim_end();
    for n in 0..text.len() {
        assert_eq!(hits(&text.as_bytes()[..n]), [], "{n}");
    }
    assert_eq!(hits(&vec![0; 4096]), []);
    assert_eq!(hits(&vec![0xFF; 4096]), []);
}

/// Instructions whose one parameter is the version of a program: a walk begins at every second word, and none ends.
#[test]
fn a_file_that_asks_for_a_walk_at_every_word_is_given_up() {
    let mut bytes = words(&GOOD);
    bytes.extend(
        [0x0100_0001u32, 0xFFFF_0200].iter().flat_map(|word| word.to_le_bytes()).cycle().take(1 << 18),
    );
    let found = scanned(&bytes, Options::default());
    assert_eq!(found.findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), [rules::LIMIT.id]);
    assert_eq!(found.hits[0].range, 0..20);
    // So is one with an effect at every word.
    let bytes = [1, 9, 0xFF, 0xFE].repeat(1 << 16);
    let found = scanned(&bytes, Options::default());
    assert_eq!(found.findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), [rules::LIMIT.id]);
    // Limits on entries hold for hits.
    let mut limits = Limits::DEFAULT;
    limits.entries = 3;
    let found = scan(&words(&GOOD.repeat(8)), &Options::default(), &mut Budget::new(limits));
    assert_eq!((found.hits.len(), found.findings[0].id), (3, rules::LIMIT.id));
}

/// One that begins as an asset, promises much and cannot be unpacked takes nothing from those that follow.
#[test]
fn a_false_start_leaves_the_others_what_may_be_unpacked() {
    let real = lz4_asset(&effect());
    let mut limits = Limits::DEFAULT;
    // The body of the asset and no more: 500 bytes are enough for it.
    limits.unpacked = 600;
    let mut wrong = real.clone();
    // The size of the body that the header gives.
    wrong[10..14].copy_from_slice(&590u32.to_le_bytes());
    let (bytes, places) = among(&[(8, &wrong), (8, &real)]);
    let found = scan(&bytes, &Options::default().with_unaligned(true), &mut Budget::new(limits));
    let assets =
        found.hits.iter().filter(|hit| matches!(hit.what, HitKind::Container { format: Format::Xnb, .. }));
    let assets: Vec<_> = assets.map(|hit| hit.range.clone()).collect();
    assert_eq!(assets, [places[1].clone()], "{found:?}");
}
