//! A shader as a graph of single lanes.
//!
//! Registers and vectors are gone: every lane that is computed is a [`Lane`] with its operation and the lanes that it reads, and
//! what is computed twice is one lane (value numbering, along the way). Swizzles and `compose` leave no trace. What the
//! instructions of the source computed together is remembered as a [`Pack`], since it can be computed together again.

use crate::code::Count;
use crate::counted::{Counted, count_rounds};
use crate::machine::{Loops, Machine, Truth};
use crate::refusal::Refusals;
use crate::rules;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Args, Arith, Dim, InputId, Inst, Label, Lod, Node, Op, OutOfRange, OutputKind, Pick, Promise, Pure,
    Region, Rule, Scalar, Shader, Slope, TextureId, Type, Value,
};

/// More lanes than this are refused: four for each token of the longest program of AGAL, eight times.
const MAX_LANES: usize = 1 << 16;
/// More conditionals and loops than this, together, are refused: some searches take the square of their number.
const MAX_BLOCKS: usize = 1 << 11;

/// The number of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LaneId(pub(crate) u32);

impl LaneId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The lanes that an operation reads: up to four of each of two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operands {
    list: [LaneId; 8],
    len: u8,
}

impl Operands {
    pub(crate) fn new(of: &[LaneId]) -> Self {
        let mut list = [LaneId(0); 8];
        let len = of.len().min(8);
        list[..len].copy_from_slice(&of[..len]);
        Self { list, len: len as u8 }
    }

    pub(crate) fn get(&self) -> &[LaneId] {
        &self.list[..usize::from(self.len)]
    }
}

/// What a lane is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Def {
    /// A number, as bits.
    Const(u32),
    /// A lane of an input.
    Input { input: InputId, lane: u8 },
    /// A lane of a constant register.
    Param { array: u32, index: u32, lane: u8 },
    /// A lane of a constant register whose number is computed.
    ParamAt { array: u32, offset: i32, rule: OutOfRange, index: LaneId, lane: u8 },
    /// An operation.
    Pure { op: Pure, arith: Arith, scalar: Scalar, args: Operands },
    /// A lane of a texel: of that read of [`Graph::reads`].
    Texel { read: u32, lane: u8 },
    /// A derivative along x, or y.
    Derivative { y: bool, slope: Slope, of: LaneId },
    /// A lane of a varying of a vertex of the primitive.
    Vertex { input: InputId, vertex: u16, lane: u8 },
    /// A word of what an instruction gives that means something to the target alone: of that one of [`Graph::calls`].
    Called { call: u32, lane: u8 },
    /// The result of a conditional: what the branches left in it.
    Merged,
}

/// A lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) def: Def,
    pub(crate) scalar: Scalar,
    /// The instruction of the source.
    pub(crate) step: u32,
}

/// What is asked of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadKind {
    /// Texels through a sampler.
    Sample,
    /// That lane of the four texels that a sampler would mix.
    Gather(u8),
    /// One texel by its numbers.
    Fetch,
    /// The size of a level.
    Size,
}

/// A texture read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextureRead {
    pub(crate) texture: TextureId,
    pub(crate) kind: ReadKind,
    pub(crate) dim: Dim,
    pub(crate) lod: Lod,
    /// What texels are compared with, if they are.
    pub(crate) reference: Option<LaneId>,
    /// The offset in texels; empty if there is none.
    pub(crate) offset: Vec<LaneId>,
    pub(crate) coordinates: Vec<LaneId>,
    /// The bias or level, of a fetch the sample if there are several, or the two gradients one after another.
    pub(crate) detail: Vec<LaneId>,
    /// The bits of the bias or level, if that is a number.
    pub(crate) constant: Option<u32>,
    pub(crate) step: u32,
}

impl TextureRead {
    /// What makes two reads the same.
    fn key(&self) -> Vec<u32> {
        let lod = match self.lod {
            Lod::Implicit { bias_eighths } => u32::from(bias_eighths as u8),
            Lod::Bias => 1 << 8,
            Lod::Level => 2 << 8,
            Lod::Gradient => 3 << 8,
        };
        let kind = match self.kind {
            ReadKind::Sample => 0,
            ReadKind::Fetch => 1,
            ReadKind::Size => 2,
            ReadKind::Gather(lane) => 3 + u32::from(lane),
        };
        let counts = [self.coordinates.len(), self.detail.len(), self.offset.len()].map(|count| count as u32);
        let head = [self.texture.0, kind, lod, self.reference.map_or(u32::MAX, |lane| lane.0)];
        head.into_iter().chain(counts).chain(self.lanes().map(|lane| lane.0)).collect()
    }

    /// The lanes that it is computed from.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = LaneId> + '_ {
        self.coordinates.iter().chain(&self.detail).chain(&self.reference).chain(&self.offset).copied()
    }
}

/// An operation that only one target has, and that is told to it as it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) op: Op,
    /// What a pure operation works on.
    pub(crate) scalar: Scalar,
    /// What it gives.
    pub(crate) gives: Scalar,
    pub(crate) args: Vec<Vec<LaneId>>,
    /// Words of the result, each in its lane of a register; a single one in any.
    pub(crate) words: u8,
    /// Whether it is done once, where it stands, since it does something, or depends on what was done.
    pub(crate) acts: bool,
    /// The lanes of its result, if it acts.
    pub(crate) results: Vec<LaneId>,
    pub(crate) step: u32,
}

impl Call {
    /// What makes two the same that do not act. What is asked of a resource stands at a place of its own.
    fn key(&self) -> Vec<u32> {
        let place = match self.op {
            Op::Pure(op) => op as u32,
            _ => 1 << 16 | self.step,
        };
        let counts = self.args.iter().map(|of| of.len() as u32);
        let head = [place, self.scalar as u32, self.gives as u32, self.words.into()];
        head.into_iter().chain(counts).chain(self.args.iter().flatten().map(|lane| lane.0)).collect()
    }
}

/// What is done, in order.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// An operation that acts: that one of [`Graph::calls`].
    Call(u32),
    /// Lanes that one instruction of the source computed.
    Pack(Vec<LaneId>),
    /// Lanes of an output are written.
    Store { output: u32, lanes: [Option<LaneId>; 4], step: u32 },
    /// The fragment is discarded where a condition holds.
    Discard { condition: LaneId, step: u32 },
    /// One of two lists is done.
    If(Box<Branches>),
    /// A list is done again and again.
    Loop(Box<Rounds>),
    /// The innermost loop goes on with its next round, or ends.
    Exit(Box<Exit>),
}

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    /// Lanes that are carried round, with what they are in the first round.
    pub(crate) carried: Vec<[LaneId; 2]>,
    pub(crate) body: Vec<Action>,
    pub(crate) count: Count,
    pub(crate) step: u32,
}

/// Where a round of a loop ends.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    pub(crate) how: How,
    /// Lanes that are carried round, or results of the loop, with what they become, all at once.
    pub(crate) copies: Vec<[LaneId; 2]>,
    pub(crate) step: u32,
}

/// How a round of a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The loop ends.
    Break,
    /// The next round begins.
    Continue,
    /// The same, at the end of the body.
    End,
}

