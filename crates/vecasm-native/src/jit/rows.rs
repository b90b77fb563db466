//! What is known of the rows of a shader before code is chosen: which hold bools, and where a NaN has to be made canonical.
//!
//! The interpreter makes the NaN of each operation canonical. The machine's are not, but no arithmetic and no comparison sees
//! the difference: so it is enough to do it where bits become visible, which is in stores, in operations on bits, and, because
//! they keep all bits, in what only moves values on the way there.

use vecasm_exec::code::{Calc, Code, Inst, Move, Node, Region};
use vecasm_ir::ir::op::Slot;
use vecasm_ir::ir::{Op, Pure, Rule, Scalar};
use vecasm_ir::math::CANONICAL_NAN;

/// What the NaN of a row look like where it is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bits {
    /// None but canonical ones.
    Canonical,
    /// They stand for canonical ones.
    Loose,
    /// As they are: their bits are a value.
    Exact,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Facts {
    /// Rows that hold bools.
    pub(super) bools: Vec<bool>,
    /// Rows whose bits can be seen.
    pub(super) visible: Vec<bool>,
    pub(super) bits: Vec<Bits>,
}

/// Lists of successors of rows, in one array.
struct Edges {
    first: Vec<u32>,
    list: Vec<(u32, u32)>,
}

impl Edges {
    fn new(rows: usize) -> Self {
        Self { first: vec![u32::MAX; rows], list: Vec::new() }
    }

    fn add(&mut self, from: u32, to: u32) {
        if let Some(first) = self.first.get_mut(from as usize) {
            self.list.push((to, *first));
            *first = self.list.len() as u32 - 1;
        }
    }

    fn of(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.first.get(row as usize).copied().unwrap_or(u32::MAX);
        std::iter::from_fn(move || {
            let &(to, next) = self.list.get(at as usize)?;
            at = next;
            Some(to)
        })
    }

    /// Rows that can be reached.
    fn reach(&self, mut from: Vec<u32>, marks: &mut [bool]) {
        from.iter().for_each(|&row| marks[row as usize] = true);
        while let Some(row) = from.pop() {
            for to in self.of(row) {
                if !std::mem::replace(&mut marks[to as usize], true) {
                    from.push(to);
                }
            }
        }
    }
}

struct Collector {
    constant: Vec<bool>,
    /// Both ways between rows that hold the same type.
    alike: Edges,
    bools: Vec<u32>,
    /// From a row to those that it is made of, bit by bit.
    sources: Edges,
    /// From a row to those that get its bits as they are.
    moved: Edges,
    seen: Vec<u32>,
    loose: Vec<u32>,
    exact: Vec<u32>,
}

/// Whether an operation sees which NaN an argument is that stands at that place of its signature.
pub(super) fn sees_bits(calc: &Calc, slot: Slot) -> bool {
    use Pure::{Add, Dot, Exp2, Exp2Floor, Mul, Rcc, Rcp, Rsq, Sub, Sum};
    let takes_one = matches!(calc.op, Add | Dot | Exp2 | Exp2Floor | Mul | Rcc | Rcp | Rsq | Sub | Sum);
    let integer = matches!(slot, Slot::Is(Scalar::I32 | Scalar::U32));
    integer || calc.scalar != Scalar::F32 || calc.op.moves() || calc.arith.rule == Rule::Nv20 && !takes_one
}

/// Whether an operation computes on f32, so that it gives a NaN of any bits.
fn computes(calc: &Calc) -> bool {
    calc.scalar == Scalar::F32 && calc.arith.rule != Rule::Nv20 && !calc.op.moves()
}

impl Facts {
    pub(super) fn of(code: &Code) -> Self {
        let rows = code.rows as usize;
        let mut collector = Collector {
            constant: vec![false; rows],
            alike: Edges::new(rows),
            bools: Vec::new(),
            sources: Edges::new(rows),
            moved: Edges::new(rows),
            seen: Vec::new(),
            loose: Vec::new(),
            exact: Vec::new(),
        };
        for &(row, bits) in &code.constants {
            collector.constant[row as usize] = true;
            let bits = bits as u32;
            if f32::from_bits(bits).is_nan() && bits != CANONICAL_NAN {
                collector.exact.push(row);
            }
        }
        for uniform in &code.uniforms {
            collector.exact.push(uniform.row);
        }
        collector.region(&code.body);
        let mut bools = vec![false; rows];
        collector.alike.reach(collector.bools, &mut bools);
        let mut visible = vec![false; rows];
        collector.sources.reach(collector.seen, &mut visible);
        let (mut loose, mut exact) = (vec![false; rows], vec![false; rows]);
        collector.moved.reach(collector.exact, &mut exact);
        collector.moved.reach(collector.loose, &mut loose);
        let bits = loose.iter().zip(&exact).map(|(&loose, &exact)| match (exact, loose) {
            (true, _) => Bits::Exact,
            (_, true) => Bits::Loose,
            _ => Bits::Canonical,
        });
        Self { bits: bits.collect(), bools, visible }
    }
}

