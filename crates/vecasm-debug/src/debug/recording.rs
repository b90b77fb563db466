//! A recorded run of one group: every step it came through, the value of every cell at any moment, and who wrote it.
//!
//! A *moment* is a step that the group has come through; moments are numbered from 0. A *time* is a number of moments that
//! are over: 0 is the start, [`len`](Recording::len) the end, and the moment `m` leads from time `m` to time `m + 1`.
//! Every lane of every cell keeps the list of moments that wrote it, so going to any time costs a binary search a lane.
//!
//! What the recording knows of a cell before its first write is what was given to the run, or what a step has read there.
//! A lane that nobody wrote and nobody read is not known, and `None`.

use super::cells::{first_bits, is_shared, meant, owner};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::interp::{Absence, Interp, Sampled, StepEvent};
use vecasm_exec::{Batch, Outputs, RunError};
use vecasm_ir::ir::steps::{Access, Cell, Step};
use vecasm_ir::ir::{Scalar, Shader, Stage};
use vecasm_ir::operand::WriteMask;

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most moments.
    pub moments: usize,
    /// The most bytes, roughly.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { moments: 1_000_000, bytes: 256 << 20 }
    }
}

/// A recorded run of one group. See the [module](self).
#[derive(Clone, Debug)]
pub struct Recording {
    first: usize,
    group: usize,
    steps: Vec<Step>,
    /// For each step that ran, what the lanes of its accesses are.
    scalars: Vec<Vec<Scalar>>,
    moments: Vec<MomentRecord>,
    /// For each moment: for each access, for each invocation, its lanes.
    words: Vec<u32>,
    /// The different answers to who was away.
    absences: Vec<Vec<Option<Absence>>>,
    cells: BTreeMap<(Cell, usize), History>,
    shared: Vec<Cell>,
    /// What computed accesses meant: the moment, the access, the invocation.
    found: BTreeMap<(u32, u32, u32), Vec<(Cell, WriteMask)>>,
    samples: BTreeMap<u32, Vec<Sampled>>,
    outputs: Outputs,
    cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct MomentRecord {
    step: u32,
    words: usize,
    absences: u32,
}

/// What one cell held.
#[derive(Clone, Debug, Default)]
struct History {
    lanes: [Lane; 4],
    scalar: Option<Scalar>,
}

#[derive(Clone, Debug, Default)]
struct Lane {
    first: Option<u32>,
    /// The invocation of an earlier group that left the first value.
    left_by: Option<usize>,
    /// Moments and what they wrote, in order.
    writes: Vec<(u32, u32)>,
}

impl Lane {
    /// Number of writes before a time.
    fn before(&self, time: usize) -> usize {
        self.writes.partition_point(|(moment, _)| (*moment as usize) < time)
    }

    fn write(&mut self, moment: u32, bits: u32) {
        match self.writes.last_mut() {
            Some(last) if last.0 == moment => last.1 = bits,
            _ => self.writes.push((moment, bits)),
        }
    }
}

impl Recording {
    /// Runs the group of an invocation of a batch. Groups before it run first where it may see what they leave.
    ///
    /// A run that is longer than the limits is kept up to there; see [`is_cut`](Self::is_cut).
    ///
    /// # Errors
    ///
    /// As [`Engine::run`](vecasm_exec::Engine::run), and [`RunError::Binding`] if the batch has no such invocation.
    pub fn of(
        shader: &Shader,
        batch: &Batch<'_>,
        invocation: usize,
        limits: &Limits,
    ) -> Result<Self, RunError> {
        if invocation >= batch.count {
            let what = format!("no invocation {invocation}; the batch has {}", batch.count);
            return Err(RunError::Binding(what));
        }
        let size = Interp.group(shader, batch)?.max(1);
        let first = invocation / size * size;
        let end = (first + size).min(batch.count);
        let mut batch = batch.clone();
        if matches!(shader.stage, Stage::Vertex | Stage::Fragment) {
            // Nobody sees those behind.
            batch.count = end;
        }
        let mut out = Self {
            first,
            group: end - first,
            steps: shader.steps.clone(),
            scalars: vec![Vec::new(); shader.steps.len()],
            moments: Vec::new(),
            words: Vec::new(),
            absences: Vec::new(),
            cells: BTreeMap::new(),
            shared: Vec::new(),
            found: BTreeMap::new(),
            samples: BTreeMap::new(),
            outputs: Outputs::default(),
            cut: false,
        };
        let mut writer = Writer { shader, params: &batch.params, limits: *limits, bytes: 0 };
        let outputs = Interp.run_watched(shader, &batch, &mut |event| {
            if event.first == first {
                out.keep(&mut writer, event);
            } else if event.first < first && shader.serial {
                out.keep_earlier(&mut writer, event);
            }
        })?;
        out.outputs = of_group(shader, outputs, first, end, size);
        Ok(out)
    }

