//! Programs and texts at random.

use crate::random::Random;
use vecasm_isa::agal::Opcode;
use vecasm_isa::agal::bytes::{decode_lossless, encode};
use vecasm_isa::agal::text::properties::{bytes_round_trip, text_is_safe};
use vecasm_isa::agal::text::{ParseOptions, PrintOptions, parse, print};

fn check(result: Result<(), String>) {
    if let Err(why) = result {
        panic!("{why}");
    }
}

/// Tokens whose fields are mostly in range, so that many of them can be said.
fn plausible_token(r: &mut Random) -> [u8; 24] {
    let mut b = [0; 24];
    let opcode = r.below(0x30) as u8;
    b[0] = opcode;
    if r.below(6) > 0 {
        b[4] = r.below(9) as u8;
        b[6] = 1 + r.below(15) as u8;
        b[7] = r.below(5) as u8;
    }
    for at in [8, 16] {
        if r.below(8) == 0 {
            continue;
        }
        b[at] = r.below(9) as u8;
        b[at + 3] = r.next() as u8;
        b[at + 4] = r.below(6) as u8;
        if r.below(6) == 0 {
            b[at + 2] = r.next() as u8;
            b[at + 4] = 1;
            b[at + 5] = r.below(4) as u8;
            b[at + 6] = r.below(4) as u8;
            b[at + 7] = 0x80;
        }
    }
    if matches!(opcode, 0x26 | 0x28 | 0x2e) && r.below(4) > 0 {
        b[18] = r.next() as u8;
        b[19] = 0;
        b[20] = 5;
        b[21] = (r.below(5) | r.below(4) << 4) as u8;
        b[22] = (r.below(9) | r.below(5) << 4) as u8;
        b[23] = (r.below(4) | r.below(7) << 4) as u8;
    }
    if let Some(op) = Opcode::from_code(b[0].into(), 2).filter(|_| r.below(4) > 0) {
        if !op.row().has_dst() {
            b[4..8].fill(0);
        }
        b[8 + 8 * op.row().sources().len()..].fill(0);
    }
    if r.below(8) == 0 {
        b[r.below(24) as usize] ^= 1 << r.below(8);
    }
    b
}

#[test]
fn random_programs_round_trip() {
    let mut r = Random(0x5eed_0001);
    let mut plain = 0;
    for _ in 0..4000 {
        let mut bytes = vec![0xa0, r.below(6) as u8, 0, 0, 0, 0xa1, r.below(3) as u8];
        for _ in 0..r.below(5) {
            bytes.extend_from_slice(&plausible_token(&mut r));
        }
        for _ in 0..r.below(4) {
            bytes.push(r.next() as u8);
        }
        if r.below(8) == 0 {
            bytes.truncate(r.below(9) as usize);
        }
        check(bytes_round_trip(&bytes));
        let text = print(&decode_lossless(&bytes), &PrintOptions::default());
        plain += text.lines().filter(|line| !line.starts_with('.')).count();
    }
    assert!(plain > 1000, "only {plain} tokens without .token");
}

#[test]
fn noise_round_trips() {
    let mut r = Random(0x5eed_0002);
    for _ in 0..500 {
        let bytes: Vec<u8> = (0..r.below(100)).map(|_| r.next() as u8).collect();
        check(bytes_round_trip(&bytes));
    }
}

#[test]
fn every_operation_round_trips_in_every_stage_and_version() {
    for stage in 0..2 {
        for version in 0..6 {
            for opcode in 0..0x31 {
                for type2 in [0, 1, 2, 4, 5] {
                    let mut bytes = vec![0xa0, version, 0, 0, 0, 0xa1, stage, opcode, 0, 0, 0];
                    bytes.extend_from_slice(&[
                        0, 0, 15, 2, 1, 0, 0, 0x55, 2, 0, 0, 0, 3, 0, 0, 0, type2, 0, 0, 0,
                    ]);
                    check(bytes_round_trip(&bytes));
                    assert_eq!(encode(&decode_lossless(&bytes)), bytes);
                }
            }
        }
    }
}

#[test]
fn random_text_is_safe() {
    const LINES: [&str; 16] = [
        "mov ft0, v0",
        "tex ft1, v0.xy, fs0 <2d,linear>",
        "tex ft2, ft1, fs1 <>",
        "tex ft2, ft1, fs1",
        "kil ft0.x",
        "ife ft0.x, fc3.y",
        "els",
        "eif",
        "mov oc, ft0",
        "m44 op, va0, vc[va1.x+4]",
        "mov vt0.xz, vc[va0.y-3].wx",
        "tld vt0, va1, vs3 <2d,nearest>",
        ".agal fragment 2",
        ".token 1 2 3 4",
        "// a comment",
        "",
    ];
    const NOISE: [&str; 22] = [
        " ",
        "\t",
        ",",
        "\n",
        "\r",
        ".",
        ".x",
        ".rgba",
        "[",
        "]",
        "<",
        ">",
        "//",
        "-1.5",
        "+",
        "0",
        "9999999999",
        "é",
        "\u{2028}",
        ";",
        ".tail 00",
        "MOV",
    ];
    let mut r = Random(0x5eed_0003);
    let mut taken = 0;
    for _ in 0..10_000 {
        let vertex = r.below(2) * 9;
        let mut text = String::new();
        for _ in 0..r.below(5) {
            let line = match r.below(3) {
                0 => r.below(16),
                _ => vertex + r.below(9 - vertex / 3),
            };
            text.push_str(LINES.get(line as usize).copied().unwrap_or(""));
            text.push('\n');
        }
        for _ in 0..r.below(3) {
            let at = r.below(text.len() as u64 + 1) as usize;
            if text.is_char_boundary(at) {
                text.insert_str(at, NOISE[r.below(22) as usize]);
            }
        }
        check(text_is_safe(&text));
        taken += usize::from(parse(&text, &ParseOptions::default()).0.is_some_and(|p| !p.tokens.is_empty()));
    }
    assert!(taken > 1000, "only {taken} texts were programs");
}
