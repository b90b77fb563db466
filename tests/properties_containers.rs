//! Properties of files that carry programs: what must hold for any bytes whatever.

use super::{Input, Property, Rng, Seen};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use vecasm::container::{Budget, Container, Format, Kind, Limits, visit};
use vecasm::contents::Contents;
use vecasm::effect;
use vecasm::open::{self, NoHost, OpenOptions, Replacement};

#[path = "../crates/vecasm-container/tests/container/build.rs"]
mod build;

pub(crate) const PROPERTIES: [Property; 1] = [Property {
    name: "containers_are_safe",
    input: Input::Container,
    check: containers_are_safe,
    // A ninth of ten thousand damaged files is read, and 94 of the first thousand.
    useful: &[("read", 8), ("refused", 10), ("edited", 4), ("with a pass", 1), ("in a text", 1)],
    runs: true,
}];

/// The longest file that is damaged.
pub(crate) const LONGEST: usize = 1 << 15;

/// What they are made from, beside the corpus: a file of each format that can be built.
pub(crate) fn files() -> Vec<Vec<u8>> {
    let program = build::pixel_program();
    let effect = build::effect();
    let pack = build::archive(&[build::stored("a.fxb", &effect), build::deflated("b/a.fxb", &effect)]);
    let nested = build::archive(&[
        build::stored("a.zip", &pack),
        build::stored("a.xnb", &build::plain_asset(&effect)),
    ]);
    vec![
        build::wrapped_effect(),
        build::drawn_effect([&program, &program], &program),
        build::effect_of("Tint", [1.0; 4], &[("A", &program), ("B", &program)]),
        build::package(&[("SLS1000.pso", program.clone()), ("SLS1000.vso", build::vertex_program())]),
        build::blob([0; 16]),
        build::monogame(&build::blob([0; 16])),
        build::plain_asset(&build::monogame(&program)),
        build::plain_asset(&effect),
        build::lz4_asset(&effect),
        pack,
        nested,
        effect,
        executable(&program),
    ]
    .into_iter()
    .chain(EXAMPLES.map(<[u8]>::to_vec))
    .chain(texts())
    .collect()
}

/// A file of each format that users have: VCS, rgxa, SWF, XBE and commands of virgl are only here.
const EXAMPLES: [&[u8]; 8] = [
    include_bytes!("../examples/containers/tint_ps20.vcs"),
    include_bytes!("../examples/containers/gta_tint.fxc"),
    include_bytes!("../examples/containers/movie.swf"),
    include_bytes!("../examples/containers/default.xbe"),
    include_bytes!("../examples/containers/buffer.seed"),
    include_bytes!("../examples/containers/mods.zip"),
    include_bytes!("../examples/containers/sepia.xnb"),
    include_bytes!("../examples/containers/shaderpackage.sdp"),
];

/// A program of Windows with a resource, and a program of Direct3D among its data as well: one section for both.
fn executable(program: &[u8]) -> Vec<u8> {
    const ADDRESS: u32 = 0x1000;
    const START: u32 = 0x100;
    let size = program.len() as u32;
    // A tree of one type, one name and one language; the words of a resource; its bytes, and those of the other program.
    let level = |id: u32, next: u32| build::words(&[0, 0, 0, 1 << 16, id, next]);
    let tree = [level(10, 1 << 31 | 24), level(101, 1 << 31 | 48), level(1033, 72)].concat();
    let data = [&tree, &build::words(&[ADDRESS + 88, size, 0, 0])[..], program, program].concat();
    let mut out = [&b"MZ"[..], &[0; 58], &[0x40, 0, 0, 0], b"PE\0\0"].concat();
    // x86, one section, an optional header of 96 bytes and three directories.
    out.extend(build::words(&[0x0001_014C, 0, 0, 0, 120]));
    out.extend(build::words(&[0x10B]));
    out.extend([0; 88]);
    out.extend(build::words(&[3, 0, 0, 0, 0, ADDRESS, tree.len() as u32 + 16]));
    out.extend(b".rdata\0\0");
    out.extend(build::words(&[data.len() as u32, ADDRESS, data.len() as u32, START, 0, 0, 0, 0x4000_0040]));
    out.resize(START as usize, 0);
    [out, data].concat()
}

/// Repeats files so that each format has as many of them: as often as one is drawn, the others are. Texts count by how they begin.
pub(crate) fn balance(files: &mut Vec<Vec<u8>>) {
    let mut formats: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for file in files.drain(..) {
        let name = match Format::of(&file) {
            Some(format) => format.name().into(),
            None => String::from_utf8_lossy(&file[..file.len().min(2)]).into_owned(),
        };
        formats.entry(name).or_default().push(file);
    }
    let most = formats.values().map(Vec::len).max().unwrap_or(0);
    for of_format in formats.into_values() {
        files.extend(of_format.iter().cycle().take(most).cloned());
    }
}

