//! A shader as it is run: every lane of a value has its row, and whatever does not depend on a batch is looked up.
//!
//! Rows are given out in the order of definitions, so that a result stands behind all that it is computed from. What only
//! moves lanes ([`Op::Compose`], a change of type) takes no row and no time: its lanes are those of its arguments. The
//! body of an idiom stands where the idiom stood.

mod allot;
mod carry;
mod chain;
mod pair;
mod prune;
mod reach;
mod shown;

use alloc::vec::Vec;
use vecasm_ir::ir::op::{MAX_ARITY, constant_lane};
use vecasm_ir::ir::{self, Arg, Args, Arith, Label, Op, Pure, Scalar, Shader, Type, Value};

/// The row that is always zero.
const ZERO: u32 = 0;

/// The lanes of an argument, each of which is a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The only lane of an argument of one lane stands for all four; others that it does not have are [row 0](Code::constants).
    pub rows: [u32; 4],
    /// How many it has.
    pub lanes: u8,
    /// The type of each.
    pub scalar: Scalar,
}

/// Where a result goes: one row for each lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultRows {
    rows: [u32; 4],
    lanes: u8,
}

impl ResultRows {
    /// The rows, as many as the result has lanes.
    #[inline(always)]
    pub fn rows(&self) -> &[u32] {
        self.rows.get(..usize::from(self.lanes)).unwrap_or(&[])
    }

    /// Rows next to one another.
    fn of(run: Run) -> Self {
        let rows = [0, 1, 2, 3].map(|lane| if lane < run.count { run.first + lane } else { ZERO });
        Self { rows, lanes: run.count.min(4) as u8 }
    }
}

/// Rows next to one another.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    count: u32,
}

impl Run {
    fn rows(self) -> Vec<u32> {
        (self.first..self.first + self.count).collect()
    }
}

/// A row that gets what another one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The row that is written.
    pub to: u32,
    /// The row that is read.
    pub from: u32,
}

/// What a region consists of.
#[derive(Clone, Debug)]
pub enum Node {
    /// A pure operation.
    Pure(Calc),
    /// Any other operation.
    Inst(Inst),
    /// One of two regions.
    If(If),
    /// One of several regions.
    Switch(Switch),
    /// A region that can be left.
    Block(Block),
    /// A region that is run again.
    Loop(Loop),
    /// The way out of a block or loop.
    Leave(Exit),
    /// The way to the next round of a loop.
    Again(Exit),
}

/// A pure operation.
#[derive(Clone, Debug)]
pub struct Calc {
    /// What is done.
    pub op: Pure,
    /// The type that decides: [`Pure::scalar`].
    pub scalar: Scalar,
    /// By which rules.
    pub arith: Arith,
    /// Lanes of the arguments of a reduction, 1–4; 0 if it is none.
    pub reduced: u8,
    /// Where the result goes. Each of its rows is of the rows of the arguments at the same place; that of a reduction is of
    /// all of them.
    pub out: ResultRows,
    /// For each argument the rows of its lanes; places that the operation has not hold some row.
    pub args: [[u32; 4]; MAX_ARITY],
    /// Whether the result is a product, rounded, plus what the third argument holds; see [`Code::paired`].
    pub plus: bool,
    /// Whether it shows which NaN the result is, if it is one: then it is the canonical one where arithmetic gives it. Else it may be
    /// any.
    pub shown: bool,
    /// Which loops of the lanes engine do it: the number of a part, if it has [looked it up](super::lanes).
    pub(crate) part: u8,
}

impl Calc {
    /// The rows that each argument has.
    pub fn arg_rows(&self) -> &[[u32; 4]] {
        let count = if self.plus { 3 } else { self.op.arity() };
        self.args.get(..count).unwrap_or(&self.args)
    }
}

/// Any other operation.
#[derive(Clone, Debug)]
pub struct Inst {
    /// What is done.
    pub op: Op,
    /// By which rules.
    pub arith: Arith,
    /// The source instruction.
    pub step: u32,
    /// What it is done with.
    pub args: Vec<Operand>,
    /// Where its result goes; nothing if it gives none.
    pub out: ResultRows,
}

/// Nodes in order.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// What the owner gets at its end.
    pub yields: Vec<Move>,
}

