//! Dropping what nobody sees.

use super::rewrite::{Place, Places, Rewrite};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::{constant_lane, constant_of};
use vecasm_ir::ir::{
    Arg, Args, Block, Idiom, If, Inst, Label, LocalId, Loop, Node, Op, Region, Shader, Switch, Type, Value,
};

/// Drops values and lanes that nothing visible depends on, results of regions that nobody reads, branches, switches
/// and blocks without effect, stores to local arrays that nothing loads from, and copies: a `compose` of lanes of one
/// value is a swizzle. A block that is only left at its end is put in line. The bracket of an idiom goes as soon as a
/// lane of its results does; its operations stay.
///
/// Loops stay, also without effect: going round burns fuel, and that can be seen. So do tables: an input that is no
/// longer read stays declared, since its place in the interface counts. Loads keep all their lanes. The step table
/// stays exact: what a mark holds is visible.
#[must_use]
pub fn clean(shader: &Shader) -> Shader {
    let mut need = Need::of(shader);
    need.labels.sort_by_key(|(label, _)| *label);
    let mut pass = Clean {
        rw: Rewrite::new(shader),
        need: &need.lanes,
        labels: &need.labels,
        exits: &need.exits,
        effects: &need.effects,
    };
    pass.nodes(&shader.body);
    pass.rw.b.finish()
}

