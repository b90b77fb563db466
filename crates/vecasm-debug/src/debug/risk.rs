//! The risk map: where a GPU of today would visibly differ from what a program meant on its own hardware, and in which
//! instruction that begins.
//!
//! A program runs by its own arithmetic, and again with each [`Liberty`] that GPUs take. Where an output differs visibly,
//! the liberty is taken in one source instruction at a time: those that make the difference alone are the culprits.
//! Only if none does, the one with the largest effect is named.

use super::why::alone;
use super::why::lines::differs_at;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;
use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, Engine, Outputs, RunError};
use vecasm_ir::ir::{OutputKind, Shader};
use vecasm_opt::{Liberty, gpu, liberties};

/// What counts as visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibleDifference {
    /// Steps of an 8-bit colour that may be off.
    pub color: u8,
    /// Share of the largest lane that the lanes of everything else may be off.
    pub relative: f32,
}

impl Default for VisibleDifference {
    /// One step of a colour, and a thousandth.
    fn default() -> Self {
        Self { color: 1, relative: 1e-3 }
    }
}

/// An instruction and a liberty that make a visible difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Risk {
    /// What is done differently.
    pub liberty: Liberty,
    /// The source instruction, from 0.
    pub source: u32,
    /// It makes the difference alone; otherwise only together with others.
    pub alone: bool,
    /// The source instruction in which the difference becomes visible, if that is another one.
    pub shows: Option<u32>,
    /// How many of the invocations that were looked into.
    pub count: usize,
    /// The first of them.
    pub invocation: usize,
    /// The output and lane that differ there most; none if it is discarded in one of the runs only.
    pub output: Option<(usize, usize)>,
    /// The bits of that lane by the program's own arithmetic, and by the other one.
    pub bits: [u32; 2],
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RiskMap {
    /// The culprits, the most frequent first.
    pub risks: Vec<Risk>,
    /// For each liberty, in their order, how many invocations differ visibly.
    pub counts: [usize; Liberty::ALL.len()],
    /// Invocations in all.
    pub invocations: usize,
    /// Invocations that differ.
    pub differing: usize,
    /// Invocations whose culprits were looked for.
    pub looked_into: usize,
}

/// The most invocations of one batch and liberty whose culprits are looked for.
const LOOKED_INTO: usize = 24;
/// The most source instructions that are tried one at a time.
const TRIED: usize = 256;

/// A difference of one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LaneDifference {
    /// In units of what is just visible.
    by: f32,
    output: Option<(usize, usize)>,
    bits: [u32; 2],
}

/// Runs a batch by both arithmetics. The shader should have its step table, so that differences can be followed.
///
/// # Errors
///
/// As [`Engine::run`].
pub fn risk(shader: &Shader, batch: &Batch<'_>, visible: &VisibleDifference) -> Result<RiskMap, RunError> {
    let own = Interp.run(shader, batch)?;
    let mut map = RiskMap { invocations: batch.count, ..RiskMap::default() };
    let mut any = vec![false; batch.count];
    for (number, liberty) in Liberty::ALL.into_iter().enumerate() {
        let Some(other) = gpu(shader, liberty, None) else { continue };
        let got = Interp.run(&other, batch)?;
        let found: Vec<usize> =
            (0..batch.count).filter(|&i| worst(shader, &own, &got, i, visible).is_some()).collect();
        map.counts[number] = found.len();
        for &i in &found {
            any[i] = true;
        }
        // Spread over the batch.
        let every = found.len().div_ceil(LOOKED_INTO).max(1);
        for &invocation in found.iter().step_by(every) {
            map.looked_into += 1;
            blame(shader, batch, liberty, invocation, visible, &mut map.risks)?;
        }
    }
    map.differing = any.iter().filter(|differs| **differs).count();
    map.sort();
    Ok(map)
}

impl RiskMap {
    /// Adds what was found elsewhere with the same shader.
    pub fn merge(&mut self, other: Self) {
        for risk in other.risks {
            add(&mut self.risks, risk);
        }
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.invocations += other.invocations;
        self.differing += other.differing;
        self.looked_into += other.looked_into;
        self.sort();
    }

    fn sort(&mut self) {
        self.risks
            .sort_by_key(|risk| (!risk.alone, core::cmp::Reverse(risk.count), risk.source, risk.liberty));
    }
}

fn add(risks: &mut Vec<Risk>, risk: Risk) {
    let same = |known: &&mut Risk| {
        known.source == risk.source
            && known.liberty.name() == risk.liberty.name()
            && known.alone == risk.alone
    };
    match risks.iter_mut().find(same) {
        Some(known) => known.count += risk.count,
        None => risks.push(risk),
    }
}

