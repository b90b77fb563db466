//! The model of a debugger, without a screen: a place in a [recording](super::recording), ways to move it, breakpoints,
//! watches, and [what is to be seen](view) there. Everything a front end shows comes from here as plain data.
//!
//! A session stands at a *time*: so many moments are over, and the next one is what a debugger calls the current line.
//! Breakpoints on lines stop in front of the line; breakpoints on conditions stop behind the step that made them hold.
//! Both count only where the chosen invocation takes part.

pub mod view;

use super::condition::{Environment, Expression, ExpressionError};
use super::listing::Listing;
use super::names::Names;
use super::recording::{Moment, Recording};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use vecasm_exec::Batch;
use vecasm_ir::ir::steps::{Cell, Step};
use vecasm_ir::ir::{Scalar, Shader};
use vecasm_ir::operand::WriteMask;
use view::TextureInfo;

/// The most breakpoints, and the most watches.
pub(super) const MAX_POINTS: usize = 1000;

/// What a session is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The shader, lifted with its step table.
    pub shader: Shader,
    /// Its run.
    pub recording: Recording,
    /// Its text.
    pub listing: Listing,
    /// Every source instruction as text.
    pub instructions: Vec<String>,
    /// What the parts of a paired instruction are called; empty where there are none.
    pub parts: Vec<String>,
    /// What is bound to the textures of the shader.
    pub textures: Vec<TextureInfo>,
}

impl Setup {
    /// Of a recording of a shader on a batch; the lists of names are left empty.
    pub fn new(shader: Shader, recording: Recording, listing: Listing, batch: &Batch<'_>) -> Self {
        let textures = TextureInfo::of(&shader, batch);
        let (instructions, parts) = (Vec::new(), Vec::new());
        Self { shader, recording, listing, instructions, parts, textures }
    }
}

/// A place in a run, with breakpoints and watches. See the [module](self).
#[derive(Clone, Debug)]
pub struct Session {
    setup: Setup,
    names: Names,
    /// For each cell of the step table, the lanes that steps read or write.
    uses: BTreeMap<Cell, WriteMask>,
    /// The lines that have a step, in order.
    lines: Vec<u32>,
    time: usize,
    invocation: usize,
    breakpoints: Vec<Breakpoint>,
    watches: Vec<Watch>,
    next_id: u32,
}

/// Where a run is to stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// Its number, from 1; watches and breakpoints are counted together.
    pub id: u32,
    /// The line that it stands in; `None` if it stops wherever its condition holds.
    pub line: Option<u32>,
    /// The text of its condition; empty if it has none.
    pub condition: String,
    /// Whether it counts.
    pub enabled: bool,
    expression: Option<Expression>,
}

/// An expression that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    /// Its number.
    pub id: u32,
    /// Its text.
    pub text: String,
    expression: Expression,
}

/// Why a session came to stand where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It moved as far as it was told.
    Step,
    /// A breakpoint.
    Breakpoint,
    /// The line that was asked for.
    Line,
    /// The start of the run.
    Start,
    /// The end of the run.
    End,
}

impl Reason {
    /// The word for it: `step`, `breakpoint`, `line`, `start`, `end`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Breakpoint => "breakpoint",
            Self::Line => "line",
            Self::Start => "start",
            Self::End => "end",
        }
    }
}

/// Where and why a session stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: Reason,
    /// The breakpoints that did it.
    pub breakpoints: Vec<u32>,
}

impl Stop {
    const fn at(reason: Reason) -> Self {
        Self { reason, breakpoints: Vec::new() }
    }
}

/// Why a breakpoint or watch cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// Its expression cannot be read.
    Expression(ExpressionError),
    /// No instruction that does anything stands in that line or behind it.
    NoLine(u32),
    /// There are too many.
    TooMany,
}

impl From<ExpressionError> for SessionError {
    fn from(error: ExpressionError) -> Self {
        Self::Expression(error)
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expression(error) => error.fmt(f),
            Self::NoLine(line) => {
                write!(f, "no executable instruction at or after line {line}")
            }
            Self::TooMany => write!(f, "there are already {MAX_POINTS} breakpoints and watches"),
        }
    }
}

impl core::error::Error for SessionError {}

impl Session {
    /// At the start of a run, with the invocation of that number in the group chosen.
    pub fn new(setup: Setup, invocation: usize) -> Self {
        let names = Names::of(&setup.shader);
        let mut uses: BTreeMap<Cell, WriteMask> = BTreeMap::new();
        for access in setup.shader.steps.iter().flat_map(Step::accesses) {
            let mask = uses.entry(access.cell).or_default();
            *mask = mask.union(access.mask);
        }
        let mut lines: Vec<u32> =
            setup.shader.steps.iter().filter_map(|step| setup.listing.line(step)).collect();
        lines.sort_unstable();
        lines.dedup();
        let invocation = invocation.min(setup.recording.group().saturating_sub(1));
        Self {
            names,
            uses,
            lines,
            time: 0,
            invocation,
            breakpoints: Vec::new(),
            watches: Vec::new(),
            next_id: 1,
            setup,
        }
    }

