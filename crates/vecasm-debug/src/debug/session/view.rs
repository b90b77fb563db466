//! What is to be seen at a time of a session, as plain data.

use super::super::cells::reason;
use super::super::condition::Evaluation;
use super::super::slice::slice;
use super::Session;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::Batch;
use vecasm_exec::interp::Absence;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{Dim, FileRole, OutputId, Scalar, Shader};
use vecasm_ir::operand::WriteMask;
use vecasm_opt::ancestry;

/// A step of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The moment.
    pub moment: usize,
    /// Number of the source instruction, from 0.
    pub source: u32,
    /// Which part of it, from 0.
    pub part: u8,
    /// What that part is called (`MAC`, `ILU`); empty where instructions have no parts.
    pub part_name: String,
    /// Its line, from 1; `None` if it is not in the text.
    pub line: Option<u32>,
    /// The instruction as text.
    pub instruction: String,
    /// The invocations that take part, by their numbers in the batch.
    pub live: Vec<usize>,
    /// The others, with why.
    pub masked: Vec<Masked>,
}

/// Why an invocation takes no part in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// Its number in the batch.
    pub invocation: usize,
    /// Why, with the source instruction that did it.
    pub why: Absence,
    /// The line of that instruction.
    pub line: Option<u32>,
    /// The same in words, with the line.
    pub text: String,
}

/// A cell and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellView {
    /// The cell.
    pub cell: Cell,
    /// Its name as the source spells it.
    pub name: String,
    /// What the program calls it; empty if it gives no name.
    pub alias: String,
    /// What its lanes are.
    pub scalar: Scalar,
    /// The lanes that the program uses.
    pub lanes: WriteMask,
    /// The bits of all four lanes; `None` for what is not known.
    pub bits: [Option<u32>; 4],
    /// The lanes that the last step wrote.
    pub written: WriteMask,
    /// Those of them that hold something else now.
    pub changed: WriteMask,
}

/// The registers of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// Its name: `r`.
    pub name: String,
    /// Its registers that the program uses, in order.
    pub cells: Vec<CellView>,
}

/// What is bound to a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureInfo {
    /// The name of the register.
    pub name: String,
    /// Its number.
    pub slot: u32,
    /// The shape: that of the texture which is bound, else the one the program expects.
    pub dim: Dim,
    /// Width, height and depth of the first level; `None` if nothing is bound.
    pub size: Option<[u32; 3]>,
    /// Number of layers.
    pub layers: u32,
    /// Number of levels.
    pub levels: u32,
}

impl TextureInfo {
    /// The textures of a shader, with what a batch binds to them.
    pub fn of(shader: &Shader, batch: &Batch<'_>) -> Vec<Self> {
        let bound = |n: usize| batch.textures.get(n).copied().flatten().map(|bound| bound.texture);
        let info = |(n, texture): (usize, &vecasm_ir::ir::Texture)| Self {
            name: texture.name.clone(),
            slot: texture.slot,
            dim: bound(n).map_or(texture.dim, |t| t.dim()),
            size: bound(n).and_then(|t| t.size(0)),
            layers: bound(n).map_or(0, |t| t.layers()),
            levels: bound(n).map_or(0, |t| t.level_count()),
        };
        shader.textures.iter().enumerate().map(info).collect()
    }
}

/// A texture and what the last step read from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureView {
    /// What is bound.
    pub info: TextureInfo,
    /// Coordinates and texels that the last step read in the chosen invocation, as bits.
    pub reads: Vec<([u32; 4], [u32; 4])>,
}

/// A read or write of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessView {
    /// The cell that it turned out to be, or the computed one if that is not known.
    pub cell: Cell,
    /// Its name.
    pub name: String,
    /// The lanes.
    pub lanes: WriteMask,
    /// What they are.
    pub scalar: Scalar,
    /// For each of these lanes, what was read or written.
    pub bits: Vec<u32>,
    /// For each of these lanes, what stood there before, as far as it is known.
    pub old: Vec<Option<u32>>,
}

/// A watch and what it comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchView {
    /// Its number.
    pub id: u32,
    /// Its text.
    pub text: String,
    /// Its value.
    pub value: Evaluation,
}

