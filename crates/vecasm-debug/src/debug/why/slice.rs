//! The steps of one run that made a component.

use super::flow::{Dependence, Flow, Site, ancestors};
use super::steps::Steps;
use super::words::{self, moved};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{Op, OutputId, Scalar, Shader};

/// A lane of a register, and what it held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldLane {
    /// The lane as the source spells it: `r0.x`; an element at a computed index by its number.
    pub name: String,
    /// Its bits.
    pub bits: u32,
    /// Their type.
    pub scalar: Scalar,
}

/// One step of a [slice](Slice).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceStep {
    /// Number of the source instruction, from 0.
    pub source: u32,
    /// Which part of it; see [`Step::part`](vecasm_ir::ir::steps::Step::part).
    pub part: u8,
    /// It only decided that steps of the slice run, or which cell they read.
    pub control: bool,
    /// The lanes it read that count.
    pub reads: Vec<HeldLane>,
    /// The lanes it wrote that count.
    pub writes: Vec<HeldLane>,
}

/// The steps that made a lane of an output in one invocation, in the order they ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The lane: `oc.x`.
    pub name: String,
    /// The invocation.
    pub invocation: usize,
    /// What the lane holds at the end.
    pub bits: u32,
    /// Their type.
    pub scalar: Scalar,
    /// The steps.
    pub steps: Vec<SliceStep>,
}

/// The slice of a lane of an output.
pub(super) fn slice(
    flow: &Flow<'_>,
    steps: &Steps,
    output: OutputId,
    lane: usize,
    at: u32,
    bits: u32,
) -> Slice {
    let root = flow.output(output, lane, at);
    let data = ancestors(flow, root.into_iter(), |way| way != Dependence::Choice);
    // What decides: the conditions of every moment so far and what they were made of, and computed indices.
    let mut decided: BTreeSet<Site> = BTreeSet::new();
    let mut work: Vec<Site> = data.iter().copied().collect();
    let stores = flow.cells.get(&(super::flow::Memory::Output(output.0), at)).map(|stores| stores[lane & 3]);
    let mut asked: BTreeSet<u32> = BTreeSet::new();
    let mut conditions = |event: u32, invocation: u32, work: &mut Vec<Site>| {
        for branch in flow.conditions(event) {
            if asked.insert(branch) {
                work.extend(flow.source(branch, 0, 0, invocation));
            }
        }
    };
    if let Some(store) = stores.filter(|store| flow.event(*store).is_some()) {
        conditions(store, at, &mut work);
    }
    while let Some(site) = work.pop() {
        if !data.contains(&site) && !decided.insert(site) {
            continue;
        }
        conditions(site.event, site.invocation, &mut work);
        for (from, way) in flow.made_of(site) {
            if way == Dependence::Choice || !data.contains(&site) {
                work.push(from);
            }
        }
    }
    let out = walk(flow, steps, at, (output, lane), &data, &decided, &asked);
    let scalar = flow.shader.outputs.get(output.index()).map_or(Scalar::F32, |o| o.scalar);
    let name = words::lane(flow.shader, Cell::Output(output), lane);
    Slice { name, invocation: flow.first + at as usize, bits, scalar, steps: out }
}

/// The steps that made the lanes of a slice, backwards from the output: a step counts if what it writes is in the slice and
/// a step behind it reads it there. (A value that is only copied has no operation of its own, so its copies cannot be told
/// apart by what they were made of.)
fn walk(
    flow: &Flow<'_>,
    steps: &Steps,
    at: u32,
    (output, lane): (OutputId, usize),
    data: &BTreeSet<Site>,
    decided: &BTreeSet<Site>,
    asked: &BTreeSet<u32>,
) -> Vec<SliceStep> {
    let both: BTreeSet<Site> = data.union(decided).copied().collect();
    let (data, decided, both) = (&LaneSet::new(data), &LaneSet::new(decided), &LaneSet::new(&both));
    let within = |list: &LaneSet<'_>, site: Site| list.has(flow, site);
    // The steps that asked a condition.
    let asking: BTreeSet<u32> = asked.iter().flat_map(|branch| asking(flow, steps, *branch)).collect();
    // Lanes of cells that a step behind reads: for the value, and for what decides.
    let mut needed: BTreeSet<(Cell, usize)> = BTreeSet::new();
    let mut deciding: BTreeSet<(Cell, usize)> = BTreeSet::new();
    needed.insert((Cell::Output(output), lane));
    let mut out: Vec<SliceStep> = Vec::new();
    let mut end = steps.events.len();
    while let Some(&last) = end.checked_sub(1).and_then(|last| steps.events.get(last)) {
        // Halves of a pair read what was there before both.
        let start = steps.start(last);
        let first = steps.events.partition_point(|&event| event < start);
        let mut read: Vec<(bool, Cell, usize)> = Vec::new();
        let mut group: Vec<SliceStep> = Vec::new();
        for &event in steps.events.get(first..end).unwrap_or(&[]) {
            let Some(step) = flow.step(event).filter(|_| flow.is_present(event, at)) else { continue };
            let lanes = |wanted: &mut BTreeSet<(Cell, usize)>, list: &LaneSet<'_>| -> Vec<HeldLane> {
                let mut found = Vec::new();
                for (access, lane, site) in flow.accesses(event, true, at) {
                    let read_behind = wanted.contains(&(access.cell, lane)) || is_elsewhere(access.cell);
                    if read_behind && within(list, site) {
                        wanted.remove(&(access.cell, lane));
                        found.push(held(flow, start, event, access.cell, lane, site));
                    }
                }
                found
            };
            let writes = lanes(&mut needed, data);
            let (writes, control) = match writes.is_empty() {
                true => (lanes(&mut deciding, both), true),
                false => (writes, false),
            };
            // What writes nothing counts if its condition was asked.
            let branches = step.writes.is_empty() && asking.contains(&event);
            if writes.is_empty() && !branches {
                continue;
            }
            let mut reads = Vec::new();
            for (access, lane, site) in flow.accesses(event, false, at) {
                let for_value = !control && within(data, site);
                // An index is read for what it chooses.
                if for_value || within(decided, site) || control && within(both, site) {
                    read.push((control || !for_value, access.cell, lane));
                    reads.push(held(flow, start, event, access.cell, lane, site));
                }
            }
            group.push(SliceStep { source: step.source, part: step.part, control, reads, writes });
        }
        out.extend(group.into_iter().rev());
        for (control, cell, lane) in read {
            if control {
                deciding.insert((cell, lane))
            } else {
                needed.insert((cell, lane))
            };
        }
        end = first;
    }
    out.reverse();
    out
}

