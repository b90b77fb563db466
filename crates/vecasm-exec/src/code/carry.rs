//! What loops carry, written where it is read.

use super::{Code, Loop, Move, Node, Region};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

impl Code {
    /// The same with the yields of loops written to the parameters at once, where nothing else begins a round: then all
    /// invocations that go round do so at the same time, and nobody reads the parameters before the next one. The rows in which
    /// they would wait are left out of it. To be done once rows are [pruned](Self::pruned).
    #[must_use]
    pub fn carried(mut self) -> Self {
        carry(&mut self.body, &mut Vec::new());
        self
    }
}

/// `open` tells of each block and loop around whether a round begins from the midst of it.
fn carry(region: &mut Region, open: &mut Vec<bool>) {
    for node in &mut region.nodes {
        match node {
            Node::Again(exit) => {
                if let Some(again) = open.get_mut(exit.depth) {
                    *again = true;
                }
            }
            Node::Block(node) => {
                open.push(false);
                carry(&mut node.body, open);
                open.pop();
            }
            Node::Loop(node) => {
                open.push(false);
                carry(&mut node.body, open);
                if open.pop() == Some(false) {
                    if let Some(moves) = at_once(node) {
                        node.body.yields = moves;
                        node.next.clear();
                    }
                }
            }
            of => super::pair::each_region_mut(of, &mut |region| carry(region, open)),
        }
    }
}

/// The moves from what a round yields to the parameters, in an order in which none is written before it is read; nothing, if
/// there is no such order.
fn at_once(node: &Loop) -> Option<Vec<Move>> {
    let waiting: BTreeMap<u32, u32> = node.next.iter().map(|moved| (moved.from, moved.to)).collect();
    let moves = node.body.yields.iter().map(|moved| Some(Move { to: *waiting.get(&moved.to)?, ..*moved }));
    let moves: Option<Vec<Move>> = moves.collect();
    let moves: Vec<Move> = moves.filter(|moves| moves.len() == node.next.len())?;
    // What stays as it is needs no move.
    let moves: Vec<Move> = moves.into_iter().filter(|moved| moved.to != moved.from).collect();
    // How many moves read each parameter.
    let mut readers: BTreeMap<u32, usize> = BTreeMap::new();
    for moved in &moves {
        *readers.entry(moved.from).or_default() += 1;
    }
    let by_parameter: BTreeMap<u32, Move> = moves.iter().map(|moved| (moved.to, *moved)).collect();
    let mut ready: Vec<Move> =
        by_parameter.values().filter(|moved| !readers.contains_key(&moved.to)).copied().collect();
    let mut order = Vec::with_capacity(moves.len());
    while let Some(moved) = ready.pop() {
        order.push(moved);
        if let Some(left) = readers.get_mut(&moved.from) {
            *left -= 1;
            if *left == 0 {
                ready.extend(by_parameter.get(&moved.from));
            }
        }
    }
    (order.len() == moves.len()).then_some(order)
}
