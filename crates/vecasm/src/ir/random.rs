//! Random shaders that keep every rule of the IR, for testing passes and engines.

use super::build::Builder;
use super::op::{Over, Slot};
use super::{
    Arg, Block, If, Input, InputId, InputKind, Label, Loop, Node, Op, OutOfRange, Output, OutputId,
    OutputKind, ParamArray, ParamId, Pure, Region, Scalar, Shader, Stage, Type, Value,
};
use crate::isa::operand::{Swizzle, WriteMask};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

/// A small pseudo-random generator (xorshift64*), the same on every platform.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts from a seed; any will do.
    pub fn new(seed: u64) -> Self {
        // The finalizer of splitmix64: every seed starts somewhere else, and none at 0.
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        Self(if z == 0 { 1 } else { z })
    }

    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n.max(1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// The bits of an f32: ordinary numbers mostly, zeros, ones, infinities, NaN and denormals sometimes.
    pub fn float(&mut self) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x7f7f_ffff,
            0x4000_0000,
        ];
        if self.one_in(3) {
            return SPECIAL[self.below(SPECIAL.len())];
        }
        let magnitude = self.below(4000) as f32 / 250.0 - 8.0;
        magnitude.to_bits()
    }
}

/// How large a random shader gets.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes, about.
    pub nodes: usize,
    /// Deepest nesting of regions.
    pub depth: usize,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    b: Builder,
    /// Values visible here.
    scope: Vec<Value>,
    /// Open blocks and loops: label, types of results, types of parameters (loops only).
    open: Vec<(Label, Vec<Type>, Option<Vec<Type>>)>,
    budget: usize,
    loops: usize,
}

/// Makes a fragment or vertex shader with two inputs, a parameter array of 4 elements, and two output cells. It
/// verifies, and it ends: loops are bounded by fuel only, so run it with little.
pub fn shader(rng: &mut Rng, size: Size) -> Shader {
    let stage = if rng.one_in(2) { Stage::Fragment } else { Stage::Vertex };
    let mut b = Builder::new(stage, "random", &["r"], size.nodes);
    for location in 0..2 {
        let kind = match stage {
            Stage::Fragment => InputKind::Varying { location },
            _ => InputKind::Attribute { location },
        };
        b.shader.inputs.push(Input::new(format!("i{location}"), kind, Type::F32X4));
    }
    b.shader.params.push(ParamArray { used: 4, indexed: true, ..ParamArray::new("c", 4) });
    for n in 0..2 {
        let kind = match stage {
            Stage::Fragment => OutputKind::Color { target: n },
            _ => OutputKind::Varying { location: n },
        };
        b.shader.outputs.push(Output { init: [0, 0, 0, 0x3f80_0000], ..Output::new(format!("o{n}"), kind) });
    }
    let mut maker = Maker { rng, b, scope: Vec::new(), open: Vec::new(), budget: size.nodes, loops: 0 };
    for id in 0..2 {
        let value = maker.b.push(Op::Input(InputId(id)), &[], Type::F32X4);
        maker.scope.push(value);
    }
    maker.nodes(size.depth, size.nodes);
    for output in 0..2 {
        let arg = maker.arg(Type::F32X4);
        maker.b.effect(Op::StoreOutput { output: OutputId(output), mask: WriteMask::ALL }, &[arg]);
    }
    maker.b.finish()
}

