//! What becomes of lanes that nobody wrote.
//!
//! A copy has no operation of its own, and all registers that nobody wrote hold the same zero. So lanes are followed from
//! step to step, by the cells that these read and write; operations only tell which lane of a step depends on which.

use super::findings::Group;
use super::flow::{Flow, Site};
use super::probe::Point;
use super::words::moved;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{Op, OutputId, OutputKind, Stage};

/// Where a lane that a step reads ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// In nothing that the run leaves behind.
    Nowhere,
    /// In a part of a value for the next stage, whose rest is sound: the same as if that part were not written.
    Part,
    /// In a result, or in a decision.
    Result,
}

/// A lane that a step reads: its mark, the number of the access, and the lane of the cell.
pub(super) type Read = (u32, usize, usize);
type Lane = (Cell, usize);

/// The steps between two marks of one source instruction: both halves of a pair read what was there before them.
struct Part {
    start: u32,
    marks: Vec<u32>,
}

impl<'f, 'a> Group<'f, 'a> {
    /// Where lanes end that an invocation reads and nobody wrote.
    pub(super) fn reach(&self, invocation: u32, unwritten: &BTreeSet<Read>) -> BTreeMap<Read, Reach> {
        let parts = self.parts(invocation);
        let (sound, rest) = self.ends(invocation, &self.tainted(&parts, invocation, unwritten));
        let results = self.live(&parts, invocation, sound.clone());
        let all = self.live(&parts, invocation, sound.into_iter().chain(rest).collect());
        let reach = |read: &Read| match (results.contains(read), all.contains(read)) {
            (true, _) => Reach::Result,
            (false, true) => Reach::Part,
            (false, false) => Reach::Nowhere,
        };
        unwritten.iter().map(|read| (*read, reach(read))).collect()
    }

    fn parts(&self, invocation: u32) -> Vec<Part> {
        let mut out: Vec<Part> = Vec::new();
        for &event in self.steps.events.iter().filter(|&&event| self.flow.is_present(event, invocation)) {
            let start = self.steps.start(event);
            match out.last_mut().filter(|part| part.start == start) {
                Some(part) => part.marks.push(event),
                None => out.push(Part { start, marks: vec![event] }),
            }
        }
        out
    }

    /// The lanes of outputs that hold at the end what was made of lanes that nobody wrote.
    fn tainted(&self, parts: &[Part], invocation: u32, unwritten: &BTreeSet<Read>) -> BTreeSet<Lane> {
        let mut tainted: BTreeSet<Lane> = BTreeSet::new();
        for part in parts {
            let mut changed: Vec<(Lane, bool)> = Vec::new();
            for &event in &part.marks {
                let reads = self.step_reads(part.start, event, invocation);
                for (access, lane, site) in self.flow.accesses(event, true, invocation) {
                    let from = reads.behind(vec![site]);
                    let of = |read: &(usize, Lane)| {
                        unwritten.contains(&(event, read.0, read.1.1)) || tainted.contains(&read.1)
                    };
                    let kept = from.elsewhere && tainted.contains(&(access.cell, lane));
                    changed.push(((access.cell, lane), kept || from.reads.iter().any(of)));
                }
            }
            for (lane, is) in changed {
                if is {
                    tainted.insert(lane);
                } else {
                    tainted.remove(&lane);
                }
            }
        }
        tainted.retain(|(cell, _)| matches!(cell, Cell::Output(_)));
        tainted
    }

    /// The lanes that count of outputs; and those of parts of outputs, of which others are sound.
    fn ends(&self, invocation: u32, tainted: &BTreeSet<Lane>) -> (BTreeSet<Lane>, BTreeSet<Lane>) {
        let (mut whole, mut parts) = (BTreeSet::new(), BTreeSet::new());
        for (number, output) in self.flow.shader.outputs.iter().enumerate() {
            let id = OutputId(number as u32);
            let lane = |lane: usize| (Cell::Output(id), lane);
            let lanes = output.kind.lanes();
            let wanted = matches!(
                output.kind,
                OutputKind::Position | OutputKind::Color { .. } | OutputKind::SecondColor { .. }
            );
            let is_sound =
                |at: usize| self.flow.output(id, at, invocation).is_some() && !tainted.contains(&lane(at));
            let part = lanes == 4 && !wanted && (0..4).any(is_sound);
            for at in 0..lanes {
                if part && tainted.contains(&lane(at)) {
                    parts.insert(lane(at));
                } else {
                    whole.insert(lane(at));
                }
            }
        }
        (whole, parts)
    }

