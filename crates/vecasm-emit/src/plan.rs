//! What of a shader is written, and where: dead values, values folded into their only use, output cells that can be
//! written at once, branches that are a choice between values.
//!
//! A plan is made by one look ahead and one walk backwards, so that every use is known when a definition is met.
//! It holds no fact of a target language.

use super::options::Style;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::ir::op::{self, Effect, MAX_ARITY};
use vecasm_ir::ir::{
    Arg, If, Inst, Label, Memory, Node, Op, OutOfRange, OutputId, Pure, Region, Rule, Scalar, Shader, Stage,
    Switch, Value,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// A statement is folded up to about this many columns.
const WIDTH: u16 = 92;
/// About the columns of a name with a swizzle, and of an element of an array or a struct with one.
const NAME: u16 = 7;
const LEAF: u16 = 9;

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Number of the region.
    region: u32,
    /// Number of the innermost loop around it, 0 for none.
    round: u32,
    /// Number of demotions behind it.
    behind: u32,
    /// Number of writes to memory behind it.
    effects: u32,
    /// Number of the statement.
    root: u32,
    /// Whether the expression is all of the right-hand side, or a part of a vector that is.
    outermost: bool,
    /// Whether it is evaluated by some invocations only: behind a question mark, or what `&&` may leave out.
    lazy: bool,
    /// Number of `if`s behind it.
    clock: u32,
    /// The source instruction that the statement is of, [`ANY`] for none in particular.
    step: u32,
}

/// Of no source instruction in particular.
const ANY: u32 = u32::MAX;

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use<'a> {
    /// The instruction that defines it, if one does.
    pub(super) def: Option<&'a Inst>,
    /// How often it is written; 0 for a dead value.
    pub(super) uses: u32,
    /// Whether it stands in its use instead of in a statement of its own.
    pub(super) folded: bool,
    /// Lanes it is written with: 1 if all lanes are computed from equal arguments, else those in [`kept`](Self::kept).
    pub(super) lanes: u8,
    /// The lanes of its type that are written, bit 0 for x. Lanes that nobody reads are left out where that is
    /// possible.
    pub(super) kept: u8,
    /// For a result of an `if`: the result of an earlier one whose variable it takes over, because that one is not
    /// read any more and one of the arms leaves it as it was.
    pub(super) continues: Option<Value>,
    /// Whether some other value takes over its variable.
    continued: bool,
    /// Whether an `if` defines it, and the innermost block or loop around that.
    of_if: bool,
    inside: Option<Label>,
    in_switch: bool,
    /// How many `if`s have ended before that one began, and before it ended.
    began: u32,
    ended: u32,
    /// Whether it is stored to an output as it is, which may be written later.
    stored: bool,
    /// Whether it is used as something else than an index.
    plain: bool,
    /// The clock of the last use, and of the first `if` that overwrites its variable.
    last_use: u32,
    overwritten: u32,
    /// The lanes that are constants, also after computing: mask and bits.
    known: u8,
    bits: [u32; 4],
    /// For another name of some lanes of a value: what each written lane is. See [`Plan::resolve`].
    alias: Option<Arg>,
    /// The lanes that uses met so far read.
    wants: u8,
    place: Place,
}

impl Use<'_> {
    /// Whether every use is an index that is clamped to its array.
    pub(super) const fn is_index(&self) -> bool {
        !self.plain
    }

    /// The lanes that somebody reads, bit 0 for x.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "wgsl"))]
    pub(super) const fn read(&self) -> u8 {
        self.wants
    }

    /// The lanes it is written with.
    pub(super) const fn extent(&self) -> Extent {
        Extent { lanes: self.lanes, kept: self.kept }
    }
}

/// The lanes that a value is written with: see [`Use`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) lanes: u8,
    kept: u8,
}

impl Extent {
    /// The lane, as written, of lane `lane` of the value's type.
    pub(super) const fn rank(self, lane: u8) -> u8 {
        if self.lanes == 1 {
            return 0;
        }
        (self.kept & ((1 << lane) - 1)).count_ones() as u8
    }
}

/// The lanes of an argument in the mask `kept`; an argument of one lane stays.
pub(super) fn trim(arg: Arg, kept: u8) -> Arg {
    if arg.lanes == 1 || kept & 15 == 15 {
        return arg;
    }
    let kept = WriteMask::from_bits(kept & ((1 << arg.lanes.min(4)) - 1));
    Arg { value: arg.value, swizzle: arg.swizzle.together(kept), lanes: kept.count() as u8 }
}

/// Arguments as they are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum WrittenArgs<'a> {
    /// As they stand in the shader.
    All(&'a [Arg]),
    /// Up to four, trimmed.
    Some([Arg; 4], u8),
}

impl WrittenArgs<'_> {
    fn trimmed(args: impl Iterator<Item = Arg>) -> Self {
        let mut trimmed = [Arg::all_lanes(Value::new(0), 1); 4];
        let mut n = 0;
        for (slot, arg) in trimmed.iter_mut().zip(args) {
            *slot = arg;
            n += 1;
        }
        Self::Some(trimmed, n)
    }
}

impl core::ops::Deref for WrittenArgs<'_> {
    type Target = [Arg];

    fn deref(&self) -> &[Arg] {
        match self {
            Self::All(args) => args,
            Self::Some(args, n) => &args[..usize::from(*n)],
        }
    }
}

/// What is known of an output cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell<'a> {
    /// Whether it is read back by something.
    pub(super) loaded: bool,
    /// Whether something stores to it inside a nested region.
    nested: bool,
    /// Whether anybody wants it.
    pub(super) wanted: bool,
    /// For a cell that is written at once: what each lane gets; `None` for the initial bits.
    pub(super) lanes: [Option<(Value, u8)>; 4],
    /// For a cell that is written at once: the store in whose place that happens.
    pub(super) last: Option<&'a Inst>,
    place: Place,
}

impl Cell<'_> {
    /// Whether all stores are of the outermost region and nothing reads the cell, so that it is written at once, in
    /// place of its last store.
    pub(super) fn is_whole(&self) -> bool {
        !self.loaded && !self.nested
    }
}

