//! Properties of programs that become programs of another instruction set: any bytes that have a meaning do, or are refused.

use super::{Input, Property, Seen};
use vecasm::compare::eqv::{Options as Comparing, Verdict, eqv};
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
        useful: &[("shorter", 1)],
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

/// Pixel shaders before ps_2_0 in fewer slots do what they did.
fn old_pixels_are_scheduled(bytes: &[u8], seen: &mut Seen) {
    // Of a stream of another model the words behind its version are tried as those of ps_1_x.
    let Some((version, rest)) = bytes.split_at_checked(4) else { return };
    if bytes.len() > LONGEST {
        return;
    }
    let old = matches!(version, [0..=4, 1, 0xff, 0xff]);
    let minor = bytes.len() as u8 / 4 % 5;
    let version = if old { version.to_vec() } else { vec![minor, 1, 0xff, 0xff] };
    scheduled(&AnyProgram::decode_lossless(Isa::D3d9, &[&version, rest].concat()), seen);
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
