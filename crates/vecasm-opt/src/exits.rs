//! Exits that cross several regions as flags, for targets that can only leave the innermost one.

use super::rewrite::Rewrite;
use super::walk::Walk;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Args, Block, If, Label, Loop, Node, Region, Shader, Type, Value};

/// Makes every [`Node::Leave`] and [`Node::Again`] address the innermost block or loop around it, and puts blocks that
/// nothing leaves in line. Ifs and switches do not count as being left, so where a target's `break` leaves a switch,
/// switches have to go first ([`lower`](super::lower())).
///
/// What remains can be said with loops, `break` and `continue`: a block is a loop that runs once, a leave of it
/// `break`, its end as well; in a loop a leave is `break`, an again `continue`, and so is its end.
///
/// A block or loop that an exit to an outer one crosses gets, for each such exit, a bool result that says whether the
/// exit is under way, and the values of the exit as further results; behind it an if tests the bool and exits
/// from there. Fuel is burnt as before, and regions are nested no deeper. The step table stays exact.
#[must_use]
pub fn exits(shader: &Shader) -> Shader {
    let mut pass = Exits {
        rw: Rewrite::new(shader),
        targets: BTreeMap::new(),
        left: BTreeSet::new(),
        crossing: BTreeMap::new(),
        frames: Vec::new(),
    };
    pass.find(&shader.body);
    pass.cross(&shader.body, &mut Vec::new());
    pass.nodes(&shader.body);
    pass.rw.b.finish()
}

/// An exit: its label, and whether it starts a new round.
type Exit = (Label, bool);

/// An exit that goes on behind a frame: its flag and its values.
type PendingExit = (Exit, Value, Vec<Arg>);

/// What an exit gives: the types of a block's or loop's results and of a loop's parameters.
#[derive(Default)]
struct Target {
    results: Vec<Type>,
    params: Vec<Type>,
}

struct Frame {
    label: Label,
    /// Exits that cross it.
    crossing: Vec<Exit>,
}

struct Exits<'a> {
    rw: Rewrite<'a>,
    targets: BTreeMap<Label, Target>,
    /// Blocks and loops that something leaves.
    left: BTreeSet<Label>,
    crossing: BTreeMap<Label, BTreeSet<Exit>>,
    /// Open blocks and loops that are not put in line.
    frames: Vec<Frame>,
}

impl<'a> Walk<'a> for Exits<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn node(&mut self, node: &'a Node) -> bool {
        match node {
            Node::Block(node) if !self.left.contains(&node.label) => self.splice(&node.body, &node.results),
            Node::Block(node) => {
                self.block(node);
                false
            }
            Node::Loop(node) => {
                self.cycle(node);
                false
            }
            Node::Leave { label, values } => {
                let values = self.rw.args(*values);
                self.exit((*label, false), values);
                true
            }
            Node::Again { label, values } => {
                let values = self.rw.args(*values);
                self.exit((*label, true), values);
                true
            }
            node => self.copy_node(node),
        }
    }
}

impl<'a> Exits<'a> {
    fn types(&self, values: &[Value]) -> Vec<Type> {
        values.iter().map(|&v| self.rw.from.value(v).ty).collect()
    }

    /// Notes what the labels stand for, and which are left.
    fn find(&mut self, region: &'a Region) {
        for node in &region.nodes {
            match node {
                Node::Block(node) => {
                    let target = Target { results: self.types(&node.results), params: Vec::new() };
                    self.targets.insert(node.label, target);
                }
                Node::Loop(node) => {
                    let (results, params) = (self.types(&node.results), self.types(&node.params));
                    self.targets.insert(node.label, Target { results, params });
                }
                Node::Leave { label, .. } => {
                    self.left.insert(*label);
                }
                _ => {}
            }
            node.for_each_region(|region| self.find(region));
        }
    }

    /// Notes which exits cross which block or loop.
    fn cross(&mut self, region: &'a Region, open: &mut Vec<Label>) {
        for node in &region.nodes {
            let own = match node {
                Node::Block(node) if self.left.contains(&node.label) => Some(node.label),
                Node::Loop(node) => Some(node.label),
                Node::Leave { label, .. } | Node::Again { label, .. } => {
                    let exit = (*label, matches!(node, Node::Again { .. }));
                    for crossed in open.iter().rev().take_while(|crossed| *crossed != label) {
                        self.crossing.entry(*crossed).or_default().insert(exit);
                    }
                    None
                }
                _ => None,
            };
            open.extend(own);
            node.for_each_region(|region| self.cross(region, open));
            if own.is_some() {
                open.pop();
            }
        }
    }