/// Finds the instructions that make an invocation differ.
fn blame(
    shader: &Shader,
    batch: &Batch<'_>,
    liberty: Liberty,
    invocation: usize,
    visible: &VisibleDifference,
    risks: &mut Vec<Risk>,
) -> Result<(), RunError> {
    let (cut, lane) = alone(shader, batch, invocation)?;
    let own = Interp.run(shader, &cut)?;
    let mut found = false;
    let mut largest: Option<(f32, u32)> = None;
    for source in liberties(shader, liberty).into_iter().take(TRIED) {
        let Some(other) = gpu(shader, liberty, Some(source)) else { continue };
        let got = Interp.run(&other, &cut)?;
        let any = VisibleDifference { color: 0, relative: 0.0 };
        let Some(off) = worst(shader, &own, &got, lane, visible) else {
            let by = worst(shader, &own, &got, lane, &any).map_or(0.0, |off| off.by);
            if by > 0.0 && largest.is_none_or(|(most, _)| by > most) {
                largest = Some((by, source));
            }
            continue;
        };
        found = true;
        let shows = differs_at(shader, &other, &cut, lane, visible.relative.max(1.0 / 512.0))?;
        let shows = shows.filter(|shows| *shows != source);
        let LaneDifference { output, bits, .. } = off;
        add(risks, Risk { liberty, source, alone: true, shows, count: 1, invocation, output, bits });
    }
    if let (false, Some((_, source))) = (found, largest) {
        let Some(other) = gpu(shader, liberty, None) else { return Ok(()) };
        let got = Interp.run(&other, &cut)?;
        if let Some(LaneDifference { output, bits, .. }) = worst(shader, &own, &got, lane, visible) {
            let shows = differs_at(shader, &other, &cut, lane, visible.relative.max(1.0 / 512.0))?;
            let shows = shows.filter(|shows| *shows != source);
            add(risks, Risk { liberty, source, alone: false, shows, count: 1, invocation, output, bits });
        }
    }
    Ok(())
}

/// The largest visible difference of an invocation.
fn worst(
    shader: &Shader,
    own: &Outputs,
    other: &Outputs,
    at: usize,
    visible: &VisibleDifference,
) -> Option<LaneDifference> {
    let ends = |outputs: &Outputs| (outputs.killed.get(at).copied(), outputs.exhausted.get(at).copied());
    if ends(own) != ends(other) {
        return Some(LaneDifference { by: f32::INFINITY, output: None, bits: [0; 2] });
    }
    if own.killed.get(at).copied().unwrap_or(false) {
        return None;
    }
    let mut worst: Option<LaneDifference> = None;
    for (id, output) in shader.outputs.iter().enumerate() {
        let of = |outputs: &Outputs| outputs.cells.get(id).and_then(|cell| cell.get(at)).copied();
        let (Some(a), Some(b)) = (of(own), of(other)) else { continue };
        let color = matches!(output.kind, OutputKind::Color { .. });
        // What a vector is off by counts against all of it.
        let size =
            a.iter().map(|bits| f32::from_bits(*bits).abs()).filter(|x| x.is_finite()).fold(0.0, f32::max);
        for lane in 0..4 {
            let bits = [a[lane], b[lane]];
            let [x, y] = bits.map(f32::from_bits);
            let by = if bits[0] == bits[1] || x.is_nan() && y.is_nan() {
                0.0
            } else if color {
                let [x, y] = [x, y].map(unorm8);
                let off = f32::from(x.abs_diff(y));
                if off > f32::from(visible.color) { off } else { 0.0 }
            } else if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() {
                f32::MAX
            } else {
                let off = (x - y).abs() / size.max(f32::MIN_POSITIVE);
                if off > visible.relative { off / visible.relative.max(1e-6) } else { 0.0 }
            };
            if by > 0.0 && worst.is_none_or(|worst| by > worst.by) {
                worst = Some(LaneDifference { by, output: Some((id, lane)), bits });
            }
        }
    }
    worst
}

/// The byte that a target keeps of a colour; NaN is 0.
fn unorm8(value: f32) -> u8 {
    // Conversions saturate, and the fraction that is left is cut off.
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// A shader, and the same with a liberty taken, if anything changes.
type Variant = (Shader, Option<Shader>);

/// Runs shaders with a liberty taken, for drawing a scene the way a GPU might.
pub struct Gpu {
    /// Which one.
    liberty: Liberty,
    /// What it has run so far; nothing while it runs.
    kept: Cell<Vec<Variant>>,
}

impl Gpu {
    /// Taking that liberty.
    pub const fn new(liberty: Liberty) -> Self {
        Self { liberty, kept: Cell::new(Vec::new()) }
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("liberty", &self.liberty).finish_non_exhaustive()
    }
}

impl Engine for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        let mut kept = self.kept.take();
        if !kept.iter().any(|(of, _)| of == shader) {
            // A scene has few shaders.
            if kept.len() >= 64 {
                kept.clear();
            }
            kept.push((shader.clone(), gpu(shader, self.liberty, None)));
        }
        let outputs = match kept.iter().find(|(of, _)| of == shader) {
            Some((_, Some(other))) => Interp.run(other, batch),
            _ => Interp.run(shader, batch),
        };
        self.kept.set(kept);
        outputs
    }
}
