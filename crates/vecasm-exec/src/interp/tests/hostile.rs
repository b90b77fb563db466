//! Shaders that nobody checked: whatever an operation names and whatever it is given, a run ends without a panic.

use super::*;
use crate::image::Image as ImageTexels;
use crate::texture::Extent;
use vecasm_ir::ir::random::{Kind, Rng, Size, operation, program};
use vecasm_ir::ir::{Format, Image, Texture as Slot};

fn choice<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len())]
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
                inst.op = operation(&mut rng);
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
