//! The program without what its lift added of the pipeline: for targets whose pipeline does the same.

use super::clean::clean;
use super::rewrite::{Places, Rewrite};
use super::walk::Walk;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::ir::op::Place;
use vecasm_ir::ir::{Arg, Inst, Op, OutputId, Pure, Shader, Tail};
use vecasm_ir::operand::WriteMask;

/// Takes parts of the pipeline off a shader: exactly the instructions that a lift [added](Inst::tail) for them, with what only they
/// read and the outputs that only they wrote. The rest is what the program itself computes, and means the same once a pipeline
/// does those parts again.
///
/// A clamp gives what it was given, stores and demotions go, and the position is what the program stored. Without
/// [`Tail::Viewport`] it is therefore not in clip space.
///
/// Best asked right after lifting. The clamps outlast other passes; [`promote`](super::promote()) makes values of the stores of
/// other parts, which then stay.
#[must_use]
pub fn strip_tail(shader: &Shader, tails: &[Tail]) -> Shader {
    let mut found = false;
    let is_of = |inst: &Inst| inst.tail.is_some_and(|tail| tails.contains(&tail));
    shader.body.for_each_inst(&mut |inst| found |= is_of(inst));
    if !found {
        return shader.clone();
    }
    let position = tails.contains(&Tail::Viewport).then(|| position(shader)).flatten();
    let mut pass = Strip { rw: Rewrite::new(shader), tails, position };
    pass.nodes(&shader.body);
    let mut out = clean(&pass.rw.b.finish());
    drop_outputs(&mut out, shader, &is_of);
    out
}

struct Strip<'a, 'b> {
    rw: Rewrite<'a>,
    tails: &'b [Tail],
    /// The position before the viewport was undone.
    position: Option<Position>,
}

impl<'a> Walk<'a> for Strip<'a, '_> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        let Some(tail) = inst.tail.filter(|tail| self.tails.contains(tail)) else {
            return self.copy_inst(inst, inst.op);
        };
        let args = self.rw.from.args(inst.args);
        match (tail, inst.op) {
            (Tail::Viewport, Op::StoreOutput { output, mask }) => match self.position {
                Some(position) if mask == WriteMask::ALL => self.position(inst, output, position),
                _ => self.copy_inst(inst, inst.op),
            },
            (_, Op::StoreOutput { .. } | Op::Demote) => {}
            (Tail::ClampColors | Tail::ClampFog, Op::Pure(Pure::Saturate))
            | (Tail::ClampConstants, Op::Pure(Pure::Min | Pure::Max))
            | (Tail::Projected, Op::Pure(Pure::Div)) => self.give(inst, args.first()),
            (Tail::Points, Op::Pure(Pure::Select)) => self.give(inst, args.last()),
            _ => self.copy_inst(inst, inst.op),
        }
    }
}

impl<'a> Strip<'a, '_> {
    /// Lets an instruction give one of its arguments.
    fn give(&mut self, inst: &'a Inst, arg: Option<&Arg>) {
        let fitting = |(&arg, &result): (&Arg, _)| {
            (self.rw.from.arg_type(arg) == self.rw.from.value(result).ty).then_some((arg, result))
        };
        let Some((arg, result)) = arg.zip(inst.result.as_ref()).and_then(fitting) else {
            return self.copy_inst(inst, inst.op);
        };
        self.rw.b.follow(inst);
        let arg = self.rw.arg(arg);
        self.rw.put_arg(result, arg);
    }

    /// Stores the position that the program gave.
    fn position(&mut self, inst: &Inst, output: OutputId, position: Position) {
        self.rw.b.follow(inst);
        self.rw.b.tail = None;
        let mut places = Places::default();
        for arg in position {
            self.rw.places(arg, 0..1, &mut places);
        }
        let all = self.rw.gather(&places);
        self.rw.b.effect(Op::StoreOutput { output, mask: WriteMask::ALL }, &[all]);
    }
}

/// The lanes that the undoing of the viewport starts from.
type Position = [Arg; 4];

/// Finds them: x and y are multiplied first, z alone is divided, and the magnitude of w is taken.
fn position(shader: &Shader) -> Option<Position> {
    let mut composed = BTreeMap::new();
    let [mut xy, mut z, mut w] = [None; 3];
    shader.body.for_each_inst(&mut |inst| {
        let args = shader.args(inst.args);
        if let (Op::Compose, Some(result)) = (inst.op, inst.result) {
            let lanes = args.iter().flat_map(|&arg| (0..arg.lanes).map(move |n| lane(arg, n)));
            composed.insert(result, lanes.collect::<Vec<Arg>>());
        }
        let (Some(Tail::Viewport), Some(&arg)) = (inst.tail, args.first()) else { return };
        match (inst.op, arg.lanes) {
            (Op::Pure(Pure::Mul), 2) => _ = xy.get_or_insert(arg),
            (Op::Pure(Pure::Div), 1) => z = Some(arg),
            (Op::Pure(Pure::Abs), 1) => w = Some(arg),
            _ => {}
        }
    });
    let (xy, z, w) = (xy?, z?, w?);
    // From where composes have them.
    Some([lane(xy, 0), lane(xy, 1), lane(z, 0), lane(w, 0)].map(|mut place| {
        while let Some(from) =
            composed.get(&place.value).and_then(|lanes| lanes.get(usize::from(place.swizzle.get(0))))
        {
            place = *from;
        }
        place
    }))
}

/// One lane of an argument.
fn lane(arg: Arg, n: u8) -> Arg {
    Arg::lane(arg.value, arg.swizzle.get(usize::from(n)))
}

/// Drops the outputs at the end of the table that only instructions that went wrote.
fn drop_outputs(out: &mut Shader, from: &Shader, went: &impl Fn(&Inst) -> bool) {
    let first_unused = |shader: &Shader, by: &dyn Fn(&Inst) -> bool| {
        let mut behind = 0;
        shader.body.for_each_inst(&mut |inst| {
            if let (Some((Place::Output(first), count)), true) = (inst.op.cells(), by(inst)) {
                behind = behind.max(first.index().saturating_add(count as usize));
            }
        });
        behind
    };
    let (lost, kept) = (first_unused(from, went), first_unused(out, &|_| true));
    if kept < lost && lost == out.outputs.len() {
        out.outputs.truncate(kept);
    }
}
