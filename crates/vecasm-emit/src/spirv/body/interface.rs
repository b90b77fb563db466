//! What the entry point shares with other stages and the pipeline: inputs and outputs.

use super::super::Spec;
use super::super::module::Id;
use super::super::rules;
use super::super::words::{builtin, capability, decoration, mode, op, storage};
use super::Body;
use crate::host::{interpolation, no_input, no_output};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Input, InputId, InputKind, Inst, Interpolation, Location, Output, OutputKind, Scalar, Site, Stage,
    System, Type, Value,
};

/// An array of cells in a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) variable: Id,
    pub(super) class: u32,
    pub(super) scalar: Scalar,
    pub(super) lanes: u8,
    pub(super) size: u32,
    /// Which member of a block it is, if it is one.
    pub(super) member: Option<u32>,
}

/// What holds an output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    /// Nothing yet: its lanes are known when the shader ends.
    Lanes([Option<(Value, u8)>; 4]),
    /// A variable of four lanes; whether it goes out as it is.
    Variable(Id, bool),
    /// An element of the array at that place of [`Body::runs`].
    Run(usize, u32),
    /// The levels of a patch: an array that goes out, and how many there are.
    Levels(Id, u32),
}

impl<'a> Body<'a> {
    /// Makes the variables that cells and arrays live in.
    pub(super) fn begin(&mut self) {
        let wanted = if self.m.since(6) { self.survey.asks } else { self.survey.late };
        if wanted {
            let bool = self.m.ty(Type::BOOL);
            let no = self.m.constant(Scalar::Bool, &[0]);
            self.demoted = self.m.local(bool, no);
            self.m.name(self.demoted, "demoted");
        }
        let shader = self.shader;
        // Cells that invocations share are no arrays of their own.
        let patch = shader.stage == Stage::TessControl;
        if patch {
            self.invocation();
        }
        for run in self.uses.output_runs.clone() {
            if patch {
                break;
            }
            let Some(first) = shader.outputs.get(run.0 as usize) else { continue };
            let count = run.1.min(shader.outputs.len() as u32 - run.0);
            let array = self.local_array(first.scalar, 4, count, &first.name);
            self.runs.push((run.0, count, array));
        }
        for (n, output) in shader.outputs.iter().enumerate() {
            self.check_output(output);
            let run = self.runs.iter().position(|(first, count, _)| {
                (*first as usize..*first as usize + *count as usize).contains(&n)
            });
            let variable = self.uses.cells.get(n).is_some_and(|cell| cell.variable);
            let shared = self.shared_cell(n, output);
            let cell = match run {
                _ if shared.is_some() => shared.unwrap_or(Cell::Lanes([None; 4])),
                Some(at) => Cell::Run(at, n as u32 - self.runs[at].0),
                None if variable => {
                    let ty = self.ty(output.scalar, 4);
                    let init = self.initial(output);
                    let moved = output.kind == OutputKind::Position && self.options.moves();
                    let geometry = shader.stage == Stage::Geometry;
                    if has_four_lanes(output.kind) && !patch && !(moved && geometry) {
                        let id = self.output_variable(n, output);
                        self.store(id, init);
                        Cell::Variable(id, true)
                    } else {
                        let id = self.m.local(ty, init);
                        self.m.name(id, &output.name);
                        Cell::Variable(id, false)
                    }
                }
                None => Cell::Lanes([None; 4]),
            };
            self.cells.push(cell);
            // Others may have written what is theirs only behind a barrier, so each begins with its own.
            if let (Cell::Variable(place, _), true, false) =
                (cell, shared.is_some(), output.kind.is_of_patch())
            {
                let init = self.initial(output);
                self.store(place, init);
            }
            if let Cell::Run(at, element) = cell {
                if output.init != [0; 4] {
                    let init = self.initial(output);
                    let array = self.runs[at].2;
                    let index = self.m.uint(element);
                    let place = self.element(array, index);
                    self.store(place, init);
                }
            }
        }
        self.begin_patch();
        for (first, count) in self.uses.input_runs.clone() {
            let Some(input) = shader.inputs.get(first as usize) else { continue };
            let count = count.min(shader.inputs.len() as u32 - first);
            let array = self.local_array(input.ty.scalar, input.ty.lanes, count, &input.name);
            for n in 0..count {
                let value = self.input(InputId(first + n));
                let index = self.m.uint(n);
                let place = self.element(array, index);
                self.store(place, value);
            }
            self.input_runs.push(array);
        }
    }

