//! Regions: blocks with merge points, results as phis.

use super::super::module::Id;
use super::super::uses::has_effects;
use super::super::words::{capability, op, push};
use super::{Body, Known, lane_of};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Args, Block, If, Inst, Label, Loop, Node, Op, Region, Slope, Switch, Type, Value};

/// Where a construct is reached from: a block, and what it brings for each result.
type Edge = (Id, Vec<Id>);

/// An open block or loop.
pub(super) struct Frame<'a> {
    label: Label,
    merge: Id,
    /// Where the next round of a loop starts.
    next: Id,
    results: &'a [Value],
    params: &'a [Value],
    leaves: Vec<Edge>,
    agains: Vec<Edge>,
}

/// An open switch that is left for what lies outside of it. SPIR-V allows a branch from a switch to where a loop around it
/// ends, but no compiled language does it, and naga takes it for the end of the switch. So the way leads over the end of
/// the switch.
pub(super) struct Detour {
    merge: Id,
    /// How many frames are open around the switch.
    depth: usize,
    /// The frame that is left, and the edge to the end of the switch.
    edges: Vec<(usize, Edge)>,
}

impl<'a> Body<'a> {
    /// Writes a region. Tells whether its end is reached.
    pub(super) fn region(&mut self, region: &'a Region) -> bool {
        region.nodes.iter().all(|node| self.node(node))
    }

    fn node(&mut self, node: &'a Node) -> bool {
        match node {
            Node::Inst(inst) => {
                self.inst(inst);
                true
            }
            Node::If(node) => self.branch(node),
            Node::Block(node) => self.named_block(node),
            Node::Loop(node) => self.rounds(node),
            Node::Switch(node) => self.switch(node),
            Node::Idiom(node) => {
                // Brackets were taken out; this is what one means.
                let reached = self.region(&node.body);
                self.alias_all(&node.results, node.body.yields);
                reached
            }
            Node::Leave { label, values } => {
                let Some(at) = self.frame(*label) else { return false };
                let values = self.brought(*values, self.open[at].results);
                self.leave(at, values);
                false
            }
            Node::Again { label, values } => {
                let Some(at) = self.frame(*label) else { return false };
                let params = self.open[at].params;
                let values = self.brought(*values, params);
                let (edge, next) = ((self.block, values), self.open[at].next);
                self.goto(next);
                self.open[at].agains.push(edge);
                false
            }
        }
    }

    fn frame(&self, label: Label) -> Option<usize> {
        self.open.iter().rposition(|frame| frame.label == label)
    }

    /// What a region brings for each of some values; 0 for those that nobody reads.
    fn brought(&mut self, args: Args, targets: &[Value]) -> Vec<Id> {
        let args = self.shader.args(args);
        let mut out = Vec::with_capacity(targets.len());
        for (n, target) in targets.iter().enumerate() {
            let arg = args.get(n).copied().filter(|_| self.uses.live(*target));
            out.push(arg.map_or(0, |arg| self.arg(arg)));
        }
        out
    }

    fn alias_all(&mut self, results: &[Value], yields: Args) {
        let args = self.shader.args(yields);
        for (result, arg) in results.iter().zip(args) {
            if self.uses.live(*result) {
                self.alias(*result, *arg);
            }
        }
    }

    /// Opens the block where edges meet, and defines what they bring. Tells whether there are any.
    fn meet(&mut self, merge: Id, edges: &[Edge], results: &[Value]) -> bool {
        self.label(merge);
        if edges.is_empty() {
            self.effect(op::UNREACHABLE, &[]);
            return false;
        }
        for (n, result) in results.iter().enumerate() {
            if self.uses.live(*result) {
                let id = self.phi(*result, n, edges);
                self.define(*result, Known::Id(id));
            }
        }
        true
    }

    /// What edges bring for one value, at the start of a block.
    fn phi(&mut self, value: Value, n: usize, edges: &[Edge]) -> Id {
        let of = |edge: &Edge| edge.1.get(n).copied().unwrap_or(0);
        let first = edges.first().map_or(0, of);
        // What all bring is known in front of them; what one brings alone is known behind it.
        if edges.iter().all(|edge| of(edge) == first) {
            return first;
        }
        let words: Vec<u32> = edges.iter().flat_map(|edge| [of(edge), edge.0]).collect();
        let ty = self.m.ty(self.type_of(value));
        self.op(op::PHI, ty, &words)
    }