/// Whether actions leave a round of the loop around them.
fn has_exit(actions: &[Action]) -> bool {
    actions.iter().any(|action| match action {
        Action::Exit(_) => true,
        Action::If(branches) => has_exit(&branches.then) || has_exit(&branches.otherwise),
        _ => false,
    })
}

/// A conditional.
#[derive(Clone, Debug)]
pub(crate) struct Branches {
    pub(crate) condition: LaneId,
    pub(crate) then: Vec<Action>,
    pub(crate) otherwise: Vec<Action>,
    /// Lanes that it defines, with what each branch leaves in them.
    pub(crate) merged: Vec<[LaneId; 3]>,
    pub(crate) step: u32,
}

/// Bits of lanes of elements of arrays, by array and element.
pub(crate) type Definitions = BTreeMap<(u32, u32), [Option<u32>; 4]>;

/// A shader as lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) reads: Vec<TextureRead>,
    pub(crate) calls: Vec<Call>,
    pub(crate) actions: Vec<Action>,
    /// Numbers of elements of the constant arrays.
    pub(crate) arrays: Vec<u32>,
    /// What elements of arrays are that computed indices reach, as far as the program says it: bits of their lanes.
    pub(crate) definitions: Definitions,
    /// Lanes at computed indices, each with the elements that the program says for who reads it.
    defined: BTreeMap<LaneId, BTreeSet<u32>>,
    /// Whether a truth is a word with all bits set or none.
    masks: bool,
    /// Whether lanes are shared with other instructions only if all lanes of the instruction are: a vector that lacks a lane
    /// may cost more than the lane.
    whole: bool,
    /// Whether an instruction shares some of its lanes with others, and not all.
    pub(crate) splits: bool,
    known: BTreeMap<Key, LaneId>,
    known_reads: BTreeMap<Vec<u32>, u32>,
    known_calls: BTreeMap<Vec<u32>, u32>,
}

/// What makes two lanes the same.
type Key = [u32; 12];

impl Graph {
    /// The graph of a shader. What it cannot say goes to `refusals`.
    pub(crate) fn of(shader: &Shader, machine: &Machine, whole: bool, refusals: &mut Refusals) -> Self {
        let mut reader = Reader {
            shader,
            machine,
            graph: Self {
                arrays: shader.params.iter().map(|array| array.size).collect(),
                masks: machine.truth == Truth::Mask,
                whole,
                ..Self::default()
            },
            values: vec![[LaneId(0); 4]; shader.values.len()],
            scope: Vec::new(),
            whole_numbers: BTreeSet::new(),
            loops: Vec::new(),
            refusals,
            step: 0,
            blocks: 0,
            plan: crate::lookahead::plan(shader, machine),
            reader: None,
        };
        let mut actions = reader.region(&shader.body);
        drop_covered(&mut actions, &mut BTreeMap::new());
        if machine.fills_outputs {
            reader.fill_outputs(&mut actions);
        } else if machine.begins_outputs {
            reader.begin_outputs(&mut actions);
        }
        reader.check_definitions();
        let mut graph = reader.graph;
        graph.actions = actions;
        graph
    }

    /// What is read and written outside of the shader, with the first instruction that does.
    pub(crate) fn interface(&self) -> Interface {
        let mut met = Interface {
            reads: self.reads.clone(),
            calls: self.calls.clone(),
            definitions: self.definitions.clone(),
            ..Interface::default()
        };
        for lane in &self.lanes {
            if let Def::Input { input, .. } | Def::Vertex { input, .. } = lane.def {
                met.inputs.entry(input.0).or_insert(lane.step);
            }
        }
        met.meet(&self.actions);
        met
    }

    /// The same lanes, done otherwise.
    pub(crate) fn with_actions(&self, actions: Vec<Action>) -> Self {
        Self { actions, ..self.clone() }
    }

    pub(crate) fn lane(&self, id: LaneId) -> &Lane {
        &self.lanes[id.index()]
    }

    /// Calls `f` for each lane that actions read, or hand on.
    pub(crate) fn for_each_read(&self, actions: &[Action], f: &mut impl FnMut(LaneId)) {
        for action in actions {
            match action {
                Action::Pack(_) => {}
                Action::Store { lanes, .. } => lanes.iter().flatten().for_each(|lane| f(*lane)),
                Action::Discard { condition, .. } => f(*condition),
                Action::Call(call) => {
                    self.calls[*call as usize].args.iter().flatten().for_each(|lane| f(*lane));
                }
                Action::If(branches) => {
                    f(branches.condition);
                    branches.merged.iter().flatten().for_each(|lane| f(*lane));
                    self.for_each_read(&branches.then, f);
                    self.for_each_read(&branches.otherwise, f);
                }
                Action::Loop(rounds) => {
                    rounds.carried.iter().flatten().for_each(|lane| f(*lane));
                    self.for_each_read(&rounds.body, f);
                }
                Action::Exit(exit) => exit.copies.iter().flatten().for_each(|lane| f(*lane)),
            }
        }
    }

    /// The number of a call: a new one, unless it is the same as one that does not act.
    pub(crate) fn number_of_call(&mut self, call: Call) -> u32 {
        let next = self.calls.len() as u32;
        if !call.acts {
            let key = call.key();
            let known = *self.known_calls.entry(key).or_insert(next);
            if known != next {
                return known;
            }
        }
        self.calls.push(call);
        next
    }

