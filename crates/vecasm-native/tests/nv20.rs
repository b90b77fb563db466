//! The arithmetic of nv20: each of its operations, products that are added, other arithmetic beside it, and the programs of the NV2A.

mod common;

use common::{SPECIAL, compare, word};
use std::path::{Path, PathBuf};
use vecasm::exec::Batch;
use vecasm::ir::build::Builder;
use vecasm::ir::random::Rng;
use vecasm::ir::{
    Arg, Arith, Input, InputId, InputKind, Op, Output, OutputId, OutputKind, Pure, Scalar, Shader, Stage,
    Type,
};
use vecasm::isa::nv2a;
use vecasm::isa::operand::WriteMask;
use vecasm::opt::{clean, fold};
use vecasm_native::Isa;

/// Invocations of each shader, four lanes each. No whole number of blocks.
const COUNT: usize = 4_000 + 3;

/// A shader of inputs of four f32 each, under nv20, that stores what a function gives.
fn shader(inputs: u32, make: impl FnOnce(&mut Builder, &[Arg]) -> Vec<Arg>) -> Shader {
    let mut b = Builder::new(Stage::Vertex, "test", &[], 64);
    for at in 0..inputs {
        let kind = InputKind::Attribute { location: at };
        b.shader.inputs.push(Input::new(format!("v{at}"), kind, Type::new(Scalar::F32, 4)));
    }
    b.arith = Arith::NV20;
    let args: Vec<Arg> = (0..inputs).map(|at| b.op(Op::Input(InputId(at)), &[])).collect();
    let results = make(&mut b, &args);
    for (result, at) in results.into_iter().zip(0..) {
        let result = match b.shader.value(result.value).ty.scalar {
            Scalar::Bool => b.pure(Pure::ToU32, &[result]),
            Scalar::F32 => b.pure(Pure::AsU32, &[result]),
            _ => result,
        };
        let output = Output::new(format!("o{at}"), OutputKind::Varying { location: at });
        b.shader.outputs.push(Output { scalar: Scalar::U32, ..output });
        let mask = WriteMask::first(result.lanes);
        b.effect(Op::StoreOutput { output: OutputId(at), mask }, &[result]);
    }
    b.finish()
}

/// Words whose exponents are close: sums and products of them do something.
fn near(rng: &mut Rng, round: usize) -> u32 {
    let bits = rng.bits();
    let fraction = match bits >> 29 {
        0 => 0,
        1 => 0x007f_ffff,
        2 => bits & 0x0000_0003,
        3 => bits & 0x007e_0000 | 0x0000_ffff,
        _ => bits & 0x007f_ffff,
    };
    let exponent = match round % 7 {
        // Denormals count up to here.
        0 => rng.below(34),
        1 => 220 + rng.below(36),
        2 => 127,
        3 => 120 + rng.below(16),
        4 => 60 + rng.below(8),
        5 => 97 + rng.below(60),
        _ => return word(rng),
    };
    if rng.one_in(40) {
        return SPECIAL[rng.below(SPECIAL.len())] | bits & 0x8000_0000;
    }
    bits & 0x8000_0000 | (exponent as u32) << 23 | fraction
}

fn check(what: &str, shader: &Shader, rng: &mut Rng) {
    let mut inputs: Vec<Vec<[u32; 4]>> = Vec::new();
    for _ in &shader.inputs {
        inputs.push((0..COUNT).map(|round| std::array::from_fn(|_| near(rng, round))).collect());
    }
    // What cancels, or nearly so; equal ones.
    for at in 1..inputs.len() {
        for i in (at..COUNT).step_by(9) {
            inputs[at][i] = inputs[at - 1][i].map(|bits| bits ^ 0x8000_0000 ^ rng.bits() >> 30);
        }
        for i in (at..COUNT).step_by(11) {
            inputs[at][i] = inputs[at - 1][i];
        }
    }
    let batch = Batch { count: COUNT, inputs, ..Batch::default() };
    if let Err(difference) = compare(shader, &batch) {
        panic!("{what}: {difference}");
    }
}

fn skipped() -> bool {
    let none = Isa::best().is_none();
    if none {
        println!("skipped: this processor has no AVX2");
    }
    none
}

#[test]
fn operations() {
    if skipped() {
        return;
    }
    let mut rng = Rng::new(1);
    for &op in Pure::ALL.iter().filter(|op| op.has_nv20() && !op.moves()) {
        let lanes = if op.reduces() { 1..5 } else { 4..5 };
        for lanes in lanes {
            let shader = shader(op.arity() as u32, |b, args| {
                let args: Vec<Arg> = args.iter().map(|&arg| Arg { lanes, ..arg }).collect();
                vec![b.pure(op, &args)]
            });
            check(&format!("{} of {lanes}", op.name()), &shader, &mut rng);
        }
    }
}

/// Each table is read at every place, and each seed is used.
#[test]
fn functions_of_one_binade_and_its_neighbours() {
    if skipped() {
        return;
    }
    let shader = shader(1, |b, args| {
        let ops = [Pure::Rcp, Pure::Rsq, Pure::Exp2, Pure::Log2, Pure::Fract, Pure::Rcc];
        ops.iter().map(|&op| b.pure(op, args)).collect()
    });
    for step in [251, 8191] {
        let words = |at: u32| [0x3f80_0000u32, 0x4000_0000, 0xbf00_0000, 0xc080_0000].map(|base| base + at);
        let list: Vec<_> = (0..0x0080_0000).step_by(step).map(words).collect();
        let batch = Batch { count: list.len(), inputs: vec![list], ..Batch::default() };
        if let Err(difference) = compare(&shader, &batch) {
            panic!("{difference}");
        }
    }
}

