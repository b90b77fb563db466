//! Inputs, outputs and system values: what their semantics mean in the stage, and where varyings go.

use super::registers::{INPUT, Read, SYSTEM};
use super::scan::Declared;
use super::{Lifter, NO_MEANING, Refusal, Result, Site};
use crate::lift::{EMPTY, Kit, Lane, Lanes, all_lanes, pick_masked, take_first};
use crate::tgsi::names::{self, PropertyName, Semantic};
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::shader::push_u32;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{
    Arg, Home, Input, InputId, InputKind, Interpolation, Location, Op, Output, OutputId, OutputKind, Pure,
    Scalar, Stage, System, Type,
};
use vecasm_ir::operand::WriteMask;

/// A location of varyings for each semantic. Those that are often used have the first ones: targets have few.
///
/// | location | semantic |
/// |---|---|
/// | 0–1 | COLOR[0], COLOR[1] |
/// | 2–9 | GENERIC[0] to GENERIC[7] |
/// | 10 | FOG |
/// | 11, 12 | BCOLOR[0], BCOLOR[1] |
/// | 16 + 256 · semantic + index | everything else, TEXCOORD with it |
pub(super) fn location(semantic: Semantic, index: u16) -> u32 {
    let index = u32::from(index);
    match (semantic, index) {
        (Semantic::Color, 0..=1) => index,
        (Semantic::Generic, 0..=7) => 2 + index,
        (Semantic::Fog, 0) => 10,
        (Semantic::Bcolor, 0..=1) => 11 + index,
        _ => {
            let code = Semantic::ALL.iter().position(|of| *of == semantic).unwrap_or(0) as u32;
            16 + 65_536 * code + index
        }
    }
}

/// A register's part of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputCells {
    /// For each component the cell and the lane in it.
    pub(super) lanes: [(OutputId, u8); 4],
    /// The cell, if it has the components in their order, and it alone.
    pub(super) plain: Option<OutputId>,
    /// Whether the first colour goes to other render targets, too: the number of those, whose cells stand behind.
    pub(super) copies: u32,
}

/// The words of a semantic, `GENERIC[3]`.
pub(super) fn semantic_name(declared: &Declared) -> String {
    let Some(info) = declared.semantic else { return String::new() };
    let mut out = String::from(info.name.name().unwrap_or("?"));
    if info.index > 0 || matches!(info.name, Semantic::Generic | Semantic::Texcoord) {
        out.push('[');
        push_u32(&mut out, info.index.into());
        out.push(']');
    }
    out
}

fn register_name(file: &str, index: u16) -> String {
    let mut out = String::from(file);
    out.push('[');
    push_u32(&mut out, index.into());
    out.push(']');
    out
}

/// What is known of an input of a fragment program that the pipeline gives.
const fn fragment_system(semantic: Semantic) -> Option<System> {
    Some(match semantic {
        Semantic::Position => System::FragCoord,
        Semantic::Face => System::FrontFacing,
        Semantic::Pcoord => System::PointCoord,
        Semantic::PrimId => System::PrimitiveIndex,
        Semantic::Layer => System::Layer,
        Semantic::ViewportIndex => System::ViewportIndex,
        _ => return None,
    })
}

/// Which invocations of a subgroup are meant, by their number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SubgroupMask {
    Equal,
    GreaterEqual,
    Greater,
    LessEqual,
    Less,
}

impl SubgroupMask {
    const fn of(semantic: Semantic) -> Option<Self> {
        Some(match semantic {
            Semantic::SubgroupEqMask => Self::Equal,
            Semantic::SubgroupGeMask => Self::GreaterEqual,
            Semantic::SubgroupGtMask => Self::Greater,
            Semantic::SubgroupLeMask => Self::LessEqual,
            Semantic::SubgroupLtMask => Self::Less,
            _ => return None,
        })
    }
}