    pub(super) fn initial(&mut self, output: &Output) -> Id {
        self.m.constant(output.scalar, &output.init.map(u64::from))
    }

    /// Refuses an output that Vulkan has not.
    fn check_output(&mut self, output: &Output) {
        let there = match output.kind {
            OutputKind::ClipDistance { index } | OutputKind::CullDistance { index } => index < 2,
            OutputKind::ClipVertex | OutputKind::Fog | OutputKind::EdgeFlag => false,
            // One that writes layers from a vertex shader is an extension before version 1.5.
            _ => true,
        };
        if !there {
            self.refuse(rules::OUTPUT, no_output(output));
        }
    }

    /// The variable that an output of four lanes goes out by.
    pub(super) fn output_variable(&mut self, n: usize, output: &Output) -> Id {
        if let Some(id) = self.outlets.get(n).copied().filter(|id| *id != 0) {
            return id;
        }
        let ty = self.ty(output.scalar, 4);
        let ty = self.outward(ty);
        let id = self.m.variable(storage::OUTPUT, ty);
        if let Some(slot) = self.outlets.get_mut(n) {
            *slot = id;
        }
        self.m.name(id, &output.name);
        match output.kind {
            OutputKind::Varying { location } => {
                self.m.decorate(id, &[decoration::LOCATION, location]);
                if output.scalar != Scalar::F32 && self.shader.stage != Stage::Fragment {
                    self.m.decorate(id, &[decoration::FLAT]);
                }
            }
            OutputKind::Color { target } => self.m.decorate(id, &[decoration::LOCATION, target]),
            OutputKind::SecondColor { target } => {
                self.m.decorate(id, &[decoration::LOCATION, target]);
                self.m.decorate(id, &[decoration::INDEX, 1]);
            }
            _ => self.m.decorate(id, &[decoration::BUILT_IN, builtin::POSITION]),
        }
        self.in_stream(id, output);
        id
    }

    /// Writes what goes out at the end.
    pub(super) fn end(&mut self) {
        self.kill_demoted();
        // A geometry shader has given what it gives.
        if self.shader.stage != Stage::Geometry {
            self.flush();
        }
    }

    /// Writes what cells hold where it goes out.
    pub(super) fn flush(&mut self) {
        let shader = self.shader;
        for (n, output) in shader.outputs.iter().enumerate() {
            let Some(cell) = self.cells.get(n).copied() else { continue };
            if output.kind.is_of_patch() {
                continue;
            }
            if has_four_lanes(output.kind) {
                let last = shader.stage != Stage::TessControl;
                let position = output.kind == OutputKind::Position && self.options.moves() && last;
                let (mut id, mut variable) = (0, 0);
                match cell {
                    Cell::Variable(at, true) if position => {
                        let ty = self.ty(output.scalar, 4);
                        (id, variable) = (self.load(ty, at), at);
                    }
                    Cell::Variable(_, true) => {}
                    _ => {
                        id = self.final_value(output, cell);
                        variable = self.output_variable(n, output);
                        variable = self.outlet(variable, output.scalar, 4, &[]);
                    }
                }
                if id != 0 {
                    if position {
                        id = self.moved(id);
                    }
                    self.store(variable, id);
                }
            } else {
                self.single(n, output, cell);
            }
        }
    }

