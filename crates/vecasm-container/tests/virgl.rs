//! Streams of virgl's commands, built here from virglrenderer's protocol.

use vecasm_container::{Budget, Container, Detail, Format, Kind, Limits, rules};
use vecasm_ir::ir::Stage;

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(bytes: &[u8]) -> Container<'_> {
    Container::read(bytes, &mut budget()).expect("a stream")
}

fn text_of(container: &Container<'_>, address: &str) -> String {
    let n = container.entry(address).expect(address);
    let bytes = container.bytes(&container.entries()[n], &mut budget()).expect("bytes");
    String::from_utf8(bytes.into_owned()).expect("a text")
}

/// A packet: the command, the object, the number of words, the words.
fn packet(command: u32, object: u32, words: &[u32]) -> Vec<u8> {
    let head = command | (object << 8) | ((words.len() as u32) << 16);
    std::iter::once(&head).chain(words).flat_map(|word| word.to_le_bytes()).collect()
}

/// A text as words, with a zero at its end.
fn words(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// A shader in one packet.
fn shader(handle: u32, kind: u32, tokens: u32, outputs: &[u32], text: &str) -> Vec<u8> {
    let captured = (outputs.len() as u32).saturating_sub(4) / 2;
    let head = [handle, kind, text.len() as u32 + 1, tokens, captured];
    packet(1, 4, &[&head[..], outputs, &words(text)].concat())
}

/// A shader in packets of at most so many words of text.
fn split(handle: u32, text: &str, most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, piece) in words(text).chunks(most).enumerate() {
        let offset = if n == 0 { text.len() + 1 } else { (n * most * 4) | (1 << 31) };
        out.extend(packet(1, 4, &[&[handle, 0, offset as u32, 300, 0], piece].concat()));
    }
    out
}

const VERTEX: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
const FRAGMENT: &str =
    "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 1.0, 0.0, 0.0, 1.0 }\n  0: MOV OUT[0], IMM[0]\n  1: END\n";
/// Strides and places of one captured output.
const CAPTURED: [u32; 6] = [16, 0, 0, 0, 1 << 8, 0];

#[test]
fn shaders_are_listed_by_their_handles() {
    let file = [
        packet(0, 0, &[]),
        shader(7, 0, 300, &[], VERTEX),
        packet(2, 4, &[7]),
        shader(7, 1, 300, &[], FRAGMENT),
        shader(9, 0, 300, &CAPTURED, VERTEX),
        split(3, VERTEX, 4),
    ]
    .concat();
    let stream = read(&file);
    assert_eq!(stream.format(), Format::Virgl);
    let found: Vec<_> = stream.entries().iter().map(|entry| (&*entry.address, entry.stage)).collect();
    let (vertex, fragment) = (Some(Stage::Vertex), Some(Stage::Fragment));
    assert_eq!(
        found,
        [("shader7", vertex), ("shader7#2", fragment), ("shader9", vertex), ("shader3", vertex)]
    );
    assert!(stream.entries().iter().all(|entry| entry.kind == Kind::File));
    assert!(stream.findings().is_empty(), "{:?}", stream.findings());
    for (address, text) in
        [("shader7", VERTEX), ("shader7#2", FRAGMENT), ("shader9", VERTEX), ("shader3", VERTEX)]
    {
        assert_eq!(text_of(&stream, address), text, "{address}");
    }
    let Detail::Virgl(detail) = stream.detail() else { panic!("commands") };
    // The text has 69 bytes with its zero: 18 words, five packets of at most four.
    assert_eq!((VERTEX.len(), detail.packets), (68, 5 + 5));
    assert_eq!((detail.shaders[2].outputs, detail.shaders[1].handle), (1, 7));
    assert_eq!(stream.replace(&[]).expect("same").bytes, file);
}

