//! Compiled effects of Rockstar's games: files built here from the public description, read and written.
#![cfg(feature = "rgxa")]
#![allow(clippy::unwrap_used, reason = "tests")]

use vecasm_container::rgxa::Annotation;
use vecasm_container::{Budget, Container, Detail, Edited, Format, Limits, rules};
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::Stage;

/// A shader 2.0 of `moves` instructions.
fn program(version: u32, moves: usize) -> Vec<u8> {
    let mut words = vec![version];
    for _ in 0..moves {
        words.extend([0x0200_0001, 0xC00F_0000, 0x90E4_0000]);
    }
    words.push(0x0000_FFFF);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn vertex(moves: usize) -> Vec<u8> {
    program(0xFFFE_0200, moves)
}

fn pixel(moves: usize) -> Vec<u8> {
    program(0xFFFF_0200, moves)
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.push(text.len() as u8 + 1);
    out.extend(text.bytes());
    out.push(0);
}

fn code(out: &mut Vec<u8>, constants: &[(u8, u16, &str)], bytes: &[u8]) {
    out.push(constants.len() as u8);
    for &(ty, register, name) in constants {
        out.extend([ty, 0]);
        out.extend(register.to_le_bytes());
        text(out, name);
    }
    let len = bytes.len() as u16;
    out.extend(len.to_le_bytes());
    out.extend(len.to_le_bytes());
    out.extend(bytes);
}

/// An effect of two vertex shaders and a pixel shader behind the one that is none.
fn file(vs: [&[u8]; 2], ps: &[u8]) -> Vec<u8> {
    let mut out = b"rgxa".to_vec();
    out.push(2);
    code(&mut out, &[(9, 4, "gWorld")], vs[0]);
    code(&mut out, &[], vs[1]);
    out.extend([2, 0, 0, 0, 0, 0]);
    code(&mut out, &[(6, 1, "Diffuse")], ps);
    // A global without notes, with a default of two words.
    out.push(1);
    out.extend([5, 1]);
    text(&mut out, "gWorld");
    text(&mut out, "World");
    out.extend([0, 2]);
    out.extend([1, 0, 0, 0, 2, 0, 0, 0]);
    // A local with a note of each kind.
    out.push(1);
    out.extend([6, 1]);
    text(&mut out, "Diffuse");
    text(&mut out, "DiffuseTex");
    out.push(3);
    text(&mut out, "Name");
    out.push(2);
    text(&mut out, "the texture");
    text(&mut out, "Min");
    out.push(1);
    out.extend(0.5f32.to_le_bytes());
    text(&mut out, "Count");
    out.push(0);
    out.extend((-2i32).to_le_bytes());
    out.push(0);
    // Two techniques; the second draws without a pixel shader.
    out.push(2);
    text(&mut out, "draw");
    out.extend([1, 0, 1, 1]);
    out.extend([7, 0, 0, 0, 9, 0, 0, 0]);
    text(&mut out, "depth");
    out.extend([1, 1, 0, 0]);
    out
}

fn read(bytes: &[u8]) -> Result<Container<'_>, Diagnostic> {
    Container::read(bytes, &mut Budget::new(Limits::DEFAULT))
}

fn replace(bytes: &[u8], edits: &[(&str, &[u8])]) -> Result<Edited, Diagnostic> {
    let container = read(bytes)?;
    let edits: Vec<(usize, &[u8])> =
        edits.iter().map(|(address, bytes)| (container.entry(address).unwrap(), *bytes)).collect();
    container.replace(&edits)
}

