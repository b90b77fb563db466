//! Do two shaders do the same?
//!
//! [`eqv`] matches the interfaces of two lifted programs, of one instruction set or of two, and looks for inputs and
//! constants on which they differ. It gives a [`Verdict`]:
//!
//! * *proved*: both are the same after passes that keep the meaning, or every case there is was tried;
//! * *no difference* in so many cases, with what of both programs these cases have reached;
//! * *different*, with the smallest counter-example it could shrink the found one to.
//!
//! A *case* is a setting (constants, states, textures) and a unit: the inputs of one invocation, of a quad where
//! fragments look at their neighbours, or of some invocations in a row where one leaves something for the next.
//!
//! | file | does |
//! |---|---|
//! | `interface` | which input, output, constant, state and texture of one is which of the other |
//! | `partners` | lists being matched, what a binding says, what sources call a varying |
//! | `arrays` | constants with computed indices, of which the shaders have different numbers |
//! | `domain` | lanes that can be chosen; settings, units, and batches made of them |
//! | `values` | what lanes are tried with |
//! | `prove` | both shaders as one graph of expressions |
//! | `forms` | expressions in one form: which are the same by every bit |
//! | `probe` | marks at arms and comparisons, and what of them was reached |
//! | `search` | from a case near a boundary to one on each side of it |
//! | `judge` | which results count as the same |
//! | `shrink` | smaller counter-examples |
//! | `explain` | the runs of both side by side, up to where they part |
//! | `picture` | both pixel shaders and their difference over a square of inputs |
//!
//! What it can miss is said in `docs/comparing.md` of the repository.

mod arrays;
mod domain;
mod explain;
mod forms;
mod interface;
mod judge;
mod partners;
mod picture;
mod probe;
mod prove;
mod search;
mod shrink;
mod values;

pub use domain::{Setting, Unit};
pub use explain::{AlignedRuns, ExecutedStep, Written, explain};
pub use interface::{Element, Interface, Matched};
pub use judge::{Difference, Observable, Tolerance};
pub use picture::{Picture, picture};
pub use probe::Coverage;

use super::link::{Link, LinkError};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use domain::Domain;
use probe::Probed;
use values::Pool;
use vecasm_exec::RunError;
use vecasm_exec::runfile::SplitMix;
use vecasm_ir::ir::{Promise, Pure, Rule, Shader, Stage};
use vecasm_opt::{impose, impose_on_translation, overlay};

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many invocations are tried, about.
    pub count: usize,
    /// The same seed gives the same cases.
    pub seed: u64,
    /// Which results count as the same.
    pub tolerance: Tolerance,
    /// Names of the first shader and what they are in the second one: inputs, outputs, textures, states, elements of
    /// constants (`fc0`).
    pub maps: Vec<(String, String)>,
    /// Inputs, states and elements of constants, by their names in either shader, and what they always are: one number
    /// for all lanes or one a lane. Integers are rounded toward zero.
    pub fixed: Vec<(String, Vec<f32>)>,
    /// Which thing of one is which of the other, as a translation from one to the other says it.
    pub link: Option<Link>,
    /// The arithmetic that both shaders compute by, instead of their own: see [`impose`].
    pub arith: Option<Rule>,
    /// The outputs that are compared, by their names in either shader; empty for all.
    pub only: Vec<String>,
    /// What textures hold.
    pub texels: Texels,
    /// What inputs, constants, states and textures of floats range over. What is fixed, and what a stage gives by itself
    /// (the place of a fragment, say), has its own numbers.
    pub range: Range,
    /// Rounds of loops that an invocation may make.
    pub fuel: u64,
    /// Whether a proof is looked for first.
    pub prove: bool,
    /// How many runs a counter-example may take to get smaller.
    pub shrink: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            count: 4096,
            seed: 0,
            tolerance: Tolerance::default(),
            maps: Vec::new(),
            fixed: Vec::new(),
            link: None,
            arith: None,
            only: Vec::new(),
            texels: Texels::Any,
            range: Range::Any,
            fuel: 1024,
            prove: true,
            shrink: 2000,
        }
    }
}

/// The numbers that textures of floats are tried with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texels {
    /// Whatever a texture of floats can hold: now and then infinities, NaN, and numbers outside 0 to 1.
    #[default]
    Any,
    /// Multiples of 1/255 from 0 to 1, which is what textures of 8 bits a channel hold.
    Unorm,
}

