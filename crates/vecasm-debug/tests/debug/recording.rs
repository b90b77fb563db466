//! Runs with every value and writer at every time.

use vecasm_debug::debug::recording::{Limits, Recording};
use vecasm_exec::Batch;
use vecasm_exec::interp::Absence;
use vecasm_ir::ir::steps::{Access, Cell, Step};
use vecasm_ir::ir::{Home, ParamId, Shader, Stage};
use vecasm_ir::operand::WriteMask;
use vecasm_isa::agal::lift::{Depth, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};

fn shader(text: &str) -> Shader {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert_eq!(findings, []);
    let full = Options { depth: Depth::Full, ..Options::default() };
    lift(&program.expect("the text is sound"), &full).expect("the program has a meaning")
}

fn floats(v: [f32; 4]) -> [u32; 4] {
    v.map(f32::to_bits)
}

fn record(shader: &Shader, inputs: Vec<[f32; 4]>, params: &[[f32; 4]]) -> Recording {
    let inputs: Vec<[u32; 4]> = inputs.into_iter().map(floats).collect();
    let params = vec![params.iter().copied().map(floats).collect()];
    let batch = Batch { count: inputs.len(), inputs: vec![inputs], params, ..Batch::default() };
    Recording::of(shader, &batch, 0, &Limits::default()).expect("it runs")
}

/// The cell of that name.
fn cell(shader: &Shader, name: &str) -> Cell {
    let accesses = shader.steps.iter().flat_map(Step::accesses);
    accesses.map(|a| a.cell).find(|&c| shader.cell_name(c) == name).expect("a step names it")
}

fn float(bits: Option<u32>) -> Option<f32> {
    bits.map(f32::from_bits)
}

#[test]
fn every_time_has_its_values_and_writers() {
    // ft0 = v0 = (2, 5, 1, -0.5); ft0.x = 2·3 = 6; ft0.x = 6·3 = 18; oc = ft0.
    let shader = shader(
        ".agal fragment 1\nmov ft0, v0\nmul ft0.x, ft0.x, fc0.w\nmul ft0.x, ft0.x, fc0.w\nmov oc, ft0\n",
    );
    let run = record(&shader, vec![[2.0, 5.0, 1.0, -0.5]], &[[0.0, 0.0, 0.0, 3.0]]);
    assert_eq!((run.len(), run.first(), run.group(), run.is_cut()), (4, 0, 1, false));
    let [ft0, v0, fc0, oc] = ["ft0", "v0", "fc[0]", "oc"].map(|name| cell(&shader, name));
    let x = |time| float(run.value(time, ft0, 0, 0));
    assert_eq!([0, 1, 2, 3, 4].map(x), [None, Some(2.0), Some(6.0), Some(18.0), Some(18.0)]);
    assert_eq!(
        [0, 1, 2, 3, 4].map(|t| run.writer_of(t, ft0, 0, 0)),
        [None, Some(0), Some(1), Some(2), Some(2)]
    );
    assert_eq!([0, 1, 4].map(|t| run.writer_of(t, ft0, 1, 0)), [None, Some(0), Some(0)]);
    assert_eq!(run.writers(ft0, 0, 0).collect::<Vec<_>>(), [0, 1, 2]);
    // What was given is known from the start: the constant because it was given, the input because it is read.
    assert_eq!(run.cell(0, v0, 0).map(float), [Some(2.0), Some(5.0), Some(1.0), Some(-0.5)]);
    assert_eq!(float(run.value(0, fc0, 3, 0)), Some(3.0));
    assert_eq!(run.writer_of(4, fc0, 3, 0), None);
    assert_eq!([3, 4].map(|t| float(run.value(t, oc, 0, 0))), [Some(0.0), Some(18.0)]);
    let second = run.moment(2).expect("there are four");
    assert_eq!((second.step().source, second.is_live(0), second.number()), (2, true, 2));
    assert_eq!(float(Some(second.read(0, 0)[0])), Some(6.0));
    assert_eq!(float(Some(second.written(0, 0)[0])), Some(18.0));
    assert_eq!(float(second.old(0, 0)[0]), Some(6.0));
    assert_eq!(run.outputs().cells[0], [floats([18.0, 5.0, 1.0, -0.5])]);
}

