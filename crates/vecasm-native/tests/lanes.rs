//! The loops that are compiled for a machine give the bits of the interpreter.

#![cfg(target_arch = "x86_64")]

mod common;

use common::word;
use vecasm::exec::interp::Interp;
use vecasm::exec::lanes::Lanes;
use vecasm::exec::{Batch, Engine};
use vecasm::ir::Stage;
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::print;
use vecasm_native::Avx2;

#[test]
fn random_shaders_in_avx2_loops_give_the_bits_of_the_interpreter() {
    let Some(engine) = Avx2::new().map(Lanes::new) else {
        return println!("skipped: this processor has no AVX2");
    };
    let mut rng = Rng::new(4);
    for seed in 0..1500 {
        let kind = if seed % 3 == 0 { Kind::ALL } else { Kind::BASIC };
        let shader = program(&mut rng, Size { nodes: 60, depth: 4 }, kind);
        let of_group = shader.setup.workgroup.iter().product::<u32>().max(shader.setup.invocations) as usize;
        let count = of_group * [1, 7, 64, 65, 130][rng.below(5)];
        let mut list = |n: usize| -> Vec<[u32; 4]> {
            (0..n)
                .map(|_| std::array::from_fn(|_| if rng.one_in(2) { rng.float() } else { word(&mut rng) }))
                .collect()
        };
        let inputs = match shader.stage {
            Stage::Compute => Vec::new(),
            _ => shader.inputs.iter().map(|_| list(count * 3)).collect(),
        };
        let params = shader.params.iter().map(|p| list(p.size as usize)).collect();
        let buffers = vec![vec![7; 64]; shader.buffers.len()];
        let batch = Batch { count, inputs, params, buffers, fuel: Some(20), ..Batch::default() };
        assert_eq!(
            engine.run(&shader, &batch),
            Interp.run(&shader, &batch),
            "{seed}: {count} of\n{}",
            print(&shader)
        );
    }
}
