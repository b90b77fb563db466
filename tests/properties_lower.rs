//! Properties of programs that become programs of another instruction set: any bytes that have a meaning do, or are refused.

use super::{Input, Property, Seen};
use vecasm::compare::eqv::{Options as Comparing, Verdict, eqv};
use vecasm::ir::random::Rng;
use vecasm::ir::{Promise, Stage};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::lower::{OptimizeOptions, Options, lower, optimize};
use vecasm::{LiftOptions, Target, code};

pub(crate) const PROPERTIES: [Property; 6] = [
    Property {
        name: "programs_are_lowered",
        input: Input::Program,
        check: programs_are_lowered,
        useful: &[("lowered", 10)],
        runs: true,
    },
    Property {
        name: "slots_are_lowered",
        input: Input::Slots,
        check: slots_are_lowered,
        useful: &[("lowered", 10)],
        runs: true,
    },
    Property {
        name: "slots_are_scheduled",
        input: Input::Slots,
        check: slots_are_scheduled,
        useful: &[("shorter", 10)],
        runs: true,
    },
    Property {
        name: "old_pixels_are_scheduled",
        input: Input::Stream,
        check: old_pixels_are_scheduled,
        useful: &[("shorter", 10)],
        runs: true,
    },
    Property {
        name: "streams_are_lowered",
        input: Input::Stream,
        check: streams_are_lowered,
        useful: &[("lowered", 2)],
        runs: true,
    },
    Property {
        name: "tokens_are_lowered",
        input: Input::Tokens,
        check: tokens_are_lowered,
        useful: &[("lowered", 2)],
        runs: true,
    },
];

fn programs_are_lowered(bytes: &[u8], seen: &mut Seen) {
    lowered(Isa::Agal, bytes, seen);
}

fn slots_are_lowered(bytes: &[u8], seen: &mut Seen) {
    lowered(Isa::Nv2a, bytes, seen);
}

fn streams_are_lowered(bytes: &[u8], seen: &mut Seen) {
    lowered(Isa::D3d9, bytes, seen);
}

fn tokens_are_lowered(bytes: &[u8], seen: &mut Seen) {
    lowered(Isa::Tgsi, bytes, seen);
}

/// Programs of the NV2A in fewer slots do what they did.
fn slots_are_scheduled(bytes: &[u8], seen: &mut Seen) {
    if bytes.len() <= LONGEST {
        scheduled(&AnyProgram::decode_lossless(Isa::Nv2a, bytes), seen);
    }
}

/// Pixel shaders before ps_2_0 in fewer slots do what they did. What is a stream of another model chooses instructions.
fn old_pixels_are_scheduled(bytes: &[u8], seen: &mut Seen) {
    if bytes.len() > LONGEST {
        return;
    }
    let old = matches!(bytes, [0..=4, 1, 0xff, 0xff, ..]);
    let program = if old { AnyProgram::decode_lossless(Isa::D3d9, bytes) } else { chosen(bytes) };
    scheduled(&program, seen);
}