    /// A position as the environment and the options want it.
    fn moved(&mut self, position: Id) -> Id {
        let (one, four) = (self.m.ty(Type::F32), self.m.ty(Type::F32X4));
        let mut id = position;
        if self.options.flip_y {
            let y = self.extract(Scalar::F32, id, 1);
            let down = self.op(op::F_NEGATE, one, &[y]);
            id = self.op(op::COMPOSITE_INSERT, four, &[down, id, 1]);
        }
        if self.options.widens_z() {
            // From 0..w to -w..w.
            let (z, w) = (self.extract(Scalar::F32, position, 2), self.extract(Scalar::F32, position, 3));
            let twice = self.op(op::F_ADD, one, &[z, z]);
            let z = self.op(op::F_SUB, one, &[twice, w]);
            id = self.op(op::COMPOSITE_INSERT, four, &[z, id, 2]);
        }
        id
    }

    /// What a cell holds at the end, four lanes.
    pub(super) fn final_value(&mut self, output: &Output, cell: Cell) -> Id {
        let ty = self.ty(output.scalar, 4);
        match cell {
            Cell::Variable(id, _) => self.load(ty, id),
            Cell::Levels(id, count) => self.load_levels(id, count),
            Cell::Run(at, element) => {
                let array = self.runs[at].2;
                let index = self.m.uint(element);
                let place = self.element(array, index);
                self.load(ty, place)
            }
            Cell::Lanes(lanes) => {
                if lanes == [None; 4] {
                    return self.literal(output.scalar, &output.init.map(u64::from));
                }
                if lanes.iter().all(Option::is_some) {
                    let (mut parts, n) = Arg::runs(lanes.into_iter().flatten());
                    parts.iter_mut().take(n).for_each(|part| *part = self.resolve(*part));
                    return match self.all_constant(&parts[..n]) {
                        Some((bits, _)) => self.literal(output.scalar, &bits),
                        None => self.gathered(output.scalar, &parts[..n]),
                    };
                }
                let ids = [0, 1, 2, 3].map(|n| match lanes[n] {
                    Some((value, lane)) => self.arg(Arg::lane(value, lane)),
                    None => self.literal(output.scalar, &[u64::from(output.init[n])]),
                });
                self.op(op::COMPOSITE_CONSTRUCT, ty, &ids)
            }
        }
    }

    /// Writes an output that is no variable of four lanes.
    fn single(&mut self, n: usize, output: &Output, cell: Cell) {
        let first = match cell {
            Cell::Lanes(lanes) => match lanes[0] {
                Some((value, lane)) => self.arg(Arg::lane(value, lane)),
                None => self.m.constant(output.scalar, &[u64::from(output.init[0])]),
            },
            _ => {
                let value = self.final_value(output, cell);
                self.extract(output.scalar, value, 0)
            }
        };
        let one = self.ty(output.scalar, 1);
        let (number, array) = match output.kind {
            OutputKind::Depth => {
                self.m.mode(&[mode::DEPTH_REPLACING]);
                (builtin::FRAG_DEPTH, false)
            }
            OutputKind::SampleMask => (builtin::SAMPLE_MASK, true),
            OutputKind::Stencil => {
                self.m.capability(capability::STENCIL_EXPORT);
                self.m.extension("SPV_EXT_shader_stencil_export", None);
                self.m.mode(&[mode::STENCIL_REF_REPLACING]);
                (builtin::FRAG_STENCIL_REF, false)
            }
            OutputKind::PointSize => {
                self.point_size();
                (builtin::POINT_SIZE, false)
            }
            OutputKind::PrimitiveIndex => (builtin::PRIMITIVE_ID, false),
            OutputKind::Layer => {
                self.layered(capability::SHADER_LAYER);
                (builtin::LAYER, false)
            }
            OutputKind::ViewportIndex => {
                self.layered(capability::SHADER_VIEWPORT_INDEX);
                (builtin::VIEWPORT_INDEX, false)
            }
            OutputKind::ClipDistance { index } => return self.distances(output, cell, index, true),
            OutputKind::CullDistance { index } => return self.distances(output, cell, index, false),
            _ => return,
        };
        let mut id = self.outlets.get(n).copied().unwrap_or(0);
        if id == 0 {
            let ty = if array { self.m.array(one, 1) } else { one };
            let ty = self.outward(ty);
            id = self.m.variable(storage::OUTPUT, ty);
            self.m.name(id, &output.name);
            self.m.decorate(id, &[decoration::BUILT_IN, number]);
            self.in_stream(id, output);
            if let Some(slot) = self.outlets.get_mut(n) {
                *slot = id;
            }
        }
        let inner = if array { vec![self.m.uint(0)] } else { Vec::new() };
        let place = self.outlet(id, output.scalar, 1, &inner);
        self.store(place, first);
    }

