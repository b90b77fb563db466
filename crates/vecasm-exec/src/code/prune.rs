//! Code without rows that nobody needs.

use super::reach::reached;
use super::{Block, Operand};
use super::{Calc, Code, Exit, If, Inst, Loop, Move, Node, Region, ResultRows, Switch, Uniform};
use alloc::vec::Vec;
use vecasm_ir::ir::Op;

impl Code {
    /// The same without [marks](Op::Mark), and without what nothing depends on that can be seen then: whole operations, lanes of
    /// pure ones, and the rows themselves. Operations are told where NaN does not [show](Calc::shown). It runs the same invocations
    /// through the same loops.
    #[must_use]
    pub fn pruned(&self) -> Self {
        let mut needs = RowSources { edges: Vec::new(), roots: Vec::new() };
        needs.region(&self.body);
        // Row 0 is always there.
        needs.roots.push(0);
        let needed = reached(needs.roots, &needs.edges, self.rows);
        let mut next = 0;
        let numbers = needed
            .iter()
            .map(|needed| {
                next += u32::from(*needed);
                needed.then(|| next - 1)
            })
            .collect();
        let renumber = Renumber { numbers };
        let mut pruned = Self {
            body: renumber.region(&self.body),
            rows: next,
            constants: self
                .constants
                .iter()
                .filter_map(|&(row, bits)| Some((renumber.row(row)?, bits)))
                .collect(),
            uniforms: self
                .uniforms
                .iter()
                .filter_map(|uniform| Some(Uniform { row: renumber.row(uniform.row)?, ..*uniform }))
                .collect(),
            wide: self.wide,
            fixed: 0,
            kept: false,
        };
        pruned.show();
        pruned
    }
}

/// Which rows are made of which.
struct RowSources {
    /// A row, and one that it is made of.
    edges: Vec<(u32, u32)>,
    /// Rows that can be seen.
    roots: Vec<u32>,
}

impl RowSources {
    fn region(&mut self, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Pure(calc) => self.calc(calc),
                Node::Inst(inst) => self.inst(inst),
                Node::If(node) => {
                    self.roots.push(node.cond);
                    self.region(&node.then);
                    self.region(&node.otherwise);
                }
                Node::Switch(node) => {
                    self.roots.push(node.selector);
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

    fn calc(&mut self, calc: &Calc) {
        for (lane, &out) in calc.out.rows().iter().enumerate() {
            for arg in calc.arg_rows() {
                let of = if calc.reduced == 0 { lane..lane + 1 } else { 0..usize::from(calc.reduced) };
                self.edges.extend(arg.get(of).unwrap_or(&[]).iter().map(|&from| (out, from)));
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let given = inst.args.iter().flat_map(|arg| arg.rows);
        if matches!(inst.op, Op::Mark(_)) {
        } else if stays(inst) {
            self.roots.extend(given.chain(inst.out.rows().iter().copied()));
        } else if let Some((&first, others)) = inst.out.rows().split_first() {
            // An operation gives all of its lanes.
            self.edges.extend(given.map(|from| (first, from)));
            for &other in others {
                self.edges.extend([(first, other), (other, first)]);
            }
        }
    }

    fn moves(&mut self, moves: &[Move]) {
        self.edges.extend(moves.iter().map(|moved| (moved.to, moved.from)));
    }
}

/// Whether an operation does something beside its result.
fn stays(inst: &Inst) -> bool {
    inst.out.rows().is_empty() || !inst.op.is_pure()
}

/// Gives rows other numbers, or none: what is computed into a row without number is left out.
pub(super) struct Renumber {
    pub(super) numbers: Vec<Option<u32>>,
}

impl Renumber {
    pub(super) fn row(&self, row: u32) -> Option<u32> {
        self.numbers.get(row as usize).copied().flatten()
    }

    /// A row that is read. What nobody needs is zero.
    fn read(&self, row: u32) -> u32 {
        self.row(row).unwrap_or(0)
    }

    /// All rows of a result, or nothing.
    pub(super) fn all_rows(&self, out: ResultRows) -> Option<ResultRows> {
        let mut rows = out.rows;
        for row in rows.iter_mut().take(out.rows().len()) {
            *row = self.row(*row)?;
        }
        Some(ResultRows { rows, lanes: out.lanes })
    }

    fn list(&self, rows: &[u32]) -> Vec<u32> {
        rows.iter().filter_map(|&row| self.row(row)).collect()
    }

    fn moves(&self, moves: &[Move]) -> Vec<Move> {
        moves
            .iter()
            .filter_map(|&Move { to, from }| Some(Move { to: self.row(to)?, from: self.read(from) }))
            .collect()
    }

    pub(super) fn region(&self, region: &Region) -> Region {
        let nodes = region.nodes.iter().filter_map(|node| self.node(node)).collect();
        Region { nodes, yields: self.moves(&region.yields) }
    }

    fn node(&self, node: &Node) -> Option<Node> {
        Some(match node {
            Node::Pure(calc) => Node::Pure(self.calc(calc)?),
            Node::Inst(inst) => Node::Inst(self.inst(inst)?),
            Node::If(node) => Node::If(If {
                cond: self.read(node.cond),
                then: self.region(&node.then),
                otherwise: self.region(&node.otherwise),
                results: self.list(&node.results),
            }),
            Node::Switch(node) => Node::Switch(Switch {
                selector: self.read(node.selector),
                cases: node
                    .cases
                    .iter()
                    .map(|(numbers, region)| (numbers.clone(), self.region(region)))
                    .collect(),
                default: self.region(&node.default),
                results: self.list(&node.results),
            }),
            Node::Block(node) => {
                Node::Block(Block { body: self.region(&node.body), results: self.list(&node.results) })
            }
            Node::Loop(node) => Node::Loop(Loop {
                init: self.moves(&node.init),
                body: self.region(&node.body),
                next: self.moves(&node.next),
                results: self.list(&node.results),
            }),
            Node::Leave(exit) => Node::Leave(self.exit(exit)),
            Node::Again(exit) => Node::Again(self.exit(exit)),
        })
    }

    fn exit(&self, exit: &Exit) -> Exit {
        Exit { moves: self.moves(&exit.moves), ..*exit }
    }

    /// The operation in the lanes whose results have numbers.
    fn calc(&self, calc: &Calc) -> Option<Calc> {
        let mut new = Calc { out: ResultRows::default(), args: [[0; 4]; 4], ..*calc };
        let args = calc.arg_rows().iter().zip(&mut new.args);
        if calc.reduced > 0 {
            new.out = self.all_rows(calc.out)?;
            args.for_each(|(from, to)| *to = from.map(|row| self.read(row)));
            return Some(new);
        }
        let mut args: Vec<_> = args.collect();
        for (lane, &row) in calc.out.rows().iter().enumerate() {
            let Some(row) = self.row(row) else { continue };
            let at = usize::from(new.out.lanes);
            new.out.rows[at] = row;
            new.out.lanes += 1;
            for (from, to) in &mut args {
                to[at] = self.read(from[lane]);
            }
        }
        (new.out.lanes > 0).then_some(new)
    }

    fn inst(&self, inst: &Inst) -> Option<Inst> {
        if matches!(inst.op, Op::Mark(_)) {
            return None;
        }
        let out = self.all_rows(inst.out)?;
        let args = inst.args.iter().map(|arg| Operand { rows: arg.rows.map(|row| self.read(row)), ..*arg });
        Some(Inst { args: args.collect(), out, ..*inst })
    }
}
