//! Random shaders on random values: regions, loops, fuel, demotion, cells.

mod common;

use common::{compare, word};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture};
use vecasm::ir::op::Rule;
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::print;
use vecasm::ir::{Arith, Dim, Mip, Node, Op, Region, SamplerState, Scalar, Shader, Slope, Stage, Type};
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
        Scalar::Bool if rng.one_in(4) => rng.bits(),
        Scalar::Bool => rng.bits() & 1,
        // Small numbers of either sign mostly: indices and counts.
        _ if rng.one_in(4) => rng.bits(),
        _ => (rng.below(12) as u32).wrapping_sub(3),
    }
}

/// A texture with levels that differ.
fn texture() -> BoundTexture<'static> {
    static TEXTURE: OnceLock<Texture> = OnceLock::new();
    let texture = TEXTURE.get_or_init(|| {
        let mut rng = Rng::new(1);
        let extent = Extent::new(8, 8);
        let texels = (0..extent.texels(Dim::D2)).map(|_| std::array::from_fn(|_| rng.float())).collect();
        let mut texture = Texture::new(Dim::D2, Scalar::F32, extent, vec![texels]).expect("it has a size");
        texture.generate_levels();
        texture
    });
    BoundTexture { texture, sampler: SamplerState { mip: Mip::Linear, ..SamplerState::PLAIN } }
}

/// A batch for a shader, some of it missing.
fn batch(shader: &Shader, count: usize, rng: &mut Rng) -> Batch<'static> {
    let mut four = |scalar| std::array::from_fn(|_| bits(rng, scalar));
    let inputs = shader.inputs.iter().map(|input| (0..count).map(|_| four(input.ty.scalar)).collect());
    let inputs = inputs.collect::<Vec<Vec<_>>>();
    let params = shader.params.iter().map(|p| (0..p.size).map(|_| four(p.scalar)).collect()).collect();
    let states = shader.states.iter().map(|s| Some(four(s.ty.scalar))).collect();
    let fuel = Some([3, 20, 100][rng.below(3)]);
    let near = shader.textures.iter().map(|t| (t.name == "near").then(texture)).collect();
    let mut batch = Batch { count, inputs, params, states, fuel, textures: near, ..Batch::default() };
    if rng.one_in(2) {
        batch.carried = shader.outputs.iter().map(|_| std::array::from_fn(|_| rng.bits())).collect();
    }
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

/// Puts derivatives in place of some operations on one float value.
fn differentiate(region: &mut Region, shader: &Shader, rng: &mut Rng) {
    for node in &mut region.nodes {
        let Node::Inst(inst) = node else {
            node.for_each_region_mut(|inner| differentiate(inner, shader, rng));
            continue;
        };
        let (Op::Pure(op), Some(result), [arg]) = (inst.op, inst.result, shader.args(inst.args)) else {
            continue;
        };
        let (to, from) = (shader.value(result).ty, shader.value(arg.value).ty);
        if to != Type::new(Scalar::F32, arg.lanes)
            || from.scalar != Scalar::F32
            || op.reduces()
            || rng.one_in(3)
        {
            continue;
        }
        let slope = if rng.one_in(2) { Slope::Fine } else { Slope::Coarse };
        inst.op = if rng.one_in(2) { Op::Ddx(slope) } else { Op::Ddy(slope) };
        inst.arith = Arith { rule: Rule::Ieee, precise: false, ..inst.arith };
    }
}

fn try_all(name: &str, kind: Kind, shaders: u64, size: Size) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..shaders {
        let mut rng = Rng::new(seed);
        let mut shader = program(&mut rng, size, kind);
        if name == "slopes" {
            shader.stage = Stage::Fragment;
            let mut body = std::mem::take(&mut shader.body);
            differentiate(&mut body, &shader, &mut rng);
            shader.body = body;
        }
        // Some have so many that those out of fuel are run again by the fast interpreter.
        let count = if seed % 256 == 5 { 1100 } else { 1 } + rng.below(40);
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
        ("indexed", Kind { indexed: true, ..flow }, 1000, small),
        ("serial", Kind { serial: true, indexed: true, ..flow }, 1500, small),
        ("slopes", flow, 2000, Size { nodes: 60, depth: 4 }),
        ("quads", Kind { quads: true, arithmetic: true, ..flow }, 2000, Size { nodes: 40, depth: 4 }),
        ("everything", Kind::ALL, 1000, small),
    ] {
        let tally = try_all(name, kind, shaders, size);
        assert!(tally.ran > 0, "{name}: all were refused");
        if name == "basic" {
            assert!(tally.killed > 0 && tally.exhausted > 0, "{tally:?}");
        }
    }
}
