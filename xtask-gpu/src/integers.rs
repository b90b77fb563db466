//! What is made of integers alone: every bit has to be the interpreter's.

use crate::code::{Language, compute as write};
use crate::run::{compute_buffers, vertices};
use crate::{CheckSetup, Report, root};
use vecasm::emit::spirv::Environment;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine};
use vecasm::ir::build::Builder;
use vecasm::ir::op::Slot;
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::parse_any;
use vecasm::ir::{
    Arg, Arith, Input, InputId, InputKind, Node, Op, Output, OutputId, OutputKind, Pure, Region, Rule,
    Scalar, Shader, Stage, Type,
};
use vecasm::isa::operand::{Swizzle, WriteMask};
use vecasm::opt::exact;

/// Words at which rules of the NV20 change: zeros, limits of the kernels' ranges, infinities, several NaN.
const SPECIAL: [u32; 32] = [
    0,
    1,
    0x003f_ffff,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x1f80_0000,
    0x33ff_ffff,
    0x3400_0000,
    0x3400_0001,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3fff_ffff,
    0x4000_0000,
    0x4040_0000,
    0x42fe_0000,
    0x4300_0000,
    0x47ff_ffff,
    0x4800_0000,
    0x4aff_ffff,
    0x4b00_0000,
    0x4f00_0000,
    0x5f80_0000,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fff_ffff,
];

/// A word as programs meet them: ordinary numbers mostly, special ones, and any bits.
pub(crate) fn word(rng: &mut Rng) -> u32 {
    let sign = rng.bits() & 0x8000_0000;
    match rng.below(8) {
        0 => SPECIAL[rng.below(SPECIAL.len())] | sign,
        1 => rng.bits(),
        2 => ((rng.below(64) as f32 - 32.0) / 8.0).to_bits(),
        _ => (rng.bits() & 0x007f_ffff) | ((117 + rng.below(20) as u32) << 23) | sign,
    }
}

fn four(rng: &mut Rng) -> [u32; 4] {
    std::array::from_fn(|_| word(rng))
}

/// Compares a vertex shader, written exactly in each language, with the interpreter. Gives the number of words compared.
///
/// # Errors
///
/// The first word that differs, or why there is none.
pub(crate) fn same(given: &CheckSetup<'_>, shader: &Shader, batch: &Batch<'_>) -> Result<usize, String> {
    let expected = Interp.run(shader, batch).map_err(|e| e.to_string())?;
    let mut compared = 0;
    for language in [Language::Wgsl, Language::Spirv(Environment::Vulkan10)] {
        let got = vertices(given.gpu, language, shader, batch, true)?;
        compared +=
            equal(shader, batch, &got, &expected.cells).map_err(|e| format!("{}: {e}", language.name()))?;
    }
    Ok(compared)
}

/// Counts the words of what came out and what should have come out.
fn equal(
    shader: &Shader,
    batch: &Batch<'_>,
    got: &[Vec<[u32; 4]>],
    expected: &[Vec<[u32; 4]>],
) -> Result<usize, String> {
    let mut compared = 0;
    for (cell, (got, expected)) in got.iter().zip(expected).enumerate() {
        if got.len() != expected.len() {
            return Err(format!("{} vertices, not {}", got.len(), expected.len()));
        }
        for (vertex, (got, expected)) in got.iter().zip(expected).enumerate() {
            if got != expected {
                let name = &shader.outputs[cell].name;
                let inputs: Vec<_> = batch.inputs.iter().filter_map(|list| list.get(vertex)).collect();
                return Err(format!(
                    "{name} of vertex {vertex} is {got:08x?}, not {expected:08x?}; inputs {inputs:08x?}"
                ));
            }
            compared += 4;
        }
    }
    Ok(compared)
}

/// Random inputs and constants for a vertex shader.
pub(crate) fn batch(shader: &Shader, count: usize, rng: &mut Rng) -> Batch<'static> {
    Batch {
        count,
        inputs: shader.inputs.iter().map(|_| (0..count).map(|_| four(rng)).collect()).collect(),
        params: shader.params.iter().map(|p| (0..p.size).map(|_| four(rng)).collect()).collect(),
        ..Batch::default()
    }
}

/// A vertex shader that stores what an operation of the NV20 gives for its inputs.
fn operation(pure: Pure, lanes: u8) -> Shader {
    let mut b = Builder::new(Stage::Vertex, "test", &["r"], 16);
    let mut args = Vec::new();
    for i in 0..pure.slots().len() as u32 {
        b.shader.inputs.push(Input::new(format!("i{i}"), InputKind::Attribute { location: i }, Type::F32X4));
        let whole = b.push(Op::Input(InputId(i)), &[], Type::F32X4);
        args.push(Arg { value: whole, swizzle: Swizzle::IDENTITY, lanes });
    }
    b.arith = Arith::NV20;
    let mut result = b.pure(pure, &args);
    b.arith = Arith::IEEE;
    if b.shader.arg_type(result).scalar == Scalar::Bool {
        result = b.pure(Pure::ToU32, &[result]);
    }
    let scalar = b.shader.arg_type(result).scalar;
    b.shader.outputs.push(Output { scalar, ..Output::new("o", OutputKind::Varying { location: 0 }) });
    let mask = WriteMask::from_bits((1u8 << result.lanes) - 1);
    b.effect(Op::StoreOutput { output: OutputId(0), mask }, &[result]);
    b.finish()
}