impl Maker<'_> {
    /// Some argument of a type, made up if nothing visible fits.
    fn arg(&mut self, ty: Type) -> Arg {
        let fits = |b: &Builder, v: &Value| b.shader.value(*v).ty.scalar == ty.scalar;
        let candidates: Vec<Value> = self.scope.iter().copied().filter(|v| fits(&self.b, v)).collect();
        if candidates.is_empty() || self.rng.one_in(8) {
            return self.constant(ty);
        }
        // Late values more often than early ones.
        let n = candidates.len();
        let value = candidates[n - 1 - self.rng.below(n).min(self.rng.below(n))];
        let lanes = usize::from(self.b.shader.value(value).ty.lanes);
        let mut pick = || self.rng.below(lanes) as u8;
        let swizzle = Swizzle::new(pick(), pick(), pick(), pick());
        Arg { value, swizzle, lanes: ty.lanes }
    }

    fn constant(&mut self, ty: Type) -> Arg {
        let mut bits = [0; 4];
        for lane in bits.iter_mut().take(usize::from(ty.lanes)) {
            *lane = match ty.scalar {
                Scalar::Bool => self.rng.bits() & 1,
                Scalar::F32 => self.rng.float(),
                _ => self.rng.below(9) as u32,
            };
        }
        Arg::whole(self.b.push(Op::Const(bits), &[], ty), ty.lanes)
    }

    fn ty(&mut self) -> Type {
        let scalar = if self.rng.one_in(4) { Scalar::Bool } else { Scalar::F32 };
        Type::new(scalar, 1 + self.rng.below(4) as u8)
    }

    fn nodes(&mut self, depth: usize, most: usize) {
        for _ in 0..1 + self.rng.below(most.max(1)) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.rng.below(if depth == 0 { 12 } else { 16 }) {
                0 => self.store(),
                1 if self.b.shader.stage == Stage::Fragment && self.rng.one_in(2) => {
                    let arg = self.arg(Type::BOOL);
                    self.b.effect(Op::Demote, &[arg]);
                }
                12 | 13 => self.branch(depth),
                14 => self.block(depth),
                15 if self.loops < 2 => self.cycle(depth),
                _ => self.value(),
            }
        }
    }

    fn store(&mut self) {
        let mask = WriteMask::from_bits(1 + self.rng.below(15) as u8);
        let output = OutputId(self.rng.below(2) as u32);
        let arg = self.arg(Type::new(Scalar::F32, mask.count() as u8));
        self.b.effect(Op::StoreOutput { output, mask }, &[arg]);
    }

    fn value(&mut self) {
        let lanes = 1 + self.rng.below(4) as u8;
        let value = match self.rng.below(8) {
            0 => {
                let n = 1 + self.rng.below(3) as u8;
                let parts: Vec<Arg> = (0..n).map(|_| self.arg(Type::F32)).collect();
                self.b.push(Op::Compose, &parts, Type::new(Scalar::F32, n))
            }
            1 => {
                let index = self.rng.below(4) as u32;
                self.b.push(Op::Param { array: ParamId(0), index }, &[], Type::F32X4)
            }
            2 => {
                let at = self.arg(Type::F32);
                let at = self.b.pure(Pure::ToI32, &[at]);
                let rule = if self.rng.one_in(2) { OutOfRange::Zero } else { OutOfRange::Clamp };
                let offset = self.rng.below(7) as i32 - 3;
                self.b.push(Op::ParamAt { array: ParamId(0), offset, rule }, &[at], Type::F32X4)
            }
            3 => {
                let output = OutputId(self.rng.below(2) as u32);
                self.b.push(Op::LoadOutput(output), &[], Type::F32X4)
            }
            _ => {
                let pure = Pure::ALL[self.rng.below(Pure::ALL.len())];
                let wide = |slot: Slot| matches!(slot, Slot::Is(scalar) if scalar.is_wide());
                if wide(pure.result()) || pure.over() == Over::Bits64 {
                    return;
                }
                let may = |s: &Scalar| pure.over().has(*s) && !s.is_wide();
                let t = if may(&Scalar::F32) && !self.rng.one_in(4) {
                    Scalar::F32
                } else {
                    let fits: Vec<Scalar> = Scalar::ALL.into_iter().filter(may).collect();
                    fits[self.rng.below(fits.len())]
                };
                let mut args = Vec::new();
                for (i, slot) in pure.slots().iter().enumerate() {
                    let scalar = match *slot {
                        Slot::T => t,
                        Slot::Is(scalar) => scalar,
                    };
                    let one = pure == Pure::Select && i == 0 && self.rng.one_in(2);
                    args.push(self.arg(Type::new(scalar, if one { 1 } else { lanes })));
                }
                self.b.pure(pure, &args).value
            }
        };
        self.scope.push(value);
    }

    /// A region that yields the given types, or ends in an exit.
    fn region(&mut self, depth: usize, yields: &[Type]) -> Region {
        let outer = self.scope.len();
        self.b.open();
        self.nodes(depth - 1, 6);
        let exits = !self.open.is_empty() && self.rng.one_in(3);
        let args = if exits {
            let (label, results, params) = self.open[self.rng.below(self.open.len())].clone();
            match params {
                Some(params) if self.rng.one_in(2) => {
                    let values = self.list(&params);
                    self.b.node(Node::Again { label, values });
                }
                _ => {
                    let values = self.list(&results);
                    self.b.node(Node::Leave { label, values });
                }
            }
            Vec::new()
        } else {
            yields.iter().map(|&ty| self.arg(ty)).collect()
        };
        self.scope.truncate(outer);
        self.b.close(&args)
    }

    fn list(&mut self, types: &[Type]) -> super::Args {
        let args: Vec<Arg> = types.iter().map(|&ty| self.arg(ty)).collect();
        self.b.list(&args)
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.rng.below(3)).map(|_| self.ty()).collect()
    }

    fn define(&mut self, types: &[Type]) -> Vec<Value> {
        let values: Vec<Value> = types.iter().map(|&ty| self.b.value(ty, None)).collect();
        self.scope.extend_from_slice(&values);
        values
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.arg(Type::BOOL);
        let types = self.types();
        let then = self.region(depth, &types);
        let otherwise = self.region(depth, &types);
        let results = self.define(&types);
        self.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
    }

    fn block(&mut self, depth: usize) {
        let label = self.b.label();
        let types = self.types();
        self.open.push((label, types.clone(), None));
        let body = self.region(depth, &types);
        self.open.pop();
        let results = self.define(&types);
        self.b.node(Node::Block(Box::new(Block { label, body, results })));
    }

    fn cycle(&mut self, depth: usize) {
        self.loops += 1;
        let label = self.b.label();
        let (carried, types) = (self.types(), self.types());
        let init = self.list(&carried);
        let outer = self.scope.len();
        let params = self.define(&carried);
        self.open.push((label, types.clone(), Some(carried.clone())));
        let body = self.region(depth, &carried);
        self.open.pop();
        self.scope.truncate(outer);
        let results = self.define(&types);
        self.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
    }
}
