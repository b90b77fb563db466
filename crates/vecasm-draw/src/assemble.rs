//! From shaded vertices to what is put on the screen: vertices become primitives, and these go through the tessellation and
//! geometry stages, where a draw has them.
//!
//! Stages are linked by the locations of their varyings; a varying that finds none by the words of its semantic, so that a
//! later stage can read the position. What the stage before does not write reads 0.

use super::RenderError;
use super::draw::{Bound, Budget, Draw};
use super::tessellate::{Connectivity, Tessellated, Tessellator};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::{Batch, Engine, Outputs};
use vecasm_ir::ir::{Input, InputKind, OutputKind, Primitive, Shader, Stage, System};

/// Most vertices of a patch.
pub const MAX_PATCH_VERTICES: u32 = 32;

/// Vertices that are gathered for one run of an engine.
const BATCH: usize = 4096;
/// Words that a geometry shader may give in one run, before the run is made smaller.
const EMITTED_WORDS: usize = 1 << 22;

/// What stands between the vertex and the fragment stage, and how vertices become primitives.
#[derive(Clone, Debug)]
pub struct Assembly<'a> {
    /// What vertices make; [`Quads`](Primitive::Quads) are drawn as two triangles.
    pub primitive: Primitive,
    /// Vertices of a patch, 1–[`MAX_PATCH_VERTICES`].
    pub patch_vertices: u32,
    /// Outer levels where no tessellation control shader writes them.
    pub outer: [f32; 4],
    /// Inner levels, likewise.
    pub inner: [f32; 2],
    /// The tessellation control shader.
    pub tess_control: Option<Bound<'a>>,
    /// The tessellation evaluation shader.
    pub tess_eval: Option<Bound<'a>>,
    /// The geometry shader.
    pub geometry: Option<Bound<'a>>,
    /// Side of points in pixels, where the last stage before the rasterizer writes none.
    pub point_size: f32,
    /// Width of lines in pixels.
    pub line_width: f32,
}

impl Assembly<'_> {
    /// Whether there are only triangles, and no stage between the vertex and the fragment stage.
    pub fn is_plain(&self) -> bool {
        self.primitive == Primitive::Triangles && self.tess_eval.is_none() && self.geometry.is_none()
    }
}

impl Default for Assembly<'_> {
    /// Triangles, and no more stages.
    fn default() -> Self {
        Self {
            primitive: Primitive::Triangles,
            patch_vertices: 3,
            outer: [1.0; 4],
            inner: [1.0; 2],
            tess_control: None,
            tess_eval: None,
            geometry: None,
            point_size: 1.0,
            line_width: 1.0,
        }
    }
}

/// What is put on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A square around a vertex.
    Point,
    /// A line between two vertices.
    Line,
    /// A triangle.
    Triangle,
}

impl Shape {
    /// One word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Line => "line",
            Self::Triangle => "triangle",
        }
    }
}

/// A point, line or triangle of a draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) shape: Shape,
    /// Its number among those of the instance.
    pub(super) number: u32,
    /// The number of the primitive or patch that it comes from.
    pub(super) primitive: u32,
    /// Which vertices of the last stage it has; those it lacks repeat its last one.
    pub(super) corners: [usize; 3],
    /// Which vertices of the vertex stage the primitive begins with that it comes from, likewise.
    pub(super) source: [usize; 3],
    /// The layer and the viewport that it is put on, which are those of the first corner.
    pub(super) layer: u32,
    pub(super) viewport: u32,
    /// The invocation of the geometry stage's run that emitted it, and which of the vertices that it emitted.
    pub(super) emitted: (usize, [u32; 3]),
    /// The points of the evaluation stage's run: its corners, or those of the primitive that the geometry stage took.
    pub(super) points: [usize; 3],
}

/// A run of a stage.
#[derive(Clone, Copy)]
pub(super) struct StageRun<'t, 'a> {
    pub(super) shader: &'a Shader,
    pub(super) batch: &'t Batch<'a>,
}