/// Everything to be seen at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Number of moments that are over.
    pub time: usize,
    /// Number of all moments.
    pub end: usize,
    /// Whether the run was longer than what is recorded.
    pub cut: bool,
    /// The chosen invocation, by its number in the batch.
    pub invocation: usize,
    /// The invocations of the group, by their numbers in the batch.
    pub group: Vec<usize>,
    /// The step that comes next; `None` at the end.
    pub next: Option<Place>,
    /// The step that is just over; `None` at the start.
    pub last: Option<Place>,
    /// Why the chosen invocation takes no part in the next step; at the end why it took none in the last one.
    pub masked: Option<Masked>,
    /// What the last step read in the chosen invocation; empty if it took no part.
    pub reads: Vec<AccessView>,
    /// What it wrote.
    pub writes: Vec<AccessView>,
    /// Registers by file.
    pub registers: Vec<FileView>,
    /// Inputs.
    pub inputs: Vec<CellView>,
    /// Constants that steps name or have read.
    pub constants: Vec<CellView>,
    /// State values that steps read.
    pub states: Vec<CellView>,
    /// Outputs so far; at the end with what the pipeline made of them.
    pub outputs: Vec<CellView>,
    /// Textures.
    pub textures: Vec<TextureView>,
    /// Watches.
    pub watches: Vec<WatchView>,
    /// Whether the chosen invocation was discarded in the run.
    pub killed: bool,
    /// Whether it ran out of fuel in the run.
    pub exhausted: bool,
}

/// Where a lane that no step wrote came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An input.
    Input,
    /// A constant.
    Constant,
    /// A value that stands in the program itself.
    Immediate,
    /// A state value.
    State,
    /// What an output starts with.
    Output,
    /// An earlier invocation left it.
    Earlier(usize),
    /// Nobody: a register that was never written.
    Unwritten,
}

impl Origin {
    /// The word for it: `input`, `constant`, `immediate`, `state`, `output`, `earlier`, `unwritten`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Constant => "constant",
            Self::Immediate => "immediate",
            Self::State => "state",
            Self::Output => "output",
            Self::Earlier(_) => "earlier",
            Self::Unwritten => "unwritten",
        }
    }
}

/// What made one lane of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestry {
    /// The name of the cell with the lane.
    pub name: String,
    /// The steps of this run that made it, with what each of them wrote in the chosen invocation.
    pub steps: Vec<(Place, Vec<AccessView>)>,
    /// The lanes that it came from in the end, as they were at the start.
    pub roots: Vec<(Origin, AccessView)>,
    /// The source instructions that may make it, in any run; empty if no step of this run wrote it.
    pub may: Vec<u32>,
    /// Whether it was too much to follow.
    pub cut: bool,
}

impl Session {
    /// Everything to be seen at the present time.
    pub fn view(&self) -> View {
        let recording = self.recording();
        let (first, group) = (recording.first(), recording.group());
        let next = self.place(self.time);
        let last = self.time.checked_sub(1).and_then(|t| self.place(t));
        let chosen = first + self.invocation;
        let masked = next
            .as_ref()
            .or(last.as_ref())
            .and_then(|place| place.masked.iter().find(|masked| masked.invocation == chosen).cloned());
        let (reads, writes) = self.time.checked_sub(1).map_or_else(Default::default, |t| self.accesses(t));
        let flag = |flags: &[bool]| flags.get(self.invocation).copied().unwrap_or_default();
        View {
            time: self.time,
            end: self.end_time(),
            cut: recording.is_cut(),
            invocation: chosen,
            group: (first..first + group).collect(),
            masked,
            next,
            last,
            reads,
            writes,
            registers: self.registers(),
            inputs: self.files(Some(FileRole::Input)).into_iter().flat_map(|file| file.cells).collect(),
            constants: self.cells(|cell| {
                let role = self.role(cell);
                matches!(cell, Cell::Param(..)) || matches!(role, Some(FileRole::Param | FileRole::Immediate))
            }),
            states: self.cells(|cell| matches!(cell, Cell::State(_))),
            outputs: self.outputs(),
            textures: self.textures(),
            watches: self.watch_views(),
            killed: flag(&recording.outputs().killed),
            exhausted: flag(&recording.outputs().exhausted),
        }
    }

