//! From lanes to instructions: the largest pattern that fits, users before what they use.
//!
//! The graph is walked backwards. A lane that somebody needs becomes an instruction of the row whose pattern covers most of what
//! it is computed from; what the pattern covers and nobody else reads is never computed alone. Lanes of one instruction of the
//! source stay together where they take the same row.

use crate::calls::only_reads;
use crate::code::{Instr, Source, Target, Test, What, Written};
use crate::graph::{Action, Branches, Def, Graph, How, LaneId, ReadKind, Rounds, TextureRead};
use crate::machine::{Conditionals, Kind, Loops, Machine, Pattern, Row, Truth};
use crate::refusal::Refusals;
use crate::rules;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Lod, Op, Promise, Pure, Scalar};

/// A lane as a source reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Operand {
    lane: LaneId,
    negate: bool,
    absolute: bool,
}

/// How a lane is computed.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    row: u16,
    saturate: bool,
    sources: Vec<Vec<Operand>>,
    /// What is kept of the operation, if it is not exact, and where results differ.
    weaker: Option<(Promise, &'static str)>,
    /// The lane of a register that the result must be.
    slot: Option<u8>,
}

/// The instructions that compute what a graph stores, in order.
pub(crate) fn select(graph: &Graph, machine: &Machine, refusals: &mut Refusals) -> Vec<Instr> {
    let mut selector = Selector::new(graph, machine, refusals);
    selector.actions(&graph.actions, 0);
    let mut code = selector.code;
    code.reverse();
    code
}

