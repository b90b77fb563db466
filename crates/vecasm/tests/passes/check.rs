//! What every pass has to keep, on random programs: both sides run on the same inputs.
//!
//! `cargo test` runs a few hundred programs, `cargo xtask passes` thousands.

use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs, RunError};
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::print;
use vecasm::ir::verify::verify;
use vecasm::ir::{
    Arith, InputKind, Label, Node, Op, OutputId, OutputKind, Region, Rule, Scalar, Shader, Stage, StateId,
    Type,
};
use vecasm::opt::{
    Expand, Lower, clean, exits, expand, fold, lower, lowerable, promote, retype_outputs, specialize,
};

/// A pass, and what has to hold of its result beside the meaning.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Shader, &Batch<'_>) -> Shader,
    pub(crate) holds: fn(&Shader) -> bool,
}

/// Varyings as the other kind of number, and the same bits.
fn retyped(shader: &Shader) -> Shader {
    let to = shader.outputs.iter().enumerate().filter_map(|(n, output)| {
        let other = match (output.kind, output.scalar) {
            (OutputKind::Varying { .. }, Scalar::F32) => Scalar::U32,
            (OutputKind::Varying { .. }, Scalar::I32 | Scalar::U32) => Scalar::F32,
            _ => return None,
        };
        Some((OutputId(n as u32), other))
    });
    let to: Vec<_> = to.collect();
    // One at a time, where a run of cells is not all of varyings.
    let mut out = shader.clone();
    for change in to {
        out = retype_outputs(&out, &[change]).unwrap_or(out);
    }
    out
}

/// Every pass, alone and in the order an emitter takes them.
pub(crate) const PASSES: &[Pass] = &[
    Pass { name: "clean", run: |s, _| clean(s), holds: |_| true },
    Pass { name: "fold", run: |s, _| fold(s), holds: |_| true },
    Pass { name: "clean, fold, clean", run: |s, _| clean(&fold(&clean(s))), holds: |_| true },
    Pass { name: "promote", run: |s, _| promote(s), holds: |_| true },
    Pass { name: "exits", run: |s, _| exits(s), holds: |s| innermost(&s.body, None) },
    Pass {
        name: "lower",
        run: |s, _| lower(s, Lower { switches: true, idioms: true }),
        holds: |s| lowerable(s) == Lower::default(),
    },
    Pass {
        name: "expand zero_wins",
        run: |s, _| expand(s, Expand { zero_wins: true, ..Expand::default() }),
        holds: |s| none(s, |a| a.rule == Rule::ZeroWins),
    },
    Pass {
        name: "expand flush",
        run: |s, _| expand(s, Expand { flush: true, ..Expand::default() }),
        holds: |s| none(s, |a| a.flush),
    },
    Pass {
        name: "expand nv20",
        run: |s, _| expand(s, Expand { nv20: true, ..Expand::default() }),
        holds: |s| none(s, |a| a.rule == Rule::Nv20),
    },
    Pass {
        name: "expand composites",
        run: |s, _| {
            expand(
                s,
                Expand { sums: true, composites: true, fract: true, bit_fields: true, ..Expand::default() },
            )
        },
        holds: |_| true,
    },
    Pass {
        name: "expand all",
        run: |s, _| expand(s, Expand::ALL),
        holds: |s| none(s, |a| a.flush || a.rule != Rule::Ieee),
    },
    Pass { name: "retype_outputs", run: |s, _| retyped(s), holds: |_| true },
    Pass { name: "specialize", run: specialized, holds: |s| s.states.is_empty() },
    Pass {
        name: "all",
        run: |s, batch| {
            let s = lower(&specialized(s, batch), Lower { switches: true, idioms: true });
            clean(&fold(&expand(&exits(&clean(&promote(&s))), Expand::ALL)))
        },
        holds: |s| innermost(&s.body, None) && none(s, |a| a.flush || a.rule != Rule::Ieee),
    },
];

/// The shader with every state fixed as the batch has it.
fn specialized(shader: &Shader, batch: &Batch<'_>) -> Shader {
    let fixed: Vec<(StateId, [u32; 4])> = shader
        .states
        .iter()
        .enumerate()
        .map(|(i, state)| {
            (StateId(i as u32), batch.states.get(i).copied().flatten().unwrap_or(state.default))
        })
        .collect();
    specialize(shader, &fixed)
}

