//! Lines of a trace: what was there, what is written, and why the others are away.

use vecasm_debug::debug::trace::Trace;
use vecasm_exec::Batch;
use vecasm_exec::interp::Interp;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::steps::{Access, Cell, Step};
use vecasm_ir::ir::{Arg, Home, Op, Output, OutputId, OutputKind, ParamArray, ParamId, Scalar, Stage, Type};
use vecasm_ir::operand::WriteMask;
use vecasm_isa::agal::lift::{Depth, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};

fn trace(text: &str, inputs: Vec<Vec<[u32; 4]>>, params: Vec<[u32; 4]>) -> Vec<String> {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert_eq!(findings, []);
    let program = program.expect("the text is sound");
    let full = Options { depth: Depth::Full, ..Options::default() };
    let shader = lift(&program, &full).expect("the program has a meaning");
    assert_eq!(vecasm_ir::ir::verify::verify(&shader), []);
    let batch = Batch { count: inputs[0].len(), inputs, params: vec![params], ..Batch::default() };
    let mut trace = Trace::new(&batch);
    let mut lines = Vec::new();
    let plain = lift(&program, &Options::default()).expect("the program has a meaning");
    let outputs = Interp
        .run_watched(&shader, &batch, &mut |event| lines.push(trace.line(&shader, event, "")))
        .expect("the shader runs");
    // Watching changes nothing.
    assert_eq!(outputs, vecasm_exec::Engine::run(&Interp, &plain, &batch).expect("the shader runs"));
    lines
}

fn floats(v: [f32; 4]) -> [u32; 4] {
    v.map(f32::to_bits)
}

#[test]
fn a_write_shows_what_was_there() {
    // ft0 = v0; ft0.y = ft0.x · fc0.w = 2 · 3 where 5 was.
    let lines = trace(
        ".agal fragment 1\nmov ft0, v0\nmul ft0.y, ft0.x, fc0.w\nmov oc, ft0\n",
        vec![vec![floats([2.0, 5.0, f32::INFINITY, -0.5])]],
        vec![floats([0.0, 0.0, 0.0, 3.0])],
    );
    assert_eq!(
        lines,
        [
            r#"{"step":0,"group":0,"instruction":"","live":[0],"masked":{},"reads":{"v0.xyzw":[[2,5,"0x7f800000",-0.5]]},"writes":{"ft0.xyzw":{"old":[[0,0,0,0]],"new":[[2,5,"0x7f800000",-0.5]]}}}"#,
            r#"{"step":1,"group":0,"instruction":"","live":[0],"masked":{},"reads":{"ft0.x":[[2]],"fc[0].w":[[3]]},"writes":{"ft0.y":{"old":[[5]],"new":[[6]]}}}"#,
            r#"{"step":2,"group":0,"instruction":"","live":[0],"masked":{},"reads":{"ft0.xyzw":[[2,6,"0x7f800000",-0.5]]},"writes":{"oc.xyzw":{"old":[[0,0,0,0]],"new":[[2,6,"0x7f800000",-0.5]]}}}"#,
        ]
    );
}

