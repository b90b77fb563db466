//! Properties of the NV2A's microcode and texts: what must hold for any bytes whatever.

use super::{Input, Property, Rng, Seen, laid_out_once, presentable, symbols_are_in_place};
use vecasm::diag::{self, Place};
use vecasm::isa::nv2a::bytes::{decode, decode_lossless, encode, parse_words};
use vecasm::isa::nv2a::methods::{each_program, writes};
use vecasm::isa::nv2a::pair::Mode;
use vecasm::isa::nv2a::rules::{self, Level};
use vecasm::isa::nv2a::text::tools::{AssembleOptions, DisassembleOptions, nv2avsh, nv2avshd};
use vecasm::isa::nv2a::text::{self, Dialect, Numbering, ParseOptions, PrintOptions, Style};
use vecasm::isa::nv2a::{Program, Slot};
use vecasm::isa::{AnyProgram, Isa};

/// The properties of bytes and texts; those of what slots mean are in `properties_nv2a.rs`.
pub(crate) const PROPERTIES: [Property; 5] = [
    Property {
        name: "slots_round_trip",
        input: Input::Microcode,
        check: bytes_round_trip,
        useful: &[("decoded", 60), ("with slots", 50)],
        runs: false,
    },
    Property {
        name: "slots_read_back",
        input: Input::Microcode,
        check: text_round_trip,
        useful: &[("sayable without raw words", 5), ("written in another language", 1)],
        runs: false,
    },
    Property {
        name: "slots_are_validated",
        input: Input::Microcode,
        check: validation_is_total,
        useful: &[("refused", 25), ("accepted", 2)],
        runs: false,
    },
    Property {
        name: "vsh_text_is_safe",
        input: Input::Vsh,
        check: text_is_safe,
        useful: &[("assembled", 5), ("refused", 10)],
        runs: false,
    },
    Property {
        name: "vsh_tools_are_safe",
        input: Input::Vsh,
        check: tools_are_safe,
        useful: &[("with output", 5)],
        runs: false,
    },
];

/// Decoding and encoding any bytes gives the same bytes, also written as words.
fn bytes_round_trip(bytes: &[u8], seen: &mut Seen) {
    let lossless = decode_lossless(bytes);
    assert!(encode(&lossless) == bytes, "other bytes came back");
    match decode(bytes) {
        Ok(program) => {
            seen.count("decoded");
            if !program.slots.is_empty() {
                seen.count("with slots");
            }
            assert!(program == lossless, "decode and decode_lossless differ");
            assert!(program.tail.len() < Slot::SIZE, "the tail holds a whole slot");
        }
        Err(finding) => presentable(&finding, "input", None),
    }
    if bytes.chunks_exact(4).remainder().is_empty() && !bytes.is_empty() {
        let words = AnyProgram::Nv2a(lossless).hex();
        assert!(
            Isa::Nv2a.read_hex(&words).as_deref() == Some(bytes),
            "other bytes after writing them as words"
        );
    }
}

/// The lossless text of any program reads back as the program, and every style has a line for every slot.
fn text_round_trip(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let printed = text::print(&program, &PrintOptions::default());
    let (again, findings) = text::parse(&printed, &ParseOptions::default());
    assert!(again.as_ref() == Some(&program), "reads back as {again:?}, {findings:?}:\n{printed}");
    assert!(text::looks_like(&printed), "is not recognized:\n{printed}");
    if !program.slots.is_empty() && !printed.contains(".raw") {
        seen.count("sayable without raw words");
    }
    for style in Style::ALL {
        for compat in [false, true] {
            let printed = text::print(&program, &PrintOptions { style, compat });
            assert!(
                !printed.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')),
                "a control character"
            );
            let lines = printed.split('\n').count();
            assert!(lines >= program.slots.len(), "{lines} lines");
        }
    }
    // What another language says of it reads back as what it would say again.
    for &dialect in Dialect::WRITTEN {
        match text::write(&program, dialect) {
            Ok(written) => {
                seen.count("written in another language");
                let (again, findings) = text::parse(&written, &ParseOptions::default());
                let again = again.unwrap_or_else(|| panic!("{written}is refused: {findings:?}"));
                assert!(again.slots.len() == program.slots.len(), "slots are lost:\n{written}");
                let bare = Program { container: program.container.clone(), ..again };
                assert!(
                    text::write(&bare, dialect).as_ref() == Ok(&written),
                    "written in two ways:\n{written}"
                );
            }
            Err(findings) => {
                assert!(!findings.is_empty(), "refused without a word");
                findings.iter().take(3).for_each(|finding| presentable(finding, "input", None));
            }
        }
    }
    let mut runs = 0;
    let summary = each_program(writes(bytes), |run| {
        runs += 1;
        assert!(run.number == runs && !run.slots.is_empty() && run.place < bytes.len(), "{run:?}");
    });
    assert!(summary.programs == runs, "{summary:?}");
    // The words that are printed are the words.
    let inl = text::print(&program, &PrintOptions { style: Style::Inl, compat: false });
    let words = encode(&Program::new(program.slots));
    assert!(parse_words(&inl).unwrap_or_default() == words, "the listing has other words:\n{inl}");
}