impl Collector {
    fn moves(&mut self, moves: &[Move]) {
        for moved in moves {
            self.moved(moved.to, moved.from);
        }
    }

    fn moved(&mut self, to: u32, from: u32) {
        self.sources.add(to, from);
        self.moved.add(from, to);
        // A constant may stand for several types.
        if !self.constant.get(from as usize).copied().unwrap_or(true) {
            self.alike.add(to, from);
            self.alike.add(from, to);
        }
    }

    fn bool(&mut self, row: u32) {
        if !self.constant.get(row as usize).copied().unwrap_or(true) {
            self.bools.push(row);
        }
    }

    fn region(&mut self, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Pure(calc) => self.calc(calc),
                Node::Inst(inst) => self.inst(inst),
                Node::If(node) => {
                    self.bool(node.cond);
                    self.region(&node.then);
                    self.region(&node.otherwise);
                }
                Node::Switch(node) => {
                    self.seen.push(node.selector);
                    node.cases.iter().for_each(|(_, region)| self.region(region));
                    self.region(&node.default);
                }
                Node::Block(node) => self.region(&node.body),
                Node::Loop(node) => {
                    self.moves(&node.init);
                    self.region(&node.body);
                    self.moves(&node.next);
                }
                Node::Leave(exit) | Node::Again(exit) => self.moves(&exit.moves),
            }
        }
        self.moves(&region.yields);
    }

    fn calc(&mut self, calc: &Calc) {
        let lanes = match calc.reduced {
            0 => calc.out.rows().len(),
            lanes => usize::from(lanes),
        };
        let is_bool =
            |slot: Slot| slot == Slot::Is(Scalar::Bool) || slot == Slot::T && calc.scalar == Scalar::Bool;
        let computes = computes(calc);
        for (at, (slot, rows)) in calc.op.slots().iter().zip(&calc.args).enumerate() {
            for (lane, &row) in rows.iter().enumerate().take(lanes) {
                if is_bool(*slot) {
                    self.bool(row);
                } else if calc.op == Pure::Select && at > 0 {
                    if let Some(&to) = calc.out.rows().get(lane) {
                        self.moved(to, row);
                    }
                } else if matches!(calc.op, Pure::Neg | Pure::Abs) && calc.scalar == Scalar::F32 {
                    if let Some(&to) = calc.out.rows().get(lane) {
                        self.sources.add(to, row);
                    }
                } else if sees_bits(calc, *slot) && calc.op != Pure::ToHalf {
                    self.seen.push(row);
                }
            }
        }
        for &row in calc.out.rows() {
            let float = matches!(calc.op.result(), Slot::T | Slot::Is(Scalar::F32));
            if is_bool(calc.op.result()) {
                self.bool(row);
            } else if computes && float {
                self.loose.push(row);
            } else if calc.op != Pure::Select {
                self.exact.push(row);
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        for arg in &inst.args {
            for &row in arg.rows.iter().take(usize::from(arg.lanes)) {
                if arg.scalar == Scalar::Bool {
                    self.bool(row);
                } else if !matches!(inst.op, Op::Ddx(_) | Op::Ddy(_)) || inst.arith.rule == Rule::Nv20 {
                    self.seen.push(row);
                }
            }
        }
        if matches!(inst.op, Op::IsHelper | Op::Vote(_)) {
            inst.out.rows().iter().for_each(|&row| self.bool(row));
        }
        if matches!(inst.op, Op::Ddx(_) | Op::Ddy(_)) && inst.arith.rule != Rule::Nv20 {
            self.loose.extend(inst.out.rows());
        } else {
            self.exact.extend(inst.out.rows());
        }
    }
}