/// How an `if` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Not at all.
    Dead,
    /// One result, each arm a mere value: a choice.
    Choice,
    /// The first arm has statements, the second only values: results start with those of the second.
    Then,
    /// The second arm has statements, the first only values.
    Otherwise,
    /// Both arms are written.
    Both,
}

/// The plan of one `if`.
#[derive(Clone, Copy, Debug)]
pub(super) struct IfPlan {
    /// How it is written.
    pub(super) form: Form,
    /// Number of `if`s inside.
    pub(super) inner: u32,
}

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Plan<'a> {
    shader: &'a Shader,
    style: Style,
    /// Whether a choice evaluates one of its arms only.
    lazy: bool,
    /// By value.
    pub(super) values: Vec<Use<'a>>,
    /// By output.
    pub(super) cells: Vec<Cell<'a>>,
    /// Every `if`, the first one in program order last.
    pub(super) ifs: Vec<IfPlan>,
    /// Whether they are read: inputs, parameter arrays, textures, local arrays, state values.
    read: Vec<bool>,
    /// By buffer, and at the end of what the workgroup shares: what is done with it.
    pub(super) memories: Vec<Usage>,
    /// Runs of inputs that are read by a computed index: the first one and how many.
    pub(super) input_runs: Vec<(u32, u32)>,
    /// Runs of output cells that are used by a computed index: the first one and how many. No two touch the same cell.
    pub(super) output_runs: Vec<(u32, u32)>,
    /// Labels that are left from inside a nested block or loop.
    pub(super) far_leaves: BTreeSet<Label>,
    /// Labels of loops that are gone round from inside a nested block or loop.
    pub(super) far_agains: BTreeSet<Label>,
    /// Deepest nesting of regions.
    pub(super) depth: u32,
    roots: Vec<u16>,
    regions: u32,
    rounds: u32,
    demotions: u32,
    effects: u32,
    /// Number of `if`s met.
    clock: u32,
    /// Labels of the blocks and loops around; `None` for a switch.
    open: Vec<Option<Label>>,
    /// Values that the other arm of an `if` around leaves as they were: see [`Use::continues`].
    kept_by_other_arm: Vec<Value>,
}

/// The tables of a shader in [`Plan::read`], one after another.
const INPUTS: usize = 0;
const PARAMS: usize = 1;
const TEXTURES: usize = 2;
const LOCALS: usize = 3;
const STATES: usize = 4;
const TABLES: usize = 5;

/// Where a table lies in [`Plan::read`]; what lies behind the last one is empty.
fn table(shader: &Shader, of: usize) -> Range<usize> {
    let lens = [
        shader.inputs.len(),
        shader.params.len(),
        shader.textures.len(),
        shader.locals.len(),
        shader.states.len(),
    ];
    let start = lens.iter().take(of).sum();
    start..start + lens.get(of).unwrap_or(&0)
}

/// What is done with a memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) read: bool,
    pub(super) written: bool,
    pub(super) atomic: bool,
}

/// What became of a region.
#[derive(Clone, Copy, Default)]
struct RegionContent {
    /// Statements in it.
    statements: u32,
    /// Whether it computes anything.
    computes: bool,
}

/// The offset and the rule of a load by a computed index, which is its first argument.
const fn indexed(op: Op) -> Option<(i32, OutOfRange)> {
    match op {
        Op::ParamAt { offset, rule, .. } | Op::LoadLocalAt { offset, rule, .. } => Some((offset, rule)),
        Op::InputAt { at, .. } | Op::LoadOutputAt { at, .. } => Some((at.offset, at.rule)),
        _ => None,
    }
}

/// Whether lane `i` of the result is computed from lanes `i` of the arguments.
const fn is_lane_wise(op: Op) -> bool {
    match op {
        Op::Pure(op) => !op.reduces(),
        Op::Ddx(_) | Op::Ddy(_) => true,
        _ => false,
    }
}

impl<'a> Plan<'a> {
    /// Plans `shader`. `wanted` tells the outputs that are read by whoever comes next. Regions nested deeper than
    /// `max_depth` are not looked at; [`depth`](Self::depth) tells then that there are some. `lazy` tells whether a choice
    /// evaluates one of its arms only, as `?:` does.
    pub(super) fn new(
        shader: &'a Shader,
        wanted: impl Fn(OutputId) -> bool,
        max_depth: u32,
        style: Style,
        lazy: bool,
    ) -> Self {
        let none = shader.buffers.is_empty() && shader.stage != Stage::Compute;
        let memories = if none { 0 } else { shader.buffers.len() + 1 };
        let mut plan = Self {
            shader,
            style,
            lazy,
            values: shader
                .values
                .iter()
                .map(|v| Use { lanes: v.ty.lanes, kept: 15, ..Use::default() })
                .collect(),
            cells: vec![Cell::default(); shader.outputs.len()],
            ifs: Vec::new(),
            read: vec![false; table(shader, TABLES).start],
            memories: vec![Usage::default(); memories],
            input_runs: Vec::new(),
            output_runs: Vec::new(),
            far_leaves: BTreeSet::new(),
            far_agains: BTreeSet::new(),
            depth: 0,
            roots: Vec::with_capacity(shader.values.len() + 8),
            regions: 0,
            rounds: 0,
            demotions: 0,
            effects: 0,
            clock: 0,
            open: Vec::new(),
            kept_by_other_arm: Vec::new(),
        };
        plan.look(&shader.body, 0, max_depth, &mut Vec::new());
        if shader.stage == Stage::Geometry {
            // A vertex is given with what all cells hold.
            plan.hold(0, shader.outputs.len() as u32);
        }
        plan.clock = 0;
        for (i, cell) in plan.cells.iter_mut().enumerate() {
            cell.wanted = cell.loaded || wanted(OutputId(i as u32));
        }
        if plan.depth <= max_depth {
            plan.region(&shader.body, 0);
        }
        plan
    }

    /// By input: whether it is read.
    pub(super) fn inputs(&self) -> &[bool] {
        &self.read[table(self.shader, INPUTS)]
    }

