//! Flow: regions and the constructs that own them.

use super::bank::Bank;
use super::mask::Mask;
use super::pack::{Frame, Pack};
use super::watch::Absence;
use crate::code::{Block, Exit, If, Loop, Move, Node, Region, Switch};
use vecasm_ir::ir::op::Word;

impl<'a, W: Word, B: Bank<W>, const N: usize> Pack<'a, W, B, N> {
    /// Runs a region for the invocations of `mask`, and says which of them reach its end.
    pub(super) fn region(&mut self, region: &'a Region, mut mask: Mask<N>) -> Mask<N> {
        let mut nodes = &region.nodes[..];
        while let Some((node, rest)) = nodes.split_first() {
            if mask.is_empty() {
                break;
            }
            if let Node::Pure(_) = node {
                nodes = self.bank.calc(nodes, self.n);
                continue;
            }
            nodes = rest;
            match node {
                Node::Pure(_) => {}
                Node::Inst(inst) => self.inst(inst, mask),
                Node::If(node) => mask = self.branch(node, mask),
                Node::Block(node) => mask = self.block(node, mask),
                Node::Loop(node) => mask = self.cycle(node, mask),
                Node::Switch(node) => mask = self.switch(node, mask),
                Node::Leave(exit) => {
                    self.leave(exit, mask);
                    mask = Mask::NONE;
                }
                Node::Again(exit) => {
                    self.again(exit.depth, &exit.moves, mask);
                    mask = Mask::NONE;
                }
            }
        }
        mask
    }

    fn branch(&mut self, node: &'a If, mask: Mask<N>) -> Mask<N> {
        let holds = self.bank.truth(node.cond);
        self.zero(&node.results);
        let then = self.arm(&node.then, mask, holds);
        let otherwise = Mask::below(self.n).without(&holds);
        then | self.arm(&node.otherwise, mask, otherwise)
    }

    #[inline(never)]
    fn switch(&mut self, node: &'a Switch, mask: Mask<N>) -> Mask<N> {
        let mut rest = Mask::below(self.n);
        let mut reached = Mask::NONE;
        self.zero(&node.results);
        for (numbers, region) in &node.cases {
            let mut here = Mask::NONE;
            for (i, selector) in self.row_at(node.selector).iter().enumerate() {
                if numbers.contains(&selector.low()) {
                    here.add(i);
                }
            }
            let here = here & rest;
            rest = rest.without(&here);
            reached |= self.arm(region, mask, here);
        }
        reached | self.arm(&node.default, mask, rest)
    }

    /// Runs one of several regions for the invocations of `mask` that take this way. All invocations that take it,
    /// active or not, get its yields, if one of their group reaches its end.
    fn arm(&mut self, region: &'a Region, mask: Mask<N>, way: Mask<N>) -> Mask<N> {
        let active = mask & way;
        if active.is_empty() {
            return active;
        }
        if let Some(watched) = &mut self.watched {
            watched.arms.push((mask.without(&way), watched.step));
        }
        let reached = self.region(region, active);
        if let Some(watched) = &mut self.watched {
            watched.arms.pop();
        }
        self.yields(region, way & self.groups(reached));
        reached
    }

    #[inline(never)]
    fn block(&mut self, node: &'a Block, mask: Mask<N>) -> Mask<N> {
        self.enter(&node.results);
        let reached = self.region(&node.body, mask);
        let left = self.exit();
        self.yields(&node.body, self.groups(reached).without(&left));
        reached | left
    }

    #[inline(never)]
    fn cycle(&mut self, node: &'a Loop, mut mask: Mask<N>) -> Mask<N> {
        self.moves(&node.init, Mask::below(self.n));
        self.enter(&node.results);
        let depth = self.frames.len() - 1;
        while !mask.is_empty() {
            let reached = self.region(&node.body, mask);
            if !reached.is_empty() {
                self.again(depth, &node.body.yields, reached);
            }
            mask = Mask::NONE;
            if let Some(frame) = self.frames.last_mut() {
                core::mem::swap(&mut mask, &mut frame.again);
            }
            self.moves(&node.next, mask);
            self.gone(mask, |_| None);
            mask = self.burn(mask);
        }
        self.exit()
    }

    /// Takes one unit of fuel from each invocation of `mask`, and says which of them had one.
    fn burn(&mut self, mask: Mask<N>) -> Mask<N> {
        let empty = self.fuel.burn(mask);
        if empty.is_empty() {
            return mask;
        }
        self.exhausted |= empty;
        self.ended |= empty;
        self.gone(empty, |step| Some(Absence::Exhausted(step)));
        mask.without(&empty)
    }

    /// Opens a block or loop.
    fn enter(&mut self, results: &[u32]) {
        self.zero(results);
        self.frames.push(Frame { left: Mask::NONE, again: Mask::NONE });
    }

    /// Closes the innermost frame, and says which invocations left it.
    fn exit(&mut self) -> Mask<N> {
        let left = self.frames.pop().map_or(Mask::NONE, |frame| frame.left);
        self.gone(left, |_| None);
        left
    }

    fn leave(&mut self, exit: &Exit, mask: Mask<N>) {
        self.gone(mask, |step| Some(Absence::Left(step)));
        let Some(frame) = self.frames.get_mut(exit.depth) else { return };
        frame.left |= mask;
        if exit.last {
            self.ended |= mask;
        }
        // No node inside the region sees its results, so they can be written at once.
        self.moves(&exit.moves, mask);
    }

    fn again(&mut self, depth: usize, moves: &[Move], mask: Mask<N>) {
        let Some(frame) = self.frames.get_mut(depth) else { return };
        frame.again |= mask;
        // The parameters may be read until the round is over, by the other invocations and by the values themselves: the
        // new ones wait.
        self.moves(moves, mask);
        self.gone(mask, |step| Some(Absence::Left(step)));
    }

    /// Gives the yields of a region to the invocations of `mask`.
    fn yields(&mut self, region: &Region, mask: Mask<N>) {
        if !mask.is_empty() {
            self.moves(&region.yields, mask);
        }
    }

    /// Notes, in a watched run, why invocations are away from now on; the last step is given.
    fn gone(&mut self, mask: Mask<N>, why: impl Fn(u32) -> Option<Absence>) {
        if let Some(watched) = &mut self.watched {
            watched.set_gone(mask, why(watched.step));
        }
    }
}