    /// The bits of a lane that is a number.
    pub(crate) fn number(&self, id: LaneId) -> Option<u32> {
        match self.lane(id).def {
            Def::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The operation of a lane with what it reads.
    pub(crate) fn operation(&self, id: LaneId) -> Option<(Pure, &[LaneId])> {
        match &self.lanes[id.index()].def {
            Def::Pure { op, args, .. } => Some((*op, args.get())),
            _ => None,
        }
    }

    /// The lane of that definition, a new one if there is none; `true` if it is new.
    pub(crate) fn add(&mut self, def: Def, scalar: Scalar, step: u32) -> (LaneId, bool) {
        if let Some(known) = self.copied(&def) {
            return (known, false);
        }
        self.add_new(def, scalar, step)
    }

    /// Calls `f` for each lane that others read, and operations that act.
    pub(crate) fn for_each_lane_mut(&mut self, f: &mut impl FnMut(&mut LaneId)) {
        for lane in &mut self.lanes {
            match &mut lane.def {
                Def::Pure { args, .. } => {
                    let len = usize::from(args.len);
                    args.list.iter_mut().take(len).for_each(&mut *f);
                }
                Def::ParamAt { index, .. } => f(index),
                Def::Derivative { of, .. } => f(of),
                Def::Const(_)
                | Def::Input { .. }
                | Def::Param { .. }
                | Def::Texel { .. }
                | Def::Vertex { .. }
                | Def::Called { .. }
                | Def::Merged => {}
            }
        }
        for read in &mut self.reads {
            let lanes = read.coordinates.iter_mut().chain(&mut read.detail);
            lanes.chain(&mut read.reference).chain(&mut read.offset).for_each(&mut *f);
        }
        self.calls.iter_mut().flat_map(|call| call.args.iter_mut().flatten()).for_each(&mut *f);
    }

    /// The lane that a definition is, or is a copy of, if there is one.
    pub(crate) fn find(&self, def: &Def, scalar: Scalar) -> Option<LaneId> {
        self.copied(def).or_else(|| self.known.get(&key_of(def, scalar)?).copied())
    }

    /// As [`add`](Self::add), but copies are lanes of their own.
    fn add_new(&mut self, def: Def, scalar: Scalar, step: u32) -> (LaneId, bool) {
        let key = key_of(&def, scalar);
        if let Some(&known) = key.as_ref().and_then(|key| self.known.get(key)) {
            return (known, false);
        }
        let id = LaneId(self.lanes.len() as u32);
        self.lanes.push(Lane { def, scalar, step });
        if let Some(key) = key {
            self.known.insert(key, id);
        }
        (id, true)
    }

    /// The lane that a definition is a copy of.
    fn copied(&self, def: &Def) -> Option<LaneId> {
        let Def::Pure { op, args, scalar, arith } = def else { return None };
        let args = args.get();
        let of = |id: LaneId| self.operation(id);
        match (*op, args) {
            // Registers have no types.
            (Pure::AsF32 | Pure::AsI32 | Pure::AsU32, &[x]) => Some(x),
            (Pure::Neg, &[x]) => match of(x) {
                Some((Pure::Neg, &[y])) if self.lane(y).scalar == Scalar::F32 => Some(y),
                _ => None,
            },
            (Pure::Abs, &[x]) if self.is_positive(x) => Some(x),
            (Pure::Select, &[_, a, b]) if a == b => Some(a),
            // A comparison of one of two numbers, which only asks which of them it is.
            (Pure::Ge | Pure::Lt | Pure::Eq | Pure::Ne, &[x, y])
                if *scalar == Scalar::F32 && arith.rule != Rule::Nv20 && !arith.flush =>
            {
                let Some((Pure::Select, &[truth, yes, no])) = of(x) else { return None };
                let holds = |id: LaneId| {
                    let [a, b] = [self.number(id)?, self.number(y)?].map(f32::from_bits);
                    Some(match op {
                        Pure::Ge => a >= b,
                        Pure::Lt => a < b,
                        Pure::Eq => a == b,
                        _ => a != b,
                    })
                };
                (holds(yes)? && !holds(no)?).then_some(truth)
            }
            // The mask of a truth, where that is what truths are.
            (Pure::Select, &[truth, yes, no]) if self.masks => {
                let is_mask = self.number(yes) == Some(u32::MAX) && self.number(no) == Some(0);
                is_mask.then_some(truth)
            }
            // The mask of a truth, tested.
            (Pure::Ne, &[x, y]) if self.number(y) == Some(0) && self.lane(x).scalar == Scalar::Bool => {
                Some(x)
            }
            (Pure::Ne, &[x, y]) if self.number(y) == Some(0) => match of(x) {
                Some((Pure::Select, &[truth, yes, no])) => {
                    let is_mask = self.number(yes) == Some(u32::MAX) && self.number(no) == Some(0);
                    is_mask.then_some(truth)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_positive_number(&self, id: LaneId) -> bool {
        self.number(id).is_some_and(|bits| bits >> 31 == 0 && !f32::from_bits(bits).is_nan())
    }

    /// Whether the sign bit of a float is clear, whatever it is computed from (the sign of a NaN is no value).
    pub(crate) fn is_positive(&self, id: LaneId) -> bool {
        match &self.lane(id).def {
            Def::Const(bits) => self.lane(id).scalar == Scalar::F32 && bits >> 31 == 0,
            Def::Pure { op: Pure::ToF32, scalar: Scalar::Bool, .. } => true,
            Def::Pure { op, scalar: Scalar::F32, arith, args } if arith.rule != Rule::Nv20 => {
                let positive = |n: usize| args.get().get(n).is_some_and(|of| self.is_positive(*of));
                match op {
                    Pure::Abs | Pure::Saturate | Pure::Exp2 | Pure::Fract => true,
                    Pure::Dot => {
                        let (a, b) = args.get().split_at(args.get().len() / 2);
                        a == b
                    }
                    Pure::Mul => args.get()[0] == args.get()[1] || positive(0) && positive(1),
                    // A NaN gives the other one, which may be below zero, but not if it is positive as well, nor if it is no NaN.
                    Pure::Max if [0, 1].iter().any(|n| self.is_positive_number(args.get()[*n])) => true,
                    Pure::Add | Pure::Max | Pure::Min => positive(0) && positive(1),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// What a shader reads and writes outside: numbers in its tables, with the instruction of the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    pub(crate) reads: Vec<TextureRead>,
    pub(crate) calls: Vec<Call>,
    /// What the program says of elements that computed indices reach.
    pub(crate) definitions: Definitions,
    pub(crate) inputs: BTreeMap<u32, u32>,
    pub(crate) outputs: BTreeMap<u32, u32>,
}

impl Interface {
    fn meet(&mut self, actions: &[Action]) {
        for action in actions {
            match action {
                Action::Store { output, step, .. } => {
                    self.outputs.entry(*output).or_insert(*step);
                }
                Action::If(branches) => {
                    self.meet(&branches.then);
                    self.meet(&branches.otherwise);
                }
                Action::Loop(rounds) => self.meet(&rounds.body),
                Action::Pack(_) | Action::Discard { .. } | Action::Exit(_) | Action::Call(_) => {}
            }
        }
    }
}

/// Drops lanes of stores that a later store writes again: what a discarded fragment wrote, nobody sees.
fn drop_covered(actions: &mut Vec<Action>, covered: &mut BTreeMap<u32, u8>) {
    for action in actions.iter_mut().rev() {
        match action {
            Action::Store { output, lanes, .. } => {
                let written = covered.entry(*output).or_default();
                for (n, lane) in lanes.iter_mut().enumerate() {
                    if *written >> n & 1 == 1 {
                        *lane = None;
                    } else if lane.is_some() {
                        *written |= 1 << n;
                    }
                }
            }
            Action::If(branches) => {
                // What follows is not done by who leaves the loop.
                if has_exit(&branches.then) || has_exit(&branches.otherwise) {
                    covered.clear();
                }
                drop_covered(&mut branches.then, &mut covered.clone());
                drop_covered(&mut branches.otherwise, &mut covered.clone());
            }
            Action::Loop(rounds) => drop_covered(&mut rounds.body, &mut BTreeMap::new()),
            // A vertex takes the outputs as they are, and others begin.
            Action::Exit(_) | Action::Call(_) => covered.clear(),
            Action::Pack(_) | Action::Discard { .. } => {}
        }
    }
    actions.retain(|action| !matches!(action, Action::Store { lanes: [None, None, None, None], .. }));
}

/// What makes a definition the same as another one; `None` of those that are always new.
fn key_of(def: &Def, scalar: Scalar) -> Option<Key> {
    let mut key = [0u32; 12];
    key[1] = scalar as u32;
    match *def {
        Def::Const(bits) => {
            // A number has no type where registers have none.
            key[..3].copy_from_slice(&[1, 0, bits]);
            key[1] = 0;
        }
        Def::Input { input, lane } => key[2..4].copy_from_slice(&[input.0, lane.into()]),
        Def::Param { array, index, lane } => {
            key[0] = 2;
            key[2..5].copy_from_slice(&[array, index, lane.into()]);
        }
        Def::ParamAt { array, offset, rule, index, lane } => {
            key[0] = 3;
            key[2..7].copy_from_slice(&[array, offset as u32, rule as u32, index.0, lane.into()]);
        }
        Def::Pure { op, arith, scalar: over, args } => {
            key[0] = 4 | (op as u32) << 8;
            key[1] |= (over as u32) << 8
                | (arith.rule as u32) << 16
                | u32::from(arith.flush) << 24
                | u32::from(arith.precise) << 25;
            key[2] = args.len.into();
            for (to, from) in key[3..].iter_mut().zip(args.get()) {
                *to = from.0;
            }
        }
        Def::Texel { read, lane } => {
            key[0] = 5;
            key[2..4].copy_from_slice(&[read, lane.into()]);
        }
        Def::Derivative { y, slope, of } => {
            key[0] = 6;
            key[2..5].copy_from_slice(&[y.into(), slope as u32, of.0]);
        }
        Def::Vertex { input, vertex, lane } => {
            key[0] = 7;
            key[2..5].copy_from_slice(&[input.0, vertex.into(), lane.into()]);
        }
        Def::Called { call, lane } => {
            key[..2].copy_from_slice(&[8, 0]);
            key[2..4].copy_from_slice(&[call, lane.into()]);
        }
        Def::Merged => return None,
    }
    Some(key)
}

pub(crate) struct Reader<'a, 'r> {
    pub(crate) shader: &'a Shader,
    pub(crate) machine: &'a Machine,
    pub(crate) graph: Graph,
    values: Vec<[LaneId; 4]>,
    /// What was defined inside of conditionals, to be forgotten behind them, each with the lane that was known before it.
    scope: Vec<Vec<(LaneId, Option<LaneId>)>>,
    /// Floats that are whole numbers.
    pub(crate) whole_numbers: BTreeSet<LaneId>,
    /// The loops around.
    loops: Vec<OpenLoop>,
    refusals: &'r mut Refusals,
    pub(crate) step: u32,
    /// Conditionals and loops so far.
    blocks: usize,
    plan: crate::lookahead::Plan,
    /// What alone reads the value that is being computed.
    pub(crate) reader: Option<Pure>,
}

/// The lanes of a value.
type ValueLanes = Vec<LaneId>;

/// A loop that is being read, with the lanes of what it carries round and of its results.
struct OpenLoop {
    label: Label,
    params: Vec<Vec<LaneId>>,
    results: Vec<Vec<LaneId>>,
}

/// The exits of a loop's round: not those of loops inside of it.
pub(crate) fn exits(body: &[Action]) -> Vec<&Exit> {
    fn collect<'a>(actions: &'a [Action], found: &mut Vec<&'a Exit>) {
        for action in actions {
            match action {
                Action::Exit(exit) => found.push(exit),
                Action::If(branches) => {
                    collect(&branches.then, found);
                    collect(&branches.otherwise, found);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(body, &mut found);
    found
}

/// What every exit of a loop leaves in a lane of its results, if that is one and the same.
fn left_in(body: &[Action], result: LaneId) -> Option<LaneId> {
    let copies = exits(body).into_iter().flat_map(|exit| &exit.copies);
    let mut found = copies.filter(|[to, _]| *to == result).map(|[_, from]| *from);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// What the lanes of a value of a type are, and how many there are: two words of each 64-bit one.
fn words_of(ty: Type) -> (Scalar, u8) {
    if ty.scalar.is_wide() { (Scalar::U32, ty.lanes * 2) } else { (ty.scalar, ty.lanes) }
}

/// Lanes, each with what it becomes.
fn pairs(to: &[Vec<LaneId>], from: &[Vec<LaneId>]) -> Vec<[LaneId; 2]> {
    let lanes = to.iter().flatten().zip(from.iter().flatten());
    lanes.map(|(&to, &from)| [to, from]).filter(|[to, from]| to != from).collect()
}

impl Reader<'_, '_> {
    /// Makes one complete store of those to each output at the end of the shader; what was not written is as outputs begin.
    fn fill_outputs(&mut self, actions: &mut Vec<Action>) {
        let mut whole: BTreeMap<u32, ([Option<LaneId>; 4], u32)> = BTreeMap::new();
        actions.retain(|action| match action {
            Action::Store { output, lanes, step } => {
                let (all, last) = whole.entry(*output).or_insert(([None; 4], *step));
                *last = *step;
                for (to, from) in all.iter_mut().zip(lanes) {
                    *to = from.or(*to);
                }
                false
            }
            _ => true,
        });
        for (output, (mut lanes, step)) in whole {
            let cell = self.shader.outputs.get(output as usize);
            let (init, count) = cell.map_or(([0; 4], 4), |output| (output.init, output.kind.lanes()));
            lanes[count.min(4)..].fill(None);
            for (lane, bits) in lanes.iter_mut().zip(init).take(count) {
                *lane = lane.or_else(|| Some(self.define(Def::Const(bits), Scalar::F32).0));
            }
            actions.push(Action::Store { output, lanes, step });
        }
    }

    /// Stores what lanes of outputs begin with that nobody writes, in front, where that is not zero.
    fn begin_outputs(&mut self, actions: &mut Vec<Action>) {
        let mut written: BTreeMap<u32, (u8, u32)> = BTreeMap::new();
        for action in actions.iter() {
            if let Action::Store { output, lanes, step } = action {
                let (mask, _) = written.entry(*output).or_insert((0, *step));
                lanes.iter().enumerate().for_each(|(n, lane)| *mask |= u8::from(lane.is_some()) << n);
            }
        }
        let mut first = Vec::new();
        for (output, (mask, step)) in written {
            let Some(cell) = self.shader.outputs.get(output as usize) else { continue };
            let (init, count) = (cell.init, cell.kind.lanes().min(4));
            let mut lanes = [None; 4];
            let last = (0..count).rev().find(|n| mask & 1 << n != 0 || init[*n] != 0).unwrap_or(0);
            for (n, lane) in lanes.iter_mut().enumerate().take(count) {
                // The lanes that must be written with those that are.
                let needed = self.machine.whole.contains(&output)
                    || self.machine.gapless.contains(&output) && n < last;
                if mask & 1 << n == 0 && (init[n] != 0 || needed) {
                    *lane = Some(self.define(Def::Const(init[n]), Scalar::F32).0);
                }
            }
            if lanes.iter().any(Option::is_some) {
                first.push(Action::Store { output, lanes, step });
            }
        }
        actions.splice(0..0, first);
    }

    pub(crate) fn define(&mut self, def: Def, scalar: Scalar) -> (LaneId, bool) {
        let (id, new) = self.graph.add(def, scalar, self.step);
        let given = matches!(def, Def::Const(_) | Def::Input { .. } | Def::Param { .. } | Def::Vertex { .. });
        if new && !given {
            if let Some(scope) = self.scope.last_mut() {
                scope.push((id, None));
            }
        }
        (id, new)
    }

    fn lane_of(&self, arg: &Arg, n: usize) -> LaneId {
        let lanes = self.values.get(arg.value.index()).copied().unwrap_or([LaneId(0); 4]);
        lanes[usize::from(arg.swizzle.get(n))]
    }

    /// The lanes of an argument; of a 64-bit one both words of each, the low one first.
    pub(crate) fn lanes_of(&self, arg: &Arg) -> Vec<LaneId> {
        if !self.shader.arg_type(*arg).scalar.is_wide() {
            return (0..usize::from(arg.lanes)).map(|n| self.lane_of(arg, n)).collect();
        }
        let words = self.values.get(arg.value.index()).copied().unwrap_or([LaneId(0); 4]);
        let pair = |n: usize| usize::from(arg.swizzle.get(n) & 1) * 2;
        (0..usize::from(arg.lanes)).flat_map(|n| [words[pair(n)], words[pair(n) + 1]]).collect()
    }

    pub(crate) fn set(&mut self, value: Option<Value>, lanes: &[LaneId]) {
        let slot = value.and_then(|value| self.values.get_mut(value.index()));
        if let Some(slot) = slot {
            for (to, from) in slot.iter_mut().zip(lanes) {
                *to = *from;
            }
        }
    }

    fn region(&mut self, region: &Region) -> Vec<Action> {
        let mut actions = Vec::with_capacity(region.nodes.len());
        self.nodes(region, &mut actions);
        actions
    }

    fn nodes(&mut self, region: &Region, actions: &mut Vec<Action>) {
        for node in &region.nodes {
            if self.graph.lanes.len() > MAX_LANES {
                self.refusals.add(rules::LIMIT, &[&MAX_LANES, &"operations"], self.step);
                return;
            }
            self.blocks += usize::from(matches!(node, Node::If(_) | Node::Loop(_)));
            if self.blocks > MAX_BLOCKS {
                self.refusals.add(rules::LIMIT, &[&MAX_BLOCKS, &"conditionals and loops"], self.step);
                return;
            }
            match node {
                Node::Inst(inst) => self.inst(inst, actions),
                Node::Idiom(idiom) => {
                    self.nodes(&idiom.body, actions);
                    self.yields(&idiom.results, &idiom.body);
                }
                Node::If(node) => {
                    let condition = self.lane_of(&node.cond, 0);
                    let condition = self.testable(condition, actions);
                    let step = self.step;
                    let (then, then_lanes) = self.branch(&node.then);
                    let (otherwise, other_lanes) = self.branch(&node.otherwise);
                    let mut merged = Vec::new();
                    // Who leaves a loop does not come here.
                    let (then_lanes, other_lanes) = match (node.then.exits(), node.otherwise.exits()) {
                        (true, false) => (other_lanes.clone(), other_lanes),
                        (false, true) => (then_lanes.clone(), then_lanes),
                        (true, true) => {
                            let lanes = self.merged_lanes(&node.results);
                            (lanes.clone(), lanes)
                        }
                        (false, false) => (then_lanes, other_lanes),
                    };
                    for ((result, then), other) in node.results.iter().zip(then_lanes).zip(other_lanes) {
                        let (scalar, _) = words_of(self.shader.value(*result).ty);
                        let lanes: Vec<LaneId> = then
                            .iter()
                            .zip(&other)
                            .map(|(&then, &other)| {
                                if then == other {
                                    return then;
                                }
                                let known =
                                    merged.iter().find(|of: &&[LaneId; 3]| of[1] == then && of[2] == other);
                                if let Some(known) = known {
                                    return known[0];
                                }
                                let (id, _) = self.define(Def::Merged, scalar);
                                merged.push([id, then, other]);
                                id
                            })
                            .collect();
                        self.set(Some(*result), &lanes);
                    }
                    actions.push(Action::If(Box::new(Branches { condition, then, otherwise, merged, step })));
                }
                Node::Loop(node) => {
                    let init: Vec<Vec<LaneId>> =
                        self.shader.args(node.init).iter().map(|arg| self.lanes_of(arg)).collect();
                    let params = self.merged_lanes(&node.params);
                    self.rounds(node.label, Some((&params, &init)), &node.results, &node.body, actions);
                }
                // A loop of one round.
                Node::Block(node) => {
                    self.rounds(node.label, None, &node.results, &node.body, actions);
                }
                Node::Leave { label, values } => self.exit(*label, How::Break, *values, actions),
                Node::Again { label, values } => self.exit(*label, How::Continue, *values, actions),
                Node::Switch(_) => {
                    let name = self.refusals.target;
                    self.refusals.add(rules::FLOW, &[&name, &"switches"], self.step);
                    return;
                }
            }
        }
    }

    /// A lane of its own for each lane of values that several places of the shader write.
    fn merged_lanes(&mut self, values: &[Value]) -> Vec<Vec<LaneId>> {
        values
            .iter()
            .map(|&value| {
                let (scalar, words) = words_of(self.shader.value(value).ty);
                let lanes: Vec<LaneId> = (0..words).map(|_| self.define(Def::Merged, scalar).0).collect();
                self.set(Some(value), &lanes);
                lanes
            })
            .collect()
    }

    /// Whether a lane is a constant that is a truth, where conditionals ask for such.
    pub(crate) fn is_constant_truth(&self, lane: LaneId) -> bool {
        let of = self.graph.lane(lane);
        self.machine.has_truths && of.scalar == Scalar::Bool && matches!(of.def, Def::Param { .. })
    }

    /// A loop, or a block, which nothing is carried round in.
    fn rounds(
        &mut self,
        label: Label,
        carried: Option<(&[ValueLanes], &[ValueLanes])>,
        results: &[Value],
        body: &Region,
        actions: &mut Vec<Action>,
    ) {
        // A block is left early.
        let is_there =
            self.machine.loops == Loops::Endless || carried.is_some() && self.machine.loops == Loops::Counted;
        if !is_there {
            let (name, what) =
                (self.refusals.target, if carried.is_some() { "loops" } else { "early exits" });
            self.refusals.add(rules::FLOW, &[&name, &what], self.step);
            return;
        }
        let step = self.step;
        let targets = self.merged_lanes(results);
        let (params, init) = carried.unwrap_or_default();
        let first_inside = self.graph.lanes.len();
        self.loops.push(OpenLoop { label, params: params.to_vec(), results: targets.clone() });
        let (mut inner, last) = self.branch(body);
        if !body.exits() {
            // The end of a block leaves it.
            let (how, to) = if carried.is_some() { (How::End, params) } else { (How::Break, &targets[..]) };
            inner.push(Action::Exit(Box::new(Exit { how, copies: pairs(to, &last), step: self.step })));
        }
        self.loops.pop();
        let mut carried = pairs(params, init);
        if self.machine.loops == Loops::Counted {
            let lanes: Vec<LaneId> = targets.iter().flatten().copied().collect();
            let counted = count_rounds(&mut self.graph, &mut carried, &mut inner, &lanes, first_inside);
            let Some(Counted { count, results: lanes }) = counted else {
                let name = self.refusals.target;
                self.refusals.add(
                    rules::FLOW,
                    &[&name, &"loops whose number of rounds is no constant"],
                    step,
                );
                return;
            };
            let mut lanes = lanes.into_iter();
            for (value, of) in results.iter().zip(&targets) {
                let own: Vec<LaneId> = lanes.by_ref().take(of.len()).collect();
                self.set(Some(*value), &own);
            }
            actions.push(Action::Loop(Box::new(Rounds { carried, body: inner, count, step })));
            return;
        }
        for (value, lanes) in results.iter().zip(&targets) {
            // What is carried round, or was there before, is there behind the loop as well.
            let stays = |lane: LaneId| {
                let outside = lane.index() < first_inside || params.iter().flatten().any(|own| *own == lane);
                outside.then_some(lane)
            };
            let lanes: Vec<LaneId> = lanes
                .iter()
                .map(|&lane| match left_in(&inner, lane) {
                    Some(from) => stays(from).unwrap_or(lane),
                    None => lane,
                })
                .collect();
            self.set(Some(*value), &lanes);
        }
        let count = Count::Endless;
        actions.push(Action::Loop(Box::new(Rounds { carried, body: inner, count, step })));
    }

    fn exit(&mut self, label: Label, how: How, values: Args, actions: &mut Vec<Action>) {
        let lanes: Vec<Vec<LaneId>> = self.shader.args(values).iter().map(|arg| self.lanes_of(arg)).collect();
        let Some(open) = self.loops.last().filter(|open| open.label == label) else {
            let name = self.refusals.target;
            self.refusals.add(rules::FLOW, &[&name, &"exits from several loops at once"], self.step);
            return;
        };
        let to = if how == How::Break { &open.results } else { &open.params };
        let copies = pairs(to, &lanes);
        actions.push(Action::Exit(Box::new(Exit { how, copies, step: self.step })));
    }

    /// A branch, and the lanes of its results.
    fn branch(&mut self, region: &Region) -> (Vec<Action>, Vec<Vec<LaneId>>) {
        self.scope.push(Vec::new());
        let actions = self.region(region);
        let lanes = self.shader.args(region.yields).iter().map(|arg| self.lanes_of(arg)).collect();
        // What one branch computed does not exist in the other one.
        for (id, before) in self.scope.pop().unwrap_or_default().into_iter().rev() {
            let lane = self.graph.lanes[id.index()];
            if let Some(key) = key_of(&lane.def, lane.scalar) {
                match before {
                    Some(before) => self.graph.known.insert(key, before),
                    None => self.graph.known.remove(&key),
                };
            }
        }
        (actions, lanes)
    }

    fn yields(&mut self, results: &[Value], region: &Region) {
        let lanes: Vec<Vec<LaneId>> =
            self.shader.args(region.yields).iter().map(|arg| self.lanes_of(arg)).collect();
        for (result, lanes) in results.iter().zip(lanes) {
            self.set(Some(*result), &lanes);
        }
    }

    fn inst(&mut self, inst: &Inst, actions: &mut Vec<Action>) {
        self.step = inst.step;
        let shader = self.shader;
        let args = shader.args(inst.args);
        let ty = inst.result.map(|value| shader.value(value).ty);
        let scalar = ty.map_or(Scalar::F32, |ty| ty.scalar);
        let count = ty.map_or(0, |ty| usize::from(ty.lanes));
        if self.call(inst, args, actions) {
            return;
        }
        if scalar.is_wide() {
            let what = inst.op.word();
            self.refuse(rules::WIDE, what);
            return;
        }
        let mut lanes = [LaneId(0); 4];
        let mut new = Vec::new();
        // What the host sets as a truth is any word but 0, and no mask.
        let is_word = self.graph.masks
            && scalar == Scalar::Bool
            && matches!(inst.op, Op::Param { .. } | Op::ParamAt { .. });
        let asks = matches!(inst.op, Op::Param { .. }) && self.machine.has_truths;
        if let (Op::Param { array, .. } | Op::ParamAt { array, .. }, Scalar::Bool, false) =
            (inst.op, scalar, self.graph.masks || asks)
        {
            let name = match inst.op {
                Op::Param { index, .. } => shader.param_name(array, index),
                _ => shader.params.get(array.0 as usize).map_or_else(Default::default, |of| of.name.clone()),
            };
            let target = self.refusals.target;
            self.refusals.add(rules::BOOLEAN, &[&target, &name], inst.step);
            // One reason is enough: what is computed from it stands for itself.
            let truth = self.define(Def::Merged, Scalar::F32).0;
            self.set(inst.result, &alloc::vec![truth; count]);
            return;
        }
        let mut add = |this: &mut Self, n: usize, def: Def| {
            let (id, is_new) = this.define(def, if is_word { Scalar::U32 } else { scalar });
            lanes[n] = id;
            if is_new {
                new.push(id);
            }
        };
        if inst.result.is_some_and(|result| self.plan.skipped.contains(&result)) {
            return;
        }
        match inst.op {
            // Conditionals ask for the opposite as well.
            Op::Pure(Pure::Not) if args.iter().all(|arg| self.is_constant_truth(self.lane_of(arg, 0))) => {
                for (n, arg) in args.iter().enumerate() {
                    let of = self.lane_of(arg, 0);
                    let args = Operands::new(&[of]);
                    add(self, n, Def::Pure { op: Pure::Not, arith: Arith::IEEE, scalar, args });
                }
            }
            Op::Pure(op) => {
                let fused = inst.result.and_then(|result| self.plan.fused.get(&result)).cloned();
                if let Some((op, args)) = fused {
                    let of: Vec<Vec<LaneId>> = args.iter().map(|arg| self.lanes_of(arg)).collect();
                    let result = self.each(op, inst.arith, Scalar::F32, Scalar::F32, &of, actions);
                    self.set(inst.result, &result);
                    return;
                }
                let over = op.scalar_of(shader, args);
                let kept = inst.result.is_some_and(|result| self.plan.kept.contains(&result));
                if over.is_wide() {
                    self.refuse(rules::WIDE, op.name());
                    return;
                }
                let of: Vec<Vec<LaneId>> = if op.reduces() {
                    args.iter().map(|arg| self.lanes_of(arg)).collect()
                } else {
                    let lane = |arg: &Arg, n: usize| if arg.lanes == 1 { 0 } else { n };
                    args.iter()
                        .map(|arg| (0..count).map(|n| self.lane_of(arg, lane(arg, n))).collect())
                        .collect()
                };
                self.reader = inst.result.and_then(|value| self.plan.read_by.get(&value).copied());
                let result = if kept {
                    let gives = op.result().fixed().unwrap_or(over);
                    self.each(op, inst.arith, over, gives, &of, actions)
                } else {
                    self.compute(op, inst.arith, over, &of, actions)
                };
                self.set(inst.result, &result);
                return;
            }
            Op::Const(bits) => {
                for (n, bits) in bits.into_iter().enumerate().take(count) {
                    add(self, n, Def::Const(bits));
                }
                new.clear();
            }
            Op::Compose => {
                let all: Vec<LaneId> = args.iter().flat_map(|arg| self.lanes_of(arg)).collect();
                self.set(inst.result, &all);
                return;
            }
            Op::Input(input) => {
                for n in 0..count {
                    add(self, n, Def::Input { input, lane: n as u8 });
                }
                new.clear();
            }
            Op::Param { array, index } => {
                for n in 0..count {
                    add(self, n, Def::Param { array: array.0, index, lane: n as u8 });
                }
                new.clear();
                if is_word {
                    self.test_words(&mut lanes[..count], actions);
                }
            }
            Op::ParamAt { array, offset, rule } => {
                let Some(index) = args.first().map(|arg| self.lane_of(arg, 0)) else { return };
                // A number that is known after all.
                let known = self.graph.number(index).map(|bits| i64::from(bits as i32) + i64::from(offset));
                let size = self.graph.arrays.get(array.0 as usize).copied().unwrap_or(0);
                if let Some(index) = known.and_then(|at| u32::try_from(at).ok()).filter(|at| *at < size) {
                    for n in 0..count {
                        add(self, n, Def::Param { array: array.0, index, lane: n as u8 });
                    }
                    new.clear();
                    if is_word {
                        self.test_words(&mut lanes[..count], actions);
                    }
                    self.set(inst.result, &lanes[..count.min(4)]);
                    return;
                }
                if rule != self.machine.out_of_range {
                    self.refusals.weaken(Promise::Operations, "constant", "indices out of range", self.step);
                }
                for n in 0..count {
                    add(self, n, Def::ParamAt { array: array.0, offset, rule, index, lane: n as u8 });
                }
                new.clear();
                if is_word {
                    self.test_words(&mut lanes[..count], actions);
                }
            }
            Op::State(state) => {
                let name = shader.states.get(state.index()).map_or("?", |state| state.name.as_str());
                self.refusals.add(rules::STATE, &[&name], inst.step);
            }
            Op::Sample { texture, pick: Pick::Fixed, .. }
            | Op::Gather { texture, pick: Pick::Fixed, .. }
            | Op::Fetch { texture, pick: Pick::Fixed, .. }
            | Op::TextureSize { texture, pick: Pick::Fixed } => {
                let (kind, lod, compare, offset) = match inst.op {
                    Op::Sample { lod, compare, offset, .. } => (ReadKind::Sample, lod, compare, offset),
                    Op::Gather { component, compare, offset, .. } => {
                        (ReadKind::Gather(component), Lod::Implicit { bias_eighths: 0 }, compare, offset)
                    }
                    Op::Fetch { offset, .. } => (ReadKind::Fetch, Lod::Level, false, offset),
                    _ => (ReadKind::Size, Lod::Level, false, false),
                };
                let known = (kind, compare, offset) == (ReadKind::Sample, false, false);
                if !known && self.machine.truth == Truth::Number {
                    self.refuse(rules::TEXTURE, inst.op.word());
                    return;
                }
                let mut rest: Vec<Vec<LaneId>> = args.iter().map(|arg| self.lanes_of(arg)).collect();
                let offset = if offset { rest.pop().unwrap_or_default() } else { Vec::new() };
                let mut rest = rest.into_iter();
                // Of a size there is nothing but the level.
                let coordinates = rest.next().unwrap_or_default();
                let reference = if compare { rest.next().and_then(|of| of.first().copied()) } else { None };
                let mut read = TextureRead {
                    texture,
                    kind,
                    dim: shader.textures.get(texture.index()).map_or(Dim::D2, |texture| texture.dim),
                    lod,
                    reference,
                    offset,
                    coordinates,
                    detail: rest.flatten().collect(),
                    constant: None,
                    step: inst.step,
                };
                read.constant = read.detail.first().and_then(|&lane| self.graph.number(lane));
                if let (Lod::Implicit { bias_eighths: bias @ (..=-1 | 1..) }, true) =
                    (lod, self.machine.reads.fourth)
                {
                    // Only AGAL has a constant bias.
                    read.lod = Lod::Bias;
                    read.detail = vec![self.literal(f32::from(bias) / 8.0)];
                }
                let next = self.graph.reads.len() as u32;
                let number = *self.graph.known_reads.entry(read.key()).or_insert(next);
                if number == next {
                    self.graph.reads.push(read);
                }
                for n in 0..count {
                    add(self, n, Def::Texel { read: number, lane: n as u8 });
                }
            }
            Op::Sample { .. } | Op::Gather { .. } | Op::Fetch { .. } | Op::TextureSize { .. } => {
                self.refuse(rules::TEXTURE, inst.op.word());
            }
            Op::TextureLod { .. } | Op::TextureSamples { .. } | Op::SamplePosition { .. } => {
                self.refuse(rules::TEXTURE, inst.op.word());
            }
            Op::Ddx(slope) | Op::Ddy(slope) => {
                let y = matches!(inst.op, Op::Ddy(_));
                let Some(arg) = args.first() else { return };
                let slope = self.slope(y, slope, inst.op.word());
                for n in 0..count {
                    let of = self.lane_of(arg, n);
                    add(self, n, Def::Derivative { y, slope, of });
                }
            }
            Op::StoreOutput { output, mask } => {
                let Some(arg) = args.first() else { return };
                let mut lanes = [None; 4];
                let kind = shader.outputs.get(output.index()).map(|output| output.kind);
                // What is written beside the lanes that count means nothing.
                let counted = kind.map_or(4, OutputKind::lanes);
                for (n, lane) in mask.lanes().enumerate().filter(|(_, lane)| *lane < counted) {
                    // Where TGSI has the depth and the stencil reference.
                    let slot = match (kind, self.machine.truth) {
                        (Some(OutputKind::Depth), Truth::Mask) => 2,
                        (Some(OutputKind::Stencil), Truth::Mask) => 1,
                        _ => lane,
                    };
                    lanes[slot] = Some(self.lane_of(arg, n));
                }
                actions.push(Action::Store { output: output.0, lanes, step: inst.step });
            }
            Op::Demote => {
                let Some(condition) = args.first().map(|arg| self.lane_of(arg, 0)) else { return };
                let condition = self.below_zero(condition, actions);
                actions.push(Action::Discard { condition, step: inst.step });
            }
            Op::Mark(_) => {}
            Op::StoreParam { .. } | Op::StoreParamAt { .. } => {
                let name = self.refusals.target;
                self.refusals.add(rules::CONSTANT_WRITE, &[&name], inst.step);
            }
            Op::InputAt { .. }
            | Op::LoadOutputAt { .. }
            | Op::StoreOutputAt { .. }
            | Op::LoadLocalAt { .. }
            | Op::StoreLocalAt { .. } => {
                let name = self.refusals.target;
                self.refusals.add(rules::INDEXED, &[&name, &inst.op.word()], inst.step);
            }
            Op::Interpolate { .. } => self.refuse(rules::SYSTEM, inst.op.word()),
            _ => self.refuse(rules::MEMORY, inst.op.word()),
        }
        self.set(inst.result, &lanes[..count.min(4)]);
        if !new.is_empty() {
            actions.push(Action::Pack(new));
        }
    }

    /// The lane at a computed index that a choice is, where all it chooses beside is a number at one index: then that element holds the
    /// number.
    pub(crate) fn definition(&mut self, condition: LaneId, number: LaneId, other: LaneId) -> Option<LaneId> {
        let bits = self.graph.number(number)?;
        let Def::Pure { op: Pure::Eq, scalar: Scalar::I32, args, .. } = self.graph.lane(condition).def else {
            return None;
        };
        let &[index, at] = args.get() else { return None };
        let at = self.graph.number(at)? as i32;
        let Def::ParamAt { array, offset, index: by, lane, .. } = self.graph.lane(other).def else {
            return None;
        };
        let element = u32::try_from(at.checked_add(offset)?).ok()?;
        if by != index || self.graph.arrays.get(array as usize).is_none_or(|size| element >= *size) {
            return None;
        }
        let known = self.graph.definitions.entry((array, element)).or_default();
        let held = known.get_mut(usize::from(lane))?;
        if held.is_some_and(|held| held != bits) {
            return None;
        }
        *held = Some(bits);
        self.graph.defined.entry(other).or_default().insert(element);
        Some(other)
    }

    /// Refuses what reads an element by a computed index as the host sets it, and elsewhere as the program says it.
    fn check_definitions(&mut self) {
        let wrong = self.graph.lanes.iter().enumerate().find_map(|(n, lane)| {
            let Def::ParamAt { array, lane: at, .. } = lane.def else { return None };
            let said = self.graph.defined.get(&LaneId(n as u32));
            // What the program says of its own array every load sees that can reach it.
            let fixed = self.shader.params.get(array as usize).map_or(&[][..], |of| &of.fixed);
            let mut all = self.graph.definitions.iter().filter(|((of, element), lanes)| {
                let own = fixed.iter().find(|(known, _)| known == element);
                let own = own.and_then(|(_, bits)| bits.get(usize::from(at))).copied();
                let bits = lanes.get(usize::from(at)).copied().flatten();
                *of == array && bits.is_some() && bits != own
            });
            all.any(|((_, element), _)| said.is_none_or(|said| !said.contains(element))).then_some(lane.step)
        });
        if let Some(step) = wrong {
            let target = self.refusals.target;
            self.refusals.add(rules::INDEXED, &[&target, &"constants that are defined for some"], step);
        }
    }

    /// Makes masks of words that are truths where they are not 0.
    fn test_words(&mut self, words: &mut [LaneId], actions: &mut Vec<Action>) {
        let zero = self.define(Def::Const(0), Scalar::U32).0;
        let of = [words.to_vec(), alloc::vec![zero; words.len()]];
        let masks = self.each(Pure::Ne, Arith::IEEE, Scalar::U32, Scalar::Bool, &of, actions);
        words.copy_from_slice(&masks);
    }

    /// How the target takes derivatives: as it is wanted, or the only way that it knows.
    fn slope(&mut self, y: bool, wanted: Slope, name: &str) -> Slope {
        let mut known = self.machine.rows.iter().filter_map(|row| match row.kind {
            crate::machine::Kind::Derivative { y: of, slope } if of == y => Some(slope),
            _ => None,
        });
        let Some(own) = known.next() else { return wanted };
        if own == wanted || known.any(|slope| slope == wanted) {
            return wanted;
        }
        self.refusals.weaken(
            Promise::Close,
            name,
            "pixels that share the derivative of their quad",
            self.step,
        );
        own
    }

    /// An operation, as one or more that the target may have.
    fn compute(
        &mut self,
        op: Pure,
        arith: Arith,
        scalar: Scalar,
        of: &[Vec<LaneId>],
        actions: &mut Vec<Action>,
    ) -> Vec<LaneId> {
        // Registers of floats hold no bits of integers that the pipeline gives.
        if let (Pure::AsF32, Truth::Number, [of]) = (op, self.machine.truth, of) {
            let is_integer = |lane: &LaneId| {
                matches!(self.graph.lane(*lane).def, Def::Input { .. })
                    && self.graph.lane(*lane).scalar != Scalar::F32
            };
            if of.iter().any(is_integer) {
                self.refuse(rules::INTEGER, op.name());
            }
        }
        if scalar == Scalar::F32 {
            let own = Arith { rule: self.machine.rule, ..Arith::IEEE }.concerning(Op::Pure(op), scalar);
            let wanted = arith.concerning(Op::Pure(op), scalar);
            if (wanted.rule, wanted.flush) != (own.rule, own.flush) {
                self.refusals.weaken(Promise::Operations, op.name(), "special values", self.step);
            }
        }
        if let Some(result) = self.expand(op, arith, scalar, of, actions) {
            return result;
        }
        let gives = op.result().fixed().unwrap_or(scalar);
        self.each(op, arith, scalar, gives, of, actions)
    }

    /// An operation on each lane, or on all of them.
    pub(crate) fn each(
        &mut self,
        op: Pure,
        arith: Arith,
        scalar: Scalar,
        gives: Scalar,
        of: &[Vec<LaneId>],
        actions: &mut Vec<Action>,
    ) -> Vec<LaneId> {
        let mut new = Vec::new();
        let mut add = |this: &mut Self, args: &[LaneId]| {
            let (id, is_new) = this.define(Def::Pure { op, arith, scalar, args: Operands::new(args) }, gives);
            if is_new {
                new.push(id);
            }
            id
        };
        let result = if op.reduces() {
            vec![add(self, &of.concat())]
        } else {
            let count = of.iter().map(Vec::len).max().unwrap_or(0);
            let args = |n: usize| -> Vec<LaneId> {
                of.iter().filter_map(|lanes| lanes.get(n).or_else(|| lanes.first()).copied()).collect()
            };
            if self.graph.whole && count > 1 {
                let def = |n: usize| Def::Pure { op, arith, scalar, args: Operands::new(&args(n)) };
                let known: Vec<Option<LaneId>> =
                    (0..count).map(|n| self.graph.find(&def(n), gives)).collect();
                if !known.iter().all(Option::is_some) {
                    return self.vector(&(0..count).map(def).collect::<Vec<_>>(), gives, actions);
                }
            }
            (0..count).map(|n| add(self, &args(n))).collect::<Vec<_>>()
        };
        self.graph.splits |= !new.is_empty() && new.len() < result.len();
        if !new.is_empty() {
            actions.push(Action::Pack(new));
        }
        result
    }

    /// Lanes of one instruction, each anew.
    fn vector(&mut self, of: &[Def], gives: Scalar, actions: &mut Vec<Action>) -> Vec<LaneId> {
        let mut lanes: Vec<LaneId> = Vec::with_capacity(of.len());
        let mut new = Vec::new();
        for (n, def) in of.iter().enumerate() {
            if let Some(same) = of[..n].iter().position(|other| other == def) {
                lanes.push(lanes[same]);
                continue;
            }
            let id = LaneId(self.graph.lanes.len() as u32);
            self.graph.lanes.push(Lane { def: *def, scalar: gives, step: self.step });
            if let Some(key) = key_of(def, gives) {
                // Behind the branch it is the lane again that it was before.
                let before = self.graph.known.insert(key, id);
                if let Some(scope) = self.scope.last_mut() {
                    scope.push((id, before));
                }
            }
            lanes.push(id);
            new.push(id);
        }
        actions.push(Action::Pack(new));
        lanes
    }

    /// The lane of the bits of a number.
    pub(crate) fn number(&mut self, bits: u32, scalar: Scalar) -> LaneId {
        self.define(Def::Const(bits), scalar).0
    }

    /// The lane of a number.
    pub(crate) fn literal(&mut self, value: f32) -> LaneId {
        self.define(Def::Const(value.to_bits()), Scalar::F32).0
    }

    /// Keeps an operation only close to what it is; `differs` says where results differ.
    pub(crate) fn weaken(&mut self, op: Pure, differs: &str) {
        self.refusals.weaken(Promise::Close, op.name(), differs, self.step);
    }

    fn refuse(&mut self, rule: &'static vecasm_ir::diag::Rule, what: &str) {
        let (name, what) = (self.refusals.target, format!("`{what}`"));
        self.refusals.add(rule, &[&name, &what], self.step);
    }
}
