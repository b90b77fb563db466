//! Shaders that are prepared once and run often.

use super::*;
use alloc::boxed::Box;
use alloc::vec;

#[test]
fn one_workspace_serves_many_shaders_and_batches() {
    let double = shader(
        "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
         %1 = add %0 %0 : f32x4\n  store o.xyzw %1",
    );
    let lane = shader(
        "vertex test\n  input 0 v attribute 0 : u32\n  output 0 o varying 0 : u32\n  output 1 p varying 1 : u32\n\n  \
         %0 = input v : u32\n  %1 = add %0 %0 : u32\n  store p.x %1",
    );
    let prepared = [Prepared::new(&double).unwrap().into_owned(), Prepared::new(&lane).unwrap()];
    let mut workspace = Workspace::default();
    for (at, count) in [(0, 4), (1, 3), (0, 200), (1, 0), (0, 1), (1, 65), (0, 4)] {
        let inputs = vec![(0..count as u32).map(|i| [i; 4]).collect()];
        let batch = Batch { count, inputs, ..Batch::default() };
        let outputs = prepared[at].run_in(&mut workspace, &batch).unwrap();
        let cell = |of: fn(u32) -> [u32; 4]| -> Vec<[u32; 4]> { (0..count as u32).map(of).collect() };
        let wanted = match at {
            0 => vec![cell(|i| [(f32::from_bits(i) + f32::from_bits(i)).to_bits(); 4])],
            _ => vec![cell(|_| [0; 4]), cell(|i| [2 * i, 0, 0, 0])],
        };
        assert_eq!(outputs.cells, wanted, "shader {at}, {count} invocations");
        assert_eq!((outputs.killed.len(), outputs.exhausted.len()), (count, count));
        assert_eq!(*outputs, prepared[at].run(&batch).unwrap());
    }
}

#[test]
fn a_run_that_fails_leaves_nothing_to_the_next_one() {
    // A loop without end, which is out of fuel soon, or emits more than a run may.
    let shader = build(Stage::Geometry, |b| {
        (b.shader.setup.max_vertices, b.shader.setup.primitive_limit) = (1024, true);
        b.shader.setup.vertices_in = 3;
        for _ in 0..64 {
            b.output(Scalar::F32);
        }
        let label = b.label();
        b.open();
        for _ in 0..64 {
            b.effect(Op::EmitVertex { stream: 0 }, &[]);
        }
        b.effect(Op::EndPrimitive { stream: 0 }, &[]);
        let body = b.close(&[]);
        let (params, init, results) = (Vec::new(), Args::default(), Vec::new());
        b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
    });
    let prepared = Prepared::new(&shader).unwrap();
    let mut workspace = Workspace::default();
    let short = Batch { count: 1, fuel: Some(2), ..Batch::default() };
    let wanted = prepared.run(&short).unwrap();
    assert_eq!(wanted.streams[0].len(), 3, "one primitive a round, and the fuel is for two more");
    let failed = prepared.run_in(&mut workspace, &Batch { count: 1, ..Batch::default() });
    assert!(matches!(failed, Err(RunError::Limit(_))));
    assert_eq!(prepared.run_in(&mut workspace, &short).unwrap(), &wanted);
}

#[test]
fn bindings_are_checked_in_each_run() {
    let compute = build(Stage::Compute, |b| b.shader.setup.workgroup = [4, 1, 1]);
    let prepared = Prepared::new(&compute).unwrap();
    assert!(prepared.run(&Batch { count: 8, ..Batch::default() }).is_ok());
    let refused = prepared.run(&Batch { count: 6, ..Batch::default() });
    assert!(matches!(refused, Err(RunError::Binding(_))), "{refused:?}");
}

#[test]
fn the_shader_is_checked_once() {
    let mut broken = shader(
        "vertex test\n  input 0 v attribute 0 : u32\n  output 0 o varying 0 : u32\n\n  %0 = input v : u32\n  \
         store o.x %0",
    );
    broken.outputs.clear();
    assert!(matches!(Prepared::new(&broken), Err(RunError::Malformed(_))));
}