    /// The shader.
    pub const fn shader(&self) -> &Shader {
        &self.setup.shader
    }

    /// The run.
    pub const fn recording(&self) -> &Recording {
        &self.setup.recording
    }

    /// The text.
    pub const fn listing(&self) -> &Listing {
        &self.setup.listing
    }

    /// The cells that can be named.
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// Number of moments that are over.
    pub const fn time(&self) -> usize {
        self.time
    }

    /// The last time.
    pub fn end_time(&self) -> usize {
        self.recording().len()
    }

    /// The chosen invocation, counted in the group.
    pub const fn invocation(&self) -> usize {
        self.invocation
    }

    /// Chooses an invocation of the group; `false` if there is no such one.
    pub fn select(&mut self, invocation: usize) -> bool {
        let there = invocation < self.recording().group();
        if there {
            self.invocation = invocation;
        }
        there
    }

    /// The line of the next moment: the current line. `None` at the end, and in what is not in the text.
    pub fn line(&self) -> Option<u32> {
        self.line_of(self.recording().moment(self.time)?)
    }

    /// The lines that a run can stop in, in order.
    pub fn lines(&self) -> &[u32] {
        &self.lines
    }

    fn line_of(&self, moment: Moment<'_>) -> Option<u32> {
        self.listing().line(moment.step())
    }

    // Moving.

    /// Goes to a time, at most to the end.
    pub fn go(&mut self, time: usize) -> Stop {
        self.time = time.min(self.end_time());
        self.stop(Reason::Step)
    }

    /// Goes one moment on.
    pub fn step(&mut self) -> Stop {
        self.go(self.time.saturating_add(1))
    }

    /// Goes one moment back.
    pub fn step_back(&mut self) -> Stop {
        self.go(self.time.saturating_sub(1))
    }

    /// Goes on to where the chosen invocation comes to another line, or to the same one again.
    pub fn next_line(&mut self) -> Stop {
        let next = (self.time + 1..self.end_time()).find(|&time| self.starts_line(time));
        self.go(next.unwrap_or(self.end_time()))
    }

    /// Goes back to where the chosen invocation came to the line before.
    pub fn previous_line(&mut self) -> Stop {
        let before = (0..self.time).rev().find(|&time| self.starts_line(time));
        self.go(before.unwrap_or(0))
    }

    /// Whether the chosen invocation comes to a line at a time, rather than being in it already.
    fn starts_line(&self, time: usize) -> bool {
        let Some(moment) = self.recording().moment(time).filter(|m| m.is_live(self.invocation)) else {
            return false;
        };
        let Some(before) = time.checked_sub(1).and_then(|t| self.recording().moment(t)) else { return true };
        let place = |m: Moment<'_>| (self.line_of(m), self.line_of(m).is_none().then_some(m.step().source));
        place(before) != place(moment)
            || before.step_number() >= moment.step_number()
            || !before.is_live(self.invocation)
    }

    /// Goes on until the chosen invocation comes to a line, or to the end.
    pub fn run_to_line(&mut self, line: u32) -> Stop {
        let comes = |time: &usize| {
            let moment = self.recording().moment(*time).filter(|m| m.is_live(self.invocation));
            moment.is_some_and(|m| self.line_of(m) == Some(line))
        };
        let found = (self.time + 1..self.end_time()).find(comes);
        self.time = found.unwrap_or(self.end_time());
        self.stop(if found.is_some() { Reason::Line } else { Reason::End })
    }

    /// Goes to the start.
    pub fn start(&mut self) -> Stop {
        self.go(0)
    }

    /// Goes to the end, past all breakpoints.
    pub fn end(&mut self) -> Stop {
        self.go(self.end_time())
    }

    /// Goes on to the next breakpoint, or to the end.
    pub fn resume(&mut self) -> Stop {
        self.seek(self.time + 1..self.end_time() + 1, Reason::End)
    }

    /// Goes to the first breakpoint, which may be at the start, or to the end.
    pub fn begin(&mut self) -> Stop {
        self.seek(0..self.end_time() + 1, Reason::End)
    }

    /// Goes back to the breakpoint before, or to the start.
    pub fn reverse(&mut self) -> Stop {
        self.seek((0..self.time).rev(), Reason::Start)
    }

    fn seek(&mut self, mut times: impl Iterator<Item = usize>, otherwise: Reason) -> Stop {
        let found = times.find_map(|time| {
            let hit = self.hit(time);
            (!hit.is_empty()).then_some((time, hit))
        });
        if let Some((time, breakpoints)) = found {
            self.time = time;
            return Stop { reason: Reason::Breakpoint, breakpoints };
        }
        self.time = if otherwise == Reason::Start { 0 } else { self.end_time() };
        Stop::at(otherwise)
    }

    /// The breakpoints that stop a run at a time.
    fn hit(&self, time: usize) -> Vec<u32> {
        let live = |moment: &Moment<'_>| moment.is_live(self.invocation);
        let next = self.recording().moment(time).filter(live);
        let last = time.checked_sub(1).and_then(|t| self.recording().moment(t)).filter(live);
        let holds = |point: &Breakpoint, moment| {
            let look = self.look(time, Some(moment));
            point.expression.as_ref().is_none_or(|expression| expression.holds(&look))
        };
        let stops = |point: &&Breakpoint| match (point.line, next, last) {
            _ if !point.enabled => false,
            (Some(line), Some(next), _) => self.line_of(next) == Some(line) && holds(point, next),
            (None, _, Some(last)) => holds(point, last),
            _ => false,
        };
        self.breakpoints.iter().filter(stops).map(|point| point.id).collect()
    }

