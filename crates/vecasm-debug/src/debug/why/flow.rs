//! The flow of data through one group of invocations in one run: every value of every operation, and where it came from.

use super::probe::{Point, Probe, Probed};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::interp::{Interp, StepEvent};
use vecasm_exec::{Batch, Outputs, RunError};
use vecasm_ir::ir::op::{Effect, Element, Place};
use vecasm_ir::ir::steps::{Access, Step};
use vecasm_ir::ir::{Arg, Inst, Op, OutOfRange, OutputId, Pure, Scalar, Shader, Slope, Value};

/// The most moments of one group that are kept. What comes behind them is not explained.
pub(super) const MOST_EVENTS: usize = 1 << 19;
/// The most invocations of a group.
const MOST_INVOCATIONS: usize = 64;
/// No event.
const NONE: u32 = u32::MAX;

/// A lane of a value at a moment, in one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    /// The moment.
    pub(super) event: u32,
    /// Which of the values that the moment has.
    pub(super) slot: u32,
    /// The invocation, in the group.
    pub(super) invocation: u32,
    pub(super) lane: u8,
}

/// Why a lane depends on another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dependence {
    /// It is computed from it.
    Data,
    /// It says which cell or texel is read, or which of two values is taken.
    Choice,
    /// It is that lane in a neighbour of the quad or group.
    Neighbour,
}

/// A set of lanes of one flow, in which each is found at once.
#[derive(Debug)]
pub(super) struct Lanes(Vec<u8>);

impl Lanes {
    pub(super) fn none(flow: &Flow<'_>) -> Self {
        Self(vec![0; flow.values.len()])
    }

    pub(super) fn has(&self, flow: &Flow<'_>, site: Site) -> bool {
        let lanes = flow.value(site).and_then(|at| self.0.get(at));
        lanes.is_some_and(|lanes| lanes >> (site.lane & 3) & 1 != 0)
    }

    pub(super) fn add(&mut self, flow: &Flow<'_>, site: Site) {
        if let Some(lanes) = flow.value(site).and_then(|at| self.0.get_mut(at)) {
            *lanes |= 1 << (site.lane & 3);
        }
    }
}

/// A cell that the shader writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Memory {
    Output(u32),
    Local(u32, u32),
    Param(u32, u32),
}

/// A moment: a mark of the probed shader that the group came through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) probe: u32,
    values: u32,
    links: u32,
    /// A bit for each invocation that took part.
    pub(super) present: u64,
}

/// Where a value was defined: the moment, and which of its values it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    event: u32,
    slot: u32,
}

const NO_LINK: Link = Link { event: NONE, slot: 0 };

/// The moments of one group.
#[derive(Debug)]
pub(super) struct Flow<'a> {
    pub(super) shader: &'a Shader,
    pub(super) probes: &'a [Probe],
    pub(super) steps: &'a [Step],
    /// Number of the group's first invocation in the batch.
    pub(super) first: usize,
    /// Invocations of the group that the batch has.
    pub(super) here: usize,
    /// Invocations that values are kept of.
    n: usize,
    pub(super) events: Vec<Event>,
    values: Vec<[u32; 4]>,
    links: Vec<Link>,
    branches: BTreeMap<u32, Vec<u32>>,
    /// What the cells hold at the end: for each lane, the moment of the last write.
    pub(super) cells: BTreeMap<(Memory, u32), [u32; 4]>,
    /// There were more moments than are kept.
    pub(super) truncated: bool,
}

impl<'a> Flow<'a> {
    fn new(probed: &'a Probed) -> Self {
        Self {
            shader: &probed.shader,
            probes: &probed.probes,
            steps: &probed.steps,
            first: 0,
            here: 0,
            n: 0,
            events: Vec::new(),
            values: Vec::new(),
            links: Vec::new(),
            branches: BTreeMap::new(),
            cells: BTreeMap::new(),
            truncated: false,
        }
    }

    pub(super) fn event(&self, event: u32) -> Option<&Event> {
        self.events.get(event as usize)
    }

    pub(super) fn probe(&self, event: u32) -> Option<&Probe> {
        self.probes.get(self.event(event)?.probe as usize)
    }

    /// The operation of a moment.
    pub(super) fn inst(&self, event: u32) -> Option<&Inst> {
        match &self.probe(event)?.point {
            Point::Inst(inst) => Some(inst),
            _ => None,
        }
    }