/// The runs of the stages between that what is painted comes from.
#[derive(Clone, Copy, Default)]
pub(super) struct Trail<'t, 'a> {
    pub(super) control: Option<StageRun<'t, 'a>>,
    pub(super) eval: Option<StageRun<'t, 'a>>,
    /// For each patch of the evaluation stage's run, which one it is of the control stage's.
    pub(super) patches: &'t [usize],
    pub(super) geometry: Option<StageRun<'t, 'a>>,
}

impl Piece {
    const fn new(shape: Shape, number: u32, primitive: u32, corners: [usize; 3], source: [usize; 3]) -> Self {
        Self {
            shape,
            number,
            primitive,
            corners,
            source,
            layer: 0,
            viewport: 0,
            emitted: (0, [0; 3]),
            points: corners,
        }
    }
}

/// What a stage gave.
pub(super) struct Vertices<'s> {
    pub(super) shader: &'s Shader,
    /// Its cells for each vertex.
    pub(super) outputs: Outputs,
}

impl Vertices<'_> {
    /// The cell of a kind.
    pub(super) fn cell(&self, kind: OutputKind) -> Option<usize> {
        self.shader.outputs.iter().position(|output| output.kind == kind)
    }

    /// What a cell holds for a vertex.
    pub(super) fn at(&self, cell: usize, vertex: usize) -> [u32; 4] {
        self.outputs.cells.get(cell).and_then(|cell| cell.get(vertex)).copied().unwrap_or([0; 4])
    }
}

/// Who takes what is assembled.
pub(super) trait Sink<'a> {
    fn budget(&mut self) -> &mut Budget;

    /// Puts pieces on the screen, one after another.
    fn paint(
        &mut self,
        vertices: &Vertices<'_>,
        pieces: &mut dyn Iterator<Item = Piece>,
        trail: Trail<'_, 'a>,
    ) -> Result<(), RenderError>;
}

/// The cell of the stage before that an input reads.
pub(super) fn cell_of(before: &Shader, input: &Input) -> Option<usize> {
    let of = |wanted: OutputKind| before.outputs.iter().position(|output| output.kind == wanted);
    match input.kind {
        InputKind::PatchVarying { location } => of(OutputKind::PatchVarying { location }),
        InputKind::Varying { location } => of(OutputKind::Varying { location }).or_else(|| {
            if input.semantic.is_empty() {
                return None;
            }
            let same = |word: &String| word.eq_ignore_ascii_case(&input.semantic);
            let written = before.outputs.iter().position(|output| same(&output.semantic));
            let position = || {
                input.semantic.eq_ignore_ascii_case("position").then(|| of(OutputKind::Position)).flatten()
            };
            written.or_else(position)
        }),
        _ => None,
    }
}

/// Primitives in order, each with the same number of vertices.
struct Primitives {
    each: usize,
    vertices: Vec<usize>,
    /// The number of each, and the vertices of the vertex stage that it begins with.
    of: Vec<(u32, [usize; 3])>,
}

impl Primitives {
    const fn new(each: usize) -> Self {
        Self { each, vertices: Vec::new(), of: Vec::new() }
    }

    fn vertices(&self, number: usize) -> &[usize] {
        let start = number * self.each;
        self.vertices.get(start..start + self.each).unwrap_or(&[])
    }
}

/// The first vertices of a primitive; those it lacks repeat its last one.
fn first_three(vertices: &[usize]) -> [usize; 3] {
    let last = vertices.last().copied().unwrap_or(0);
    core::array::from_fn(|i| vertices.get(i).copied().unwrap_or(last))
}

/// How many vertices a primitive of a kind has.
pub(super) const fn vertices_of(primitive: Primitive, patch: usize) -> usize {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines | Primitive::LineStrip => 2,
        Primitive::Triangles | Primitive::TriangleStrip => 3,
        Primitive::LinesAdjacency | Primitive::Quads => 4,
        Primitive::TrianglesAdjacency => 6,
        Primitive::Patches => patch,
    }
}

