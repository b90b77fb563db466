//! A shader as it is run: every lane of a value has its row, and whatever does not depend on a batch is looked up.
//!
//! Rows are given out in the order of definitions, so that a result stands behind all that it is computed from. What only
//! moves lanes ([`Op::Compose`], a change of type) takes no row and no time: its lanes are those of its arguments. The
//! body of an idiom stands where the idiom stood.

use super::memory::constant;
use crate::ir::op::{MAX_ARITY, constant_lane};
use crate::ir::{self, Arg, Args, Arith, Label, Op, Pure, Scalar, Shader, Type, Value};
use alloc::vec::Vec;

/// The row that is always zero.
const ZERO: u32 = 0;

/// The lanes of an argument, each of which is a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    /// The only lane of an argument of one lane stands for all four; others that it does not have are zero.
    pub(super) rows: [u32; 4],
    pub(super) lanes: u8,
    pub(super) scalar: Scalar,
}

/// Rows next to one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A row that gets what another one holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) to: u32,
    pub(super) from: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Pure(Calc),
    Inst(Inst),
    If(If),
    Switch(Switch),
    Block(Block),
    Loop(Loop),
    Leave(Exit),
    Again(Exit),
}

/// A pure operation.
#[derive(Clone, Debug)]
pub(super) struct Calc {
    pub(super) op: Pure,
    pub(super) scalar: Scalar,
    pub(super) arith: Arith,
    /// Lanes of the arguments of a reduction; 0 if it is none.
    pub(super) reduced: u8,
    pub(super) out: Run,
    pub(super) args: [[u32; 4]; MAX_ARITY],
}

/// Any other operation.
#[derive(Clone, Debug)]
pub(super) struct Inst {
    pub(super) op: Op,
    pub(super) arith: Arith,
    pub(super) step: u32,
    pub(super) args: Vec<Operand>,
    /// Where its result goes; nothing if it gives none.
    pub(super) out: Run,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    pub(super) nodes: Vec<Node>,
    pub(super) yields: Vec<Move>,
}

#[derive(Clone, Debug)]
pub(super) struct If {
    pub(super) cond: u32,
    pub(super) then: Region,
    pub(super) otherwise: Region,
    pub(super) results: Run,
}

#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) selector: u32,
    pub(super) cases: Vec<(Vec<u32>, Region)>,
    pub(super) default: Region,
    pub(super) results: Run,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) body: Region,
    pub(super) results: Run,
}

#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) init: Vec<Move>,
    /// Its yields go where those of [`Node::Again`] go: where parameters wait for the next round.
    pub(super) body: Region,
    pub(super) next: Vec<Move>,
    pub(super) results: Run,
}

/// A way out of a block or loop, or to its next round.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    /// The block or loop: how many others are open around it.
    pub(super) depth: usize,
    pub(super) moves: Vec<Move>,
    /// Whether nothing is left to run behind it.
    pub(super) last: bool,
}

/// What all invocations read alike, and only a batch says: an element of a parameter array, or a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    pub(super) op: Op,
    pub(super) out: Run,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) body: Region,
    /// Rows in all.
    pub(super) rows: u32,
    /// The bits of rows that hold the same for ever.
    pub(super) constants: Vec<(u32, u64)>,
    pub(super) uniforms: Vec<Uniform>,
    /// Whether lanes take 64 bits.
    pub(super) wide: bool,
}

impl Code {
    pub(super) fn new(shader: &Shader) -> Self {
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
            let out = self.define(&[result]);
            self.code.uniforms.push(Uniform { op: inst.op, out });
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
                    out.push(Node::If(If { cond, then, otherwise, results }));
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
                    out.push(Node::Switch(Switch { selector, cases, default, results }));
                }
                ir::Node::Block(node) => {
                    let results = self.define(&node.results);
                    let next = Run { first: ZERO, count: 0 };
                    self.open.push(Open { label: node.label, results, next, last });
                    let body = self.region(&node.body, last, results);
                    self.open.pop();
                    out.push(Node::Block(Block { body, results }));
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
                    out.push(Node::Loop(Loop { init, body, next, results }));
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
                    out: self.define(&[result]),
                    args: rows,
                }));
            }
            (op, result) => {
                let args = args.iter().map(|&arg| self.operand(arg)).collect();
                let out_rows = result.map_or(Run { first: ZERO, count: 0 }, |result| self.define(&[result]));
                out.push(Node::Inst(Inst { op, arith: inst.arith, step: inst.step, args, out: out_rows }));
            }
        }
    }
}
