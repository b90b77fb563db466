//! What of a shader is reached, and how close comparisons come to tipping.
//!
//! A probe is a mark like those of the [step table](vecasm_ir::ir::steps): one at the start of each arm of a branch, and
//! one behind each operation whose result has a kink or a jump, with what it compares. The interpreter reports them as
//! it reports source steps.

use super::judge::order;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::interp::StepEvent;
use vecasm_ir::ir::steps::{Access, Cell, Step};
use vecasm_ir::ir::{Arg, Args, Home, Inst, Node, Op, Pure, Region, Scalar, Shader};
use vecasm_ir::operand::WriteMask;

/// Most probes of a shader; what is behind them is not watched.
const MOST: usize = 4096;

/// What of a shader was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Steps of the step table that were reached, and how many there are.
    pub steps: [usize; 2],
    /// Source instructions, from 0, none of whose steps was reached.
    pub unreached: Vec<u32>,
    /// Arms of branches that were reached, and how many there are.
    pub arms: [usize; 2],
    /// The source instruction before each branch whose arm was never taken, and which arm: 0 where the condition
    /// holds, 1 where not; of a switch its case.
    pub arms_missed: Vec<(u32, usize)>,
    /// Comparisons (with minima, maxima, clamps and the like), lane by lane: how many outcomes below, equal and above
    /// were seen, and how many there are.
    pub sides: [usize; 2],
    /// Source instructions with a comparison that was never seen tipping: some side of it was not seen.
    pub one_sided: Vec<u32>,
}

/// What a probe looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// The start of an arm.
    Arm(usize),
    /// Two arguments that are compared.
    Two,
    /// One argument and this number.
    With(u32),
}

/// A probe: a step behind those of the shader's own.
#[derive(Clone, Copy, Debug)]
struct Probe {
    sort: Sort,
    source: u32,
    scalar: Scalar,
    lanes: usize,
}

/// The places of two numbers that are compared, per relation the closest case.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sides {
    /// Whether the first was seen below, equal to and above the second.
    pub(super) seen: [bool; 3],
    /// The least distance seen so far that is not zero, in places, and whether it is below.
    pub(super) closest: Option<u32>,
}

/// What a probe saw: its number, the lane, the invocation of the batch, the two numbers.
pub(super) type Sighting = (usize, usize, usize, [u32; 2]);

/// What was noted.
#[derive(Debug)]
pub(super) struct Notes {
    own: usize,
    probes: Vec<Probe>,
    reached: Vec<bool>,
    /// Of each probe, for each lane.
    pub(super) sides: Vec<[Sides; 4]>,
    /// What the last run showed, if it is asked for.
    pub(super) seen: Option<Vec<Sighting>>,
}

/// A shader with probes.
#[derive(Debug)]
pub(super) struct Probed {
    pub(super) shader: Shader,
    notes: Notes,
}

impl Probed {
    pub(super) fn new(shader: &Shader) -> Self {
        let mut shader = shader.clone();
        let own = shader.steps.len();
        let mut body = core::mem::take(&mut shader.body);
        let mut probes = Vec::new();
        if shader.files.is_empty() {
            // What a probe looks at is noted as a register, of whichever file.
            shader.files.push("probe".into());
        }
        instrument(&mut shader, &mut body, &mut probes, 0);
        shader.body = body;
        let (steps, count) = (shader.steps.len(), probes.len());
        let sides = vec![[Sides::default(); 4]; count];
        Self { shader, notes: Notes { own, probes, reached: vec![false; steps], sides, seen: None } }
    }

    pub(super) fn parts(&mut self) -> (&Shader, &mut Notes) {
        (&self.shader, &mut self.notes)
    }

    pub(super) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// What has been reached so far.
    pub(super) fn coverage(&self) -> Coverage {
        let notes = &self.notes;
        let own = &notes.reached[..notes.own.min(notes.reached.len())];
        let mut out =
            Coverage { steps: [own.iter().filter(|r| **r).count(), own.len()], ..Coverage::default() };
        let steps = || self.shader.steps.iter().zip(own);
        let reached: BTreeSet<u32> = steps().filter(|(_, hit)| **hit).map(|(step, _)| step.source).collect();
        for (step, _) in steps() {
            if out.unreached.last() != Some(&step.source) && !reached.contains(&step.source) {
                out.unreached.push(step.source);
            }
        }
        for (n, probe) in notes.probes.iter().enumerate() {
            if let Sort::Arm(arm) = probe.sort {
                let hit = notes.reached.get(notes.own + n).copied().unwrap_or(false);
                out.arms[0] += usize::from(hit);
                out.arms[1] += 1;
                if !hit {
                    out.arms_missed.push((probe.source, arm));
                }
                continue;
            }
            let sides = notes.sides[n].iter().take(probe.lanes);
            let seen: usize = sides.map(|s| s.seen.iter().filter(|s| **s).count()).sum();
            out.sides[0] += seen;
            out.sides[1] += probe.lanes * 3;
            if seen < probe.lanes * 3 && out.one_sided.last() != Some(&probe.source) {
                out.one_sided.push(probe.source);
            }
        }
        out
    }
}