/// Whether no operation on f32 has such an arithmetic.
fn none(shader: &Shader, bad: fn(Arith) -> bool) -> bool {
    let mut fine = true;
    shader.body.for_each_inst(&mut |inst| {
        if let Op::Pure(pure) = inst.op {
            let types: Vec<Type> = shader.args(inst.args).iter().map(|&a| shader.arg_type(a)).collect();
            fine &= !bad(inst.arith) || pure.scalar(&types) != Scalar::F32;
        }
    });
    fine
}

/// Whether every exit addresses the innermost block or loop.
fn innermost(region: &Region, around: Option<Label>) -> bool {
    region.nodes.iter().all(|node| {
        let own = match node {
            Node::Leave { label, .. } | Node::Again { label, .. } => return Some(*label) == around,
            Node::Block(block) => Some(block.label),
            Node::Loop(cycle) => Some(cycle.label),
            _ => around,
        };
        let mut fine = true;
        node.for_each_region(|region| fine &= innermost(region, own));
        fine
    })
}

/// Inputs, parameters, states and memory for a shader: ordinary and special values.
pub(crate) fn batch(shader: &Shader, rng: &mut Rng, count: usize) -> Batch<'static> {
    let lane = |rng: &mut Rng, scalar: Scalar| match scalar {
        // Zeros of both signs tell many a false identity.
        Scalar::F32 if rng.one_in(8) => rng.bits() & 0x8000_0000,
        // So do NaNs of several bits.
        Scalar::F32 if rng.one_in(12) => rng.bits() | 0x7f80_0001,
        Scalar::F32 => rng.float(),
        Scalar::Bool => rng.bits() & 1,
        _ if rng.one_in(4) => rng.bits(),
        _ => rng.below(9) as u32,
    };
    let mut batch = Batch { count, fuel: Some(rng.below(12) as u64), ..Batch::default() };
    for input in &shader.inputs {
        let known = matches!(input.kind, InputKind::System(_));
        let all = (0..if known { 0 } else { count * 4 })
            .map(|_| core::array::from_fn(|_| lane(rng, input.ty.scalar)))
            .collect();
        batch.inputs.push(all);
    }
    for array in &shader.params {
        let all = (0..array.size).map(|_| core::array::from_fn(|_| lane(rng, array.scalar))).collect();
        batch.params.push(all);
    }
    for state in &shader.states {
        batch.states.push(rng.one_in(2).then(|| core::array::from_fn(|_| lane(rng, state.ty.scalar))));
    }
    for _ in &shader.buffers {
        batch.buffers.push((0..rng.below(100)).map(|_| rng.bits() as u8).collect());
    }
    if shader.stage == Stage::Fragment {
        batch.helpers = (0..count).map(|_| rng.one_in(5)).collect();
    }
    batch.grid = [2, 1, 1];
    batch
}

/// What a run gives, with the sign and payload of a NaN in f32 outputs set aside: they are no value.
pub(crate) fn visible(shader: &Shader, mut outputs: Outputs) -> Outputs {
    let canonical = |bits: &mut u32| {
        if f32::from_bits(*bits).is_nan() {
            *bits = 0x7fc0_0000;
        }
    };
    for (i, output) in shader.outputs.iter().enumerate() {
        if output.scalar != Scalar::F32 {
            continue;
        }
        outputs.cells.get_mut(i).into_iter().flatten().flatten().for_each(canonical);
        outputs.carried.get_mut(i).into_iter().flatten().for_each(canonical);
        for vertex in outputs.streams.iter_mut().flatten().flat_map(|p| &mut p.vertices) {
            vertex.get_mut(i).into_iter().flatten().for_each(canonical);
        }
    }
    // A stream that nothing is emitted to any more has no list.
    while outputs.streams.last().is_some_and(Vec::is_empty) {
        outputs.streams.pop();
    }
    for (array, cells) in shader.params.iter().zip(&mut outputs.params) {
        if array.scalar == Scalar::F32 {
            cells.iter_mut().flatten().for_each(canonical);
        }
    }
    outputs
}

