//! What only the stages between vertices and fragments have: several vertices that come in, cells that invocations
//! share, vertices that are given one by one.

use super::super::module::Id;
use super::super::rules;
use super::super::words::{builtin, capability, decoration, mode, op, scope, semantics, storage};
use super::Body;
use super::interface::{Cell, has_four_lanes};
use crate::emits::EmittedVertices;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, At, InputId, InputKind, OutOfRange, Output, OutputId, OutputKind, Primitive, Scalar, Spacing, Stage,
    System, Type,
};
use vecasm_ir::operand::WriteMask;

/// The most vertices of a patch in Vulkan; arrays of what comes in for each of them are so long.
const PATCH: u32 = 32;

/// Where the values of an input per vertex come from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// All lanes at once.
    Whole,
    /// The only lane; the others are zero.
    Lane,
    /// Four of an array, from this one on.
    Four(u32),
}

impl<'a> Body<'a> {
    /// Declares the stage. Gives its number as execution model.
    pub(super) fn stage(&mut self) -> u32 {
        let setup = &self.shader.setup;
        if self.options.float_controls {
            self.float_controls();
        }
        match self.shader.stage {
            Stage::Vertex => 0,
            Stage::TessControl => {
                self.m.capability(capability::TESSELLATION);
                self.m.mode(&[mode::OUTPUT_VERTICES, setup.invocations.max(1)]);
                1
            }
            Stage::TessEval => {
                self.m.capability(capability::TESSELLATION);
                let domain = match setup.primitive_in {
                    Primitive::Quads => mode::QUADS,
                    Primitive::Lines => mode::ISOLINES,
                    _ => mode::TRIANGLES,
                };
                self.m.mode(&[domain]);
                self.m.mode(&[match setup.spacing {
                    Spacing::Equal => mode::SPACING_EQUAL,
                    Spacing::FractionalOdd => mode::SPACING_FRACTIONAL_ODD,
                    Spacing::FractionalEven => mode::SPACING_FRACTIONAL_EVEN,
                }]);
                self.m.mode(&[if setup.clockwise { mode::VERTEX_ORDER_CW } else { mode::VERTEX_ORDER_CCW }]);
                if setup.points {
                    self.m.mode(&[mode::POINT_MODE]);
                }
                2
            }
            Stage::Geometry => {
                self.geometry();
                3
            }
            Stage::Fragment => {
                self.m.mode(&[mode::ORIGIN_UPPER_LEFT]);
                if setup.early_tests {
                    self.m.mode(&[mode::EARLY_FRAGMENT_TESTS]);
                }
                4
            }
            Stage::Compute => {
                let [x, y, z] = setup.workgroup;
                if [x, y, z].contains(&0) {
                    self.workgroup_size();
                } else {
                    self.m.mode(&[mode::LOCAL_SIZE, x, y, z]);
                }
                5
            }
        }
    }

    /// How floats of the widths that there are compute.
    fn float_controls(&mut self) {
        self.m.extension("SPV_KHR_float_controls", Some(4));
        let wide = self.shader.values.iter().any(|value| value.ty.scalar == Scalar::F64);
        for (capability, mode) in [
            (capability::DENORM_PRESERVE, mode::DENORM_PRESERVE),
            (capability::SIGNED_ZERO_INF_NAN_PRESERVE, mode::SIGNED_ZERO_INF_NAN_PRESERVE),
            (capability::ROUNDING_MODE_RTE, mode::ROUNDING_MODE_RTE),
        ] {
            self.m.capability(capability);
            self.m.mode(&[mode, 32]);
            if wide {
                self.m.mode(&[mode, 64]);
            }
        }
    }

