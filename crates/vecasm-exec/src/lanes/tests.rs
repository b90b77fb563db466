//! What only the library sees of memory between runs; the rest is in `tests/exec/lanes.rs`.

use super::*;
use crate::Batch;
use alloc::vec::Vec;
use vecasm_ir::ir::random::{Kind, Rng, Size, program};

#[test]
fn memory_of_runs_makes_no_difference() {
    let mut rng = Rng::new(9);
    let engine = Lanes::<Portable>::default();
    let mut memory = None;
    for _ in 0..100 {
        let shader = program(&mut rng, Size { nodes: 30, depth: 3 }, Kind::BASIC);
        let prepared = engine.prepare(&shader).unwrap();
        let workspace = memory.get_or_insert_with(|| prepared.workspace());
        let mut list =
            |n: usize| -> Vec<[u32; 4]> { (0..n).map(|_| core::array::from_fn(|_| rng.float())).collect() };
        let inputs = shader.inputs.iter().map(|_| list(70)).collect();
        let params = shader.params.iter().map(|p| list(p.size as usize)).collect();
        let batch = Batch { count: 70, inputs, params, fuel: Some(9), ..Batch::default() };
        assert_eq!(prepared.run_in(workspace, &batch).unwrap(), &prepared.run(&batch).unwrap());
        workspace.narrow.spoil();
        workspace.world.spoil();
    }
}