/// A file with a few bytes, words or pieces changed, doubled, cut out or moved.
pub(crate) fn damaged(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const NUMBERS: [u32; 12] =
        [0, 1, 2, 0x7F, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF];
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(3) {
        // Most of what counts stands at the front, or in words.
        let near = if rng.below(2) == 0 { out.len().min(96) } else { out.len() };
        let at = rng.below(near.max(1));
        let word = at & !3;
        let some = |rng: &mut Rng, from: usize| from..(from + 1 + rng.below(24)).min(out.len());
        match rng.below(9) {
            0 => out.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << rng.below(8)),
            1 => out.iter_mut().skip(at).take(1).for_each(|byte| *byte = rng.next() as u8),
            2 | 3 => {
                let number = NUMBERS[rng.below(NUMBERS.len())].to_le_bytes();
                out.iter_mut().skip(word).zip(number).for_each(|(byte, new)| *byte = new);
            }
            // A number a little larger or smaller than it was.
            4 => {
                if let Some(bytes) = out.get_mut(word..word + 4) {
                    let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                    let step = [1, 4, 0xFFFF_FFFF, 0xFFFF_FFFC][rng.below(4)];
                    bytes.copy_from_slice(&number.wrapping_add(step).to_le_bytes());
                }
            }
            5 => out.truncate(at),
            6 if at < out.len() => drop(out.drain(some(rng, at))),
            7 if at < out.len() => {
                let piece = out[some(rng, at)].to_vec();
                drop(out.splice(at..at, piece));
            }
            8 if word + 4 <= out.len() => {
                let from = rng.below(out.len()) & !3;
                if let Some(piece) = out.get(from..from + 4).map(<[u8]>::to_vec) {
                    out[word..word + 4].copy_from_slice(&piece);
                }
            }
            _ => {}
        }
    }
    out.truncate(2 * LONGEST);
    out
}

/// Limits that keep a case short; those by default are the same code.
fn limits() -> Limits {
    let mut limits = Limits::DEFAULT;
    limits.unpacked = 1 << 20;
    limits.entries = 1 << 14;
    limits
}

/// Texts and recordings with programs: an array of words and one of bytes, digits, a dump with offsets, a shader of Unity, calls of
/// apitrace, a pushbuffer with two programs.
fn texts() -> Vec<Vec<u8>> {
    let program = build::pixel_program();
    let list = |form: fn(&u8) -> String, join: &str| program.iter().map(form).collect::<Vec<_>>().join(join);
    let words: Vec<String> =
        program.chunks(4).map(|w| format!("0x{:02x}{:02x}{:02x}{:02x}", w[3], w[2], w[1], w[0])).collect();
    let array = format!("const DWORD a[{}] = {{\n  {}\n}};\n", words.len(), words.join(", "));
    let bytes = format!("const BYTE b[] = {{ {} }};\n", list(|byte| format!("{byte:>3}"), ","));
    let rows = program.chunks(8).enumerate().map(|(n, row)| {
        let groups: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{:08x}: {}  ........\n", 8 * n, groups.join(" "))
    });
    let text = ["ps_2_0", "dcl t0", "mul r0, t0, c0", "mov oC0, r0", ""].join("\n");
    let unity = format!(
        "Shader \"A\" {{\nPass {{\nProgram \"fp\" {{\nSubProgram \"d3d9 \" {{\nKeywords {{ \"X\" }}\nVector 0 [_C]\n\"{text}\"\n}}\n}}\n}}\n}}\n"
    );
    let trace = format!(
        "1 Direct3DCreate9() = 1\n7 IDirect3DDevice9::CreatePixelShader(pFunction = \"{text}\") = D3D_OK\n"
    );
    // Slots that move v0 to oPos, the last one final; loaded at 0 and 60 and drawn.
    let slot = [0, 0x0020_001B, 0x0836_106C, 0x2070_F801];
    let packet = |method: u32, data: &[u32]| [&[(data.len() as u32) << 18 | method][..], data].concat();
    let pushed = [
        packet(0x1E9C, &[0]),
        packet(0xB00, &slot),
        packet(0x17FC, &[5]),
        packet(0x1E9C, &[60]),
        packet(0xB00, &slot),
        packet(0x1EA0, &[60]),
        packet(0x17FC, &[5]),
    ];
    let pushed = build::words(&pushed.concat());
    let texts =
        [array.clone() + &bytes, array, list(|byte| format!("{byte:02x}"), ""), rows.collect(), unity, trace];
    texts.map(String::into_bytes).into_iter().chain([pushed]).collect()
}

