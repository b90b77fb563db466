//! Making the nodes of random shaders.

use super::{Kind, Rng, Size};
use crate::ir::build::Builder;
use crate::ir::op::effects::{self, ResultType, Subject};
use crate::ir::op::{Effect, OpKind, Parts, Place, Slot, constant_of};
use crate::ir::{
    Arg, Args, Arith, At, Atomic, Block, BufferId, Composite, Idiom, If, InputId, InputKind, Label, LocalId,
    Lod, Loop, Memory, Node, Op, OutOfRange, OutputId, ParamId, Pick, Pure, Region, Rule, Scalar, Site,
    Slope, Stage, StateId, Switch, TextureId, Type, Value, Vote,
};
use crate::operand::{Swizzle, WriteMask};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Operations that passes know most rules of.
const WITH_IDENTITIES: [Pure; 14] = [
    Pure::Add,
    Pure::Sub,
    Pure::Mul,
    Pure::Div,
    Pure::Min,
    Pure::Max,
    Pure::And,
    Pure::Or,
    Pure::Xor,
    Pure::Not,
    Pure::Neg,
    Pure::Shl,
    Pure::Lt,
    Pure::Select,
];

/// Functions whose rare arguments take another way in engines.
const WITH_RARE_ARGUMENTS: [Pure; 11] = [
    Pure::Rsq,
    Pure::Exp2,
    Pure::Log2,
    Pure::Pow,
    Pure::Lit,
    Pure::Sin,
    Pure::Cos,
    Pure::Rcp,
    Pure::Sqrt,
    Pure::Add,
    Pure::Dot,
];

/// An open block or loop: label, types of results, types of parameters (loops only).
type Open = (Label, Vec<Type>, Option<Vec<Type>>);

pub(super) struct Maker<'r> {
    rng: &'r mut Rng,
    pub(super) b: Builder,
    kind: Kind,
    /// Values visible here.
    scope: Vec<Value>,
    /// By value, whether anything uses it.
    used: Vec<bool>,
    open: Vec<Open>,
    budget: usize,
    loops: usize,
    /// Regions around.
    inside: usize,
}

impl<'r> Maker<'r> {
    pub(super) fn new(rng: &'r mut Rng, b: Builder, kind: Kind, size: Size) -> Self {
        let budget = size.nodes;
        Self {
            rng,
            b,
            kind,
            scope: Vec::new(),
            used: Vec::new(),
            open: Vec::new(),
            budget,
            loops: 0,
            inside: 0,
        }
    }

    /// Loads inputs.
    pub(super) fn inputs(&mut self) {
        for id in 0..2 {
            self.input(InputId(id));
        }
    }

    fn input(&mut self, id: InputId) {
        let Some(input) = self.b.shader.inputs.get(id.index()) else { return };
        let ty = input.ty;
        let of_vertex = matches!(input.kind, InputKind::Varying { .. }) && self.b.shader.stage.has_vertices();
        let value = if of_vertex {
            let vertex = self.number(Scalar::I32, 4);
            self.b.push(Op::InputOf { first: id, at: None }, &[vertex], ty)
        } else {
            self.b.push(Op::Input(id), &[], ty)
        };
        self.scope.push(value);
    }

    /// What a stage without outputs has to show for itself.
    pub(super) fn end(&mut self) {
        if self.b.shader.stage != Stage::Compute {
            return;
        }
        for at in 0..2 {
            let offset = self.number(Scalar::U32, 96);
            let value = self.arg(Type::new(Scalar::U32, 1 + at));
            let mask = WriteMask::first(1 + at);
            let memory = Memory::Buffer(BufferId(0));
            self.b.effect(Op::StoreMemory { memory, mask, pick: Pick::Fixed }, &[offset, value]);
        }
    }