    fn geometry(&mut self) {
        self.m.capability(capability::GEOMETRY);
        let setup = &self.shader.setup;
        let comes = match setup.primitive_in {
            Primitive::Points => mode::INPUT_POINTS,
            Primitive::Lines => mode::INPUT_LINES,
            Primitive::LinesAdjacency => mode::INPUT_LINES_ADJACENCY,
            Primitive::TrianglesAdjacency => mode::INPUT_TRIANGLES_ADJACENCY,
            Primitive::Patches => {
                self.refuse(rules::STAGE, "the geometry shader takes patches".into());
                0
            }
            _ => mode::TRIANGLES,
        };
        let goes = match setup.primitive_out {
            Primitive::Points => mode::OUTPUT_POINTS,
            Primitive::LineStrip => mode::OUTPUT_LINE_STRIP,
            _ => mode::OUTPUT_TRIANGLE_STRIP,
        };
        if setup.one_sequence {
            self.refuse(rules::STAGE, "the vertices of all streams are in one sequence".into());
        }
        if setup.primitive_limit {
            self.refuse(rules::STAGE, "the number of vertices is limited for each primitive".into());
        }
        self.m.mode(&[comes]);
        self.m.mode(&[mode::INVOCATIONS, setup.invocations.max(1)]);
        self.m.mode(&[goes]);
        self.m.mode(&[mode::OUTPUT_VERTICES, setup.max_vertices.max(1)]);
        self.emits = EmittedVertices::of(&self.shader.body);
        if self.emits.most > 0 {
            self.m.capability(capability::GEOMETRY_STREAMS);
        }
        if self.emits.may_exceed(setup.max_vertices) {
            let (uint, none) = (self.m.ty(Type::U32), self.m.uint(0));
            self.given = self.m.local(uint, none);
            self.m.name(self.given, "given");
        }
    }

    // What comes in for each vertex

    /// The number of vertices that come in.
    pub(super) fn vertices_in(&mut self) -> Id {
        match self.shader.setup.vertices_in {
            0 => {
                let uint = self.m.ty(Type::U32);
                let id = self.builtin(builtin::PATCH_VERTICES, Type::U32, storage::INPUT);
                self.load(uint, id)
            }
            n => self.m.uint(n),
        }
    }

    /// A vertex that is there: its number, or 0; and whether it was the one asked for.
    fn vertex(&mut self, arg: Arg, count: Option<u32>) -> (Id, Option<Id>) {
        if let (Some(bits), Some(count)) = (self.number(arg), count) {
            let inside = (bits as u32) < count;
            let bool = (!inside).then(|| self.m.constant(Scalar::Bool, &[0]));
            return (self.m.uint(if inside { bits as u32 } else { 0 }), bool);
        }
        let (bool, uint) = (self.m.ty(Type::BOOL), self.m.ty(Type::U32));
        let number = self.lane(arg, 0);
        let number = self.op(op::BITCAST, uint, &[number]);
        let count = match count {
            Some(count) => self.m.uint(count),
            None => self.vertices_in(),
        };
        let none = self.m.uint(0);
        let inside = self.op(op::U_LESS_THAN, bool, &[number, count]);
        (self.op(op::SELECT, uint, &[inside, number, none]), Some(inside))
    }

    /// The varying of a vertex.
    pub(super) fn input_of(&mut self, first: InputId, at: Option<At>, args: &[Arg]) -> Id {
        let Some(ty) = self.shader.inputs.get(first.index()).map(|input| input.ty) else { return 0 };
        let Some(vertex) = args.first().copied() else { return 0 };
        let count = Some(self.shader.setup.vertices_in).filter(|count| *count > 0);
        let (vertex, inside) = self.vertex(vertex, count);
        let value = match (at, args.get(1).copied()) {
            (Some(at), Some(index)) => {
                let count = at.count.min(self.shader.inputs.len() as u32 - first.0);
                let values: Vec<Id> =
                    (0..count).map(|n| self.input_of_vertex(InputId(first.0 + n), vertex)).collect();
                self.one_of(&values, ty, index, at)
            }
            _ => self.input_of_vertex(first, vertex),
        };
        match inside {
            None => value,
            Some(inside) => {
                let zero = self.m.splat(ty, 0);
                self.select(ty, inside, value, zero)
            }
        }
    }

    /// One of some values, by a computed index.
    fn one_of(&mut self, values: &[Id], ty: Type, index: Arg, at: At) -> Id {
        let bool = self.m.ty(Type::BOOL);
        let mut id = match (at.rule, values) {
            (OutOfRange::Clamp, [first, ..]) => *first,
            _ => self.m.splat(ty, 0),
        };
        let index = self.lane(index, 0);
        for (n, value) in values.iter().enumerate() {
            // The sum of index and offset does not wrap; the difference on this side can only miss.
            let wanted = i64::from(n as u32) - i64::from(at.offset);
            let Ok(wanted) = i32::try_from(wanted) else { continue };
            let number = self.m.int(wanted);
            let last = at.rule == OutOfRange::Clamp && n + 1 == values.len();
            let code = if last { op::S_GREATER_THAN_EQUAL } else { op::I_EQUAL };
            let chosen = self.op(code, bool, &[index, number]);
            id = self.select(ty, chosen, *value, id);
        }
        id
    }