/// Every operation that is defined under the rule of the NV20, on all pairs of special words and on random ones.
pub(crate) fn operations(given: &CheckSetup<'_>) -> Report {
    let mut report = Report::default();
    let (mut forms, mut compared) = (0, 0);
    let special = |n: usize| SPECIAL[n / 2 % SPECIAL.len()] | (n as u32 & 1) << 31;
    let pairs = (SPECIAL.len() * 2).pow(2);
    for &pure in Pure::ALL {
        let floats = pure.slots().iter().all(|slot| *slot == Slot::T || *slot == Slot::Is(Scalar::F32));
        if !pure.has_nv20() || !floats {
            continue;
        }
        let lanes: &[u8] = if pure.reduces() { &[2, 3, 4] } else { &[1, 4] };
        for &lanes in lanes {
            let shader = operation(pure, lanes);
            let mut rng = Rng::new(u64::from(lanes));
            let count = pairs + given.vertices;
            let mut batch = batch(&shader, count, &mut rng);
            for (at, list) in batch.inputs.iter_mut().enumerate() {
                for (n, words) in list.iter_mut().enumerate().take(pairs) {
                    words[0] = match at {
                        0 => special(n),
                        1 => special(n / (2 * SPECIAL.len())),
                        _ => words[0],
                    };
                }
            }
            match same(given, &shader, &batch) {
                Ok(n) => compared += n,
                Err(why) => report.wrong.push(format!("{} x{lanes}: {why}", pure.name())),
            }
            forms += 1;
        }
    }
    report.compared = format!("{forms} forms, {compared} words");
    report
}

/// Makes every operation on f32 one of the NV20; those that it has not become others of the same arguments. `shader` is
/// a copy of the whole.
fn as_nv20(shader: &Shader, region: &mut Region) {
    for node in &mut region.nodes {
        if let Node::Inst(inst) = node {
            let types: Vec<Type> = shader.args(inst.args).iter().map(|&arg| shader.arg_type(arg)).collect();
            let floats = matches!(inst.op, Op::Pure(pure) if pure.scalar(&types) == Scalar::F32);
            if let (Op::Pure(pure), true) = (&mut inst.op, floats) {
                *pure = match *pure {
                    Pure::Div => Pure::Mul,
                    Pure::Sqrt | Pure::Sin | Pure::Cos => Pure::Rsq,
                    Pure::Pow => Pure::Max,
                    Pure::Floor | Pure::Ceil | Pure::RoundEven | Pure::Trunc | Pure::Sign => Pure::Fract,
                    other => other,
                };
                if pure.has_nv20() {
                    inst.arith = Arith { rule: Rule::Nv20, flush: false, ..inst.arith };
                }
            }
        }
        node.for_each_region_mut(|region| as_nv20(shader, region));
    }
}

/// Random programs tried.
const RANDOM: u64 = 1000;

/// Random vertex shaders with control flow, all of whose arithmetic is that of the NV20.
pub(crate) fn random(given: &CheckSetup<'_>) -> Report {
    let mut report = Report::default();
    let (mut ran, mut refused, mut compared) = (0, 0, 0);
    let kind = Kind { switches: true, locals: true, arithmetic: true, ..Kind::BASIC };
    for seed in 0..RANDOM {
        let mut shader = program(&mut Rng::new(seed), Size { nodes: 24, depth: 2 }, kind);
        if shader.stage != Stage::Vertex {
            continue;
        }
        let copy = shader.clone();
        as_nv20(&copy, &mut shader.body);
        // A GPU has no fuel, and an operation that cannot be made of integers is refused.
        if has_loops(&shader.body) || exact(&shader).is_err() {
            refused += 1;
            continue;
        }
        let batch = batch(&shader, 256, &mut Rng::new(seed));
        match same(given, &shader, &batch) {
            Ok(n) => {
                ran += 1;
                compared += n;
            }
            Err(why) => report.wrong.push(format!("seed {seed}: {why}")),
        }
    }
    report.compared = format!("{ran} programs ({refused} not written), {compared} words");
    if ran < 20 {
        report.wrong.push("too few programs".into());
    }
    report
}

fn has_loops(region: &Region) -> bool {
    region.nodes.iter().any(|node| {
        let mut found = matches!(node, Node::Loop(_));
        node.for_each_region(|region| found |= has_loops(region));
        found
    })
}

/// The writer's own case of a compute shader with integers, buffers, shared memory and atomics.
pub(crate) fn compute(given: &CheckSetup<'_>) -> Report {
    let mut report = Report::default();
    let file = root().join("crates/vecasm-emit/tests/emit/wgsl/cases/compute.ir");
    let run = |language: Language| -> Result<usize, String> {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let shader = parse_any(&text).map_err(|e| format!("{e:?}"))?;
        let written = write(language, &shader, false)?;
        let mut compared = 0;
        for seed in 0..50 {
            let rng = &mut Rng::new(seed);
            // One workgroup: the order of the atomics of several is open, and so is that within one but for the sum.
            let buffers: Vec<Vec<u8>> =
                shader.buffers.iter().map(|_| (0..128).map(|_| rng.bits() as u8).collect()).collect();
            let grid = [1, 1, 1];
            let batch = Batch { count: 4, buffers, grid, ..Batch::default() };
            let expected = Interp.run(&shader, &batch).map_err(|e| e.to_string())?;
            let got = compute_buffers(given.gpu, &shader, &written, &batch, grid)?;
            // Each invocation writes its own words of the first buffer.
            if got.first() != expected.buffers.first() {
                return Err(format!(
                    "seed {seed}: {:02x?}, not {:02x?}",
                    got.first(),
                    expected.buffers.first()
                ));
            }
            compared += 32;
        }
        Ok(compared)
    };
    let mut words = 0;
    for language in Language::ALL {
        match run(language) {
            Ok(n) => words += n,
            Err(why) => report.wrong.push(format!("{}: {why}", language.name())),
        }
    }
    report.compared = format!("{words} words");
    report
}
