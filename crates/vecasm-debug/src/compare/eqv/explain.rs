//! The runs of both shaders on a counter-example side by side, up to where they part.

use super::domain::Domain;
use super::interface::Interface;
use super::{Counterexample, Options, Tolerance};
use crate::compare::diff::{SAME, align_by};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::RunError;
use vecasm_exec::interp::StepEvent;
use vecasm_ir::ir::steps::Access;
use vecasm_ir::ir::{Scalar, Shader};

/// Steps of a run that are kept.
const MOST: usize = 4096;

/// What a step read or wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The cell and its lanes, as the source spells them: `ft0.xy`.
    pub cell: String,
    /// Type of the lanes.
    pub scalar: Scalar,
    /// Their bits.
    pub lanes: Vec<u32>,
}

/// A step that an invocation came through.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutedStep {
    /// The source instruction, from 0.
    pub source: u32,
    /// Which half of a pair it is.
    pub part: u8,
    /// What it read.
    pub reads: Vec<Written>,
    /// What it wrote.
    pub writes: Vec<Written>,
}

/// Two runs, aligned by what they write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlignedRuns {
    /// The steps of each run, without those that the invocation took no part in.
    pub runs: [Vec<ExecutedStep>; 2],
    /// Steps that belong together, in order: places in each run. Where both are there, they wrote the same or stand in
    /// the same place; where one is missing, the other run has more.
    pub pairs: Vec<(Option<usize>, Option<usize>)>,
    /// The pair in which the runs part first: both wrote, and not the same. If there is none, the first step that
    /// one run alone has.
    pub first: Option<usize>,
}

/// Runs a counter-example again, and finds the first step in which the runs differ. Both shaders need their step tables;
/// without them the runs have no steps.
///
/// # Errors
///
/// As running the shaders.
pub fn explain(
    a: &Shader,
    b: &Shader,
    interface: &Interface,
    example: &Counterexample,
    options: &Options,
) -> Result<AlignedRuns, RunError> {
    let [a, b] = &[a, b].map(|shader| super::settled(shader, options, &mut Vec::new()));
    let [a, b] = &[(0, a), (1, b)].map(|(side, shader)| super::confined(shader, side, interface));
    let domain = Domain::new(a, b, interface, options);
    let mut runs = [Vec::new(), Vec::new()];
    for (side, (shader, run)) in [&**a, &**b].into_iter().zip(&mut runs).enumerate() {
        let units = core::slice::from_ref(&example.unit);
        let mut watch = |event: &StepEvent<'_>| {
            let taken = taken(shader, event, example.difference.invocation);
            if let (Some(taken), true) = (taken, run.len() < MOST) {
                run.push(taken);
            }
        };
        domain.run_watched(side, shader, interface, &example.setting, units, &mut watch)?;
    }
    let same = |x: usize, y: usize| match (runs[0].get(x), runs[1].get(y)) {
        (Some(x), Some(y)) => lanes_same(&x.writes, &y.writes, &options.tolerance),
        _ => false,
    };
    let score = |x: usize, y: usize| {
        let (Some(p), Some(q)) = (runs[0].get(x), runs[1].get(y)) else { return 0 };
        match (same(x, y), lanes_same(&p.reads, &q.reads, &options.tolerance)) {
            (true, true) => SAME,
            (true, false) => SAME * 3 / 4,
            // The same numbers went in, and others came out: this is where runs part.
            (false, true) => SAME / 2,
            (false, false) => 1,
        }
    };
    let pairs = align_by(runs[0].len(), runs[1].len(), score);
    let differ = |pair: &(Option<usize>, Option<usize>)| match *pair {
        (Some(x), Some(y)) => !same(x, y),
        _ => false,
    };
    let first = pairs
        .iter()
        .position(differ)
        .or_else(|| pairs.iter().position(|pair| matches!(pair, (None, _) | (_, None))));
    Ok(AlignedRuns { runs, pairs, first })
}

fn taken(shader: &Shader, event: &StepEvent<'_>, invocation: usize) -> Option<ExecutedStep> {
    let here = invocation.checked_sub(event.first)?;
    if event.absent.get(here)?.is_some() {
        return None;
    }
    let step = shader.steps.get(event.step)?;
    let show = |(n, access): (usize, &Access)| {
        let lanes = event.values.get(n).and_then(|v| v.get(here)).copied().unwrap_or([0; 4]);
        Written {
            cell: alloc::format!("{}.{}", shader.cell_name(access.cell), access.mask.letters()),
            scalar: event.scalars.get(n).copied().unwrap_or(Scalar::F32),
            lanes: lanes.into_iter().take(access.mask.count() as usize).collect(),
        }
    };
    let all: Vec<Written> = step.accesses().enumerate().map(show).collect();
    let (reads, writes) = all.split_at_checked(step.reads.len())?;
    let (reads, writes) = (reads.to_vec(), writes.to_vec());
    Some(ExecutedStep { source: step.source, part: step.part, reads, writes })
}

/// Whether cells hold the same lanes, whatever they are called.
fn lanes_same(x: &[Written], y: &[Written], tolerance: &Tolerance) -> bool {
    let lanes = |cells: &[Written]| -> Vec<(Scalar, u32)> {
        cells.iter().flat_map(|w| w.lanes.iter().map(|&lane| (w.scalar, lane))).collect()
    };
    let (x, y) = (lanes(x), lanes(y));
    x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| x.0 == y.0 && tolerance.same(x.0, x.1, y.1))
}
