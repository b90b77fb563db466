//! Where NaN, infinities and denormals come into being, and where they go.

use super::Cause;
use super::flow::{Dependence, Flow, Site};
use super::outside::is_outside;
use super::steps::Steps;
use super::words::moved;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::{Op, Pure, Scalar};

/// A number that arithmetic suffers from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SpecialNumber {
    Nan,
    Infinite,
    Denormal,
}

impl SpecialNumber {
    /// Which one an f32 is.
    pub(super) fn of(bits: u32) -> Option<Self> {
        let value = f32::from_bits(bits);
        if value.is_nan() {
            Some(Self::Nan)
        } else if value.is_infinite() {
            Some(Self::Infinite)
        } else {
            value.is_subnormal().then_some(Self::Denormal)
        }
    }

    /// Whether a lane that is this one may only hand on what an argument is.
    fn follows(self, argument: Option<Self>) -> bool {
        match self {
            Self::Nan => argument == Some(Self::Nan),
            Self::Infinite => matches!(argument, Some(Self::Nan | Self::Infinite)),
            Self::Denormal => argument == Some(Self::Denormal),
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Nan => "NaN",
            Self::Infinite => "an infinity",
            Self::Denormal => "a denormal",
        }
    }
}

/// A lane that became odd in a step, though nothing that it was computed from was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Birth {
    pub(super) odd: SpecialNumber,
    /// The mark of the step.
    pub(super) step: u32,
    /// The lane that the step wrote.
    pub(super) written: Site,
    /// The lane of the operation that made it, or of what came from outside.
    pub(super) made: Site,
    /// It came from outside: an input, a constant, a texture.
    pub(super) given: bool,
}

impl Birth {
    /// What the finding is called; `zero` tells that it is the length of a vector of zeros that went wrong.
    pub(super) const fn cause(&self, zero: bool) -> Cause {
        match self.odd {
            _ if zero => Cause::ZeroVector,
            SpecialNumber::Nan => Cause::Nan,
            SpecialNumber::Infinite => Cause::Infinity,
            SpecialNumber::Denormal => Cause::Denormal,
        }
    }

    /// How bad it is; `ended` tells that it reached an output.
    pub(super) fn severity(&self, ended: bool) -> Severity {
        if ended && self.odd != SpecialNumber::Denormal { Severity::Error } else { Severity::Note }
    }
}

/// Where an odd number went.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// Marks of steps that handed it on, and a lane that they wrote.
    pub(super) through: Vec<(u32, Site)>,
    /// Operations with it that gave an ordinary result.
    pub(super) swallowed: Vec<Site>,
    /// Later births that it led to: an infinity that becomes NaN.
    pub(super) becomes: BTreeSet<usize>,
}

/// Which lanes of a group are odd: those of f32, and those of integers that hold the bits of such a lane, as registers
/// without a type do between two operations on floats.
#[derive(Debug)]
pub(super) struct SpecialLanes {
    carried: BTreeSet<Site>,
}

impl SpecialLanes {
    pub(super) fn new(flow: &Flow<'_>) -> Self {
        let mut out = Self { carried: BTreeSet::new() };
        for event in 0..flow.events.len() as u32 {
            let Some(probe) = flow.probe(event) else { continue };
            for (slot, arg) in flow.args(probe).iter().enumerate() {
                let first = Site { event, slot: slot as u32, invocation: 0, lane: 0 };
                if !matches!(flow.scalar(first), Scalar::U32 | Scalar::I32) {
                    continue;
                }
                for invocation in (0..flow.here as u32).filter(|i| flow.is_present(event, *i)) {
                    for lane in 0..arg.lanes {
                        let site = Site { invocation, lane, ..first };
                        if moved(flow, site, false).is_some_and(|from| out.of(flow, from).is_some()) {
                            out.carried.insert(site);
                        }
                    }
                }
            }
        }
        out
    }

    /// Which kind of odd number a lane is.
    pub(super) fn of(&self, flow: &Flow<'_>, site: Site) -> Option<SpecialNumber> {
        let is = match flow.scalar(site) {
            Scalar::F32 => true,
            Scalar::U32 | Scalar::I32 => self.carried.contains(&site),
            _ => false,
        };
        is.then(|| SpecialNumber::of(flow.bits(site))).flatten()
    }
}

/// The births of a group, in the order of the run.
pub(super) fn births(flow: &Flow<'_>, steps: &Steps, odds: &SpecialLanes) -> Vec<Birth> {
    let mut found = Vec::new();
    let mut known: BTreeSet<Site> = BTreeSet::new();
    for &event in &steps.events {
        for invocation in 0..flow.here as u32 {
            if !flow.is_present(event, invocation) {
                continue;
            }
            for (_, _, written) in flow.accesses(event, true, invocation) {
                let Some(odd) = odds.of(flow, written) else { continue };
                if let Some((made, given)) = born(flow, odds, steps.start(event), written, odd) {
                    if known.insert(made) {
                        found.push(Birth { odd, step: event, written, made, given });
                    }
                }
            }
        }
    }
    found
}

