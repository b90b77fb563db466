//! Peepholes: expressions of few operations for which a machine has fewer.
//!
//! The [table](TABLE) is found by enumeration (`cargo xtask peepholes`) and every entry of it is proved: both sides have the same bits,
//! those of NaN too, for all operands, by each of the arithmetics that the entry names. Here entries are looked for in a
//! graph of lanes. A pack of lanes is rewritten as a whole, where that takes instructions away; whether the program gets
//! shorter is seen when its instructions are there (`generate` keeps the shorter one).

mod table;
mod targets;

pub use table::TABLE;
pub use targets::{TARGETS, Target, operation};

use crate::graph::{Action, Branches, Def, Graph, Lane, LaneId, Operands, Rounds};
use crate::machine::{Machine, Pattern, Row, Truth};
use crate::select::reads_of;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arith, Op, Pure, Rule, Scalar};

/// An expression of at most two operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// The first operand.
    X,
    /// The second operand.
    Y,
    /// The number with these bits.
    Number(u32),
    /// An operation on floats.
    Op(Pure, &'static [Form]),
    /// A comparison of floats as 1.0 or 0.0.
    Set(Pure, &'static [Form]),
    /// Where a comparison of the first two holds, the third one, else the fourth one.
    Choose(Pure, &'static [Form]),
}

/// Two expressions that are the same, the second one of which is less to compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// What is looked for.
    pub of: Form,
    /// What takes its place.
    pub gives: Form,
    /// Bits of the arithmetics by which they are the same: see [`bit`].
    pub rules: u8,
}

/// An entry of the table.
const fn entry(of: Form, gives: Form, rules: u8) -> Entry {
    Entry { of, gives, rules }
}

/// A number.
const fn number(value: f32) -> Form {
    Form::Number(value.to_bits())
}

/// The bit of an arithmetic in [`Entry::rules`].
pub const fn bit(rule: Rule) -> u8 {
    1 << rule as u8
}

/// The arithmetics that entries tell apart.
const RULES: [Rule; 3] = [Rule::Ieee, Rule::ZeroWins, Rule::Nv20];

/// What an operation is in the graph of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// [`Form::Op`].
    Op,
    /// [`Form::Set`].
    Set,
    /// [`Form::Choose`].
    Choose,
}

impl Form {
    /// The operation at the top with what it is on.
    pub const fn node(self) -> Option<(Kind, Pure, &'static [Self])> {
        match self {
            Self::Op(op, of) => Some((Kind::Op, op, of)),
            Self::Set(op, of) => Some((Kind::Set, op, of)),
            Self::Choose(op, of) => Some((Kind::Choose, op, of)),
            _ => None,
        }
    }

    /// What the operations of it cost; nothing if the machine lacks one.
    fn price(self, machine: &Machine) -> Option<u32> {
        let Some((kind, op, of)) = self.node() else { return Some(0) };
        of.iter().try_fold(price(machine, kind, op)?, |sum, of| Some(sum + of.price(machine)?))
    }
}

/// What an operation costs: slots of its row, or nothing where operands or results are modified by it.
pub(crate) fn price(machine: &Machine, kind: Kind, op: Pure) -> Option<u32> {
    let of = machine.modifiers;
    match (kind, op) {
        (Kind::Op, Pure::Neg) if of.negate => return Some(0),
        (Kind::Op, Pure::Abs) if of.absolute => return Some(0),
        (Kind::Op, Pure::Saturate) if of.saturate => return Some(0),
        _ => {}
    }
    let is_source = |of: &Pattern| matches!(of, Pattern::Source(_));
    let says = |row: &Row| {
        row.scalar == Scalar::F32
            && row.patterns.iter().any(|pattern| match (kind, *pattern) {
                (Kind::Op, Pattern::Op(is, of)) => {
                    // A difference is a sum with a sign that the machine has.
                    let signed = |of: &Pattern| machine.modifiers.negate && matches!(of, Pattern::Minus(_));
                    is == op && of.iter().all(|of| is_source(of) || signed(of))
                }
                (Kind::Set, Pattern::Set(is)) => is == op && machine.truth == Truth::Mask,
                (Kind::Set, Pattern::Op(is, of)) => {
                    is == op && machine.truth == Truth::Number && of.iter().all(is_source)
                }
                (Kind::Choose, Pattern::Op(Pure::Select, of)) => {
                    matches!(of, [Pattern::Op(is, _), Pattern::Source(1), Pattern::Source(2)] if *is == op)
                }
                _ => false,
            })
    };
    machine.rows.iter().filter(|row| says(row)).map(|row| row.slots.into()).min()
}