/// Runs one of two regions.
#[derive(Clone, Debug)]
pub struct If {
    /// The row of the condition: zero or not.
    pub cond: u32,
    /// Where it is not zero.
    pub then: Region,
    /// Where it is zero.
    pub otherwise: Region,
    /// The rows of the results, which are zero where no region gives them.
    pub results: Vec<u32>,
}

/// Runs the region of the case that has a number, or the default.
#[derive(Clone, Debug)]
pub struct Switch {
    /// The row of the number.
    pub selector: u32,
    /// The numbers of each case, and its region; the first that fits counts.
    pub cases: Vec<(Vec<u32>, Region)>,
    /// What is run if none fits.
    pub default: Region,
    /// As those of [`If`].
    pub results: Vec<u32>,
}

/// Runs its region once; [`Node::Leave`] may end it early.
#[derive(Clone, Debug)]
pub struct Block {
    /// The region.
    pub body: Region,
    /// As those of [`If`].
    pub results: Vec<u32>,
}

/// Runs its region until it is left.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What the parameters start with.
    pub init: Vec<Move>,
    /// Its yields go where those of [`Node::Again`] go: where parameters wait for the next round.
    pub body: Region,
    /// From there to the parameters.
    pub next: Vec<Move>,
    /// As those of [`If`].
    pub results: Vec<u32>,
}

/// A way out of a block or loop, or to its next round.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The block or loop: how many others are open around it.
    pub depth: usize,
    /// What it gets.
    pub moves: Vec<Move>,
    /// Whether nothing is left to run behind it.
    pub last: bool,
}

/// What all invocations read alike, and only a batch says: an element of a parameter array, or a state.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    /// [`Op::Param`] or [`Op::State`].
    pub op: Op,
    /// Which lane of it, 0–3.
    pub lane: u8,
    /// Its row.
    pub row: u32,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The program.
    pub body: Region,
    /// Rows in all.
    pub rows: u32,
    /// The bits of rows that hold the same for ever. Row 0, which is zero, is the first.
    pub constants: Vec<(u32, u64)>,
    /// Rows that hold the same for a run.
    pub uniforms: Vec<Uniform>,
    /// Whether lanes take 64 bits.
    pub wide: bool,
    /// How many rows at the start are those of constants and uniforms, and all of them; 0 if nobody has [seen to
    /// it](Self::allotted).
    pub fixed: u32,
    /// Whether every output is only stored to, by operations of the body itself, from rows that still hold the same at its
    /// end. Then there need be no cells: outputs are rows, as long as all invocations store. See
    /// [`allotted`](Self::allotted).
    pub kept: bool,
}

/// Whether an operation gives all invocations the same, at any time. Its value is defined once and for all.
pub fn constant(shader: &Shader, op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::State(_)) || matches!(op, Op::Param { .. }) && !shader.serial
}

impl Code {
    /// Lays a shader out. One that is not [sound](vecasm_ir::ir::verify) gives some code.
    pub fn new(shader: &Shader) -> Self {
        let mut maker = Maker {
            shader,
            rows: alloc::vec![[ZERO; 4]; shader.values.len()],
            open: Vec::new(),
            code: Self { rows: ZERO + 1, ..Self::default() },
        };
        maker.code.constants.push((ZERO, 0));
        maker.code.wide = shader.values.iter().any(|v| v.ty.scalar.is_wide());
        shader.body.for_each_inst(&mut |inst| maker.constant(inst));
        let mut nodes = Vec::new();
        maker.nodes(&shader.body, true, &mut nodes);
        maker.code.body.nodes = nodes;
        maker.code
    }
}

impl Code {
    /// Calls a function for every pure operation.
    pub(crate) fn for_each_calc_mut(&mut self, f: &mut impl FnMut(&mut Calc)) {
        self.body.for_each_calc_mut(f);
    }
}

impl Region {
    fn for_each_calc_mut(&mut self, f: &mut impl FnMut(&mut Calc)) {
        for node in &mut self.nodes {
            if let Node::Pure(calc) = node {
                f(calc);
            }
            pair::each_region_mut(node, &mut |region| region.for_each_calc_mut(f));
        }
    }
}

/// An open block or loop.
struct Open {
    label: Label,
    results: Run,
    /// Where the parameters of the next round wait.
    next: Run,
    last: bool,
}

struct Maker<'a> {
    shader: &'a Shader,
    /// For each value, the rows of its lanes.
    rows: Vec<[u32; 4]>,
    open: Vec<Open>,
    code: Code,
}