vecasm_ir::words! {
    /// Numbers of f32 that a comparison is about.
    #[derive(Default)]
    Range "range of numbers" {
        /// All of them.
        #[default]
        Any "any",
        /// No infinities and no NaN.
        Finite "finite",
        /// Neither these nor denormals.
        Normal "normal",
        /// From -1 to 1, without denormals.
        Unit "unit",
    }
}

impl Range {
    /// Whether a number is one of these.
    pub fn holds(self, bits: u32) -> bool {
        let value = f32::from_bits(bits);
        match self {
            Self::Any => true,
            Self::Finite => value.is_finite(),
            Self::Normal => value.is_normal() || value == 0.0,
            Self::Unit => (value.is_normal() || value == 0.0) && value.abs() <= 1.0,
        }
    }

    /// The number of these that is nearest to one; 0 for NaN.
    fn nearest(self, bits: u32) -> u32 {
        let value = f32::from_bits(bits);
        let most = if self == Self::Unit { 1.0 } else { f32::MAX };
        match () {
            () if self.holds(bits) => bits,
            () if value.is_nan() => 0,
            () if value.is_subnormal() => bits & 1 << 31,
            () => value.clamp(-most, most).to_bits(),
        }
    }

    /// One of these for a number at random: of those that are too large the reciprocal.
    fn drawn(self, bits: u32) -> u32 {
        let value = f32::from_bits(bits);
        let inverse = if self == Self::Unit && value.abs() > 1.0 { (1.0 / value).to_bits() } else { bits };
        self.nearest(inverse)
    }
}

impl Texels {
    /// Whether a texture of these holds those bits of a lane.
    pub fn hold(self, bits: u32) -> bool {
        self == Self::Any || unorm(bits) == bits
    }
}

/// The multiple of 1/255 from 0 to 1 that a number rounds to; 0 for NaN.
fn unorm(bits: u32) -> u32 {
    let level = (f32::from_bits(bits).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    (f32::from(level) / 255.0).to_bits()
}

/// How it is known that two shaders are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Their IR is the same after folding and cleaning.
    SameIr,
    /// Every output is the same expression of the same inputs.
    SameExpressions,
    /// Every case there is was tried: so many.
    Exhaustive(usize),
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// They do the same for all inputs.
    Proved(Proof),
    /// No case that was tried shows a difference.
    NoDifference,
    /// They differ.
    Different(Counterexample),
}

/// A case on which two shaders differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// Constants, states and textures.
    pub setting: Setting,
    /// Inputs of each invocation.
    pub unit: Unit,
    /// What is different first.
    pub difference: Difference,
}

/// A verdict and what stands behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// How many invocations of each shader were compared.
    pub tried: usize,
    /// Of the first shader and of the second one: what was reached. Empty if nothing was run.
    pub coverage: [Coverage; 2],
    /// Which thing of one is which of the other.
    pub interface: Interface,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EqvError {
    /// The shaders are of different stages, or of one that is not compared; the text says which.
    Stage(String),
    /// Outputs of the first and of the second shader that have no partner.
    Unmatched(Vec<String>, Vec<String>),
    /// A name that is mapped, fixed or picked does not exist or does not fit; the text says what.
    Name(String),
    /// A binding does not fit the shaders.
    Link(LinkError),
    /// A shader does not run.
    Run(RunError),
}

