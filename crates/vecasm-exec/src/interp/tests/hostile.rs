//! Shaders that nobody checked: whatever an operation names and whatever it is given, a run ends without a panic.

use super::*;
use crate::image::Image as ImageTexels;
use crate::texture::Extent;
use vecasm_ir::ir::random::{Kind, Rng, Size, program};
use vecasm_ir::ir::{
    At, Atomic, BufferId, Format, Image, ImageId, LocalId, Lod, Memory, ParamId, Pick, Site, StateId,
    Texture as Slot, TextureId, Vote,
};

fn choice<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len())]
}

/// Any operation on anything, most of which exists.
fn any_op(rng: &mut Rng) -> Op {
    let id = rng.below(3) as u32;
    let index = choice(rng, &[0, 1, 3, 900, u32::MAX]);
    let offset = choice(rng, &[0, -1, 2, i32::MIN, i32::MAX]);
    let rule = choice(rng, &[OutOfRange::Zero, OutOfRange::Clamp, OutOfRange::Undefined]);
    let count = choice(rng, &[0, 1, 2, u32::MAX]);
    let run = At { count, offset, rule };
    let at = if rng.one_in(2) { Some(run) } else { None };
    let mask = WriteMask::from_bits(rng.below(16) as u8);
    let pick = choice(rng, &[Pick::Fixed, Pick::Index { count: 2 }, Pick::Handle]);
    let memory = if rng.one_in(3) { Memory::Shared } else { Memory::Buffer(BufferId(id)) };
    let (compare, offset_there) = (rng.one_in(2), rng.one_in(2));
    let atomic = choice(rng, Atomic::ALL);
    let stream = choice(rng, &[0, 1, 3, 200]);
    let (input, output, texture, image) = (InputId(id), OutputId(id), TextureId(id), ImageId(id));
    let (param, local) = (ParamId(id), LocalId(id));
    let lod = choice(rng, &[Lod::Implicit { bias_eighths: -128 }, Lod::Bias, Lod::Level, Lod::Gradient]);
    let site = choice(rng, Site::ALL);
    let lanes = choice(rng, &[0, 1, 4, 200]);
    let slope = choice(rng, &[Slope::Fine, Slope::Coarse]);
    match rng.below(42) {
        0 => Op::Compose,
        1 => Op::Input(input),
        2 => Op::InputAt { first: input, at: run },
        3 => Op::InputOf { first: input, at },
        4 => Op::Interpolate { input, site },
        5 => Op::LoadOutput(output),
        6 => Op::LoadOutputAt { first: output, at: run },
        7 => Op::LoadOutputOf { first: output, at },
        8 => Op::StoreOutput { output, mask },
        9 => Op::StoreOutputAt { first: output, at: run, mask },
        10 => Op::Param { array: param, index },
        11 => Op::ParamAt { array: param, offset, rule },
        12 => Op::StoreParam { array: param, index, mask },
        13 => Op::StoreParamAt { array: param, offset, mask },
        14 => Op::LoadLocal { array: local, index },
        15 => Op::LoadLocalAt { array: local, offset, rule },
        16 => Op::StoreLocal { array: local, index, mask },
        17 => Op::StoreLocalAt { array: local, offset, mask, rule },
        18 => Op::State(StateId(id)),
        19 => Op::Sample { texture, lod, compare, offset: offset_there, pick },
        20 => Op::Gather { texture, component: lanes, compare, offset: offset_there, pick },
        21 => Op::Fetch { texture, offset: offset_there, pick },
        22 => Op::TextureSize { texture, pick },
        23 => Op::TextureLod { texture, pick },
        24 => Op::TextureSamples { texture, pick },
        25 => Op::SamplePosition { texture, pick },
        26 => Op::LoadMemory { memory, lanes, pick },
        27 => Op::StoreMemory { memory, mask, pick },
        28 => Op::AtomicMemory { memory, atomic, pick },
        29 => Op::MemorySize { memory, pick },
        30 => Op::LoadImage { image, pick },
        31 => Op::StoreImage { image, pick },
        32 => Op::AtomicImage { image, atomic, pick },
        33 => Op::ImageSize { image, pick },
        34 => Op::Framebuffer { target: stream },
        35 => Op::Ddx(slope),
        36 => Op::Demote,
        37 => Op::Vote(choice(rng, Vote::ALL)),
        38 => choice(rng, &[Op::Ballot, Op::ReadFirst, Op::ReadInvocation, Op::IsHelper]),
        39 => choice(rng, &[Op::Clock, Op::Barrier, Op::Mark(index)]),
        40 => choice(rng, &[Op::EmitVertex { stream }, Op::EndPrimitive { stream }]),
        _ => Op::Pure(choice(rng, Pure::ALL)),
    }
}