/// What comes in: indices as primitives.
#[derive(Clone, Copy)]
struct Incoming<'d> {
    primitive: Primitive,
    each: usize,
    indices: &'d [u32],
}

impl Incoming<'_> {
    /// How many there are; indices that are left over make none.
    fn count(self) -> usize {
        match self.primitive {
            Primitive::LineStrip | Primitive::TriangleStrip => {
                self.indices.len().saturating_sub(self.each - 1)
            }
            _ => self.indices.len() / self.each,
        }
    }

    /// Which vertex is vertex `i` of a primitive.
    fn vertex(self, number: usize, i: usize) -> usize {
        let place = match self.primitive {
            Primitive::LineStrip => number + i,
            // The first vertex stays the first one; the other two change places, so that all go round alike.
            Primitive::TriangleStrip if number % 2 == 1 && i > 0 => number + 3 - i,
            Primitive::TriangleStrip => number + i,
            _ => number * self.each + i,
        };
        self.indices.get(place).map_or(0, |index| *index as usize)
    }

    fn of(self, range: core::ops::Range<usize>) -> Primitives {
        let mut out = Primitives::new(self.each);
        for number in range {
            let start = out.vertices.len();
            out.vertices.extend((0..self.each).map(|i| self.vertex(number, i)));
            let source = first_three(out.vertices.get(start..).unwrap_or(&[]));
            out.of.push((number as u32, source));
        }
        out
    }
}

/// Assembles the primitives of an instance, and gives them to `sink`. `indices` are into the vertices.
///
/// # Errors
///
/// If the stages do not fit one another or the primitives, if an engine cannot run one, if there is no position, or if the
/// budget is used up.
pub(super) fn assemble<'a>(
    engine: &dyn Engine,
    draw: &Draw<'a>,
    vertices: Vertices<'_>,
    indices: &[u32],
    sink: &mut dyn Sink<'a>,
) -> Result<(), RenderError> {
    let assembly = &draw.assembly;
    let each = vertices_of(assembly.primitive, assembly.patch_vertices as usize).max(1);
    let incoming = Incoming { primitive: assembly.primitive, each, indices };
    let mut assembler = Assembler { engine, draw, sink, number: 0, last: None };
    let count = incoming.count();
    Budget::take(&mut assembler.sink.budget().vertices, count as u64, "vertices")?;
    if let Some(eval) = &assembly.tess_eval {
        let invocations = assembly.tess_control.as_ref().map_or(1, |of| of.shader.setup.invocations.max(1));
        let group = (BATCH / invocations as usize).max(1);
        for first in (0..count).step_by(group) {
            assembler.tessellate(&vertices, eval, &incoming.of(first..count.min(first + group)))?;
        }
        return Ok(());
    }
    if let Some(geometry) = &assembly.geometry {
        for first in (0..count).step_by(BATCH) {
            let primitives = incoming.of(first..count.min(first + BATCH));
            assembler.geometry(&vertices, geometry, &primitives, Trail::default())?;
        }
        return Ok(());
    }
    let parts: &[(Shape, [usize; 3])] = match assembly.primitive {
        Primitive::Points => &[(Shape::Point, [0; 3])],
        Primitive::Lines | Primitive::LineStrip => &[(Shape::Line, [0, 1, 1])],
        Primitive::LinesAdjacency => &[(Shape::Line, [1, 2, 2])],
        Primitive::Triangles | Primitive::TriangleStrip => &[(Shape::Triangle, [0, 1, 2])],
        Primitive::TrianglesAdjacency => &[(Shape::Triangle, [0, 2, 4])],
        Primitive::Quads => &[(Shape::Triangle, [0, 1, 2]), (Shape::Triangle, [0, 2, 3])],
        Primitive::Patches => &[],
    };
    let mut pieces = (0..count).flat_map(|primitive| {
        parts.iter().enumerate().map(move |(part, (shape, corners))| {
            let corners = corners.map(|corner| incoming.vertex(primitive, corner));
            let number = (primitive * parts.len() + part) as u32;
            Piece::new(*shape, number, primitive as u32, corners, corners)
        })
    });
    assembler.sink.paint(&vertices, &mut pieces, Trail::default())
}

