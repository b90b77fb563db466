//! Stages that see the vertices of a primitive or patch: whose registers each vertex has, what is read and written of a
//! vertex, EMIT and ENDPRIM, and what such programs declare about themselves.
//!
//! `IN[2][1]` is register 1 of vertex 2. A vertex that does not exist reads as zero. In tessellation control programs
//! `OUT[2][1]` reads what the invocation of that vertex wrote; a write only happens to the invocation's own vertex, which
//! `OUT[1]` means too.
//!
//! Behind EMIT outputs hold zero: the manual leaves it open. An invocation gives GS_MAX_OUTPUT_VERTICES vertices at most, to
//! all primitives and streams together (1,024 where a program says nothing), as `max_vertices` in OpenGL and `maxvertexcount`
//! in Direct3D; what is emitted beyond that is dropped. The end of the program ends the primitives of all streams; those
//! without vertices do not come out. Where no output declares a stream, all of them belong to every stream; otherwise those
//! of another stream are zero.
//!
//! Under [`Compat::TgsiExec`](super::Compat) primitives come out as that interpreter gives them: see
//! [`Setup::one_sequence`](vecasm_ir::ir::Setup::one_sequence); and the limit is that of
//! [each primitive](vecasm_ir::ir::Setup::primitive_limit).

use super::registers::Read;
use super::scan::{Declared, Instruction, Scan};
use super::{Compat, Fault, LIMIT, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{EMPTY, Kit, Lanes, get_lane};
use crate::tgsi::dialect::Numbering;
use crate::tgsi::names::{self, File, PropertyName, Semantic};
use crate::tgsi::program::{Operand, Program};
use crate::tgsi::table::{Opcode, Type as Taken};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{
    Arg, At, Home, Input, InputId, InputKind, LocalArray, LocalId, Op, OutOfRange, Output, OutputId,
    Primitive, Pure, Scalar, Setup, Spacing, Stage, System, Type,
};
use vecasm_ir::operand::WriteMask;

/// Most invocations of a primitive, and vertices of a patch.
const INVOCATIONS: u32 = 32;
/// Most vertices of a primitive that goes out.
const MAX_VERTICES: u32 = 1024;
/// The streams.
const STREAMS: u32 = 4;
/// The register file of the first vertex that comes in, as [`Home`] counts them; each has one.
pub(super) const OF_VERTEX: u8 = 6;

/// The register files of vertices.
pub(super) fn files() -> impl Iterator<Item = Cow<'static, str>> {
    (0..INVOCATIONS).map(|vertex| format!("IN[{vertex}][]").into())
}

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    let stage = lifter.b.shader.stage;
    match i.op {
        Opcode::Emit | Opcode::Endprim if stage == Stage::Geometry => lifter.emission(i)?,
        Opcode::Emit | Opcode::Endprim => {
            let what = format!("{} outside a geometry program", i.op.row().name);
            return Err(Refusal::new(NO_MEANING, what));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(Refusal::new(NO_MEANING, what))
}

// Declarations.

impl Scan<'_> {
    /// Whether each vertex of a primitive or patch has a register of its own.
    pub(super) fn is_of_vertices(&self, file: File, declared: &Declared) -> bool {
        let stage = self.program.processor.stage();
        let in_stage = match file {
            File::In => stage.is_some_and(Stage::has_vertices),
            File::Out => stage == Some(Stage::TessControl),
            _ => false,
        };
        let semantic = declared.semantic.map(|info| info.name);
        let whole = match semantic {
            Some(Semantic::PrimId) => true,
            Some(Semantic::Patch | Semantic::Tessouter | Semantic::Tessinner) => {
                stage != Some(Stage::Geometry)
            }
            _ => false,
        };
        in_stage && !whole
    }

    /// As [`is_of_vertices`](Self::is_of_vertices), by the number of the register.
    pub(super) fn has_vertices(&self, file: File, index: u16) -> bool {
        let list = match file {
            File::In => &self.inputs,
            File::Out => &self.outputs,
            _ => return false,
        };
        let at = list.binary_search_by_key(&index, |declared| declared.index).ok();
        at.and_then(|at| list.get(at)).is_some_and(|declared| self.is_of_vertices(file, declared))
    }

    /// Refuses an operand that names a vertex where there is none, or none where it has to.
    pub(super) fn vertex_fits(&self, operand: &Operand, of_vertices: bool) -> Result<()> {
        let name = operand.file.name().unwrap_or("?");
        match (operand.dimension.is_some(), of_vertices) {
            (false, true) if operand.file == File::In => refuse(format!(
                "{name}[{}] lacks a vertex index: each vertex has such a register",
                operand.index
            )),
            // The interpreter of Mesa gives every vertex of a geometry program the number of the primitive.
            (true, false)
                if operand.file == File::In && self.program.processor.stage() == Some(Stage::Geometry) =>
            {
                Ok(())
            }
            (true, false) => refuse(format!("{name}[…][{}]: vertices have no such register", operand.index)),
            _ => Ok(()),
        }
    }
}