impl<'a> Maker<'a> {
    fn ty(&self, value: Value) -> Type {
        self.shader.values.get(value.index()).map_or(Type::F32, |info| info.ty)
    }

    /// Rows behind all others.
    fn take(&mut self, count: u32) -> Run {
        let first = self.code.rows;
        self.code.rows = first.saturating_add(count);
        Run { first, count }
    }

    /// Rows for all lanes of some values.
    fn define(&mut self, values: &[Value]) -> Run {
        let run = self.take(values.iter().map(|&v| u32::from(self.ty(v).lanes)).sum());
        let mut at = run.first;
        for &value in values {
            let lanes = u32::from(self.ty(value).lanes);
            self.set(value, [0, 1, 2, 3].map(|lane| if lane < lanes { at + lane } else { ZERO }));
            at += lanes;
        }
        run
    }

    fn set(&mut self, value: Value, rows: [u32; 4]) {
        if let Some(to) = self.rows.get_mut(value.index()) {
            *to = rows;
        }
    }

    /// The row of a lane of an argument.
    fn row(&self, arg: Arg, lane: usize) -> u32 {
        self.rows.get(arg.value.index()).map_or(ZERO, |rows| rows[usize::from(arg.swizzle.get(lane)) & 3])
    }

    fn operand(&self, arg: Arg) -> Operand {
        let rows = core::array::from_fn(|lane| match arg.lanes {
            1 => self.row(arg, 0),
            lanes if lane < usize::from(lanes) => self.row(arg, lane),
            _ => ZERO,
        });
        Operand { rows, lanes: arg.lanes, scalar: self.ty(arg.value).scalar }
    }

    /// Moves of the lanes of a list of arguments, one after another, to the rows of a run.
    fn moves(&self, to: Run, args: Args) -> Vec<Move> {
        let from = self
            .shader
            .args(args)
            .iter()
            .flat_map(|&arg| (0..usize::from(arg.lanes)).map(move |lane| self.row(arg, lane)));
        (to.first..to.first + to.count).zip(from).map(|(to, from)| Move { to, from }).collect()
    }

    /// Gives rows to what is the same for all invocations, at any time. Lanes of the same bits share one.
    fn constant(&mut self, inst: &ir::Inst) {
        let Some(result) = inst.result else { return };
        if !constant(self.shader, inst.op) {
            return;
        }
        let Op::Const(bits) = inst.op else {
            let run = self.define(&[result]);
            let rows = (run.first..run.first + run.count).zip(0..);
            self.code.uniforms.extend(rows.map(|(row, lane)| Uniform { op: inst.op, lane, row }));
            return;
        };
        let ty = self.ty(result);
        let mut rows = [ZERO; 4];
        for (lane, row) in rows.iter_mut().enumerate().take(usize::from(ty.lanes)) {
            let bits = constant_lane(bits, ty.scalar, lane);
            // Only the last few are looked through, so that a shader of nothing but constants takes no longer.
            let known = self.code.constants.iter().rev().take(64).find(|(_, known)| *known == bits);
            *row = match known {
                Some(&(row, _)) => row,
                None => {
                    let row = self.take(1).first;
                    self.code.constants.push((row, bits));
                    row
                }
            };
        }
        self.set(result, rows);
    }

    fn region(&mut self, region: &'a ir::Region, last: bool, results: Run) -> Region {
        let mut nodes = Vec::new();
        self.nodes(region, last, &mut nodes);
        Region { nodes, yields: self.moves(results, region.yields) }
    }