    /// Some argument of a type, made up if nothing visible fits.
    pub(super) fn arg(&mut self, ty: Type) -> Arg {
        let fits = |b: &Builder, v: &Value| b.shader.value(*v).ty.scalar == ty.scalar;
        let mut candidates: Vec<Value> = self.scope.iter().copied().filter(|v| fits(&self.b, v)).collect();
        if candidates.is_empty() || self.rng.one_in(8) {
            return self.constant(ty);
        }
        // What nobody uses shows nothing.
        if !self.rng.one_in(3) {
            let unused = |v: &Value| !self.used.get(v.index()).copied().unwrap_or_default();
            let fresh: Vec<Value> = candidates.iter().copied().filter(unused).collect();
            candidates = if fresh.is_empty() { candidates } else { fresh };
        }
        // Late values more often than early ones.
        let n = candidates.len();
        let value = candidates[n - 1 - self.rng.below(n).min(self.rng.below(n))];
        if self.used.len() <= value.index() {
            self.used.resize(value.index() + 1, false);
        }
        self.used[value.index()] = true;
        let lanes = usize::from(self.b.shader.value(value).ty.lanes);
        let mut pick = || self.rng.below(lanes) as u8;
        let swizzle = Swizzle::new(pick(), pick(), pick(), pick());
        Arg { value, swizzle, lanes: ty.lanes }
    }

    /// Four lanes of several values.
    pub(super) fn mixed(&mut self, scalar: Scalar) -> Arg {
        let parts: Vec<Arg> = (0..4).map(|_| self.arg(Type::new(scalar, 1))).collect();
        Arg::all_lanes(self.b.push(Op::Compose, &parts, Type::new(scalar, 4)), 4)
    }

    /// A constant: sometimes one number in all lanes that rules of folding ask for.
    fn constant(&mut self, ty: Type) -> Arg {
        let lanes = usize::from(ty.lanes);
        let splat = self.rng.one_in(2);
        let mut all = [0u64; 4];
        for lane in &mut all[..lanes] {
            *lane = if splat { self.special(ty.scalar) } else { self.lane(ty.scalar) };
        }
        if splat {
            all = [all[0]; 4];
        }
        if let Some(bits) = constant_of(&all[..lanes], ty.scalar) {
            return Arg::all_lanes(self.b.push(Op::Const(bits), &[], ty), ty.lanes);
        }
        // Two lanes of 64 bits are the most that a constant holds.
        let parts: Vec<Arg> = all[..lanes]
            .iter()
            .map(|&lane| {
                let one = Type::new(ty.scalar, 1);
                let bits = constant_of(&[lane], ty.scalar).unwrap_or_default();
                Arg::all_lanes(self.b.push(Op::Const(bits), &[], one), 1)
            })
            .collect();
        Arg::all_lanes(self.b.push(Op::Compose, &parts, ty), ty.lanes)
    }

    fn lane(&mut self, scalar: Scalar) -> u64 {
        match scalar {
            Scalar::Bool => u64::from(self.rng.bits() & 1),
            Scalar::F32 => u64::from(self.rng.float()),
            Scalar::F64 => f64::from(f32::from_bits(self.rng.float())).to_bits(),
            Scalar::I64 | Scalar::U64 if self.rng.one_in(3) => {
                u64::from(self.rng.bits()) << 32 | u64::from(self.rng.bits())
            }
            Scalar::I32 | Scalar::U32 if self.rng.one_in(5) => u64::from(self.rng.bits()),
            _ => self.rng.below(9) as u64,
        }
    }

    /// A zero, a one, or all bits.
    fn special(&mut self, scalar: Scalar) -> u64 {
        let which = self.rng.below(4);
        match scalar {
            Scalar::F32 => [0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000][which],
            Scalar::F64 => [0, 1 << 63, 1.0f64.to_bits(), (-1.0f64).to_bits()][which],
            Scalar::Bool => [0, 1, 0, 1][which],
            Scalar::I32 | Scalar::U32 => [0, 1, u64::from(u32::MAX), 32][which],
            Scalar::I64 | Scalar::U64 => [0, 1, u64::MAX, 64][which],
        }
    }

    /// A small number, constant or computed.
    fn number(&mut self, scalar: Scalar, below: usize) -> Arg {
        let ty = Type::new(scalar, 1);
        if self.rng.one_in(2) {
            return self.arg(ty);
        }
        let bits = [self.rng.below(below) as u32, 0, 0, 0];
        Arg::all_lanes(self.b.push(Op::Const(bits), &[], ty), 1)
    }

    fn ty(&mut self) -> Type {
        let scalar = match self.rng.below(8) {
            0 | 1 => Scalar::Bool,
            2 => Scalar::U32,
            3 if self.kind.wide => Scalar::ALL[self.rng.below(Scalar::ALL.len())],
            _ => Scalar::F32,
        };
        let lanes = 1 + self.rng.below(4) as u8;
        Type::new(scalar, if scalar.is_wide() && !self.kind.broad { lanes.min(2) } else { lanes })
    }