/// Products that are added, seen, negated, added to themselves; what moves bits shows which NaN they are.
#[test]
fn products_that_are_added() {
    if skipped() {
        return;
    }
    let mut rng = Rng::new(2);
    let mad = shader(3, |b, v| {
        let product = b.pure(Pure::Mul, &[v[0], v[1]]);
        vec![b.pure(Pure::Add, &[product, v[2]])]
    });
    check("a product and a term", &mad, &mut rng);
    let both = shader(3, |b, v| {
        let (p, q) = (b.pure(Pure::Mul, &[v[0], v[1]]), b.pure(Pure::Mul, &[v[1], v[2]]));
        let twice = b.pure(Pure::Add, &[p, p]);
        vec![b.pure(Pure::Add, &[p, q]), b.pure(Pure::Sub, &[q, p]), twice, q]
    });
    check("two products", &both, &mut rng);
    let moved = shader(2, |b, v| {
        let p = b.pure(Pure::Mul, &[v[0], v[1]]);
        let (negative, magnitude) = (b.pure(Pure::Neg, &[p]), b.pure(Pure::Abs, &[p]));
        let sum = b.pure(Pure::Add, &[negative, v[0]]);
        let less = b.pure(Pure::Lt, &[p, v[1]]);
        let chosen = b.pure(Pure::Select, &[less, p, v[1]]);
        let product = b.pure(Pure::Mul, &[chosen, negative]);
        vec![p, negative, magnitude, sum, chosen, product, b.pure(Pure::Max, &[p, v[0]])]
    });
    check("a product that is moved", &moved, &mut rng);
    let squares = shader(1, |b, v| {
        let p = b.pure(Pure::Mul, &[v[0], v[0]]);
        vec![b.pure(Pure::Sum, &[p]), b.pure(Pure::Dot, &[v[0], v[0]])]
    });
    check("squares", &squares, &mut rng);
}

/// Other arithmetic rounds to nearest, and may keep denormals.
#[test]
fn arithmetic_of_all_kinds_side_by_side() {
    if skipped() {
        return;
    }
    let mut rng = Rng::new(3);
    let flush = Arith { flush: true, ..Arith::IEEE };
    let wins = Arith { rule: vecasm::ir::Rule::ZeroWins, ..Arith::IEEE };
    let mixed = shader(2, |b, v| {
        let mut results = Vec::new();
        for arith in [Arith::NV20, Arith::IEEE, flush, wins, Arith::NV20] {
            b.arith = arith;
            let p = b.pure(Pure::Mul, &[v[0], v[1]]);
            let sum = b.pure(Pure::Add, &[p, v[1]]);
            b.arith = if arith == Arith::NV20 { Arith::IEEE } else { Arith::NV20 };
            results.extend([sum, b.pure(Pure::Mul, &[sum, v[0]])]);
        }
        b.arith = Arith::IEEE;
        let floor = b.pure(Pure::Floor, &[v[0]]);
        let bits = b.pure(Pure::AsI32, &[v[1]]);
        let number = b.pure(Pure::ToF32, &[bits]);
        results.extend([floor, number]);
        results
    });
    check("mixed", &mixed, &mut rng);
}

fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("VECASM_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    given.into_iter().chain([beside]).map(|dir| dir.join("corpus/nv2a")).find(|dir| dir.is_dir())
}

#[test]
fn programs_of_the_nv2a() {
    let Some(corpus) = corpus() else {
        return println!("skipped: there is no folder of shared programs ($VECASM_SHARED)");
    };
    if skipped() {
        return;
    }
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(corpus).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    names.retain(|name| name.extension().is_some_and(|extension| extension == "words"));
    names.sort();
    let mut rng = Rng::new(4);
    let (mut ran, mut refused) = (0, Vec::new());
    for name in &names {
        let text = std::fs::read_to_string(name).unwrap();
        let program = nv2a::bytes::decode_lossless(&nv2a::bytes::parse_words(&text).unwrap());
        let options =
            nv2a::lift::Options { numerics: nv2a::lift::Numerics::Nv20, ..nv2a::lift::Options::default() };
        let Ok(shader) = nv2a::lift::lift(&program, &options) else { continue };
        let shader = clean(&fold(&shader));
        for ordinary in [true, false] {
            let mut four = |round: usize| match ordinary {
                true => std::array::from_fn(|_| (rng.below(4000) as f32 / 1000.0 - 2.0).to_bits()),
                false => std::array::from_fn(|_| near(&mut rng, round)),
            };
            let inputs = shader.inputs.iter().map(|_| (0..COUNT).map(&mut four).collect()).collect();
            let params =
                shader.params.iter().map(|p| (0..p.size as usize).map(&mut four).collect()).collect();
            let batch = Batch { count: COUNT, inputs, params, ..Batch::default() };
            match compare(&shader, &batch) {
                Ok(_) => ran += 1,
                Err(what) if what.starts_with("unsupported") => {
                    refused.push(format!("{}: {what}", name.display()));
                }
                Err(what) => panic!("{}: {what}", name.display()),
            }
        }
    }
    println!("{ran} runs of {} programs; refused: {refused:#?}", names.len());
    assert!(ran > names.len(), "{refused:#?}");
}