    /// Number of moments.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether the group came through no step.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// Whether the run was longer than the limits, so that its end is missing. [`outputs`](Self::outputs) are those of the
    /// whole run all the same.
    pub const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Number of the group's first invocation in the batch.
    pub const fn first(&self) -> usize {
        self.first
    }

    /// Number of invocations of the group, without those that only complete it. Invocations are counted in the group
    /// everywhere here.
    pub const fn group(&self) -> usize {
        self.group
    }

    /// A moment.
    pub fn moment(&self, moment: usize) -> Option<Moment<'_>> {
        let kept = *self.moments.get(moment)?;
        let step = self.steps.get(kept.step as usize)?;
        Some(Moment { recording: self, number: moment, kept, step })
    }

    /// All moments in order.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = Moment<'_>> {
        (0..self.len()).filter_map(|m| self.moment(m))
    }

    /// The bits of a lane of a cell at a time, if they are known. The cell is not a computed one.
    pub fn value(&self, time: usize, cell: Cell, lane: usize, invocation: usize) -> Option<u32> {
        let lane = self.lane(cell, lane, invocation)?;
        match lane.before(time).checked_sub(1) {
            Some(last) => lane.writes.get(last).map(|(_, bits)| *bits),
            None => lane.first,
        }
    }

    /// All lanes of a cell at a time.
    pub fn cell(&self, time: usize, cell: Cell, invocation: usize) -> [Option<u32>; 4] {
        [0, 1, 2, 3].map(|lane| self.value(time, cell, lane, invocation))
    }

    /// The moment before a time that wrote a lane of a cell last; `None` if no moment of this recording did: the lane was
    /// given, left by an earlier invocation, or never written.
    pub fn writer_of(&self, time: usize, cell: Cell, lane: usize, invocation: usize) -> Option<usize> {
        let lane = self.lane(cell, lane, invocation)?;
        let last = lane.before(time).checked_sub(1)?;
        lane.writes.get(last).map(|(moment, _)| *moment as usize)
    }

    /// The moments that write a lane of a cell, in order.
    pub fn writers(&self, cell: Cell, lane: usize, invocation: usize) -> impl Iterator<Item = usize> {
        let lane = self.lane(cell, lane, invocation);
        lane.into_iter().flat_map(|lane| lane.writes.iter().map(|(moment, _)| *moment as usize))
    }

    /// The invocation of the batch that left the first value of a lane, where invocations run one after another.
    pub fn left_by(&self, cell: Cell, lane: usize) -> Option<usize> {
        self.lane(cell, lane, 0)?.left_by
    }

    /// What the lanes of a cell are, if a step has read or written it.
    pub fn scalar(&self, cell: Cell, invocation: usize) -> Option<Scalar> {
        self.cells.get(&(cell, self.owner(cell, invocation)))?.scalar
    }

    /// Every cell that a step of the group has read or written, in the order of [`Cell`]. Computed ones stand here as the
    /// cells that they meant.
    pub fn touched(&self) -> Vec<Cell> {
        let mut cells: Vec<Cell> = self.cells.keys().map(|(cell, _)| *cell).collect();
        cells.dedup();
        cells
    }

    /// What the group gave at its end: every list is of its invocations only.
    pub const fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The steps of the shader.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn owner(&self, cell: Cell, invocation: usize) -> usize {
        if self.shared.binary_search(&cell).is_ok() { 0 } else { invocation }
    }

    fn lane(&self, cell: Cell, lane: usize, invocation: usize) -> Option<&Lane> {
        self.cells.get(&(cell, self.owner(cell, invocation)))?.lanes.get(lane)
    }

    fn history(&mut self, writer: &mut Writer<'_>, cell: Cell, invocation: usize) -> &mut History {
        let shader = writer.shader;
        if is_shared(shader, cell) {
            if let Err(at) = self.shared.binary_search(&cell) {
                self.shared.insert(at, cell);
            }
        }
        self.cells.entry((cell, owner(shader, cell, invocation))).or_insert_with(|| {
            writer.bytes += size_of::<(Cell, History)>();
            let mut new = History::default();
            if let Some(bits) = first_bits(shader, writer.params, cell) {
                for (lane, bits) in new.lanes.iter_mut().zip(bits) {
                    lane.first = Some(bits);
                }
            }
            new
        })
    }

    fn keep(&mut self, writer: &mut Writer<'_>, event: &StepEvent<'_>) {
        let Some(step) = writer.shader.steps.get(event.step) else { return };
        self.cut |= self.moments.len() >= writer.limits.moments || writer.bytes >= writer.limits.bytes;
        if self.cut {
            return;
        }
        let number = self.moments.len() as u32;
        // Neighbouring steps mostly have the same answer.
        let recent = self.absences.len().saturating_sub(8);
        let same = self.absences.iter().skip(recent).position(|seen| seen == event.absent);
        let absences = same.map_or(self.absences.len(), |at| recent + at);
        if same.is_none() {
            writer.bytes += size_of_val(event.absent);
            self.absences.push(event.absent.to_vec());
        }
        self.moments.push(MomentRecord {
            step: event.step as u32,
            words: self.words.len(),
            absences: absences as u32,
        });
        if let Some(scalars) = self.scalars.get_mut(event.step).filter(|scalars| scalars.is_empty()) {
            *scalars = event.scalars.to_vec();
        }
        let before = self.words.len();
        for (n, access) in step.accesses().enumerate() {
            let lanes = access.mask.count() as usize;
            for i in 0..self.group {
                let bits = event.values.get(n).and_then(|v| v.get(i)).copied().unwrap_or([0; 4]);
                self.words.extend(bits.iter().take(lanes));
            }
        }
        writer.bytes += (self.words.len() - before) * 4 + size_of::<MomentRecord>();
        if !event.samples.is_empty() {
            writer.bytes += event.samples.len() * 32 * (self.group + 2);
            self.samples.insert(number, event.samples.to_vec());
        }
        for i in (0..self.group).filter(|i| event.absent.get(*i).is_some_and(Option::is_none)) {
            for (n, access) in step.accesses().enumerate() {
                let written = n >= step.reads.len();
                let scalar = event.scalars.get(n).copied();
                let bits = event.values.get(n).and_then(|v| v.get(i)).copied().unwrap_or([0; 4]);
                if !access.cell.is_computed() {
                    self.touch(writer, (number, access.cell, i), access.mask, scalar, bits, written);
                    continue;
                }
                let meant = meant(event, access, written, i, bits);
                for &(cell, mask, bits) in &meant {
                    self.touch(writer, (number, cell, i), mask, scalar, bits, written);
                }
                if !meant.is_empty() {
                    writer.bytes += 64;
                    let meant = meant.into_iter().map(|(cell, mask, _)| (cell, mask)).collect();
                    self.found.insert((number, n as u32, i as u32), meant);
                }
            }
        }
    }

    /// Notes that a moment reads or writes a cell of an invocation.
    fn touch(
        &mut self,
        writer: &mut Writer<'_>,
        (moment, cell, invocation): (u32, Cell, usize),
        mask: WriteMask,
        scalar: Option<Scalar>,
        bits: [u32; 4],
        written: bool,
    ) {
        let history = self.history(writer, cell, invocation);
        history.scalar = scalar.or(history.scalar);
        for (lane, bits) in mask.lanes().zip(bits) {
            let lane = &mut history.lanes[lane];
            if written {
                lane.write(moment, bits);
            } else if lane.writes.is_empty() {
                // Also where something else was given: constants that the program defines hide those.
                lane.first = Some(bits);
            }
        }
        if written {
            writer.bytes += 8 * mask.count() as usize;
        }
    }

    /// Notes what an earlier group leaves to this one.
    fn keep_earlier(&mut self, writer: &mut Writer<'_>, event: &StepEvent<'_>) {
        let shader = writer.shader;
        let Some(step) = shader.steps.get(event.step) else { return };
        for (n, access) in step.writes.iter().enumerate() {
            let live = event.absent.first().is_some_and(Option::is_none);
            if !live || access.cell.is_computed() || !is_shared(shader, access.cell) {
                continue;
            }
            let values = event.values.get(step.reads.len() + n).and_then(|v| v.first());
            let bits = values.copied().unwrap_or([0; 4]);
            let history = self.history(writer, access.cell, 0);
            for (lane, bits) in access.mask.lanes().zip(bits) {
                let lane = &mut history.lanes[lane];
                (lane.first, lane.left_by) = (Some(bits), Some(event.first));
            }
        }
    }
}