#[test]
fn the_masked_say_why() {
    // A quad, for the derivative. Invocation 0 and 1 take the if (x < 1); 1 is killed behind it (y < 0).
    let lines = trace(
        ".agal fragment 2\nddx ft1, v0\nmov ft0, v0\nifl v0.x, fc0.x\nneg ft0.x, ft0.x\neif\nkil v0.y\nmov oc, ft0\n",
        vec![vec![
            floats([0.0, 1.0, 0.0, 0.0]),
            floats([0.5, -1.0, 0.0, 0.0]),
            floats([1.0, 1.0, 0.0, 0.0]),
            floats([2.0, 1.0, 0.0, 0.0]),
        ]],
        vec![floats([1.0, 0.0, 0.0, 0.0])],
    );
    let live = |line: &str| -> String {
        let from = line.find("\"live\"").expect("a line has it");
        line[from..line.find(",\"reads\"").expect("a line has it")].into()
    };
    assert_eq!(
        live(&lines[3]),
        r#""live":[0,1],"masked":{"2":"step 2 took the other branch","3":"step 2 took the other branch"}"#
    );
    assert_eq!(live(&lines[4]), r#""live":[0,1,2,3],"masked":{}"#);
    assert_eq!(live(&lines[5]), r#""live":[0,2,3],"masked":{"1":"demoted by step 5"}"#);
}

#[test]
fn numbers_are_shown_by_their_type() {
    let mut b = Builder::new(Stage::Vertex, "test", &["r"], 4);
    let constant = |b: &mut Builder, scalar, bits| {
        Arg::all_lanes(b.push(Op::Const([bits, 0, 0, 0]), &[], Type::new(scalar, 1)), 1)
    };
    let values = [
        constant(&mut b, Scalar::I32, -5i32 as u32),
        constant(&mut b, Scalar::U32, u32::MAX),
        constant(&mut b, Scalar::Bool, 1),
        constant(&mut b, Scalar::F32, 0.5f32.to_bits()),
    ];
    let register = |index| Access { cell: Cell::Register(Home { file: 0, index }), mask: WriteMask::X };
    let writes = (0..4).map(register).collect();
    b.shader.steps.push(Step { source: 0, part: 0, reads: vec![], writes });
    b.effect(Op::Mark(0), &values);
    let shader = b.finish();
    let batch = Batch { count: 1, ..Batch::default() };
    let (mut trace, mut lines) = (Trace::new(&batch), Vec::new());
    Interp.run_watched(&shader, &batch, &mut |event| lines.push(trace.line(&shader, event, ""))).unwrap();
    let writes = r#""writes":{"r0.x":{"old":[[0]],"new":[[-5]]},"r1.x":{"old":[[0]],"new":[[4294967295]]},"r2.x":{"old":[[false]],"new":[[true]]},"r3.x":{"old":[[0]],"new":[[0.5]]}}}"#;
    assert!(lines[0].ends_with(writes), "{}", lines[0]);
}

#[test]
fn what_one_vertex_leaves_the_next_one_finds() {
    // c[0].x = v + c[0].x, fog = c[0].x, in two vertices of 2 and 3, from c[0].x = 1: 3, then 6.
    let mut b = Builder::new(Stage::Vertex, "test", &["r"], 4);
    b.shader.serial = true;
    let attribute = vecasm_ir::ir::InputKind::Attribute { location: 0 };
    b.shader.inputs.push(vecasm_ir::ir::Input::new("v", attribute, Type::F32X4));
    b.shader.params.push(ParamArray { used: 1, ..ParamArray::new("c", 1) });
    let fog = Output { carried: true, ..Output::new("fog", OutputKind::Fog) };
    b.shader.outputs.push(fog);
    let cells = [Cell::Param(ParamId(0), 0), Cell::Output(OutputId(0))];
    let writes = cells.map(|cell| Access { cell, mask: WriteMask::X }).to_vec();
    b.shader.steps.push(Step { source: 0, part: 0, reads: vec![], writes });
    let v = b.op(Op::Input(vecasm_ir::ir::InputId(0)), &[]);
    let c = b.op(Op::Param { array: ParamId(0), index: 0 }, &[]);
    let sum = b.pure(vecasm_ir::ir::Pure::Add, &[Arg::lane(v.value, 0), Arg::lane(c.value, 0)]);
    b.effect(Op::StoreParam { array: ParamId(0), index: 0, mask: WriteMask::X }, &[sum]);
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[sum]);
    b.effect(Op::Mark(0), &[sum, sum]);
    let shader = b.finish();
    assert_eq!(vecasm_ir::ir::verify::verify(&shader), []);
    let inputs = vec![[2.0f32, 3.0].map(|x| [x.to_bits(), 0, 0, 0]).to_vec()];
    let params = vec![vec![[1.0f32.to_bits(), 0, 0, 0]]];
    let batch = Batch { count: 2, inputs, params, ..Batch::default() };
    let (mut trace, mut lines) = (Trace::new(&batch), Vec::new());
    Interp.run_watched(&shader, &batch, &mut |event| lines.push(trace.line(&shader, event, ""))).unwrap();
    let writes = [
        r#""writes":{"c[0].x":{"old":[[1]],"new":[[3]]},"fog.x":{"old":[[0]],"new":[[3]]}}}"#,
        r#""writes":{"c[0].x":{"old":[[3]],"new":[[6]]},"fog.x":{"old":[[3]],"new":[[6]]}}}"#,
    ];
    for (line, writes) in lines.iter().zip(writes) {
        assert!(line.ends_with(writes), "{line}");
    }
    assert_eq!(lines.len(), 2);
}