    fn stop(&self, reason: Reason) -> Stop {
        Stop::at(match (reason, self.time) {
            (Reason::Line, _) => reason,
            (_, time) if time == self.end_time() => Reason::End,
            (_, 0) => Reason::Start,
            _ => reason,
        })
    }

    /// A time, and a step at it, as conditions see them in the chosen invocation.
    pub fn look<'a>(&'a self, time: usize, moment: Option<Moment<'a>>) -> MomentLook<'a> {
        MomentLook { session: self, time, moment }
    }

    // Breakpoints and watches.

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Sets a breakpoint in a line, or in the first line behind it that a run can stop in. With a condition, it counts
    /// where that holds in front of the line.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub fn break_at(&mut self, line: u32, condition: Option<&str>) -> Result<&Breakpoint, SessionError> {
        let Some(&line) = self.lines.iter().find(|l| **l >= line) else {
            return Err(SessionError::NoLine(line));
        };
        self.add(Some(line), condition)
    }

    /// Sets a breakpoint behind every step that makes a condition hold, or after which it holds.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub fn break_if(&mut self, condition: &str) -> Result<&Breakpoint, SessionError> {
        self.add(None, Some(condition))
    }

    fn add(&mut self, line: Option<u32>, condition: Option<&str>) -> Result<&Breakpoint, SessionError> {
        let expression = condition.map(|text| Expression::condition(text, &self.names)).transpose()?;
        if self.breakpoints.len() >= MAX_POINTS {
            return Err(SessionError::TooMany);
        }
        let (id, condition) = (self.id(), condition.unwrap_or("").into());
        self.breakpoints.push(Breakpoint { id, line, condition, enabled: true, expression });
        self.breakpoints.last().ok_or(SessionError::TooMany)
    }

    /// The breakpoints, in the order they were set.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Makes a breakpoint count or not; `false` if there is no such one.
    pub fn enable(&mut self, id: u32, enabled: bool) -> bool {
        let found = self.breakpoints.iter_mut().find(|point| point.id == id);
        found.map(|point| point.enabled = enabled).is_some()
    }

    /// Takes a breakpoint or watch away; `false` if there is no such one.
    pub fn remove(&mut self, id: u32) -> bool {
        let before = self.breakpoints.len() + self.watches.len();
        self.breakpoints.retain(|point| point.id != id);
        self.watches.retain(|watch| watch.id != id);
        before != self.breakpoints.len() + self.watches.len()
    }

    /// Watches an expression.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub fn watch(&mut self, text: &str) -> Result<&Watch, SessionError> {
        let expression = Expression::parse(text, &self.names)?;
        if self.watches.len() >= MAX_POINTS {
            return Err(SessionError::TooMany);
        }
        let id = self.id();
        self.watches.push(Watch { id, text: text.into(), expression });
        self.watches.last().ok_or(SessionError::TooMany)
    }

    /// The watches, in the order they were set.
    pub fn watches(&self) -> &[Watch] {
        &self.watches
    }
}

/// A time and a step of a session, as conditions see them.
#[derive(Clone, Copy, Debug)]
pub struct MomentLook<'a> {
    session: &'a Session,
    time: usize,
    moment: Option<Moment<'a>>,
}

impl Environment for MomentLook<'_> {
    fn source(&self) -> Option<u32> {
        Some(self.moment?.step().source)
    }

    fn line(&self) -> Option<u32> {
        self.session.line_of(self.moment?)
    }

    fn invocation(&self) -> usize {
        self.session.recording().first() + self.session.invocation
    }

    fn value(&self, cell: Cell, lane: usize) -> Option<(u32, Scalar)> {
        let (recording, invocation) = (self.session.recording(), self.session.invocation);
        let bits = recording
            .value(self.time, cell, lane, invocation)
            .or_else(|| self.session.initial_value(cell, lane))?;
        Some((bits, recording.scalar(cell, invocation).unwrap_or(Scalar::F32)))
    }

    fn accesses(&self, each: &mut dyn FnMut(bool, Cell, WriteMask, Scalar, [u32; 4])) {
        let Some(moment) = self.moment else { return };
        let (recording, invocation) = (self.session.recording(), self.session.invocation);
        for (n, access) in moment.step().accesses().enumerate() {
            let written = n >= moment.step().reads.len();
            for (cell, mask) in moment.meant(n, invocation) {
                let mut bits = moment.bits(n, invocation);
                if access.cell.is_computed() && written {
                    for (to, lane) in bits.iter_mut().zip(mask.lanes()) {
                        *to = recording.value(moment.number() + 1, cell, lane, invocation).unwrap_or(0);
                    }
                }
                each(written, cell, mask, moment.scalar(n), bits);
            }
        }
    }
}
