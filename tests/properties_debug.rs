//! Properties of what explains runs: recordings, sessions, conditions and `why`, on whatever can be lifted.

use super::{Rng, Seen, batch};
use vecasm::debug::listing::Listing;
use vecasm::debug::recording::{Limits, Recording};
use vecasm::debug::session::{Session, SessionError, Setup};
use vecasm::debug::why::{Query, why};
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs};
use vecasm::ir::steps::Cell;
use vecasm::ir::{OutputId, Shader, Stage};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Depth, Isa};

/// Invocations of a run.
const COUNT: usize = 4;

/// What conditions are put together from.
const WORDS: &[&str] = &[
    "r0",
    "ft0",
    "vt0",
    "v0",
    "c0",
    "c[1]",
    "fc0",
    "oC0",
    "oc",
    "op",
    "oPos",
    "r12",
    ".x",
    ".xyzw",
    ".wzyx",
    " == ",
    " != ",
    " < ",
    " >= ",
    "(",
    ")",
    " and ",
    " or ",
    "not ",
    "nan",
    "inf",
    "denormal",
    "line ",
    "step ",
    "invocation ",
    "writes ",
    "reads ",
    "1",
    "0.5",
    "-",
    " + ",
    " * ",
    "0x7fc00000",
    "..",
    "2",
    "abs(",
    "min(",
    ", ",
    " ",
    "\u{3bb}",
];

pub(crate) fn programs_are_explained(bytes: &[u8], seen: &mut Seen) {
    explained(Isa::Agal, bytes, seen);
}

pub(crate) fn slots_are_explained(bytes: &[u8], seen: &mut Seen) {
    explained(Isa::Nv2a, bytes, seen);
}

pub(crate) fn streams_are_explained(bytes: &[u8], seen: &mut Seen) {
    explained(Isa::D3d9, bytes, seen);
}

/// A recorded run ends as the run does, a session goes where it is sent and back, whatever its conditions are, and every
/// run has an explanation.
fn explained(isa: Isa, bytes: &[u8], seen: &mut Seen) {
    let mut options = LiftOptions::default();
    (options.agal.depth, options.nv2a.depth, options.d3d9.depth) = (Depth::Full, Depth::Full, Depth::Full);
    let Ok(shader) = AnyProgram::decode_lossless(isa, bytes).lift(&options) else { return };
    let mut rng = Rng::of(bytes);
    let batch = Batch { fuel: Some(256), ..batch(&shader, &mut rng, COUNT) };
    let outputs = Interp.run(&shader, &batch).expect("a lifted shader runs");
    examined(&shader, &batch, &outputs, &mut rng, seen);
}

/// The same of a shader that was lifted, and what its run gave.
pub(crate) fn examined(
    shader: &Shader,
    batch: &Batch<'_>,
    outputs: &Outputs,
    rng: &mut Rng,
    seen: &mut Seen,
) {
    let limits = Limits { moments: 2048, bytes: 16 << 20 };
    let invocation = rng.below(batch.count.max(1));
    let recording = Recording::of(shader, batch, invocation, &limits).expect("what runs is recorded");
    // What the pipeline of Direct3D does to results is no step, nor is that outputs begin anew behind an emitted vertex.
    if shader.isa != "d3d9" && shader.stage != Stage::Geometry && !recording.is_cut() {
        for (id, cells) in outputs.cells.iter().enumerate() {
            // What a patch has as a whole there is once.
            if shader.outputs[id].kind.is_of_patch() {
                continue;
            }
            for i in 0..recording.group() {
                let at = recording.first() + i;
                if outputs.killed[at] || outputs.exhausted[at] {
                    continue;
                }
                let held = recording.cell(recording.len(), Cell::Output(OutputId(id as u32)), i);
                for (held, given) in held.into_iter().zip(cells[at]) {
                    let nan = |bits: u32| f32::from_bits(bits).is_nan();
                    let same = held.is_none_or(|held| held == given || nan(held) && nan(given));
                    assert!(same, "{}: recorded {held:x?}, given {given:x}", shader.outputs[id].name);
                }
            }
        }
        seen.count("recorded as run");
    }
    let setup = Setup::new(shader.clone(), recording, Listing::new("", &[]), batch);
    session(Session::new(setup, 0), rng, seen);
    let report = why(shader, batch, &Query::default());
    let report = report.expect("what runs is explained");
    seen.count(if report.findings.is_empty() { "nothing odd" } else { "odd" });
}

/// A comparison of what the run has touched, or any words in a row.
fn condition(names: &[String], rng: &mut Rng) -> String {
    let word = |rng: &mut Rng| WORDS[rng.below(WORDS.len())];
    if names.is_empty() || rng.below(3) == 0 {
        return (0..rng.below(12)).map(|_| word(rng)).collect();
    }
    let term = |rng: &mut Rng| match rng.below(3) {
        0 => "0.5".into(),
        n => format!("{}.{}", names[rng.below(names.len())], ["x", "w"][n - 1]),
    };
    let mut text = String::new();
    for (n, joint) in ["", " and ", " or not "].into_iter().enumerate() {
        if n == 0 || rng.below(2) == 0 {
            text += joint;
            text += &term(rng);
            text += [" == ", " != ", " < ", " >= "][rng.below(4)];
            text += &term(rng);
        }
    }
    text
}

fn session(mut session: Session, rng: &mut Rng, seen: &mut Seen) {
    let shader = session.shader();
    let names: Vec<String> = session.recording().touched().into_iter().map(|c| shader.cell_name(c)).collect();
    for _ in 0..4 {
        let text = condition(&names, rng);
        match session.break_if(&text) {
            Ok(_) => seen.count("conditions"),
            Err(SessionError::Expression(error)) => {
                assert!(error.span.start <= error.span.end, "{text:?}: {error}");
                assert!(error.span.end as usize <= text.len() + 1, "{text:?}: {error}");
            }
            Err(_) => {}
        }
        // A value is none of the conditions, but may be watched.
        let _ = session.watch(&text);
    }
    session.start();
    let _ = session.resume();
    let time = session.time();
    assert!(time <= session.end_time(), "beyond the end");
    let _ = session.view();
    session.end();
    assert!(session.time() == session.end_time(), "the end is not the last time");
    let _ = session.reverse();
    let time = session.time();
    if time < session.end_time() {
        session.step();
        session.step_back();
        assert!(session.time() == time, "back is not where it came from");
    }
    let cells: Vec<Cell> = session.recording().touched();
    if !cells.is_empty() {
        let _ = session.ancestry(cells[rng.below(cells.len())], rng.below(4));
    }
}