impl fmt::Display for EqvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stage(what) | Self::Name(what) => f.write_str(what),
            Self::Unmatched(a, b) => {
                let list = |names: &[String]| if names.is_empty() { "none".into() } else { names.join(", ") };
                write!(
                    f,
                    "outputs without a counterpart: {} in the first shader, {} in the second; map them by hand",
                    list(a),
                    list(b)
                )
            }
            Self::Link(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for EqvError {}

impl From<LinkError> for EqvError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<RunError> for EqvError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

/// Invocations of a batch: those of one setting.
const BATCH: usize = 64;
/// Invocations, at most, that are watched for what they reach. The others only run.
const WATCHED: usize = 1024;

/// Compares two shaders, which are best lifted with their step tables: coverage names source instructions by them.
///
/// # Errors
///
/// See [`EqvError`].
pub fn eqv(a: &Shader, b: &Shader, options: &Options) -> Result<Report, EqvError> {
    for (shader, other) in [(a, b), (b, a)] {
        if !matches!(shader.stage, Stage::Vertex | Stage::Fragment) {
            let what = alloc::format!("{} shaders cannot be compared", shader.stage.name());
            return Err(EqvError::Stage(what));
        }
        if shader.stage != other.stage {
            let what = alloc::format!(
                "a {} shader cannot be compared with a {} shader",
                a.stage.name(),
                b.stage.name()
            );
            return Err(EqvError::Stage(what));
        }
        if !shader.buffers.is_empty() || !shader.images.is_empty() {
            return Err(EqvError::Stage("shaders with buffers or images cannot be compared".into()));
        }
        if let Some(breach) = vecasm_ir::ir::verify::verify(shader).first() {
            return Err(EqvError::Run(RunError::Malformed(alloc::format!("{breach}"))));
        }
    }
    let mut notes = Vec::new();
    let [a, b] = &[a, b].map(|shader| settled(shader, options, &mut notes));
    let mut interface = Interface::of(a, b, options)?;
    notes.dedup();
    interface.notes.extend(notes);
    let [a, b] = &[(0, a, b), (1, b, a)].map(|(side, shader, other)| {
        let confined = confined(shader, side, &interface);
        // The host of a translation gives samplers the states that its source says.
        if options.link.is_some() { sampled_like(confined, side, other, &interface) } else { confined }
    });
    let mut report = Report {
        verdict: Verdict::NoDifference,
        tried: 0,
        coverage: [Coverage::default(), Coverage::default()],
        interface,
    };
    if options.prove {
        if let Some(proof) = prove::prove(a, b, &report.interface, options) {
            report.verdict = Verdict::Proved(proof);
            return Ok(report);
        }
    }
    let domain = Domain::new(a, b, &report.interface, options);
    let mut pair = Pair {
        shaders: [a, b],
        probed: [Probed::new(a), Probed::new(b)],
        interface: &report.interface,
        domain,
        options,
    };
    let mut random = SplitMix::new(options.seed);
    let pool = Pool::of([a, b], report.interface.shared.map(|shared| shared.count));
    let mut tried = 0;
    let found = pair.find(&pool, &mut random, &mut tried)?;
    let verdict = match found {
        Outcome::Different(example) => Verdict::Different(shrink::shrink(&pair, example)?),
        Outcome::Exhausted(cases) => Verdict::Proved(Proof::Exhaustive(cases)),
        Outcome::Nothing => Verdict::NoDifference,
    };
    let coverage = [pair.probed[0].coverage(), pair.probed[1].coverage()];
    report.verdict = verdict;
    report.tried = tried;
    report.coverage = coverage;
    Ok(report)
}

/// A shader as it is compared: by the arithmetic that is asked for, with all arrays of constants from outside. Its tables stay. What cannot be had so is noted.
fn settled<'s>(shader: &'s Shader, options: &Options, notes: &mut Vec<String>) -> Cow<'s, Shader> {
    let said = overlay(shader).map_or(Cow::Borrowed(shader), Cow::Owned);
    let Some(rule) = options.arith else { return said };
    let shader = &*said;
    let promise = options.link.as_ref().and_then(|link| link.promise);
    let imposed = match promise {
        Some(promise) if promise.is_weaker_than(Promise::Exact) => impose_on_translation(shader, rule),
        _ => impose(shader, rule),
    };
    if !imposed.kept.is_empty() {
        let names: Vec<&str> = imposed.kept.iter().map(|pure: &Pure| pure.name()).collect();
        let names = names.join(", ");
        notes.push(alloc::format!("{} does not define {names}: computed by ieee", rule.name()));
    }
    Cow::Owned(imposed.shader)
}

/// The same with indices that both shaders have.
fn confined<'s>(shader: &'s Shader, side: usize, interface: &Interface) -> Cow<'s, Shader> {
    arrays::confined(shader, side, interface).map_or(Cow::Borrowed(shader), Cow::Owned)
}