    /// `last` says that nothing is left to run behind the region.
    fn nodes(&mut self, region: &'a ir::Region, last: bool, out: &mut Vec<Node>) {
        for (at, node) in region.nodes.iter().enumerate() {
            let last = last && at + 1 == region.nodes.len();
            match node {
                ir::Node::Inst(inst) => self.inst(inst, out),
                ir::Node::If(node) => {
                    let cond = self.row(node.cond, 0);
                    let results = self.define(&node.results);
                    let then = self.region(&node.then, last, results);
                    let otherwise = self.region(&node.otherwise, last, results);
                    out.push(Node::If(If { cond, then, otherwise, results: results.rows() }));
                }
                ir::Node::Switch(node) => {
                    let selector = self.row(node.selector, 0);
                    let results = self.define(&node.results);
                    let cases = node
                        .cases
                        .iter()
                        .map(|(numbers, region)| (numbers.clone(), self.region(region, last, results)))
                        .collect();
                    let default = self.region(&node.default, last, results);
                    out.push(Node::Switch(Switch { selector, cases, default, results: results.rows() }));
                }
                ir::Node::Block(node) => {
                    let results = self.define(&node.results);
                    let next = Run { first: ZERO, count: 0 };
                    self.open.push(Open { label: node.label, results, next, last });
                    let body = self.region(&node.body, last, results);
                    self.open.pop();
                    out.push(Node::Block(Block { body, results: results.rows() }));
                }
                ir::Node::Loop(node) => {
                    let params = self.define(&node.params);
                    let init = self.moves(params, node.init);
                    let next = self.take(params.count);
                    let results = self.define(&node.results);
                    self.open.push(Open { label: node.label, results, next, last });
                    let body = self.region(&node.body, false, next);
                    self.open.pop();
                    let next = (0..params.count)
                        .map(|i| Move { to: params.first + i, from: next.first + i })
                        .collect();
                    out.push(Node::Loop(Loop { init, body, next, results: results.rows() }));
                }
                ir::Node::Idiom(node) => {
                    self.nodes(&node.body, last, out);
                    let mut lanes = self.shader.args(node.body.yields).iter();
                    for &result in &node.results {
                        let Some(&arg) = lanes.next() else { break };
                        self.set(result, self.operand(arg).rows);
                    }
                }
                ir::Node::Leave { label, values } => {
                    if let Some(exit) = self.exit(*label, |open| open.results, *values) {
                        out.push(Node::Leave(exit));
                    }
                }
                ir::Node::Again { label, values } => {
                    if let Some(exit) = self.exit(*label, |open| open.next, *values) {
                        out.push(Node::Again(exit));
                    }
                }
            }
        }
    }

    fn exit(&self, label: Label, to: fn(&Open) -> Run, values: Args) -> Option<Exit> {
        let depth = self.open.iter().rposition(|open| open.label == label)?;
        let open = &self.open[depth];
        Some(Exit { depth, moves: self.moves(to(open), values), last: open.last })
    }

    fn inst(&mut self, inst: &ir::Inst, out: &mut Vec<Node>) {
        let args = self.shader.args(inst.args);
        match (inst.op, inst.result) {
            (op, _) if constant(self.shader, op) => {}
            (Op::Pure(_) | Op::Compose, None) => {}
            (Op::Compose, Some(result)) => {
                let mut lanes =
                    args.iter().flat_map(|&arg| (0..usize::from(arg.lanes)).map(move |lane| (arg, lane)));
                let rows = core::array::from_fn(|_| lanes.next().map_or(ZERO, |(arg, l)| self.row(arg, l)));
                self.set(result, rows);
            }
            // The bits of 32-bit numbers stay the same; a word holds nothing else.
            (Op::Pure(Pure::AsF32 | Pure::AsI32 | Pure::AsU32), Some(result)) => {
                if let Some(&arg) = args.first() {
                    self.set(result, self.operand(arg).rows);
                }
            }
            (Op::Pure(op), Some(result)) => {
                let mut types = [Type::F32; MAX_ARITY];
                // What is not there is any row that exists.
                let mut rows = [[ZERO; 4]; MAX_ARITY];
                for ((ty, rows), &arg) in types.iter_mut().zip(&mut rows).zip(args) {
                    *ty = Type::new(self.ty(arg.value).scalar, arg.lanes);
                    *rows = self.operand(arg).rows;
                }
                let reduced = if op.reduces() { types[0].lanes.clamp(1, 4) } else { 0 };
                out.push(Node::Pure(Calc {
                    op,
                    scalar: op.scalar(&types),
                    arith: inst.arith,
                    reduced,
                    out: ResultRows::of(self.define(&[result])),
                    args: rows,
                    plus: false,
                    shown: true,
                    part: 0,
                }));
            }
            (op, result) => {
                let args = args.iter().map(|&arg| self.operand(arg)).collect();
                let out_rows =
                    result.map_or(ResultRows::default(), |result| ResultRows::of(self.define(&[result])));
                out.push(Node::Inst(Inst { op, arith: inst.arith, step: inst.step, args, out: out_rows }));
            }
        }
    }
}