    /// The lanes that steps read and that have a part in `wanted` at the end, or in something else that a run leaves behind.
    fn live(&self, parts: &[Part], invocation: u32, wanted: BTreeSet<Lane>) -> BTreeSet<Read> {
        // Other stages hand outputs on before the end, or to one another.
        let ends = matches!(self.flow.shader.stage, Stage::Vertex | Stage::Fragment);
        let always = |cell: Cell| match cell {
            Cell::Register(_) => false,
            Cell::Output(_) => !ends,
            _ => true,
        };
        let mut live = wanted;
        let mut found = BTreeSet::new();
        for part in parts.iter().rev() {
            let mut kept: Vec<Lane> = Vec::new();
            let mut read: Vec<Lane> = Vec::new();
            for &event in &part.marks {
                let reads = self.step_reads(part.start, event, invocation);
                let mut sites = self.effects(part.start, event, invocation);
                let mut writes: Vec<Lane> = Vec::new();
                for (access, lane, site) in self.flow.accesses(event, true, invocation) {
                    let at = (access.cell, lane);
                    if always(access.cell) || live.contains(&at) {
                        sites.push(site);
                        writes.push(at);
                    }
                }
                let step = self.flow.step(event);
                // A step that writes nothing and does nothing decides.
                let decides = sites.is_empty() && step.is_some_and(|step| step.writes.is_empty());
                let from = reads.behind(sites);
                if from.elsewhere {
                    kept.extend(&writes);
                }
                let used: Vec<(usize, Lane)> = match decides || from.elsewhere {
                    true => reads.all.clone(),
                    false => from.reads.into_iter().collect(),
                };
                for (access, lane) in used {
                    found.insert((event, access, lane.1));
                    read.push(lane);
                }
            }
            for &event in &part.marks {
                for (access, lane, _) in self.flow.accesses(event, true, invocation) {
                    live.remove(&(access.cell, lane));
                }
            }
            live.extend(kept);
            live.extend(read);
        }
        found
    }

    /// The lanes that a step does something with besides writing to cells.
    fn effects(&self, start: u32, end: u32, invocation: u32) -> Vec<Site> {
        let flow = self.flow;
        let mut out = Vec::new();
        for event in (start..end).filter(|&event| flow.is_present(event, invocation)) {
            let Some(probe) = flow.probe(event) else { continue };
            let args = match &probe.point {
                Point::Branch => flow.args(probe),
                Point::Inst(inst) => flow.shader.args(inst.args),
                _ => continue,
            };
            let op = match &probe.point {
                Point::Inst(inst) => Some(inst.op),
                _ => None,
            };
            for (number, arg) in args.iter().enumerate() {
                let counts = |lane: u8| match op {
                    None => true,
                    // What is stored is written to a cell; only the index is left.
                    Some(Op::StoreOutputAt { .. } | Op::StoreLocalAt { .. } | Op::StoreParamAt { .. }) => {
                        number == 0
                    }
                    Some(
                        Op::StoreOutput { .. } | Op::StoreLocal { .. } | Op::StoreParam { .. } | Op::Mark(_),
                    ) => false,
                    // The format of the image may lack lanes of the texel.
                    Some(Op::StoreImage { image, .. }) if arg.lanes == 4 && number > 0 => flow
                        .shader
                        .images
                        .get(image.index())
                        .is_none_or(|image| image.format.order().contains(&lane)),
                    // Neighbours have it.
                    Some(Op::Ddx(_) | Op::Ddy(_)) => true,
                    Some(op) => !op.is_pure() || op.needs_subgroup(),
                };
                for lane in (0..arg.lanes).filter(|&lane| counts(lane)) {
                    out.extend(flow.source(event, number, usize::from(lane), invocation));
                }
            }
        }
        out
    }

    fn step_reads(&self, start: u32, event: u32, invocation: u32) -> Reads<'f, 'a> {
        let mut out = Reads { flow: self.flow, start, all: Vec::new(), sites: BTreeMap::new() };
        for (number, access, lane, site) in self.flow.reads(event, invocation) {
            let read = (number, (access.cell, lane));
            out.all.push(read);
            // A lane may be taken from where it was moved from.
            let mut at = Some(site);
            for _ in 0..FURTHEST {
                at = at.and_then(|site| moved(self.flow, site, false));
                let Some(site) = at else { break };
                out.sites.entry(site).or_default().push(read);
            }
        }
        out
    }
}

/// How far back a lane that a step reads is followed for what its operations may call it.
const FURTHEST: usize = 8;

/// What a step reads, by where it comes from.
struct Reads<'f, 'a> {
    flow: &'f Flow<'a>,
    start: u32,
    all: Vec<(usize, Lane)>,
    sites: BTreeMap<Site, Vec<(usize, Lane)>>,
}

/// What lanes are made of in their step.
#[derive(Default)]
struct LaneSources {
    reads: BTreeSet<(usize, Lane)>,
    /// Something that is not listed as read has a part.
    elsewhere: bool,
}

impl Reads<'_, '_> {
    /// What lanes are made of.
    fn behind(&self, mut work: Vec<Site>) -> LaneSources {
        let mut out = LaneSources::default();
        let mut seen: BTreeSet<Site> = BTreeSet::new();
        while let Some(site) = work.pop() {
            if !seen.insert(site) {
                continue;
            }
            if let Some(reads) = self.sites.get(&site) {
                out.reads.extend(reads);
                continue;
            }
            let given = self.flow.inst(site.event).is_some_and(|inst| is_given(inst.op));
            if given {
                continue;
            }
            if site.event < self.start {
                out.elsewhere = true;
                continue;
            }
            work.extend(self.flow.made_of(site).into_iter().map(|(from, _)| from));
        }
        out
    }
}

/// Whether an operation gives what the program or the pipeline has, whatever registers hold.
const fn is_given(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Input(_) | Op::State(_) | Op::Param { .. } | Op::Framebuffer { .. })
}