/// Checks that the stages of a draw fit one another.
pub(super) fn check(draw: &Draw<'_>) -> Result<(), RenderError> {
    let assembly = &draw.assembly;
    let stages = [
        (&assembly.tess_control, Stage::TessControl),
        (&assembly.tess_eval, Stage::TessEval),
        (&assembly.geometry, Stage::Geometry),
    ];
    for (bound, stage) in stages {
        bound.as_ref().map_or(Ok(()), |bound| bound.fits(stage))?;
    }
    let error = |what: String| Err(RenderError::new(what));
    let primitive = assembly.primitive;
    if primitive == Primitive::Patches && !(1..=MAX_PATCH_VERTICES).contains(&assembly.patch_vertices) {
        return error(format!(
            "a patch of {} vertices: expected 1 to {MAX_PATCH_VERTICES}",
            assembly.patch_vertices
        ));
    }
    match (&assembly.tess_control, &assembly.tess_eval) {
        (Some(_), None) => {
            return error("a tessellation control program needs a tessellation evaluation program".into());
        }
        (_, Some(_)) if primitive != Primitive::Patches => {
            return error(format!(
                "a tessellation evaluation program takes patches, but the draw has {}",
                primitive.name()
            ));
        }
        (None, None) if primitive == Primitive::Patches && assembly.geometry.is_none() => {
            return error("patches need a tessellation evaluation program".into());
        }
        _ => {}
    }
    let Some(geometry) = &assembly.geometry else { return Ok(()) };
    let given = match &assembly.tess_eval {
        Some(eval) => match (eval.shader.setup.points, eval.shader.setup.primitive_in) {
            (true, _) => Primitive::Points,
            (false, Primitive::Lines) => Primitive::Lines,
            (false, _) => Primitive::Triangles,
        },
        None => match primitive {
            Primitive::LineStrip => Primitive::Lines,
            Primitive::TriangleStrip => Primitive::Triangles,
            other => other,
        },
    };
    let takes = geometry.shader.setup.primitive_in;
    if takes != given {
        return error(format!(
            "the geometry program takes {}, but it is given {}",
            takes.name(),
            given.name()
        ));
    }
    Ok(())
}

/// The levels of patches and how the last one was divided.
type Divided = ([u32; 6], Option<Tessellated>);

struct Assembler<'d, 'a> {
    engine: &'d dyn Engine,
    draw: &'d Draw<'a>,
    sink: &'d mut dyn Sink<'a>,
    /// Pieces so far.
    number: u32,
    /// Patches that are alike are divided once.
    last: Option<Divided>,
}

impl<'d, 'a> Assembler<'d, 'a> {
    fn take(&mut self, count: usize) -> Result<(), RenderError> {
        Budget::take(&mut self.sink.budget().vertices, count as u64, "vertices")
    }

    fn run(&self, bound: &Bound<'_>, batch: &Batch<'_>) -> Result<Outputs, RenderError> {
        let what = bound.shader.stage.name();
        let done = self.engine.run(bound.shader, batch);
        done.map_err(|error| RenderError::new(format!("{what} shader: {error}")))
    }

