//! Long chains of operations, which generated code cuts into stages of several blocks: results and inputs of all stages, batches
//! of few blocks, rare arguments.

mod common;

use common::{compare, word};
use vecasm::exec::Batch;
use vecasm::ir::build::Builder;
use vecasm::ir::random::Rng;
use vecasm::ir::{
    Arg, Arith, Input, InputId, InputKind, Op, Output, OutputId, OutputKind, ParamArray, ParamId, Pure, Rule,
    Scalar, Shader, Stage, Type,
};
use vecasm::isa::operand::{Swizzle, WriteMask};
use vecasm_native::Isa;

const INPUTS: u32 = 4;

/// A chain of so many links, each of which also takes an input, a uniform, or what an earlier link gave; some are stored.
fn chain(links: usize, arith: Arith, rng: &mut Rng) -> Shader {
    let mut b = Builder::new(Stage::Vertex, "test", &[], 256);
    for at in 0..INPUTS {
        let kind = InputKind::Attribute { location: at };
        b.shader.inputs.push(Input::new(format!("v{at}"), kind, Type::new(Scalar::F32, 4)));
    }
    b.shader.params.push(ParamArray { used: 4, ..ParamArray::new("c", 4) });
    let mut found: Vec<Arg> = (0..INPUTS).map(|at| b.op(Op::Input(InputId(at)), &[])).collect();
    found.extend((0..4).map(|index| b.op(Op::Param { array: ParamId(0), index }, &[])));
    b.arith = arith;
    let (one, two): (&[Pure], &[Pure]) = match arith.rule {
        Rule::Nv20 => (
            &[Pure::Rcp, Pure::Rsq, Pure::Exp2, Pure::Log2, Pure::Fract],
            &[Pure::Add, Pure::Mul, Pure::Dot, Pure::Min, Pure::Max],
        ),
        _ => (
            &[Pure::Rcp, Pure::Rsq, Pure::Exp2, Pure::Log2, Pure::Sin, Pure::Floor],
            &[Pure::Add, Pure::Mul, Pure::Dot, Pure::Min, Pure::Max, Pure::Sub, Pure::Lt],
        ),
    };
    let mut last = found[0];
    let mut stored = 0;
    for link in 0..links {
        let other = found[rng.below(found.len())];
        let op = if rng.one_in(3) { one[rng.below(one.len())] } else { two[rng.below(two.len())] };
        // Of few lanes, so that the chain is longer than the work.
        let lane = |arg: Arg| Arg { lanes: 1, ..arg };
        last = match op {
            Pure::Dot => {
                let pair = |arg: Arg| {
                    let swizzle =
                        if arg.lanes == 1 { Swizzle::splat(arg.swizzle.get(0)) } else { arg.swizzle };
                    Arg { lanes: 2, swizzle, ..arg }
                };
                b.pure(op, &[pair(last), pair(other)])
            }
            Pure::Lt => {
                let less = b.pure(op, &[lane(last), lane(other)]);
                b.pure(Pure::Select, &[less, lane(last), lane(other)])
            }
            op if op.arity() == 2 => b.pure(op, &[lane(last), lane(other)]),
            op => b.pure(op, &[lane(last)]),
        };
        found.push(last);
        if link % 5 == 4 || link + 1 == links {
            let output = Output::new(format!("o{stored}"), OutputKind::Varying { location: stored });
            b.shader.outputs.push(output);
            let mask = WriteMask::from_bits(1);
            b.effect(Op::StoreOutput { output: OutputId(stored), mask }, &[last]);
            stored += 1;
        }
    }
    b.finish()
}

#[test]
fn chains_give_the_bits_of_the_interpreter() {
    if Isa::best().is_none() {
        println!("skipped: this processor has no AVX2");
        return;
    }
    let flush = Arith { flush: true, ..Arith::IEEE };
    let wins = Arith { rule: Rule::ZeroWins, ..Arith::IEEE };
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let arith = [Arith::IEEE, flush, wins, Arith::NV20][rng.below(4)];
        let links = 5 + rng.below(60);
        let shader = chain(links, arith, &mut rng);
        let count = 1 + rng.below(if seed % 8 == 0 { 600 } else { 70 });
        let ordinary = !rng.one_in(3);
        let mut four = || {
            std::array::from_fn(|_| match ordinary {
                true => (rng.below(4000) as f32 / 1000.0 - 1.0).to_bits(),
                false => word(&mut rng),
            })
        };
        let inputs = shader.inputs.iter().map(|_| (0..count).map(|_| four()).collect()).collect();
        let params = vec![(0..4).map(|_| four()).collect()];
        let batch = Batch { count, inputs, params, ..Batch::default() };
        if let Err(difference) = compare(&shader, &batch) {
            panic!("seed {seed}, {links} links, {count} invocations, {arith:?}: {difference}");
        }
    }
}