/// The system value of a semantic of a register `SV[]`.
pub const fn system(semantic: Semantic) -> Option<System> {
    Some(match semantic {
        Semantic::Position => System::FragCoord,
        Semantic::Face => System::FrontFacing,
        Semantic::Pcoord => System::PointCoord,
        Semantic::PrimId => System::PrimitiveIndex,
        Semantic::Instanceid => System::InstanceIndex,
        Semantic::Vertexid => System::VertexIndex,
        Semantic::VertexidNobase => System::VertexIndexNoBase,
        Semantic::Basevertex => System::BaseVertex,
        Semantic::Baseinstance => System::BaseInstance,
        Semantic::Drawid => System::DrawIndex,
        Semantic::Layer => System::Layer,
        Semantic::ViewportIndex => System::ViewportIndex,
        Semantic::Sampleid => System::SampleIndex,
        Semantic::Samplepos => System::SamplePosition,
        Semantic::Samplemask => System::SampleMask,
        Semantic::Invocationid => System::InvocationIndex,
        Semantic::Tesscoord => System::TessCoord,
        Semantic::Tessouter => System::TessOuter,
        Semantic::Tessinner => System::TessInner,
        Semantic::TessDefaultOuter => System::TessDefaultOuter,
        Semantic::TessDefaultInner => System::TessDefaultInner,
        Semantic::Verticesin => System::VerticesIn,
        Semantic::GridSize => System::GridSize,
        Semantic::BlockId => System::GroupIndex,
        Semantic::BlockSize => System::GroupSize,
        Semantic::ThreadId => System::LocalIndex,
        Semantic::WorkDim => System::GridAxes,
        Semantic::SubgroupSize => System::SubgroupSize,
        Semantic::SubgroupInvocation => System::SubgroupIndex,
        _ => return None,
    })
}

