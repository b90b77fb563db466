use super::*;
use crate::ir::build::Builder;
use crate::ir::{
    Arg, Args, Arith, Block, Composite, Idiom, If, Inst, Loop, Node, Op, Output, OutputId, OutputKind, Pure,
    Region, Stage, Switch,
};
use crate::isa::operand::WriteMask;
use alloc::boxed::Box;

fn builder() -> Builder {
    let mut b = Builder::new(Stage::Fragment, "test", &["r"], 8);
    b.shader.outputs.push(Output::new("oc", OutputKind::Color { target: 0 }));
    b
}

fn messages(shader: &Shader) -> Vec<String> {
    verify(shader).into_iter().map(|b| b.message).collect()
}

#[test]
fn a_sound_shader_has_no_breach() {
    let mut b = builder();
    let x = b.splat(1.0, 4);
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[x]);
    assert_eq!(messages(&b.finish()), [""; 0]);
}

#[test]
fn values_end_with_their_region() {
    let mut b = builder();
    let cond = Arg::whole(b.push_entry(Op::Const([1, 0, 0, 0]), Type::BOOL), 1);
    b.open();
    let inner = b.push(Op::Const([0; 4]), &[], Type::F32);
    let then = b.close(&[]);
    b.node(Node::If(Box::new(If { cond, then, otherwise: Region::default(), results: Vec::new() })));
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[Arg::whole(inner, 1)]);
    assert_eq!(messages(&b.finish()), ["%1 is used outside the region that defines it"]);
}

#[test]
fn types_must_fit() {
    let mut b = builder();
    let one = b.splat(1.0, 1);
    let three = b.splat(1.0, 3);
    b.pure(Pure::Add, &[one, three]);
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::XYZ }, &[one]);
    b.effect(Op::Demote, &[one]);
    assert_eq!(
        messages(&b.finish()),
        [
            "add is given (f32 f32x3) where (f32x3 f32x3) is wanted",
            "store is given (f32) where (f32x3) is wanted",
            "demote is given (f32) where (bool) is wanted"
        ]
    );
}

#[test]
fn exits_need_an_open_region_of_their_kind() {
    let mut b = builder();
    let block = b.label();
    b.open();
    b.node(Node::Again { label: block, values: Args::default() });
    let body = b.close(&[]);
    b.node(Node::Block(Box::new(Block { label: block, body, results: Vec::new() })));
    let stray = b.label();
    b.node(Node::Leave { label: stray, values: Args::default() });
    assert_eq!(
        messages(&b.finish()),
        ["again L0: a block has no next round", "leave L1 stands in no block or loop of that label"]
    );
}

#[test]
fn a_loop_carries_what_it_declares() {
    let mut b = builder();
    let start = b.splat(0.0, 1);
    let label = b.label();
    let param = b.value(Type::F32, None);
    b.open();
    let body = b.close(&[]);
    let init = b.list(&[start]);
    b.node(Node::Loop(Box::new(Loop { label, params: vec![param], init, body, results: Vec::new() })));
    assert_eq!(messages(&b.finish()), ["loop L0 yields () where (f32) is wanted"]);
}

#[test]
fn lanes_must_exist() {
    let mut b = builder();
    let one = b.splat(1.0, 1);
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[Arg::lane(one.value, 2)]);
    assert_eq!(messages(&b.finish()), ["%0 has no lane z: it is f32"]);
}

#[test]
fn switches_and_idioms_are_walked() {
    let mut b = builder();
    let selector = b.int(3);
    let x = b.splat(1.0, 3);
    let result = b.value(Type::F32, None);
    let case = |b: &mut Builder, arg: Arg| {
        b.open();
        b.close(&[arg])
    };
    let one = Arg::lane(x.value, 0);
    let cases = vec![
        (vec![1, 2], case(&mut b, one)),
        (vec![!0, 2], case(&mut b, selector)),
        (vec![], case(&mut b, one)),
    ];
    let default = case(&mut b, one);
    b.node(Node::Switch(Box::new(Switch { selector, cases, default, results: vec![result] })));
    let label = b.label();
    b.open();
    b.open();
    b.node(Node::Leave { label, values: Args::default() });
    let body = b.close(&[]);
    let (operands, results) = (b.list(&[x, x]), Vec::new());
    b.node(Node::Idiom(Box::new(Idiom { what: Composite::Normalize, operands, body, results })));
    let body = b.close(&[]);
    b.node(Node::Block(Box::new(Block { label, body, results: Vec::new() })));
    assert_eq!(
        messages(&b.finish()),
        [
            "case 2 stands twice in a switch",
            "a case of a switch yields (i32) where (f32) is wanted",
            "a case of a switch has no number",
            "idiom normalize has 2 operands where 1 is wanted",
            "idiom normalize has 0 results where 1 is wanted",
            "leave L0 leads out of an idiom",
        ]
    );
}

#[test]
fn attributes_of_arithmetic_concern_their_operation() {
    let mut b = builder();
    let (x, i) = (b.splat(1.0, 1), b.int(1));
    let mut with = |op: Op, args: &[Arg], arith: Arith, ty: Type| {
        b.push(op, args, ty);
        let args = b.list(args);
        let result = Some(b.value(ty, None));
        b.node(Node::Inst(Inst { op, arith, result, args, step: 0 }));
    };
    let precise = Arith { precise: true, ..Arith::IEEE };
    let flush = Arith { flush: true, ..Arith::NV20 };
    with(Op::Pure(Pure::Add), &[x, x], Arith::ZERO_WINS, Type::F32);
    with(Op::Pure(Pure::Mul), &[x, x], Arith::ZERO_WINS, Type::F32);
    with(Op::Pure(Pure::Mul), &[i, i], Arith::NV20, Type::I32);
    with(Op::Pure(Pure::Neg), &[x], precise, Type::F32);
    with(Op::Pure(Pure::Mul), &[x, x], flush, Type::F32);
    with(Op::Pure(Pure::Floor), &[x], Arith::NV20, Type::F32);
    with(Op::Compose, &[x], Arith::NV20, Type::F32);
    assert_eq!(
        messages(&b.finish()),
        [
            "zero_wins does not concern add of f32",
            "nv20 does not concern mul of i32",
            "precise does not concern neg of f32",
            "flush does not concern mul of f32",
            "floor has no definition under nv20",
            "nv20 does not concern compose",
        ]
    );
}