#[test]
fn an_effect_is_read() {
    let bytes = file([&vertex(1), &vertex(2)], &pixel(3));
    assert_eq!(Format::of(&bytes), Some(Format::Rgxa));
    let container = read(&bytes).unwrap();
    assert!(container.findings().is_empty());
    let entries: Vec<_> = container
        .entries()
        .iter()
        .map(|entry| {
            let bytes = container.bytes(entry, &mut Budget::new(Limits::DEFAULT)).unwrap();
            (&*entry.address, entry.stage, bytes.into_owned())
        })
        .collect();
    assert_eq!(
        entries,
        [
            ("vs0", Some(Stage::Vertex), vertex(1)),
            ("vs1", Some(Stage::Vertex), vertex(2)),
            ("ps1", Some(Stage::Fragment), pixel(3)),
        ]
    );
    for (address, n) in
        [("draw/pass0/vs", 0), ("DRAW/pass0/ps", 2), ("technique0/pass0/vs", 0), ("depth/pass0/vs", 1)]
    {
        assert_eq!(container.entry(address).unwrap(), n, "{address}");
    }
    assert!(container.entry("depth/pass0/ps").is_err());
    let Detail::Rgxa(effect) = container.detail() else { panic!("{:?}", container.detail()) };
    assert_eq!((effect.vertex.len(), effect.pixel.len(), effect.pixel[0].entry), (2, 2, None));
    let constant = &effect.vertex[0].constants[0];
    assert_eq!((&*constant.name, constant.ty, constant.register), ("gWorld", 9, 4));
    let global = &effect.globals[0];
    assert_eq!((&*global.semantic, &*global.default), ("World", &[1, 2][..]));
    assert_eq!(
        effect.locals[0].annotations,
        [
            ("Name".into(), Annotation::Text("the texture".into())),
            ("Min".into(), Annotation::Float(0.5)),
            ("Count".into(), Annotation::Int(-2)),
        ]
    );
    assert_eq!(effect.techniques[0].passes[0].states, [(7, 9)]);
}

#[test]
fn programs_grow_and_shrink() {
    let bytes = file([&vertex(1), &vertex(2)], &pixel(3));
    assert_eq!(replace(&bytes, &[]).unwrap().bytes, bytes);
    for moves in [0, 50] {
        let edited = replace(&bytes, &[("vs0", &vertex(moves)), ("ps1", &pixel(7))]).unwrap();
        assert_eq!(edited.bytes, file([&vertex(moves), &vertex(2)], &pixel(7)));
    }
    // 65,535 bytes have a length of 16 bits, one more has none.
    let edited = replace(&bytes, &[("vs1", &[1; 65_535])]).unwrap();
    assert_eq!(edited.bytes, file([&vertex(1), &[1; 65_535]], &pixel(3)));
    assert_eq!(replace(&bytes, &[("vs1", &[1; 65_536])]).unwrap_err().id, rules::FIT.id);
}

#[test]
fn oddities_are_told() {
    let bytes = file([&vertex(1), &vertex(2)], &pixel(3));
    let odd =
        |bytes: &[u8]| read(bytes).unwrap().findings().iter().map(|finding| finding.id).collect::<Vec<_>>();
    let mut longer = bytes.clone();
    longer.extend([0; 3]);
    assert_eq!(odd(&longer), [rules::TRAILING.id]);
    assert_eq!(replace(&longer, &[]).unwrap().bytes, longer);
    // The second length of the first program, behind "rgxa", two counts, and a constant of 4 + 8 bytes.
    let mut lengths = bytes.clone();
    lengths[6 + 12 + 2] ^= 1;
    assert_eq!(odd(&lengths), [rules::SIZE.id]);
    // The vertex shader of the last pass.
    let mut pass = bytes;
    let n = pass.len() - 3;
    pass[n] = 9;
    assert_eq!(odd(&pass), [rules::UNKNOWN.id]);
}

#[test]
fn damage_is_refused() {
    let bytes = file([&vertex(1), &vertex(2)], &pixel(3));
    for end in 4..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!([rules::SHORT.id, rules::COUNT.id].contains(&error.id), "cut at {end}: {error:?}");
    }
    for place in 4..bytes.len() {
        let mut bad = bytes.clone();
        let end = bad.len().min(place + 4);
        bad[place..end].fill(0xFF);
        let _ = read(&bad);
    }
}