/// A program of ps_1_x whose instructions bytes choose: most of them can be said.
fn chosen(bytes: &[u8]) -> AnyProgram {
    let seed = bytes.iter().fold(1_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let mut numbers = Rng::new(seed);
    let mut of = |list: &[u32]| list[numbers.below(list.len())];
    let minor = of(&[0, 1, 2, 3, 4]);
    let four = minor == 4;
    let mut words = vec![0xffff_0100 | minor];
    // Two textures, in ps_1_4 in r#.
    for number in 0..2 {
        match four {
            true => words.extend([0x42, 0x800f_0000 | number, 0xb0e4_0000 | number]),
            false => words.extend([0x42, 0xb00f_0000 | number]),
        }
    }
    for _ in 0..of(&[2, 4, 6, 9]) {
        // mov mov add sub mad mul dp3 lrp cnd, in ps_1_4 also cmp.
        let all = [0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x12, 0x50, 0x58];
        let code = of(&all[..if four { 10 } else { 9 }]);
        let mask = of(&[7, 8, 15, 7, 8, 3][..if four { 6 } else { 5 }]);
        // Now and then _sat or a shift, and the second half of a pair.
        let result = of(&[0, 0, 0, 1, 0x10, 0xf1]);
        words.extend([code | of(&[0, 0, 1]) << 30, 0x8000_0000 | mask << 16 | result << 20 | of(&[0, 1])]);
        let count = match code {
            0x01 => 1,
            0x04 | 0x12 | 0x50 | 0x58 => 3,
            _ => 2,
        };
        for n in 0..count {
            let file = of(&[0x8000_0000, 0x8000_0001, 0x9000_0000, 0xa000_0000, 0xb000_0000]
                [..if four { 4 } else { 5 }]);
            let modifier = if file == 0xa000_0000 { 0 } else { of(&[0, 0, 0, 1, 4, 6]) };
            let chooses = code == 0x50 && n == 0 && !four;
            words.push(if chooses {
                0x80ff_0000
            } else {
                file | of(&[0xe4, 0xe4, 0xff]) << 16 | modifier << 24
            });
        }
    }
    words.push(0xffff);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    AnyProgram::decode_lossless(Isa::D3d9, &bytes)
}

fn scheduled(program: &AnyProgram, seen: &mut Seen) {
    for schedule_only in [false, true] {
        let how = OptimizeOptions::default().with_schedule_only(schedule_only).with_budget(Some(200));
        let Ok(made) = optimize(program, &how) else { return };
        if made.kept.is_some() {
            seen.count("kept");
            continue;
        }
        seen.count("shorter");
        let lifted = [program, &made.program].map(|program| program.lift(&LiftOptions::default()));
        let [Ok(before), Ok(after)] = lifted else { panic!("what is lifted is lifted again: {lifted:?}") };
        let comparing = Comparing { count: 8, prove: false, ..Comparing::default() };
        let Ok(report) = eqv(&before, &after, &comparing) else { continue };
        let different = matches!(report.verdict, Verdict::Different(_));
        assert!(!different, "{:?}\n{}\n{}", report.verdict, program.to_text(), made.program.to_text());
    }
}

/// Longer programs take longer than a mutant may.
const LONGEST: usize = 1 << 12;

/// What is written is read again, and does the same where that is promised to the bit.
fn lowered(isa: Isa, bytes: &[u8], seen: &mut Seen) {
    if bytes.len() > LONGEST {
        return;
    }
    let program = AnyProgram::decode_lossless(isa, bytes);
    let Ok(shader) = program.lift(&LiftOptions::for_gpus()) else { return };
    let shader = code::settle(shader, &[], &mut Vec::new());
    let mut options = Options::default();
    options.nv2a.viewport = Some(false);
    for target in [Target::Agal, Target::D3d9, Target::Nv2a, Target::Tgsi] {
        let made = match lower(&shader, target, &options) {
            Ok(made) => made,
            Err(reasons) => {
                assert!(reasons.iter().all(|reason| reason.id.starts_with("LOWER-")), "{reasons:?}");
                seen.count("refused");
                continue;
            }
        };
        seen.count("lowered");
        let to = made.program.isa();
        let (again, findings) = AnyProgram::parse(to, &made.text, None, None);
        assert!(
            again.as_ref() == Some(&made.program),
            "it reads as another program: {findings:?}\n{}",
            made.text
        );
        let again =
            made.program.lift(&LiftOptions::default()).unwrap_or_else(|why| panic!("{why}\n{}", made.text));
        let exact = made.link.promise == Some(Promise::Exact);
        if !exact || !matches!(shader.stage, Stage::Vertex | Stage::Fragment) {
            continue;
        }
        let comparing =
            Comparing { count: 8, fuel: 64, prove: false, link: Some(made.link), ..Comparing::default() };
        // Some shaders cannot be compared: those that read buffers.
        let Ok(report) = eqv(&shader, &again, &comparing) else { continue };
        seen.count("the same");
        let different = matches!(report.verdict, Verdict::Different(_));
        assert!(!different, "{:?}\n{}\n{}", report.verdict, program.to_text(), made.text);
    }
}