/// The same graph with what is shorter by these entries; `None` if nothing is.
pub(crate) fn shortened(graph: &Graph, machine: &Machine, entries: &Entries) -> Option<Graph> {
    if entries.is_empty() {
        return None;
    }
    let mut this = Shortener {
        machine,
        entries,
        uses: vec![0; graph.lanes.len()],
        fixed: vec![false; graph.lanes.len()],
        replaced: BTreeMap::new(),
        graph: Cow::Borrowed(graph),
    };
    this.find_fixed(&graph.actions);
    graph.for_each_read(&graph.actions, &mut |lane| this.use_lane(lane));
    let actions = this.actions(&graph.actions);
    let changed = matches!(this.graph, Cow::Owned(_)) || !this.replaced.is_empty();
    changed.then(|| this.finish(actions))
}

/// Entries by what is at their top, each with what the operations cost that it gives.
pub(crate) type Entries = BTreeMap<(Kind, u8), Vec<(&'static Entry, u32)>>;

/// The entries of whose top the graphs of a shader have something.
pub(crate) fn entries<'g>(graphs: impl Iterator<Item = &'g Graph>, machine: &Machine) -> Entries {
    let mut tops: BTreeSet<(Kind, u8)> = BTreeSet::new();
    for graph in graphs {
        let lanes = (0..graph.lanes.len() as u32).map(LaneId);
        let found = lanes.filter_map(|lane| top(graph, machine, lane, |lane| lane));
        tops.extend(found.map(|(kind, op)| (kind, op as u8)));
    }
    let mut out = Entries::new();
    for entry in machine.peepholes.iter().filter(|entry| entry.rules & bit(machine.rule) != 0) {
        let Some((kind, op, _)) = entry.of.node() else { continue };
        let top = (kind, op as u8);
        if let Some(price) = tops.contains(&top).then(|| entry.gives.price(machine)).flatten() {
            out.entry(top).or_default().push((entry, price));
        }
    }
    out
}

/// The comparison of floats that a lane is, with what it compares.
fn comparison(graph: &Graph, lane: LaneId) -> Option<(Pure, &[LaneId])> {
    match &graph.lane(lane).def {
        Def::Pure {
            op: op @ (Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne), scalar: Scalar::F32, args, ..
        } => Some((*op, args.get())),
        _ => None,
    }
}

/// What a lane is in terms of forms; the condition of a choice is looked through. `now` says what lanes have become.
fn top(
    graph: &Graph,
    machine: &Machine,
    lane: LaneId,
    now: impl Fn(LaneId) -> LaneId,
) -> Option<(Kind, Pure)> {
    let Def::Pure { op, scalar, args, .. } = &graph.lane(lane).def else { return None };
    let numbers = machine.truth == Truth::Number;
    let compared = |test: LaneId| comparison(graph, now(test)).map(|(op, _)| op);
    match (*op, args.get()) {
        (Pure::ToF32, &[test]) if *scalar == Scalar::Bool && !numbers => Some((Kind::Set, compared(test)?)),
        (Pure::Select, &[test, _, _]) => Some((Kind::Choose, compared(test)?)),
        (Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne, _) if numbers && *scalar == Scalar::F32 => {
            Some((Kind::Set, *op))
        }
        (op, _) if *scalar == Scalar::F32 && !op.reduces() && op.result().fixed().is_none() => {
            Some((Kind::Op, op))
        }
        _ => None,
    }
}

/// An entry that fits a lane.
#[derive(Clone, Debug, Default)]
struct Match {
    operands: [Option<LaneId>; 2],
    /// Operations of the entry below the top one, each with who reads it.
    inner: Vec<[LaneId; 2]>,
    /// What all of them, and the one at the top, cost.
    costs: Vec<(LaneId, u32)>,
    /// Bits of the arithmetics by which they may be computed.
    rules: u8,
}

struct Shortener<'a> {
    machine: &'a Machine,
    /// Those that may fit.
    entries: &'a Entries,
    /// A graph of its own as soon as something is rewritten.
    graph: Cow<'a, Graph>,
    /// How many read each lane, of what somebody needs.
    uses: Vec<u32>,
    /// Lanes whose operation somebody asks for, and not only what it gives.
    fixed: Vec<bool>,
    /// Lanes that are others.
    replaced: BTreeMap<LaneId, LaneId>,
}