    /// Asks for the layer or the viewport, which geometry shaders choose anyway.
    fn layered(&mut self, wanted: u32) {
        if self.shader.stage == Stage::Geometry {
            if wanted == capability::SHADER_VIEWPORT_INDEX {
                self.m.capability(capability::MULTI_VIEWPORT);
            }
        } else if self.m.since(5) {
            self.m.capability(wanted);
        } else {
            self.m.capability(capability::SHADER_VIEWPORT_INDEX_LAYER);
            self.m.extension("SPV_EXT_shader_viewport_index_layer", None);
        }
    }

    /// Four distances of all that there are.
    fn distances(&mut self, output: &Output, cell: Cell, index: u32, clip: bool) {
        let number = if clip { builtin::CLIP_DISTANCE } else { builtin::CULL_DISTANCE };
        self.m.capability(if clip { capability::CLIP_DISTANCE } else { capability::CULL_DISTANCE });
        let most = self.shader.outputs.iter().filter_map(|output| match output.kind {
            OutputKind::ClipDistance { index } if clip => Some(index),
            OutputKind::CullDistance { index } if !clip => Some(index),
            _ => None,
        });
        let count = most.max().unwrap_or(0).min(1) * 4 + 4;
        let one = self.m.ty(Type::F32);
        let variable = match self.builtins.iter().find(|(of, _)| *of == number) {
            Some((_, id)) => *id,
            None => {
                let ty = self.m.array(one, count);
                let ty = self.outward(ty);
                let id = self.m.variable(storage::OUTPUT, ty);
                self.m.decorate(id, &[decoration::BUILT_IN, number]);
                self.in_stream(id, output);
                self.builtins.push((number, id));
                id
            }
        };
        let value = self.final_value(output, cell);
        for lane in 0..4 {
            let place = self.m.uint(index.saturating_mul(4).saturating_add(lane));
            let at = self.outlet(variable, Scalar::F32, 1, &[place]);
            let lane = self.extract(Scalar::F32, value, lane);
            self.store(at, lane);
        }
    }

    // Inputs