/// What a program declares about itself.
pub(super) fn setup(program: &Program, stage: Stage, compat: Compat) -> Result<Setup> {
    let mut setup = Setup::default();
    // Mesa takes what is not said for 0.
    let value = |name: PropertyName| program.property(name).unwrap_or(0);
    let bounded = |name: PropertyName, value: u32, most: u32| match value {
        n if (1..=most).contains(&n) => Ok(n),
        n => refuse(format!("{} is {n}, expected 1 to {most}", name.name().unwrap_or("a property"))),
    };
    match stage {
        Stage::Geometry => {
            let primitive =
                |name: PropertyName| names::Primitive::from_code(Numbering::Mesa, value(name).min(254) as u8);
            let (kind, vertices) = primitive_in(primitive(PropertyName::GsInputPrimitive))?;
            setup.primitive_in = kind;
            setup.vertices_in = vertices;
            setup.primitive_out = primitive_out(primitive(PropertyName::GsOutputPrimitive))?;
            let most = program.property(PropertyName::GsMaxOutputVertices);
            setup.max_vertices = most.unwrap_or(MAX_VERTICES);
            if setup.max_vertices > MAX_VERTICES {
                let what = format!("GS_MAX_OUTPUT_VERTICES is more than {MAX_VERTICES}");
                return Err(Refusal::new(LIMIT, what));
            }
            let invocations = program.property(PropertyName::GsInvocations).unwrap_or(1);
            setup.invocations = bounded(PropertyName::GsInvocations, invocations, INVOCATIONS)?;
            setup.one_sequence = compat.has(Fault::OneSequence);
            setup.primitive_limit = compat.has(Fault::PrimitiveLimit);
        }
        Stage::TessControl => {
            let name = PropertyName::TcsVerticesOut;
            let Some(vertices) = program.property(name) else {
                return refuse("the number of output vertices is unknown: TCS_VERTICES_OUT is missing");
            };
            setup.invocations = bounded(name, vertices, INVOCATIONS)?;
        }
        Stage::TessEval => {
            let mode = value(PropertyName::TesPrimMode).min(254) as u8;
            setup.primitive_in = match names::Primitive::from_code(Numbering::Mesa, mode) {
                names::Primitive::Triangles => Primitive::Triangles,
                names::Primitive::Quads => Primitive::Quads,
                names::Primitive::Lines => Primitive::Lines,
                _ => return refuse("expected TES_PRIM_MODE to be 4 (triangles), 7 (quads) or 1 (lines)"),
            };
            setup.spacing = match value(PropertyName::TesSpacing) {
                0 => Spacing::FractionalOdd,
                1 => Spacing::FractionalEven,
                2 => Spacing::Equal,
                n => return refuse(format!("TES_SPACING is {n}, expected 0 (odd), 1 (even) or 2 (equal)")),
            };
            setup.clockwise = value(PropertyName::TesVertexOrderCw) != 0;
            setup.points = value(PropertyName::TesPointMode) != 0;
        }
        Stage::Vertex | Stage::Fragment | Stage::Compute => {}
    }
    Ok(setup)
}