/// Whether a cell is found by a number that the step table does not have, or shared with what has other names.
fn is_elsewhere(cell: Cell) -> bool {
    cell.is_computed() || matches!(cell, Cell::Local(..) | Cell::Param(..))
}

/// The marks of the step that asked a condition.
fn asking(flow: &Flow<'_>, steps: &Steps, branch: u32) -> impl Iterator<Item = u32> {
    let source = flow.probe(branch).map(|probe| probe.source);
    // The mark of an `if` is in front of its branch or behind it.
    let before = steps.events.partition_point(|&mark| mark < branch).checked_sub(1);
    let before = before.and_then(|at| steps.events.get(at)).copied();
    let marks = [before, steps.around(branch)]
        .map(|mark| mark.filter(|&event| flow.step(event).map(|step| step.source) == source));
    marks.into_iter().flatten()
}

/// Lanes, and what was asked of those that are the same as one of them.
struct LaneSet<'l> {
    list: &'l BTreeSet<Site>,
    known: RefCell<BTreeMap<Site, bool>>,
}

impl<'l> LaneSet<'l> {
    fn new(list: &'l BTreeSet<Site>) -> Self {
        Self { list, known: RefCell::default() }
    }

    /// Whether a lane is in the list, or moved from one that is.
    fn has(&self, flow: &Flow<'_>, site: Site) -> bool {
        let mut passed = Vec::new();
        let mut at = Some(site);
        let mut found = false;
        while let Some(site) = at {
            if self.list.contains(&site) {
                found = true;
                break;
            }
            if flow.hands_on(site.event) {
                if let Some(&known) = self.known.borrow().get(&site) {
                    found = known;
                    break;
                }
                passed.push(site);
            }
            at = moved(flow, site, false);
        }
        self.known.borrow_mut().extend(passed.into_iter().map(|site| (site, found)));
        found
    }
}

/// A lane of an access, with the element that a computed index means.
pub(super) fn held(flow: &Flow<'_>, start: u32, event: u32, cell: Cell, lane: usize, site: Site) -> HeldLane {
    let name = resolved(flow, start, event, cell, site.invocation)
        .map_or_else(|| words::lane(flow.shader, cell, lane), |cell| words::lane(flow.shader, cell, lane));
    HeldLane { name, bits: flow.bits(site), scalar: flow.scalar(site) }
}

/// The cell that a computed index means in the step of an event.
fn resolved(flow: &Flow<'_>, start: u32, event: u32, cell: Cell, invocation: u32) -> Option<Cell> {
    if !cell.is_computed() {
        return None;
    }
    (start..event).find_map(|at| {
        let inst = flow.inst(at)?;
        let element = flow.element(at, invocation)?.element?;
        match (cell, inst.op) {
            (Cell::ParamAt(id, offset), Op::ParamAt { array, offset: of, .. })
            | (Cell::ParamAt(id, offset), Op::StoreParamAt { array, offset: of, .. }) => {
                (id == array && offset == of).then_some(Cell::Param(id, element))
            }
            (Cell::LocalAt(id, offset), Op::LoadLocalAt { array, offset: of, .. })
            | (Cell::LocalAt(id, offset), Op::StoreLocalAt { array, offset: of, .. }) => {
                (id == array && offset == of).then_some(Cell::Local(id, element))
            }
            (Cell::OutputAt(..), Op::LoadOutputAt { first, .. } | Op::StoreOutputAt { first, .. }) => {
                Some(Cell::Output(OutputId(first.0 + element)))
            }
            _ => None,
        }
    })
}

/// The lanes of an output that the shader writes somewhere.
pub fn lanes_written(shader: &Shader, output: OutputId) -> Vec<usize> {
    let mut written = [false; 4];
    shader.body.for_each_inst(&mut |inst| match inst.op {
        Op::StoreOutput { output: to, mask } if to == output => {
            mask.lanes().for_each(|lane| written[lane] = true);
        }
        Op::StoreOutputAt { .. } => written = [true; 4],
        _ => {}
    });
    (0..4).filter(|lane| written[*lane]).collect()
}

/// The output and the lanes that a text like `oc`, `oc.x`, `oC0.rgb` names.
pub fn output_named(shader: &Shader, text: &str) -> Option<(OutputId, Vec<usize>)> {
    let (name, lanes) = text.split_once('.').unwrap_or((text, "xyzw"));
    let output = shader.outputs.iter().position(|output| output.name == name)?;
    let lane = |c: char| ['x', 'y', 'z', 'w'].iter().position(|x| *x == c).or_else(|| "rgba".find(c));
    let lanes: Option<Vec<usize>> = lanes.chars().map(lane).collect();
    Some((OutputId(output as u32), lanes.filter(|lanes| !lanes.is_empty() && lanes.len() <= 4)?))
}