fn each_inst(region: &mut Region, f: &mut impl FnMut(&mut Inst)) {
    for node in &mut region.nodes {
        match node {
            Node::Inst(inst) => f(inst),
            node => node.for_each_region_mut(|region| each_inst(region, f)),
        }
    }
}

#[test]
fn nothing_makes_a_run_panic() {
    let plane = Texture::from_rgba8(Dim::D2, 2, 2, 1, &[&[7; 16]]).unwrap();
    let cube = Texture::from_rgba8(Dim::Cube, 1, 1, 1, &[&[9; 24]]).unwrap();
    let texels = ImageTexels::new(Dim::D2, Format::R32Uint, Extent::new(2, 2), vec![1; 16]).unwrap();
    let (mut runs, mut refused, mut rng) = (0, 0, Rng::new(3));
    for _ in 0..500 {
        let mut shader = program(&mut rng, Size { nodes: 30, depth: 3 }, Kind::ALL);
        let mut body = core::mem::take(&mut shader.body);
        each_inst(&mut body, &mut |inst| {
            if rng.one_in(3) {
                inst.op = any_op(&mut rng);
            }
            if rng.one_in(8) {
                inst.args = Args::default();
            }
        });
        shader.body = body;
        for at in 0..shader.args.len() {
            if rng.one_in(10) {
                let (from, lanes) = (rng.below(shader.args.len()), choice(&mut rng, &[0, 1, 2, 4, 9]));
                shader.args[at] = Arg { lanes, ..shader.args[from] };
            }
        }
        shader.textures.push(Slot::new("a", 7, choice(&mut rng, Dim::ALL)));
        shader.textures.push(Slot::new("b", 8, Dim::D2));
        let format = Format::R32Uint;
        let image = Image { name: "i".into(), slot: 0, dim: Dim::D2, format, read: true, write: true };
        shader.images.push(image);
        if rng.one_in(3) {
            shader.setup.vertices_in = choice(&mut rng, &[0, 1, u32::MAX]);
            shader.setup.invocations = choice(&mut rng, &[0, 1, 3, u32::MAX]);
            shader.setup.workgroup = [choice(&mut rng, &[0, 1, 5, u32::MAX]), 1, 2];
            shader.setup.max_vertices = choice(&mut rng, &[0, 1, u32::MAX]);
            shader.setup.primitive_limit = choice(&mut rng, &[false, true]);
        }
        let sampler = SamplerState { anisotropy: 4, ..SamplerState::PLAIN }.with_filter(Filter::Linear);
        let bound = |texture| Some(BoundTexture { texture, sampler });
        let mut list = |n: usize| -> Vec<[u32; 4]> {
            (0..n).map(|_| core::array::from_fn(|_| rng.bits() >> (rng.bits() & 31))).collect()
        };
        let batch = Batch {
            count: 12,
            inputs: vec![list(12), list(5)],
            primitives: vec![0, u32::MAX],
            params: vec![list(3)],
            states: vec![Some([u32::MAX; 4]), None],
            textures: vec![bound(&plane), None, bound(&cube)],
            buffers: vec![vec![3; 30]],
            images: vec![Some(texels.clone())],
            handles: vec![(0, 0), (1, u32::MAX), (u64::MAX, 2)],
            framebuffer: vec![list(3)],
            carried: list(1),
            subgroup: choice(&mut rng, &[0, 1, 4, 8, 64, 99]),
            helpers: vec![false, true, false],
            fuel: Some(5),
            ..Batch::default()
        };
        match Prepared::unverified(&shader).sizes(&batch) {
            Ok(plan) => {
                run(&shader, &batch, &plan, None).unwrap();
                let watched = run(&shader, &batch, &Plan { pack: plan.group, ..plan }, Some(&mut |_| {}));
                watched.unwrap();
                runs += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(runs > 200 && refused > 20, "{runs} {refused}");
}