    fn input_of_vertex(&mut self, id: InputId, vertex: Id) -> Id {
        let Some(input) = self.shader.inputs.get(id.index()) else { return 0 };
        let ty = input.ty;
        let (variable, source) = self.vertex_variable(id);
        let one = self.m.ty(Type::F32);
        match source {
            Source::Whole => {
                let of = self.m.ty(ty);
                let pointer = self.m.pointer(storage::INPUT, of);
                let place = self.op(op::ACCESS_CHAIN, pointer, &[variable, vertex]);
                self.load(of, place)
            }
            Source::Lane => {
                let pointer = self.m.pointer(storage::INPUT, one);
                let place = self.op(op::ACCESS_CHAIN, pointer, &[variable, vertex]);
                let lane = self.load(one, place);
                let zero = self.float(1, 0.0);
                self.vector(ty, &[lane, zero, zero, zero])
            }
            Source::Four(first) => {
                let pointer = self.m.pointer(storage::INPUT, one);
                let mut lanes = Vec::with_capacity(4);
                for n in first..first + u32::from(ty.lanes) {
                    let n = self.m.uint(n);
                    let place = self.op(op::ACCESS_CHAIN, pointer, &[variable, vertex, n]);
                    lanes.push(self.load(one, place));
                }
                self.vector(ty, &lanes)
            }
        }
    }

    /// The first of some lanes, as many as the type has.
    fn vector(&mut self, ty: Type, lanes: &[Id]) -> Id {
        match lanes {
            [only, ..] if ty.lanes == 1 => *only,
            lanes => {
                let of = self.m.ty(ty);
                self.op(op::COMPOSITE_CONSTRUCT, of, &lanes[..lanes.len().min(usize::from(ty.lanes))])
            }
        }
    }

    /// The array of an input, a varying. What the stage before gave to the rasterizer is known by its meaning.
    fn vertex_variable(&mut self, id: InputId) -> (Id, Source) {
        let Some(input) = self.shader.inputs.get(id.index()) else { return (0, Source::Whole) };
        let meaning = input.semantic.to_ascii_lowercase();
        let float = input.ty.scalar == Scalar::F32;
        let (number, source) = match meaning.as_str() {
            "position" if float && input.ty.lanes == 4 => (Some(builtin::POSITION), Source::Whole),
            "psize" if float => (Some(builtin::POINT_SIZE), Source::Lane),
            "clipdist" if float => (Some(builtin::CLIP_DISTANCE), Source::Four(0)),
            "clipdist[1]" if float => (Some(builtin::CLIP_DISTANCE), Source::Four(4)),
            _ => (None, Source::Whole),
        };
        if let Some(Some(variable)) = self.inputs.get(id.index()) {
            return (*variable, source);
        }
        let size = match self.shader.stage {
            Stage::Geometry => self.shader.setup.vertices_in.max(1),
            _ => PATCH,
        };
        let known = number.and_then(|n| self.vertex_builtins.iter().find(|(of, _)| *of == n)).copied();
        let variable = match (known, number) {
            (Some((_, variable)), _) => variable,
            (None, Some(number)) => {
                let one = self.m.ty(Type::F32);
                let of = match source {
                    Source::Whole => self.m.ty(input.ty),
                    Source::Lane => {
                        self.point_size();
                        one
                    }
                    Source::Four(_) => {
                        self.m.capability(capability::CLIP_DISTANCE);
                        self.m.array(one, 8)
                    }
                };
                let ty = self.m.array(of, size);
                let variable = self.m.variable(storage::INPUT, ty);
                self.m.decorate(variable, &[decoration::BUILT_IN, number]);
                self.vertex_builtins.push((number, variable));
                variable
            }
            (None, None) => {
                let of = self.m.ty(input.ty);
                let ty = self.m.array(of, size);
                let variable = self.m.variable(storage::INPUT, ty);
                if let InputKind::Varying { location } = input.kind {
                    self.m.decorate(variable, &[decoration::LOCATION, location]);
                }
                variable
            }
        };
        self.m.name(variable, &input.name);
        if let Some(slot) = self.inputs.get_mut(id.index()) {
            *slot = Some(variable);
        }
        (variable, source)
    }

    /// Asks for the size of points in a stage that need not have it.
    pub(super) fn point_size(&mut self) {
        match self.shader.stage {
            Stage::Geometry => self.m.capability(capability::GEOMETRY_POINT_SIZE),
            Stage::TessControl | Stage::TessEval => {
                self.m.capability(capability::TESSELLATION_POINT_SIZE);
            }
            _ => {}
        }
    }