/// Every level says the same twice and finds places inside the input; the fields of every slot have a meaning.
fn validation_is_total(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    for level in Level::ALL {
        let options = rules::Options { level };
        let findings = rules::validate(&program, &options);
        for finding in &findings {
            if let Place::Binary { offset, .. } = finding.place {
                assert!(offset as usize <= bytes.len(), "a place behind the end");
            }
        }
        findings.iter().take(3).for_each(|finding| presentable(finding, "input", None));
        assert!(findings == rules::validate(&program, &options), "a second look finds something else");
        if level == Level::Hardware {
            seen.count(if diag::has_errors(&findings) { "refused" } else { "accepted" });
        }
    }
    let usage = rules::describe(&program);
    assert!(usage.live_lanes.len() == usage.slots && usage.slots <= program.slots.len(), "slots are missing");
    for slot in program.slots.iter().take(20) {
        assert!(
            rules::field_meanings(slot).iter().all(|told| !told.meaning.is_empty()),
            "a field without a meaning"
        );
    }
}

/// Any text can be read in every language and mode; what is taken comes back from printing, and laying it out changes
/// nothing.
fn text_is_safe(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    let dialects = Dialect::ALL.iter().copied().map(Some).chain([None]);
    for (n, dialect) in dialects.enumerate() {
        for mode in [Mode::Strict, Mode::Compat] {
            for numbering in Numbering::ALL {
                let options = ParseOptions {
                    numbering,
                    mode,
                    dialect,
                    explicit_final: n == 0,
                    ..ParseOptions::default()
                };
                let (assembled, findings) = text::assemble(&input, &options);
                assert!(
                    assembled.is_some() != diag::has_errors(&findings),
                    "neither taken nor refused, or both"
                );
                findings.iter().take(5).for_each(|finding| presentable(finding, "input", Some(&input)));
                if dialect.is_none() && mode == Mode::Strict && numbering == Numbering::Hardware {
                    seen.count(if assembled.is_some() { "assembled" } else { "refused" });
                }
                let Some(assembled) = assembled else { continue };
                assert!(assembled.spans.len() == assembled.program.slots.len(), "slots without a place");
                assert!(
                    assembled.spans.iter().all(|s| s.start <= s.end && s.end as usize <= input.len()),
                    "a slot has its place outside the text"
                );
                let printed = text::print(&assembled.program, &PrintOptions::default());
                let again = text::parse(&printed, &ParseOptions::default()).0;
                assert!(again.as_ref() == Some(&assembled.program), "reads back as {again:?}:\n{printed}");
                let _ = text::inl(&assembled.program, &assembled.said, mode == Mode::Compat);
            }
        }
    }
    laid_out_once(Isa::Nv2a, &input, seen);
    symbols_are_in_place(Isa::Nv2a, &input);
}

