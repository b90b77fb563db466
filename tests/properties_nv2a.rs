//! Properties of the microcode of the NV2A: what must hold for any slots whatever.

use super::{Rng, Seen, batch, same_but_nan};
use vecasm::emit::wgsl;
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::ir;
use vecasm::ir::verify::verify;
use vecasm::isa::Depth;
use vecasm::isa::nv2a::bytes::{decode_lossless, encode};
use vecasm::isa::nv2a::lift::{Clamp, Numerics, Options, ProgramKind, SWITCHES, Space, lift};
use vecasm::isa::nv2a::text::{ParseOptions, parse};
use vecasm::isa::nv2a::{Program, Slot};
use vecasm::opt::{clean, exact, fold};

/// The microcode of a text, if it assembles.
pub(crate) fn microcode(text: &str) -> Option<Vec<u8>> {
    parse(text, &ParseOptions::default()).0.map(|program| encode(&program))
}

/// Options at random, the defaults often.
fn options(rng: &mut Rng, program: &Program) -> Options {
    let mut out = Options::default();
    if rng.below(2) == 0 {
        return out;
    }
    if rng.below(2) == 0 {
        out.numerics = Numerics::Ieee;
    }
    if rng.below(2) == 0 {
        out.space = Space::Clip;
        out.clamp = Clamp::All;
        out.subpixel = rng.below(2) == 0;
    }
    if rng.below(4) == 0 {
        out.kind = ProgramKind::State;
    }
    out.registers = rng.below(4) == 0;
    if rng.below(4) == 0 {
        out.start = rng.below(program.slots.len() + 2) as u32;
    }
    for switch in SWITCHES.iter().filter(|switch| switch.values.len() > 1) {
        if rng.below(4) == 0 {
            let (value, _) = switch.values[rng.below(switch.values.len())];
            out.switches.set(switch.name, value).expect("the table has it");
        }
    }
    if rng.below(4) == 0 {
        out.switches.a0_bits = 9 + rng.below(24) as u8;
    }
    out
}

/// Slots are lifted by any options, but for what those refuse, and what comes of it keeps the rules of the IR.
pub(crate) fn slots_are_lifted(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let mut rng = Rng::of(bytes);
    let options = options(&mut rng, &program);
    match lift(&program, &options) {
        Ok(shader) => {
            seen.count("lifted");
            let breaches = verify(&shader);
            assert!(breaches.is_empty(), "{options:?}: {}", breaches[0]);
        }
        Err(finding) => {
            assert!(["NV2A-start", "NV2A-undefined"].contains(&finding.id), "{options:?}: {finding}");
            super::presentable(&finding, "input", None);
        }
    }
}

/// What was lifted runs, twice the same; with the step table, folded and cleaned, in integers alone, it gives the same
/// bits; and it can be written as WGSL unless vertices wait for one another.
pub(crate) fn lifted_slots_run(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let mut rng = Rng::of(bytes);
    let options = options(&mut rng, &program);
    let Ok(lean) = lift(&program, &options) else { return };
    let on = |shader: &ir::Shader| {
        let batch = batch(shader, &mut Rng::of(bytes), 3);
        Interp.run(shader, &batch).expect("a lifted shader runs")
    };
    let wanted = on(&lean);
    assert!(wanted == on(&lean), "a second run gives other bits");
    seen.count("ran");
    let full = lift(&program, &Options { depth: Depth::Full, ..options }).expect("as lean");
    for (name, shader) in [("in full", &full), ("folded and cleaned", &clean(&fold(&full)))] {
        let breaches = verify(shader);
        assert!(breaches.is_empty(), "{name}: {}", breaches[0]);
        // Passes may change a NaN.
        let got = on(shader);
        assert!(
            got == wanted || name != "in full" && same_but_nan(&got, &wanted),
            "{options:?}: {name}: other results"
        );
    }
    // The address with the bias of xemu and the operations of the next family are numbers of f32.
    if options.numerics == Numerics::Nv20 && options.space == Space::Screen {
        if let Ok(integers) = exact(&lean) {
            seen.count("ran in integers");
            let mut batch = batch(&lean, &mut Rng::of(bytes), 3);
            batch.carried = Vec::new();
            let got = Interp.run(&integers, &batch).expect("a shader of integers runs");
            assert!(got == wanted, "{options:?}: in integers: other results");
        }
    }
    if !lean.serial && options.numerics == Numerics::Ieee && options.space == Space::Clip {
        if let Err(finding) = wgsl::write(&lean, &wgsl::Options::default()) {
            // Sixteen outputs and the inputs that stand for registers are more than WebGPU has.
            panic!("{options:?}: lifted, but not written: {finding}");
        }
        seen.count("written");
    }
}

/// Microcode with slots, words and bits damaged.
pub(crate) fn damaged_slots(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(3) {
        let slots = out.len() / Slot::SIZE;
        let at = rng.below(slots) * Slot::SIZE;
        let end = (at + Slot::SIZE).min(out.len());
        match rng.below(8) {
            0..=2 if !out.is_empty() => {
                let bit = rng.below(out.len() * 8);
                out[bit / 8] ^= 1 << (bit % 8);
            }
            3 if end >= at + Slot::SIZE => {
                // Word 0 stays 0; the last bit, which ends the program, is rare.
                for (n, byte) in out[at..end].iter_mut().enumerate() {
                    *byte = if n < 4 { 0 } else { rng.next() as u8 };
                }
                out[end - 4] &= !u8::from(rng.below(8) != 0);
            }
            4 if slots > 0 && out.len() < 1 << 13 => {
                let slot = out[at..end].to_vec();
                let to = rng.below(slots + 1) * Slot::SIZE;
                out.splice(to..to, slot);
            }
            5 if slots > 1 => {
                let other = rng.below(slots) * Slot::SIZE;
                for n in 0..Slot::SIZE {
                    out.swap(at + n, other + n);
                }
            }
            6 => out.truncate(rng.below(out.len() + 1)),
            _ if end > at => {
                // The program goes on behind its end.
                let last = out.len() - out.len() % Slot::SIZE;
                if last >= Slot::SIZE {
                    out[last - 4] &= !1;
                }
            }
            _ => {}
        }
    }
    out
}