/// What comes in: strips, fans and loops are taken apart before.
fn primitive_in(primitive: names::Primitive) -> Result<(Primitive, u32)> {
    use names::Primitive as P;
    Ok(match primitive {
        P::Points => (Primitive::Points, 1),
        P::Lines | P::LineLoop | P::LineStrip => (Primitive::Lines, 2),
        P::Triangles | P::TriangleStrip | P::TriangleFan => (Primitive::Triangles, 3),
        P::LinesAdjacency | P::LineStripAdjacency => (Primitive::LinesAdjacency, 4),
        P::TrianglesAdjacency | P::TriangleStripAdjacency => (Primitive::TrianglesAdjacency, 6),
        other => {
            let name = other.name().unwrap_or("a primitive without a name");
            return refuse(format!("GS_INPUT_PRIMITIVE is {name}, which geometry programs cannot take"));
        }
    })
}

fn primitive_out(primitive: names::Primitive) -> Result<Primitive> {
    Ok(match primitive {
        names::Primitive::Points => Primitive::Points,
        names::Primitive::LineStrip => Primitive::LineStrip,
        names::Primitive::TriangleStrip => Primitive::TriangleStrip,
        other => {
            let name = other.name().unwrap_or("a primitive without a name");
            return refuse(format!(
                "GS_OUTPUT_PRIMITIVE is {name}, expected POINTS, LINE_STRIP or TRIANGLE_STRIP"
            ));
        }
    })
}

/// The kind of an input of such a stage.
pub(super) fn input_kind(stage: Stage, semantic: Semantic, location: u32) -> Result<InputKind> {
    Ok(match (stage, semantic) {
        (_, Semantic::PrimId) => InputKind::System(System::PrimitiveIndex),
        (Stage::TessEval, Semantic::Patch) => InputKind::PatchVarying { location },
        (Stage::TessEval, Semantic::Tessouter) => InputKind::System(System::TessOuter),
        (Stage::TessEval, Semantic::Tessinner) => InputKind::System(System::TessInner),
        (_, Semantic::Patch | Semantic::Tessouter | Semantic::Tessinner) if stage != Stage::Geometry => {
            let name = semantic.name().unwrap_or("?");
            return refuse(format!("tessellation control programs have no input {name}"));
        }
        _ => InputKind::Varying { location },
    })
}

/// The streams that the components of an output belong to.
pub(super) fn streams(scan: &Scan<'_>, declared: &Declared) -> [u8; 4] {
    if scan.program.processor.stage() != Some(Stage::Geometry) {
        return [0; 4];
    }
    let of = |declared: &Declared| declared.semantic.map_or([0; 4], |info| info.streams);
    if scan.outputs.iter().all(|declared| of(declared) == [0; 4]) {
        return [Output::EVERY_STREAM; 4];
    }
    // There are no more than two bits for each.
    of(declared).map(|stream| stream & 3)
}

// Registers.