/// An edit gives the stream that is built with the new text.
#[test]
fn texts_grow_and_shrink() {
    let short = "FRAG\n  0: END\n\n\n\n";
    let file = |texts: [&str; 3]| {
        [
            shader(1, 0, 300, &CAPTURED, texts[0]),
            shader(2, 1, 300, &[], texts[1]),
            split(3, texts[2], 6),
            packet(0, 0, &[]),
        ]
        .concat()
    };
    let old = file([VERTEX, FRAGMENT, VERTEX]);
    for new in [[FRAGMENT, short, FRAGMENT], [short, VERTEX, short]] {
        let edits: Vec<_> = new.iter().enumerate().map(|(n, text)| (n, text.as_bytes())).collect();
        assert_eq!(read(&old).replace(&edits).expect("edited").bytes, file(new));
    }
    // A zero at the end is no part of the text.
    let zeros = format!("{short}\0\0");
    let edited = read(&old).replace(&[(1, zeros.as_bytes())]).expect("edited").bytes;
    assert_eq!(edited, file([VERTEX, short, VERTEX]));
    // One inside would end it.
    let error = read(&old).replace(&[(1, b"FRAG\0  0: END\n")]).expect_err("refused");
    assert_eq!(
        (error.id, &*error.message),
        (rules::FIT.id, "a text with a zero in it, at byte 4, would end there")
    );
}

/// The host must have room for the new program.
#[test]
fn the_number_of_tokens_covers_the_program() {
    let file = shader(1, 1, 2, &[], "FRAG\n  0: END\n");
    let edited = read(&file).replace(&[(0, FRAGMENT.as_bytes())]).expect("edited").bytes;
    // The header has two words, the output three, the immediate five, MOV three, END one.
    assert_eq!(edited[16..20], 14u32.to_le_bytes());
}

/// A text for which a packet has no room is split.
#[test]
fn a_text_that_is_too_long_for_a_packet_is_split() {
    let long = format!("{VERTEX}{}", " ".repeat(300_000));
    let edited =
        read(&shader(1, 0, 300, &CAPTURED, VERTEX)).replace(&[(0, long.as_bytes())]).expect("edited").bytes;
    let again = read(&edited);
    assert_eq!(text_of(&again, "shader1"), long);
    let Detail::Virgl(detail) = again.detail() else { panic!("commands") };
    assert_eq!((detail.packets, detail.shaders[0].size as usize), (2, long.len() + 1));
    // All 65,535 words of the first are used.
    assert_eq!(edited[..4], (0xFFFF_0401u32).to_le_bytes());
}

#[test]
fn parts_that_are_missing_are_told() {
    let file = [shader(1, 0, 300, &CAPTURED, VERTEX), shader(2, 1, 300, &[], FRAGMENT)].concat();
    let first = shader(1, 0, 300, &CAPTURED, VERTEX).len();
    for n in (0..file.len()).filter(|&n| n != first) {
        assert!(Container::read(&file[..n], &mut budget()).is_err(), "{n} bytes");
    }
    // A shader whose last packet is missing is listed as far as it goes.
    let whole = split(3, VERTEX, 6);
    let cut = &whole[..2 * 4 * (1 + 5 + 6)];
    let stream = read(cut);
    assert_eq!(stream.findings()[0].id, rules::SIZE.id);
    assert_eq!(text_of(&stream, "shader3"), VERTEX[..48]);
}

/// Words that are too big are refused, or change no more than the text's size; nothing panics.
#[test]
fn numbers_are_not_believed() {
    let file = [shader(1, 0, 300, &CAPTURED, VERTEX), split(3, VERTEX, 6)].concat();
    for n in 0..file.len() / 4 {
        let mut damaged = file.clone();
        damaged[4 * n..4 * n + 4].fill(0xFF);
        let _ = Container::read(&damaged[..], &mut budget());
    }
    // The type, the offset of the first packet, the number of captured outputs.
    for (n, id) in [(2, rules::FORMAT.id), (5, rules::FORMAT.id)] {
        let mut damaged = file.clone();
        damaged[4 * n..4 * n + 4].fill(0xFF);
        assert_eq!(Container::read(&damaged[..], &mut budget()).expect_err("refused").id, id);
    }
    let second = shader(1, 0, 300, &CAPTURED, VERTEX).len();
    for word in [2, 3, 5] {
        let mut damaged = file.clone();
        damaged[second + 4 * word..second + 4 * word + 4].fill(0xFF);
        assert_eq!(
            Container::read(&damaged[..], &mut budget()).expect_err("refused").id,
            rules::VALUE.id,
            "{word}"
        );
    }
}
