//! What the pipeline tells pixel shaders: `vPos` is the number of the pixel, `vFace` a float of which the sign counts.

use crate::refusal::Refusals;
use crate::rules;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Args, Arith, InputKind, Inst, Node, Op, Promise, Pure, Region, Scalar, Shader, System, Type, Value,
    ValueInfo,
};

/// Has the inputs of a shader hold what the registers of 3.0 do: fragment coordinates no halves, and the face a float that is not
/// below zero in front. Coordinates that halves were taken off are the register as it is.
pub(super) fn as_registers(shader: &mut Shader, target: &'static str, refusals: &mut Refusals) {
    let mut read = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if let (Op::Input(input), Some(result)) = (inst.op, inst.result) {
            let kind = shader.inputs.get(input.index()).map(|input| input.kind);
            if let Some(InputKind::System(system @ (System::FragCoord | System::FrontFacing))) = kind {
                read.push((result, system, inst.step));
            }
        }
    });
    for (value, system, step) in read {
        match system {
            System::FrontFacing => face(shader, value),
            _ => {
                if shader.args.iter().any(|arg| reads(arg, value, |lane| lane > 1)) {
                    refusals.add(rules::SYSTEM, &[&target, &"depths of fragments"], step);
                }
                let with_halves = pixel(shader, value);
                if shader.args.iter().any(|arg| arg.value == with_halves) {
                    let differs = "coordinates that are not in the middle of a pixel";
                    refusals.weaken(Promise::Operations, "input", differs, step);
                }
            }
        }
    }
    let faces = |kind: InputKind| kind == InputKind::System(System::FrontFacing);
    shader.inputs.iter_mut().filter(|input| faces(input.kind)).for_each(|input| input.ty = Type::F32);
}

/// Whether an argument has a lane of a value of which that holds.
fn reads(arg: &Arg, value: Value, is: impl Fn(u8) -> bool) -> bool {
    arg.value == value && (0..usize::from(arg.lanes)).any(|n| is(arg.swizzle.get(n)))
}

/// A value that is the face from now on, and what was it a comparison.
fn face(shader: &mut Shader, value: Value) {
    let truth = replaced(shader, value, Type::BOOL, |_| false);
    shader.values[value.index()].ty = Type::F32;
    let zero = new_value(shader, Type::F32);
    let args = new_args(shader, &[Arg::all_lanes(value, 1), Arg::all_lanes(zero, 1)]);
    insert(shader, value, &[(Op::Const([0; 4]), zero, Args::default()), (Op::Pure(Pure::Ge), truth, args)]);
}

/// A value that is the number of the pixel from now on; gives the one that is what it was, with halves.
fn pixel(shader: &mut Shader, value: Value) -> Value {
    let mut halves = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if let Op::Const(bits) = inst.op {
            if bits.contains(&HALF) {
                halves.extend(inst.result.map(|result| (result, bits)));
            }
        }
    });
    let is_half = |arg: &Arg| {
        let known = halves.iter().find(|(of, _)| *of == arg.value);
        known.is_some_and(|(_, bits)| {
            (0..usize::from(arg.lanes)).all(|n| bits.get(usize::from(arg.swizzle.get(n))) == Some(&HALF))
        })
    };
    // What takes the halves off again is a copy of the register.
    let mut copies = Vec::new();
    let mut body = core::mem::take(&mut shader.body);
    body.for_each_inst_mut(&mut |inst| {
        let [from, half] = shader.args(inst.args) else { return };
        let straight = from.value == value && !reads(from, value, |lane| lane > 1);
        if inst.op == Op::Pure(Pure::Sub) && straight && is_half(half) {
            inst.op = Op::Compose;
            inst.args.len = 1;
            copies.push(inst.args.start);
        }
    });
    shader.body = body;
    let lanes = shader.values[value.index()].ty.lanes;
    let ty = Type::new(Scalar::F32, lanes);
    let with_halves = replaced(shader, value, ty, |at| copies.contains(&at));
    let half = new_value(shader, ty);
    let args = new_args(shader, &[Arg::all_lanes(value, lanes), Arg::all_lanes(half, lanes)]);
    let bits = Op::Const([HALF; 4]);
    insert(shader, value, &[(bits, half, Args::default()), (Op::Pure(Pure::Add), with_halves, args)]);
    with_halves
}

/// 0.5.
const HALF: u32 = 0.5f32.to_bits();

/// A new value that is read wherever another one was, but by arguments at certain places.
fn replaced(shader: &mut Shader, value: Value, ty: Type, stays: impl Fn(u32) -> bool) -> Value {
    let new = new_value(shader, ty);
    for (at, arg) in (0..).zip(&mut shader.args) {
        if arg.value == value && !stays(at) {
            arg.value = new;
        }
    }
    new
}

fn new_value(shader: &mut Shader, ty: Type) -> Value {
    shader.values.push(ValueInfo { ty, home: None });
    Value::new(shader.values.len() as u32 - 1)
}

fn new_args(shader: &mut Shader, of: &[Arg]) -> Args {
    let start = shader.args.len() as u32;
    shader.args.extend_from_slice(of);
    Args { start, len: of.len() as u32 }
}

/// Puts instructions behind the one that defines a value.
fn insert(shader: &mut Shader, value: Value, of: &[(Op, Value, Args)]) {
    fn within(region: &mut Region, value: Value, of: &[(Op, Value, Args)]) {
        let at = region.nodes.iter().position(|node| match node {
            Node::Inst(inst) => inst.result == Some(value),
            _ => false,
        });
        match at {
            Some(at) => {
                let Some(Node::Inst(first)) = region.nodes.get(at) else { return };
                let like = Inst { arith: Arith::IEEE, ..*first };
                let all = of
                    .iter()
                    .map(|&(op, result, args)| Node::Inst(Inst { op, result: Some(result), args, ..like }));
                let all: Vec<Node> = all.collect();
                region.nodes.splice(at + 1..at + 1, all);
            }
            None => region.nodes.iter_mut().for_each(|node| {
                node.for_each_region_mut(|region| within(region, value, of));
            }),
        }
    }
    within(&mut shader.body, value, of);
}
