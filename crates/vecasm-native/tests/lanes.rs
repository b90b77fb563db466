//! The loops that are compiled for a machine give the bits of the interpreter.

#![cfg(target_arch = "x86_64")]

mod common;

use common::word;
use vecasm::exec::interp::Interp;
use vecasm::exec::lanes::{Kernels, Lanes};
use vecasm::exec::{Batch, Engine};
use vecasm::ir::Stage;
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::print;
use vecasm_native::{Avx2, Avx512};

#[test]
fn sums_of_products_beside_values_of_64_bits_are_sums() {
    let text = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
                %1 = to_f64 %0.x : f64\n  %2 = to_f32 %1 : f32\n  %3 = mul %0 %0 : f32x4\n  %4 = add %3 %2.xxxx : f32x4\n  \
                store o.xyzw %4\n";
    let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
    let inputs = vec![(0..70).map(|i| [i as f32; 4].map(f32::to_bits)).collect()];
    let batch = Batch { count: 70, inputs, ..Batch::default() };
    let got = Lanes::<vecasm::exec::lanes::Portable>::default().run(&shader, &batch).unwrap();
    assert_eq!(got.cells[0][3], [12.0f32.to_bits(); 4]);
    assert_eq!(got, Interp.run(&shader, &batch).unwrap());
}

#[test]
fn random_shaders_in_avx2_loops_give_the_bits_of_the_interpreter() {
    match Avx2::new() {
        Some(kernels) => random_shaders_give_the_bits_of_the_interpreter(kernels),
        None => println!("skipped: this processor has no AVX2"),
    }
}

#[test]
fn random_shaders_in_avx512_loops_give_the_bits_of_the_interpreter() {
    match Avx512::new() {
        Some(kernels) => random_shaders_give_the_bits_of_the_interpreter(kernels),
        None => println!("skipped: this processor has no AVX-512, or the compiler is older than Rust 1.89"),
    }
}

fn random_shaders_give_the_bits_of_the_interpreter(kernels: impl Kernels + 'static) {
    let engine = Lanes::new(kernels);
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
