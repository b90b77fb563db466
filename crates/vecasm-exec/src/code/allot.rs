//! Rows that share a place, because they are not needed at the same time.

use super::prune::Renumber;
use super::{Code, Inst, Move, Node, Region, Uniform};
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use vecasm_ir::ir::Op;
use vecasm_ir::ir::op::Place;

impl Code {
    /// The same in as few rows as are alive at once. A row that is written is none of those that the same operation
    /// reads; constants and uniforms keep their rows for themselves, and these come first: [`fixed`](Self::fixed). What is stored
    /// to outputs [stays](Self::kept) where that spares cells. Not for code with [marks](vecasm_ir::ir::Op::Mark) that are to be
    /// watched.
    #[must_use]
    pub fn allotted(&self) -> Self {
        let mut lives =
            Lives { of: vec![None; self.rows as usize], at: 0, loops: Vec::new(), ends: Vec::new() };
        lives.region(&self.body);
        let Lives { mut of, at, loops, ends } = lives;
        for (row, number) in loops {
            if let (Some(Some(life)), Some(&end)) = (of.get_mut(row as usize), ends.get(number)) {
                life.1 = life.1.max(end);
            }
        }
        let kept = only_stored(&self.body);
        for node in self.body.nodes.iter().filter(|_| kept) {
            let Node::Inst(Inst { op: Op::StoreOutput { .. }, args, .. }) = node else { continue };
            for row in args.iter().flat_map(|arg| arg.rows) {
                if let Some(Some(life)) = of.get_mut(row as usize) {
                    life.1 = at + 1;
                }
            }
        }
        // Nothing else is there before the first node.
        let fixed = self.constants.iter().map(|(row, _)| *row);
        let fixed = fixed.chain(self.uniforms.iter().map(|uniform| uniform.row));
        for row in fixed {
            if let Some(life) = of.get_mut(row as usize) {
                *life = Some((0, at + 1));
            }
        }
        let fixed = of.iter().flatten().filter(|life| life.0 == 0).count() as u32;
        let (numbers, rows) = places(&of);
        let renumber = Renumber { numbers };
        Self {
            body: renumber.region(&self.body),
            rows,
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
            fixed,
            kept,
        }
    }
}

/// Whether the only thing that is done with outputs is to store to them in the region itself, and nothing else is done that
/// depends on what was stored or on who stores.
fn only_stored(region: &Region) -> bool {
    fn no_other(region: &Region, here: bool) -> bool {
        region.nodes.iter().all(|node| match node {
            Node::Pure(_) | Node::Leave(_) | Node::Again(_) => true,
            Node::Inst(inst) => match inst.op {
                Op::StoreOutput { .. } => here,
                Op::EmitVertex { .. } | Op::EndPrimitive { .. } => false,
                op => !matches!(op.place(), Some(Place::Output(_))),
            },
            Node::If(node) => no_other(&node.then, false) && no_other(&node.otherwise, false),
            Node::Switch(node) => {
                node.cases.iter().all(|(_, region)| no_other(region, false)) && no_other(&node.default, false)
            }
            Node::Block(node) => no_other(&node.body, false),
            Node::Loop(node) => no_other(&node.body, false),
        })
    }
    no_other(region, true)
}

/// Places for lives, so that no two that touch have the same; row 0 stays. Gives the number of places, too.
fn places(lives: &[Option<(u32, u32)>]) -> (Vec<Option<u32>>, u32) {
    let mut order: Vec<(u32, u32, usize)> = Vec::with_capacity(lives.len());
    order.extend(lives.iter().enumerate().filter_map(|(row, life)| life.map(|(from, to)| (from, to, row))));
    // Among those of one time, row 0 is the first.
    order.sort_unstable_by_key(|&(from, _, row)| (from, row));
    let mut numbers = vec![None; lives.len()];
    let mut taken: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut free: Vec<u32> = Vec::new();
    let mut places = 0;
    for (from, to, row) in order {
        while let Some(&Reverse((end, place))) = taken.peek() {
            if end >= from {
                break;
            }
            taken.pop();
            free.push(place);
        }
        let place = free.pop().unwrap_or_else(|| {
            places += 1;
            places - 1
        });
        taken.push(Reverse((to, place)));
        numbers[row] = Some(place);
    }
    (numbers, places)
}

/// When rows are first and last written or read.
struct Lives {
    of: Vec<Option<(u32, u32)>>,
    at: u32,
    /// Rows that live until the end of a loop, by its number.
    loops: Vec<(u32, usize)>,
    /// The ends of loops, by number; of an open one, its start.
    ends: Vec<u32>,
}

impl Lives {
    fn touch(&mut self, row: u32, open: &[usize]) {
        let at = self.at;
        let Some(life) = self.of.get_mut(row as usize) else { return };
        let (first, last) = life.get_or_insert((at, at));
        *last = at;
        // What was there before a loop is there in each of its rounds.
        let (first, ends) = (*first, &self.ends);
        if let Some(&number) =
            open.iter().find(|number| ends.get(**number).is_some_and(|start| first < *start))
        {
            self.loops.push((row, number));
        }
    }

    fn all(&mut self, rows: impl IntoIterator<Item = u32>, open: &[usize]) {
        rows.into_iter().for_each(|row| self.touch(row, open));
    }

    fn moves(&mut self, moves: &[Move], open: &[usize]) {
        for moved in moves {
            self.touch(moved.from, open);
            self.touch(moved.to, open);
        }
    }

    fn region(&mut self, region: &Region) {
        self.inside(region, &mut Vec::new());
    }

    fn inside(&mut self, region: &Region, open: &mut Vec<usize>) {
        for node in &region.nodes {
            self.at += 1;
            match node {
                Node::Pure(calc) => {
                    self.all(calc.arg_rows().iter().flatten().copied(), open);
                    self.all(calc.out.rows().iter().copied(), open);
                }
                Node::Inst(inst) => {
                    self.all(inst.args.iter().flat_map(|arg| arg.rows), open);
                    self.all(inst.out.rows().iter().copied(), open);
                }
                Node::If(node) => {
                    self.touch(node.cond, open);
                    self.all(node.results.iter().copied(), open);
                    self.inside(&node.then, open);
                    self.inside(&node.otherwise, open);
                    self.all(node.results.iter().copied(), open);
                }
                Node::Switch(node) => {
                    self.touch(node.selector, open);
                    self.all(node.results.iter().copied(), open);
                    for (_, region) in &node.cases {
                        self.inside(region, open);
                        // It is looked at before each case.
                        self.touch(node.selector, open);
                    }
                    self.inside(&node.default, open);
                    self.all(node.results.iter().copied(), open);
                }
                Node::Block(node) => {
                    self.all(node.results.iter().copied(), open);
                    self.inside(&node.body, open);
                    self.all(node.results.iter().copied(), open);
                }
                Node::Loop(node) => {
                    // Parameters, what waits to become them, and results are there from the start to the end.
                    self.moves(&node.init, open);
                    self.moves(&node.next, open);
                    self.all(node.results.iter().copied(), open);
                    self.at += 1;
                    open.push(self.ends.len());
                    self.ends.push(self.at);
                    self.inside(&node.body, open);
                    self.at += 1;
                    let number = open.pop();
                    if let Some(end) = number.and_then(|number| self.ends.get_mut(number)) {
                        *end = self.at;
                    }
                    self.moves(&node.next, open);
                    self.all(node.results.iter().copied(), open);
                }
                Node::Leave(exit) | Node::Again(exit) => self.moves(&exit.moves, open),
            }
        }
        self.at += 1;
        self.moves(&region.yields, open);
    }
}