    /// The levels of the patch, which come in.
    pub(super) fn levels_in(&mut self, system: System) -> Id {
        let (number, count, lanes) = match system {
            System::TessOuter => (builtin::TESS_LEVEL_OUTER, 4, 4),
            _ => (builtin::TESS_LEVEL_INNER, 2, 2),
        };
        let variable = self.levels(number, count, storage::INPUT);
        let one = self.m.ty(Type::F32);
        let pointer = self.m.pointer(storage::INPUT, one);
        let mut ids = Vec::with_capacity(4);
        for n in 0..lanes {
            let n = self.m.uint(n);
            let place = self.op(op::ACCESS_CHAIN, pointer, &[variable, n]);
            ids.push(self.load(one, place));
        }
        self.vector(Type::new(Scalar::F32, lanes as u8), &ids)
    }

    /// The array of the levels of a patch.
    fn levels(&mut self, number: u32, count: u32, class: u32) -> Id {
        if let Some((_, id)) = self.builtins.iter().find(|(of, _)| *of == number) {
            return *id;
        }
        let one = self.m.ty(Type::F32);
        let ty = self.m.array(one, count);
        let id = self.m.variable(class, ty);
        self.m.decorate(id, &[decoration::BUILT_IN, number]);
        self.m.decorate(id, &[decoration::PATCH]);
        self.builtins.push((number, id));
        id
    }

    // Cells that invocations of a patch share

    /// The number of the invocation in its patch.
    pub(super) fn invocation(&mut self) -> Id {
        if self.invocation != 0 {
            return self.invocation;
        }
        let uint = self.m.ty(Type::U32);
        let id = self.builtin(builtin::INVOCATION_ID, Type::U32, storage::INPUT);
        let id = self.load(uint, id);
        // In front of everything it is for all that comes.
        if self.shader.stage == Stage::TessControl {
            self.invocation = id;
        }
        id
    }

    /// The cell of an output that other invocations of the patch see, so that it lives where it goes out.
    pub(super) fn shared_cell(&mut self, n: usize, output: &Output) -> Option<Cell> {
        if self.shader.stage != Stage::TessControl {
            return None;
        }
        let read = self.uses.cells.get(n).is_some_and(|cell| cell.read_by_others);
        match output.kind {
            OutputKind::TessOuter => {
                Some(Cell::Levels(self.levels(builtin::TESS_LEVEL_OUTER, 4, storage::OUTPUT), 4))
            }
            OutputKind::TessInner => {
                Some(Cell::Levels(self.levels(builtin::TESS_LEVEL_INNER, 2, storage::OUTPUT), 2))
            }
            OutputKind::PatchVarying { location } => {
                let ty = self.ty(output.scalar, 4);
                let id = self.m.variable(storage::OUTPUT, ty);
                self.m.decorate(id, &[decoration::LOCATION, location]);
                self.m.decorate(id, &[decoration::PATCH]);
                self.m.name(id, &output.name);
                Some(Cell::Variable(id, true))
            }
            _ if read && has_four_lanes(output.kind) => {
                let variable = self.output_variable(n, output);
                let place = self.outlet(variable, output.scalar, 4, &[]);
                Some(Cell::Variable(place, true))
            }
            _ if read => {
                let (name, kind) = (&output.name, output.kind.name());
                let what = format!("{name}, which is {kind}, is read from another vertex");
                self.refuse(rules::OUTPUT, what);
                None
            }
            _ => None,
        }
    }

    /// Gives the cells of the patch their first values, unless all of them are written anyway.
    pub(super) fn begin_patch(&mut self) {
        if self.shader.stage != Stage::TessControl {
            return;
        }
        let shader = self.shader;
        let open: Vec<usize> = (0..shader.outputs.len())
            .filter(|n| {
                shader.outputs[*n].kind.is_of_patch() && !self.uses.cells.get(*n).is_some_and(|c| c.covered)
            })
            .collect();
        if open.is_empty() {
            return;
        }
        let fill = |this: &mut Self| {
            for n in open {
                let Some(output) = shader.outputs.get(n) else { continue };
                match this.cells.get(n).copied() {
                    Some(Cell::Variable(id, _)) => {
                        let init = this.initial(output);
                        this.store(id, init);
                    }
                    Some(Cell::Levels(id, count)) => {
                        for (lane, bits) in output.init.iter().take(count as usize).enumerate() {
                            let value = this.literal(Scalar::F32, &[u64::from(*bits)]);
                            this.store_level(id, lane as u32, value);
                        }
                    }
                    _ => {}
                }
            }
            0
        };
        if shader.setup.invocations <= 1 {
            fill(self);
            return;
        }
        let bool = self.m.ty(Type::BOOL);
        let (number, none) = (self.invocation(), self.m.uint(0));
        let first = self.op(op::I_EQUAL, bool, &[number, none]);
        self.only_if(first, 0, 0, fill);
        self.meet_patch();
    }