/// How often one lane is rewritten, at most.
const ROUNDS: usize = 4;

impl Shortener<'_> {
    /// Finds conditions: what asks for them takes the comparison apart.
    fn find_fixed(&mut self, actions: &[Action]) {
        for action in actions {
            match action {
                Action::Discard { condition, .. } => self.fix(*condition),
                Action::If(branches) => {
                    self.fix(branches.condition);
                    self.find_fixed(&branches.then);
                    self.find_fixed(&branches.otherwise);
                }
                Action::Loop(rounds) => self.find_fixed(&rounds.body),
                _ => {}
            }
        }
    }

    fn fix(&mut self, lane: LaneId) {
        self.fixed[lane.index()] = true;
        if let Some((Pure::Any | Pure::All, tests)) = self.graph.operation(lane) {
            for test in tests {
                self.fixed[test.index()] = true;
            }
        }
    }

    /// One reader more; what is read for the first time reads what it is made of.
    fn use_lane(&mut self, lane: LaneId) {
        let mut open = vec![self.now(lane)];
        while let Some(lane) = open.pop() {
            let uses = &mut self.uses[lane.index()];
            *uses += 1;
            if *uses == 1 {
                open.extend(self.reads(lane));
            }
        }
    }

    /// One reader less.
    fn release(&mut self, lane: LaneId) {
        let mut open = vec![self.now(lane)];
        while let Some(lane) = open.pop() {
            let uses = &mut self.uses[lane.index()];
            *uses = uses.saturating_sub(1);
            if *uses == 0 {
                open.extend(self.reads(lane));
            }
        }
    }

    fn reads(&self, lane: LaneId) -> Vec<LaneId> {
        reads_of(&self.graph, &self.graph.lane(lane).def).into_iter().map(|lane| self.now(lane)).collect()
    }

    /// The same, with what a comparison reads that nothing else asks for in place of the comparison.
    fn reads_through(&self, lane: LaneId) -> Vec<LaneId> {
        let is_own = |test: LaneId| {
            matches!(self.graph.operation(test), Some((Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne, _)))
                && self.uses[test.index()] == 1
        };
        match self.graph.operation(lane) {
            Some((Pure::Select | Pure::ToF32, _)) => {
                let reads = self.reads(lane);
                reads.into_iter().flat_map(|of| if is_own(of) { self.reads(of) } else { vec![of] }).collect()
            }
            _ => self.reads(lane),
        }
    }

    /// What a lane is now.
    fn now(&self, mut lane: LaneId) -> LaneId {
        while let Some(&other) = self.replaced.get(&lane) {
            lane = other;
        }
        lane
    }

    fn actions(&mut self, actions: &[Action]) -> Vec<Action> {
        let mut out = Vec::with_capacity(actions.len());
        for action in actions {
            match action {
                Action::Pack(lanes) => self.pack(lanes, &mut out),
                Action::If(branches) => {
                    let then = self.actions(&branches.then);
                    let otherwise = self.actions(&branches.otherwise);
                    let merged = branches.merged.clone();
                    out.push(Action::If(Box::new(Branches { then, otherwise, merged, ..**branches })));
                }
                Action::Loop(rounds) => {
                    let body = self.actions(&rounds.body);
                    let carried = rounds.carried.clone();
                    out.push(Action::Loop(Box::new(Rounds { body, carried, ..**rounds })));
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    fn pack(&mut self, lanes: &[LaneId], out: &mut Vec<Action>) {
        for _ in 0..ROUNDS {
            let live: Vec<LaneId> = lanes
                .iter()
                .copied()
                .filter(|lane| self.uses[lane.index()] > 0 && !self.replaced.contains_key(lane))
                .collect();
            if live.is_empty() || live.iter().any(|lane| self.fixed[lane.index()]) {
                break;
            }
            let Some((entry, matches)) = self.find(&live) else { break };
            self.rewrite(&live, entry, &matches, out);
        }
        let kept = lanes.iter().copied().filter(|lane| !self.replaced.contains_key(lane));
        out.push(Action::Pack(kept.collect()));
    }

    /// The entry that saves most of all that fit each lane.
    fn find(&self, live: &[LaneId]) -> Option<(Entry, Vec<Match>)> {
        let lane = live.first()?;
        let (kind, op) = self.top(*lane)?;
        let mut best: Option<(u32, Entry, Vec<Match>)> = None;
        for (entry, price) in self.entries.get(&(kind, op as u8))? {
            let matches: Option<Vec<Match>> = live.iter().map(|lane| self.matched(entry, *lane)).collect();
            let Some(matches) = matches else { continue };
            if matches.iter().fold(entry.rules, |rules, of| rules & of.rules) == 0 {
                continue;
            }
            let saved = self.saved(live, &matches);
            let gain = saved.saturating_sub(*price);
            if gain > best.as_ref().map_or(0, |best| best.0) {
                best = Some((gain, **entry, matches));
            }
        }
        best.map(|(_, entry, matches)| (entry, matches))
    }

    /// What nobody computes any more if all lanes are something else: the least of them counts, since the rest is in the same instructions.
    fn saved(&self, live: &[LaneId], matches: &[Match]) -> u32 {
        let mut gone: Vec<LaneId> = live.to_vec();
        loop {
            let before = gone.len();
            for &[lane, _] in matches.iter().flat_map(|of| &of.inner) {
                let readers = matches.iter().flat_map(|of| &of.inner).filter(|[of, by]| {
                    // A form may name an operation twice.
                    *of == lane && gone.contains(by)
                });
                let mut readers: Vec<[LaneId; 2]> = readers.copied().collect();
                readers.sort_unstable();
                readers.dedup();
                let count: u32 = readers
                    .iter()
                    .map(|[_, by]| self.reads_through(*by).iter().filter(|of| **of == lane).count() as u32)
                    .sum();
                if !gone.contains(&lane) && count == self.uses[lane.index()] {
                    gone.push(lane);
                }
            }
            if gone.len() == before {
                break;
            }
        }
        let of = |found: &Match| {
            found.costs.iter().filter(|(lane, _)| gone.contains(lane)).map(|(_, cost)| cost).sum::<u32>()
        };
        matches.iter().map(of).min().unwrap_or(0)
    }

    /// What a lane is in terms of forms, with its operands.
    fn node(&self, lane: LaneId) -> Option<(Kind, Pure, Vec<LaneId>)> {
        let (kind, op) = self.top(lane)?;
        let args: Vec<LaneId> = reads_of(&self.graph, &self.graph.lane(lane).def);
        let compared = || comparison(&self.graph, self.now(*args.first()?)).map(|(_, args)| args.to_vec());
        let args = match self.graph.operation(lane)?.0 {
            Pure::ToF32 if kind == Kind::Set => compared()?,
            Pure::Select => compared()?.into_iter().chain(args.iter().skip(1).copied()).collect(),
            _ => args,
        };
        Some((kind, op, args.into_iter().map(|lane| self.now(lane)).collect()))
    }

    fn top(&self, lane: LaneId) -> Option<(Kind, Pure)> {
        top(&self.graph, self.machine, lane, |lane| self.now(lane))
    }

    fn matched(&self, entry: &Entry, lane: LaneId) -> Option<Match> {
        let mut found = Match { rules: entry.rules, ..Match::default() };
        (self.fits(entry.of, lane, &mut found) && found.rules != 0).then_some(found)
    }

    fn fits(&self, form: Form, lane: LaneId, found: &mut Match) -> bool {
        let mut bind = |n: usize| *found.operands[n].get_or_insert(lane) == lane;
        let (kind, op, of) = match form {
            Form::X => return bind(0),
            Form::Y => return bind(1),
            Form::Number(bits) => return self.graph.number(lane) == Some(bits),
            Form::Op(..) | Form::Set(..) | Form::Choose(..) => {
                let Some(node) = form.node() else { return false };
                node
            }
        };
        let Some((is_kind, is, args)) = self.node(lane) else { return false };
        if (is_kind, is) != (kind, op) || args.len() != of.len() || !self.allows(lane, found) {
            return false;
        }
        let Some(cost) = price(self.machine, kind, op) else { return false };
        found.costs.push((lane, cost));
        let before = found.clone();
        let all = |found: &mut Match, args: &mut dyn Iterator<Item = &LaneId>| {
            of.iter().zip(args).all(|(of, arg)| {
                if of.node().is_some() {
                    found.inner.push([*arg, lane]);
                }
                self.fits(*of, *arg, found)
            })
        };
        if all(found, &mut args.iter()) {
            return true;
        }
        if !commutes(kind, op) {
            return false;
        }
        *found = before;
        all(found, &mut args.iter().rev())
    }

    /// Whether the arithmetic of a lane, and of the comparison below a choice, is one of those that the entry holds for.
    fn allows(&self, lane: LaneId, found: &mut Match) -> bool {
        let Def::Pure { op, arith, scalar, args } = &self.graph.lane(lane).def else { return false };
        if arith.flush || arith.precise {
            return false;
        }
        for rule in RULES {
            let own = Arith { rule, ..Arith::IEEE };
            if own.concerning(Op::Pure(*op), *scalar).rule != arith.rule {
                found.rules &= !bit(rule);
            }
        }
        match (*op, args.get()) {
            (Pure::Select | Pure::ToF32, &[test, ..])
                if !matches!(scalar, Scalar::F32) || *op == Pure::Select =>
            {
                let test = self.now(test);
                *op == Pure::ToF32 && self.machine.truth == Truth::Number || self.allows(test, found)
            }
            _ => true,
        }
    }

    /// Puts what an entry gives in the place of lanes.
    fn rewrite(&mut self, live: &[LaneId], entry: Entry, matches: &[Match], out: &mut Vec<Action>) {
        let rules = matches.iter().fold(entry.rules, |rules, of| rules & of.rules);
        let own = self.machine.rule;
        let rule = if rules & bit(own) != 0 {
            own
        } else {
            RULES.into_iter().find(|rule| rules & bit(*rule) != 0).unwrap_or(own)
        };
        let mut build = Build { rule, matches, live, out };
        match entry.gives.node() {
            None => {
                let others = self.build(entry.gives, &mut build);
                for (&lane, other) in live.iter().zip(others) {
                    let uses = core::mem::take(&mut self.uses[lane.index()]);
                    let before = self.reads(lane);
                    // Who reads the lane reads the other one.
                    for _ in 0..uses.min(1) {
                        self.use_lane(other);
                    }
                    self.uses[other.index()] += uses.saturating_sub(1);
                    before.into_iter().for_each(|lane| self.release(lane));
                    self.replaced.insert(lane, other);
                }
            }
            Some((kind, op, of)) => {
                let args: Vec<Vec<LaneId>> = of.iter().map(|of| self.build(*of, &mut build)).collect();
                for (n, &lane) in live.iter().enumerate() {
                    let before = self.reads(lane);
                    let args: Vec<LaneId> = args.iter().filter_map(|of| of.get(n).copied()).collect();
                    let step = self.graph.lane(lane).step;
                    let new = self.made(kind, op, rule, &args, step, build.out);
                    self.graph.to_mut().lanes[lane.index()] = new;
                    self.reads(lane).into_iter().for_each(|lane| self.use_lane(lane));
                    before.into_iter().for_each(|lane| self.release(lane));
                }
            }
        }
    }

    /// The lanes that a form is, one for each that is rewritten.
    fn build(&mut self, form: Form, build: &mut Build<'_>) -> Vec<LaneId> {
        let operand = |n: usize| -> Vec<LaneId> {
            build.matches.iter().map(|of| of.operands[n].unwrap_or(LaneId(0))).collect()
        };
        let (kind, op, of) = match form {
            Form::X => return operand(0),
            Form::Y => return operand(1),
            Form::Number(bits) => {
                let lane = self.number(bits);
                return vec![lane; build.live.len()];
            }
            Form::Op(op, of) => (Kind::Op, op, of),
            Form::Set(op, of) => (Kind::Set, op, of),
            Form::Choose(op, of) => (Kind::Choose, op, of),
        };
        let args: Vec<Vec<LaneId>> = of.iter().map(|of| self.build(*of, build)).collect();
        let mut lanes: Vec<LaneId> = Vec::new();
        for n in 0..build.live.len() {
            let args: Vec<LaneId> = args.iter().filter_map(|of| of.get(n).copied()).collect();
            let step = self.graph.lane(build.live[n]).step;
            let new = self.made(kind, op, build.rule, &args, step, build.out);
            let same = lanes.iter().copied().find(|of| self.graph.lane(*of).def == new.def);
            let lane = same.unwrap_or_else(|| self.push(new));
            lanes.push(lane);
        }
        let mut pack: Vec<LaneId> = Vec::new();
        lanes.iter().for_each(|lane| pack.extend((!pack.contains(lane)).then_some(*lane)));
        build.out.push(Action::Pack(pack));
        lanes
    }

    fn number(&mut self, bits: u32) -> LaneId {
        let lane = Lane { def: Def::Const(bits), scalar: Scalar::F32, step: 0 };
        self.graph.find(&lane.def, Scalar::F32).unwrap_or_else(|| self.push(lane))
    }

    fn push(&mut self, lane: Lane) -> LaneId {
        let id = LaneId(self.graph.lanes.len() as u32);
        self.graph.to_mut().lanes.push(lane);
        self.uses.push(0);
        self.fixed.push(false);
        id
    }

    /// A lane of an operation; the comparison that it asks for gets one of its own.
    fn made(
        &mut self,
        kind: Kind,
        op: Pure,
        rule: Rule,
        args: &[LaneId],
        step: u32,
        out: &mut Vec<Action>,
    ) -> Lane {
        let pure = |op: Pure, scalar: Scalar, args: &[LaneId]| {
            let arith = Arith { rule, ..Arith::IEEE }.concerning(Op::Pure(op), scalar);
            Def::Pure { op, arith, scalar, args: Operands::new(args) }
        };
        let test =
            Lane { def: pure(op, Scalar::F32, args.get(..2).unwrap_or(args)), scalar: Scalar::Bool, step };
        match kind {
            Kind::Op => Lane { def: pure(op, Scalar::F32, args), scalar: Scalar::F32, step },
            Kind::Set if self.machine.truth == Truth::Number => test,
            Kind::Set => {
                let test = self.push(test);
                out.push(Action::Pack(vec![test]));
                Lane { def: pure(Pure::ToF32, Scalar::Bool, &[test]), scalar: Scalar::F32, step }
            }
            Kind::Choose => {
                let test = self.push(test);
                out.push(Action::Pack(vec![test]));
                let args: Vec<LaneId> = core::iter::once(test).chain(args.iter().skip(2).copied()).collect();
                Lane { def: pure(Pure::Select, Scalar::F32, &args), scalar: Scalar::F32, step }
            }
        }
    }

    /// The graph in which lanes that are others are those.
    fn finish(mut self, mut actions: Vec<Action>) -> Graph {
        let replaced = core::mem::take(&mut self.replaced);
        let now = |lane: &mut LaneId| {
            while let Some(other) = replaced.get(lane) {
                *lane = *other;
            }
        };
        let mut graph = self.graph.into_owned();
        graph.for_each_lane_mut(&mut |lane| now(lane));
        for_each_read_mut(&mut actions, &mut |lane| now(lane));
        graph.actions = actions;
        graph
    }
}

/// What is being put in the place of lanes.
struct Build<'b> {
    rule: Rule,
    matches: &'b [Match],
    live: &'b [LaneId],
    out: &'b mut Vec<Action>,
}

/// Operations whose operands may change places, by every bit and every arithmetic.
const fn commutes(kind: Kind, op: Pure) -> bool {
    match kind {
        Kind::Op => matches!(op, Pure::Add | Pure::Mul),
        Kind::Set => matches!(op, Pure::Eq | Pure::Ne),
        Kind::Choose => false,
    }
}

/// Calls `f` for each lane that actions read, or hand on.
fn for_each_read_mut(actions: &mut [Action], f: &mut dyn FnMut(&mut LaneId)) {
    for action in actions {
        match action {
            Action::Pack(_) | Action::Call(_) => {}
            Action::Store { lanes, .. } => lanes.iter_mut().flatten().for_each(&mut *f),
            Action::Discard { condition, .. } => f(condition),
            Action::If(branches) => {
                f(&mut branches.condition);
                // The first one is what it defines.
                for [_, then, other] in &mut branches.merged {
                    f(then);
                    f(other);
                }
                for_each_read_mut(&mut branches.then, f);
                for_each_read_mut(&mut branches.otherwise, f);
            }
            Action::Loop(rounds) => {
                rounds.carried.iter_mut().for_each(|[_, init]| f(init));
                for_each_read_mut(&mut rounds.body, f);
            }
            Action::Exit(exit) => {
                exit.copies.iter_mut().for_each(|[_, from]| f(from));
                exit.copies.retain(|[to, from]| to != from);
            }
        }
    }
}