    /// The present value of an input, as the IR has it.
    pub(super) fn input(&mut self, id: InputId) -> Id {
        let Some(input) = self.shader.inputs.get(id.index()) else { return 0 };
        let ty = self.m.ty(input.ty);
        if input.kind == InputKind::System(System::VertexIndexNoBase) {
            let (all, base) = (
                self.builtin(self.vertex_index(), Type::U32, storage::INPUT),
                self.draw_parameter(builtin::BASE_VERTEX, Type::U32),
            );
            let (all, base) = (self.load(ty, all), self.load(ty, base));
            return self.op(op::I_SUB, ty, &[all, base]);
        }
        match input.kind {
            InputKind::System(System::GroupSize) => return self.workgroup_size(),
            InputKind::System(System::GridAxes) => return self.grid_axes(),
            InputKind::System(System::VerticesIn) => return self.vertices_in(),
            InputKind::System(system @ (System::TessOuter | System::TessInner)) => {
                return self.levels_in(system);
            }
            InputKind::System(System::InvocationIndex) => return self.invocation(),
            _ => {}
        }
        let variable = self.input_variable(id);
        if input.kind == InputKind::System(System::SampleMask) {
            let (pointer, zero) = (self.m.pointer(storage::INPUT, ty), self.m.uint(0));
            let place = self.op(op::ACCESS_CHAIN, pointer, &[variable, zero]);
            return self.load(ty, place);
        }
        let read = self.load(ty, variable);
        // The window of OpenGL has y upwards.
        if input.kind == InputKind::System(System::SamplePosition) && self.options.environment.is_gl() {
            let one = u64::from(1f32.to_bits());
            let turn = self.m.constant(Scalar::F32, &[one, u64::from((-1f32).to_bits())]);
            let top = self.m.constant(Scalar::F32, &[0, one]);
            let turned = self.op(op::F_MUL, ty, &[read, turn]);
            return self.op(op::F_ADD, ty, &[turned, top]);
        }
        read
    }

    /// The size of a workgroup: a constant, in which the pipeline chooses the axes that are left open.
    pub(super) fn workgroup_size(&mut self) -> Id {
        if self.workgroup == 0 {
            let size = self.shader.setup.workgroup;
            if size.contains(&0) {
                let mut lanes = Vec::with_capacity(3);
                for (axis, length) in size.into_iter().enumerate() {
                    lanes.push(match length {
                        0 => {
                            let (number, scalar) = (axis as u32, Scalar::U32);
                            self.specs.push(Spec {
                                number,
                                name: "workgroup".into(),
                                lane: number,
                                scalar,
                                default: 1,
                            });
                            self.m.spec(scalar, 1, number)
                        }
                        length => self.m.uint(length),
                    });
                }
                let id = self.m.spec_vector(Scalar::U32, &lanes);
                self.m.decorate(id, &[decoration::BUILT_IN, builtin::WORKGROUP_SIZE]);
                self.workgroup = id;
            } else {
                self.workgroup = self.m.constant(Scalar::U32, &size.map(u64::from));
            }
        }
        self.workgroup
    }

    /// The number of axes of the grid.
    fn grid_axes(&mut self) -> Id {
        let (uint, bool, three) = (self.m.ty(Type::U32), self.m.ty(Type::BOOL), Type::new(Scalar::U32, 3));
        let of = self.m.ty(three);
        let grid = self.builtin(builtin::NUM_WORKGROUPS, three, storage::INPUT);
        let grid = self.load(of, grid);
        let mut axes = self.m.uint(1);
        for axis in [1, 2] {
            let length = self.extract(Scalar::U32, grid, axis);
            let (one, number) = (self.m.uint(1), self.m.uint(axis + 1));
            let more = self.op(op::U_GREATER_THAN, bool, &[length, one]);
            axes = self.op(op::SELECT, uint, &[more, number, axes]);
        }
        axes
    }

    /// The built-in for the number of the vertex.
    const fn vertex_index(&self) -> u32 {
        if self.options.environment.is_gl() { builtin::VERTEX_ID } else { builtin::VERTEX_INDEX }
    }

    fn draw_parameter(&mut self, number: u32, ty: Type) -> Id {
        self.m.capability(capability::DRAW_PARAMETERS);
        self.m.extension("SPV_KHR_shader_draw_parameters", Some(3));
        self.builtin(number, ty, storage::INPUT)
    }

