//! What must hold of engines: all give the bits of the interpreter.

use super::{Property, Rng, Seen, batch, d3d9, random_text};
use vecasm::exec::interp::Interp;
use vecasm::exec::lanes::{Lanes, Portable};
use vecasm::exec::{Batch, Engine, Outputs, RunError};
use vecasm::ir::random::{self, Kind, Size};
use vecasm::ir::verify::verify;
use vecasm::ir::{Shader, text};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, agal};
use vecasm_native::{Compiled, Isa};

/// The properties of engines.
pub(super) const PROPERTIES: [Property; 1] = [Property {
    name: "engines",
    input: super::Input::Ir,
    check: engines,
    useful: &[("compared", 250), ("lanes", 250), ("programs", 90)],
    runs: true,
}];

/// Every engine gives the bits that the interpreter gives, or says that it cannot run the shader: of the shader that the bytes
/// are the text of, if they are, of random ones, and of a random program of an instruction set. How many invocations there are,
/// of what, and how often they may go round depends on the bytes.
fn engines(bytes: &[u8], seen: &mut Seen) {
    let mut rng = Rng::of(bytes);
    if let Ok(shader) = text::parse_any(&String::from_utf8_lossy(bytes)) {
        if verify(&shader).is_empty() {
            seen.count("texts");
            equal(&shader, "", &mut rng, seen);
        }
    }
    let every = rng.next();
    let kind = Kind {
        stages: every & 7 == 0,
        wide: every >> 3 & 3 == 0,
        groups: every >> 5 & 1 == 0,
        memory: every >> 6 & 3 == 0,
        serial: every >> 8 & 7 == 0,
        locals: every >> 11 & 1 == 0,
        indexed: every >> 12 & 1 == 0,
        switches: every >> 13 & 1 == 0,
        states: every >> 14 & 3 == 0,
        idioms: every >> 16 & 1 == 0,
        arithmetic: every >> 17 & 1 == 0,
        ..Kind::BASIC
    };
    let size = Size { nodes: 10 + rng.below(90), depth: rng.below(5) };
    for kind in [kind, Kind { quads: true, stages: false, memory: false, serial: false, ..kind }] {
        equal(&random::program(&mut random::Rng::new(rng.next()), size, kind), "", &mut rng, seen);
    }
    program(&mut rng, seen);
}

/// A random program in the words of an instruction set.
fn program(rng: &mut Rng, seen: &mut Seen) {
    let isa = random_text::ISAS[rng.below(random_text::ISAS.len())];
    let source = random_text::fragment(isa, rng);
    let (program, findings) = AnyProgram::parse(isa, &source, None, None);
    let program = program.unwrap_or_else(|| panic!("no program: {findings:?}\n{source}"));
    let mut options = LiftOptions::default();
    options.d3d9 = d3d9::lifting(rng);
    if rng.below(2) == 0 {
        options.agal.numerics = agal::lift::Numerics::Ieee;
    }
    match program.lift(&options) {
        Ok(shader) => {
            seen.count("programs");
            equal(&shader, &source, rng, seen);
        }
        Err(finding) => panic!("not lifted: {finding}\n{source}"),
    }
}

/// Runs a shader on all engines; `source` is what it comes from, for messages.
fn equal(shader: &Shader, source: &str, rng: &mut Rng, seen: &mut Seen) {
    const COUNTS: [usize; 12] = [1, 2, 4, 7, 16, 63, 64, 65, 130, 256, 257, 300];
    let of_group = shader.setup.invocations.max(1) as usize;
    let count = COUNTS[rng.below(COUNTS.len())] * of_group;
    let mut batch = Batch { fuel: Some([0, 1, 5, 40][rng.below(4)]), ..batch(shader, rng, count) };
    if rng.below(4) == 0 {
        batch.helpers = (0..batch.count).map(|_| rng.below(5) == 0).collect();
    }
    let wanted = Interp.run(shader, &batch);
    seen.count("compared");
    if let Ok(outputs) = &wanted {
        let left = outputs.exhausted.contains(&true);
        seen.count(if left { "ran out of fuel" } else { "ran" });
    }
    let of = |name: &'static str, got: Result<Outputs, RunError>, seen: &mut Seen| {
        match (&wanted, &got) {
            (_, Err(RunError::Unsupported(_))) => return seen.count("refused"),
            (Ok(wanted), Ok(got)) if wanted == got => {}
            (Err(wanted), Err(got)) if wanted == got => {}
            (Ok(wanted), Ok(got)) => {
                let cells = wanted.cells.iter().zip(&got.cells).zip(&shader.outputs);
                for ((wanted, got), output) in cells {
                    for (i, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                        assert!(
                            wanted == got,
                            "{name}: {} of {i}: {got:08x?}, not {wanted:08x?}\n{}",
                            output.name,
                            text::print(shader) + source
                        );
                    }
                }
                let ends = [
                    ("killed", &wanted.killed, &got.killed),
                    ("exhausted", &wanted.exhausted, &got.exhausted),
                ];
                for (what, wanted, got) in ends {
                    let at = wanted.iter().zip(got).position(|(wanted, got)| wanted != got);
                    assert!(
                        at.is_none(),
                        "{name}: {what} of {at:?} differs\n{}",
                        text::print(shader) + source
                    );
                }
                panic!("{name}: other outputs differ\n{}", text::print(shader) + source);
            }
            _ => panic!(
                "{name}: {:?}, not {:?}\n{}",
                got.err(),
                wanted.as_ref().err(),
                text::print(shader) + source
            ),
        }
        seen.count(name);
    };
    of("lanes", Lanes::<Portable>::default().run(shader, &batch), seen);
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = vecasm_native::Avx2::new() {
        of("lanes-avx2", Lanes::new(kernels).run(shader, &batch), seen);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = vecasm_native::Avx512::new() {
        of("lanes-avx512", Lanes::new(kernels).run(shader, &batch), seen);
    }
    for (isa, name) in [(Isa::Avx2, "jit-avx2"), (Isa::Avx512, "jit-avx512")] {
        if isa.is_there() {
            of(name, Compiled::new(shader, isa).and_then(|code| code.run(&batch)), seen);
        }
    }
}