impl Lifter<'_> {
    /// Makes the inputs that are used and all outputs.
    pub(super) fn interface(&mut self) -> core::result::Result<(), (Refusal, Site)> {
        for n in 0..self.scan.outputs.len() {
            let Some(declared) = self.scan.outputs.get(n).copied() else { break };
            let cells = self
                .make_output(n, &declared)
                .map_err(|refusal| (refusal, Site::Declaration(names::File::Out, declared.index)))?;
            self.outputs.push(cells);
        }
        let mut used = alloc::vec![false; self.scan.inputs.len()];
        self.used_inputs(&mut used);
        for (n, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            let Some(declared) = self.scan.inputs.get(n).copied() else { break };
            let id = self
                .make_input(n, &declared)
                .map_err(|refusal| (refusal, Site::Declaration(names::File::In, declared.index)))?;
            if let Some(to) = self.inputs.get_mut(n) {
                *to = Some(id);
            }
        }
        self.fill_arrays().map_err(|refusal| (refusal, Site::Program))
    }

    fn used_inputs(&self, used: &mut [bool]) {
        use super::scan::Place;
        for i in &self.scan.code {
            for operand in i.from {
                match self.scan.place(operand) {
                    Ok(Place::Input(n)) => {
                        if let Some(used) = used.get_mut(n) {
                            *used = true;
                        }
                    }
                    Ok(Place::ElementAt { array, .. }) => {
                        let Some(array) = self.scan.arrays.get(array) else { continue };
                        if array.file != names::File::In {
                            continue;
                        }
                        for (used, declared) in used.iter_mut().zip(&self.scan.inputs) {
                            *used |= (array.first..=array.last).contains(&declared.index);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn make_input(&mut self, n: usize, declared: &Declared) -> Result<InputId> {
        let name = register_name("IN", declared.index);
        let stage = self.b.shader.stage;
        if stage == Stage::Compute {
            return Err(Refusal::new(NO_MEANING, format!("compute programs have no inputs: {name}")));
        }
        let scalar = self.webs.of_input(n);
        let mut input = if stage.has_vertices() {
            let Some(info) = declared.semantic else {
                return Err(Refusal::new(NO_MEANING, format!("{name} has no semantic")));
            };
            match super::vertices::input_kind(stage, info.name, location(info.name, info.index))? {
                InputKind::System(system) => self.system_input(name, system),
                kind => Input::new(name, kind, Type::new(scalar, 4)),
            }
        } else if stage == Stage::Fragment {
            let Some(info) = declared.semantic else {
                return Err(Refusal::new(NO_MEANING, format!("{name} has no semantic")));
            };
            match fragment_system(info.name) {
                Some(system) => self.system_input(name, system),
                None => {
                    let kind = InputKind::Varying { location: location(info.name, info.index) };
                    let (interpolation, place) = interpolation(declared);
                    let scalar = if interpolation == Interpolation::Flat { scalar } else { Scalar::F32 };
                    Input { interpolation, location: place, ..Input::new(name, kind, Type::new(scalar, 4)) }
                }
            }
        } else {
            let kind = InputKind::Attribute { location: declared.index.into() };
            Input::new(name, kind, Type::new(scalar, 4))
        };
        input.semantic = semantic_name(declared);
        let known = self.b.find_input(input.kind);
        Ok(known.unwrap_or_else(|| self.b.add_input(input)))
    }

    fn system_input(&self, name: String, system: System) -> Input {
        Input::new(name, InputKind::System(system), system.ty())
    }

    /// Whether an input is just its four components, as they come.
    pub(super) fn is_plain(&self, n: usize) -> bool {
        let id = self.inputs.get(n).copied().flatten();
        let input = id.and_then(|id| self.b.shader.inputs.get(id.index()));
        input.is_some_and(|input| !matches!(input.kind, InputKind::System(_)))
    }

    /// Whether each vertex has an input or output of the program.
    pub(super) fn has_vertices(&self, file: names::File, n: usize) -> bool {
        let list = if file == names::File::In { &self.scan.inputs } else { &self.scan.outputs };
        list.get(n).is_some_and(|declared| self.scan.is_of_vertices(file, declared))
    }

    /// What an input holds.
    pub(super) fn input(&mut self, n: usize) -> Result<Lanes> {
        if let Some(Some(lanes)) = self.input_lanes.get(n) {
            return Ok(*lanes);
        }
        let id = self.inputs.get(n).copied().flatten();
        let (Some(id), Some(declared)) = (id, self.scan.inputs.get(n).copied()) else {
            return Err(Refusal::new(NO_MEANING, "no such input"));
        };
        let kind = self.b.shader.inputs.get(id.index()).map(|input| input.kind);
        let lanes = match kind {
            Some(InputKind::System(system)) => self.system_lanes(id, system, true),
            _ => {
                let value = self.b.input(id).value;
                self.b.set_home(value, Home { file: INPUT, index: declared.index });
                all_lanes(value)
            }
        };
        if let Some(to) = self.input_lanes.get_mut(n) {
            *to = Some(lanes);
        }
        Ok(lanes)
    }

    /// What a system value holds.
    pub(super) fn system(&mut self, n: usize) -> Result<Lanes> {
        if let Some(Some(lanes)) = self.system_lanes.get(n) {
            return Ok(*lanes);
        }
        let Some(declared) = self.scan.systems.get(n).copied() else {
            return Err(Refusal::new(NO_MEANING, "no such system value"));
        };
        let lanes = self.new_system(&declared)?;
        if let Some(to) = self.system_lanes.get_mut(n) {
            *to = Some(lanes);
        }
        Ok(lanes)
    }

    fn new_system(&mut self, declared: &Declared) -> Result<Lanes> {
        let name = register_name("SV", declared.index);
        let stage = self.b.shader.stage;
        let semantic = declared.semantic.map(|info| info.name);
        if semantic == Some(Semantic::HelperInvocation) && stage == Stage::Fragment {
            // At the start of the program: later there may be more of them.
            let is = self.b.push_entry(Op::IsHelper, Type::BOOL);
            return Ok(self.truth(Arg::lane(is, 0)));
        }
        if let Some(mask) = semantic.and_then(SubgroupMask::of) {
            return Ok(self.subgroup_mask(mask));
        }
        let known = semantic.and_then(system).filter(|system| system.exists_in(stage));
        let Some(system) = known else {
            let what = semantic_name(declared);
            return Err(Refusal::new(NO_MEANING, format!("this stage has no system value {what}")));
        };
        let kind = InputKind::System(system);
        let known = self.b.find_input(kind);
        let id = known.unwrap_or_else(|| {
            let semantic = semantic_name(declared);
            self.b.add_input(Input { semantic, ..self.system_input(name, system) })
        });
        let lanes = self.system_lanes(id, system, false);
        if let (System::InvocationIndex, Some((value, _))) = (system, lanes[0]) {
            self.invocation.push(value);
        }
        if let Some((value, _)) = lanes.iter().flatten().next() {
            if self.b.shader.value(*value).home.is_none() {
                self.b.set_home(*value, Home { file: SYSTEM, index: declared.index });
            }
        }
        Ok(lanes)
    }

    /// An input of the pipeline, one u32 lane, at the start of the shader.
    pub(super) fn number_of(&mut self, system: System, name: &str) -> Arg {
        let known = self.b.find_input(InputKind::System(system));
        let id = known.unwrap_or_else(|| self.b.add_input(self.system_input(name.into(), system)));
        self.b.input(id)
    }

    /// The invocations of the subgroup on one side of this one, bit by bit, in x and y.
    fn subgroup_mask(&mut self, mask: SubgroupMask) -> Lanes {
        let number = self.number_of(System::SubgroupIndex, "lane");
        let entry = |this: &mut Self, pure: Pure, args: &[Arg]| this.b.entry_op(Op::Pure(pure), args);
        // The bits below a number of at most 64, as two words.
        let below = |this: &mut Self, number: Arg| -> [Arg; 2] {
            let [zero, one, word, two_words, all] = [0, 1, 32, 64, u32::MAX].map(|n| this.b.uint(n));
            let bit = entry(this, Pure::Shl, &[one, number]);
            let bits = entry(this, Pure::Sub, &[bit, one]);
            let low = entry(this, Pure::Lt, &[number, word]);
            let in_two = entry(this, Pure::Lt, &[number, two_words]);
            let high = entry(this, Pure::Select, &[in_two, bits, all]);
            [entry(this, Pure::Select, &[low, bits, all]), entry(this, Pure::Select, &[low, zero, high])]
        };
        let one = self.b.uint(1);
        let next = entry(self, Pure::Add, &[number, one]);
        let (before, through) = (below(self, number), below(self, next));
        let words = match mask {
            SubgroupMask::Less => before,
            SubgroupMask::LessEqual => through,
            SubgroupMask::Equal => core::array::from_fn(|n| entry(self, Pure::Xor, &[before[n], through[n]])),
            SubgroupMask::Greater | SubgroupMask::GreaterEqual => {
                let size = self.number_of(System::SubgroupSize, "lanes");
                let all = below(self, size);
                let without = if mask == SubgroupMask::Greater { through } else { before };
                core::array::from_fn(|n| entry(self, Pure::Xor, &[all[n], without[n]]))
            }
        };
        let [x, y] = words.map(|word| Some((word.value, 0)));
        [x, y, None, None]
    }

    /// All bits set where something holds, in x.
    fn truth(&mut self, cond: Arg) -> Lanes {
        let ones = self.b.uint(u32::MAX);
        let zero = self.zero(Scalar::U32);
        let args = [cond, Arg::lane(ones.value, 0), Arg::lane(zero, 0)];
        let word = self.b.entry_op(Op::Pure(Pure::Select), &args);
        [take_first(word), None, None, None]
    }

    /// What the pipeline gives, in the components of a register. The rest is (0, 0, 0, 1) of inputs, and zero of system
    /// values.
    fn system_lanes(&mut self, id: InputId, system: System, input: bool) -> Lanes {
        let value = self.b.input(id).value;
        let one = |this: &mut Self| take_first(this.b.splat(1.0, 1));
        match system {
            System::FrontFacing if input => {
                let (front, back) = (self.b.splat(1.0, 1), self.b.splat(-1.0, 1));
                let face = self.b.entry_op(Op::Pure(Pure::Select), &[Arg::lane(value, 0), front, back]);
                [take_first(face), None, None, one(self)]
            }
            // Every vertex of a primitive has its number in all components.
            System::PrimitiveIndex if input && self.b.shader.stage.has_vertices() => [Some((value, 0)); 4],
            System::FrontFacing => self.truth(Arg::lane(value, 0)),
            System::FragCoord => self.position(all_lanes(value)),
            System::PointCoord => [Some((value, 0)), Some((value, 1)), None, one(self)],
            _ => {
                let mut lanes = EMPTY;
                for (n, lane) in lanes.iter_mut().enumerate().take(system.ty().lanes.into()) {
                    *lane = Some((value, n as u8));
                }
                lanes
            }
        }
    }

    /// The place of a fragment, by the conventions that the program asks for.
    fn position(&mut self, lanes: Lanes) -> Lanes {
        let [mut x, mut y, z, w] = lanes;
        let lower = self.scan.program.property(PropertyName::FsCoordOrigin) == Some(1);
        let integer = self.scan.program.property(PropertyName::FsCoordPixelCenter) == Some(1);
        let entry = |this: &mut Self, pure: Pure, of: [Lane; 2]| -> Lane {
            let [Some(a), Some(b)] = of else { return None };
            let args = [a, b].map(|(value, lane)| Arg::lane(value, lane));
            take_first(this.b.entry_op(Op::Pure(pure), &args))
        };
        if lower {
            let height = self.b.state("framebuffer-height", &[0.0]);
            y = entry(self, Pure::Sub, [Some((height.value, 0)), y]);
        }
        if integer {
            let half = self.b.splat(0.5, 1);
            x = entry(self, Pure::Sub, [x, Some((half.value, 0))]);
            y = entry(self, Pure::Sub, [y, Some((half.value, 0))]);
        }
        [x, y, z, w]
    }

    // Outputs.

    fn make_output(&mut self, n: usize, declared: &Declared) -> Result<OutputCells> {
        let name = register_name("OUT", declared.index);
        let stage = self.b.shader.stage;
        if stage == Stage::Compute {
            return Err(Refusal::new(NO_MEANING, format!("compute programs have no outputs: {name}")));
        }
        let Some(info) = declared.semantic else {
            return Err(Refusal::new(NO_MEANING, format!("{name} has no semantic")));
        };
        let index = u32::from(info.index);
        let varying = OutputKind::Varying { location: location(info.name, info.index) };
        let fragment = stage == Stage::Fragment;
        // The component that the first lane of the cell is, where it is another one than x.
        let mut first = 0;
        let kind = match info.name {
            Semantic::Position if fragment => {
                first = 2;
                OutputKind::Depth
            }
            Semantic::Stencil if fragment => {
                first = 1;
                OutputKind::Stencil
            }
            Semantic::Samplemask if fragment => OutputKind::SampleMask,
            Semantic::Color if fragment => OutputKind::Color { target: index },
            _ if fragment => {
                let what = semantic_name(declared);
                return Err(Refusal::new(NO_MEANING, format!("fragment programs have no output {what}")));
            }
            Semantic::Patch if stage == Stage::TessControl => {
                OutputKind::PatchVarying { location: location(info.name, info.index) }
            }
            // There is one of each; other numbers are for the next stage.
            _ if index > 0 && info.name != Semantic::Clipdist => varying,
            Semantic::Position => OutputKind::Position,
            Semantic::Psize => OutputKind::PointSize,
            Semantic::Edgeflag => OutputKind::EdgeFlag,
            Semantic::Clipvertex => OutputKind::ClipVertex,
            Semantic::Tessouter if stage == Stage::TessControl => OutputKind::TessOuter,
            Semantic::Tessinner if stage == Stage::TessControl => OutputKind::TessInner,
            Semantic::PrimId if stage == Stage::Geometry => OutputKind::PrimitiveIndex,
            Semantic::Layer => OutputKind::Layer,
            Semantic::ViewportIndex => OutputKind::ViewportIndex,
            Semantic::Clipdist => return self.clip_distances(n, declared, index),
            _ => varying,
        };
        let id = self.cell_of_kind(n, declared, name, kind);
        let mut lanes = core::array::from_fn(|lane| (id, lane as u8));
        lanes.swap(0, first);
        let mut copies = 0;
        let all = self.scan.program.property(PropertyName::FsColor0WritesAllCbufs).unwrap_or(0) != 0;
        if kind == (OutputKind::Color { target: 0 }) && all {
            copies = u32::from(self.options.switches.color_targets).saturating_sub(1);
            for target in 1..=copies {
                let name = format!("{}:{target}", register_name("OUT", declared.index));
                self.cell_of_kind(n, declared, name, OutputKind::Color { target });
            }
        }
        let plain = (first == 0 && copies == 0).then_some(id);
        Ok(OutputCells { lanes, plain, copies })
    }

    /// Distances to clip planes, and behind them those to cull planes.
    fn clip_distances(&mut self, n: usize, declared: &Declared, index: u32) -> Result<OutputCells> {
        let clips = self.scan.program.property(PropertyName::NumClipdistEnabled);
        let culls = self.scan.program.property(PropertyName::NumCulldistEnabled).unwrap_or(0);
        let name = register_name("OUT", declared.index);
        let clips = if culls == 0 { u32::MAX } else { clips.unwrap_or(0) };
        let mut lanes = [(OutputId(0), 0); 4];
        let mut plain = None;
        for (lane, to) in lanes.iter_mut().enumerate() {
            let number = index.saturating_mul(4).saturating_add(lane as u32);
            let (kind, number) = match number.checked_sub(clips) {
                None => (OutputKind::ClipDistance { index: number / 4 }, number),
                Some(number) => (OutputKind::CullDistance { index: number / 4 }, number),
            };
            let id = self.cell_of_kind(n, declared, name.clone(), kind);
            *to = (id, (number % 4) as u8);
            plain = if lane == 0 || plain == Some(id) { Some(id) } else { None };
            if usize::from(to.1) != lane {
                plain = None;
            }
        }
        Ok(OutputCells { lanes, plain, copies: 0 })
    }

    /// The cell of a kind, a new one if there is none.
    fn cell_of_kind(&mut self, n: usize, declared: &Declared, name: String, kind: OutputKind) -> OutputId {
        if let Some(known) = self.b.find_output(kind) {
            return known;
        }
        // Registers whose components go to cells of several kinds.
        let taken = self.b.shader.outputs.iter().any(|output| output.name == name);
        let name = if taken { format!("{name}:{}", kind.name()) } else { name };
        let scalar = self.webs.of_output(n);
        let scalar = match scalar {
            scalar if kind.holds(scalar) => scalar,
            _ if kind.holds(Scalar::F32) => Scalar::F32,
            _ => Scalar::U32,
        };
        let streams = super::vertices::streams(&self.scan, declared);
        self.b.add_output(Output {
            semantic: semantic_name(declared),
            scalar,
            streams,
            ..Output::new(name, kind)
        })
    }

    /// What an output register holds.
    pub(super) fn load_output(&mut self, n: usize, read: WriteMask) -> Read {
        let Some(cells) = self.outputs.get(n).copied() else { return Read { cell: None, lanes: EMPTY } };
        let mut loaded: Option<(OutputId, vecasm_ir::ir::Value)> = None;
        let mut lanes = EMPTY;
        for lane in read.lanes() {
            let Some(&(id, at)) = cells.lanes.get(lane) else { continue };
            let value = match loaded {
                Some((known, value)) if known == id => value,
                _ => {
                    let scalar = self.b.shader.outputs.get(id.index()).map_or(Scalar::F32, |o| o.scalar);
                    let value = self.b.push(Op::LoadOutput(id), &[], Type::new(scalar, 4));
                    loaded = Some((id, value));
                    value
                }
            };
            if let Some(to) = lanes.get_mut(lane) {
                *to = Some((value, at));
            }
        }
        Read { cell: cells.plain.map(Cell::Output), lanes }
    }

    /// Writes components of an output register.
    pub(super) fn store_output(&mut self, n: usize, mask: WriteMask, lanes: &Lanes) {
        let Some(cells) = self.outputs.get(n).copied() else { return };
        let mut left = mask;
        while let Some(lane) = left.lanes().next() {
            let Some(&(id, _)) = cells.lanes.get(lane) else { return };
            // The lanes of this cell, in its order.
            let (mut of_cell, mut bits, mut taken) = (EMPTY, 0u8, 0u8);
            for lane in left.lanes() {
                let Some(&(other, at)) = cells.lanes.get(lane) else { continue };
                if other == id {
                    if let (Some(to), Some(from)) = (of_cell.get_mut(usize::from(at)), lanes.get(lane)) {
                        *to = *from;
                    }
                    bits |= 1 << at;
                    taken |= 1 << lane;
                }
            }
            left = WriteMask::from_bits(left.bits() & !taken);
            let mask = WriteMask::from_bits(bits);
            let scalar = self.b.shader.outputs.get(id.index()).map_or(Scalar::F32, |output| output.scalar);
            let value = self.gather(scalar, pick_masked(&of_cell, mask));
            for output in (id.0..=id.0 + cells.copies).map(OutputId) {
                self.effect(Op::StoreOutput { output, mask }, &[value]);
            }
            self.kit.steps.note_write(Cell::Output(id), mask, &of_cell);
        }
    }
}

/// How a fragment input is interpolated. What is not said is constant.
fn interpolation(declared: &Declared) -> (Interpolation, Location) {
    let Some(info) = declared.interpolation else { return (Interpolation::Flat, Location::Center) };
    let mode = match info.mode {
        names::Interpolation::Linear => Interpolation::Linear,
        names::Interpolation::Perspective => Interpolation::Perspective,
        names::Interpolation::Color => Interpolation::Color,
        _ => Interpolation::Flat,
    };
    let place = match info.location {
        names::Location::Centroid => Location::Centroid,
        names::Location::Sample => Location::Sample,
        _ => Location::Center,
    };
    (mode, place)
}
