//! Where it shows which NaN a result is.

use super::reach::reached;
use super::{Calc, Code, Move, Node, Region};
use alloc::vec::Vec;
use vecasm_ir::ir::op::Slot;
use vecasm_ir::ir::{Pure, Rule, Scalar};

impl Code {
    /// Finds the operations of f32 whose NaN nobody can tell from another one: it only goes into arithmetic and comparisons.
    pub(super) fn show(&mut self) {
        let mut shows = Shows { moved: Vec::new(), seen: Vec::new() };
        shows.region(&self.body);
        // Perhaps behind moves.
        let seen = reached(shows.seen, &shows.moved, self.rows);
        self.for_each_calc_mut(&mut |calc| {
            let rows = calc.out.rows();
            calc.shown = rows.iter().any(|row| seen.get(*row as usize).is_none_or(|seen| *seen));
        });
    }
}

struct Shows {
    /// A row, and one whose bits it may hold, but for the sign.
    moved: Vec<(u32, u32)>,
    /// Rows whose bits are looked at.
    seen: Vec<u32>,
}

impl Shows {
    fn region(&mut self, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Pure(calc) => self.calc(calc),
                Node::Inst(inst) => self.seen.extend(inst.args.iter().flat_map(|arg| arg.rows)),
                Node::If(node) => {
                    self.seen.push(node.cond);
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
                    self.moves(&node.next);
                    self.region(&node.body);
                }
                Node::Leave(exit) | Node::Again(exit) => self.moves(&exit.moves),
            }
        }
        self.moves(&region.yields);
    }

    fn moves(&mut self, moves: &[Move]) {
        self.moved.extend(moves.iter().map(|moved| (moved.to, moved.from)));
    }

    fn calc(&mut self, calc: &Calc) {
        let looks = looks_at_bits(calc);
        for (arg, slot) in calc.arg_rows().iter().zip(calc.op.slots()) {
            let float = match slot {
                Slot::T => calc.scalar == Scalar::F32,
                Slot::Is(scalar) => *scalar == Scalar::F32,
            };
            if looks || !(float || calc.op.moves()) {
                self.seen.extend(arg);
            } else if calc.op.moves() {
                self.moved.extend(calc.out.rows().iter().zip(arg).map(|(to, from)| (*to, *from)));
            }
        }
    }
}

/// Whether an operation does not treat all NaN alike, and is no mere move. The unit of nv20 computes with bits.
fn looks_at_bits(calc: &Calc) -> bool {
    let moves = calc.op.moves()
        && (matches!(calc.scalar, Scalar::F32 | Scalar::F64) || !matches!(calc.op, Pure::Neg | Pure::Abs));
    calc.arith.rule == Rule::Nv20 || matches!(calc.op, Pure::ToHalf) || calc.scalar != Scalar::F32 && !moves
}