    /// The invocations of the patch meet.
    pub(super) fn meet_patch(&mut self) {
        let (group, one, none) =
            (self.m.uint(scope::WORKGROUP), self.m.uint(scope::INVOCATION), self.m.uint(semantics::RELAXED));
        self.effect(op::CONTROL_BARRIER, &[group, one, none]);
    }

    pub(super) fn store_level(&mut self, levels: Id, lane: u32, value: Id) {
        let one = self.m.ty(Type::F32);
        let (pointer, lane) = (self.m.pointer(storage::OUTPUT, one), self.m.uint(lane));
        let place = self.op(op::ACCESS_CHAIN, pointer, &[levels, lane]);
        self.store(place, value);
    }

    /// The levels that a patch has now, four lanes.
    pub(super) fn load_levels(&mut self, levels: Id, count: u32) -> Id {
        let one = self.m.ty(Type::F32);
        let pointer = self.m.pointer(storage::OUTPUT, one);
        let mut ids = Vec::with_capacity(4);
        for n in 0..4 {
            if n >= count {
                ids.push(self.float(1, 0.0));
                continue;
            }
            let n = self.m.uint(n);
            let place = self.op(op::ACCESS_CHAIN, pointer, &[levels, n]);
            ids.push(self.load(one, place));
        }
        self.vector(Type::F32X4, &ids)
    }

    /// Where a value goes out: for the vertex of this invocation, if the stage gives one for each.
    pub(super) fn outlet(&mut self, variable: Id, scalar: Scalar, lanes: u8, inner: &[Id]) -> Id {
        let patch = self.shader.stage == Stage::TessControl;
        if !patch && inner.is_empty() {
            return variable;
        }
        let mut words = Vec::with_capacity(3);
        words.push(variable);
        if patch {
            words.push(self.invocation());
        }
        words.extend_from_slice(inner);
        let of = self.ty(scalar, lanes);
        let pointer = self.m.pointer(storage::OUTPUT, of);
        self.op(op::ACCESS_CHAIN, pointer, &words)
    }

    /// The type of a variable that goes out.
    pub(super) fn outward(&mut self, of: Id) -> Id {
        match self.shader.stage {
            Stage::TessControl => self.m.array(of, self.shader.setup.invocations.max(1)),
            _ => of,
        }
    }

    /// The cell of another vertex of the patch.
    pub(super) fn output_of(&mut self, first: OutputId, at: Option<At>, args: &[Arg]) -> Id {
        let Some(scalar) = self.shader.outputs.get(first.index()).map(|output| output.scalar) else {
            return 0;
        };
        let Some(vertex) = args.first().copied() else { return 0 };
        let (vertex, inside) = self.vertex(vertex, Some(self.shader.setup.invocations.max(1)));
        let ty = Type::new(scalar, 4);
        let of = self.m.ty(ty);
        let pointer = self.m.pointer(storage::OUTPUT, of);
        let count = at.map_or(1, |at| at.count).min(self.shader.outputs.len() as u32 - first.0);
        let mut values = Vec::new();
        for n in 0..count as usize {
            let Some(output) = self.shader.outputs.get(first.index() + n) else { continue };
            let variable = self.output_variable(first.index() + n, output);
            let place = self.op(op::ACCESS_CHAIN, pointer, &[variable, vertex]);
            values.push(self.load(of, place));
        }
        let value = match (at, args.get(1).copied()) {
            (Some(at), Some(index)) => self.one_of(&values, ty, index, at),
            _ => values.first().copied().unwrap_or(0),
        };
        match inside {
            None => value,
            Some(inside) => {
                let zero = self.m.splat(ty, 0);
                self.select(ty, inside, value, zero)
            }
        }
    }