    /// The variable of an input.
    fn input_variable(&mut self, id: InputId) -> Id {
        if let Some(Some(id)) = self.inputs.get(id.index()) {
            return *id;
        }
        let Some(input) = self.shader.inputs.get(id.index()) else { return 0 };
        let fragment = self.shader.stage == Stage::Fragment;
        let number = match input.kind {
            InputKind::Attribute { location } | InputKind::Varying { location } => {
                let ty = self.m.ty(input.ty);
                let variable = self.m.variable(storage::INPUT, ty);
                self.m.decorate(variable, &[decoration::LOCATION, location]);
                if fragment {
                    self.interpolation(variable, input);
                }
                Some(variable)
            }
            InputKind::System(system) => self.system(system, input.ty),
            InputKind::PatchVarying { location } => {
                let ty = self.m.ty(input.ty);
                let variable = self.m.variable(storage::INPUT, ty);
                self.m.decorate(variable, &[decoration::LOCATION, location]);
                self.m.decorate(variable, &[decoration::PATCH]);
                Some(variable)
            }
        };
        let variable = number.unwrap_or_else(|| {
            self.refuse(rules::INPUT, no_input(input));
            0
        });
        self.m.name(variable, &input.name);
        if let Some(slot) = self.inputs.get_mut(id.index()) {
            *slot = Some(variable);
        }
        variable
    }

    fn interpolation(&mut self, id: Id, input: &Input) {
        match interpolation(input, self.options.flat_colors) {
            Interpolation::Flat => return self.m.decorate(id, &[decoration::FLAT]),
            Interpolation::Linear => self.m.decorate(id, &[decoration::NO_PERSPECTIVE]),
            Interpolation::Perspective | Interpolation::Color => {}
        }
        match input.location {
            Location::Center => {}
            Location::Centroid => self.m.decorate(id, &[decoration::CENTROID]),
            Location::Sample => {
                self.m.capability(capability::SAMPLE_RATE_SHADING);
                self.m.decorate(id, &[decoration::SAMPLE]);
            }
        }
    }

    /// The variable of a system value.
    fn system(&mut self, system: System, ty: Type) -> Option<Id> {
        let number = match system {
            System::VertexIndex => self.vertex_index(),
            System::InstanceIndex if self.options.environment.is_gl() => builtin::INSTANCE_ID,
            System::InstanceIndex => builtin::INSTANCE_INDEX,
            System::BaseVertex => return Some(self.draw_parameter(builtin::BASE_VERTEX, ty)),
            System::BaseInstance => return Some(self.draw_parameter(builtin::BASE_INSTANCE, ty)),
            System::DrawIndex => return Some(self.draw_parameter(builtin::DRAW_INDEX, ty)),
            System::FragCoord => builtin::FRAG_COORD,
            System::FrontFacing => builtin::FRONT_FACING,
            System::PointCoord => builtin::POINT_COORD,
            System::SampleIndex => {
                self.m.capability(capability::SAMPLE_RATE_SHADING);
                builtin::SAMPLE_ID
            }
            System::SamplePosition => {
                self.m.capability(capability::SAMPLE_RATE_SHADING);
                builtin::SAMPLE_POSITION
            }
            System::TessCoord => builtin::TESS_COORD,
            System::PrimitiveIndex => {
                if self.shader.stage == Stage::Fragment {
                    self.m.capability(capability::GEOMETRY);
                }
                builtin::PRIMITIVE_ID
            }
            System::Layer => {
                self.m.capability(capability::GEOMETRY);
                builtin::LAYER
            }
            System::ViewportIndex => {
                self.m.capability(capability::MULTI_VIEWPORT);
                builtin::VIEWPORT_INDEX
            }
            System::LocalIndex => builtin::LOCAL_INVOCATION_ID,
            System::GroupIndex => builtin::WORKGROUP_ID,
            System::GridSize => builtin::NUM_WORKGROUPS,
            System::SubgroupSize | System::SubgroupIndex => {
                if !self.has_subgroups(system.name()) {
                    return Some(0);
                }
                if system == System::SubgroupSize {
                    builtin::SUBGROUP_SIZE
                } else {
                    builtin::SUBGROUP_LOCAL_INVOCATION_ID
                }
            }
            System::SampleMask => {
                let one = self.m.ty(ty);
                let array = self.m.array(one, 1);
                let id = self.m.variable(storage::INPUT, array);
                self.m.decorate(id, &[decoration::BUILT_IN, builtin::SAMPLE_MASK]);
                self.m.decorate(id, &[decoration::FLAT]);
                return Some(id);
            }
            _ => return None,
        };
        let id = self.builtin(number, ty, storage::INPUT);
        if self.shader.stage == Stage::Fragment && matches!(ty.scalar, Scalar::I32 | Scalar::U32) {
            self.m.decorate(id, &[decoration::FLAT]);
        }
        Some(id)
    }

