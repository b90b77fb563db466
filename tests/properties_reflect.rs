//! Properties of the facts about programs: any bytes have them, and they are one line of JSON.

use super::{Input, Property, Seen};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::reflect::{Info, Origin};

pub(crate) const PROPERTIES: [Property; 4] = [
    Property {
        name: "programs_are_described",
        input: Input::Program,
        check: programs_are_described,
        useful: &[("with a meaning", 25), ("without one", 10)],
        runs: false,
    },
    Property {
        name: "slots_are_described",
        input: Input::Slots,
        check: slots_are_described,
        useful: &[("with a meaning", 25)],
        runs: false,
    },
    Property {
        name: "streams_are_described",
        input: Input::Stream,
        check: streams_are_described,
        useful: &[("with a meaning", 5), ("without one", 10)],
        runs: false,
    },
    Property {
        name: "tokens_are_described",
        input: Input::Tokens,
        check: tokens_are_described,
        useful: &[("with a meaning", 5), ("without one", 10)],
        runs: false,
    },
];

fn programs_are_described(bytes: &[u8], seen: &mut Seen) {
    described(Isa::Agal, bytes, seen);
}

fn slots_are_described(bytes: &[u8], seen: &mut Seen) {
    described(Isa::Nv2a, bytes, seen);
}

fn streams_are_described(bytes: &[u8], seen: &mut Seen) {
    described(Isa::D3d9, bytes, seen);
}

fn tokens_are_described(bytes: &[u8], seen: &mut Seen) {
    described(Isa::Tgsi, bytes, seen);
}

/// A program has an interface or a problem, and its facts are JSON that has no key twice and no line break.
fn described(isa: Isa, bytes: &[u8], seen: &mut Seen) {
    let program = AnyProgram::decode_lossless(isa, bytes);
    let shader = program.lift(&LiftOptions::default());
    let info = Info::of(&program, shader.as_ref()).with_origin(Origin::new("a\n\"b"));
    seen.count(if shader.is_ok() { "with a meaning" } else { "without one" });
    assert_eq!(info.interface.is_some(), info.problem.is_none());
    assert_eq!(info.interface.is_some(), info.live_at_most.is_some());
    assert!(info.isa_facts.is_some());
    let line = serde_json::to_string(&info).expect("facts are JSON");
    assert!(!line.contains('\n'), "{line}");
    // A value keeps the last one of two keys, so that its text would be shorter. It takes more memory than the facts.
    if bytes.len() < 4096 {
        let value = serde_json::to_value(&info).expect("facts are JSON");
        assert_eq!(value.to_string(), line);
        assert_eq!(value["isa"], isa.name());
        seen.count("as a value");
    }
}