/// The same with the states of the other shader's samplers where it says none itself.
fn sampled_like<'s>(
    mut shader: Cow<'s, Shader>,
    side: usize,
    other: &Shader,
    interface: &Interface,
) -> Cow<'s, Shader> {
    for texture in &interface.textures {
        let (Some(own), Some(theirs)) = (texture.ids[side], texture.ids[1 - side]) else { continue };
        let state = other.textures.get(theirs).and_then(|texture| texture.sampler);
        if state.is_some() && shader.textures.get(own).is_some_and(|texture| texture.sampler.is_none()) {
            if let Some(texture) = shader.to_mut().textures.get_mut(own) {
                texture.sampler = state;
            }
        }
    }
    shader
}

/// Two shaders and how they are run side by side.
struct Pair<'a> {
    shaders: [&'a Shader; 2],
    probed: [Probed; 2],
    interface: &'a Interface,
    domain: Domain,
    options: &'a Options,
}

/// How a search ends.
enum Outcome {
    Different(Counterexample),
    Exhausted(usize),
    Nothing,
}

impl Pair<'_> {
    fn find(&mut self, pool: &Pool, random: &mut SplitMix, tried: &mut usize) -> Result<Outcome, RunError> {
        if let Some(cases) = self.domain.all_cases() {
            let count = cases.len();
            for (setting, unit) in cases {
                *tried += unit.len();
                if let Some(example) = self.try_units(&setting, &[unit], true)? {
                    return Ok(Outcome::Different(example));
                }
            }
            return Ok(Outcome::Exhausted(count));
        }
        // What settings are worth going back to: the first ones, which have ordinary values.
        let mut seen: Vec<(Setting, Vec<Unit>)> = Vec::new();
        let mut round = 0;
        let target = self.options.count.max(1);
        let mut searched = false;
        while *tried < target {
            let setting = self.domain.setting(pool, random, round);
            let units = (BATCH / self.domain.unit).max(1);
            let units: Vec<Unit> = (0..units).map(|n| self.domain.unit(pool, random, round, n)).collect();
            let watched = *tried < WATCHED;
            *tried += units.len() * self.domain.unit;
            if let Some(example) = self.try_units(&setting, &units, watched)? {
                return Ok(Outcome::Different(example));
            }
            if watched {
                seen.push((setting, units));
            }
            round += 1;
            if !searched && (*tried >= WATCHED || *tried >= target) {
                searched = true;
                if let Some(example) = search::search(self, pool, random, &seen, tried)? {
                    return Ok(Outcome::Different(example));
                }
            }
        }
        Ok(Outcome::Nothing)
    }

    /// Runs units of one setting through both; gives the first case that differs.
    fn try_units(
        &mut self,
        setting: &Setting,
        units: &[Unit],
        watched: bool,
    ) -> Result<Option<Counterexample>, RunError> {
        // What one invocation leaves, the next one finds: units must not see one another.
        let together = if self.domain.serial { 1 } else { units.len().max(1) };
        for part in units.chunks(together) {
            let outputs = if watched {
                let [a, b] = &mut self.probed;
                [
                    self.domain.run_probed(0, a, self.interface, setting, part)?,
                    self.domain.run_probed(1, b, self.interface, setting, part)?,
                ]
            } else {
                self.run(setting, part)?
            };
            let found = judge::judge(self.shaders, self.interface, &self.options.tolerance, &outputs);
            if let Some(difference) = found {
                let at = difference.invocation / self.domain.unit;
                let Some(unit) = part.get(at) else { continue };
                let invocation = difference.invocation % self.domain.unit;
                let difference = Difference { invocation, ..difference };
                let (setting, unit) = (setting.clone(), unit.clone());
                return Ok(Some(Counterexample { setting, unit, difference }));
            }
        }
        Ok(None)
    }

    /// Runs units of one setting through both.
    fn run(&self, setting: &Setting, units: &[Unit]) -> Result<[vecasm_exec::Outputs; 2], RunError> {
        let run = |side: usize| self.domain.run(side, self.shaders[side], self.interface, setting, units);
        Ok([run(0)?, run(1)?])
    }

    /// The difference that one case shows.
    fn difference(&self, setting: &Setting, unit: &Unit) -> Result<Option<Difference>, RunError> {
        let outputs = self.run(setting, core::slice::from_ref(unit))?;
        Ok(judge::judge(self.shaders, self.interface, &self.options.tolerance, &outputs))
    }
}