    /// Whether nothing has to be written for a region but names of values.
    fn quiet(&self, region: &Region) -> bool {
        region.nodes.iter().all(|node| match node {
            Node::Inst(Inst { op: Op::Const(_) | Op::Mark(_), .. }) => true,
            Node::Inst(inst) => {
                inst.op.is_pure() && !inst.result.is_some_and(|result| self.uses.live(result))
                    || inst.op == Op::Compose && inst.args.len == 1
            }
            Node::If(node) => {
                !node.results.iter().any(|result| self.uses.live(*result))
                    && self.quiet(&node.then)
                    && self.quiet(&node.otherwise)
            }
            _ => false,
        })
    }

    fn branch(&mut self, node: &'a If) -> bool {
        let wanted = node.results.iter().any(|result| self.uses.live(*result));
        if !wanted && !has_effects(&node.then) && !has_effects(&node.otherwise) {
            return true;
        }
        let (yes, no) = (self.quiet(&node.then), self.quiet(&node.otherwise));
        let cond = self.arg(node.cond);
        if yes && no {
            self.region(&node.then);
            self.region(&node.otherwise);
            return self.choose(node, cond);
        }
        let results = node.results.as_slice();
        let merge = self.m.id();
        let mut edges: Vec<Edge> = Vec::with_capacity(2);
        // What a quiet arm brings is taken in front of the branch.
        let quiet = if yes {
            Some(&node.then)
        } else if no {
            Some(&node.otherwise)
        } else {
            None
        };
        if let Some(region) = quiet {
            self.region(region);
            let brought = self.brought(region.yields, results);
            edges.push((self.block, brought));
        }
        let (then, otherwise) = (if yes { merge } else { self.m.id() }, if no { merge } else { self.m.id() });
        self.effect(op::SELECTION_MERGE, &[merge, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[cond, then, otherwise]);
        for (region, label) in [(&node.then, then), (&node.otherwise, otherwise)] {
            if label != merge {
                self.arm(region, label, merge, results, &mut edges);
            }
        }
        self.meet(merge, &edges, results)
    }

    /// One way through a construct.
    fn arm(&mut self, region: &'a Region, label: Id, merge: Id, results: &[Value], edges: &mut Vec<Edge>) {
        let mark = self.taken.len();
        self.label(label);
        if self.region(region) {
            let brought = self.brought(region.yields, results);
            edges.push((self.block, brought));
            self.goto(merge);
        }
        self.forget(mark);
    }

    /// Both arms are values.
    fn choose(&mut self, node: &'a If, cond: Id) -> bool {
        let (then, otherwise) = (
            self.brought(node.then.yields, &node.results),
            self.brought(node.otherwise.yields, &node.results),
        );
        for (n, result) in node.results.iter().enumerate() {
            if !self.uses.live(*result) {
                continue;
            }
            let (a, b) = (then.get(n).copied().unwrap_or(0), otherwise.get(n).copied().unwrap_or(0));
            let id = if a == b {
                a
            } else {
                let ty = self.type_of(*result);
                self.select(ty, cond, a, b)
            };
            self.define(*result, Known::Id(id));
        }
        true
    }

    /// A choice by a condition of one lane.
    pub(super) fn select(&mut self, ty: Type, cond: Id, yes: Id, no: Id) -> Id {
        // Before version 1.4 there is a condition for each lane.
        let cond =
            if self.m.since(4) { cond } else { self.spread(vecasm_ir::ir::Scalar::Bool, cond, ty.lanes) };
        let ty = self.m.ty(ty);
        self.op(op::SELECT, ty, &[cond, yes, no])
    }

    /// Goes to the end of an open block or loop.
    fn leave(&mut self, at: usize, values: Vec<Id>) {
        // The edge starts where the values were taken.
        let edge = (self.block, values);
        let merge = match self.detours.last_mut().filter(|detour| at < detour.depth) {
            Some(detour) => {
                detour.edges.push((at, edge));
                detour.merge
            }
            None => {
                self.open[at].leaves.push(edge);
                self.open[at].merge
            }
        };
        self.goto(merge);
    }

    fn enter_switch(&mut self, merge: Id) {
        self.detours.push(Detour { merge, depth: self.open.len(), edges: Vec::new() });
    }

    /// As [`meet`](Self::meet), at the end of a switch; who left something outside goes on to there.
    fn meet_switch(&mut self, merge: Id, edges: &[Edge], results: &[Value]) -> bool {
        let detour = self.detours.pop().map(|detour| detour.edges).unwrap_or_default();
        if detour.is_empty() {
            return self.meet(merge, edges, results);
        }
        self.label(merge);
        // What an edge does not bring is not read behind it.
        let here = edges.iter().map(|edge| (None, edge));
        let all: Vec<(Option<usize>, &Edge)> =
            here.chain(detour.iter().map(|(at, edge)| (Some(*at), edge))).collect();
        let mut ids = Vec::with_capacity(results.len());
        for (n, result) in results.iter().enumerate() {
            let live = !edges.is_empty() && self.uses.live(*result);
            ids.push(if live { self.phi_of(*result, n, &all, None) } else { 0 });
        }
        let mut targets: Vec<usize> = detour.iter().map(|(at, _)| *at).collect();
        targets.sort_unstable();
        targets.dedup();
        let (bool, yes, no) =
            (self.m.ty(Type::BOOL), self.m.splat(Type::BOOL, 1), self.m.splat(Type::BOOL, 0));
        let mut ways = Vec::with_capacity(targets.len());
        for (i, &at) in targets.iter().enumerate() {
            let last = edges.is_empty() && i + 1 == targets.len();
            let flags = all.iter().flat_map(|(to, edge)| [if *to == Some(at) { yes } else { no }, edge.0]);
            let flag = if last { 0 } else { self.op(op::PHI, bool, &flags.collect::<Vec<u32>>()) };
            let results = self.open[at].results;
            let mut values = Vec::with_capacity(results.len());
            for (n, result) in results.iter().enumerate() {
                let live = self.uses.live(*result);
                values.push(if live { self.phi_of(*result, n, &all, Some(at)) } else { 0 });
            }
            ways.push((at, flag, values));
        }
        for (at, flag, values) in ways {
            if flag == 0 {
                self.leave(at, values);
                return false;
            }
            let (out, next) = (self.m.id(), self.m.id());
            self.effect(op::SELECTION_MERGE, &[next, 0]);
            self.effect(op::BRANCH_CONDITIONAL, &[flag, out, next]);
            self.label(out);
            self.leave(at, values);
            self.label(next);
        }
        for (result, id) in results.iter().zip(ids) {
            if id != 0 {
                self.define(*result, Known::Id(id));
            }
        }
        true
    }

    /// What the edges to one target bring for a value; the others bring nothing.
    fn phi_of(&mut self, value: Value, n: usize, edges: &[(Option<usize>, &Edge)], of: Option<usize>) -> Id {
        let ty = self.m.ty(self.type_of(value));
        let nothing = self.m.null(ty);
        let brought = |edge: &Edge| edge.1.get(n).copied().unwrap_or(nothing);
        let words =
            edges.iter().flat_map(|(to, edge)| [if *to == of { brought(edge) } else { nothing }, edge.0]);
        let words: Vec<u32> = words.collect();
        self.op(op::PHI, ty, &words)
    }

    /// A block: a switch with one way, of which a branch to the merge point may leave.
    fn named_block(&mut self, node: &'a Block) -> bool {
        if !self.survey.left.contains(&node.label) {
            let reached = self.region(&node.body);
            if reached {
                self.alias_all(&node.results, node.body.yields);
            }
            return reached;
        }
        let (merge, body) = (self.m.id(), self.m.id());
        self.effect(op::SELECTION_MERGE, &[merge, 0]);
        let selector = self.m.uint(0);
        self.effect(op::SWITCH, &[selector, body]);
        self.enter_switch(merge);
        self.enter(node, merge, body);
        let edges = self.open.pop().map(|frame| frame.leaves).unwrap_or_default();
        self.meet_switch(merge, &edges, &node.results)
    }

    /// Opens the frame of a block and writes what is inside.
    fn enter(&mut self, node: &'a Block, merge: Id, body: Id) {
        self.open.push(Frame {
            label: node.label,
            merge,
            next: 0,
            results: &node.results,
            params: &[],
            leaves: Vec::new(),
            agains: Vec::new(),
        });
        let mut edges = Vec::new();
        self.arm(&node.body, body, merge, &node.results, &mut edges);
        if let Some(frame) = self.open.last_mut() {
            frame.leaves.append(&mut edges);
        }
    }

    fn rounds(&mut self, node: &'a Loop) -> bool {
        let [header, body, next, merge] = [(); 4].map(|()| self.m.id());
        let init = self.brought(node.init, &node.params);
        let before = self.block;
        self.goto(header);
        self.label(header);
        // Each phi gets its second half when the round is written.
        let mut places = Vec::with_capacity(node.params.len());
        for (param, init) in node.params.iter().zip(&init) {
            if !self.uses.live(*param) {
                places.push(None);
                continue;
            }
            let ty = self.m.ty(self.type_of(*param));
            let id = self.op(op::PHI, ty, &[*init, before, 0, next]);
            places.push(Some(self.m.code.len() - 2));
            self.define(*param, Known::Id(id));
        }
        self.effect(op::LOOP_MERGE, &[merge, next, 0]);
        self.goto(body);
        self.open.push(Frame {
            label: node.label,
            merge,
            next,
            results: &node.results,
            params: &node.params,
            leaves: Vec::new(),
            agains: Vec::new(),
        });
        let mut edges = Vec::new();
        self.arm(&node.body, body, next, &node.params, &mut edges);
        let Some(mut frame) = self.open.pop() else { return false };
        frame.agains.append(&mut edges);
        self.label(next);
        for (n, (param, place)) in node.params.iter().zip(&places).enumerate() {
            let Some(place) = place else { continue };
            let id = if frame.agains.is_empty() {
                // Nobody comes here.
                let ty = self.m.ty(self.type_of(*param));
                self.m.null(ty)
            } else {
                self.phi(*param, n, &frame.agains)
            };
            if let Some(slot) = self.m.code.get_mut(*place) {
                *slot = id;
            }
        }
        self.goto(header);
        self.meet(merge, &frame.leaves, &node.results)
    }

    fn switch(&mut self, node: &'a Switch) -> bool {
        let selector = self.arg(node.selector);
        let merge = self.m.id();
        let default = self.m.id();
        let mut words = vec![selector, default];
        let mut arms = Vec::with_capacity(node.cases.len() + 1);
        for (numbers, region) in &node.cases {
            let label = self.m.id();
            words.extend(numbers.iter().flat_map(|number| [*number, label]));
            // One that no number selects is not reached.
            if !numbers.is_empty() {
                arms.push((region, label));
            }
        }
        arms.push((&node.default, default));
        self.effect(op::SELECTION_MERGE, &[merge, 0]);
        push(&mut self.m.code, op::SWITCH, &words);
        self.enter_switch(merge);
        let mut edges = Vec::new();
        for (region, label) in arms {
            self.arm(region, label, merge, &node.results, &mut edges);
        }
        self.meet_switch(merge, &edges, &node.results)
    }

    /// Makes the invocation a helper where a condition holds.
    pub(super) fn demote(&mut self, args: &[Arg]) {
        let Some(arg) = args.first() else { return };
        if self.number(*arg) == Some(0) {
            return;
        }
        let cond = self.arg(lane_of(*arg, 0));
        let bool = self.m.ty(Type::BOOL);
        let instruction = self.m.since(6);
        if self.demoted != 0 {
            let before = self.load(bool, self.demoted);
            let now = self.op(op::LOGICAL_OR, bool, &[before, cond]);
            self.store(self.demoted, now);
            if !instruction {
                return;
            }
        }
        let (inside, merge) = (self.m.id(), self.m.id());
        self.effect(op::SELECTION_MERGE, &[merge, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[cond, inside, merge]);
        self.label(inside);
        if instruction {
            self.m.capability(capability::DEMOTE_TO_HELPER_INVOCATION);
            self.effect(op::DEMOTE_TO_HELPER_INVOCATION, &[]);
            self.goto(merge);
        } else {
            self.effect(op::KILL, &[]);
        }
        self.label(merge);
    }

    /// Kills the invocation at its end if it was demoted.
    pub(super) fn kill_demoted(&mut self) {
        if self.demoted == 0 || self.m.since(6) {
            return;
        }
        let bool = self.m.ty(Type::BOOL);
        let cond = self.load(bool, self.demoted);
        let (inside, merge) = (self.m.id(), self.m.id());
        self.effect(op::SELECTION_MERGE, &[merge, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[cond, inside, merge]);
        self.label(inside);
        self.effect(op::KILL, &[]);
        self.label(merge);
    }

    pub(super) fn slope(&mut self, inst: &Inst, slope: Slope, args: &[Arg]) -> Id {
        let ty = inst.result.map_or(Type::F32, |result| self.type_of(result));
        let ty = self.m.ty(ty);
        self.m.capability(capability::DERIVATIVE_CONTROL);
        let code = match (inst.op, slope) {
            (Op::Ddx(_), Slope::Fine) => op::DPDX_FINE,
            (Op::Ddx(_), Slope::Coarse) => op::DPDX_COARSE,
            (_, Slope::Fine) => op::DPDY_FINE,
            (_, Slope::Coarse) => op::DPDY_COARSE,
        };
        let arg = args.first().map_or(0, |arg| self.arg(*arg));
        let id = self.op(code, ty, &[arg]);
        // The window of OpenGL has y upwards, whatever the place of the pixel counts from.
        let up = self.options.environment.is_gl() && matches!(inst.op, Op::Ddy(_));
        if up { self.op(op::F_NEGATE, ty, &[id]) } else { id }
    }
}