/// What a value is defined by, as far as demand has to know.
#[derive(Clone, Copy)]
enum Def<'a> {
    Nothing,
    Inst(&'a Inst),
    /// Result `.1` of an if.
    If(&'a If, usize),
    /// Result `.1` of a switch.
    Switch(&'a Switch, usize),
    /// Result `.1` of an idiom.
    Idiom(&'a Idiom, usize),
    /// Result `.1` of a block: its yields and the leaves of its label.
    Block(&'a Block, usize),
    /// Result `.1` of a loop: the leaves of its label.
    Loop(&'a Loop, usize),
    /// Parameter `.1` of a loop: its start, its yields and the agains of its label.
    Param(&'a Loop, usize),
}

/// The lanes of each value that something visible depends on, and the conditions that matter.
pub(super) struct Need<'a> {
    shader: &'a Shader,
    defs: Vec<Def<'a>>,
    /// Values of each exit, with its label, and whether it starts a new round.
    exits: Vec<(Label, bool, Args)>,
    labels: Vec<(Label, Target<'a>)>,
    lanes: Vec<u8>,
    /// Lanes that nothing is followed behind, and which of them were come to; empty for none.
    stops: Vec<u8>,
    met: Vec<u8>,
    /// What is demanded with any lane.
    lane_mask: u8,
    work: Vec<Value>,
    effects: Effects,
}

/// What counts as an effect in a shader.
pub(super) struct Effects {
    /// For each local array, whether anything loads from it.
    loaded: Vec<bool>,
}

impl Effects {
    fn of(shader: &Shader) -> Self {
        let mut loaded = vec![false; shader.locals.len()];
        shader.body.for_each_inst(&mut |inst| {
            if let Op::LoadLocal { array, .. } | Op::LoadLocalAt { array, .. } = inst.op {
                if let Some(loaded) = loaded.get_mut(array.index()) {
                    *loaded = true;
                }
            }
        });
        Self { loaded }
    }

    /// Whether an operation does something that can be seen beside its result.
    pub(super) fn has(&self, op: Op) -> bool {
        let loaded = |array: LocalId| self.loaded.get(array.index()).copied().unwrap_or_default();
        match op {
            Op::StoreLocal { array, .. } | Op::StoreLocalAt { array, .. } => loaded(array),
            op => !op.is_pure(),
        }
    }

    /// Whether running a region can be seen otherwise than by its yields.
    fn inside(&self, region: &Region) -> bool {
        region.nodes.iter().any(|node| match node {
            Node::Inst(inst) => self.has(inst.op),
            Node::Loop(_) | Node::Leave { .. } | Node::Again { .. } => true,
            node => self.within(node),
        })
    }

    /// Whether running one of the regions of a node can.
    pub(super) fn within(&self, node: &Node) -> bool {
        let mut any = false;
        node.for_each_region(|region| any = any || self.inside(region));
        any
    }

    /// Whether running one of the regions of a switch can.
    fn in_switch(&self, node: &Switch) -> bool {
        self.inside(&node.default) || node.cases.iter().any(|(_, region)| self.inside(region))
    }
}

impl<'a> Need<'a> {
    fn of(shader: &'a Shader) -> Self {
        let mut need = Self::nothing(shader);
        need.roots(&shader.body);
        need.finish();
        need
    }

    /// The values that something visible depends on if an operation needs all lanes of its arguments, and an idiom all of its
    /// operations; and what counts as an effect.
    pub(super) fn needed_lanes(shader: &'a Shader) -> (Vec<u8>, Effects) {
        let mut need = Self::nothing(shader);
        need.lane_mask = !0;
        need.roots(&shader.body);
        need.finish();
        (need.lanes, need.effects)
    }

    /// What the lanes of an argument depend on, and nothing else: for each value its lanes.
    pub(super) fn by(shader: &'a Shader, lanes: impl Iterator<Item = Arg>) -> Vec<u8> {
        let mut need = Self::nothing(shader);
        for arg in lanes {
            (0..usize::from(arg.lanes)).for_each(|lane| need.demand(arg, lane));
        }
        need.finish();
        need.lanes
    }

    /// Which of the lanes `stops` an argument's lane depends on first: nothing is followed behind one.
    pub(super) fn until(shader: &'a Shader, lane: Arg, stops: &[(Value, u8)]) -> Vec<u8> {
        let mut need = Self::nothing(shader);
        need.stops = vec![0; shader.values.len()];
        need.met = vec![0; shader.values.len()];
        for (value, lane) in need.sources(stops) {
            if let Some(stop) = need.stops.get_mut(value.index()) {
                *stop |= 1 << lane;
            }
        }
        need.demand(lane, 0);
        need.finish();
        need.met
    }

    /// The lanes that lanes are copies of, through what only puts lanes together; themselves included.
    pub(super) fn sources(&self, lanes: &[(Value, u8)]) -> Vec<(Value, u8)> {
        let mut out = Vec::with_capacity(lanes.len());
        for &(mut value, mut lane) in lanes {
            // A value is made of earlier ones, so this ends.
            for _ in 0..=self.defs.len() {
                out.push((value, lane));
                let Some(Def::Inst(Inst { op: Op::Compose, args, .. })) = self.defs.get(value.index()) else {
                    break;
                };
                let parts = self.shader.args(*args).iter();
                let mut all = parts
                    .flat_map(|arg| (0..usize::from(arg.lanes)).map(|l| (arg.value, arg.swizzle.get(l))));
                let Some(part) = all.nth(usize::from(lane)) else { break };
                (value, lane) = part;
            }
        }
        out
    }

    pub(super) fn nothing(shader: &'a Shader) -> Self {
        let mut need = Self {
            shader,
            defs: vec![Def::Nothing; shader.values.len()],
            exits: Vec::new(),
            labels: Vec::new(),
            lanes: vec![0; shader.values.len()],
            stops: Vec::new(),
            met: Vec::new(),
            lane_mask: 0,
            work: Vec::new(),
            effects: Effects::of(shader),
        };
        need.define(&shader.body);
        need.exits.sort_by_key(|(label, again, _)| (*label, *again));
        need
    }

    fn finish(&mut self) {
        while let Some(value) = self.work.pop() {
            self.trace(value);
        }
    }

    fn define(&mut self, region: &'a Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    if let Some(result) = inst.result {
                        self.defs[result.index()] = Def::Inst(inst);
                    }
                }
                Node::If(node) => {
                    for (i, result) in node.results.iter().enumerate() {
                        self.defs[result.index()] = Def::If(node, i);
                    }
                    self.define(&node.then);
                    self.define(&node.otherwise);
                }
                Node::Block(node) => {
                    self.labels.push((node.label, Target { results: &node.results, params: &[] }));
                    for (i, result) in node.results.iter().enumerate() {
                        self.defs[result.index()] = Def::Block(node, i);
                    }
                    self.define(&node.body);
                }
                Node::Loop(node) => {
                    self.labels.push((node.label, Target { results: &node.results, params: &node.params }));
                    for (i, param) in node.params.iter().enumerate() {
                        self.defs[param.index()] = Def::Param(node, i);
                    }
                    for (i, result) in node.results.iter().enumerate() {
                        self.defs[result.index()] = Def::Loop(node, i);
                    }
                    self.define(&node.body);
                }
                Node::Switch(switch) => {
                    for (i, result) in switch.results.iter().enumerate() {
                        self.defs[result.index()] = Def::Switch(switch, i);
                    }
                    node.for_each_region(|region| self.define(region));
                }
                Node::Idiom(node) => {
                    for (i, result) in node.results.iter().enumerate() {
                        self.defs[result.index()] = Def::Idiom(node, i);
                    }
                    self.define(&node.body);
                }
                Node::Leave { label, values } => self.exits.push((*label, false, *values)),
                Node::Again { label, values } => self.exits.push((*label, true, *values)),
            }
        }
    }

    /// Demands what effects need, and the conditions around effects and exits.
    fn roots(&mut self, region: &'a Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) if self.effects.has(inst.op) => self.demand_args(inst.args),
                Node::If(of) if self.effects.within(node) => self.demand(of.cond, 0),
                Node::Switch(of) if self.effects.within(node) => self.demand(of.selector, 0),
                _ => {}
            }
            node.for_each_region(|region| self.roots(region));
        }
    }

    /// Demands lane `lane` of an argument.
    fn demand(&mut self, arg: Arg, lane: usize) {
        let bit = 1 << arg.swizzle.get(lane);
        if self.stops.get(arg.value.index()).is_some_and(|stops| stops & bit != 0) {
            self.met[arg.value.index()] |= bit;
            return;
        }
        let lanes = &mut self.lanes[arg.value.index()];
        if *lanes & bit == 0 {
            *lanes |= bit | self.lane_mask;
            self.work.push(arg.value);
        }
    }

    fn demand_args(&mut self, args: Args) {
        let shader = self.shader;
        for &arg in shader.args(args) {
            (0..usize::from(arg.lanes)).for_each(|lane| self.demand(arg, lane));
        }
    }

    /// Demands lanes `lanes` of entry `i` of a list.
    fn demand_entry(&mut self, args: Args, i: usize, lanes: u8) {
        let shader = self.shader;
        if let Some(&arg) = shader.args(args).get(i) {
            (0..4).filter(|lane| lanes >> lane & 1 != 0).for_each(|lane| self.demand(arg, lane));
        }
    }

    fn trace(&mut self, value: Value) {
        let lanes = self.lanes[value.index()];
        match self.defs[value.index()] {
            Def::Nothing => {}
            Def::Inst(inst) => self.trace_inst(inst, lanes),
            Def::If(node, i) => {
                self.demand(node.cond, 0);
                self.demand_entry(node.then.yields, i, lanes);
                self.demand_entry(node.otherwise.yields, i, lanes);
            }
            Def::Switch(node, i) => {
                self.demand(node.selector, 0);
                for (_, region) in &node.cases {
                    self.demand_entry(region.yields, i, lanes);
                }
                self.demand_entry(node.default.yields, i, lanes);
            }
            Def::Idiom(node, _) if self.lane_mask != 0 => {
                let yields = node.body.yields;
                self.demand_args(yields);
                self.demand_args(node.operands);
                node.results.iter().for_each(|result| self.lanes[result.index()] = !0);
            }
            Def::Idiom(node, i) => {
                self.demand_entry(node.body.yields, i, lanes);
                if intact(self.shader, &self.lanes, node) {
                    self.demand_args(node.operands);
                }
            }
            Def::Block(node, i) => {
                self.demand_entry(node.body.yields, i, lanes);
                self.demand_exits(node.label, false, i, lanes);
            }
            Def::Loop(node, i) => self.demand_exits(node.label, false, i, lanes),
            Def::Param(node, i) => {
                self.demand_entry(node.init, i, lanes);
                self.demand_entry(node.body.yields, i, lanes);
                self.demand_exits(node.label, true, i, lanes);
            }
        }
    }

    fn demand_exits(&mut self, label: Label, again: bool, i: usize, lanes: u8) {
        let first = self.exits.partition_point(|(to, round, _)| (*to, *round) < (label, again));
        for at in first..self.exits.len() {
            let (to, round, values) = self.exits[at];
            if (to, round) != (label, again) {
                break;
            }
            self.demand_entry(values, i, lanes);
        }
    }

    fn trace_inst(&mut self, inst: &Inst, lanes: u8) {
        let shader = self.shader;
        let args = shader.args(inst.args);
        if inst.op == Op::Compose {
            let mut first = 0;
            for &arg in args {
                for lane in 0..usize::from(arg.lanes) {
                    if lanes >> (first + lane) & 1 != 0 {
                        self.demand(arg, lane);
                    }
                }
                first += usize::from(arg.lanes);
            }
        } else if by_lane(inst.op) {
            for &arg in args {
                for lane in (0..4).filter(|lane| lanes >> lane & 1 != 0) {
                    self.demand(arg, if arg.lanes == 1 { 0 } else { lane });
                }
            }
        } else {
            self.demand_args(inst.args);
        }
    }
}