    /// The step of a moment.
    pub fn place(&self, moment: usize) -> Option<Place> {
        let of = self.recording().moment(moment)?;
        let step = of.step();
        let first = self.recording().first();
        let masked = of.absent().iter().enumerate();
        let masked = masked.filter_map(|(i, why)| why.map(|why| self.masked(first + i, why)));
        Some(Place {
            moment,
            source: step.source,
            part: step.part,
            part_name: self.setup.parts.get(usize::from(step.part)).cloned().unwrap_or_default(),
            line: self.listing().line(step),
            instruction: self.instruction(step.source).into(),
            live: of.live().map(|i| first + i).collect(),
            masked: masked.collect(),
        })
    }

    /// A source instruction as text.
    pub fn instruction(&self, source: u32) -> &str {
        self.setup.instructions.get(source as usize).map_or("", String::as_str)
    }

    fn masked(&self, invocation: usize, why: Absence) -> Masked {
        let source = match why {
            Absence::Condition(s) | Absence::Left(s) | Absence::Demoted(s) | Absence::Exhausted(s) => Some(s),
            Absence::Helper => None,
        };
        let line = source.and_then(|source| self.listing().line_of(source));
        let mut text = reason(why);
        if let (Some(source), Some(line)) = (source, line) {
            text = text.replace(&format!("step {source}"), &format!("line {line}"));
        }
        Masked { invocation, why, line, text }
    }