impl Lifter<'_> {
    /// The vertex that an operand names, one i32 lane; `None` if it names none.
    fn vertex(&mut self, operand: &Operand) -> Result<Option<Arg>> {
        let Some(dimension) = operand.dimension else { return Ok(None) };
        let number = i32::from(dimension.index);
        let Some(by) = dimension.indirect else { return Ok(Some(self.b.int(number))) };
        let index = self.index(Some(by))?;
        if number == 0 {
            return Ok(Some(index));
        }
        // No register has so many: a sum that wraps means nothing either.
        let number = self.b.int(number);
        Ok(Some(self.b.pure(Pure::Add, &[index, number])))
    }

    /// A register of a vertex that comes in.
    pub(super) fn input_of(&mut self, operand: &Operand, n: usize) -> Result<Read> {
        let Some(id) = self.inputs.get(n).copied().flatten() else { return refuse("no such input") };
        let index = self.scan.inputs.get(n).map_or(0, |declared| declared.index);
        let Some(vertex) = self.vertex(operand)? else { return refuse("the vertex index is missing") };
        let ty = self.b.shader.inputs.get(id.index()).map_or(Type::F32X4, |input| input.ty);
        let value = self.b.push(Op::InputOf { first: id, at: None }, &[vertex], ty);
        let cell =
            match operand.dimension.map(|dimension| (dimension.indirect, u8::try_from(dimension.index))) {
                Some((None, Ok(vertex))) if u32::from(vertex) < INVOCATIONS => {
                    let home = Home { file: OF_VERTEX + vertex, index };
                    self.b.set_home(value, home);
                    Cell::Register(home)
                }
                _ => Cell::InputAt(id, 0),
            };
        Ok(Read::new(cell, value))
    }

    /// The same of a run of registers, at a computed index plus a number.
    pub(super) fn input_of_run(
        &mut self,
        operand: &Operand,
        (first, count): (InputId, u32),
        index: Arg,
        offset: i32,
    ) -> Result<Read> {
        let Some(vertex) = self.vertex(operand)? else { return refuse("the vertex index is missing") };
        let at = At { count, offset, rule: OutOfRange::Undefined };
        let ty = self.b.shader.inputs.get(first.index()).map_or(Type::F32X4, |input| input.ty);
        let value = self.b.push(Op::InputOf { first, at: Some(at) }, &[vertex, index], ty);
        Ok(Read::new(Cell::InputAt(first, offset), value))
    }

    /// What a vertex that goes out holds, of one cell or a run.
    fn output_of(&mut self, first: OutputId, at: Option<At>, args: &[Arg]) -> Read {
        let scalar = self.b.shader.outputs.get(first.index()).map_or(Scalar::F32, |output| output.scalar);
        let value = self.b.push(Op::LoadOutputOf { first, at }, args, Type::new(scalar, 4));
        Read::new(Cell::OutputAt(first, at.map_or(0, |at| at.offset)), value)
    }

    /// A register of a vertex that goes out; `None` where the operand means the own one.
    pub(super) fn output_of_vertex(&mut self, operand: &Operand, n: usize) -> Result<Option<Read>> {
        let Some(vertex) = self.vertex(operand)? else { return Ok(None) };
        let Some(cells) = self.outputs.get(n).copied() else { return refuse("no such output") };
        if let Some(id) = cells.plain {
            return Ok(Some(self.output_of(id, None, &[vertex])));
        }
        // Components that lie in several cells.
        let mut lanes = EMPTY;
        for (to, (id, lane)) in lanes.iter_mut().zip(cells.lanes) {
            let read = self.output_of(id, None, &[vertex]);
            *to = get_lane(&read.lanes, lane.into());
        }
        Ok(Some(Read { cell: None, lanes }))
    }

    /// The same of a run of registers.
    pub(super) fn output_of_vertex_run(
        &mut self,
        operand: &Operand,
        first: OutputId,
        at: At,
        index: Arg,
    ) -> Result<Option<Read>> {
        let Some(vertex) = self.vertex(operand)? else { return Ok(None) };
        Ok(Some(self.output_of(first, Some(at), &[vertex, index])))
    }

    /// Whether an operand that is written means the invocation's own vertex: `None` where it surely does, else one bool
    /// lane.
    pub(super) fn is_own_vertex(&mut self, operand: &Operand) -> Result<Option<Arg>> {
        let Some(vertex) = self.vertex(operand)? else { return Ok(None) };
        let kind = InputKind::System(System::InvocationIndex);
        let known = self.b.find_input(kind);
        let id = known.unwrap_or_else(|| self.b.add_input(Input::new("invocation", kind, Type::U32)));
        if self.invocation.contains(&vertex.value) {
            return Ok(None);
        }
        let own = match self.invocation.first() {
            Some(own) => *own,
            None => {
                let own = self.b.input(id).value;
                self.invocation.push(own);
                own
            }
        };
        let vertex = self.cast(vertex, Scalar::U32);
        Ok(Some(self.b.pure(Pure::Eq, &[vertex, Arg::lane(own, 0)])))
    }

    /// What components of an output hold behind a write of a vertex that may be another one's: then they stay as they are.
    pub(super) fn own_or_held(&mut self, own: Arg, n: usize, mask: WriteMask, lanes: &Lanes) -> Lanes {
        let held = self.load_output(n, mask);
        let mut out = EMPTY;
        for lane in mask.lanes() {
            let of = |lanes: &Lanes| core::iter::once(get_lane(lanes, lane));
            let known = get_lane(&held.lanes, lane);
            let scalar = known.map_or(Scalar::F32, |(value, _)| self.b.shader.value(value).ty.scalar);
            let [new, held] = [lanes, &held.lanes].map(|lanes| self.gather(scalar, of(lanes)));
            let kept = self.b.pure(Pure::Select, &[own, new, held]);
            if let Some(to) = out.get_mut(lane) {
                *to = Some((kept.value, 0));
            }
        }
        out
    }

    /// Runs a region where a condition holds.
    fn where_it_holds(&mut self, cond: Arg, run: impl FnOnce(&mut Self)) {
        self.b.open();
        run(self);
        self.b.close_where(cond);
    }

    // Geometry.

    /// EMIT and ENDPRIM.
    fn emission(&mut self, i: &Instruction<'_>) -> Result<()> {
        let emits = i.op == Opcode::Emit;
        // Before there were streams, nothing said which one.
        let Some(operand) = i.from.first().copied() else {
            self.emit(emits, 0);
            return Ok(());
        };
        let known = self.stream(&operand);
        // The step table wants to know what is read.
        let stream = self.scalar(i, 0, Taken::U32)?;
        match known {
            Some(known) if known < STREAMS => self.emit(emits, known as u8),
            Some(known) => return refuse(format!("no stream {known}; expected 0 to 3")),
            None => {
                for n in 0..STREAMS {
                    let number = self.b.uint(n);
                    let this = self.b.pure(Pure::Eq, &[stream, number]);
                    self.where_it_holds(this, |lifter| lifter.emit(emits, n as u8));
                }
            }
        }
        Ok(())
    }

    /// A vertex, or the end of a primitive.
    fn emit(&mut self, emits: bool, stream: u8) {
        self.effect(if emits { Op::EmitVertex { stream } } else { Op::EndPrimitive { stream } }, &[]);
        let setup = self.b.shader.setup;
        // The vertices of all streams count where the limit is that of the invocation.
        let counts = emits && !setup.primitive_limit;
        if !setup.one_sequence || stream > 0 && !counts {
            return;
        }
        // Whether a primitive is open at the end, and how many vertices were given.
        let array = match self.is_open {
            Some(id) => id,
            None => {
                let id = LocalId(self.b.shader.locals.len() as u32);
                self.b.shader.locals.push(LocalArray { name: "open".into(), scalar: Scalar::U32, size: 1 });
                self.is_open = Some(id);
                id
            }
        };
        if !counts {
            let open = self.b.uint(u32::from(emits && setup.max_vertices > 0));
            return self.effect(Op::StoreLocal { array, index: 0, mask: WriteMask::X }, &[open]);
        }
        let before = self.b.push(Op::LoadLocal { array, index: 0 }, &[], Type::new(Scalar::U32, 4));
        let (open, given) = (Arg::lane(before, 0), Arg::lane(before, 1));
        let (one, most) = (self.b.uint(1), self.b.uint(setup.max_vertices));
        let fits = self.b.pure(Pure::Lt, &[given, most]);
        let open = match stream {
            0 => self.b.pure(Pure::Select, &[fits, one, open]),
            _ => open,
        };
        let next = self.b.pure(Pure::Add, &[given, one]);
        let given = self.b.pure(Pure::Select, &[fits, next, given]);
        let value = self.b.op(Op::Compose, &[open, given]);
        self.effect(Op::StoreLocal { array, index: 0, mask: WriteMask::from_bits(3) }, &[value]);
    }

    /// The number of a stream, if it is an immediate.
    fn stream(&self, operand: &Operand) -> Option<u32> {
        let plain = operand.file == File::Imm && operand.indirect.is_none() && operand.dimension.is_none();
        if !plain || operand.absolute || operand.negate {
            return None;
        }
        let (_, words) = self.scan.immediates.get(usize::try_from(operand.index).ok()?)?;
        words.get(usize::from(operand.swizzle.get(0))).copied()
    }

    /// What a geometry program does behind its last instruction, if it comes there.
    pub(super) fn geometry_end(&mut self) {
        // Only a primitive of the first stream is ended, and only one that has vertices.
        let Some(id) = self.is_open else { return };
        let open = self.b.push(Op::LoadLocal { array: id, index: 0 }, &[], Type::new(Scalar::U32, 4));
        let zero = self.b.uint(0);
        let some = self.b.pure(Pure::Ne, &[Arg::lane(open, 0), zero]);
        self.where_it_holds(some, |lifter| lifter.effect(Op::EndPrimitive { stream: 0 }, &[]));
    }
}