    /// One of a run of cells of a patch, which are variables of their own.
    pub(super) fn load_output_at(&mut self, first: OutputId, at: At, index: Arg) -> Id {
        let scalar = self.shader.outputs.get(first.index()).map_or(Scalar::F32, |output| output.scalar);
        let count = at.count.min(self.shader.outputs.len() as u32 - first.0);
        let values: Vec<Id> = (0..count).map(|n| self.present(OutputId(first.0 + n))).collect();
        self.one_of(&values, Type::new(scalar, 4), index, at)
    }

    /// Stores lanes to one of such cells.
    pub(super) fn store_output_at(
        &mut self,
        first: OutputId,
        at: At,
        mask: WriteMask,
        index: Arg,
        value: Arg,
    ) {
        let (bool, count) = (self.m.ty(Type::BOOL), at.count.min(self.shader.outputs.len() as u32 - first.0));
        let number = self.lane(index, 0);
        for n in 0..count {
            let Ok(wanted) = i32::try_from(i64::from(n) - i64::from(at.offset)) else {
                // No index reaches the first one, so it is the nearest.
                if at.rule == OutOfRange::Clamp && n == 0 {
                    self.store_output(first, mask, value);
                }
                continue;
            };
            let wanted = self.m.int(wanted);
            let code = match (at.rule, n) {
                (OutOfRange::Clamp, 0) if count == 1 => {
                    self.store_output(OutputId(first.0), mask, value);
                    continue;
                }
                (OutOfRange::Clamp, n) if n + 1 == count => op::S_GREATER_THAN_EQUAL,
                (OutOfRange::Clamp, 0) => op::S_LESS_THAN_EQUAL,
                _ => op::I_EQUAL,
            };
            let chosen = self.op(code, bool, &[number, wanted]);
            self.only_if(chosen, 0, 0, |this| {
                this.store_output(OutputId(first.0 + n), mask, value);
                0
            });
        }
    }

    // Vertices that are given one by one

    /// Gives a vertex, or ends a primitive.
    pub(super) fn emit_vertex(&mut self, stream: u8, ends: bool) {
        if ends {
            return self.give_now(stream, true);
        }
        self.emits.written += 1;
        if self.given == 0 {
            return self.give_now(stream, false);
        }
        let (uint, bool) = (self.m.ty(Type::U32), self.m.ty(Type::BOOL));
        let given = self.load(uint, self.given);
        let most = self.m.uint(self.shader.setup.max_vertices);
        let inside = self.op(op::U_LESS_THAN, bool, &[given, most]);
        self.only_if(inside, 0, 0, |this| {
            this.give_now(stream, false);
            let one = this.m.uint(1);
            let more = this.op(op::I_ADD, uint, &[given, one]);
            this.store(this.given, more);
            0
        });
    }

    fn give_now(&mut self, stream: u8, ends: bool) {
        if !ends {
            self.flush();
        }
        let (plain, of_stream) = if ends {
            (op::END_PRIMITIVE, op::END_STREAM_PRIMITIVE)
        } else {
            (op::EMIT_VERTEX, op::EMIT_STREAM_VERTEX)
        };
        if self.emits.most == 0 {
            // A primitive of a stream that no vertex goes to is nothing.
            if stream == 0 {
                self.effect(plain, &[]);
            }
        } else {
            let stream = self.m.uint(u32::from(stream));
            self.effect(of_stream, &[stream]);
        }
        // Behind the last one nobody sees what the cells hold.
        let more = self.emits.are_more();
        if !ends && more {
            self.restart();
        }
    }

    /// The cells hold their first values again.
    fn restart(&mut self) {
        let shader = self.shader;
        for (n, output) in shader.outputs.iter().enumerate() {
            match self.cells.get(n).copied() {
                Some(Cell::Variable(id, _)) => {
                    let init = self.initial(output);
                    self.store(id, init);
                }
                Some(Cell::Run(at, element)) => {
                    let array = self.runs[at].2;
                    let index = self.m.uint(element);
                    let place = self.element(array, index);
                    let init = self.initial(output);
                    self.store(place, init);
                }
                _ => {}
            }
        }
    }

    /// Says which stream a variable belongs to, if there are several.
    pub(super) fn in_stream(&mut self, id: Id, output: &Output) {
        if self.shader.stage != Stage::Geometry || self.emits.most == 0 {
            return;
        }
        let stream = output.streams[0];
        if output.streams.iter().any(|of| *of != stream) || stream == Output::EVERY_STREAM {
            let what = format!("{} belongs to several streams", output.name);
            return self.refuse(rules::OUTPUT, what);
        }
        self.m.decorate(id, &[decoration::STREAM, u32::from(stream)]);
    }
}