/// A row, one of its patterns, and what is kept by it if that is not all.
type Candidate = (u16, Pattern, Option<(Promise, &'static str)>);

struct Selector<'a, 'r> {
    graph: &'a Graph,
    machine: &'a Machine,
    refusals: &'r mut Refusals,
    /// Rows by the operation and scalar at the top, the largest pattern first.
    rows: BTreeMap<(u8, u8), Vec<Candidate>>,
    /// How many live lanes and actions read each lane, and how many of them are still to come.
    uses: Vec<u32>,
    pending: Vec<u32>,
    needed: Vec<bool>,
    done: Vec<bool>,
    /// The branch each lane is computed in.
    region_of: Vec<u32>,
    /// Whether all that reads a lane is the number of a register.
    only_index: Vec<bool>,
    /// Whether all that reads a lane is sums and differences, which can compute it themselves.
    is_summed: Vec<bool>,
    /// Dot products by their first vector.
    dots: BTreeMap<Vec<LaneId>, Vec<LaneId>>,
    /// What the best pattern would keep that keeps too little, of the operation that is being covered.
    barred: Option<Promise>,
    /// Whether the lane that is being covered is precise: a pattern covers what is as it is.
    precise: bool,
    /// Backwards.
    code: Vec<Instr>,
    regions: u32,
}

/// Operations whose operands may change places.
const fn commutes(op: Pure) -> bool {
    matches!(op, Pure::Add | Pure::Mul | Pure::And | Pure::Or | Pure::Xor | Pure::Eq | Pure::Ne)
}

/// Whether a lane is held by a register that no instruction writes.
pub(crate) const fn is_given(def: &Def) -> bool {
    matches!(
        def,
        Def::Const(_) | Def::Input { .. } | Def::Vertex { .. } | Def::Param { .. } | Def::ParamAt { .. }
    )
}

/// What a definition reads.
pub(crate) fn reads_of(graph: &Graph, def: &Def) -> Vec<LaneId> {
    match def {
        Def::Pure { args, .. } => args.get().to_vec(),
        Def::ParamAt { index, .. } => vec![*index],
        Def::Derivative { of, .. } => vec![*of],
        Def::Texel { read, .. } => graph.reads[*read as usize].lanes().collect(),
        // What acts reads where it stands.
        Def::Called { call, .. } => {
            let call = &graph.calls[*call as usize];
            if call.acts { Vec::new() } else { call.args.concat() }
        }
        Def::Const(_) | Def::Input { .. } | Def::Vertex { .. } | Def::Param { .. } | Def::Merged => {
            Vec::new()
        }
    }
}

impl<'a, 'r> Selector<'a, 'r> {
    fn new(graph: &'a Graph, machine: &'a Machine, refusals: &'r mut Refusals) -> Self {
        let mut rows: BTreeMap<(u8, u8), Vec<Candidate>> = BTreeMap::new();
        for (n, row) in machine.rows.iter().enumerate() {
            let exact = row.patterns.iter().map(|pattern| (pattern, None));
            let weaker =
                row.weaker.iter().map(|(pattern, promise, differs)| (pattern, Some((*promise, *differs))));
            for (pattern, weaker) in exact.chain(weaker) {
                let Some(root) = pattern.root() else { continue };
                let scalar = if root == Pure::Select { 0 } else { row.scalar as u8 };
                let of = if matches!(pattern, Pattern::Set(_)) { Scalar::Bool as u8 } else { scalar };
                rows.entry((root as u8, of)).or_default().push((n as u16, *pattern, weaker));
            }
        }
        for list in rows.values_mut() {
            list.sort_by_key(|(_, pattern, weaker)| (core::cmp::Reverse(pattern.size()), weaker.is_some()));
        }
        let count = graph.lanes.len();
        let mut dots: BTreeMap<Vec<LaneId>, Vec<LaneId>> = BTreeMap::new();
        for (n, lane) in graph.lanes.iter().enumerate() {
            if let Def::Pure { op: Pure::Dot, args, .. } = &lane.def {
                let vector = &args.get()[..args.get().len() / 2];
                dots.entry(vector.to_vec()).or_default().push(LaneId(n as u32));
            }
        }
        let mut this = Self {
            graph,
            machine,
            refusals,
            rows,
            uses: vec![0; count],
            pending: Vec::new(),
            needed: vec![false; count],
            done: vec![false; count],
            region_of: vec![0; count],
            only_index: vec![true; count],
            is_summed: vec![true; count],
            dots,
            barred: None,
            precise: false,
            code: Vec::new(),
            regions: 0,
        };
        let mut regions = 0;
        this.count(&graph.actions, 0, &mut regions);
        this.pending = this.uses.clone();
        this.find_indices();
        this
    }

    // What is read, and by how many.

    fn count(&mut self, actions: &[Action], region: u32, regions: &mut u32) {
        for action in actions.iter().rev() {
            match action {
                Action::Pack(lanes) => {
                    for &lane in lanes.iter().rev() {
                        self.region_of[lane.index()] = region;
                    }
                }
                Action::Store { lanes, .. } => lanes.iter().flatten().for_each(|lane| self.count_use(*lane)),
                Action::Discard { condition, .. } => self.count_use(*condition),
                Action::Call(call) => {
                    if !self.is_idle(*call) {
                        let lanes = self.graph.calls[*call as usize].args.concat();
                        lanes.into_iter().for_each(|lane| self.count_use(lane));
                    }
                }
                Action::If(branches) => {
                    self.count_use(branches.condition);
                    for [merged, then, other] in &branches.merged {
                        self.region_of[merged.index()] = region;
                        if self.uses[merged.index()] > 0 {
                            self.count_use(*then);
                            self.count_use(*other);
                        }
                    }
                    *regions += 1;
                    let inner = *regions;
                    self.count(&branches.otherwise, inner, regions);
                    *regions += 1;
                    let inner = *regions;
                    self.count(&branches.then, inner, regions);
                }
                Action::Loop(rounds) => {
                    *regions += 1;
                    let inner = *regions;
                    for [carried, _] in &rounds.carried {
                        self.region_of[carried.index()] = inner;
                    }
                    self.count(&rounds.body, inner, regions);
                    rounds.carried.iter().for_each(|[_, init]| self.count_use(*init));
                }
                // What is carried round may be read in the next round, wherever that is.
                Action::Exit(exit) => exit.copies.iter().for_each(|[_, from]| self.count_use(*from)),
            }
        }
    }

    /// A lane is read by something that no pattern covers.
    fn exclude(&mut self, lane: LaneId) {
        self.only_index[lane.index()] = false;
        self.is_summed[lane.index()] = false;
    }

    /// Finds lanes that number registers and nothing else, and those that only sums read.
    fn find_indices(&mut self) {
        for n in 0..self.graph.lanes.len() {
            if self.uses[n] == 0 || matches!(self.graph.lanes[n].def, Def::ParamAt { .. }) {
                continue;
            }
            let sums = matches!(
                self.graph.lanes[n].def,
                Def::Pure { op: Pure::Add | Pure::Sub, scalar: Scalar::F32, .. }
            );
            for read in reads_of(self.graph, &self.graph.lanes[n].def) {
                self.only_index[read.index()] = false;
                self.is_summed[read.index()] &= sums;
            }
        }
        let graph = self.graph;
        graph.for_each_read(&graph.actions, &mut |lane| self.exclude(lane));
    }

    /// A lane that is read for the first time reads what it is made of.
    fn count_use(&mut self, lane: LaneId) {
        let mut work = vec![lane];
        while let Some(lane) = work.pop() {
            let uses = &mut self.uses[lane.index()];
            *uses += 1;
            if *uses == 1 {
                work.extend(reads_of(self.graph, &self.graph.lane(lane).def));
            }
        }
    }

    /// One reader less: where it was the last one of a lane that is computed inside of others, those readers of what it reads go, too.
    fn release(&mut self, lane: LaneId) {
        let mut work = vec![lane];
        while let Some(lane) = work.pop() {
            let pending = &mut self.pending[lane.index()];
            *pending = pending.saturating_sub(1);
            if *pending == 0 && !self.needed[lane.index()] {
                work.extend(reads_of(self.graph, &self.graph.lane(lane).def));
            }
        }
    }

    fn need(&mut self, lane: LaneId) {
        self.needed[lane.index()] = true;
        if let Def::ParamAt { index, .. } = self.graph.lane(lane).def {
            self.need_index(index);
        }
    }

    /// A lane that numbers a register.
    fn need_index(&mut self, index: LaneId) {
        if self.machine.addresses > 0 {
            self.needed[index.index()] = true;
            return;
        }
        // The conversion is part of the access.
        match self.graph.operation(index) {
            Some((Pure::ToI32, &[x])) => {
                self.need(x);
            }
            _ => {
                let step = self.graph.lane(index).step;
                self.refuse_operation(index, step);
            }
        }
    }

    // Actions, backwards.

    fn actions(&mut self, actions: &[Action], region: u32) {
        for action in actions.iter().rev() {
            match action {
                Action::Pack(lanes) => self.pack(lanes, region),
                Action::Store { output, lanes, step } => {
                    let mut instr = Instr::new(What::Copy, region);
                    instr.target = Target::Output(*output);
                    let mut source = Vec::new();
                    for (n, lane) in lanes.iter().enumerate() {
                        let Some(lane) = *lane else { continue };
                        instr.results.push(Written { lane, slot: Some(n as u8) });
                        source.push(lane);
                        self.need(lane);
                    }
                    let read = source.clone();
                    instr.sources.push(Source::of(source));
                    instr.steps.push(*step);
                    self.code.push(instr);
                    read.into_iter().for_each(|lane| self.release(lane));
                }
                Action::Discard { condition, step } => self.discard(*condition, *step, region),
                Action::Call(call) => {
                    let results = &self.graph.calls[*call as usize].results;
                    let wanted: Vec<LaneId> =
                        results.iter().copied().filter(|lane| self.needed[lane.index()]).collect();
                    if !(wanted.is_empty() && self.is_idle(*call)) {
                        // What gives something gives it somewhere.
                        let first = results.first().copied();
                        self.call(*call, if wanted.is_empty() { first.as_slice() } else { &wanted }, region);
                        let lanes = self.graph.calls[*call as usize].args.concat();
                        lanes.into_iter().for_each(|lane| self.release(lane));
                    }
                }
                Action::If(branches) => self.branches(branches, region),
                Action::Loop(rounds) => self.rounds(rounds, region),
                Action::Exit(exit) => {
                    match exit.how {
                        How::Break => {
                            if self.machine.loops == Loops::Counted
                                && self.machine.conditionals != Conditionals::All
                            {
                                self.refuse_flow("early exits", exit.step);
                            }
                            self.code.push(Instr::new(What::Break, region));
                        }
                        How::Continue if self.machine.loops == Loops::Counted => {
                            self.refuse_flow("rounds that end early", exit.step);
                        }
                        How::Continue => self.code.push(Instr::new(What::Continue, region)),
                        How::End => {}
                    }
                    self.exchange(&exit.copies, region, exit.step);
                }
            }
        }
    }

    fn refuse_flow(&mut self, what: &str, step: u32) {
        let name = self.machine.name;
        self.refusals.add(rules::FLOW, &[&name, &what], step);
    }

    fn rounds(&mut self, rounds: &Rounds, region: u32) {
        self.code.push(Instr::new(What::EndLoop, region));
        // Whether a round reads what the one before left is known only where it began.
        rounds.carried.iter().for_each(|[carried, _]| self.need(*carried));
        self.regions += 1;
        let inner = self.regions;
        self.actions(&rounds.body, inner);
        let mut instr = Instr::new(What::Loop(rounds.count), region);
        instr.steps.push(rounds.step);
        self.code.push(instr);
        self.exchange(&rounds.carried, region, rounds.step);
    }

    /// Copies to lanes that a loop carries round, or to its results, all at once.
    fn exchange(&mut self, copies: &[[LaneId; 2]], region: u32, step: u32) {
        let mut instr = Instr::new(What::Copy, region);
        instr.pinned = true;
        let mut source = Vec::new();
        for &[to, from] in copies.iter().filter(|[to, _]| self.needed[to.index()]) {
            instr.results.push(Written { lane: to, slot: None });
            source.push(from);
        }
        source.iter().for_each(|&lane| self.need(lane));
        if !source.is_empty() {
            instr.sources.push(Source::of(source));
            instr.steps.push(step);
            self.code.push(instr);
        }
        copies.iter().for_each(|[_, from]| self.release(*from));
    }

    fn discard(&mut self, condition: LaneId, step: u32, region: u32) {
        let mut instr = Instr::new(What::Discard, region);
        instr.steps.push(step);
        let zero = |this: &Self, lane: LaneId| this.graph.number(lane).is_some_and(|bits| bits << 1 == 0);
        let below = |this: &Self, lane: LaneId| match this.graph.operation(lane) {
            Some((Pure::Lt, &[x, y])) if zero(this, y) => Some(x),
            _ => None,
        };
        let tests = match self.graph.operation(condition) {
            Some((Pure::Any, tests))
                if self.machine.truth == Truth::Mask || self.machine.quirks.kills_registers =>
            {
                tests.to_vec()
            }
            _ => vec![condition],
        };
        let Some(lanes) = tests.iter().map(|&test| below(self, test)).collect::<Option<Vec<_>>>() else {
            self.refuse_operation(condition, step);
            return;
        };
        let operands: Vec<Operand> = lanes.iter().map(|&lane| self.operand(lane, true)).collect();
        let uniform =
            operands.iter().all(|of| (of.negate, of.absolute) == (operands[0].negate, operands[0].absolute));
        let operands = if uniform { operands } else { lanes.iter().map(|&lane| plain(lane)).collect() };
        instr.sources.push(self.source(&operands));
        self.code.push(instr);
        self.release(condition);
    }

    /// A source of these lanes, which are needed from now on.
    fn source(&mut self, operands: &[Operand]) -> Source {
        let lanes: Vec<LaneId> = operands.iter().map(|operand| operand.lane).collect();
        lanes.iter().for_each(|&lane| self.need(lane));
        let first = operands.first();
        Source {
            lanes,
            negate: first.is_some_and(|operand| operand.negate),
            absolute: first.is_some_and(|operand| operand.absolute),
        }
    }

    fn branches(&mut self, branches: &Branches, region: u32) {
        let constant = self.constant_test(branches.condition);
        if self.machine.conditionals != Conditionals::All && constant.is_none() {
            self.refuse_flow("conditionals", branches.step);
            return;
        }
        let merged: Vec<[LaneId; 3]> =
            branches.merged.iter().copied().filter(|of| self.needed[of[0].index()]).collect();
        let step = branches.step;
        let (test, operands, swap) = self.test(branches.condition, step);
        self.code.push(Instr::new(What::EndIf, region));
        let leave = |this: &mut Self, inner: u32, n: usize| {
            for of in merged.iter().rev() {
                let mut instr = Instr::new(What::Copy, inner);
                instr.results.push(Written { lane: of[0], slot: None });
                instr.sources.push(Source::of(vec![of[n]]));
                instr.steps.push(step);
                this.need(of[n]);
                this.code.push(instr);
                this.release(of[n]);
            }
        };
        self.regions += 1;
        let inner = self.regions;
        let mark = self.code.len();
        let (first, second) = if swap { (1, 2) } else { (2, 1) };
        let lists = [&branches.then, &branches.otherwise];
        leave(self, inner, first);
        self.actions(lists[first - 1], inner);
        if self.code.len() > mark {
            self.code.push(Instr::new(What::Else, region));
        }
        self.regions += 1;
        let inner = self.regions;
        leave(self, inner, second);
        self.actions(lists[second - 1], inner);
        let mut instr = Instr::new(What::If(test), region);
        for operand in operands {
            let source = self.source(&[operand]);
            instr.sources.push(source);
        }
        instr.steps.push(step);
        self.code.push(instr);
        self.release(branches.condition);
    }

    /// The test of a constant that is a truth.
    fn constant_test(&self, condition: LaneId) -> Option<Test> {
        let (lane, opposite) = match self.graph.operation(condition) {
            Some((Pure::Not, &[of])) => (of, true),
            _ => (condition, false),
        };
        let lane = self.graph.lane(lane);
        match lane.def {
            Def::Param { array, index, .. } if self.machine.has_truths && lane.scalar == Scalar::Bool => {
                Some(Test::Constant { array, index, opposite })
            }
            _ => None,
        }
    }

    /// How a condition is asked for: the test, what it compares, and whether the branches change places.
    fn test(&mut self, condition: LaneId, step: u32) -> (Test, Vec<Operand>, bool) {
        if let Some(test) = self.constant_test(condition) {
            return (test, Vec::new(), false);
        }
        let lane = self.graph.lane(condition);
        let compared = match &lane.def {
            Def::Pure { op, scalar, args, .. } => Some((*op, *scalar, args.get())),
            _ => None,
        };
        match (self.machine.truth, compared) {
            (Truth::Number, Some((op, Scalar::F32, &[a, b]))) if self.machine.tests.contains(&op) => {
                (Test::Compare(op), vec![self.operand(a, true), self.operand(b, true)], false)
            }
            (Truth::Number, _) => {
                self.refuse_operation(condition, step);
                (Test::Word, Vec::new(), false)
            }
            (Truth::Mask, Some((op @ (Pure::Eq | Pure::Ne), scalar, &[a, b])))
                if self.graph.number(b).is_some_and(|bits| bits == 0) =>
            {
                let float = scalar == Scalar::F32;
                let test = if float { Test::Float } else { Test::Word };
                (test, vec![self.operand(a, float)], op == Pure::Eq)
            }
            (Truth::Mask, _) => (Test::Word, vec![plain(condition)], false),
        }
    }

    // Lanes.

    fn pack(&mut self, lanes: &[LaneId], region: u32) {
        let wanted: Vec<LaneId> = lanes
            .iter()
            .copied()
            .filter(|lane| self.needed[lane.index()] && !self.done[lane.index()])
            .collect();
        if wanted.is_empty() {
            return;
        }
        if let Def::Texel { read, .. } = self.graph.lane(wanted[0]).def {
            self.read(read, &wanted, region);
            return;
        }
        if let Def::Called { call, .. } = self.graph.lane(wanted[0]).def {
            self.call(call, &wanted, region);
            return;
        }
        if self.vector(&wanted, region) {
            return;
        }
        // Lanes that take the same row with the same modifiers are one instruction.
        let mut groups: Vec<(Choice, Vec<LaneId>)> = Vec::new();
        for lane in wanted {
            let Some(choice) = self.choose(lane) else {
                let step = self.graph.lane(lane).step;
                self.refuse_operation(lane, step);
                continue;
            };
            let alone = self.machine.rows[usize::from(choice.row)].kind != Kind::PerLane
                && !matches!(self.machine.rows[usize::from(choice.row)].kind, Kind::Derivative { .. });
            let fits = |(of, _): &(Choice, Vec<LaneId>)| !alone && is_alike(of, &choice);
            match groups.iter().position(fits) {
                Some(at) => {
                    for (to, from) in groups[at].0.sources.iter_mut().zip(&choice.sources) {
                        to.extend_from_slice(from);
                    }
                    groups[at].1.push(lane);
                }
                None => groups.push((choice, vec![lane])),
            }
        }
        for (choice, lanes) in groups.into_iter().rev() {
            if let Some(first) = lanes.first().filter(|lane| self.matrix(**lane, region)) {
                debug_assert!(self.done[first.index()]);
                continue;
            }
            self.emit(&choice, &lanes, region);
        }
    }

    fn emit(&mut self, choice: &Choice, lanes: &[LaneId], region: u32) {
        let mut instr = Instr::new(What::Row(choice.row), region);
        instr.saturate = choice.saturate;
        if let (Some((promise, differs)), Some(&lane)) = (choice.weaker, lanes.first()) {
            let name = self.graph.operation(lane).map_or("", |(op, _)| op.name());
            self.refusals.weaken(promise, name, differs, self.graph.lane(lane).step);
        }
        let row = &self.machine.rows[usize::from(choice.row)];
        for operands in &choice.sources {
            let source = self.source(operands);
            instr.sources.push(source);
        }
        if let Some((at, _)) = row.fixed {
            // A number, put in where literals are placed.
            instr.sources.insert(usize::from(at).min(instr.sources.len()), Source::default());
        }
        let mut results: Vec<Written> =
            lanes.iter().map(|&lane| Written { lane, slot: choice.slot }).collect();
        if choice.slot.is_some() {
            self.join_placed(choice, region, &mut results);
        }
        self.finish(instr, results);
    }

    /// Adds the other results of the same instruction that are needed here.
    fn join_placed(&mut self, choice: &Choice, region: u32, results: &mut Vec<Written>) {
        for n in 0..self.graph.lanes.len() {
            let lane = LaneId(n as u32);
            let ready =
                self.needed[n] && !self.done[n] && self.pending[n] == 0 && self.region_of[n] == region;
            if !ready || results.iter().any(|of| of.lane == lane) {
                continue;
            }
            let other = self.choose(lane).filter(|other| {
                let beside = results.iter().all(|of| of.slot != other.slot);
                other.row == choice.row && other.sources == choice.sources && beside
            });
            if let Some(other) = other {
                results.push(Written { lane, slot: other.slot });
            }
        }
    }

    fn is_precise(&self, lane: LaneId) -> bool {
        matches!(self.graph.lane(lane).def, Def::Pure { arith, .. } if arith.precise)
    }

    /// Appends an instruction that defines lanes.
    fn finish(&mut self, mut instr: Instr, results: Vec<Written>) {
        for written in &results {
            self.done[written.lane.index()] = true;
            instr.precise |= self.is_precise(written.lane);
            let step = self.graph.lane(written.lane).step;
            if !instr.steps.contains(&step) {
                instr.steps.push(step);
            }
        }
        let lanes: Vec<LaneId> = results.iter().map(|written| written.lane).collect();
        instr.results = results;
        self.code.push(instr);
        for lane in lanes {
            for read in reads_of(self.graph, &self.graph.lane(lane).def) {
                self.release(read);
            }
        }
    }

    fn read(&mut self, number: u32, wanted: &[LaneId], region: u32) {
        let read = &self.graph.reads[number as usize];
        let mut instr = Instr::new(What::Read(number), region);
        let mut vectors: Vec<Vec<LaneId>> = vec![read.coordinates.clone()];
        if let Some(projected) = self.projected(read) {
            instr.what = What::ReadProjected(number);
            vectors = vec![projected];
        }
        // Lanes that have a place of their own in the vector of the coordinates, or stand in a vector behind that.
        let first = read.coordinates[0];
        let place = |vectors: &mut Vec<Vec<LaneId>>, lane: LaneId, at: Option<usize>| match at {
            Some(at) if vectors[0].len() <= at => {
                vectors[0].resize(at, first);
                vectors[0].push(lane);
            }
            _ if vectors.len() == 1 => vectors.push(vec![lane]),
            _ => vectors[1].insert(0, lane),
        };
        if let Some(reference) = read.reference {
            let behind = read.dim.coord_lanes().max(2);
            place(&mut vectors, reference, Some(usize::from(behind)).filter(|at| *at < 4));
        }
        match read.lod {
            // The fourth lane of the coordinate.
            Lod::Bias | Lod::Level if self.machine.reads.fourth => {
                for &lane in &read.detail {
                    place(&mut vectors, lane, Some(3));
                }
            }
            Lod::Gradient => {
                let (x, y) = read.detail.split_at(read.detail.len() / 2);
                vectors.extend([x.to_vec(), y.to_vec()]);
            }
            _ => {}
        }
        vectors.extend((!read.offset.is_empty()).then(|| read.offset.clone()));
        for lanes in vectors {
            let operands: Vec<Operand> = lanes.iter().map(|&lane| plain(lane)).collect();
            let source = self.source(&operands);
            instr.sources.push(source);
        }
        let results = wanted.iter().map(|&lane| {
            let slot = match self.graph.lane(lane).def {
                Def::Texel { lane, .. } => Some(lane),
                _ => None,
            };
            Written { lane, slot }
        });
        self.finish(instr, results.collect());
    }

    /// Whether an operation acts for nobody: it only reads, and no lane of its result is read.
    fn is_idle(&self, call: u32) -> bool {
        let call = &self.graph.calls[call as usize];
        only_reads(&call.op) && call.results.iter().all(|lane| self.uses[lane.index()] == 0)
    }

    fn call(&mut self, number: u32, wanted: &[LaneId], region: u32) {
        let call = &self.graph.calls[number as usize];
        let mut instr = Instr::new(What::Call(number), region);
        for lanes in &call.args {
            let operands: Vec<Operand> = lanes.iter().map(|&lane| plain(lane)).collect();
            let source = self.source(&operands);
            instr.sources.push(source);
        }
        if wanted.is_empty() {
            instr.steps.push(call.step);
            self.code.push(instr);
            return;
        }
        let results = wanted.iter().map(|&lane| {
            let slot = match self.graph.lane(lane).def {
                // What is read as several words, or made of 64-bit values, stands where they do.
                Def::Called { lane, .. }
                    if call.words > 1 || matches!(call.op, Op::LoadMemory { .. } | Op::Pure(_)) =>
                {
                    Some(lane)
                }
                _ => None,
            };
            Written { lane, slot }
        });
        self.finish(instr, results.collect());
    }

    /// Coordinates that are all divided by the same lane, with that lane in w.
    fn projected(&self, read: &TextureRead) -> Option<Vec<LaneId>> {
        let simple = read.kind == ReadKind::Sample && read.reference.is_none() && read.offset.is_empty();
        let plain =
            simple && matches!(read.lod, Lod::Implicit { bias_eighths: 0 }) && read.coordinates.len() <= 3;
        if !self.machine.reads.projected || !plain {
            return None;
        }
        let mut lanes = Vec::with_capacity(4);
        let mut by = None;
        for &lane in &read.coordinates {
            let Def::Pure { op: Pure::Div, scalar: Scalar::F32, args, .. } = &self.graph.lane(lane).def
            else {
                return None;
            };
            let &[x, w] = args.get() else { return None };
            if by.is_some_and(|by| by != w) {
                return None;
            }
            by = Some(w);
            lanes.push(x);
        }
        let first = *lanes.first()?;
        lanes.resize(3, first);
        lanes.push(by?);
        Some(lanes)
    }

    /// The largest pattern that computes a lane.
    fn choose(&mut self, lane: LaneId) -> Option<Choice> {
        let Def::Pure { op, arith, scalar, args } = &self.graph.lane(lane).def else {
            return self.choose_other(lane);
        };
        self.precise = arith.precise;
        if *op == Pure::Saturate && self.machine.modifiers.saturate {
            let of = args.get()[0];
            if self.uses[of.index()] == 1 && !is_given(&self.graph.lane(of).def) {
                let choice = self.choose(of).filter(|choice| {
                    let row = &self.machine.rows[usize::from(choice.row)];
                    row.saturates
                        && !choice.saturate
                        && self.region_of[of.index()] == self.region_of[lane.index()]
                });
                if let Some(choice) = choice {
                    return Some(Choice { saturate: true, ..choice });
                }
            }
            let sources = vec![vec![self.operand(of, true)]];
            return self.copy_row().map(|row| Choice {
                row,
                saturate: true,
                sources,
                weaker: None,
                slot: None,
            });
        }
        if *op == Pure::Dot {
            let args = args.get();
            let (a, b) = args.split_at(args.len() / 2);
            if let Some(choice) = self.homogeneous(a, b) {
                return Some(choice);
            }
            let kind = Kind::Dot(a.len() as u8);
            let row = self.machine.rows.iter().position(|row| row.kind == kind)?;
            let sources = [a, b].map(|lanes| self.vector_operands(lanes)).to_vec();
            return Some(Choice { row: row as u16, saturate: false, sources, weaker: None, slot: None });
        }
        let over = if *op == Pure::Select { 0 } else { *scalar as u8 };
        self.barred = None;
        let candidates = self.rows.get(&(*op as u8, over))?;
        for (number, pattern, weaker) in candidates {
            let row = &self.machine.rows[usize::from(*number)];
            if Some(row.code) == self.machine.index && !self.only_index[lane.index()] {
                continue;
            }
            let mut bound = [None; 4];
            if self.fits(*pattern, lane, true, row, &mut bound) {
                if let Some((promise, _)) =
                    weaker.filter(|(promise, _)| promise.is_weaker_than(self.refusals.least))
                {
                    self.barred.get_or_insert(promise);
                    continue;
                }
                let slot = self.slot_of(row, pattern);
                let sources = match row.kind {
                    Kind::Placed(_) => match self.placed_vector(&bound) {
                        Some(vector) => vec![vector],
                        None => continue,
                    },
                    _ => bound.iter().flatten().map(|operand| vec![*operand]).collect::<Vec<_>>(),
                };
                let mirrored = sources.last().filter(|_| row.mirrors).cloned().map(|mut last| {
                    last.iter_mut().for_each(|operand| operand.negate = !operand.negate);
                    last
                });
                let sources = sources.into_iter().chain(mirrored).collect();
                return Some(Choice { row: *number, saturate: false, sources, weaker: *weaker, slot });
            }
        }
        None
    }

    /// The lane of the result that a pattern of a row is, where that is fixed.
    fn slot_of(&self, row: &Row, pattern: &Pattern) -> Option<u8> {
        let Kind::Placed(slots) = row.kind else { return None };
        let weaker = row.weaker.iter().map(|(pattern, ..)| pattern);
        let at = row.patterns.iter().chain(weaker).position(|of| of == pattern)?;
        slots.get(at).copied()
    }

    /// The vector of a row with several results; nothing if its lanes would need different modifiers.
    fn placed_vector(&self, bound: &[Option<Operand>; 4]) -> Option<Vec<Operand>> {
        let first = bound.iter().flatten().next().copied()?;
        let alike = |of: &Operand| (of.negate, of.absolute) == (first.negate, first.absolute);
        if !bound.iter().flatten().all(alike) {
            return None;
        }
        let last = bound.iter().rposition(Option::is_some)?;
        Some(bound[..=last].iter().map(|of| of.unwrap_or(first)).collect())
    }

    /// A dot product of four lanes, the last one with 1.
    fn homogeneous(&self, a: &[LaneId], b: &[LaneId]) -> Option<Choice> {
        let row = self.row_of(Kind::Homogeneous)?;
        let is_one = |of: &[LaneId]| of.len() == 4 && self.graph.number(of[3]) == Some(1f32.to_bits());
        let (a, b) = if is_one(a) { (a, b) } else { (b, a) };
        let (xyz, true) = (a.get(..3)?, is_one(a)) else { return None };
        let sources = [xyz, b].map(|lanes| self.vector_operands(lanes)).to_vec();
        Some(Choice { row, saturate: false, sources, weaker: None, slot: None })
    }

    /// The row that copies with modifiers.
    fn copy_row(&self) -> Option<u16> {
        self.machine.rows.iter().position(|row| row.code == self.machine.copy).map(|at| at as u16)
    }

    fn choose_other(&self, lane: LaneId) -> Option<Choice> {
        let Def::Derivative { y, slope, of } = self.graph.lane(lane).def else { return None };
        let kind = Kind::Derivative { y, slope };
        let row = self.machine.rows.iter().position(|row| row.kind == kind)?;
        let sources = vec![vec![self.operand(of, true)]];
        Some(Choice { row: row as u16, saturate: false, sources, weaker: None, slot: None })
    }

    fn fits(
        &self,
        pattern: Pattern,
        lane: LaneId,
        root: bool,
        row: &Row,
        bound: &mut [Option<Operand>; 4],
    ) -> bool {
        let bind = |n: u8, operand: Operand, bound: &mut [Option<Operand>; 4]| match &mut bound
            [usize::from(n) % 4]
        {
            Some(known) => *known == operand,
            slot => {
                *slot = Some(operand);
                true
            }
        };
        match pattern {
            Pattern::Source(n) => bind(n, self.operand(lane, row.is_float), bound),
            Pattern::Minus(n) => {
                let of = self.operand(lane, row.is_float);
                self.machine.modifiers.negate && bind(n, Operand { negate: !of.negate, ..of }, bound)
            }
            Pattern::Magnitude(n) => {
                let of = self.operand(lane, row.is_float);
                self.machine.modifiers.absolute
                    && bind(n, Operand { negate: false, absolute: true, ..of }, bound)
            }
            Pattern::Positive(n) => {
                self.graph.is_positive(lane) && bind(n, self.operand(lane, row.is_float), bound)
            }
            Pattern::Number(bits) => self.graph.number(lane) == Some(bits),
            Pattern::Set(compare) => {
                let Some((Pure::ToF32, &[test])) = self.graph.operation(lane) else { return false };
                match &self.graph.lane(test).def {
                    Def::Pure { op, scalar: Scalar::F32, args, .. } if *op == compare => {
                        let [a, b] = [0, 1].map(|n| self.operand(args.get()[n], true));
                        bind(0, a, bound) && bind(1, b, bound)
                    }
                    _ => false,
                }
            }
            Pattern::Op(op, of) => {
                // A sign that is only asked for is never computed alone.
                let free = op == Pure::Mul && self.is_summed[lane.index()]
                    || op == Pure::Ge && self.machine.chooses()
                    || op == Pure::Abs && !self.machine.says(Pure::Abs);
                if !root && self.uses[lane.index()] != 1 && !free {
                    return false;
                }
                let Def::Pure { op: is, arith, scalar, args } = &self.graph.lane(lane).def else {
                    return false;
                };
                let args = args.get();
                if *is != op || args.len() != of.len() || !root && arith.precise != self.precise {
                    return false;
                }
                // What is below a selection decides it, and compares floats.
                let selects = matches!(row.patterns.first(), Some(Pattern::Op(Pure::Select, _)));
                if !root && *scalar != if selects { Scalar::F32 } else { row.scalar } {
                    return false;
                }
                self.fit_operands(op, of, args, row, bound)
            }
            Pattern::Word(op, of) => {
                let Def::Pure { op: is, scalar, args, .. } = &self.graph.lane(lane).def else { return false };
                let word = matches!(scalar, Scalar::I32 | Scalar::U32);
                *is == op
                    && word
                    && self.uses[lane.index()] == 1
                    && args.get().len() == of.len()
                    && self.fit_operands(op, of, args.get(), row, bound)
            }
        }
    }

    /// Whether the operands of an operation fit, in either order where that does not matter.
    fn fit_operands(
        &self,
        op: Pure,
        of: &[Pattern],
        args: &[LaneId],
        row: &Row,
        bound: &mut [Option<Operand>; 4],
    ) -> bool {
        let before = *bound;
        let straight = of.iter().zip(args).all(|(of, &arg)| self.fits(*of, arg, false, row, bound));
        if straight || !commutes(op) {
            return straight;
        }
        *bound = before;
        of.iter().zip(args.iter().rev()).all(|(of, &arg)| self.fits(*of, arg, false, row, bound))
    }

    /// A lane as an operand: signs that the machine's modifiers say are taken off.
    fn operand(&self, lane: LaneId, float: bool) -> Operand {
        let mut operand = plain(lane);
        let modifiers = self.machine.modifiers;
        if !float {
            return operand;
        }
        loop {
            match &self.graph.lane(operand.lane).def {
                Def::Pure { op: Pure::Neg, scalar: Scalar::F32, args, .. } if modifiers.negate => {
                    operand.negate ^= !operand.absolute;
                    operand.lane = args.get()[0];
                }
                Def::Pure { op: Pure::Abs, scalar: Scalar::F32, args, .. } if modifiers.absolute => {
                    operand.absolute = true;
                    operand.lane = args.get()[0];
                }
                _ => return operand,
            }
        }
    }

    /// The lanes of a vector as operands, which share their modifiers.
    fn vector_operands(&self, lanes: &[LaneId]) -> Vec<Operand> {
        let operands: Vec<Operand> = lanes.iter().map(|&lane| self.operand(lane, true)).collect();
        let same = |of: &Operand| (of.negate, of.absolute) == (operands[0].negate, operands[0].absolute);
        if operands.iter().all(same) { operands } else { lanes.iter().map(|&lane| plain(lane)).collect() }
    }

    fn refuse_operation(&mut self, lane: LaneId, step: u32) {
        let name = self.machine.name;
        if let (Some(promise), Some((op, _))) = (self.barred.take(), self.graph.operation(lane)) {
            self.refusals.weaken(promise, op.name(), "", step);
            return;
        }
        let (word, scalar) = match &self.graph.lane(lane).def {
            Def::Pure { op, scalar, .. } => (op.name(), *scalar),
            Def::Derivative { y: false, .. } => ("ddx", Scalar::F32),
            Def::Derivative { .. } => ("ddy", Scalar::F32),
            _ => ("select", Scalar::F32),
        };
        let what = format!("`{word}`");
        if matches!(scalar, Scalar::I32 | Scalar::U32) && self.machine.truth == Truth::Number {
            self.refusals.add(rules::INTEGER, &[&name, &what], step);
        } else {
            self.refusals.add(rules::OPERATION, &[&name, &word], step);
        }
    }

    // Instructions that compute vectors.

    /// Takes lanes for one vector operation, if they are one.
    fn vector(&mut self, wanted: &[LaneId], region: u32) -> bool {
        self.normalized(wanted, region) || self.crossed(wanted, region)
    }

    fn row_of(&self, kind: Kind) -> Option<u16> {
        self.machine.rows.iter().position(|row| row.kind == kind).map(|at| at as u16)
    }

    /// `v · rsq(dot(v, v))`.
    fn normalized(&mut self, wanted: &[LaneId], region: u32) -> bool {
        let Some(row) = self.row_of(Kind::Normalize) else { return false };
        let product = |lane: LaneId| match self.graph.operation(lane) {
            Some((Pure::Mul, &[a, b])) => Some((a, b)),
            _ => None,
        };
        let Some(products) = wanted.iter().map(|&lane| product(lane)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        // The factor that all have.
        let candidates = [products[0].0, products[0].1];
        let found = candidates.into_iter().find_map(|scale| {
            let others: Option<Vec<LaneId>> = products
                .iter()
                .map(|&(a, b)| if b == scale { Some(a) } else { (a == scale).then_some(b) })
                .collect();
            let bounded = self.machine.quirks.bounded_lengths;
            let square = match self.graph.operation(scale) {
                Some((Pure::Rsq, &[square])) if !bounded => square,
                // A vector of no length is known by the second argument.
                Some((Pure::Rsq, &[square, _])) if bounded => square,
                _ => return None,
            };
            let Some((Pure::Dot, args)) = self.graph.operation(square) else { return None };
            let (v, w) = args.split_at(args.len() / 2);
            let once = self.uses[scale.index()] as usize == wanted.len();
            (v.len() == 3 && v == w && once).then_some((others?, v.to_vec()))
        });
        let Some((others, vector)) = found else { return false };
        let mut results = Vec::new();
        let mut free = [true; 3];
        for (&lane, of) in wanted.iter().zip(&others) {
            let slot = (0..3).find(|&slot| free[slot] && vector[slot] == *of);
            let Some(slot) = slot else { return false };
            free[slot] = false;
            results.push(Written { lane, slot: Some(slot as u8) });
        }
        let mut instr = Instr::new(What::Row(row), region);
        let operands: Vec<Operand> = vector.iter().map(|&lane| plain(lane)).collect();
        let source = self.source(&operands);
        instr.sources.push(source);
        self.finish(instr, results);
        true
    }

    /// Differences of products of two vectors, each without its own lane.
    fn crossed(&mut self, wanted: &[LaneId], region: u32) -> bool {
        let Some(row) = self.row_of(Kind::Cross) else { return false };
        if wanted.len() != 3 {
            return false;
        }
        // Products that nothing else reads.
        let halves: Vec<LaneId> = wanted
            .iter()
            .filter_map(|&lane| self.graph.operation(lane))
            .flat_map(|(_, args)| args)
            .copied()
            .collect();
        let factors = |lane: LaneId| match self.graph.operation(lane) {
            Some((Pure::Mul, &[a, b])) => {
                let here = halves.iter().filter(|half| **half == lane).count();
                (self.uses[lane.index()] as usize == here).then_some([a, b])
            }
            _ => None,
        };
        let parts = |lane: LaneId| match self.graph.operation(lane) {
            Some((Pure::Sub, &[left, right])) => Some((factors(left)?, factors(right)?)),
            _ => None,
        };
        let Some(parts) = wanted.iter().map(|&lane| parts(lane)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        // Lane i is a[i+1]·b[i+2] − a[i+2]·b[i+1].
        let [([a1, b2], [a2, b1]), ([a2x, b0], [a0, b2x]), ([a0x, b1x], [a1x, b0x])] = parts[..] else {
            return false;
        };
        if [a2x, b2x, a0x, b1x, a1x, b0x] != [a2, b2, a0, b1, a1, b0] {
            return false;
        }
        let mut instr = Instr::new(What::Row(row), region);
        for vector in [[a0, a1, a2], [b0, b1, b2]] {
            let source = self.source(&vector.map(plain));
            instr.sources.push(source);
        }
        let results = wanted.iter().enumerate().map(|(n, &lane)| Written { lane, slot: Some(n as u8) });
        self.finish(instr, results.collect());
        true
    }

    /// A dot product with a constant together with those with its neighbours.
    fn matrix(&mut self, lane: LaneId, region: u32) -> bool {
        let Some((Pure::Dot, args)) = self.graph.operation(lane) else { return false };
        let (vector, row) = args.split_at(args.len() / 2);
        let width = vector.len() as u8;
        let vector = vector.to_vec();
        let Some(own) = self.constant_row(row) else { return false };
        let Some(others) = self.dots.get(&vector) else { return false };
        // Two lanes may be the product with the same row, in different arithmetic: the one that is asked for counts.
        let mut found = BTreeMap::from([(own.1, lane)]);
        for &other in others {
            let at = other.index();
            let ready =
                self.needed[at] && !self.done[at] && self.pending[at] == 0 && self.region_of[at] == region;
            let Some((_, args)) = self.graph.operation(other) else { continue };
            let Some(of) = self.constant_row(&args[args.len() / 2..]) else { continue };
            if ready && args.len() / 2 == usize::from(width) && of.0 == own.0 {
                found.entry(of.1).or_insert(other);
            }
        }
        // The rows that hold most of them.
        let array = self.array_size(own.0.0);
        let mut best: Option<(usize, u8, i64, u16)> = None;
        for most in [4u8, 3] {
            let Some(number) = self.row_of(Kind::Matrix { lanes: width, rows: most }) else { continue };
            for start in (own.1 - i64::from(most) + 1..=own.1).rev() {
                let end = start + i64::from(most);
                let count = found.range(start..end).count();
                let exists = start >= 0 && (own.0.1.is_some() || end <= array);
                // What several rows need at least, and no row that is not there.
                if count < 2 || !exists || best.is_some_and(|(known, ..)| known >= count) {
                    continue;
                }
                best = Some((count, most, start, number));
            }
        }
        let Some((_, most, start, number)) = best else { return false };
        let rows: Vec<(i64, LaneId)> =
            found.range(start..start + i64::from(most)).map(|(row, lane)| (*row, *lane)).collect();
        let mut instr = Instr::new(What::Row(number), region);
        let operands: Vec<Operand> = vector.iter().map(|&lane| plain(lane)).collect();
        let source = self.source(&operands);
        instr.sources.push(source);
        let first_row = self.graph.operation(rows[0].1).map(|(_, args)| args[args.len() / 2..].to_vec());
        // The others are read with it.
        for &(_, row) in &rows {
            let lanes = self.graph.operation(row).map(|(_, args)| args[args.len() / 2..].to_vec());
            lanes.into_iter().flatten().for_each(|lane| self.need(lane));
        }
        instr.rows_before = (rows[0].0 - start) as u8;
        instr.sources.push(Source::of(first_row.unwrap_or_default()));
        let results =
            rows.iter().map(|&(row, lane)| Written { lane, slot: Some((row - start) as u8) }).collect();
        self.finish(instr, results);
        true
    }

    fn array_size(&self, array: u32) -> i64 {
        self.graph.arrays.get(array as usize).copied().map_or(0, i64::from)
    }

    /// The register of lanes that are the first ones of a constant, in order: its file with what indexes it, and its number.
    fn constant_row(&self, lanes: &[LaneId]) -> Option<((u32, Option<LaneId>), i64)> {
        let mut of = None;
        for (n, &id) in lanes.iter().enumerate() {
            let (register, lane) = match self.graph.lane(id).def {
                Def::Param { array, index, lane } => (((array, None), i64::from(index)), lane),
                Def::ParamAt { array, offset, index, lane, .. } => {
                    (((array, Some(index)), i64::from(offset)), lane)
                }
                _ => return None,
            };
            if usize::from(lane) != n || of.is_some_and(|of| of != register) {
                return None;
            }
            of = Some(register);
        }
        of
    }
}

const fn plain(lane: LaneId) -> Operand {
    Operand { lane, negate: false, absolute: false }
}

/// Whether two lanes may be computed by one instruction.
fn is_alike(a: &Choice, b: &Choice) -> bool {
    let flags = |choice: &Choice| -> Vec<(bool, bool)> {
        choice
            .sources
            .iter()
            .map(|of| of.first().map_or((false, false), |of| (of.negate, of.absolute)))
            .collect()
    };
    a.row == b.row && a.saturate == b.saturate && flags(a) == flags(b)
}