#[test]
fn invocations_that_are_away_write_nothing() {
    // A quad, for the derivative. The left two take the if: v0.x < 1.
    let shader = shader(
        ".agal fragment 2\nddx ft1, v0\nmov ft0, v0\nifl v0.x, fc0.x\nneg ft0.x, ft0.x\neif\nmov oc, ft0\n",
    );
    let inputs = [0.25, 0.5, 1.0, 2.0].map(|x| [x, 0.0, 0.0, 0.0]).to_vec();
    let run = record(&shader, inputs, &[[1.0, 0.0, 0.0, 0.0]]);
    let ft0 = cell(&shader, "ft0");
    assert_eq!(run.group(), 4);
    let neg = run.moments().find(|m| m.step().source == 3).expect("two invocations come there");
    assert_eq!(neg.live().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(neg.absent()[2], Some(Absence::Condition(2)));
    let x: Vec<_> = (0..4).map(|i| float(run.value(run.len(), ft0, 0, i))).collect();
    assert_eq!(x, [Some(-0.25), Some(-0.5), Some(1.0), Some(2.0)]);
    let writer = |i| run.writer_of(run.len(), ft0, 0, i).and_then(|m| run.moment(m)).map(|m| m.step().source);
    assert_eq!([0, 1, 2, 3].map(writer), [Some(3), Some(3), Some(1), Some(1)]);
}

#[test]
fn computed_indices_are_resolved() {
    // va0.x + 2 = 3: vc3 is read, whose y is 7.
    let shader = shader(".agal vertex 1\nmov vt0, vc[va0.x+2].y\nmov op, vt0\n");
    let run =
        record(&shader, vec![[1.0, 0.0, 0.0, 0.0]], &[[0.0; 4], [0.0; 4], [0.0; 4], [5.0, 7.0, 0.0, 0.0]]);
    let first = run.moment(0).expect("there are two");
    let (n, access) = first
        .step()
        .accesses()
        .enumerate()
        .find(|(_, a)| a.cell.is_computed())
        .expect("the index is computed");
    let meant = first.meant(n, 0);
    assert_eq!(meant, [(Cell::Param(ParamId(0), 3), access.mask)]);
    assert_eq!(float(run.value(0, meant[0].0, 1, 0)), Some(7.0));
}

#[test]
fn limits_cut() {
    let shader = shader(".agal fragment 1\nmov ft0, v0\nmov ft0, ft0\nmov oc, ft0\n");
    let batch = Batch { count: 3, ..Batch::default() };
    let limits = Limits { moments: 2, ..Limits::default() };
    let run = Recording::of(&shader, &batch, 2, &limits).expect("it runs");
    assert_eq!((run.len(), run.is_cut(), run.first(), run.group()), (2, true, 2, 1));
    let few = Limits { bytes: 1, ..Limits::default() };
    assert_eq!(Recording::of(&shader, &batch, 2, &few).expect("it runs").len(), 1);
    let far = Recording::of(&shader, &batch, 3, &limits).expect_err("there are three");
    assert_eq!(far.to_string(), "no invocation 3; the batch has 3");
}

#[test]
fn what_earlier_vertices_leave_is_there() {
    use vecasm_ir::ir::build::Builder;
    use vecasm_ir::ir::{Arg, Input, InputKind, Op, ParamArray, Pure, Type};
    // c[0].x = v + c[0].x in three vertices of 2, 3 and 10, from 1: 3, 6, 16.
    let mut b = Builder::new(Stage::Vertex, "test", &["v"], 4);
    b.shader.serial = true;
    b.shader.inputs.push(Input::new("v", InputKind::Attribute { location: 0 }, Type::F32X4));
    b.shader.params.push(ParamArray { used: 1, ..ParamArray::new("c", 1) });
    let c0 = Cell::Param(ParamId(0), 0);
    let home = Cell::Register(Home { file: 0, index: Home::ONLY });
    let access = |cell| Access { cell, mask: WriteMask::X };
    b.shader.steps.push(Step {
        source: 0,
        part: 0,
        reads: vec![access(home), access(c0)],
        writes: vec![access(c0)],
    });
    let v = b.op(Op::Input(vecasm_ir::ir::InputId(0)), &[]);
    let v = Arg::lane(v.value, 0);
    let c = b.op(Op::Param { array: ParamId(0), index: 0 }, &[]);
    let c = Arg::lane(c.value, 0);
    let sum = b.pure(Pure::Add, &[v, c]);
    b.effect(Op::StoreParam { array: ParamId(0), index: 0, mask: WriteMask::X }, &[sum]);
    b.effect(Op::Mark(0), &[v, c, sum]);
    let shader = b.finish();
    let inputs = vec![[2.0f32, 3.0, 10.0].map(|x| [x.to_bits(), 0, 0, 0]).to_vec()];
    let params = vec![vec![floats([1.0, 8.0, 0.0, 0.0])]];
    let batch = Batch { count: 3, inputs, params, ..Batch::default() };
    let run = Recording::of(&shader, &batch, 1, &Limits::default()).expect("it runs");
    assert_eq!((run.first(), run.group(), run.len()), (1, 1, 1));
    assert_eq!([0, 1].map(|t| float(run.value(t, c0, 0, 0))), [Some(3.0), Some(6.0)]);
    assert_eq!([0, 1].map(|t| float(run.value(t, c0, 1, 0))), [Some(8.0), Some(8.0)]);
    assert_eq!((run.left_by(c0, 0), run.left_by(c0, 1)), (Some(0), None));
    assert_eq!((run.writer_of(0, c0, 0, 0), run.writer_of(1, c0, 0, 0)), (None, Some(0)));
}