    fn mask(&mut self) -> WriteMask {
        WriteMask::from_bits(1 + self.rng.below(15) as u8)
    }

    fn rule(&mut self) -> OutOfRange {
        OutOfRange::ALL[self.rng.below(OutOfRange::ALL.len())]
    }

    pub(super) fn nodes(&mut self, depth: usize, most: usize) {
        for _ in 0..1 + self.rng.below(most.max(1)) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            if self.kind.quads && self.rng.one_in(4) {
                self.neighbours();
                continue;
            }
            match self.rng.below(if depth == 0 { 14 } else { 20 }) {
                0 | 1 => self.store(),
                2 => self.effect(),
                3 if self.kind.idioms && self.rng.one_in(2) => self.idiom(),
                14 | 15 => self.branch(depth),
                16 => self.block(depth),
                17 if self.loops < 2 => self.cycle(depth),
                18 if self.kind.switches => self.switch(depth),
                _ => self.value(),
            }
        }
    }

    fn output(&mut self) -> Option<(OutputId, Scalar)> {
        let outputs = self.b.shader.outputs.len();
        if outputs == 0 {
            return None;
        }
        let at = self.rng.below(outputs);
        Some((OutputId(at as u32), self.b.shader.outputs[at].scalar))
    }

    /// Appends an operation that is not pure, with arguments as its row in the table wants them.
    fn put(&mut self, op: Op) -> Option<Value> {
        self.put_on(op, &[])
    }

    /// As [`put`](Self::put), where any type will do on those.
    fn put_on(&mut self, op: Op, any: &[Type]) -> Option<Value> {
        let types: Vec<Type> = op.parameters(&self.b.shader, any)?.to_vec();
        let mut args = Vec::new();
        for &ty in &types {
            args.push(match ty {
                // An index or a level, and a number of bytes.
                Type::I32 => self.number(Scalar::I32, 4),
                Type::U32 => self.number(Scalar::U32, 64),
                ty => self.arg(ty),
            });
        }
        match op.result_type(&self.b.shader, &types) {
            Some(ty) => Some(self.b.push(op, &args, ty)),
            None => {
                self.b.effect(op, &args);
                None
            }
        }
    }

    fn store(&mut self) {
        let mask = self.mask();
        let op = if self.kind.locals && self.rng.one_in(2) {
            let array = LocalId(self.rng.below(2) as u32);
            if self.rng.one_in(4) {
                Op::StoreLocalAt { array, offset: self.offset(), mask, rule: self.rule() }
            } else {
                let size = self.b.shader.locals[array.index()].size as usize;
                Op::StoreLocal { array, index: self.rng.below(size) as u32, mask }
            }
        } else {
            let Some((output, _)) = self.output() else { return };
            if self.kind.indexed && self.rng.one_in(4) {
                Op::StoreOutputAt { first: OutputId(0), at: self.run(), mask }
            } else {
                Op::StoreOutput { output, mask }
            }
        };
        self.put(op);
    }

    /// What is added to a computed index.
    fn offset(&mut self) -> i32 {
        self.rng.below(3) as i32 - 1
    }

    /// A computed choice out of the first two cells.
    fn run(&mut self) -> At {
        At { count: 2, offset: self.offset(), rule: self.rule() }
    }

    fn memory(&mut self) -> Option<Memory> {
        match self.b.shader.stage {
            Stage::Compute if self.rng.one_in(2) => Some(Memory::Shared),
            _ if !self.b.shader.buffers.is_empty() => Some(Memory::Buffer(BufferId(0))),
            _ => None,
        }
    }

    /// An operation on memory that has one of these effects: any that the table has.
    fn on_memory(&mut self, memory: Memory, effects: &[Effect]) -> Option<Op> {
        let wanted = |kind: &&OpKind| kind.subject() == Subject::Memory && effects.contains(&kind.effect());
        let kinds: Vec<OpKind> = OpKind::ALL.iter().filter(wanted).copied().collect();
        let at = if kinds.len() > 1 { self.rng.below(kinds.len()) } else { 0 };
        let kind = kinds.get(at)?;
        let mut parts = Parts::bound(Place::Memory(memory), Pick::Fixed);
        if kind.slots().contains(&effects::Slot::Stored) {
            parts.mask = Some(self.mask());
        }
        if kind.slots().contains(&effects::Slot::Operands) {
            parts.atomic = Some(Atomic::ALL[self.rng.below(Atomic::ALL.len())]);
        }
        if kind.gives() == ResultType::Words {
            parts.number = 1 + self.rng.below(4) as u32;
        }
        kind.op(&parts)
    }

    fn effect(&mut self) {
        let stage = self.b.shader.stage;
        let op = match self.rng.below(6) {
            0 if stage == Stage::Fragment => Op::Demote,
            1 if stage == Stage::Geometry && self.rng.one_in(3) => Op::EndPrimitive { stream: 0 },
            1 if stage == Stage::Geometry => Op::EmitVertex { stream: 0 },
            2 if stage == Stage::Compute && self.inside == 0 => {
                if self.rng.one_in(4) {
                    Op::Fence
                } else {
                    Op::Barrier
                }
            }
            3 if self.b.shader.serial => {
                let (array, mask) = (ParamId(0), self.mask());
                if self.rng.one_in(2) {
                    Op::StoreParam { array, index: self.rng.below(4) as u32, mask }
                } else {
                    Op::StoreParamAt { array, offset: self.offset(), mask }
                }
            }
            _ => {
                let Some(memory) = self.memory() else { return };
                let Some(op) = self.on_memory(memory, &[Effect::Write, Effect::Modify]) else { return };
                op
            }
        };
        let value = self.put(op);
        self.scope.extend(value);
    }

    fn value(&mut self) {
        let lanes = 1 + self.rng.below(4) as u8;
        let value = match self.rng.below(12) {
            0 => {
                let n = 1 + self.rng.below(3) as u8;
                let scalar = self.ty().scalar;
                let parts: Vec<Arg> = (0..n).map(|_| self.arg(Type::new(scalar, 1))).collect();
                self.b.push(Op::Compose, &parts, Type::new(scalar, n))
            }
            1 => {
                let index = self.rng.below(4) as u32;
                self.b.push(Op::Param { array: ParamId(0), index }, &[], Type::F32X4)
            }
            2 => {
                let at = self.arg(Type::F32);
                let at = self.b.pure(Pure::ToI32, &[at]);
                let offset = self.rng.below(7) as i32 - 3;
                let rule = self.rule();
                let array = ParamId(self.rng.below(self.b.shader.params.len()) as u32);
                let ty = Type::new(self.b.shader.params[array.index()].scalar, 4);
                self.b.push(Op::ParamAt { array, offset, rule }, &[at], ty)
            }
            3 => {
                let Some((output, scalar)) = self.output() else { return };
                self.b.push(Op::LoadOutput(output), &[], Type::new(scalar, 4))
            }
            4 | 5 => match self.load().and_then(|(op, any)| self.put_on(op, any.as_slice())) {
                Some(value) => value,
                None => return,
            },
            _ => match self.pure(lanes) {
                Some(value) => value,
                None => return,
            },
        };
        self.scope.push(value);
    }

    /// Something that only some kinds of shader read; with a type, where any will do.
    fn load(&mut self) -> Option<(Op, Option<Type>)> {
        let stage = self.b.shader.stage;
        let op = match self.rng.below(10) {
            0 | 1 if self.kind.locals => {
                let array = LocalId(self.rng.below(2) as u32);
                if self.rng.one_in(4) {
                    Op::LoadLocalAt { array, offset: self.offset(), rule: self.rule() }
                } else {
                    let size = self.b.shader.locals[array.index()].size as usize;
                    Op::LoadLocal { array, index: self.rng.below(size) as u32 }
                }
            }
            2 if self.kind.indexed && stage != Stage::Compute => {
                let at = self.run();
                if self.rng.one_in(2) {
                    Op::LoadOutputAt { first: OutputId(0), at }
                } else if stage.has_vertices() {
                    Op::InputOf { first: InputId(0), at: Some(at) }
                } else {
                    Op::InputAt { first: InputId(0), at }
                }
            }
            3 if stage == Stage::TessControl => Op::LoadOutputOf { first: OutputId(1), at: None },
            4 | 5 if self.kind.states => self.outside(),
            6 if !self.b.shader.buffers.is_empty() => {
                let memory = match self.memory() {
                    Some(Memory::Shared) => Memory::Shared,
                    _ => Memory::Buffer(BufferId(self.rng.below(2) as u32)),
                };
                let effect = if self.rng.one_in(5) { Effect::Query } else { Effect::Read };
                self.on_memory(memory, &[effect])?
            }
            7 | 8 if self.kind.groups => return self.grouped(),
            9 if stage == Stage::Fragment && self.kind.stages => {
                Op::Interpolate { input: InputId(0), site: Site::ALL[self.rng.below(Site::ALL.len())] }
            }
            _ => return None,
        };
        Some((op, None))
    }

    fn outside(&mut self) -> Op {
        let texture = TextureId(0);
        match self.rng.below(6) {
            4 => Op::sample(texture, Lod::Level),
            5 => Op::TextureSize { texture, pick: Pick::Fixed },
            at => Op::State(StateId(at as u32)),
        }
    }

    /// What other invocations have. What inactive ones would show is only asked for in uniform flow, before
    /// anybody can have run out of fuel.
    fn grouped(&mut self) -> Option<(Op, Option<Type>)> {
        let uniform = self.inside == 0 && self.loops == 0;
        let fragment = self.b.shader.stage == Stage::Fragment;
        let floats = |lanes| Some(Type::new(Scalar::F32, lanes));
        Some(match self.rng.below(9) {
            0 if fragment && uniform => (Op::Ddx(self.slope()), floats(2)),
            1 if fragment && uniform => (Op::Ddy(Slope::Fine), floats(3)),
            2 if fragment => (Op::IsHelper, None),
            3 if uniform => (Op::ReadInvocation, Some(self.ty())),
            4 => (Op::ReadFirst, Some(self.ty())),
            5 => (Op::Ballot, None),
            // The bits of a NaN are no value, so floats are not asked for.
            6 => (Op::Vote(Vote::Equal), Some(Type::new(Scalar::U32, 2))),
            7 => (Op::Vote(if self.rng.one_in(2) { Vote::Any } else { Vote::All }), None),
            _ => return None,
        })
    }

    fn slope(&mut self) -> Slope {
        Slope::ALL[self.rng.below(Slope::ALL.len())]
    }

    /// A derivative or an implicit level, mostly of what a function gives; an output often shows it.
    fn neighbours(&mut self) {
        let lanes = 1 + self.rng.below(4) as u8;
        if !self.rng.one_in(4) {
            let pure = WITH_RARE_ARGUMENTS[self.rng.below(WITH_RARE_ARGUMENTS.len())];
            let value = self.pure_of(pure, Scalar::F32, lanes);
            self.scope.push(value);
        }
        let texture = TextureId(self.b.shader.textures.len() as u32 - 1);
        let op = match self.rng.below(5) {
            0 | 1 => Op::Ddx(self.slope()),
            2 | 3 => Op::Ddy(self.slope()),
            _ if self.rng.one_in(2) => Op::sample(texture, Lod::Bias),
            _ => Op::sample(texture, Lod::Implicit { bias_eighths: self.rng.below(17) as i8 - 8 }),
        };
        let Some(value) = self.put_on(op, &[Type::new(Scalar::F32, lanes)]) else { return };
        self.scope.push(value);
        if !self.rng.one_in(3) {
            let (output, mask) = (OutputId(self.rng.below(2) as u32), self.mask());
            let arg = Arg { value, swizzle: Swizzle::new(0, 0, 0, 0), lanes: mask.count() as u8 };
            self.b.effect(Op::StoreOutput { output, mask }, &[arg]);
        }
    }

    fn arith(&mut self, pure: Pure, t: Scalar) -> Arith {
        if !self.kind.arithmetic || t != Scalar::F32 {
            return Arith::IEEE;
        }
        let flush = self.rng.one_in(4);
        let precise = self.rng.one_in(8);
        let rule = match self.rng.below(3) {
            0 => Rule::Ieee,
            1 if pure.has_nv20() => return Arith { precise, ..Arith::NV20 },
            _ => Rule::ZeroWins,
        };
        Arith { rule, flush, precise }
    }

    fn pure(&mut self, lanes: u8) -> Option<Value> {
        let pure = if self.rng.one_in(3) {
            WITH_IDENTITIES[self.rng.below(WITH_IDENTITIES.len())]
        } else {
            Pure::ALL[self.rng.below(Pure::ALL.len())]
        };
        let narrow = !self.kind.wide;
        let wide = |slot: Slot| matches!(slot, Slot::Is(scalar) if scalar.is_wide());
        let may = |s: &Scalar| pure.type_class().has(*s) && !(narrow && s.is_wide());
        let fits: Vec<Scalar> = Scalar::ALL.into_iter().filter(may).collect();
        if narrow && wide(pure.result()) || fits.is_empty() {
            return None;
        }
        let t = if may(&Scalar::F32) && !self.rng.one_in(4) {
            Scalar::F32
        } else {
            fits[self.rng.below(fits.len())]
        };
        let narrow = !(t.is_wide() || wide(pure.result())) || self.kind.broad;
        Some(self.pure_of(pure, t, if narrow { lanes } else { lanes.min(2) }))
    }

    /// A pure operation on values of a type.
    fn pure_of(&mut self, pure: Pure, t: Scalar, lanes: u8) -> Value {
        let mut args = Vec::new();
        for (i, slot) in pure.slots().iter().enumerate() {
            let scalar = match *slot {
                Slot::T => t,
                Slot::Is(scalar) => scalar,
            };
            let one = pure == Pure::Select && i == 0 && self.rng.one_in(2);
            let ty = Type::new(scalar, if one { 1 } else { lanes });
            // Rules of folding look at constants on the right, and at an argument given twice.
            args.push(match args.last() {
                Some(_) if self.rng.one_in(4) => self.constant(ty),
                Some(&same) if *slot == Slot::T && pure != Pure::Select && self.rng.one_in(8) => same,
                _ => self.arg(ty),
            });
        }
        self.b.arith = self.arith(pure, pure_scalar(pure, t));
        let value = self.b.pure(pure, &args).value;
        self.b.arith = Arith::IEEE;
        value
    }

    /// A region that yields the given types, or ends in an exit.
    fn region(&mut self, depth: usize, yields: &[Type]) -> Region {
        let outer = self.scope.len();
        self.b.open();
        self.inside += 1;
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
        self.inside -= 1;
        self.scope.truncate(outer);
        self.b.close(&args)
    }

    fn list(&mut self, types: &[Type]) -> Args {
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

    fn switch(&mut self, depth: usize) {
        let scalar = if self.rng.one_in(2) { Scalar::U32 } else { Scalar::I32 };
        let selector = self.number(scalar, 6);
        let types = self.types();
        let mut cases = Vec::new();
        let mut next = 0;
        for _ in 0..self.rng.below(4) {
            let numbers = (0..1 + self.rng.below(2) as u32).map(|n| next + n).collect::<Vec<u32>>();
            next += numbers.len() as u32 + self.rng.below(2) as u32;
            cases.push((numbers, self.region(depth, &types)));
        }
        let default = self.region(depth, &types);
        let results = self.define(&types);
        self.b.node(Node::Switch(Box::new(Switch { selector, cases, default, results })));
    }

    /// Lanes of the operands and of each result.
    fn idiom(&mut self) {
        let what = Composite::ALL[self.rng.below(Composite::ALL.len())];
        let (operands, lanes): (&[u8], u8) = match what {
            Composite::Normalize => (&[3], 3),
            Composite::Cross | Composite::Reflect => (&[3, 3], 3),
            Composite::MatrixVector => (&[4, 4, 4, 4, 4], 4),
            Composite::Lerp => (&[2, 2, 2], 2),
            Composite::Lit => (&[4], 4),
            Composite::Dst => (&[4, 4], 4),
            Composite::SinCos => (&[1], 1),
            Composite::Length => (&[3], 1),
        };
        let operands: Vec<Type> = operands.iter().map(|&lanes| Type::new(Scalar::F32, lanes)).collect();
        let operands = self.list(&operands);
        let types: Vec<Type> = (0..what.results()).map(|_| Type::new(Scalar::F32, lanes)).collect();
        let outer = self.scope.len();
        self.b.open();
        self.inside += 1;
        for _ in 0..1 + self.rng.below(4) {
            if self.rng.one_in(6) { self.store() } else { self.value() }
        }
        let yields: Vec<Arg> = types.iter().map(|&ty| self.arg(ty)).collect();
        self.inside -= 1;
        self.scope.truncate(outer);
        let body = self.b.close(&yields);
        let results = self.define(&types);
        self.b.node(Node::Idiom(Box::new(Idiom { what, operands, body, results })));
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

/// The scalar that decides how an operation computes, if its type variable is `t`.
fn pure_scalar(pure: Pure, t: Scalar) -> Scalar {
    match pure.slots() {
        slots if slots.contains(&Slot::T) => t,
        [Slot::Is(scalar), ..] => *scalar,
        _ => t,
    }
}