/// Whether lane i of the result depends on lane i of the arguments only (or on an argument of one lane).
fn by_lane(op: Op) -> bool {
    match op {
        Op::Pure(pure) => !pure.reduces(),
        Op::Ddx(_) | Op::Ddy(_) | Op::Const(_) | Op::ReadFirst | Op::ReadInvocation => true,
        _ => false,
    }
}

/// Whether all lanes of all results of an idiom are needed.
fn intact(shader: &Shader, need: &[u8], node: &Idiom) -> bool {
    node.results.iter().all(|result| {
        let all = (1u16 << shader.value(*result).ty.lanes) - 1;
        u16::from(need[result.index()]) & all == all
    })
}

/// What the exits of a label give.
#[derive(Clone, Copy, Default)]
struct Target<'a> {
    results: &'a [Value],
    params: &'a [Value],
}

struct Clean<'a> {
    rw: Rewrite<'a>,
    need: &'a [u8],
    labels: &'a [(Label, Target<'a>)],
    /// Sorted by label.
    exits: &'a [(Label, bool, Args)],
    effects: &'a Effects,
}

impl<'a> Clean<'a> {
    fn target(&self, label: Label) -> Target<'a> {
        match self.labels.binary_search_by_key(&label, |(label, _)| *label) {
            Ok(at) => self.labels[at].1,
            Err(_) => Target::default(),
        }
    }

    fn needed(&self, value: Value) -> u8 {
        let lanes = self.rw.from.value(value).ty.lanes;
        self.need[value.index()] & ((1u16 << lanes) - 1) as u8
    }

    fn nodes(&mut self, region: &'a Region) {
        region.nodes.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &'a Node) {
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::If(node) => self.branch(node),
            Node::Block(node) => self.block(node),
            Node::Loop(node) => self.cycle(node),
            Node::Switch(node) => self.switch(node),
            Node::Idiom(node) => self.idiom(node),
            Node::Leave { label, values } => {
                let values = self.entries(*values, self.target(*label).results);
                self.rw.b.node(Node::Leave { label: *label, values });
            }
            Node::Again { label, values } => {
                let values = self.entries(*values, self.target(*label).params);
                self.rw.b.node(Node::Again { label: *label, values });
            }
        }
    }

    /// The new list of what is given to `targets`, without the lanes that are not needed.
    fn entries(&mut self, args: Args, targets: &[Value]) -> Args {
        let list = self.entry_args(args, targets);
        self.rw.b.list(&list)
    }

    fn entry_args(&mut self, args: Args, targets: &[Value]) -> Vec<Arg> {
        let from = self.rw.from;
        let mut list = Vec::with_capacity(targets.len());
        for (&arg, &target) in from.args(args).iter().zip(targets) {
            let lanes = self.needed(target);
            if lanes != 0 {
                list.push(self.rw.lanes(arg, (0..4).filter(|lane| lanes >> lane & 1 != 0)));
            }
        }
        list
    }

    /// New values for those of `old` that are needed, narrowed to the lanes that are.
    fn narrowed(&mut self, old: &[Value]) -> Vec<Value> {
        let mut new = Vec::with_capacity(old.len());
        for &value in old {
            let lanes = self.needed(value);
            if lanes == 0 {
                continue;
            }
            let narrow = self.rw.value_like(value, lanes.count_ones() as u8);
            self.put_narrow(value, lanes, narrow);
            new.push(narrow);
        }
        new
    }

    fn put_narrow(&mut self, old: Value, lanes: u8, new: Value) {
        for (at, lane) in (0..4u8).filter(|lane| lanes >> lane & 1 != 0).enumerate() {
            self.rw.put(old, lane, Place { value: new, lane: at as u8 });
        }
    }

    fn inst(&mut self, inst: &'a Inst) {
        self.rw.b.follow(inst);
        self.rw.b.arith = inst.arith;
        let from = self.rw.from;
        let effect = self.effects.has(inst.op);
        let Some(result) = inst.result else {
            if !effect {
                return;
            }
            let args = self.rw.args(inst.args);
            self.rw.b.effect(inst.op, &args);
            self.rw.done(args);
            return;
        };
        let lanes = self.needed(result);
        if lanes == 0 && !effect {
            return;
        }
        let ty = from.value(result).ty;
        let wanted = || (0..4).filter(move |lane| lanes >> lane & 1 != 0);
        if inst.op == Op::Compose {
            let mut places = Places::default();
            let mut first = 0;
            for &arg in from.args(inst.args) {
                let here = wanted().filter(|l| (first..first + usize::from(arg.lanes)).contains(l));
                self.rw.places(arg, here.map(|l| l - first), &mut places);
                first += usize::from(arg.lanes);
            }
            let arg = self.rw.gather(&places);
            for (at, lane) in wanted().enumerate() {
                let place = Place { value: arg.value, lane: arg.swizzle.get(at) };
                self.rw.put(result, lane as u8, place);
            }
            if self.rw.b.shader.value(arg.value).home.is_none() {
                self.rw.keep_home(result, arg.value);
            }
            return;
        }
        if !by_lane(inst.op) {
            let args = self.rw.args(inst.args);
            let new = self.rw.b.push(inst.op, &args, ty);
            self.rw.done(args);
            self.rw.keep_home(result, new);
            self.rw.put_whole(result, new);
            return;
        }
        let mut op = inst.op;
        if let Op::Const(bits) = op {
            let kept: Vec<u64> = wanted().map(|lane| constant_lane(bits, ty.scalar, lane)).collect();
            op = Op::Const(constant_of(&kept, ty.scalar).unwrap_or(bits));
        }
        let mut args = self.rw.list();
        for &arg in from.args(inst.args) {
            let whole = arg.lanes == 1 && ty.lanes > 1;
            args.push(if whole { self.rw.arg(arg) } else { self.rw.lanes(arg, wanted()) });
        }
        let new = self.rw.b.push(op, &args, Type::new(ty.scalar, lanes.count_ones() as u8));
        self.rw.done(args);
        self.rw.keep_home(result, new);
        self.put_narrow(result, lanes, new);
    }

    fn branch(&mut self, node: &'a If) {
        let used = node.results.iter().any(|&v| self.needed(v) != 0);
        if !used && !self.effects.inside(&node.then) && !self.effects.inside(&node.otherwise) {
            return;
        }
        let cond = self.rw.arg(node.cond);
        let then = self.region(&node.then, &node.results);
        let otherwise = self.region(&node.otherwise, &node.results);
        let results = self.narrowed(&node.results);
        self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
    }

    /// A region whose yields are given to `targets`.
    fn region(&mut self, region: &'a Region, targets: &[Value]) -> Region {
        self.rw.b.open();
        self.nodes(region);
        let yields = self.entry_args(region.yields, targets);
        self.rw.b.close(&yields)
    }

    fn switch(&mut self, node: &'a Switch) {
        let used = node.results.iter().any(|&v| self.needed(v) != 0);
        if !used && !self.effects.in_switch(node) {
            return;
        }
        let selector = self.rw.arg(node.selector);
        let mut cases = Vec::with_capacity(node.cases.len());
        for (numbers, region) in &node.cases {
            cases.push((numbers.clone(), self.region(region, &node.results)));
        }
        let default = self.region(&node.default, &node.results);
        let results = self.narrowed(&node.results);
        self.rw.b.node(Node::Switch(Box::new(Switch { selector, cases, default, results })));
    }

    fn idiom(&mut self, node: &'a Idiom) {
        if intact(self.rw.from, self.need, node) {
            let operands = self.rw.args(node.operands);
            let operands = self.rw.b.list(&operands);
            let body = self.region(&node.body, &node.results);
            let results = self.narrowed(&node.results);
            self.rw.b.node(Node::Idiom(Box::new(Idiom { what: node.what, operands, body, results })));
            return;
        }
        self.nodes(&node.body);
        self.are(&node.results, node.body.yields);
    }

    /// Says that the results of a node that is put in line are these.
    fn are(&mut self, results: &[Value], args: Args) {
        let from = self.rw.from;
        for (&result, &arg) in results.iter().zip(from.args(args)) {
            let lanes = self.needed(result);
            for lane in (0..4u8).filter(|lane| lanes >> lane & 1 != 0) {
                if let Some(place) = self.rw.place(arg.value, arg.swizzle.get(usize::from(lane))) {
                    self.rw.put(result, lane, place);
                }
            }
        }
    }

    fn block(&mut self, node: &'a Block) {
        let used = node.results.iter().any(|&v| self.needed(v) != 0);
        if !used && !self.effects.inside(&node.body) {
            return;
        }
        // A block that is only left at its end, or not at all, is what is in it.
        let first = self.exits.partition_point(|(label, _, _)| *label < node.label);
        let leaves = self.exits[first..].iter().take_while(|(label, _, _)| *label == node.label).count();
        match node.body.nodes.split_last() {
            Some((Node::Leave { label, values }, before)) if *label == node.label && leaves == 1 => {
                before.iter().for_each(|node| self.node(node));
                return self.are(&node.results, *values);
            }
            _ if leaves == 0 && !node.body.exits() => {
                self.nodes(&node.body);
                return self.are(&node.results, node.body.yields);
            }
            _ => {}
        }
        let body = self.region(&node.body, &node.results);
        let results = self.narrowed(&node.results);
        self.rw.b.node(Node::Block(Box::new(Block { label: node.label, body, results })));
    }

    fn cycle(&mut self, node: &'a Loop) {
        let init = self.entries(node.init, &node.params);
        let params = self.narrowed(&node.params);
        let body = self.region(&node.body, &node.params);
        let results = self.narrowed(&node.results);
        self.rw.b.node(Node::Loop(Box::new(Loop { label: node.label, params, init, body, results })));
    }
}
