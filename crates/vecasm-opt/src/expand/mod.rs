//! Arithmetic that a target lacks, rewritten into IEEE f32 and 32-bit integer operations.
//!
//! * this file: what can be asked for, and the rewriting of each instruction;
//! * [`code`]: writing expressions;
//! * [`nv20`]: the NV20's operations in integers;
//! * [`single`]: zero-wins products, flushed denormals, and composite operations of f32.

mod code;
mod nv20;
mod single;

use super::rewrite::Rewrite;
use super::walk::Walk;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Arith, Idiom, InputKind, Inst, Node, Op, Pure, Rule, Scalar, Shader, Type, Value, Vote,
};
use vecasm_ir::operand::Swizzle;

/// What [`expand`] rewrites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expand {
    /// [`Rule::ZeroWins`]: `mul` and `fma` become their IEEE forms behind a selection, `dot` products and a sum; of the
    /// other operations on f32, which the rule does not concern, the attribute goes.
    pub zero_wins: bool,
    /// [`Rule::Nv20`]: every operation that is defined under it becomes u32 and i32 operations, with tables as trees
    /// of selections. See [`expand`] for what this does to values.
    pub nv20: bool,
    /// [`Arith::flush`]: explicit tests of the arguments and the result of every operation on f32. Where the last place
    /// decides whether a result is tiny (`mul`, `fma`, `div`), it is computed once more 2^60 times as large.
    pub flush: bool,
    /// `sum` and `dot` of f32 and f64 become additions in lane order; under nv20 they are covered by `nv20`.
    pub sums: bool,
    /// Composite operations of f32 become simpler ones: `rcc`, `exp2_floor`, `exponent`, `mantissa`, `lit`,
    /// `frexp_fraction`, `frexp_exponent`.
    pub composites: bool,
    /// `fract` of f32 becomes a difference to `floor`.
    pub fract: bool,
    /// `bit_extract` and `bit_insert` become shifts and masks.
    pub bit_fields: bool,
}

impl Expand {
    /// Everything.
    pub const ALL: Self = Self {
        zero_wins: true,
        nv20: true,
        flush: true,
        sums: true,
        composites: true,
        fract: true,
        bit_fields: true,
    };
}

/// Rewrites arithmetic, bit for bit.
///
/// Under [`Expand::nv20`], and if the shader has such arithmetic, **every** f32 value is held as u32: results and
/// parameters of regions, local arrays and parameter arrays (their tables say u32 then). Values become f32
/// (`as_f32`) only where an operation that is not expanded takes them, where they are stored to an output or
/// held by a mark of the step table, and f32 results (inputs, texture reads, output cells) become u32 at once.
/// [`fold`](super::fold()) takes out what
/// is there and back. So no bit pattern passes through an f32 variable inside the shader. The brackets of idioms go.
///
/// The whole number that a floor of f32 is (`to_i32` of `floor`) is computed of the bits, too.
///
/// What stays: operations that none of the flags names; `fma` of IEEE f32; elementary functions (`exp2`, `log2`, `pow`,
/// `sin`, `cos`, `rsq`, `sqrt`) and divisions of IEEE f32, flushed or not; operations on f64; the
/// arithmetic of atomics; operations under nv20 that are not defined there.
///
/// The step table stays exact.
#[must_use]
pub fn expand(shader: &Shader, what: Expand) -> Shader {
    let mut nv20 = false;
    shader.body.for_each_inst(&mut |inst| nv20 |= is_nv20(shader, inst));
    run(shader, what, what.nv20 && nv20, false)
}

/// Expands everything, holds every f32 value as u32 even where nothing computes as the NV20 does, and declares vertex
/// attributes and state values of f32 as u32: whoever binds them gives the same bits.
pub(super) fn integers(shader: &Shader) -> Shader {
    run(shader, Expand::ALL, true, true)
}