    fn exit_types(&self, (label, again): Exit) -> Vec<Type> {
        self.targets
            .get(&label)
            .map_or(Vec::new(), |t| if again { t.params.clone() } else { t.results.clone() })
    }

    /// Leaves the innermost frame, or starts its next round, if that is what the exit asks; else leaves it
    /// with the flag of the exit.
    fn exit(&mut self, exit: Exit, values: Vec<Arg>) {
        let (label, again) = exit;
        let Some((inner, crossing)) = self.frames.last().map(|f| (f.label, f.crossing.clone())) else {
            return;
        };
        if inner == label && again {
            let values = self.rw.b.list(&values);
            self.rw.b.node(Node::Again { label, values });
            return;
        }
        let list = if inner == label {
            let mut list = values;
            list.extend(self.flags(&crossing, None));
            list
        } else {
            let own = self.exit_types((inner, false));
            let mut list: Vec<Arg> = own.iter().map(|&ty| self.rw.zero(ty)).collect();
            list.extend(self.flags(&crossing, Some((exit, &values))));
            list
        };
        let values = self.rw.b.list(&list);
        self.rw.b.node(Node::Leave { label: inner, values });
    }

    /// The further results of a frame: the flag of the exit that is under way, and its values; all else is zero.
    fn flags(&mut self, crossing: &[Exit], under_way: Option<(Exit, &[Arg])>) -> Vec<Arg> {
        let mut list = Vec::new();
        for &exit in crossing {
            let now = under_way.filter(|(which, _)| *which == exit);
            list.push(self.rw.constant([u32::from(now.is_some()), 0, 0, 0], Type::BOOL));
            match now {
                Some((_, values)) => list.extend_from_slice(values),
                None => {
                    for ty in self.exit_types(exit) {
                        list.push(self.rw.zero(ty));
                    }
                }
            }
        }
        list
    }

    fn open(&mut self, label: Label) {
        let crossing = self.crossing.get(&label).map(|set| set.iter().copied().collect()).unwrap_or_default();
        self.frames.push(Frame { label, crossing });
    }

    /// New results for a frame that is closed, and what has to stand behind its node.
    fn close(&mut self, old: &[Value]) -> (Vec<Value>, Vec<PendingExit>) {
        let crossing = self.frames.pop().map(|f| f.crossing).unwrap_or_default();
        let mut results = self.results(old);
        let mut behind = Vec::new();
        for exit in crossing {
            let flag = self.rw.b.value(Type::BOOL, None);
            results.push(flag);
            let mut values = Vec::new();
            for ty in self.exit_types(exit) {
                let value = self.rw.b.value(ty, None);
                results.push(value);
                values.push(Arg::all_lanes(value, ty.lanes));
            }
            behind.push((exit, flag, values));
        }
        (results, behind)
    }

    fn go_on(&mut self, behind: Vec<PendingExit>) {
        for (exit, flag, values) in behind {
            self.rw.b.open();
            self.exit(exit, values);
            let then = self.rw.b.close(&[]);
            let cond = Arg::all_lanes(flag, 1);
            let (otherwise, results) = (Region::default(), Vec::new());
            self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
        }
    }

    fn block(&mut self, node: &'a Block) {
        self.open(node.label);
        self.rw.b.open();
        let yields = if self.nodes(&node.body) {
            Vec::new()
        } else {
            let mut yields = self.rw.args(node.body.yields);
            let crossing = self.frames.last().map(|f| f.crossing.clone()).unwrap_or_default();
            yields.extend(self.flags(&crossing, None));
            yields
        };
        let body = self.rw.b.close(&yields);
        let (results, behind) = self.close(&node.results);
        self.rw.b.node(Node::Block(Box::new(Block { label: node.label, body, results })));
        self.go_on(behind);
    }

    fn cycle(&mut self, node: &'a Loop) {
        let init: Args = self.list(node.init);
        let params = self.results(&node.params);
        self.open(node.label);
        let body = self.region(&node.body);
        let (results, behind) = self.close(&node.results);
        self.rw.b.node(Node::Loop(Box::new(Loop { label: node.label, params, init, body, results })));
        self.go_on(behind);
    }
}