/// What making a recording takes along.
struct Writer<'a> {
    shader: &'a Shader,
    params: &'a [Vec<[u32; 4]>],
    limits: Limits,
    /// Roughly what is kept so far.
    bytes: usize,
}

/// The results of one group.
fn of_group(shader: &Shader, mut all: Outputs, first: usize, end: usize, size: usize) -> Outputs {
    for (cell, output) in all.cells.iter_mut().zip(&shader.outputs) {
        let (from, to) =
            if output.kind.is_of_patch() { (first / size, first / size + 1) } else { (first, end) };
        *cell = cell.get(from..to.min(cell.len())).map(<[_]>::to_vec).unwrap_or_default();
    }
    for flags in [&mut all.killed, &mut all.exhausted] {
        *flags = flags.get(first..end).map(<[bool]>::to_vec).unwrap_or_default();
    }
    all
}

/// One moment of a recording.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    recording: &'a Recording,
    number: usize,
    kept: MomentRecord,
    step: &'a Step,
}

impl<'a> Moment<'a> {
    /// Its number.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// The step: an index into [`Shader::steps`].
    pub const fn step_number(&self) -> usize {
        self.kept.step as usize
    }

    /// The step.
    pub const fn step(&self) -> &'a Step {
        self.step
    }

    /// For each invocation of the group, why it took no part; `None` if it did.
    pub fn absent(&self) -> &'a [Option<Absence>] {
        self.recording.absences.get(self.kept.absences as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether an invocation took part.
    pub fn is_live(&self, invocation: usize) -> bool {
        self.absent().get(invocation).is_some_and(Option::is_none)
    }

    /// The invocations that took part.
    pub fn live(&self) -> impl Iterator<Item = usize> + 'a {
        self.absent().iter().enumerate().filter(|(_, why)| why.is_none()).map(|(i, _)| i)
    }

    /// What the lanes of an access are; accesses are counted reads first.
    pub fn scalar(&self, access: usize) -> Scalar {
        let scalars = self.recording.scalars.get(self.step_number());
        scalars.and_then(|s| s.get(access)).copied().unwrap_or(Scalar::F32)
    }

    /// The bits that an access saw or wrote in an invocation: a lane for each lane of its mask, in front; accesses are
    /// counted reads first. Those of an invocation that took no part mean nothing.
    pub fn bits(&self, access: usize, invocation: usize) -> [u32; 4] {
        let mut at = self.kept.words;
        let mut lanes = 0;
        for (n, of) in self.step.accesses().enumerate().take(access + 1) {
            lanes = of.mask.count() as usize;
            if n < access {
                at += lanes * self.recording.group;
            }
        }
        let words = self.recording.words.get(at + invocation * lanes..at + (invocation + 1) * lanes);
        let mut out = [0; 4];
        if invocation < self.recording.group {
            out.iter_mut().zip(words.unwrap_or(&[])).for_each(|(to, from)| *to = *from);
        }
        out
    }

    /// What read number `n` saw; see [`bits`](Self::bits).
    pub fn read(&self, n: usize, invocation: usize) -> [u32; 4] {
        self.bits(n, invocation)
    }

    /// What write number `n` wrote; see [`bits`](Self::bits).
    pub fn written(&self, n: usize, invocation: usize) -> [u32; 4] {
        self.bits(self.step.reads.len() + n, invocation)
    }

    /// What stood where write number `n` wrote, as far as it is known.
    pub fn old(&self, n: usize, invocation: usize) -> [Option<u32>; 4] {
        let mut out = [None; 4];
        let Some(access) = self.step.writes.get(n) else { return out };
        let meant = self.meant(self.step.reads.len() + n, invocation);
        for (to, lane) in access.mask.lanes().enumerate() {
            let cell = meant.iter().find(|(_, mask)| mask.has(lane)).map(|(cell, _)| *cell);
            out[to] = cell.and_then(|cell| self.recording.value(self.number, cell, lane, invocation));
        }
        out
    }

    /// The cells that an access means, with the lanes: the one that it names, or, if an index was computed, those that it
    /// turned out to be. Empty if that is not known, or nothing stands there.
    pub fn meant(&self, access: usize, invocation: usize) -> Vec<(Cell, WriteMask)> {
        let Some(named) = self.access(access) else { return Vec::new() };
        if !named.cell.is_computed() {
            return vec![(named.cell, named.mask)];
        }
        let key = (self.number as u32, access as u32, invocation as u32);
        self.recording.found.get(&key).cloned().unwrap_or_default()
    }

    /// An access, counted reads first.
    pub fn access(&self, access: usize) -> Option<&'a Access> {
        self.step.accesses().nth(access)
    }

    /// The reads of textures that belong to this moment.
    pub fn samples(&self) -> &'a [Sampled] {
        self.recording.samples.get(&(self.number as u32)).map_or(&[], Vec::as_slice)
    }
}