fn run(shader: &Shader, what: Expand, bits: bool, given: bool) -> Shader {
    let mut pass = Expanding { rw: Rewrite::new(shader), what, bits, given, floors: BTreeMap::new() };
    if given {
        let new = &mut pass.rw.b.shader;
        let attributes = new.inputs.iter_mut().filter(|i| matches!(i.kind, InputKind::Attribute { .. }));
        for ty in
            attributes.map(|input| &mut input.ty).chain(new.states.iter_mut().map(|state| &mut state.ty))
        {
            if ty.scalar == Scalar::F32 {
                ty.scalar = Scalar::U32;
            }
        }
    }
    if pass.bits {
        let new = &mut pass.rw.b.shader;
        for array in new.params.iter_mut().filter(|a| a.scalar == Scalar::F32) {
            array.scalar = Scalar::U32;
        }
        for array in new.locals.iter_mut().filter(|a| a.scalar == Scalar::F32) {
            array.scalar = Scalar::U32;
        }
    }
    pass.nodes(&shader.body);
    pass.rw.b.finish()
}

/// Whether an instruction computes by the NV20's rule.
fn is_nv20(shader: &Shader, inst: &Inst) -> bool {
    match inst.op {
        Op::Pure(pure) if inst.arith.rule == Rule::Nv20 && pure.has_nv20() => {
            pure.scalar_of(shader, shader.args(inst.args)) == Scalar::F32
        }
        _ => false,
    }
}

struct Expanding<'a> {
    rw: Rewrite<'a>,
    what: Expand,
    /// Whether f32 values are held as u32.
    bits: bool,
    /// Whether attributes and state values are given as u32.
    given: bool,
    /// Floors of f32 values that are held as u32: what they are of.
    floors: BTreeMap<Value, Arg>,
}

impl<'a> Walk<'a> for Expanding<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn node(&mut self, node: &'a Node) -> bool {
        match node {
            Node::Idiom(node) if self.bits => {
                let node: &'a Idiom = node;
                self.splice(&node.body, &node.results)
            }
            node => self.copy_node(node),
        }
    }

    fn result(&mut self, old: Value) -> Value {
        let mut info = self.rw.from.value(old);
        info.ty = self.held_type(info.ty);
        let new = self.rw.b.value(info.ty, info.home);
        self.rw.put_whole(old, new);
        new
    }

    fn inst(&mut self, inst: &'a Inst) {
        self.rw.b.follow(inst);
        self.rw.b.arith = inst.arith;
        let args = self.rw.args(inst.args);
        let new = match inst.op {
            Op::Const(bits) => inst.result.map(|result| {
                let ty = self.held_type(self.rw.from.value(result).ty);
                Arg::all_lanes(self.rw.b.push(Op::Const(bits), &[], ty), ty.lanes)
            }),
            Op::Pure(pure) => Some(self.pure(pure, inst, &args)),
            op if self.given && matches!(op, Op::Input(_) | Op::InputAt { .. } | Op::State(_)) => {
                let given = self.rw.b.op(op, &args);
                Some(self.hold(given))
            }
            op if self.bits && keeps_bits(op) => match inst.result {
                Some(_) => Some(self.rw.b.op(op, &args)),
                None => {
                    self.rw.b.effect(op, &args);
                    None
                }
            },
            op => {
                let args = self.floats(inst, &args);
                match inst.result {
                    Some(result) => {
                        let ty = self.rw.from.value(result).ty;
                        let new = Arg::all_lanes(self.rw.b.push(op, &args, ty), ty.lanes);
                        Some(self.hold(new))
                    }
                    None => {
                        self.rw.b.effect(op, &args);
                        None
                    }
                }
            }
        };
        self.rw.done(args);
        if let (Some(result), Some(new)) = (inst.result, new) {
            self.rw.put_arg(result, new);
            if let (Some(home), None) =
                (self.rw.from.value(result).home, self.rw.b.shader.value(new.value).home)
            {
                self.rw.b.set_home(new.value, home);
            }
        }
    }
}

/// Operations that move values or compare their bits, or whose table says u32 now.
fn keeps_bits(op: Op) -> bool {
    matches!(
        op,
        Op::Compose
            | Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::StoreParam { .. }
            | Op::StoreParamAt { .. }
            | Op::LoadLocal { .. }
            | Op::LoadLocalAt { .. }
            | Op::StoreLocal { .. }
            | Op::StoreLocalAt { .. }
            | Op::Vote(Vote::Equal)
            | Op::ReadFirst
            | Op::ReadInvocation
    )
}