/// The tools answer whatever they get; what `nv2avsh` writes without --strict-compat has the words of the program, and
/// `nv2avshd` reads it.
fn tools_are_safe(bytes: &[u8], seen: &mut Seen) {
    for strict_compat in [false, true] {
        for explicit_final in [false, true] {
            let answer = nv2avsh("input", bytes, &AssembleOptions { explicit_final, strict_compat });
            assert!(answer.errors.is_empty() || answer.errors.ends_with('\n'), "a line without an end");
            let Some(listing) = answer.output else {
                assert!(!answer.errors.is_empty(), "refused without a word");
                continue;
            };
            if !strict_compat && !explicit_final {
                seen.count("with output");
                let input = String::from_utf8_lossy(bytes);
                let program =
                    text::parse(&input.replace("\r\n", "\n").replace('\r', "\n"), &ParseOptions::default()).0;
                let words = program.map(|p| encode(&Program::new(p.slots))).unwrap_or_default();
                assert!(parse_words(&listing).unwrap_or_default() == words, "other words:\n{listing}");
            }
            let options = DisassembleOptions { text: true, ..DisassembleOptions::default() };
            let back = nv2avshd("input", listing.as_bytes(), &options);
            assert!(back.output.is_some(), "does not read {listing}: {}", back.errors);
        }
        for text in [false, true] {
            let _ = nv2avshd("input", bytes, &DisassembleOptions { text, explain: true, strict_compat });
        }
    }
}

/// A text with some pieces cut, doubled, replaced or put in.
pub(crate) fn damaged_text(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 43] = [
        "+",
        " + rcp r1.x, ",
        ",",
        ".",
        "-",
        "[",
        "]",
        "c[A0+",
        "c[",
        "#m ",
        "#m matrix4 96\n",
        "%norm3 ",
        "%matmul4x4 r0 v0 #m\n",
        "mov ",
        "r12",
        "oPos",
        "a0.x",
        "\n",
        "; ",
        "/*",
        "*/",
        "// 0x",
        "0x00000001, ",
        ".raw ",
        "{OUT_ORB=0}",
        ":ilu",
        ".constants d3d\n",
        "!!VP1.0\n",
        "999999999999",
        "é",
        "END\n",
        "c[A0.x+",
        "o[HPOS]",
        "#const c[1] = ",
        "xvs.1.1\n",
        "def c1, ",
        "m4x4 ",
        "/* Slot 0: ",
        "0x00000001 */ ",
        "MOV(oPos,xyzw, ",
        "-> 0x0b00 ",
        "NV097_SET_TRANSFORM_PROGRAM[0] ",
        "NV097_SET_BEGIN_END 0x5\n",
    ];
    if rng.below(16) == 0 {
        return super::random_nv2a::text(rng).into_bytes();
    }
    super::damaged_with(seed, &PIECES, rng)
}

/// A damaged copy of a binary: bits, words, fields and slots are changed, doubled, cut off.
pub(crate) fn damaged(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = seed.to_vec();
    let slots = out.len() / Slot::SIZE;
    match rng.below(8) {
        0 | 1 => {
            for _ in 0..=rng.below(3) {
                let bit = rng.below(out.len() * 8);
                if let Some(byte) = out.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
        }
        2 => {
            let at = rng.below(out.len());
            if let Some(byte) = out.get_mut(at) {
                *byte = rng.next() as u8;
            }
        }
        3 => out.truncate(rng.below(out.len())),
        4 => out.extend((0..=rng.below(60)).map(|_| rng.next() as u8)),
        5 if slots > 0 => {
            let from = rng.below(slots) * Slot::SIZE;
            let to = rng.below(slots + 1) * Slot::SIZE;
            let slot = out[from..from + Slot::SIZE].to_vec();
            out.splice(to..to, slot);
        }
        6 => {
            // The header of a microcode file, with the right number of slots or a wrong one.
            let version = [0x2078_u16, 0x7378, 0x7778, 0xf078, 0x2079][rng.below(5)];
            let count = if rng.below(2) == 0 { slots } else { rng.below(300) } as u16;
            out.splice(0..0, version.to_le_bytes().into_iter().chain(count.to_le_bytes()));
        }
        7 if slots > 0 => {
            // A packet that uploads slots, and another behind it.
            let header = ((slots as u32 * 4) << 18 | 0x0b00).to_le_bytes();
            out.splice(0..0, header);
            out.extend((1_u32 << 18 | [0x17fc, 0x1e9c, 0x0b80, 2][rng.below(4)]).to_le_bytes());
            out.extend((rng.next() as u32).to_le_bytes());
        }
        _ => {
            let slot = super::random_nv2a::slot(rng);
            out.splice(0..0, slot.0.into_iter().flat_map(u32::to_le_bytes));
        }
    }
    out
}