    /// The step of a moment, if it is a mark of the shader itself.
    pub(super) fn step(&self, event: u32) -> Option<&'a Step> {
        match self.probe(event)?.point {
            Point::Step(step) => self.steps.get(step as usize),
            _ => None,
        }
    }

    pub(super) fn is_present(&self, event: u32, invocation: u32) -> bool {
        self.event(event).is_some_and(|e| e.present >> invocation.min(63) & 1 != 0)
    }

    /// Whether a moment is one at which loops and cells hand a value on.
    pub(super) fn hands_on(&self, event: u32) -> bool {
        match self.probe(event).map(|probe| &probe.point) {
            Some(Point::Join) => true,
            Some(Point::Inst(inst)) => is_load(inst.op),
            _ => false,
        }
    }

    /// What a mark holds.
    pub(super) fn args(&self, probe: &Probe) -> &'a [Arg] {
        self.shader.args(probe.args)
    }

    /// Where the lanes of a site are kept.
    fn value(&self, site: Site) -> Option<usize> {
        let event = self.event(site.event)?;
        Some(event.values as usize + site.slot as usize * self.n + site.invocation as usize)
    }

    /// The bits of a lane.
    pub(super) fn bits(&self, site: Site) -> u32 {
        let lanes = self.value(site).and_then(|at| self.values.get(at));
        lanes.map_or(0, |lanes| lanes[usize::from(site.lane & 3)])
    }

    /// Hands out the lanes of a moment.
    pub(super) fn each_lane(&self, event: u32, found: &mut dyn FnMut(Site)) {
        let Some(probe) = self.probe(event) else { return };
        for (slot, arg) in self.args(probe).iter().enumerate() {
            for invocation in 0..self.n as u32 {
                for lane in 0..arg.lanes {
                    found(Site { event, slot: slot as u32, invocation, lane });
                }
            }
        }
    }

    /// The type of a lane.
    pub(super) fn scalar(&self, site: Site) -> Scalar {
        let arg = self.probe(site.event).and_then(|probe| self.args(probe).get(site.slot as usize));
        arg.map_or(Scalar::F32, |arg| self.shader.value(arg.value).ty.scalar)
    }

    fn link(&self, event: u32, at: usize) -> Link {
        let Some(event) = self.event(event) else { return NO_LINK };
        self.links.get(event.links as usize + at).copied().unwrap_or(NO_LINK)
    }

    /// The lane that argument `number` of an event reads, where `arg` is that argument.
    fn read(&self, event: u32, number: usize, arg: Arg, lane: usize, invocation: u32) -> Option<Site> {
        let link = self.link(event, number);
        let lane = arg.swizzle.get(if arg.lanes == 1 { 0 } else { lane });
        (link.event != NONE).then_some(Site { event: link.event, slot: link.slot, invocation, lane })
    }

    /// Where lane `lane` of argument `number` of a moment was computed.
    pub(super) fn source(&self, event: u32, number: usize, lane: usize, invocation: u32) -> Option<Site> {
        let probe = self.probe(event)?;
        let args = match &probe.point {
            Point::Inst(inst) => self.shader.args(inst.args),
            _ => self.args(probe),
        };
        self.read(event, number, *args.get(number)?, lane, invocation)
    }

    /// Where the value of a join came from: the exit that the invocation took.
    pub(super) fn edge(&self, site: Site) -> Option<u32> {
        let joins = matches!(self.probe(site.event)?.point, Point::Join);
        let edge = joins.then(|| self.link(site.event, site.invocation as usize).event);
        edge.filter(|&edge| edge != NONE)
    }

    /// What a lane was directly made of.
    pub(super) fn made_of(&self, site: Site) -> Vec<(Site, Dependence)> {
        let mut out = Vec::new();
        let Some(probe) = self.probe(site.event) else { return out };
        let mut add = |from: Option<Site>, way| out.extend(from.map(|from| (from, way)));
        let (event, i, lane) = (site.event, site.invocation, usize::from(site.lane));
        match &probe.point {
            Point::Step(_) | Point::Edge(_) | Point::Branch => {
                add(self.source(event, site.slot as usize, lane, i), Dependence::Data);
            }
            Point::Join => {
                let edge = self.edge(site);
                add(edge.and_then(|edge| self.source(edge, site.slot as usize, lane, i)), Dependence::Data);
            }
            Point::Inst(inst) => {
                let args = self.shader.args(inst.args);
                match inst.op {
                    Op::Pure(Pure::Select) => {
                        let condition = self.source(event, 0, lane, i);
                        let taken = if condition.is_some_and(|c| self.bits(c) != 0) { 1 } else { 2 };
                        add(condition, Dependence::Choice);
                        add(self.source(event, taken, lane, i), Dependence::Data);
                    }
                    Op::Pure(pure) if pure.reduces() => {
                        for (number, arg) in args.iter().enumerate() {
                            for lane in 0..usize::from(arg.lanes) {
                                add(self.source(event, number, lane, i), Dependence::Data);
                            }
                        }
                    }
                    Op::Pure(_) => {
                        for number in 0..args.len() {
                            add(self.source(event, number, lane, i), Dependence::Data);
                        }
                    }
                    Op::Compose => {
                        let mut at = 0;
                        for (number, arg) in args.iter().enumerate() {
                            let lanes = usize::from(arg.lanes);
                            if (at..at + lanes).contains(&lane) {
                                add(self.source(event, number, lane - at, i), Dependence::Data);
                            }
                            at += lanes;
                        }
                    }
                    Op::Ddx(slope) | Op::Ddy(slope) => {
                        let down = matches!(inst.op, Op::Ddy(_));
                        let pair = match (slope, down) {
                            (Slope::Fine, false) => [i & 2, i & 2 | 1],
                            (Slope::Fine, true) => [i & 1, i & 1 | 2],
                            (Slope::Coarse, false) => [2, 3],
                            (Slope::Coarse, true) => [0, 2],
                        };
                        let quad = i & !3;
                        for other in pair.map(|at| quad + at) {
                            let way = if other == i { Dependence::Data } else { Dependence::Neighbour };
                            if (other as usize) < self.n {
                                add(self.source(event, 0, lane, other), way);
                            }
                        }
                    }
                    op if is_load(op) => {
                        for (number, arg) in args.iter().enumerate() {
                            for lane in 0..usize::from(arg.lanes) {
                                add(self.source(event, number, lane, i), Dependence::Choice);
                            }
                        }
                        let store = self.link(event, args.len() + i as usize * 4 + (lane & 3));
                        if store.event != NONE {
                            add(self.stored(store.event, lane, i), Dependence::Data);
                        }
                    }
                    _ => {
                        // Textures and the like: every argument says what is read.
                        for (number, arg) in args.iter().enumerate() {
                            for lane in 0..usize::from(arg.lanes) {
                                add(self.source(event, number, lane, i), Dependence::Data);
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// The lane that a store put into lane `lane` of its cell.
    pub(super) fn stored(&self, event: u32, lane: usize, invocation: u32) -> Option<Site> {
        let inst = self.inst(event)?;
        let args = self.shader.args(inst.args);
        let mask = inst.op.mask().filter(|_| is_of_cell(inst.op))?;
        let at = mask.lanes().position(|to| to == lane)?;
        self.source(event, args.len().checked_sub(1)?, at, invocation)
    }

    /// The conditions that a moment stands under, each the last time it was asked before.
    pub(super) fn conditions(&self, event: u32) -> Vec<u32> {
        let Some(probe) = self.probe(event) else { return Vec::new() };
        let last = |branch: &u32| {
            let asked = self.branches.get(branch)?;
            let before = asked.partition_point(|&at| at < event);
            asked.get(before.checked_sub(1)?).copied()
        };
        probe.controls.iter().filter_map(last).collect()
    }

    /// Where the last value of a lane of an output cell was computed; `None` if nothing was written there.
    pub(super) fn output(&self, output: OutputId, lane: usize, invocation: u32) -> Option<Site> {
        let stores = self.cells.get(&(Memory::Output(output.0), invocation))?;
        let event = stores.get(lane).copied().filter(|&event| event != NONE)?;
        self.stored(event, lane, invocation)
    }

    /// The element that a load or store with a computed index means; `None` outside the run of cells.
    pub(super) fn element(&self, event: u32, invocation: u32) -> Option<Indexed> {
        let inst = self.inst(event)?;
        let (offset, size, rule) = index_of(self.shader, inst.op)?;
        let given = self.bits(self.source(event, 0, 0, invocation)?) as i32;
        let wanted = i64::from(given) + i64::from(offset);
        let inside = (0..i64::from(size)).contains(&wanted);
        let element = match rule {
            _ if inside => Some(wanted as u32),
            OutOfRange::Clamp if size > 0 => Some(wanted.clamp(0, i64::from(size) - 1) as u32),
            _ => None,
        };
        Some(Indexed { wanted, size, element, inside })
    }

    /// The lanes that a step reads at a moment: the number of the access, and the rest as [`accesses`](Self::accesses) has it.
    pub(super) fn reads(
        &self,
        event: u32,
        invocation: u32,
    ) -> impl Iterator<Item = (usize, &'a Access, usize, Site)> + '_ {
        self.accesses(event, false, invocation)
            .map(|(access, lane, site)| (site.slot as usize, access, lane, site))
    }

    /// The lanes of the accesses of a step at a moment: the access, the lane of its cell, and the site.
    pub(super) fn accesses(
        &self,
        event: u32,
        written: bool,
        invocation: u32,
    ) -> impl Iterator<Item = (&'a Access, usize, Site)> + '_ {
        let step = self.step(event);
        let reads = step.map_or(0, |step| step.reads.len());
        let list: &'a [Access] = match step {
            Some(step) if written => &step.writes,
            Some(step) => &step.reads,
            None => &[],
        };
        list.iter().enumerate().flat_map(move |(number, access)| {
            let slot = if written { number + reads } else { number };
            access.mask.lanes().enumerate().map(move |(at, lane)| {
                let site = Site { event, slot: slot as u32, invocation, lane: at as u8 };
                (access, lane, site)
            })
        })
    }
}

/// What a computed index came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indexed {
    /// The element asked for.
    pub(super) wanted: i64,
    /// How many there are.
    pub(super) size: u32,
    /// The element that is read or written; `None` if none is.
    pub(super) element: Option<u32>,
    pub(super) inside: bool,
}

/// Offset, number of cells and rule of an operation with a computed index as its first argument.
fn index_of(shader: &Shader, op: Op) -> Option<(i32, u32, OutOfRange)> {
    if op.index() != Some(0) {
        return None;
    }
    let parts = op.parts();
    match (parts.place?, parts.element) {
        (_, Element::Run(at)) => Some((at.offset, at.count, at.rule)),
        (place, Element::Computed { offset, rule }) => {
            let size = match place {
                Place::Param(id) => shader.params.get(id.index())?.size,
                Place::Local(id) => shader.locals.get(id.index())?.size,
                _ => return None,
            };
            // A store without a rule does nothing outside.
            Some((offset, size, rule.unwrap_or(OutOfRange::Zero)))
        }
        _ => None,
    }
}

/// Whether an operation works on a cell that the shader may write, one of its own invocation.
fn is_of_cell(op: Op) -> bool {
    matches!(op.place(), Some(Place::Output(_) | Place::Param(_) | Place::Local(_))) && !op.is_of_vertex()
}

/// Whether it reads one.
fn is_load(op: Op) -> bool {
    is_of_cell(op) && op.effect() == Effect::Read
}

/// Runs a batch and hands out the moments of each group whose number `wanted` says.
///
/// # Errors
///
/// As [`Engine::run`](vecasm_exec::Engine::run); and for groups of more than 64 invocations.
pub(super) fn each_group(
    probed: &Probed,
    batch: &Batch<'_>,
    wanted: &dyn Fn(usize) -> bool,
    found: &mut dyn FnMut(&Flow<'_>),
) -> Result<Outputs, RunError> {
    let mut recorder = Recorder {
        flow: Flow::new(probed),
        defined: vec![NO_LINK; probed.shader.values.len()],
        pending: BTreeMap::new(),
        open: false,
        large: 0,
    };
    let outputs = Interp.run_watched(&probed.shader, batch, &mut |event| {
        if recorder.open && recorder.flow.first != event.first {
            recorder.hand_over(found);
        }
        if wanted(event.first) {
            recorder.take(event);
        }
    })?;
    recorder.hand_over(found);
    if recorder.large > 0 {
        let n = recorder.large;
        return Err(RunError::Unsupported(format!(
            "explaining groups of {n} invocations; at most {MOST_INVOCATIONS}"
        )));
    }
    Ok(outputs)
}

struct Recorder<'a> {
    flow: Flow<'a>,
    /// For each value, where it was defined last.
    defined: Vec<Link>,
    /// For each join, the edge that each invocation comes by.
    pending: BTreeMap<u32, Vec<u32>>,
    open: bool,
    /// The size of a group that is too large.
    large: usize,
}

impl Recorder<'_> {
    fn hand_over(&mut self, found: &mut dyn FnMut(&Flow<'_>)) {
        if self.open {
            found(&self.flow);
        }
        let flow = &mut self.flow;
        flow.events.clear();
        flow.values.clear();
        flow.links.clear();
        flow.branches.clear();
        flow.cells.clear();
        flow.truncated = false;
        self.defined.fill(NO_LINK);
        self.pending.clear();
        self.open = false;
    }

    fn defined(&self, value: Value) -> Link {
        self.defined.get(value.index()).copied().unwrap_or(NO_LINK)
    }

    fn take(&mut self, event: &StepEvent<'_>) {
        let here = event.absent.len();
        if here > MOST_INVOCATIONS {
            self.large = here;
            return;
        }
        let flow = &mut self.flow;
        if flow.events.len() >= MOST_EVENTS {
            flow.truncated = true;
            return;
        }
        if !self.open {
            (flow.first, flow.here) = (event.first, here);
            flow.n = event.values.first().map_or(here, Vec::len).max(here);
            self.open = true;
        }
        let Some(probe) = flow.probes.get(event.step) else { return };
        let at = flow.events.len() as u32;
        let present = (0..here).filter(|&i| event.absent[i].is_none()).fold(0, |mask, i| mask | 1u64 << i);
        let (values, links) = (flow.values.len() as u32, flow.links.len() as u32);
        for list in event.values {
            flow.values.extend(list.iter().copied().chain(core::iter::repeat([0; 4])).take(flow.n));
        }
        flow.events.push(Event { probe: event.step as u32, values, links, present });
        let args = match probe.point {
            Point::Inst(inst) => flow.shader.args(inst.args),
            _ => flow.shader.args(probe.args),
        };
        match &probe.point {
            Point::Join => {
                let edges = self.pending.remove(&(event.step as u32)).unwrap_or_default();
                for i in 0..self.flow.n {
                    let edge = edges.get(i).copied().unwrap_or(NONE);
                    self.flow.links.push(Link { event: edge, slot: 0 });
                }
                for (slot, arg) in args.iter().enumerate() {
                    self.define(arg.value, at, slot);
                }
            }
            point => {
                for arg in args {
                    let link = self.defined(arg.value);
                    self.flow.links.push(link);
                }
                match point {
                    Point::Edge(to) => {
                        let n = self.flow.n;
                        let edges = self.pending.entry(*to).or_default();
                        edges.resize(n, NONE);
                        for (i, edge) in edges.iter_mut().enumerate() {
                            if present >> i.min(63) & 1 != 0 {
                                *edge = at;
                            }
                        }
                    }
                    Point::Branch => {
                        self.flow.branches.entry(event.step as u32).or_default().push(at);
                    }
                    Point::Inst(inst) => self.operation(at, inst, present),
                    _ => {}
                }
            }
        }
    }

    fn define(&mut self, value: Value, event: u32, slot: usize) {
        if let Some(link) = self.defined.get_mut(value.index()) {
            *link = Link { event, slot: slot as u32 };
        }
    }

    fn operation(&mut self, at: u32, inst: &Inst, present: u64) {
        if let Some(result) = inst.result {
            self.define(result, at, 0);
        }
        if !is_of_cell(inst.op) {
            return;
        }
        let mask = inst.op.mask();
        for i in 0..self.flow.n {
            let cell = self.cell(at, inst.op, i as u32);
            let owner = match cell {
                Some(Memory::Param(..)) => 0,
                _ => i as u32,
            };
            if mask.is_none() {
                let stores = cell.and_then(|cell| self.flow.cells.get(&(cell, owner)));
                let stores = stores.copied().unwrap_or([NONE; 4]);
                self.flow.links.extend(stores.map(|event| Link { event, slot: 0 }));
            } else if let (Some(cell), Some(mask), true) = (cell, mask, present >> i.min(63) & 1 != 0) {
                let stores = self.flow.cells.entry((cell, owner)).or_insert([NONE; 4]);
                for lane in mask.lanes() {
                    stores[lane] = at;
                }
            }
        }
    }

    /// The cell that a load or store means.
    fn cell(&self, at: u32, op: Op, invocation: u32) -> Option<Memory> {
        let parts = op.parts();
        let number = match parts.element {
            Element::Only => 0,
            Element::Fixed(index) => index,
            _ => self.flow.element(at, invocation)?.element?,
        };
        match parts.place? {
            Place::Output(first) => Some(Memory::Output(first.0.saturating_add(number))),
            Place::Local(array) => Some(Memory::Local(array.0, number)),
            Place::Param(array) => Some(Memory::Param(array.0, number)),
            _ => None,
        }
    }
}

/// Everything that some lanes were made of, by the ways that `follow` says.
pub(super) fn ancestors(
    flow: &Flow<'_>,
    from: impl Iterator<Item = Site>,
    follow: impl Fn(Dependence) -> bool,
) -> BTreeSet<Site> {
    let mut found: BTreeSet<Site> = BTreeSet::new();
    let mut work: Vec<Site> = from.collect();
    while let Some(site) = work.pop() {
        if found.insert(site) {
            work.extend(flow.made_of(site).into_iter().filter(|(_, way)| follow(*way)).map(|(site, _)| site));
        }
    }
    found
}