    /// A varying at another point of the pixel.
    pub(super) fn interpolate(&mut self, inst: &Inst, input: InputId, site: Site, args: &[Arg]) -> Id {
        use super::super::words::glsl;
        let ty = inst.result.map_or(Type::F32X4, |result| self.type_of(result));
        let ty = self.m.ty(ty);
        let variable = self.input_variable(input);
        self.m.capability(capability::INTERPOLATION_FUNCTION);
        match site {
            Site::Center => {
                let middle = self.m.splat(Type::new(Scalar::F32, 2), 0);
                self.glsl(glsl::INTERPOLATE_AT_OFFSET, ty, &[variable, middle])
            }
            Site::Centroid => self.glsl(glsl::INTERPOLATE_AT_CENTROID, ty, &[variable]),
            Site::Sample | Site::Offset => {
                let number = if site == Site::Sample {
                    glsl::INTERPOLATE_AT_SAMPLE
                } else {
                    glsl::INTERPOLATE_AT_OFFSET
                };
                let mut place = args.first().map_or(0, |arg| self.arg(*arg));
                // The window of OpenGL has y upwards.
                if site == Site::Offset && self.options.environment.is_gl() {
                    let pair = self.ty(Scalar::F32, 2);
                    let (one, minus) = (u64::from(1f32.to_bits()), u64::from((-1f32).to_bits()));
                    let down = self.m.constant(Scalar::F32, &[one, minus]);
                    place = self.op(op::F_MUL, pair, &[place, down]);
                }
                self.glsl(number, ty, &[variable, place])
            }
        }
    }

    pub(super) fn local_array(&mut self, scalar: Scalar, lanes: u8, size: u32, name: &str) -> Array {
        let of = self.ty(scalar, lanes);
        let ty = self.m.array(of, size);
        let zero = self.m.null(ty);
        let variable = self.m.local(ty, zero);
        self.m.name(variable, name);
        Array { variable, class: storage::FUNCTION, scalar, lanes, size: size.max(1), member: None }
    }

    /// A local array of the shader.
    pub(super) fn local(&mut self, n: usize) -> Option<Array> {
        if let Some(Some(array)) = self.locals.get(n) {
            return Some(*array);
        }
        let of = self.shader.locals.get(n)?;
        let array = self.local_array(of.scalar, 4, of.size, &of.name);
        if let Some(slot) = self.locals.get_mut(n) {
            *slot = Some(array);
        }
        Some(array)
    }

    /// The pointer to an element.
    pub(super) fn element(&mut self, array: Array, index: Id) -> Id {
        let of = self.ty(array.scalar, array.lanes);
        let pointer = self.m.pointer(array.class, of);
        if let Some(member) = array.member {
            let first = self.m.int(member as i32);
            self.op(op::ACCESS_CHAIN, pointer, &[array.variable, first, index])
        } else {
            self.op(op::ACCESS_CHAIN, pointer, &[array.variable, index])
        }
    }
}

/// Whether an output goes out with four lanes.
pub(super) const fn has_four_lanes(kind: OutputKind) -> bool {
    matches!(
        kind,
        OutputKind::Position
            | OutputKind::Varying { .. }
            | OutputKind::Color { .. }
            | OutputKind::SecondColor { .. }
    )
}
