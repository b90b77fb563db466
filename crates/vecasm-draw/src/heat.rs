//! What drawing a picture took, pixel by pixel.

use super::draw::{Budget, ShadedFragments};
use super::scene::{Scene, Step};
use super::{Picture, RenderError};
use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use vecasm_exec::interp::{Interp, StepEvent};
use vecasm_exec::{Batch, Engine, Outputs, RunError};
use vecasm_ir::ir::{OutputKind, Scalar, Shader, Stage};

macro_rules! measures {
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal;)*) => {
        /// What is measured.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Measure { $($(#[doc = $doc])+ $V,)* }

        impl Measure {
            /// Every one, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word of the command line.
            pub const fn name(self) -> &'static str { match self { $(Self::$V => $name,)* } }

            /// What it is, one sentence.
            pub const fn doc(self) -> &'static str { match self { $(Self::$V => concat!($($doc),+).trim_ascii(),)* } }
        }
    };
}

measures! {
    /// Instructions of fragment programs that ran for a pixel, those of all its fragments together.
    Instructions "instructions";
    /// Fragments that were shaded for a pixel, whether they passed the depth test or not.
    Overdraw "overdraw";
    /// Fragments of a pixel that discarded themselves.
    Discards "discards";
    /// The worst that happened in a fragment of a pixel: 1 an infinity was born, 2 a NaN was born, 3 an infinity was put out, 4 a NaN was put out.
    Nan "nan";
}

/// A measure of every pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heat {
    /// What was drawn, whose width and height are those of `values`.
    pub picture: Picture,
    /// One number a pixel, rows from the top. Outside what is drawn to they are 0.
    pub values: Vec<u32>,
}

/// What is known of the fragments that ran last.
#[derive(Default)]
struct Tally {
    /// For each invocation of the batch.
    counts: Vec<u32>,
    /// Which outputs are colours.
    colors: Vec<bool>,
}

/// The interpreter, counting.
struct Counting {
    measure: Measure,
    /// Of the last run.
    tally: Cell<Tally>,
}

impl Engine for Counting {
    fn name(&self) -> &'static str {
        Interp.name()
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        if shader.stage != Stage::Fragment {
            return Interp.run(shader, batch);
        }
        let mut counts = vec![0u32; batch.count];
        let done = match self.measure {
            Measure::Overdraw | Measure::Discards => Interp.run(shader, batch),
            Measure::Instructions => Interp.run_watched(shader, batch, &mut |event| {
                // The halves of a pair are one instruction.
                if shader.steps.get(event.step).is_some_and(|step| step.part == 0) {
                    for_each_active(event, &mut counts, |_, count| *count = count.saturating_add(1));
                }
            }),
            Measure::Nan => Interp.run_watched(shader, batch, &mut |event| {
                let reads = shader.steps.get(event.step).map_or(0, |step| step.reads.len());
                for_each_active(event, &mut counts, |i, worst| *worst = (*worst).max(born(event, reads, i)));
            }),
        };
        let colors = shader.outputs.iter().map(|o| matches!(o.kind, OutputKind::Color { .. })).collect();
        self.tally.set(Tally { counts, colors });
        done
    }
}

/// Calls `f` for each invocation that took part in a step, with its place in the group.
fn for_each_active(event: &StepEvent<'_>, counts: &mut [u32], f: impl Fn(usize, &mut u32)) {
    for (i, absent) in event.absent.iter().enumerate() {
        if let (None, Some(count)) = (absent, counts.get_mut(event.first + i)) {
            f(i, count);
        }
    }
}

const BORN_INFINITY: u32 = 1;
const BORN_NAN: u32 = 2;
const OUT_INFINITY: u32 = 3;
const OUT_NAN: u32 = 4;

/// What a step made out of finite numbers.
fn born(event: &StepEvent<'_>, reads: usize, i: usize) -> u32 {
    let worst = |accesses: core::ops::Range<usize>| {
        let mut worst = 0;
        for access in accesses {
            if event.scalars.get(access) != Some(&Scalar::F32) {
                continue;
            }
            let lanes =
                event.values.get(access).and_then(|values| values.get(i)).copied().unwrap_or_default();
            worst = worst.max(lanes.iter().map(|lane| kind(*lane)).max().unwrap_or(0));
        }
        worst
    };
    if worst(0..reads) != 0 {
        return 0;
    }
    worst(reads..event.values.len())
}

/// 0 a finite number, 1 an infinity, 2 a NaN.
fn kind(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        BORN_NAN
    } else if value.is_infinite() {
        BORN_INFINITY
    } else {
        0
    }
}

/// Draws a scene and measures its picture. Only what is drawn to the picture itself counts, not what its textures took.
///
/// [`Instructions`](Measure::Instructions) and the births of [`Nan`](Measure::Nan) need fragment programs that were
/// lifted with their step table; stages of our own have none and count nothing.
///
/// # Errors
///
/// As [`Scene::render`].
pub fn measure(scene: &Scene, measure: Measure, budget: Budget) -> Result<Heat, RenderError> {
    let (width, height) = scene.size();
    let mut values = vec![0u32; width as usize * height as usize];
    let engine = Counting { measure, tally: Cell::default() };
    let mut to_picture = true;
    let mut note = |step: Step<'_>| match step {
        Step::Targets { textures } => to_picture = textures == 0,
        Step::Shaded(shaded) if to_picture => {
            let tally = engine.tally.take();
            for (i, &pixel) in shaded.pixels.iter().enumerate() {
                if shaded.batch.helpers.get(i).copied().unwrap_or(false) {
                    continue;
                }
                let Some((x, y)) = scene.on_picture(pixel) else { continue };
                let at = y as usize * width as usize + x as usize;
                let Some(value) = values.get_mut(at) else { continue };
                let counted = tally.counts.get(i).copied().unwrap_or(0);
                match measure {
                    Measure::Instructions => *value = value.saturating_add(counted),
                    Measure::Overdraw => *value = value.saturating_add(1),
                    Measure::Discards => *value = value.saturating_add(u32::from(killed(shaded, i))),
                    Measure::Nan => *value = (*value).max(counted).max(put_out(shaded, &tally.colors, i)),
                }
            }
        }
        _ => {}
    };
    let picture = scene.render_watched(&engine, budget, &mut note)?;
    Ok(Heat { picture, values })
}

fn killed(shaded: &ShadedFragments<'_>, i: usize) -> bool {
    shaded.outputs.killed.get(i).copied().unwrap_or(false)
}

/// What the colours of a fragment that stays are not.
fn put_out(shaded: &ShadedFragments<'_>, colors: &[bool], i: usize) -> u32 {
    if killed(shaded, i) {
        return 0;
    }
    let mut worst = 0;
    for (cell, _) in shaded.outputs.cells.iter().zip(colors).filter(|(_, color)| **color) {
        for lane in cell.get(i).copied().unwrap_or_default() {
            worst = worst.max(match kind(lane) {
                BORN_NAN => OUT_NAN,
                BORN_INFINITY => OUT_INFINITY,
                _ => 0,
            });
        }
    }
    worst
}