    /// By parameter array: whether it is read.
    pub(super) fn params(&self) -> &[bool] {
        &self.read[table(self.shader, PARAMS)]
    }

    /// By texture: whether it is read.
    pub(super) fn textures(&self) -> &[bool] {
        &self.read[table(self.shader, TEXTURES)]
    }

    /// Whether a value is written somewhere.
    pub(super) fn is_live(&self, value: Value) -> bool {
        self.values.get(value.index()).is_some_and(|value| value.uses > 0)
    }

    /// By local array: whether it is used.
    pub(super) fn locals(&self) -> &[bool] {
        &self.read[table(self.shader, LOCALS)]
    }

    /// By state value: whether it is read.
    pub(super) fn states(&self) -> &[bool] {
        &self.read[table(self.shader, STATES)]
    }

    /// Finds definitions, loads and nested stores, far exits and the depth.
    fn look(&mut self, region: &'a Region, depth: u32, max_depth: u32, open: &mut Vec<Option<Label>>) {
        self.depth = self.depth.max(depth);
        if depth > max_depth {
            return;
        }
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => match inst.op {
                    Op::LoadOutputOf { first, at } => {
                        self.hold(first.0, at.map_or(1, |at| at.count));
                        self.define(inst);
                    }
                    Op::LoadOutputAt { first, at } | Op::StoreOutputAt { first, at, .. } => {
                        self.add_run(first.0, at.count);
                        if inst.result.is_some() {
                            self.define(inst);
                        }
                        for arg in self.shader.args(inst.args) {
                            if let Some(value) = self.values.get_mut(arg.value.index()) {
                                value.stored = true;
                            }
                        }
                    }
                    _ if inst.result.is_some() && !matches!(inst.op, Op::LoadOutput(_)) => self.define(inst),
                    Op::LoadOutput(output) => {
                        if let Some(cell) = self.cells.get_mut(output.index()) {
                            cell.loaded = true;
                        }
                        self.define(inst);
                    }
                    Op::StoreOutput { output, .. } => {
                        if let Some(cell) = self.cells.get_mut(output.index()) {
                            cell.nested |= depth > 0;
                        }
                        for arg in self.shader.args(inst.args) {
                            if let Some(value) = self.values.get_mut(arg.value.index()) {
                                value.stored = true;
                            }
                        }
                    }
                    _ => {}
                },
                // Emitters put the body in its place before they plan.
                Node::Idiom(_) => {}
                Node::Switch(node) => {
                    open.push(None);
                    for (_, region) in &node.cases {
                        self.look(region, depth + 1, max_depth, open);
                    }
                    self.look(&node.default, depth + 1, max_depth, open);
                    open.pop();
                }
                Node::If(node) => {
                    let began = self.clock;
                    self.look(&node.then, depth + 1, max_depth, open);
                    self.look(&node.otherwise, depth + 1, max_depth, open);
                    for result in &node.results {
                        if let Some(value) = self.values.get_mut(result.index()) {
                            value.of_if = true;
                            value.inside = open.last().copied().flatten();
                            value.in_switch = open.last() == Some(&None);
                            (value.began, value.ended) = (began, self.clock);
                        }
                    }
                    self.clock += 1;
                }
                Node::Block(node) => {
                    open.push(Some(node.label));
                    self.look(&node.body, depth + 1, max_depth, open);
                    open.pop();
                }
                Node::Loop(node) => {
                    open.push(Some(node.label));
                    self.look(&node.body, depth + 1, max_depth, open);
                    open.pop();
                }
                Node::Leave { label, .. } => {
                    if open.last() != Some(&Some(*label)) {
                        self.far_leaves.insert(*label);
                    }
                }
                Node::Again { label, .. } => {
                    if open.last() != Some(&Some(*label)) {
                        self.far_agains.insert(*label);
                    }
                }
            }
        }
    }

    fn define(&mut self, inst: &'a Inst) {
        let Some(result) = inst.result else { return };
        // All lanes of a comparison with depths are the same.
        let narrow = matches!(inst.op, Op::Sample { compare: true, .. })
            || is_lane_wise(inst.op) && self.shader.args(inst.args).iter().all(|arg| self.is_splat(*arg));
        let (known, bits) = self.compute(inst);
        let Some(value) = self.values.get_mut(result.index()) else { return };
        value.def = Some(inst);
        (value.known, value.bits) = (known, bits);
        if narrow {
            value.lanes = 1;
        }
    }

    /// The bits of an argument if all its lanes are constants.
    pub(super) fn constant(&self, arg: Arg) -> Option<[u32; 4]> {
        let value = self.values.get(arg.value.index())?;
        if value.known == 0 {
            return None;
        }
        let mut bits = [0; 4];
        for (i, bits) in bits.iter_mut().enumerate().take(usize::from(arg.lanes)) {
            let lane = arg.swizzle.get(i);
            if value.known >> lane & 1 == 0 {
                return None;
            }
            *bits = value.bits[usize::from(lane)];
        }
        Some(bits)
    }

    /// The lanes of the result that follow from constants. Targets would compute them while compiling, and some
    /// refuse to where a result is no ordinary number.
    #[inline]
    fn compute(&self, inst: &Inst) -> (u8, [u32; 4]) {
        let args = self.shader.args(inst.args);
        // Lanes of 64 bits do not fit.
        if inst.result.is_some_and(|v| self.is_wide(v)) {
            return (0, [0; 4]);
        }
        match inst.op {
            Op::Const(bits) => (15, bits),
            Op::Compose | Op::Pure(_) => {
                let any = |arg: &Arg| self.values.get(arg.value.index()).is_some_and(|v| v.known != 0);
                if args.iter().any(any) { self.fold(inst, args) } else { (0, [0; 4]) }
            }
            op if self.lies_outside(op, args) => (15, [0; 4]),
            _ => (0, [0; 4]),
        }
    }

    /// Whether a value has 64 bits.
    fn is_wide(&self, value: Value) -> bool {
        self.shader.values.get(value.index()).is_some_and(|v| v.ty.scalar.is_wide())
    }

    fn fold(&self, inst: &Inst, args: &[Arg]) -> (u8, [u32; 4]) {
        let mut bits = [0; 4];
        let mut known = 0;
        let lane = |arg: Arg, i: usize| self.constant(Arg::lane(arg.value, arg.swizzle.get(i))).map(|b| b[0]);
        match inst.op {
            Op::Compose => {
                let lanes = args.iter().flat_map(|arg| (0..usize::from(arg.lanes)).map(|i| lane(*arg, i)));
                for (i, found) in lanes.enumerate().take(4) {
                    if let Some(found) = found {
                        bits[i] = found;
                        known |= 1 << i;
                    }
                }
            }
            Op::Pure(op) if op.reduces() => {
                // The last argument is the only one of `sum`, `all` and `any`.
                if let [Some(a), Some(b)] =
                    [args.first(), args.last()].map(|a| a.and_then(|a| self.constant(*a)))
                {
                    let scalar = op.scalar_of(self.shader, args);
                    bits[0] = op.eval_reduce(scalar, inst.arith, a, b, usize::from(args[0].lanes));
                    known = 1;
                }
            }
            Op::Pure(op) => {
                let scalar = op.scalar_of(self.shader, args);
                for (i, bits) in bits.iter_mut().enumerate() {
                    let mut of = [0; MAX_ARITY];
                    let all = of.iter_mut().zip(args).all(|(of, arg)| {
                        // The condition of a choice may have one lane for all.
                        let found = lane(*arg, if arg.lanes == 1 { 0 } else { i });
                        *of = found.unwrap_or(0);
                        found.is_some()
                    });
                    if all {
                        *bits = op.eval(scalar, inst.arith, of);
                        known |= 1 << i;
                    }
                }
            }
            _ => {}
        }
        (known, bits)
    }

    /// Whether a load is known to lie outside its array, and zero.
    fn lies_outside(&self, op: Op, args: &[Arg]) -> bool {
        let size = match op {
            Op::Param { array, .. } | Op::ParamAt { array, .. } => {
                self.shader.params.get(array.index()).map(|p| p.size)
            }
            Op::LoadLocal { array, .. } | Op::LoadLocalAt { array, .. } => {
                self.shader.locals.get(array.index()).map(|a| a.size)
            }
            Op::InputAt { at, .. } | Op::LoadOutputAt { at, .. } => Some(at.count),
            _ => return false,
        };
        let at = match (op, indexed(op), args.first()) {
            (Op::Param { index, .. } | Op::LoadLocal { index, .. }, ..) => Some(i64::from(index)),
            (_, Some((offset, OutOfRange::Zero)), Some(index)) => {
                self.constant(*index).map(|bits| i64::from(bits[0] as i32) + i64::from(offset))
            }
            _ => None,
        };
        matches!((at, size), (Some(at), Some(size)) if !(0..i64::from(size)).contains(&at))
    }

    /// Whether all lanes of an argument are the same.
    pub(super) fn is_splat(&self, arg: Arg) -> bool {
        let Some(value) = self.values.get(arg.value.index()) else { return false };
        // Constant lanes are no part of what is kept of a value.
        if let Some(bits) = self.constant(arg) {
            return bits[..usize::from(arg.lanes)].iter().all(|b| *b == bits[0]);
        }
        let first = arg.swizzle.get(0);
        value.lanes == 1 || (0..usize::from(arg.lanes)).all(|i| arg.swizzle.get(i) == first)
    }

    /// A place for the right-hand side of a new statement with `columns` of its own.
    fn statement(&mut self, region: u32, round: u32, columns: u16) -> Place {
        let place = Place {
            region,
            round,
            behind: self.demotions,
            effects: self.effects,
            root: 0,
            outermost: true,
            lazy: false,
            clock: self.clock,
            step: ANY,
        };
        self.line(place, columns)
    }

    /// The same place on a line of its own.
    fn line(&mut self, place: Place, columns: u16) -> Place {
        self.roots.push(columns);
        Place { root: self.roots.len() as u32 - 1, ..place }
    }

    fn use_arg(&mut self, arg: Arg, place: Place) {
        if self.constant(arg).is_some() {
            return;
        }
        if let Some(value) = self.values.get_mut(arg.value.index()) {
            if value.uses == 0 || place.clock < value.last_use {
                value.last_use = place.clock;
            }
            value.uses += 1;
            value.plain = true;
            value.place = place;
            for i in 0..usize::from(arg.lanes.min(4)) {
                value.wants |= 1 << arg.swizzle.get(i);
            }
        }
    }

    /// Uses an index that is clamped to its array.
    fn use_index(&mut self, arg: Arg, place: Place) {
        let plain = self.values.get(arg.value.index()).is_some_and(|v| v.plain);
        self.use_arg(arg, place);
        if let Some(value) = self.values.get_mut(arg.value.index()) {
            value.plain = plain;
        }
    }

    /// The arguments of an operation as they are written: without the lanes that the result does not keep.
    pub(super) fn written(&self, inst: &Inst) -> WrittenArgs<'a> {
        let args = self.shader.args(inst.args);
        let kept = inst.result.and_then(|v| self.values.get(v.index())).map_or(15, |v| v.kept) & 15;
        match inst.op {
            Op::Compose if kept != 15 => {
                let mut at = 0;
                WrittenArgs::trimmed(args.iter().filter_map(|arg| {
                    let part = kept >> at & ((1 << arg.lanes) - 1);
                    at += arg.lanes;
                    (part != 0).then(|| trim(*arg, part))
                }))
            }
            Op::Pure(op @ (Pure::AsF64 | Pure::AsI64 | Pure::AsU64 | Pure::Low64 | Pure::High64)) => {
                self.behind_bits(op, args, kept)
            }
            op if kept != 15 && is_lane_wise(op) => {
                WrittenArgs::trimmed(args.iter().map(|arg| trim(*arg, kept)))
            }
            _ => WrittenArgs::All(args),
        }
    }

    /// The argument of an operation on the bits of 64-bit values: what they come from, so that nothing stands between. Of
    /// values that were packed these are the words: both, or the one that is wanted.
    fn behind_bits(&self, op: Pure, args: &'a [Arg], kept: u8) -> WrittenArgs<'a> {
        let Some(mut arg) = args.first().map(|arg| trim(*arg, kept)) else { return WrittenArgs::All(args) };
        while let Some(def) = self.values.get(arg.value.index()).and_then(|v| v.def) {
            let through = |of: &Arg| {
                let lane = |i: usize| of.swizzle.get(usize::from(arg.swizzle.get(i)));
                Arg { swizzle: Swizzle::new(lane(0), lane(1), lane(2), lane(3)), lanes: arg.lanes, ..*of }
            };
            match (def.op, self.shader.args(def.args)) {
                (Op::Pure(Pure::AsF64 | Pure::AsI64 | Pure::AsU64), [of]) => arg = through(of),
                (Op::Pure(Pure::Pack64), [low, high]) => {
                    return match op {
                        Pure::Low64 => WrittenArgs::trimmed([through(low)].into_iter()),
                        Pure::High64 => WrittenArgs::trimmed([through(high)].into_iter()),
                        _ => WrittenArgs::trimmed([through(low), through(high)].into_iter()),
                    };
                }
                _ => break,
            }
        }
        WrittenArgs::trimmed([arg].into_iter())
    }

    fn use_args(&mut self, args: vecasm_ir::ir::Args, place: Place) {
        let shader = self.shader;
        for arg in shader.args(args) {
            self.use_arg(*arg, place);
        }
    }

    /// Walks a region backwards. Its yields have been used already.
    fn region(&mut self, region: &'a Region, round: u32) -> RegionContent {
        let number = self.regions;
        self.regions += 1;
        self.nodes(region, number, round)
    }

    fn nodes(&mut self, region: &'a Region, number: u32, round: u32) -> RegionContent {
        let mut seen = RegionContent::default();
        for node in region.nodes.iter().rev() {
            match node {
                Node::Inst(inst) => self.inst(inst, number, round, &mut seen),
                Node::If(node) => self.branch(node, number, round, &mut seen),
                Node::Block(node) => {
                    seen.statements += 1;
                    let inner = self.regions;
                    self.regions += 1;
                    let place = self.statement(inner, round, 16);
                    self.use_args(node.body.yields, place);
                    self.open.push(Some(node.label));
                    self.nodes(&node.body, inner, round);
                    self.open.pop();
                }
                Node::Loop(node) => {
                    seen.statements += 1;
                    let inner = self.regions;
                    self.regions += 1;
                    self.rounds += 1;
                    let inside = self.rounds;
                    let place = self.statement(inner, inside, 16);
                    self.use_args(node.body.yields, place);
                    self.open.push(Some(node.label));
                    self.nodes(&node.body, inner, inside);
                    self.open.pop();
                    let place = self.statement(number, round, 16);
                    self.use_args(node.init, place);
                }
                Node::Switch(node) => self.switch(node, number, round, &mut seen),
                Node::Idiom(_) => {}
                Node::Leave { values, .. } | Node::Again { values, .. } => {
                    seen.statements += 1;
                    let place = self.statement(number, round, 16);
                    self.use_args(*values, place);
                }
            }
        }
        seen
    }

    /// Plans an `if` of the region `outer`.
    fn branch(&mut self, node: &'a If, outer: u32, round: u32, seen: &mut RegionContent) {
        let before = self.ifs.len();
        // An arm without statements is evaluated with the `if`, but nothing that computes moves out.
        let live = |plan: &Self, v: &Value| plan.values.get(v.index()).is_some_and(|u| u.uses > 0);
        let results = node.results.iter().filter(|v| live(self, v)).count();
        // Which arm leaves a variable as it was, so that the result is that variable.
        self.clock += 1;
        let mut keeps = [false; 2];
        for (i, result) in node.results.iter().enumerate().filter(|_| results > 0) {
            for (arm, keeps) in [&node.otherwise, &node.then].into_iter().zip(&mut keeps) {
                let arg = self.shader.args(arm.yields).get(i).copied();
                if arg.is_some_and(|arg| live(self, result) && self.may_continue(*result, arg)) {
                    *keeps = true;
                    break;
                }
            }
        }
        let kept = self.kept_by_other_arm.len();
        let mut arms = [RegionContent::default(); 2];
        for (arm, seen) in [&node.otherwise, &node.then].into_iter().zip(&mut arms) {
            let number = self.regions;
            self.regions += 1;
            for (i, result) in node.results.iter().enumerate() {
                if !live(self, result) {
                    continue;
                }
                let yields = self.shader.args(arm.yields);
                if let Some(arg) = yields.get(i) {
                    let lanes = self.keep_wanted(*result);
                    let place = self.statement(number, round, 16);
                    self.use_arg(trim(*arg, lanes), place);
                }
            }
            *seen = self.nodes(arm, number, round);
            // What this arm leaves alone the other one may overwrite.
            for (i, result) in node.results.iter().enumerate() {
                let continues = self.values.get(result.index()).and_then(|v| v.continues);
                let arg = self.shader.args(arm.yields).get(i);
                if let (Some(value), true) = (continues, arg.map(|a| a.value) == continues) {
                    self.kept_by_other_arm.push(value);
                }
            }
        }
        self.kept_by_other_arm.truncate(kept);
        let [otherwise, then] = arms;
        let [else_keeps, then_keeps] = keeps;
        let bare = |arm: RegionContent| arm.statements == 0 && !arm.computes;
        let shared =
            |v: &Value| self.values.get(v.index()).is_some_and(|v| v.continued || v.continues.is_some());
        let form = if then.statements + otherwise.statements == 0 && results == 0 {
            Form::Dead
        } else if results == 1 && bare(then) && bare(otherwise) && !node.results.iter().any(shared) {
            Form::Choice
        } else if bare(otherwise) && !then_keeps {
            Form::Then
        } else if bare(then) && !else_keeps {
            Form::Otherwise
        } else {
            Form::Both
        };
        let inner = (self.ifs.len() - before) as u32;
        self.ifs.push(IfPlan { form, inner });
        if form != Form::Dead {
            seen.statements += 1;
            let place = self.statement(outer, round, 12);
            self.use_arg(node.cond, place);
        }
    }

    /// Plans a switch of the region `outer`.
    fn switch(&mut self, node: &'a Switch, outer: u32, round: u32, seen: &mut RegionContent) {
        let before = self.ifs.len();
        let live = |plan: &Self, v: &Value| plan.values.get(v.index()).is_some_and(|u| u.uses > 0);
        let mut dead = !node.results.iter().any(|v| live(self, v));
        self.open.push(None);
        for arm in core::iter::once(&node.default).chain(node.cases.iter().rev().map(|(_, region)| region)) {
            let number = self.regions;
            self.regions += 1;
            for (result, arg) in node.results.iter().zip(self.shader.args(arm.yields)) {
                if live(self, result) {
                    let lanes = self.keep_wanted(*result);
                    let place = self.statement(number, round, 16);
                    self.use_arg(trim(*arg, lanes), place);
                }
            }
            let inner = self.nodes(arm, number, round);
            dead &= inner.statements == 0;
        }
        self.open.pop();
        let inner = (self.ifs.len() - before) as u32;
        self.ifs.push(IfPlan { form: if dead { Form::Dead } else { Form::Both }, inner });
        if !dead {
            seen.statements += 1;
            let place = self.statement(outer, round, 12);
            self.use_arg(node.selector, place);
        }
    }

    /// Notes that cells hold what is stored to them, because more than the end of the shader sees it.
    fn hold(&mut self, first: u32, count: u32) {
        for cell in self.cells.iter_mut().skip(first as usize).take(count as usize) {
            cell.nested = true;
        }
    }

    /// Notes that some cells are used by a computed index.
    fn add_run(&mut self, first: u32, count: u32) {
        if self.shader.stage == Stage::TessControl {
            // Others see them, so they stay where they are.
            return self.hold(first, count);
        }
        let (mut start, mut end) = (first, first.saturating_add(count).min(self.cells.len() as u32));
        // Those that it touches become one.
        self.output_runs.retain(|&(first, count)| {
            let apart = first + count <= start || end <= first;
            if !apart {
                start = start.min(first);
                end = end.max(first + count);
            }
            apart
        });
        self.output_runs.push((start, end.saturating_sub(start)));
        for cell in self.cells.iter_mut().take(end as usize).skip(start as usize) {
            cell.loaded = true;
            cell.nested = true;
        }
    }

    /// Decides whether `result` of the present `if` takes over the variable of what an arm yields for it.
    fn may_continue(&mut self, result: Value, arg: Arg) -> bool {
        let kept = self.kept_by_other_arm.iter().filter(|v| **v == arg.value).count();
        let (Some(of), Some(to)) = (self.values.get(arg.value.index()), self.values.get(result.index()))
        else {
            return false;
        };
        let ty = self.shader.value(result).ty;
        let whole = (0..usize::from(ty.lanes)).all(|i| usize::from(arg.swizzle.get(i)) == i);
        let may = of.of_if
            && of.inside == self.open.last().copied().flatten()
            // A switch holds variables like a loop: what is inside does not take over from outside.
            && !of.in_switch
            && self.open.last() != Some(&None)
            && of.ended < to.began
            && !of.stored
            && of.overwritten != self.clock
            && of.uses as usize == kept
            && self.shader.value(arg.value).ty == ty
            && arg.lanes == ty.lanes
            && whole
            && to.wants.count_ones() == u32::from(ty.lanes);
        if may {
            if let Some(of) = self.values.get_mut(arg.value.index()) {
                of.overwritten = self.clock;
                of.continued = true;
            }
            if let Some(to) = self.values.get_mut(result.index()) {
                to.continues = Some(arg.value);
            }
        }
        may
    }

    fn inst(&mut self, inst: &'a Inst, region: u32, round: u32, seen: &mut RegionContent) {
        let Some(result) = inst.result else {
            if let Op::StoreOutput { output, mask } = inst.op {
                return self.store(inst, output, mask, region, round, seen);
            }
            return self.effect(inst, region, round, seen);
        };
        let Some(value) = self.values.get_mut(result.index()) else { return };
        if !inst.op.is_pure() {
            self.effects += 1;
            seen.statements += 1;
            seen.computes = true;
            self.note_place(inst.op);
            let place = Place { step: inst.step, ..self.statement(region, round, 40) };
            return self.use_args(inst.args, place);
        }
        if value.uses == 0 {
            return;
        }
        let mut place = value.place;
        let (uses, last_use) = (value.uses, value.last_use);
        // Constants of 64 bits; others are known.
        if matches!(inst.op, Op::Const(_) | Op::Input(_) | Op::Param { .. } | Op::State(_)) {
            value.folded = true;
            return self.note_place(inst.op);
        }
        self.note_place(inst.op);
        if let Op::InputAt { first, at } = inst.op {
            if !self.input_runs.contains(&(first.0, at.count)) {
                self.input_runs.push((first.0, at.count));
            }
        }
        let may_move = match inst.op {
            Op::LoadOutput(_) | Op::LoadOutputAt { .. } | Op::LoadOutputOf { .. } => false,
            Op::LoadLocal { .. } | Op::LoadLocalAt { .. } | Op::LoadMemory { .. } | Op::LoadImage { .. } => {
                place.region == region && place.effects == self.effects
            }
            // Behind a question mark only some invocations would ask.
            op if op.needs_subgroup() => false,
            Op::IsHelper => place.round == round && place.behind == self.demotions,
            // A texture read stays in its region, and a derivative on its side of a demotion. What needs its quad is
            // evaluated by all of it.
            op if matches!(op, Op::Sample { .. }) || op.needs_quad() => {
                let asked = !(place.lazy && op.needs_quad());
                place.region == region && place.behind == self.demotions && asked
            }
            _ => place.round == round,
        };
        if inst.op == Op::Compose || is_lane_wise(inst.op) {
            self.keep_wanted(result);
        }
        seen.computes |= inst.op != Op::Compose;
        let mut args = self.written(inst);
        // The lanes that are left may all be the same.
        let several = self.values.get(result.index()).is_some_and(|value| value.lanes > 1);
        if several && is_lane_wise(inst.op) && args.iter().all(|arg| self.is_splat(*arg)) {
            if let Some(value) = self.values.get_mut(result.index()) {
                value.kept = 1 << value.kept.trailing_zeros();
                value.lanes = 1;
            }
            args = self.written(inst);
        }
        // A variable must not be read behind the place where it gets its next value.
        let stays = args
            .iter()
            .all(|arg| self.values.get(arg.value.index()).is_none_or(|arg| arg.overwritten <= last_use));
        if let (Op::Compose, [only], true) = (inst.op, &*args, stays) {
            let place = Place { clock: last_use, ..place };
            // Another name for some lanes.
            self.set_folded(result);
            if let Some(value) = self.values.get_mut(result.index()) {
                value.alias = Some(*only);
            }
            self.use_arg(*only, place);
            if let Some(value) = self.values.get_mut(only.value.index()) {
                value.uses = value.uses.saturating_add(uses - 1);
            }
            return;
        }
        let columns = self.columns(inst, &args);
        let line = self.roots.get_mut(place.root as usize);
        let plain = self.style == Style::Plain;
        // An instruction that does much gets a long statement, but calls of a subroutine do not become one.
        let width = if plain { 4 * WIDTH } else { WIDTH };
        let spare = line.as_ref().map_or(0, |n| width.saturating_sub(**n));
        // A vector on a line of its own may be broken into its parts.
        let breaks = inst.op == Op::Compose && place.outermost;
        let more = columns.saturating_sub(NAME).max(2);
        // What must not be contracted has a variable that says so.
        let may_move = may_move && !inst.arith.precise;
        let of_it = !plain || place.step == ANY || place.step == inst.step;
        let fits = more <= spare && of_it;
        if uses == 1 && may_move && stays && (breaks || fits) {
            if let Some(n) = line {
                *n = n.saturating_add(more);
            }
            self.set_folded(result);
            if place.step == ANY {
                place.step = inst.step;
            }
        } else {
            seen.statements += 1;
            place = self.statement(region, round, columns + 12);
            place.step = inst.step;
        }
        if inst.op == Op::Compose && place.outermost {
            for arg in args.iter() {
                let place = self.line(place, NAME + 4);
                self.use_arg(*arg, place);
            }
            return;
        }
        place.outermost = false;
        let mut args = &*args;
        if let (Some((offset, rule)), [index, rest @ ..]) = (indexed(inst.op), args) {
            self.use_indices(*index, offset, rule, place);
            args = rest;
        }
        let chosen = match inst.op {
            Op::Pure(Pure::Select) => self.lazy,
            Op::Pure(op @ (Pure::And | Pure::Or)) => op.scalar_of(self.shader, args) == Scalar::Bool,
            _ => false,
        };
        for (at, arg) in args.iter().enumerate() {
            let lazy = place.lazy || (chosen && at > 0);
            self.use_arg(*arg, Place { lazy, ..place });
        }
        // The number of a vertex is looked at before it is used, one of a run is looked for.
        if matches!(inst.op, Op::InputOf { .. } | Op::LoadOutputOf { .. }) {
            args.iter().for_each(|arg| self.use_arg(*arg, place));
        }
        // The coordinate is written in two parts, the level of a size beside the number of levels.
        let twice = match inst.op {
            Op::Sample { texture, .. }
            | Op::Gather { texture, .. }
            | Op::Fetch { texture, offset: true, .. } => {
                self.shader.textures.get(texture.index()).is_some_and(|t| t.dim.arrayed())
            }
            Op::TextureSize { .. } => true,
            _ => false,
        };
        if let (true, Some(first)) = (twice, args.first()) {
            self.use_arg(*first, place);
        }
    }

    /// Uses the index of an access, as often as it is written.
    fn use_indices(&mut self, index: Arg, offset: i32, rule: OutOfRange, place: Place) {
        // With a large offset the array lies where conversions saturate.
        if rule != OutOfRange::Zero && offset.unsigned_abs() < 1 << 30 {
            return self.use_index(index, place);
        }
        for _ in 0..if rule == OutOfRange::Zero { 2 } else { 1 } {
            self.use_arg(index, place);
        }
    }

    /// An operation that gives nothing, and is no plain store to an output.
    fn effect(&mut self, inst: &'a Inst, region: u32, round: u32, seen: &mut RegionContent) {
        seen.statements += 1;
        match inst.op {
            Op::Demote => self.demotions += 1,
            Op::Mark(_) => {}
            _ => self.effects += 1,
        }
        self.note_place(inst.op);
        let place = Place { step: inst.step, ..self.statement(region, round, 12) };
        let args = self.shader.args(inst.args);
        let (mask, at) = match inst.op {
            Op::StoreOutputAt { at, mask, .. } => (mask, Some((at.offset, at.rule))),
            Op::StoreLocalAt { offset, mask, rule, .. } => (mask, Some((offset, rule))),
            Op::StoreLocal { mask, .. } => (mask, None),
            Op::StoreMemory { mask, .. } => {
                // One statement for each word.
                for _ in 0..mask.count() {
                    self.use_args(inst.args, place);
                }
                return;
            }
            _ => return self.use_args(inst.args, place),
        };
        let Some(value) = args.last().copied() else { return };
        if let (Some((offset, rule)), [index, _]) = (at, args) {
            // A part of a cell is put together with the rest of it.
            let rule = if rule == OutOfRange::Undefined { OutOfRange::Zero } else { rule };
            self.use_indices(*index, offset, rule, place);
            // In a patch each cell of the run has a statement.
            if self.shader.stage == Stage::TessControl {
                self.use_args(inst.args, place);
            }
        }
        self.use_runs(value, mask, place);
    }

    /// Uses a value for each run of lanes that is stored.
    fn use_runs(&mut self, value: Arg, mask: WriteMask, place: Place) {
        let mut before = false;
        for lane in 0..4 {
            if mask.has(lane) && !before {
                self.use_arg(value, place);
            }
            before = mask.has(lane);
        }
    }

    /// Notes that what an operation works on is used. Output cells have [notes of their own](Cell).
    fn note_place(&mut self, op: Op) {
        if matches!(op, Op::Pure(_) | Op::Const(_) | Op::Compose) {
            return;
        }
        let (of, first) = match op.place() {
            Some(op::Place::Input(id)) => (INPUTS, id.index()),
            Some(op::Place::Param(id)) => (PARAMS, id.index()),
            Some(op::Place::Local(id)) => (LOCALS, id.index()),
            Some(op::Place::State(id)) => (STATES, id.index()),
            Some(op::Place::Texture(id)) => (TEXTURES, id.index()),
            Some(op::Place::Memory(memory)) => return self.note_memory(memory, op.effect()),
            Some(op::Place::Output(_) | op::Place::Image(_)) | None => return,
        };
        let count = op.cells().map_or(1, |(_, count)| count);
        let table = table(self.shader, of);
        self.read[table].iter_mut().skip(first).take(count as usize).for_each(|read| *read = true);
    }

    fn note_memory(&mut self, memory: Memory, effect: Effect) {
        let at = match memory {
            Memory::Buffer(id) => id.index(),
            Memory::Shared => self.shader.buffers.len(),
        };
        if let Some(usage) = self.memories.get_mut(at) {
            usage.read = true;
            usage.written |= effect == Effect::Write;
            usage.atomic |= effect == Effect::Modify;
        }
    }

    /// Leaves out the lanes of a value that no use reads. All uses are known by now.
    fn keep_wanted(&mut self, value: Value) -> u8 {
        let Some(value) = self.values.get_mut(value.index()) else { return 15 };
        value.kept = value.wants;
        value.lanes = value.wants.count_ones() as u8;
        value.kept
    }

    /// The same lanes as an argument that is no other name of something. Lanes are counted as the types have them.
    pub(super) fn resolve(&mut self, arg: Arg) -> Arg {
        let Some(first) = self.values.get(arg.value.index()).and_then(|v| v.alias) else { return arg };
        if self.constant(arg).is_some() {
            return arg;
        }
        if self.values.get(first.value.index()).is_none_or(|v| v.alias.is_none()) {
            return self.through(arg, first);
        }
        // Follow the chain to its end, then let all of it point there, so that the next walk is short.
        let mut chain = vec![arg.value];
        let mut end = first;
        while let Some(next) = self.values.get(end.value.index()).and_then(|v| v.alias) {
            chain.push(end.value);
            end = self.through(end, next);
        }
        let mut target = None;
        for value in chain.into_iter().rev() {
            let Some(alias) = self.values.get(value.index()).and_then(|v| v.alias) else { continue };
            let whole = match target {
                Some(target) => self.through(alias, target),
                None => alias,
            };
            target = Some(whole);
            if let Some(value) = self.values.get_mut(value.index()) {
                value.alias = Some(whole);
            }
        }
        target.map_or(arg, |target| self.through(arg, target))
    }

    /// `arg` of a value whose written lanes are `alias`, as an argument of the value behind.
    fn through(&self, arg: Arg, alias: Arg) -> Arg {
        let Some(value) = self.values.get(arg.value.index()).map(Use::extent) else { return arg };
        let lane = |i: usize| alias.swizzle.get(usize::from(value.rank(arg.swizzle.get(i))));
        let swizzle = Swizzle::new(lane(0), lane(1), lane(2), lane(3));
        Arg { value: alias.value, swizzle, lanes: arg.lanes }
    }

    fn set_folded(&mut self, value: Value) {
        if let Some(value) = self.values.get_mut(value.index()) {
            value.folded = true;
        }
    }

    /// About the columns of an operation whose arguments are names.
    fn columns(&self, inst: &Inst, args: &[Arg]) -> u16 {
        let zero_wins = inst.arith.rule == Rule::ZeroWins;
        let mut sum = match inst.op {
            // A call of a helper.
            Op::Pure(Pure::Mul | Pure::Dot | Pure::Fma) if zero_wins && args.first() != args.get(1) => 19,
            Op::Pure(Pure::Add | Pure::Sub | Pure::Mul | Pure::Div) => 3,
            Op::Pure(Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne | Pure::And) => 4,
            Op::Pure(Pure::Neg | Pure::Not) => 1,
            Op::Pure(Pure::Rsq) => 13,
            Op::Pure(_) | Op::Compose => 7,
            Op::Sample { .. } => 33,
            Op::TextureSize { .. } => 90,
            op if matches!(indexed(op), Some((_, OutOfRange::Zero))) => 60,
            _ => 20,
        };
        for arg in args {
            let def = self.values.get(arg.value.index()).and_then(|v| v.def);
            let leaf = def.is_some_and(|d| matches!(d.op, Op::Input(_) | Op::Param { .. } | Op::State(_)));
            sum += if leaf { LEAF } else { NAME };
        }
        sum
    }

    fn store(
        &mut self,
        inst: &'a Inst,
        output: OutputId,
        mask: WriteMask,
        region: u32,
        round: u32,
        seen: &mut RegionContent,
    ) {
        let Some(arg) = self.shader.args(inst.args).first().copied() else { return };
        let place = self.statement(region, round, 12);
        let Some(cell) = self.cells.get_mut(output.index()) else { return };
        if !cell.wanted {
            return;
        }
        if !cell.is_whole() {
            seen.statements += 1;
            // Each run of lanes is written once.
            return self.use_runs(arg, mask, place);
        }
        let mut taken = 0;
        let mut new = 0;
        for (n, lane) in mask.lanes().enumerate() {
            if cell.lanes[lane].is_none() {
                cell.lanes[lane] = Some((arg.value, arg.swizzle.get(n)));
                taken |= 1 << n;
                new |= 1 << lane;
            }
        }
        if cell.last.is_none() {
            cell.last = Some(inst);
            cell.place = place;
            seen.statements += 1;
        }
        if new == 0 {
            return;
        }
        let place = cell.place;
        // The starts of runs.
        let runs = u32::count_ones(new & !(new << 1));
        let arg = trim(arg, taken);
        for _ in 0..runs {
            let place = if new == 15 { place } else { self.line(place, 12) };
            self.use_arg(arg, place);
        }
    }
}
