//! Random shaders on random values: regions, loops, fuel, demotion, cells.

mod common;

use common::{compare, word};
use std::collections::BTreeMap;
use vecasm::exec::Batch;
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::print;
use vecasm::ir::{Scalar, Shader};
use vecasm_native::Isa;

/// What came of some shaders.
#[derive(Debug, Default)]
struct Tally {
    ran: usize,
    killed: usize,
    exhausted: usize,
    refused: BTreeMap<String, usize>,
}

fn bits(rng: &mut Rng, scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F32 if rng.one_in(2) => rng.float(),
        Scalar::F32 => word(rng),
        Scalar::Bool => rng.bits() & 1,
        // Small numbers of either sign mostly: indices and counts.
        _ if rng.one_in(4) => rng.bits(),
        _ => (rng.below(12) as u32).wrapping_sub(3),
    }
}

/// A batch for a shader, some of it missing.
fn batch(shader: &Shader, count: usize, rng: &mut Rng) -> Batch<'static> {
    let mut four = |scalar| std::array::from_fn(|_| bits(rng, scalar));
    let inputs = shader.inputs.iter().map(|input| (0..count).map(|_| four(input.ty.scalar)).collect());
    let inputs = inputs.collect::<Vec<Vec<_>>>();
    let params = shader.params.iter().map(|p| (0..p.size).map(|_| four(p.scalar)).collect()).collect();
    let states = shader.states.iter().map(|s| Some(four(s.ty.scalar))).collect();
    let fuel = Some([3, 20, 100][rng.below(3)]);
    let mut batch = Batch { count, inputs, params, states, fuel, ..Batch::default() };
    if rng.one_in(6) {
        batch.inputs.pop();
    }
    if rng.one_in(6) {
        batch.states.clear();
    }
    if rng.one_in(6) {
        batch.params.iter_mut().for_each(|param| param.truncate(2));
    }
    if rng.one_in(6) {
        batch.helpers = (0..count / 2).map(|_| rng.one_in(3)).collect();
    }
    batch
}

fn try_all(name: &str, kind: Kind, shaders: u64, size: Size) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..shaders {
        let mut rng = Rng::new(seed);
        let shader = program(&mut rng, size, kind);
        let count = 1 + rng.below(40);
        let batch = batch(&shader, count, &mut rng);
        match compare(&shader, &batch) {
            Ok(outputs) => {
                tally.ran += 1;
                tally.killed += usize::from(outputs.killed.contains(&true));
                tally.exhausted += usize::from(outputs.exhausted.contains(&true));
            }
            Err(what) => match what.strip_prefix("unsupported: ") {
                Some(what) => *tally.refused.entry(what.to_owned()).or_default() += 1,
                None => panic!("{name}, seed {seed}: {what}\n{}", print(&shader)),
            },
        }
    }
    println!("{name}: {tally:?}");
    tally
}

#[test]
fn random_shaders_give_the_bits_of_the_interpreter() {
    if Isa::best().is_none() {
        println!("skipped: this processor has no AVX2");
        return;
    }
    let flow = Kind { switches: true, idioms: true, locals: true, states: true, ..Kind::BASIC };
    let arithmetic = Kind { arithmetic: true, ..flow };
    let small = Size { nodes: 30, depth: 3 };
    for (name, kind, shaders, size) in [
        ("basic", Kind::BASIC, 1500, small),
        ("flow", flow, 1000, small),
        ("large", flow, 100, Size { nodes: 200, depth: 5 }),
        ("arithmetic", arithmetic, 1000, small),
        ("everything", Kind::ALL, 1000, small),
    ] {
        let tally = try_all(name, kind, shaders, size);
        assert!(tally.ran > 0, "{name}: all were refused");
        if name == "basic" {
            assert!(tally.killed > 0 && tally.exhausted > 0, "{tally:?}");
        }
    }
}