/// Programs that a text carries are read, and put back: what is written is the same text, or reads back as what was put there.
fn texts_are_safe(bytes: &[u8], seen: &mut Seen) {
    let (options, plain) = (OpenOptions::default(), open::plain(bytes.to_vec()));
    let input = open::Input::new("file", None, plain);
    let carried = input.carried(&options);
    let Some(first) = carried.first() else { return };
    let Ok(text) = std::str::from_utf8(input.bytes()) else { return };
    assert!(
        input.with_programs(&[], &options).is_ok_and(|same| same == text),
        "another text without an edit"
    );
    let mut rng = Rng::of(bytes);
    let n = rng.below(carried.len());
    let (Ok(new), Ok(_)) = (first.read(&options, &mut NoHost), carried[n].read(&options, &mut NoHost)) else {
        return;
    };
    seen.count("in a text");
    match input.with_programs(&[Replacement::new(n, new.encode())], &options) {
        Ok(text) => {
            let after = open::Input::new("file", None, text.into_bytes()).carried(&options);
            assert_eq!(after.len(), carried.len());
            let names = |one: &open::Input| one.piece().map(|piece| piece.names().to_vec());
            assert!(carried.iter().map(names).eq(after.iter().map(names)), "other names");
        }
        Err(finding) => assert!(finding.id.starts_with("CONTAINER-"), "{finding}"),
    }
}

/// It is no container; or it is refused with an id; or it is read, with everything in it; without an edit it is written as it
/// was, and with one it is read back with that.
fn containers_are_safe(bytes: &[u8], seen: &mut Seen) {
    let Some(format) = Format::of(bytes) else { return texts_are_safe(bytes, seen) };
    let budget = || Budget::new(limits());
    let container = match Container::read(bytes, &mut budget()) {
        Ok(container) => container,
        Err(finding) => {
            seen.count("refused");
            assert!(finding.id.starts_with("CONTAINER-"), "{finding}");
            return;
        }
    };
    seen.count("read");
    assert_eq!(container.format(), format);
    let _ = visit::<()>(&container, &mut budget(), &mut |_| ControlFlow::Continue(()), &mut |_, finding| {
        assert!(finding.id.starts_with("CONTAINER-"), "{finding}");
    });
    let listed =
        Contents::with_hashes("file", bytes, limits(), &|_| None).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(listed.entries.len(), container.entries().len());
    if let Ok(Some(draw)) = effect::draw(bytes, None, &[], limits()) {
        seen.count("with a pass");
        assert!(draw.passes.iter().all(|pass| pass.vertex.is_some() || pass.fragment.is_some()));
    }
    let same = container.replace(&[]).unwrap_or_else(|why| panic!("{why}"));
    assert!(same.bytes == bytes, "other bytes without an edit");
    let mut rng = Rng::of(bytes);
    let count = container.entries().len();
    if count == 0 {
        return;
    }
    let n = rng.below(count);
    let entry = &container.entries()[n];
    let Ok(old) = container.bytes(entry, &mut budget()) else { return };
    let mut new = old.into_owned();
    match rng.below(3) {
        0 => new.resize(new.len() + 4 * rng.below(200), 0x5A),
        1 => new.truncate((new.len() / 2) & !3),
        _ => new.iter_mut().take(1).for_each(|byte| *byte ^= 0x20),
    }
    let edited = match container.replace(&[(n, &new)]) {
        Ok(edited) => edited,
        Err(finding) => return assert!(finding.id.starts_with("CONTAINER-"), "{finding}"),
    };
    seen.count("edited");
    // A stream that is no program any more, or a file that is another one, need not be found again as what it was; commands of virgl
    // are known by their programs alone.
    let again = Container::read(&edited.bytes, &mut budget());
    if format == Format::Virgl && again.is_err() {
        return;
    }
    let again = again.unwrap_or_else(|why| panic!("{}: edited, but not read: {why}", entry.address));
    let holds = again.entries().iter().any(|entry| {
        !matches!(entry.kind, Kind::Container(_) if entry.size() != new.len())
            && again.bytes(entry, &mut budget()).is_ok_and(|bytes| *bytes == *new)
    });
    // What is empty is no entry of an effect.
    let scanned = new.is_empty() || matches!(format, Format::Pe | Format::Xbe | Format::Xnb | Format::Swf);
    assert!(holds || scanned, "{}: {} bytes are not found again", entry.address, new.len());
}