impl<'a> Expanding<'a> {
    /// The type that values of a type are held in.
    fn held_type(&self, ty: Type) -> Type {
        if self.bits && ty.scalar == Scalar::F32 { Type::new(Scalar::U32, ty.lanes) } else { ty }
    }

    /// A new value as it is held.
    fn hold(&mut self, arg: Arg) -> Arg {
        if self.bits && self.rw.b.shader.arg_type(arg).scalar == Scalar::F32 {
            self.rw.b.pure(Pure::AsU32, &[arg])
        } else {
            arg
        }
    }

    /// New arguments as an operation on f32 takes them.
    fn floats(&mut self, inst: &'a Inst, args: &[Arg]) -> Vec<Arg> {
        let from = self.rw.from;
        let old = from.args(inst.args);
        args.iter()
            .zip(old)
            .map(|(&arg, &old)| {
                if self.bits && from.arg_type(old).scalar == Scalar::F32 {
                    self.rw.b.pure(Pure::AsF32, &[arg])
                } else {
                    arg
                }
            })
            .collect()
    }

    fn pure(&mut self, pure: Pure, inst: &'a Inst, args: &[Arg]) -> Arg {
        let from = self.rw.from;
        let old = from.args(inst.args);
        if self.bits {
            let scalar = pure.scalar_of(from, old);
            if let Some(moved) = self.moved(pure, old, args) {
                return moved;
            }
            if let Some(floor) = self.floor(pure, inst, args) {
                return floor;
            }
            if scalar == Scalar::F32 && inst.arith.rule == Rule::Nv20 && pure.has_nv20() {
                let arith = Arith { rule: Rule::Ieee, flush: false, ..inst.arith };
                self.rw.b.arith = arith;
                return nv20::operation(&mut self.rw, pure, args);
            }
        }
        let new = if self.bits {
            let floats = self.floats(inst, args);
            self.arithmetic(pure, inst.arith, &floats)
        } else {
            self.arithmetic(pure, inst.arith, args)
        };
        self.rw.b.arith = Arith { rule: Rule::Ieee, flush: false, ..inst.arith };
        self.hold(new)
    }

    /// The whole number that a floor is, of what the floor is of. Notes floors.
    fn floor(&mut self, pure: Pure, inst: &'a Inst, args: &[Arg]) -> Option<Arg> {
        let (&old, &new) = self.rw.from.args(inst.args).first().zip(args.first())?;
        if inst.arith.flush || self.rw.from.arg_type(old).scalar != Scalar::F32 {
            return None;
        }
        match (pure, inst.result) {
            (Pure::Floor, Some(result)) => _ = self.floors.insert(result, new),
            (Pure::ToI32, _) => {
                let of = *self.floors.get(&old.value)?;
                let lanes = [0, 1, 2, 3].map(|n| of.swizzle.get(usize::from(old.swizzle.get(n))));
                let swizzle = Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]);
                self.rw.b.arith = Arith::IEEE;
                return Some(nv20::floor_to_i32(&mut self.rw, Arg { swizzle, lanes: old.lanes, ..of }));
            }
            _ => {}
        }
        None
    }

    /// Operations that only move the bits of f32 values, which are held as u32.
    fn moved(&mut self, pure: Pure, old: &[Arg], args: &[Arg]) -> Option<Arg> {
        let scalar = |arg: Arg| self.rw.from.arg_type(arg).scalar;
        let (first, last) = (scalar(*old.first()?), scalar(*old.last()?));
        let x = *args.first()?;
        let mut code = code::Code::new(&mut self.rw, x.lanes);
        match pure {
            Pure::Neg if first == Scalar::F32 => {
                let sign = code.u(0x8000_0000);
                Some(code.xor(x, sign))
            }
            Pure::Abs if first == Scalar::F32 => {
                let rest = code.u(0x7fff_ffff);
                Some(code.and(x, rest))
            }
            Pure::Select if last == Scalar::F32 => Some(self.rw.b.pure(Pure::Select, args)),
            // The result is held as u32.
            Pure::AsF32 => Some(if first == Scalar::I32 { code.as_u(x) } else { x }),
            Pure::AsU32 if first == Scalar::F32 => Some(x),
            _ => None,
        }
    }
}