    /// What a stage is run on, but for how often. `of_primitive` are the values of one number for each primitive.
    fn batch<'b>(
        &self,
        bound: &Bound<'b>,
        before: &Vertices<'_>,
        primitives: &Primitives,
        of_primitive: &dyn Fn(&Input) -> Option<Vec<[u32; 4]>>,
    ) -> Result<Batch<'b>, RenderError> {
        let wanted = bound.shader.setup.vertices_in as usize;
        if wanted != 0 && wanted != primitives.each {
            return Err(RenderError::new(format!(
                "the {} program takes {wanted} vertices at a time, but the primitive has {}",
                bound.shader.stage.name(),
                primitives.each
            )));
        }
        let list = |input: &Input| match input.kind {
            InputKind::Varying { .. } => match cell_of(before.shader, input) {
                Some(cell) => primitives.vertices.iter().map(|vertex| before.at(cell, *vertex)).collect(),
                None => vec![[0; 4]; primitives.vertices.len()],
            },
            InputKind::System(System::PrimitiveIndex) => {
                primitives.of.iter().map(|(number, _)| [*number, 0, 0, 0]).collect()
            }
            InputKind::System(System::TessDefaultOuter) => {
                vec![self.draw.assembly.outer.map(f32::to_bits); primitives.of.len()]
            }
            InputKind::System(System::TessDefaultInner) => {
                let [a, b] = self.draw.assembly.inner.map(f32::to_bits);
                vec![[a, b, 0, 0]; primitives.of.len()]
            }
            _ => of_primitive(input).unwrap_or_default(),
        };
        Ok(Batch {
            inputs: bound.shader.inputs.iter().map(list).collect(),
            params: bound.params.clone(),
            textures: bound.bindings(),
            states: bound.states.clone(),
            ..Batch::default()
        })
    }

    /// Runs the geometry stage on primitives, and paints what it gives.
    fn geometry(
        &mut self,
        before: &Vertices<'_>,
        bound: &'d Bound<'a>,
        primitives: &Primitives,
        trail: Trail<'_, 'a>,
    ) -> Result<(), RenderError> {
        let setup = &bound.shader.setup;
        let invocations = setup.invocations.max(1) as usize;
        let words = invocations * setup.max_vertices.max(1) as usize * (bound.shader.outputs.len() * 4 + 4);
        let group = (EMITTED_WORDS / words).min(BATCH / invocations).max(1);
        for first in (0..primitives.of.len()).step_by(group) {
            let end = primitives.of.len().min(first + group);
            let part = Primitives {
                each: primitives.each,
                vertices: (first..end).flat_map(|n| primitives.vertices(n)).copied().collect(),
                of: primitives.of.get(first..end).unwrap_or(&[]).to_vec(),
            };
            let count = part.of.len() * invocations;
            self.take(count)?;
            let batch = Batch { count, ..self.batch(bound, before, &part, &|_| None)? };
            let done = self.run(bound, &batch)?;
            let mut cells: Vec<Vec<[u32; 4]>> = vec![Vec::new(); bound.shader.outputs.len()];
            let mut pieces = Vec::new();
            let mut so_far = vec![0u32; count];
            // The other streams are not drawn.
            for emitted in done.streams.into_iter().next().unwrap_or_default() {
                let start = cells.first().map_or(0, Vec::len);
                let length = emitted.vertices.len();
                self.take(length)?;
                for vertex in emitted.vertices {
                    for (cell, bits) in cells.iter_mut().zip(vertex) {
                        cell.push(bits);
                    }
                }
                let (shape, each) = match setup.primitive_out {
                    Primitive::Points => (Shape::Point, 1),
                    Primitive::LineStrip => (Shape::Line, 2),
                    _ => (Shape::Triangle, 3),
                };
                let invocation = emitted.invocation as usize;
                let from = invocation / invocations;
                let (primitive, source) = part.of.get(from).copied().unwrap_or_default();
                let mut numbers = 0;
                if let Some(so_far) = so_far.get_mut(invocation) {
                    numbers = *so_far;
                    *so_far += length as u32;
                }
                for i in 0..(length + 1).saturating_sub(each) {
                    let corners = match (shape, i % 2) {
                        (Shape::Point, _) => [start + i; 3],
                        (Shape::Line, _) => [start + i, start + i + 1, start + i + 1],
                        (Shape::Triangle, 0) => [start + i, start + i + 1, start + i + 2],
                        (Shape::Triangle, _) => [start + i, start + i + 2, start + i + 1],
                    };
                    let piece = Piece::new(shape, self.number, primitive, corners, source);
                    let numbers = corners.map(|corner| numbers + (corner - start) as u32);
                    let points = first_three(part.vertices(from));
                    pieces.push(Piece { emitted: (invocation, numbers), points, ..piece });
                    self.number = self.number.wrapping_add(1);
                }
            }
            let outputs = Outputs { cells, ..Outputs::default() };
            let trail = Trail { geometry: Some(StageRun { shader: bound.shader, batch: &batch }), ..trail };
            self.sink.paint(&Vertices { shader: bound.shader, outputs }, &mut pieces.into_iter(), trail)?;
        }
        Ok(())
    }

    /// Runs the tessellation stages on patches, and hands on what they give.
    fn tessellate(
        &mut self,
        before: &Vertices<'_>,
        eval: &'d Bound<'a>,
        patches: &Primitives,
    ) -> Result<(), RenderError> {
        let draw = self.draw;
        let control = match &draw.assembly.tess_control {
            Some(bound) => {
                let invocations = bound.shader.setup.invocations.max(1) as usize;
                let count = patches.of.len() * invocations;
                self.take(count)?;
                let vertices_in = patches.each as u32;
                let batch = Batch { count, vertices_in, ..self.batch(bound, before, patches, &|_| None)? };
                let outputs = self.run(bound, &batch)?;
                Some((Vertices { shader: bound.shader, outputs }, invocations, batch))
            }
            None => None,
        };
        let (control, each, trail) = match &control {
            Some((vertices, invocations, batch)) => {
                let ran = StageRun { shader: vertices.shader, batch };
                (Some(vertices), *invocations, Trail { control: Some(ran), ..Trail::default() })
            }
            None => (None, patches.each, Trail::default()),
        };
        let levels = |kind: OutputKind, patch: usize, otherwise: [u32; 4]| match control {
            Some(control) => control.cell(kind).map_or(otherwise, |cell| control.at(cell, patch)),
            None => otherwise,
        };
        let [a, b] = draw.assembly.inner.map(f32::to_bits);
        let mut group = Group::new(each, &eval.shader.setup);
        for (patch, of) in patches.of.iter().enumerate() {
            let outer = levels(OutputKind::TessOuter, patch, draw.assembly.outer.map(f32::to_bits));
            let inner = levels(OutputKind::TessInner, patch, [a, b, 0, 0]);
            let vertices = match control {
                Some(_) => (patch * each..(patch + 1) * each).collect(),
                None => patches.vertices(patch).to_vec(),
            };
            let key = [outer[0], outer[1], outer[2], outer[3], inner[0], inner[1]];
            if !matches!(&self.last, Some((known, _)) if *known == key) {
                let float = f32::from_bits;
                let made = Tessellator::of(&eval.shader.setup)
                    .divide(outer.map(float), [float(inner[0]), float(inner[1])]);
                self.last = Some((key, made));
            }
            let Some((_, Some(made))) = &self.last else { continue };
            group.add(made, *of, (patch, &vertices), [outer, inner]);
            if group.coordinates.len() >= BATCH {
                let full = core::mem::replace(&mut group, Group::new(each, &eval.shader.setup));
                self.evaluate(control.unwrap_or(before), eval, full, trail)?;
            }
        }
        self.evaluate(control.unwrap_or(before), eval, group, trail)
    }

    /// Runs the tessellation evaluation stage on the points of divided patches.
    fn evaluate(
        &mut self,
        before: &Vertices<'_>,
        eval: &'d Bound<'a>,
        group: Group,
        trail: Trail<'_, 'a>,
    ) -> Result<(), RenderError> {
        if group.coordinates.is_empty() {
            return Ok(());
        }
        let count = group.coordinates.len();
        self.take(count)?;
        self.take(group.made.of.len())?;
        let of_primitive = |input: &Input| match input.kind {
            InputKind::System(System::TessCoord) => {
                Some(group.coordinates.iter().map(|[u, v, w]| [u, v, w, &0.0].map(|x| x.to_bits())).collect())
            }
            InputKind::System(System::TessOuter) => Some(group.levels.iter().map(|of| of[0]).collect()),
            InputKind::System(System::TessInner) => Some(group.levels.iter().map(|of| of[1]).collect()),
            InputKind::PatchVarying { .. } => {
                let cell = cell_of(before.shader, input);
                let value = |patch: &usize| cell.map_or([0; 4], |cell| before.at(cell, *patch));
                Some(group.numbers.iter().map(value).collect())
            }
            _ => None,
        };
        let batch = Batch {
            count,
            vertices_in: group.patches.each as u32,
            primitives: group.patch_of.clone(),
            ..self.batch(eval, before, &group.patches, &of_primitive)?
        };
        let outputs = self.run(eval, &batch)?;
        let vertices = Vertices { shader: eval.shader, outputs };
        let ran = StageRun { shader: eval.shader, batch: &batch };
        let trail = Trail { eval: Some(ran), patches: &group.numbers, ..trail };
        let draw = self.draw;
        if let Some(geometry) = &draw.assembly.geometry {
            return self.geometry(&vertices, geometry, &group.made, trail);
        }
        let shape = match group.made.each {
            1 => Shape::Point,
            2 => Shape::Line,
            _ => Shape::Triangle,
        };
        let first = self.number;
        self.number = first.wrapping_add(group.made.of.len() as u32);
        let mut pieces = group.made.of.iter().enumerate().map(|(n, (primitive, source))| {
            let corners = first_three(group.made.vertices(n));
            Piece::new(shape, first.wrapping_add(n as u32), *primitive, corners, *source)
        });
        self.sink.paint(&vertices, &mut pieces, trail)
    }
}

