//! Flow: regions and the constructs that own them.

use super::mask::Mask;
use super::pack::{Frame, Pack};
use super::watch::Absence;
use crate::ir::op::Word;
use crate::ir::{Args, Block, Idiom, If, Label, Loop, Node, Region, Switch, Value};

impl<'a, W: Word, const N: usize> Pack<'a, W, N> {
    /// Runs a region for the invocations of `mask`, and says which of them reach its end. `last` says that nothing is
    /// left to run behind the region.
    pub(super) fn region(&mut self, region: &'a Region, mut mask: Mask<N>, last: bool) -> Mask<N> {
        for (at, node) in region.nodes.iter().enumerate() {
            if mask.is_empty() {
                break;
            }
            let last = last && at + 1 == region.nodes.len();
            match node {
                Node::Inst(inst) => self.inst(inst, mask),
                Node::If(node) => mask = self.branch(node, mask, last),
                Node::Block(node) => mask = self.block(node, mask, last),
                Node::Loop(node) => mask = self.cycle(node, mask, last),
                Node::Switch(node) => mask = self.switch(node, mask, last),
                Node::Idiom(node) => mask = self.idiom(node, mask, last),
                Node::Leave { label, values } => {
                    self.leave(*label, *values, mask);
                    mask = Mask::NONE;
                }
                Node::Again { label, values } => {
                    self.again(*label, *values, mask);
                    mask = Mask::NONE;
                }
            }
        }
        mask
    }

    #[inline(never)]
    fn branch(&mut self, node: &'a If, mask: Mask<N>, last: bool) -> Mask<N> {
        let holds = Mask::of_true(self.row(node.cond, 0));
        self.zero(&node.results);
        let then = self.arm(&node.then, &node.results, mask, holds, last);
        let otherwise = Mask::below(self.n).without(&holds);
        then | self.arm(&node.otherwise, &node.results, mask, otherwise, last)
    }

    #[inline(never)]
    fn switch(&mut self, node: &'a Switch, mask: Mask<N>, last: bool) -> Mask<N> {
        let mut rest = Mask::below(self.n);
        let mut reached = Mask::NONE;
        self.zero(&node.results);
        for (numbers, region) in &node.cases {
            let mut here = Mask::NONE;
            for (i, selector) in self.row(node.selector, 0).iter().enumerate() {
                if numbers.contains(&selector.low()) {
                    here.add(i);
                }
            }
            let here = here & rest;
            rest = rest.without(&here);
            reached |= self.arm(region, &node.results, mask, here, last);
        }
        reached | self.arm(&node.default, &node.results, mask, rest, last)
    }

    /// Runs one of several regions for the invocations of `mask` that take this way. All invocations that take it,
    /// active or not, get its yields.
    fn arm(
        &mut self,
        region: &'a Region,
        results: &'a [Value],
        mask: Mask<N>,
        way: Mask<N>,
        last: bool,
    ) -> Mask<N> {
        if let Some(watched) = &mut self.watched {
            watched.arms.push((mask.without(&way), watched.step));
        }
        let reached = self.region(region, mask & way, last);
        if let Some(watched) = &mut self.watched {
            watched.arms.pop();
        }
        self.yields(results, region, way & self.groups(reached));
        reached
    }

    fn idiom(&mut self, node: &'a Idiom, mask: Mask<N>, last: bool) -> Mask<N> {
        self.zero(&node.results);
        let reached = self.region(&node.body, mask, last);
        self.yields(&node.results, &node.body, self.groups(reached));
        reached
    }

    #[inline(never)]
    fn block(&mut self, node: &'a Block, mask: Mask<N>, last: bool) -> Mask<N> {
        self.zero(&node.results);
        self.enter(node.label, &node.results, last);
        let reached = self.region(&node.body, mask, last);
        let left = self.exit();
        self.gone(left, |_| None);
        self.yields(&node.results, &node.body, self.groups(reached).without(&left));
        reached | left
    }