/// The operation in the step since `start` that made a lane odd, if nothing before was; or what came from outside.
fn born(
    flow: &Flow<'_>,
    odds: &SpecialLanes,
    start: u32,
    written: Site,
    kind: SpecialNumber,
) -> Option<(Site, bool)> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<Site> = data(flow, written).collect();
    let mut made: Option<Site> = None;
    let mut given: Option<Site> = None;
    while let Some(site) = work.pop() {
        if !seen.insert(site) {
            continue;
        }
        let odd = odds.of(flow, site);
        if is_outside(flow, site) {
            if kind.follows(odd) {
                given = given.or(Some(site));
            }
            continue;
        }
        if site.event < start {
            if kind.follows(odd) {
                return None;
            }
            continue;
        }
        if odd == Some(kind) && !data(flow, site).any(|from| kind.follows(odds.of(flow, from))) {
            made = Some(made.map_or(site, |other| other.min(site)));
        }
        work.extend(data(flow, site));
    }
    match (given, made) {
        (Some(site), _) => Some((site, true)),
        (None, made) => made.map(|site| (site, false)),
    }
}

fn data(flow: &Flow<'_>, site: Site) -> impl Iterator<Item = Site> + use<> {
    flow.made_of(site).into_iter().filter(|(_, way)| *way != Dependence::Choice).map(|(site, _)| site)
}

/// Where odd numbers went. The lists have an entry for each birth.
pub(super) fn ways(
    flow: &Flow<'_>,
    odds: &SpecialLanes,
    births: &[Birth],
) -> (Vec<Course>, BTreeMap<Site, usize>) {
    let mut ways: Vec<Course> = births.iter().map(|_| Course::default()).collect();
    let mut taken: BTreeMap<Site, usize> = BTreeMap::new();
    for (number, birth) in births.iter().enumerate() {
        taken.entry(birth.made).or_insert(number);
    }
    let Some(first) = births.iter().map(|birth| birth.made.event).min() else { return (ways, taken) };
    for event in first..flow.events.len() as u32 {
        let Some(probe) = flow.probe(event) else { continue };
        let inst = flow.inst(event).copied();
        // What gives nothing hands nothing on; cells are followed by their loads.
        if inst.is_some_and(|inst| inst.result.is_none()) {
            continue;
        }
        let is_step = flow.step(event).is_some();
        for (slot, arg) in flow.args(probe).iter().enumerate() {
            for invocation in 0..flow.here as u32 {
                if !flow.is_present(event, invocation) {
                    continue;
                }
                for lane in 0..arg.lanes {
                    let site = Site { event, slot: slot as u32, invocation, lane };
                    let Some(of) = data(flow, site).find_map(|from| taken.get(&from).copied()) else {
                        continue;
                    };
                    if let Some(&born) = taken.get(&site) {
                        if let Some(way) = ways.get_mut(of).filter(|_| born > of) {
                            way.becomes.insert(born);
                        }
                        continue;
                    }
                    if odds.of(flow, site).is_some() {
                        taken.insert(site, of);
                        let written = flow.step(event).is_some_and(|step| slot >= step.reads.len());
                        if let (true, Some(way)) = (is_step && written, ways.get_mut(of)) {
                            way.through.push((event, site));
                        }
                    } else if let (Some(inst), Some(way)) = (inst, ways.get_mut(of)) {
                        if matches!(inst.op, Op::Pure(_) | Op::Ddx(_) | Op::Ddy(_) | Op::Sample { .. }) {
                            way.swallowed.push(site);
                        }
                    }
                }
            }
        }
    }
    (ways, taken)
}

/// How an operation with an odd argument gave an ordinary result; `values` are those that made the result, argument by
/// argument.
pub(super) fn swallowing(op: Op, odd: SpecialNumber, values: &[u32], result: u32) -> &'static str {
    match op {
        Op::Pure(Pure::Mul | Pure::Fma | Pure::Dot) if odd == SpecialNumber::Denormal => {
            let factors = if matches!(op, Op::Pure(Pure::Dot)) { values.len() / 2 } else { 1 };
            let (first, rest) = values.split_at(factors.min(values.len()));
            let products = || first.iter().zip(rest).map(|(a, b)| (f32::from_bits(*a), f32::from_bits(*b)));
            if f32::from_bits(result) != 0.0 {
                "gives a finite number"
            } else if products().any(|(a, b)| a * b != 0.0) {
                "takes denormals as zero"
            } else if products().any(|(a, b)| a != 0.0 && b != 0.0) {
                "underflows to zero"
            } else {
                "multiplies it with zero"
            }
        }
        Op::Pure(Pure::Min | Pure::Max) if odd == SpecialNumber::Nan => "takes the other argument",
        Op::Pure(Pure::Min | Pure::Max | Pure::Saturate) => "clamps it",
        Op::Pure(Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne) => "only compares it",
        Op::Pure(Pure::Mul | Pure::Fma | Pure::Dot) => "takes a product with zero as zero",
        Op::Pure(Pure::Rcp | Pure::Rsq | Pure::Div) => "turns it into zero",
        Op::Sample { .. } => "reads a texel with it",
        _ => "gives a finite number",
    }
}