/// What a row of random programs came to.
#[derive(Default)]
pub(crate) struct Tally {
    /// Programs that ran.
    pub(crate) programs: u64,
    /// Programs that the interpreter does not run, and so only have to verify.
    pub(crate) unsupported: u64,
    /// Programs in which some invocation ran out of fuel, and some ended as a helper.
    pub(crate) exhausted: u64,
    pub(crate) killed: u64,
    /// Nodes on the left side, on the right side, for each pass.
    pub(crate) nodes: u64,
    pub(crate) after: Vec<u64>,
    /// Programs that each pass changed.
    pub(crate) changed: Vec<u64>,
}

fn nodes(region: &Region) -> u64 {
    region.nodes.iter().fold(0, |mut sum, node| {
        node.for_each_region(|region| sum += nodes(region));
        sum + 1
    })
}

/// Runs every pass on random programs.
///
/// # Errors
///
/// The first program that a pass changes the meaning of, with what it became.
pub(crate) fn programs(count: u64, seed: u64, kind: Kind) -> Result<Tally, String> {
    let mut tally =
        Tally { after: vec![0; PASSES.len()], changed: vec![0; PASSES.len()], ..Tally::default() };
    for seed in seed..seed + count {
        let mut rng = Rng::new(seed);
        let size = Size { nodes: 4 + rng.below(60), depth: 1 + rng.below(4) };
        let before = program(&mut rng, size, kind);
        let fault = |what: &str, after: Option<&Shader>| {
            let after = after.map(|s| format!("\n--- after\n{}", print(s))).unwrap_or_default();
            format!("seed {seed}: {what}\n--- before\n{}{after}", print(&before))
        };
        if let Some(breach) = verify(&before).first() {
            return Err(fault(&format!("the program itself: {breach}"), None));
        }
        // Two workgroups, or one or two quads or patches.
        let invocations = match before.stage {
            Stage::Compute => 2 * before.setup.workgroup.iter().product::<u32>() as usize,
            _ => 4 * (1 + rng.below(2)),
        };
        let batch = batch(&before, &mut rng, invocations);
        let expected = match Interp.run(&before, &batch) {
            Ok(outputs) => Some(visible(&before, outputs)),
            Err(RunError::Unsupported(_)) => None,
            Err(why) => return Err(fault(&format!("the program itself: {why}"), None)),
        };
        match &expected {
            Some(outputs) => {
                tally.programs += 1;
                tally.exhausted += u64::from(outputs.exhausted.contains(&true));
                tally.killed += u64::from(outputs.killed.contains(&true));
            }
            None => tally.unsupported += 1,
        }
        tally.nodes += nodes(&before.body);
        for (at, pass) in PASSES.iter().enumerate() {
            let after = (pass.run)(&before, &batch);
            if let Some(breach) = verify(&after).first() {
                return Err(fault(&format!("{}: {breach}", pass.name), Some(&after)));
            }
            if !(pass.holds)(&after) {
                return Err(fault(&format!("{}: the result has not its shape", pass.name), Some(&after)));
            }
            tally.after[at] += nodes(&after.body);
            tally.changed[at] += u64::from(nodes(&after.body) != nodes(&before.body));
            if let Some(expected) = &expected {
                match Interp.run(&after, &batch) {
                    Ok(outputs) => {
                        let got = visible(&before, outputs);
                        if got != *expected {
                            let what = format!("{}: {}", pass.name, difference(expected, &got));
                            return Err(fault(&what, Some(&after)));
                        }
                    }
                    Err(why) => return Err(fault(&format!("{}: {why}", pass.name), Some(&after))),
                }
            }
        }
    }
    Ok(tally)
}

/// Where two results differ first.
fn difference(expected: &Outputs, got: &Outputs) -> String {
    for (cell, (a, b)) in expected.cells.iter().zip(&got.cells).enumerate() {
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            if a != b {
                return format!("output {cell} of invocation {i} is {b:08x?}, not {a:08x?}");
            }
        }
    }
    for (what, same) in [
        ("killed", expected.killed == got.killed),
        ("exhausted", expected.exhausted == got.exhausted),
        ("params", expected.params == got.params),
        ("carried", expected.carried == got.carried),
        ("buffers", expected.buffers == got.buffers),
        ("streams", expected.streams == got.streams),
        ("barriers", expected.barriers == got.barriers),
    ] {
        if !same {
            return format!("{what} differ");
        }
    }
    "something else differs".into()
}