/// Divided patches whose points are evaluated together.
struct Group {
    /// The patches, with the vertices of their control points.
    patches: Primitives,
    /// Which ones of the control stage's run they are.
    numbers: Vec<usize>,
    /// Outer and inner levels of each.
    levels: Vec<[[u32; 4]; 2]>,
    /// u, v and w of each point.
    coordinates: Vec<[f32; 3]>,
    /// The patch of each point, out of `patches`.
    patch_of: Vec<u32>,
    /// What the points make.
    made: Primitives,
}

impl Group {
    fn new(each: usize, setup: &vecasm_ir::ir::Setup) -> Self {
        let made = match (setup.points, setup.primitive_in) {
            (true, _) => 1,
            (false, Primitive::Lines) => 2,
            (false, _) => 3,
        };
        Self {
            patches: Primitives::new(each),
            numbers: Vec::new(),
            levels: Vec::new(),
            coordinates: Vec::new(),
            patch_of: Vec::new(),
            made: Primitives::new(made),
        }
    }

    fn add(
        &mut self,
        made: &Tessellated,
        of: (u32, [usize; 3]),
        (number, vertices): (usize, &[usize]),
        levels: [[u32; 4]; 2],
    ) {
        let patch = self.patches.of.len() as u32;
        let first = self.coordinates.len();
        self.patches.of.push(of);
        self.patches.vertices.extend(vertices);
        self.numbers.push(number);
        self.levels.push(levels);
        self.coordinates.extend(&made.points);
        self.patch_of.extend(made.points.iter().map(|_| patch));
        let at = |i: &u32| first + *i as usize;
        match &made.connectivity {
            Connectivity::Points => self.made.vertices.extend(first..first + made.points.len()),
            Connectivity::Lines(lines) => self.made.vertices.extend(lines.as_flattened().iter().map(at)),
            Connectivity::Triangles(list) => self.made.vertices.extend(list.as_flattened().iter().map(at)),
        }
        self.made.of.resize(self.made.vertices.len() / self.made.each, of);
    }
}