impl Notes {
    /// Takes in what a run reports.
    pub(super) fn note(&mut self, event: &StepEvent<'_>) {
        let live = event.absent.iter().enumerate().filter(|(_, why)| why.is_none()).map(|(i, _)| i);
        let mut any = false;
        let probe = event.step.checked_sub(self.own).and_then(|n| Some((n, *self.probes.get(n)?)));
        for i in live {
            any = true;
            let Some((n, probe)) = probe else { break };
            let (Sort::Two | Sort::With(_)) = probe.sort else { break };
            let value = |access: usize| event.values.get(access).and_then(|v| v.get(i)).copied();
            let Some(first) = value(0) else { continue };
            let second = match probe.sort {
                Sort::With(bits) => [bits; 4],
                _ => value(1).unwrap_or([0; 4]),
            };
            for lane in 0..probe.lanes {
                let (x, y) = (first[lane], second[lane]);
                if let Some(seen) = &mut self.seen {
                    seen.push((n, lane, event.first + i, [x, y]));
                }
                let Some((x, y)) = places(probe.scalar, x, y) else { continue };
                let sides = &mut self.sides[n][lane];
                let side = (x > y) as usize * 2 + usize::from(x == y);
                sides.seen[side] = true;
                let apart = x.abs_diff(y);
                if apart > 0 && sides.closest.is_none_or(|closest| apart < closest) {
                    sides.closest = Some(apart);
                }
            }
        }
        if let Some(reached) = self.reached.get_mut(event.step) {
            *reached |= any;
        }
    }

    /// The comparisons of which some side was not seen: probe and lane.
    pub(super) fn goals(&self) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for (n, probe) in self.probes.iter().enumerate() {
            let lanes = if matches!(probe.sort, Sort::Arm(_)) { 0 } else { probe.lanes };
            out.extend((0..lanes).filter(|&l| self.sides[n][l].seen != [true; 3]).map(|lane| (n, lane)));
        }
        out
    }

    /// The distance of two numbers that a probe saw; `None` if they have no order.
    pub(super) fn distance(&self, probe: usize, values: [u32; 2]) -> Option<i64> {
        let (x, y) = places(self.probes.get(probe)?.scalar, values[0], values[1])?;
        Some(i64::from(x) - i64::from(y))
    }
}

/// The places of two numbers among all of their type; `None` if one is NaN.
fn places(scalar: Scalar, x: u32, y: u32) -> Option<(i32, i32)> {
    match scalar {
        Scalar::F32 => {
            let nan = |bits: u32| f32::from_bits(bits).is_nan();
            (!nan(x) && !nan(y)).then(|| (order(x), order(y)))
        }
        Scalar::I32 => Some((x as i32, y as i32)),
        _ => Some(((x ^ 0x8000_0000) as i32, (y ^ 0x8000_0000) as i32)),
    }
}

/// Puts probes into a region.
fn instrument(shader: &mut Shader, region: &mut Region, probes: &mut Vec<Probe>, source: u32) {
    let nodes = core::mem::take(&mut region.nodes);
    let mut source = source;
    for mut node in nodes {
        if let Node::Inst(inst) = &node {
            source = inst.step;
            let inst = *inst;
            region.nodes.push(node);
            compare(shader, region, probes, &inst);
            continue;
        }
        // What a composite instruction does is not looked into: the bracket allows nothing else in it.
        if !matches!(node, Node::Idiom(_)) {
            let several = matches!(node, Node::If(_) | Node::Switch(_));
            let mut arm = 0;
            node.for_each_region_mut(|inner| {
                if several && probes.len() < MOST {
                    let probe = Probe { sort: Sort::Arm(arm), source, scalar: Scalar::Bool, lanes: 0 };
                    let mark = mark(shader, probes, probe, &[], source);
                    inner.nodes.insert(0, mark);
                    arm += 1;
                }
                instrument(shader, inner, probes, source);
            });
        }
        region.nodes.push(node);
    }
}

/// Puts a probe behind an operation that compares.
fn compare(shader: &mut Shader, region: &mut Region, probes: &mut Vec<Probe>, inst: &Inst) {
    const ONE: u32 = 0x3f80_0000;
    let Op::Pure(pure) = inst.op else { return };
    let args: Vec<Arg> = shader.args(inst.args).to_vec();
    let Some(&first) = args.first() else { return };
    let ty = shader.arg_type(first);
    if !matches!(ty.scalar, Scalar::F32 | Scalar::I32 | Scalar::U32) || probes.len() >= MOST {
        return;
    }
    let (sorts, count): (&[Sort], usize) = match pure {
        Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne | Pure::Min | Pure::Max => (&[Sort::Two], 2),
        Pure::Saturate => (&[Sort::With(0), Sort::With(ONE)], 1),
        Pure::Abs | Pure::Sign | Pure::Sqrt | Pure::Rsq | Pure::Log2 => (&[Sort::With(0)], 1),
        _ => return,
    };
    if ty.scalar != Scalar::F32 && count == 1 {
        return;
    }
    for &sort in sorts {
        let lanes = usize::from(ty.lanes).min(4);
        let probe = Probe { sort, source: inst.step, scalar: ty.scalar, lanes };
        let given = args.get(..count).unwrap_or(&[]);
        let mark = mark(shader, probes, probe, given, inst.step);
        region.nodes.push(mark);
    }
}

fn mark(shader: &mut Shader, probes: &mut Vec<Probe>, probe: Probe, args: &[Arg], source: u32) -> Node {
    let mask = WriteMask::first(probe.lanes.min(4) as u8);
    let cell = Cell::Register(Home { file: 0, index: 0 });
    let reads = args.iter().map(|_| Access { cell, mask }).collect();
    let step = shader.steps.len() as u32;
    shader.steps.push(Step { source, part: 0, reads, writes: Vec::new() });
    probes.push(probe);
    let start = shader.args.len() as u32;
    shader.args.extend_from_slice(args);
    let args = Args { start, len: args.len() as u32 };
    Node::Inst(Inst {
        op: Op::Mark(step),
        arith: vecasm_ir::ir::Arith::IEEE,
        result: None,
        args,
        step: source,
        tail: None,
    })
}