    #[inline(never)]
    fn cycle(&mut self, node: &'a Loop, mut mask: Mask<N>, last: bool) -> Mask<N> {
        let all = Mask::below(self.n);
        for (&param, &arg) in node.params.iter().zip(self.args(node.init)) {
            self.copy(param, arg, all);
        }
        self.zero(&node.results);
        self.enter(node.label, &node.results, last);
        while !mask.is_empty() {
            let reached = self.region(&node.body, mask, false);
            if !reached.is_empty() {
                self.again(node.label, node.body.yields, reached);
            }
            mask = Mask::NONE;
            if let Some(frame) = self.frames.last_mut() {
                core::mem::swap(&mut mask, &mut frame.again);
                for (&param, next) in node.params.iter().zip(&frame.next) {
                    if let Some(param) = self.values.get_mut(param.index()) {
                        for (to, next) in param.chunks_exact_mut(self.n).zip(next.chunks_exact(self.n)) {
                            mask.copy(to, next);
                        }
                    }
                }
            }
            self.gone(mask, |_| None);
            mask = self.burn(mask);
        }
        let left = self.exit();
        self.gone(left, |_| None);
        left
    }

    /// Takes one unit of fuel from each invocation of `mask`, and says which of them had one.
    fn burn(&mut self, mask: Mask<N>) -> Mask<N> {
        let mut empty = Mask::NONE;
        for i in mask.iter() {
            match self.fuel[i].checked_sub(1) {
                Some(rest) => self.fuel[i] = rest,
                None => empty.add(i),
            }
        }
        self.exhausted |= empty;
        self.ended |= empty;
        self.gone(empty, |step| Some(Absence::Exhausted(step)));
        mask.without(&empty)
    }

    fn enter(&mut self, label: Label, results: &'a [Value], last: bool) {
        let next = self.spare.pop().unwrap_or_default();
        self.frames.push(Frame { label, results, last, left: Mask::NONE, again: Mask::NONE, next });
    }

    /// Closes the innermost frame, and says which invocations left it.
    fn exit(&mut self) -> Mask<N> {
        self.frames.pop().map_or(Mask::NONE, |frame| {
            self.spare.push(frame.next);
            frame.left
        })
    }

    fn leave(&mut self, label: Label, values: Args, mask: Mask<N>) {
        let Some(at) = self.frames.iter().rposition(|f| f.label == label) else { return };
        self.gone(mask, |step| Some(Absence::Left(step)));
        let frame = &mut self.frames[at];
        frame.left |= mask;
        if frame.last {
            self.ended |= mask;
        }
        // No node inside the region sees its results, so they can be written at once.
        for (&result, &arg) in frame.results.iter().zip(self.shader.args(values)) {
            self.copy(result, arg, mask);
        }
    }

    fn again(&mut self, label: Label, values: Args, mask: Mask<N>) {
        let Some(at) = self.frames.iter().rposition(|f| f.label == label) else { return };
        // The parameters may be read until the round is over, by the other invocations and by `values` itself.
        let args = self.args(values);
        let mut next = core::mem::take(&mut self.frames[at].next);
        next.resize_with(args.len(), Default::default);
        for (next, &arg) in next.iter_mut().zip(args) {
            next.resize(usize::from(arg.lanes) * self.n, W::default());
            for (lane, row) in next.chunks_exact_mut(self.n).enumerate() {
                mask.copy(row, self.row(arg, lane));
            }
        }
        self.frames[at].next = next;
        self.frames[at].again |= mask;
        self.gone(mask, |step| Some(Absence::Left(step)));
    }

    fn zero(&mut self, values: &[Value]) {
        for value in values {
            if let Some(lanes) = self.values.get_mut(value.index()) {
                lanes.fill(W::default());
            }
        }
    }

    /// Gives the yields of a region to the invocations of `mask`.
    fn yields(&mut self, results: &[Value], region: &Region, mask: Mask<N>) {
        if mask.is_empty() {
            return;
        }
        for (&result, &arg) in results.iter().zip(self.args(region.yields)) {
            self.copy(result, arg, mask);
        }
    }

    /// Notes, in a watched run, why invocations are away from now on; the last step is given.
    fn gone(&mut self, mask: Mask<N>, why: impl Fn(u32) -> Option<Absence>) {
        if let Some(watched) = &mut self.watched {
            watched.set_gone(mask, why(watched.step));
        }
    }
}