    /// What the step of a moment read and wrote in the chosen invocation; nothing if that took no part.
    pub fn accesses(&self, moment: usize) -> (Vec<AccessView>, Vec<AccessView>) {
        let Some(of) = self.recording().moment(moment).filter(|m| m.is_live(self.invocation)) else {
            return Default::default();
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (n, access) in of.step().accesses().enumerate() {
            let bits = of.bits(n, self.invocation);
            let lanes_of = |bits: &[u32; 4]| bits[..access.mask.count() as usize].to_vec();
            let to = if n < of.step().reads.len() { &mut reads } else { &mut writes };
            let meant = of.meant(n, self.invocation);
            if meant.is_empty() {
                to.push(AccessView {
                    cell: access.cell,
                    name: self.shader().cell_name(access.cell),
                    lanes: access.mask,
                    scalar: of.scalar(n),
                    bits: lanes_of(&bits),
                    old: alloc::vec![None; access.mask.count() as usize],
                });
            }
            for (cell, lanes) in meant {
                let value =
                    |time: usize, lane: usize| self.recording().value(time, cell, lane, self.invocation);
                let (mut now, mut old) = (Vec::new(), Vec::new());
                for lane in lanes.lanes() {
                    let place = access.mask.lanes().position(|l| l == lane);
                    let seen = place.and_then(|place| bits.get(place)).copied();
                    let written = access.cell.is_computed() && n >= of.step().reads.len();
                    let stored = if written { value(moment + 1, lane) } else { None };
                    now.push(stored.or(seen).unwrap_or(0));
                    old.push(value(moment, lane));
                }
                let name = self.shader().cell_name(cell);
                to.push(AccessView { cell, name, lanes, scalar: of.scalar(n), bits: now, old });
            }
        }
        (reads, writes)
    }

    /// A cell at the present time.
    pub fn cell(&self, cell: Cell) -> CellView {
        let recording = self.recording();
        let mut written = WriteMask::NONE;
        let mut changed = WriteMask::NONE;
        let bits = recording.cell(self.time, cell, self.invocation);
        if let Some(last) = self.time.checked_sub(1) {
            let before = recording.cell(last, cell, self.invocation);
            for lane in 0..4 {
                if recording.writer_of(self.time, cell, lane, self.invocation) == Some(last) {
                    let bit = WriteMask::lane(lane);
                    written = written.union(bit);
                    if before[lane] != bits[lane] {
                        changed = changed.union(bit);
                    }
                }
            }
        }
        let used = self.uses.get(&cell).copied().filter(|mask| *mask != WriteMask::NONE);
        let mut lanes = used.unwrap_or(WriteMask::ALL);
        if matches!(cell, Cell::Param(..)) {
            lanes = WriteMask::ALL;
        }
        let held = [0, 1, 2, 3].map(|lane| bits[lane].or_else(|| self.initial_value(cell, lane)));
        CellView {
            cell,
            name: self.shader().cell_name(cell),
            alias: self.names.called(cell).unwrap_or("").into(),
            scalar: recording.scalar(cell, self.invocation).unwrap_or_else(|| self.scalar(cell)),
            lanes,
            bits: held,
            written,
            changed,
        }
    }

    /// What a lane of a cell that no step has touched holds, if that is known.
    pub(super) fn initial_value(&self, cell: Cell, lane: usize) -> Option<u32> {
        match cell {
            Cell::Output(id) => self.shader().outputs.get(id.index()).map(|output| output.init[lane & 3]),
            _ => None,
        }
    }

    fn scalar(&self, cell: Cell) -> Scalar {
        let shader = self.shader();
        let found = match cell {
            Cell::Output(id) => shader.outputs.get(id.index()).map(|o| o.scalar),
            Cell::Param(id, _) => shader.params.get(id.index()).map(|p| p.scalar),
            Cell::Local(id, _) => shader.locals.get(id.index()).map(|l| l.scalar),
            Cell::State(id) => shader.states.get(id.index()).map(|s| s.ty.scalar),
            _ => None,
        };
        found.unwrap_or(Scalar::F32)
    }

    /// The cells of a kind that steps name, or that computed indices came to.
    fn cells(&self, wanted: impl Fn(Cell) -> bool) -> Vec<CellView> {
        let named = self.uses.keys().copied().filter(|cell| !cell.is_computed());
        let mut all: Vec<Cell> =
            named.chain(self.recording().touched()).filter(|cell| wanted(*cell)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|cell| self.cell(cell)).collect()
    }

    /// What a register is filled with from outside, if it is: also constants that the program defines are registers.
    fn role(&self, cell: Cell) -> Option<FileRole> {
        let Cell::Register(home) = cell else { return None };
        let name = self.shader().files.get(usize::from(home.file))?;
        self.shader().registers.iter().find(|file| file.name == *name).map(|file| file.role)
    }

    fn files(&self, role: Option<FileRole>) -> Vec<FileView> {
        let mut out = Vec::new();
        for (number, name) in self.shader().files.iter().enumerate() {
            let of = |cell| {
                matches!(cell, Cell::Register(home) if usize::from(home.file) == number)
                    && self.role(cell) == role
            };
            let cells = self.cells(of);
            if !cells.is_empty() {
                out.push(FileView { name: name.clone().into_owned(), cells });
            }
        }
        out
    }

    fn registers(&self) -> Vec<FileView> {
        let mut out = self.files(None);
        for (number, local) in self.shader().locals.iter().enumerate() {
            let cells = self.cells(|cell| matches!(cell, Cell::Local(id, _) if id.index() == number));
            if !cells.is_empty() {
                out.push(FileView { name: local.name.clone(), cells });
            }
        }
        out
    }

    fn outputs(&self) -> Vec<CellView> {
        let recording = self.recording();
        let at_end = self.time == self.end_time() && !recording.is_cut();
        let view = |number: usize| {
            let mut view = self.cell(Cell::Output(OutputId(number as u32)));
            let given = recording.outputs().cells.get(number);
            let place = given.map_or(0, |cells| self.invocation.min(cells.len().saturating_sub(1)));
            if let Some(bits) = given.and_then(|cells| cells.get(place)).filter(|_| at_end) {
                view.bits = bits.map(Some);
            }
            view
        };
        (0..self.shader().outputs.len()).map(view).collect()
    }

    fn textures(&self) -> Vec<TextureView> {
        let last = self.time.checked_sub(1).and_then(|t| self.recording().moment(t));
        let last = last.filter(|moment| moment.is_live(self.invocation));
        let samples = last.map_or(&[][..], |moment| moment.samples());
        let view = |(number, info): (usize, &TextureInfo)| {
            let of = samples.iter().filter(|sample| sample.texture.index() == number);
            let one = |list: &[[u32; 4]]| list.get(self.invocation).copied().unwrap_or_default();
            let reads = of.map(|sample| (one(&sample.places), one(&sample.texels))).collect();
            TextureView { info: info.clone(), reads }
        };
        self.setup.textures.iter().enumerate().map(view).collect()
    }

    fn watch_views(&self) -> Vec<WatchView> {
        let last = self.time.checked_sub(1).and_then(|t| self.recording().moment(t));
        let look = self.look(self.time, last);
        let view = |watch: &super::Watch| WatchView {
            id: watch.id,
            text: watch.text.clone(),
            value: watch.expression.evaluate(&look),
        };
        self.watches.iter().map(view).collect()
    }

    /// What an expression comes to at the present time; the step that it asks about is the last one.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn evaluate(&self, text: &str) -> Result<Evaluation, super::ExpressionError> {
        let expression = super::Expression::parse(text, &self.names)?;
        let last = self.time.checked_sub(1).and_then(|t| self.recording().moment(t));
        Ok(expression.evaluate(&self.look(self.time, last)))
    }

    /// What made a lane of a cell that it holds at the present time.
    pub fn ancestry(&self, cell: Cell, lane: usize) -> Ancestry {
        let recording = self.recording();
        let shader = self.shader();
        let found = slice(shader, recording, self.time, (cell, lane), self.invocation);
        let step = |moment: &usize| Some((self.place(*moment)?, self.accesses(*moment).1));
        let root = |(cell, lanes): &(Cell, WriteMask)| {
            let cell = *cell;
            let earlier = lanes.lanes().find_map(|lane| recording.left_by(cell, lane));
            let origin = match cell {
                _ if earlier.is_some() => Origin::Earlier(earlier.unwrap_or(0)),
                Cell::Param(..) => Origin::Constant,
                Cell::State(_) => Origin::State,
                Cell::Output(_) => Origin::Output,
                _ => match self.role(cell) {
                    Some(FileRole::Input) => Origin::Input,
                    Some(FileRole::Param) => Origin::Constant,
                    Some(FileRole::Immediate) => Origin::Immediate,
                    _ => Origin::Unwritten,
                },
            };
            let value = |lane| {
                recording.value(0, cell, lane, self.invocation).or_else(|| self.initial_value(cell, lane))
            };
            let old: Vec<Option<u32>> = lanes.lanes().map(value).collect();
            let bits = old.iter().map(|bits| bits.unwrap_or(0)).collect();
            let scalar = recording.scalar(cell, self.invocation).unwrap_or_else(|| self.scalar(cell));
            let name = shader.cell_name(cell);
            (origin, AccessView { cell, name, lanes: *lanes, scalar, bits, old })
        };
        let writer = recording.writer_of(self.time, cell, lane, self.invocation);
        let may = writer.and_then(|m| recording.moment(m)).map_or_else(Vec::new, |moment| {
            let at = |(n, access): (usize, &vecasm_ir::ir::steps::Access)| {
                let meant = moment.meant(moment.step().reads.len() + n, self.invocation);
                let place = access.mask.lanes().position(|l| l == lane)?;
                meant.iter().any(|(of, mask)| *of == cell && mask.has(lane)).then_some((n, place))
            };
            let Some((n, place)) = moment.step().writes.iter().enumerate().find_map(at) else {
                return Vec::new();
            };
            let steps = ancestry(shader, moment.step_number() as u32, n, place);
            let mut sources: Vec<u32> =
                steps.iter().filter_map(|s| shader.steps.get(*s as usize)).map(|s| s.source).collect();
            sources.dedup();
            sources
        });
        Ancestry {
            name: format!("{}.{}", shader.cell_name(cell), WriteMask::from_bits(1 << (lane & 3)).letters()),
            steps: found.moments.iter().filter_map(step).collect(),
            roots: found.roots.iter().map(root).collect(),
            may,
            cut: found.cut,
        }
    }
}
