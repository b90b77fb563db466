//! One draw call: vertices are fetched and shaded, what they make is put on the screen, fragments are shaded in
//! batches of whole quads and merged into the targets in order.

use super::RenderError;
use super::assemble::{self, Assembly, Piece, Ran, Shape, Sink, Trail, Vertices, cell_of};
use super::pick::{Again, Fate, Pixel, Shading, Tested};
use super::raster::{self, Bounds, Plane, Screen};
use super::state::{BlendFactor, Face, MAX_VIEWPORTS, Rect, State, VertexFormat, Viewport};
use super::target::{DepthStencil, Extent, Surface, pattern, unit, unorm8};
use crate::exec::{Batch, BoundTexture, Engine, Outputs, RunError, Runner};
use crate::ir::{Input, InputKind, Interpolation, OutputKind, Scalar, Shader, Stage, System, Texture};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Quads that are shaded in one run of the engine.
const BATCH_QUADS: usize = 1024;
/// Vertices that are shaded in one run of the engine.
const BATCH_VERTICES: usize = 4096;
/// Invocations of a subgroup where a batch does not say.
const SUBGROUP: usize = 4;

/// How much drawing may cost. Every draw call subtracts from it; when it is used up, drawing stops with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Vertex invocations left, those of the tessellation and geometry stages included. A primitive counts like one more, and
    /// so do an instance and a vertex that a geometry shader gives.
    pub vertices: u64,
    /// Fragment invocations left, helpers included. A block of 8 × 8 pixels that is looked at counts like one, and so
    /// do 16 samples that are cleared, averaged or made.
    pub fragments: u64,
}

impl Default for Budget {
    /// 16 million vertices and 256 million fragments.
    fn default() -> Self {
        Self { vertices: 1 << 24, fragments: 1 << 28 }
    }
}

impl Budget {
    /// Pays for work on every sample of a target.
    pub(super) fn take_samples(&mut self, extent: Extent) -> Result<(), RenderError> {
        Self::take(&mut self.fragments, extent.count() as u64 / 16 + 1, "fragments")
    }

    pub(super) fn take(left: &mut u64, count: u64, what: &str) -> Result<(), RenderError> {
        *left = left
            .checked_sub(count)
            .ok_or_else(|| RenderError::new(format!("the budget of {what} for one picture is used up")))?;
        Ok(())
    }
}

/// Words of vertex data, the same number for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexBuffer {
    /// Words of one vertex.
    pub stride: usize,
    /// The data: f32 bits or four bytes, the lowest first.
    pub words: Vec<u32>,
}

impl VertexBuffer {
    /// Number of whole vertices.
    pub fn len(&self) -> usize {
        self.words.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is no whole vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where a vertex attribute comes from.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// The buffer.
    pub buffer: &'a VertexBuffer,
    /// First word of the attribute in a vertex.
    pub offset: usize,
    /// How it lies there.
    pub format: VertexFormat,
}

/// A shader and what is bound to it.
#[derive(Clone, Debug)]
pub struct Bound<'a> {
    /// The shader.
    pub shader: &'a Shader,
    /// The elements of each parameter array, as f32 bits.
    pub params: Vec<Vec<[u32; 4]>>,
    /// Textures by sampler register number.
    pub textures: Vec<Option<BoundTexture<'a>>>,
    /// For each state value of the shader, its bits; `None` and what is missing is the default.
    pub states: Vec<Option<[u32; 4]>>,
}

impl<'a> Bound<'a> {
    pub(super) fn bindings(&self) -> Vec<Option<BoundTexture<'a>>> {
        let slot = |n: u32| self.textures.get(n as usize).copied().flatten();
        let bound = |t: &Texture| {
            let bound = slot(t.slot)?;
            // A texture and a sampler may have numbers of their own.
            let sampler = slot(t.sampler_slot).map_or(bound.sampler, |of| of.sampler);
            Some(BoundTexture { sampler, ..bound })
        };
        self.shader.textures.iter().map(bound).collect()
    }

    pub(super) fn fits(&self, stage: Stage) -> Result<(), RenderError> {
        if self.shader.stage != stage {
            return Err(RenderError::new(format!(
                "a {} shader stands where a {} shader belongs",
                self.shader.stage.name(),
                stage.name()
            )));
        }
        for texture in &self.shader.textures {
            let Some(Some(bound)) = self.textures.get(texture.slot as usize) else { continue };
            // What a state decides fits or reads as if nothing were bound.
            if texture.dim_by.is_none() && bound.texture.dim() != texture.dim {
                return Err(RenderError::new(format!(
                    "{} is read as a {} texture, but a {} texture is bound",
                    texture.name,
                    texture.dim.name(),
                    bound.texture.dim().name()
                )));
            }
        }
        Ok(())
    }
}

/// Everything a draw call reads.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The vertex shader.
    pub vertex: Bound<'a>,
    /// The fragment shader.
    pub fragment: Bound<'a>,
    /// Vertex attributes by location. A missing one reads (0, 0, 0, 1).
    pub streams: Vec<Option<Stream<'a>>>,
    /// Those of each primitive one after another: three for a triangle.
    pub indices: &'a [u32],
    /// What the vertices make, and by which stages.
    pub assembly: Assembly<'a>,
    /// How often the primitives are drawn, with instance numbers from 0.
    pub instances: u32,
    /// The fixed state.
    pub state: State,
    /// The viewports that primitives choose between, at most [`MAX_VIEWPORTS`]; empty for one, the whole target.
    pub viewports: Vec<Viewport>,
}

/// What a draw call writes.
#[derive(Debug)]
pub struct Targets<'a> {
    /// Colour targets by number, all of one size.
    pub colors: Vec<&'a mut Surface>,
    /// Depth and stencil, of the same size.
    pub depth: Option<&'a mut DepthStencil>,
}

impl Targets<'_> {
    fn extent(&self) -> Result<Extent, RenderError> {
        let mut sizes = self.colors.iter().map(|c| c.extent).chain(self.depth.iter().map(|d| d.extent));
        let Some(first) = sizes.next() else {
            return Err(RenderError::new("there is no target to draw into"));
        };
        if sizes.any(|s| s != first) {
            return Err(RenderError::new("the targets of a draw differ in size, layers or antialiasing"));
        }
        Ok(first)
    }
}

/// Fragments that were shaded together: whole quads.
#[derive(Debug)]
pub struct Shaded<'a> {
    /// The pixel of each.
    pub pixels: &'a [Pixel],
    /// What they were shaded from. [Helpers](Batch::helpers) only complete their quad.
    pub batch: &'a Batch<'a>,
    /// What came out.
    pub outputs: &'a Outputs,
}

/// Draws.
///
/// A varying that the stage before does not write reads 0. Fragments are shaded once a pixel, at its centre, even
/// if only other samples of the pixel are covered; quads are completed with helpers, so that derivatives exist at
/// the edges of a triangle.
///
/// The first vertex of each triangle, line or point says into which layer of the targets and which viewport it goes, by
/// the last stage before the rasterizer; where that writes no such number, it is 0. A layer that the targets do not have,
/// or a viewport that the draw does not have, is number 0 instead, as Direct3D 11 says of both (OpenGL and Vulkan leave
/// it undefined); the fragment shader is given what was written.
///
/// # Errors
///
/// If the shaders are not of the right stage, do not fit one another or what is drawn, cannot be run by the engine or
/// write no position; if an index or an
/// attribute lies outside its buffer, if a bound texture has the wrong dimension, if the targets differ in size,
/// or if the budget is used up. What was drawn before that stays.
pub fn draw(
    engine: &dyn Engine,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
) -> Result<(), RenderError> {
    draw_probed(engine, draw, targets, budget, None, &mut |_| ())
}

/// Who is told what happens at a pixel.
pub(super) struct Probe<'p> {
    /// The pixel, in the targets.
    pub(super) at: Pixel,
    /// The number of the colour target that is looked at.
    pub(super) target: usize,
    /// Triangles that are not drawn because a corner is not finite, and the first of them.
    pub(super) broken: (u64, u32),
    /// What is called for each triangle (or line, or point) that covers samples of the pixel, in order.
    pub(super) tell: &'p mut dyn FnMut(Shading, &Again<'_, '_>),
}

/// Who is told of a draw.
struct Told<'d, 'p> {
    probe: Option<&'d mut Probe<'p>>,
    watch: &'d mut dyn FnMut(&Shaded<'_>),
}

/// Draws as [`draw()`] does, the same bits, and tells `probe` what happens at its pixel, and `watch` the fragments, each
/// batch when it has been shaded and before it is merged into the targets.
pub(super) fn draw_probed(
    engine: &dyn Engine,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
    mut probe: Option<&mut Probe<'_>>,
    watch: &mut dyn FnMut(&Shaded<'_>),
) -> Result<(), RenderError> {
    draw.vertex.fits(Stage::Vertex)?;
    draw.fragment.fits(Stage::Fragment)?;
    assemble::check(draw)?;
    let extent = targets.extent()?;
    if draw.viewports.len() > MAX_VIEWPORTS {
        return Err(RenderError::new(format!("a draw has at most {MAX_VIEWPORTS} viewports")));
    }
    for (location, stream) in draw.streams.iter().enumerate() {
        let Some(stream) = stream else { continue };
        if stream.offset.checked_add(stream.format.words()).is_none_or(|end| end > stream.buffer.stride) {
            return Err(RenderError::new(format!(
                "attribute {location} ({} at word {}) lies outside a vertex of {} words",
                stream.format.name(),
                stream.offset,
                stream.buffer.stride
            )));
        }
    }
    let whole = Rect { x: 0, y: 0, width: extent.width, height: extent.height };
    let whole = [Viewport { rect: whole, depth: [0.0, 1.0], scissor: None }];
    let viewports = if draw.viewports.is_empty() { &whole[..] } else { &draw.viewports };
    let views: Vec<View> =
        viewports.iter().map(|viewport| View::new(viewport, extent, &draw.state)).collect();
    let used = used_vertices(draw)?;
    let mut vertex = runner(engine, draw.vertex.shader)?;
    let mut fragment = None;
    for instance in 0..draw.instances {
        let cost = used.vertices.len() + 1;
        Budget::take(&mut budget.vertices, cost as u64, "vertices")?;
        let vertices = shade_vertices(&mut *vertex, draw, &used.vertices, instance)?;
        let place = Place { instance, extent, views: &views, used: &used.vertices };
        let mut screen = OnScreen {
            engine,
            fragment: &mut fragment,
            draw,
            place,
            budget,
            probe: probe.as_deref_mut(),
            watch,
            targets,
        };
        assemble::assemble(engine, draw, vertices, &used.indices, &mut screen)?;
    }
    Ok(())
}

/// Makes a shader ready.
fn runner<'r>(engine: &'r dyn Engine, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RenderError> {
    engine.runner(shader).map_err(|error| failed(shader, &error))
}

/// Why a shader was not run.
fn failed(shader: &Shader, error: &RunError) -> RenderError {
    RenderError::new(format!("{} shader: {error}", shader.stage.name()))
}

/// Paints what is assembled.
struct OnScreen<'d, 'a, 'p, 't, 'r> {
    engine: &'r dyn Engine,
    /// What runs the fragment shader, since there was anything to shade.
    fragment: &'d mut Option<Box<dyn Runner + 'r>>,
    draw: &'r Draw<'a>,
    place: Place<'d>,
    budget: &'d mut Budget,
    probe: Option<&'d mut Probe<'p>>,
    watch: &'d mut dyn FnMut(&Shaded<'_>),
    targets: &'d mut Targets<'t>,
}

impl<'a: 'r, 'r> Sink<'a> for OnScreen<'_, 'a, '_, '_, 'r> {
    fn budget(&mut self) -> &mut Budget {
        self.budget
    }

    fn paint(
        &mut self,
        vertices: &Vertices<'_>,
        pieces: &mut dyn Iterator<Item = Piece>,
        trail: Trail<'_, 'a>,
    ) -> Result<(), RenderError> {
        let Some(position) = vertices.cell(OutputKind::Position) else {
            let stage = vertices.shader.stage.name();
            return Err(RenderError::new(format!("the {stage} shader writes no position")));
        };
        let (draw, place) = (self.draw, self.place);
        let told = Told { probe: self.probe.as_deref_mut(), watch: self.watch };
        let mut painter = Painter::new(
            (self.engine, &mut *self.fragment),
            draw,
            (vertices, trail),
            place,
            self.budget,
            told,
        );
        let (layer, viewport) = (vertices.cell(OutputKind::Layer), vertices.cell(OutputKind::ViewportIndex));
        for mut piece in pieces {
            // What is beyond those that there are is the first one.
            let chosen = |cell: Option<usize>, count: usize| {
                let number = cell.map_or(0, |cell| vertices.at(cell, piece.corners[0])[0]);
                if (number as usize) < count { number } else { 0 }
            };
            let into = (chosen(layer, place.extent.layers as usize), chosen(viewport, place.views.len()));
            (piece.layer, piece.viewport) = into;
            let bounds = place.view(&piece).bounds;
            let positions = piece.corners.map(|corner| vertices.at(position, corner).map(f32::from_bits));
            let mut outcome = Ok(());
            painter.project(positions, &piece, bounds, |painter, projected| {
                if outcome.is_ok()
                    && !(piece.shape == Shape::Triangle && draw.state.culling.covers(projected.front))
                {
                    outcome = painter.triangle(projected, piece, self.targets);
                }
            });
            outcome?;
            painter.missed(positions, piece, self.targets)?;
        }
        painter.flush(self.targets)
    }
}

/// A viewport of a draw.
#[derive(Clone, Copy)]
struct View {
    screen: Screen,
    /// The pixels of the target in it.
    inside: Bounds,
    /// Those of them that may be written.
    bounds: Bounds,
}

impl View {
    fn new(viewport: &Viewport, extent: Extent, state: &State) -> Self {
        let whole = Bounds { left: 0, top: 0, right: extent.width as i32, bottom: extent.height as i32 };
        let inside = clip(whole, viewport.rect);
        let bounds = viewport.scissor.or(state.scissor).map_or(inside, |rect| clip(inside, rect));
        Self { screen: Screen::new(viewport), inside, bounds }
    }
}

/// The part of some pixels that lies in a rectangle.
fn clip(all: Bounds, rect: Rect) -> Bounds {
    let at = |start: u32, length: u32| i32::try_from(start.saturating_add(length)).unwrap_or(i32::MAX);
    Bounds {
        left: at(rect.x, 0).clamp(all.left, all.right),
        top: at(rect.y, 0).clamp(all.top, all.bottom),
        right: at(rect.x, rect.width).clamp(all.left, all.right),
        bottom: at(rect.y, rect.height).clamp(all.top, all.bottom),
    }
}

/// The vertices of a draw, each once.
struct Used {
    /// Their numbers in the buffers, ascending.
    vertices: Vec<u32>,
    /// The indices of the draw, now into `vertices`.
    indices: Vec<u32>,
}

fn used_vertices(draw: &Draw<'_>) -> Result<Used, RenderError> {
    let highest = draw.indices.iter().copied().max().map_or(0, |i| i as usize + 1);
    for stream in draw.streams.iter().flatten() {
        if highest > stream.buffer.len() {
            return Err(RenderError::new(format!(
                "index {} is beyond the {} vertices of a buffer",
                highest - 1,
                stream.buffer.len()
            )));
        }
    }
    let mut vertices = draw.indices.to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let place = |index: &u32| vertices.binary_search(index).unwrap_or(0) as u32;
    let indices = draw.indices.iter().map(place).collect();
    Ok(Used { vertices, indices })
}

/// The vertices of one instance.
fn shade_vertices<'a>(
    runner: &mut dyn Runner,
    draw: &Draw<'a>,
    used: &[u32],
    instance: u32,
) -> Result<Vertices<'a>, RenderError> {
    let shader = draw.vertex.shader;
    let mut outputs = Outputs { cells: vec![Vec::new(); shader.outputs.len()], ..Outputs::default() };
    for chunk in used.chunks(BATCH_VERTICES) {
        let batch = vertex_batch(draw, chunk, instance);
        let done = runner.run(&batch).map_err(|error| failed(shader, &error))?;
        for (all, cell) in outputs.cells.iter_mut().zip(&done.cells) {
            all.extend(cell);
        }
    }
    Ok(Vertices { shader, outputs })
}

/// What the vertex shader is run on for some vertices.
fn vertex_batch<'a>(draw: &Draw<'a>, vertices: &[u32], instance: u32) -> Batch<'a> {
    let list = |kind: InputKind| match kind {
        InputKind::Attribute { location } => match draw.streams.get(location as usize).copied().flatten() {
            Some(stream) => vertices.iter().map(|&vertex| fetch(&stream, vertex)).collect(),
            None => vec![[0, 0, 0, 1.0f32.to_bits()]; vertices.len()],
        },
        InputKind::System(System::InstanceIndex) => vec![[instance, 0, 0, 0]; vertices.len()],
        // Indices start at vertex 0, so both are the same.
        InputKind::System(System::VertexIndex | System::VertexIndexNoBase) => {
            vertices.iter().map(|&vertex| [vertex, 0, 0, 0]).collect()
        }
        _ => vec![[0; 4]; vertices.len()],
    };
    Batch {
        count: vertices.len(),
        inputs: draw.vertex.shader.inputs.iter().map(|input| list(input.kind)).collect(),
        params: draw.vertex.params.clone(),
        textures: draw.vertex.bindings(),
        states: draw.vertex.states.clone(),
        ..Batch::default()
    }
}

/// What one vertex of a draw is run on: the smallest part of what the draw ran that gives the same bits. `used` are the
/// vertices of the draw, `at` is which of them. Also gives the number of the invocation.
pub(super) fn vertex_again<'a>(
    draw: &Draw<'a>,
    used: &[u32],
    at: usize,
    instance: u32,
) -> Option<(Batch<'a>, usize)> {
    let shader = draw.vertex.shader;
    let chunk = used.chunks(BATCH_VERTICES).nth(at / BATCH_VERTICES)?;
    let at = at % BATCH_VERTICES;
    let mut votes = false;
    shader.body.for_each_inst(&mut |inst| votes |= inst.op.needs_subgroup());
    // Who sees what the vertices before it left needs those, and who votes needs its subgroup.
    let first = match (shader.serial, votes) {
        (true, _) => 0,
        (false, true) => at / SUBGROUP * SUBGROUP,
        (false, false) => at,
    };
    let end = if votes && !shader.serial { (first + SUBGROUP).min(chunk.len()) } else { at + 1 };
    Some((vertex_batch(draw, chunk.get(first..end)?, instance), at - first))
}

/// What some of the stages between is run on for one primitive or patch: all invocations of it, or the one that is `point`
/// where the stage is run for points. Also gives the number of the invocation. Where invocations ask others, the run as it
/// was.
pub(super) fn primitive_again<'a>(
    ran: Ran<'_, 'a>,
    primitive: usize,
    invocation: usize,
) -> Option<(Batch<'a>, usize)> {
    let Ran { shader, batch } = ran;
    let mut votes = false;
    shader.body.for_each_inst(&mut |inst| votes |= inst.op.needs_subgroup());
    let of_points = shader.stage == Stage::TessEval;
    let invocations = if of_points { 1 } else { shader.setup.invocations.max(1) as usize };
    if votes {
        let first = if of_points { 0 } else { primitive * invocations };
        return Some((batch.clone(), first + invocation));
    }
    let vertices = if shader.setup.vertices_in == 0 { batch.vertices_in } else { shader.setup.vertices_in };
    let each = vertices.max(1) as usize;
    let list = |(input, list): (&Input, &Vec<[u32; 4]>)| {
        let range = match input.kind {
            InputKind::Varying { .. } => primitive * each..(primitive + 1) * each,
            InputKind::System(System::TessCoord) => invocation..invocation + 1,
            _ => primitive..primitive + 1,
        };
        list.get(range).map(<[_]>::to_vec).unwrap_or_default()
    };
    let again = Batch {
        count: invocations,
        inputs: shader.inputs.iter().zip(&batch.inputs).map(list).collect(),
        vertices_in: batch.vertices_in,
        params: batch.params.clone(),
        textures: batch.textures.clone(),
        states: batch.states.clone(),
        ..Batch::default()
    };
    Some((again, if of_points { 0 } else { invocation }))
}

fn fetch(stream: &Stream<'_>, vertex: u32) -> [u32; 4] {
    let start = vertex as usize * stream.buffer.stride + stream.offset;
    stream.format.fetch(stream.buffer.words.get(start..).unwrap_or(&[]))
}

/// Where an input of the fragment shader comes from.
#[derive(Clone, Copy)]
enum Source {
    /// A cell of the last stage before, interpolated on the primitive.
    Cell(usize),
    /// The same, interpolated in the window.
    Linear(usize),
    /// The bits of the cell in the first vertex.
    Flat(usize),
    /// The place in the window.
    Place,
    /// The place in a point.
    InPoint,
    /// Whether the triangle is a front face.
    Front,
    /// The number of the primitive that comes in.
    Primitive,
    Zero,
}

impl Source {
    fn of(before: &Shader, input: &Input) -> Self {
        let cell = |kind: OutputKind| before.outputs.iter().position(|output| output.kind == kind);
        match input.kind {
            InputKind::Varying { .. } => match (cell_of(before, input), input.interpolation) {
                (None, _) => Self::Zero,
                (Some(cell), Interpolation::Flat) => Self::Flat(cell),
                (Some(cell), _) if input.ty.scalar != Scalar::F32 => Self::Flat(cell),
                (Some(cell), Interpolation::Linear) => Self::Linear(cell),
                (Some(cell), Interpolation::Perspective | Interpolation::Color) => Self::Cell(cell),
            },
            InputKind::System(System::FragCoord) => Self::Place,
            InputKind::System(System::PointCoord) => Self::InPoint,
            InputKind::System(System::FrontFacing) => Self::Front,
            InputKind::System(System::PrimitiveIndex) => {
                cell(OutputKind::PrimitiveIndex).map_or(Self::Primitive, Self::Flat)
            }
            InputKind::System(System::Layer) => cell(OutputKind::Layer).map_or(Self::Zero, Self::Flat),
            InputKind::System(System::ViewportIndex) => {
                cell(OutputKind::ViewportIndex).map_or(Self::Zero, Self::Flat)
            }
            _ => Self::Zero,
        }
    }
}

struct Quad {
    x: u32,
    y: u32,
    masks: [u16; 4],
    depth: Plane,
    front: bool,
    of: Piece,
}

/// What one instance of a draw is put on.
#[derive(Clone, Copy)]
struct Place<'d> {
    instance: u32,
    extent: Extent,
    /// The viewports; there is at least one.
    views: &'d [View],
    used: &'d [u32],
}

impl Place<'_> {
    /// The viewport of a piece.
    fn view(&self, piece: &Piece) -> View {
        self.views[piece.viewport as usize]
    }
}

/// Collects quads of a draw, shades them and merges them.
struct Painter<'d, 'a, 'p, 'r> {
    engine: &'r dyn Engine,
    runner: &'d mut Option<Box<dyn Runner + 'r>>,
    draw: &'d Draw<'a>,
    vertices: &'d Vertices<'d>,
    trail: Trail<'d, 'a>,
    sources: Vec<Source>,
    /// The cell of the position.
    position: Option<usize>,
    /// For each colour target, the cell of the fragment shader.
    colors: Vec<Option<usize>>,
    depth: Option<usize>,
    place: Place<'d>,
    budget: &'d mut Budget,
    quads: Vec<Quad>,
    batch: Batch<'a>,
    probe: Option<&'d mut Probe<'p>>,
    watch: &'d mut dyn FnMut(&Shaded<'_>),
    /// The pixels of `quads`, for who watches.
    pixels: Vec<Pixel>,
}

impl<'d, 'a: 'r, 'p, 'r> Painter<'d, 'a, 'p, 'r> {
    fn new(
        (engine, runner): (&'r dyn Engine, &'d mut Option<Box<dyn Runner + 'r>>),
        draw: &'r Draw<'a>,
        (vertices, trail): (&'d Vertices<'d>, Trail<'d, 'a>),
        place: Place<'d>,
        budget: &'d mut Budget,
        told: Told<'d, 'p>,
    ) -> Self {
        let shader = draw.fragment.shader;
        let sources = shader.inputs.iter().map(|input| Source::of(vertices.shader, input));
        let mut colors = Vec::new();
        let mut depth = None;
        for (cell, output) in shader.outputs.iter().enumerate() {
            match output.kind {
                OutputKind::Color { target } => {
                    let target = target as usize;
                    // No source has more than a handful of targets.
                    if target < 16 {
                        if colors.len() <= target {
                            colors.resize(target + 1, None);
                        }
                        colors[target] = Some(cell);
                    }
                }
                OutputKind::Depth => depth = Some(cell),
                _ => {}
            }
        }
        Self {
            engine,
            runner,
            draw,
            vertices,
            trail,
            sources: sources.collect(),
            position: vertices.cell(OutputKind::Position),
            colors,
            depth,
            place,
            budget,
            probe: told.probe,
            watch: told.watch,
            pixels: Vec::new(),
            quads: Vec::new(),
            batch: Batch {
                params: draw.fragment.params.clone(),
                textures: draw.fragment.bindings(),
                states: draw.fragment.states.clone(),
                inputs: vec![Vec::new(); shader.inputs.len()],
                ..Batch::default()
            },
        }
    }

    /// Clips and projects a piece, and calls `f` for each part that is left.
    fn project(
        &mut self,
        positions: [[f32; 4]; 3],
        piece: &Piece,
        bounds: Bounds,
        mut f: impl FnMut(&mut Self, &raster::Triangle),
    ) {
        let (screen, samples) = (self.place.view(piece).screen, self.place.extent.samples);
        let assembly = &self.draw.assembly;
        let [a, b, _] = positions;
        match piece.shape {
            Shape::Triangle => raster::project(positions, screen, bounds, |part| f(self, part)),
            Shape::Line => {
                let line = raster::line([a, b], assembly.line_width, screen, samples, bounds);
                line.iter().for_each(|line| f(self, line));
            }
            Shape::Point => {
                let cell = self.vertices.cell(OutputKind::PointSize);
                let written = cell.map(|cell| f32::from_bits(self.vertices.at(cell, piece.corners[0])[0]));
                let size = written.unwrap_or(assembly.point_size);
                let point = raster::point(a, size, screen, bounds);
                point.iter().for_each(|point| f(self, point));
            }
        }
    }

    fn triangle(
        &mut self,
        triangle: &raster::Triangle,
        of: Piece,
        targets: &mut Targets<'_>,
    ) -> Result<(), RenderError> {
        let mut outcome = Ok(());
        let blocks = raster::cover(triangle, self.place.extent.samples, |x, y, masks| {
            if outcome.is_ok() {
                outcome = self.quad(triangle, of, (x, y), masks, targets);
            }
        });
        outcome?;
        Budget::take(&mut self.budget.fragments, blocks, "fragments")
    }

    fn quad(
        &mut self,
        triangle: &raster::Triangle,
        of: Piece,
        (x, y): (u32, u32),
        masks: [u16; 4],
        targets: &mut Targets<'_>,
    ) -> Result<(), RenderError> {
        for (i, mask) in masks.iter().enumerate() {
            let px = f64::from(x + (i as u32 & 1)) + 0.5;
            let py = f64::from(y + (i as u32 >> 1)) + 0.5;
            let over = triangle.weights.map(|plane| plane.at(px, py));
            let weights = over;
            let inverse = weights[0] + weights[1] + weights[2];
            let w = 1.0 / inverse;
            let weights = weights.map(|b| b * w);
            for (list, source) in self.batch.inputs.iter_mut().zip(&self.sources) {
                let mut value = [0u32; 4];
                match *source {
                    Source::Zero => {}
                    Source::Front => value[0] = u32::from(triangle.front),
                    Source::Place => {
                        let depth = triangle.depth.at(px, py).clamp(0.0, 1.0);
                        value = [px, py, depth, inverse].map(|v| (v as f32).to_bits());
                    }
                    Source::InPoint => {
                        let [s, t] = triangle.place.map(|plane| (plane.at(px, py) as f32).to_bits());
                        value = [s, t, 0, 0];
                    }
                    Source::Primitive => value[0] = of.primitive,
                    Source::Flat(cell) => value = self.vertices.at(cell, of.corners[0]),
                    Source::Cell(cell) => value = self.vertices.mixed(cell, of.corners, weights),
                    Source::Linear(cell) => {
                        // A weight over w times its own w is one in the window.
                        let w = |i: usize| match self.position {
                            Some(cell) => f32::from_bits(self.vertices.at(cell, of.corners[i])[3]),
                            None => 1.0,
                        };
                        let weights = core::array::from_fn(|i| over[i] * f64::from(w(i)));
                        value = self.vertices.mixed(cell, of.corners, weights);
                    }
                }
                list.push(value);
            }
            self.batch.helpers.push(*mask == 0);
        }
        self.quads.push(Quad { x, y, masks, depth: triangle.depth, front: triangle.front, of });
        if self.quads.len() >= BATCH_QUADS {
            self.flush(targets)?;
        }
        Ok(())
    }

    /// Shades and merges what has been collected.
    fn flush(&mut self, targets: &mut Targets<'_>) -> Result<(), RenderError> {
        if self.quads.is_empty() {
            return Ok(());
        }
        self.batch.count = self.quads.len() * 4;
        Budget::take(&mut self.budget.fragments, self.batch.count as u64, "fragments")?;
        let shader = self.draw.fragment.shader;
        let mut running = match self.runner.take() {
            Some(running) => running,
            None => runner(self.engine, shader)?,
        };
        let done = running.run(&self.batch).map_err(|error| failed(shader, &error))?;
        self.pixels.clear();
        let corners = |quad: &Quad| {
            let layer = quad.of.layer;
            [0, 1, 2, 3].map(|i| Pixel { x: quad.x + (i & 1), y: quad.y + (i >> 1), layer })
        };
        self.pixels.extend(self.quads.iter().flat_map(corners));
        (self.watch)(&Shaded { pixels: &self.pixels, batch: &self.batch, outputs: done });
        let mut probe = self.probe.take();
        for (at, quad) in self.quads.iter().enumerate() {
            for (i, &mask) in quad.masks.iter().enumerate() {
                let invocation = at * 4 + i;
                let killed = done.killed.get(invocation).copied().unwrap_or(false);
                let x = quad.x + (i as u32 & 1);
                let y = quad.y + (i as u32 >> 1);
                match probe.as_deref_mut() {
                    Some(probe) if mask != 0 && probe.at == (Pixel { x, y, layer: quad.of.layer }) => {
                        self.report(probe, quad, mask, done, invocation, targets);
                    }
                    _ if mask == 0 || killed => {}
                    _ => {
                        self.merge(quad, (x, y), mask, done, invocation, targets);
                    }
                }
            }
        }
        self.probe = probe;
        *self.runner = Some(running);
        self.quads.clear();
        for list in &mut self.batch.inputs {
            list.clear();
        }
        self.batch.helpers.clear();
        Ok(())
    }

    fn merge(
        &self,
        quad: &Quad,
        (x, y): (u32, u32),
        mask: u16,
        done: &Outputs,
        invocation: usize,
        targets: &mut Targets<'_>,
    ) -> Tested {
        let value = |cell: usize| {
            let cell = done.cells.get(cell)?;
            cell.get(invocation).copied()
        };
        let extent = self.place.extent;
        let first = extent.at(quad.of.layer, x, y);
        let state = &self.draw.state;
        let mut tested = Tested { passed: mask, ..Tested::default() };
        if let Some(buffer) = targets.depth.as_deref_mut() {
            let written = self.depth.and_then(value).map(|v| unit(f32::from_bits(v[0])));
            tested = test(buffer, state, quad, (x, y), first, mask, written);
        }
        if tested.passed == 0 {
            return tested;
        }
        for (target, surface) in targets.colors.iter_mut().enumerate() {
            let Some(color) = self.colors.get(target).copied().flatten().and_then(value) else { continue };
            let color = color.map(|c| unit(f32::from_bits(c)));
            let replaced = state.replaces().then(|| color.map(unorm8));
            for sample in 0..extent.samples as usize {
                if tested.passed >> sample & 1 == 0 {
                    continue;
                }
                if let Some(texel) = surface.texels.get_mut(first + sample) {
                    *texel = replaced.unwrap_or_else(|| blend(state, color, *texel));
                }
            }
        }
        tested
    }

    /// Merges the fragment of the pixel that is looked at, and tells what became of it.
    fn report(
        &self,
        probe: &mut Probe<'_>,
        quad: &Quad,
        mask: u16,
        done: &Outputs,
        invocation: usize,
        targets: &mut Targets<'_>,
    ) {
        let Pixel { x, y, layer } = probe.at;
        let value = |cell: usize| done.cells.get(cell).and_then(|cell| cell.get(invocation)).copied();
        let mut shading = self.shading(quad.of, quad.front, mask);
        shading.colors = self.colors.iter().map(|cell| cell.and_then(value)).collect();
        shading.written_depth = self.depth.and_then(value).map(|v| f32::from_bits(v[0]));
        let place = |p: u32| f64::from(p) + 0.5;
        shading.depth = unit(quad.depth.at(place(x), place(y)) as f32);
        let first = self.place.extent.at(layer, x, y);
        let end = first + self.place.extent.samples as usize;
        let held = |targets: &Targets<'_>| {
            let surface = targets.colors.get(probe.target)?;
            surface.texels.get(first..end).map(<[_]>::to_vec)
        };
        shading.before = held(targets).unwrap_or_default();
        if let Some(buffer) = &targets.depth {
            shading.stored_depth = buffer.depth.get(first..end).map(<[_]>::to_vec).unwrap_or_default();
            shading.stored_stencil = buffer.stencil.get(first..end).map(<[_]>::to_vec).unwrap_or_default();
        }
        if done.killed.get(invocation).copied().unwrap_or(false) {
            shading.fate = Fate::Killed;
        } else {
            shading.tested = self.merge(quad, (x, y), mask, done, invocation, targets);
            let writes = self.colors.get(probe.target).copied().flatten().is_some();
            shading.fate = match shading.tested.passed {
                0 if shading.tested.depth_failed != 0 => Fate::Depth,
                0 => Fate::Stencil,
                _ if !writes || self.draw.state.color_mask == [false; 4] => Fate::Unwritten,
                _ => Fate::Kept,
            };
        }
        shading.after = held(targets).unwrap_or_default();
        let lane = invocation % 4;
        let again = Again {
            draw: self.draw,
            used: self.place.used,
            of: quad.of,
            trail: self.trail,
            instance: self.place.instance,
            quad: Some((&self.batch, invocation - lane, lane)),
        };
        (probe.tell)(shading, &again);
    }

    /// Tells about a triangle that was not drawn at the pixel that is looked at, though it covers it.
    fn missed(
        &mut self,
        positions: [[f32; 4]; 3],
        of: Piece,
        targets: &mut Targets<'_>,
    ) -> Result<(), RenderError> {
        let Some(probe) = self.probe.as_deref_mut() else { return Ok(()) };
        if positions.iter().flatten().any(|c| !c.is_finite()) {
            if probe.broken.0 == 0 {
                probe.broken.1 = of.number;
            }
            probe.broken.0 += 1;
            return Ok(());
        }
        let (x, y) = (probe.at.x as i32, probe.at.y as i32);
        let view = self.place.view(&of);
        let within = |bounds: Bounds| {
            (bounds.left..bounds.right).contains(&x) && (bounds.top..bounds.bottom).contains(&y)
        };
        let inside = within(view.bounds);
        let culling = self.draw.state.culling;
        if probe.at.layer != of.layer || !within(view.inside) || (inside && culling == Face::None) {
            return Ok(());
        }
        let only = Bounds { left: x, top: y, right: x + 1, bottom: y + 1 };
        let samples = self.place.extent.samples;
        let mut missed = Vec::new();
        self.project(positions, &of, only, |_, triangle| {
            let culled = of.shape == Shape::Triangle && culling.covers(triangle.front);
            if inside && !culled {
                return;
            }
            let mut covered = 0;
            raster::cover(triangle, samples, |_, _, masks| {
                covered |= masks.iter().fold(0, |all, mask| all | mask);
            });
            if covered != 0 {
                let fate = if culled { Fate::Culled } else { Fate::Scissored };
                missed.push((triangle.front, covered, fate));
            }
        });
        if missed.is_empty() {
            return Ok(());
        }
        // What is told stands in the order of the triangles.
        self.flush(targets)?;
        for (front, covered, fate) in missed {
            let shading = Shading { fate, ..self.shading(of, front, covered) };
            let (draw, used, instance) = (self.draw, self.place.used, self.place.instance);
            let again = Again { draw, used, of, trail: self.trail, instance, quad: None };
            if let Some(probe) = self.probe.as_deref_mut() {
                (probe.tell)(shading, &again);
            }
        }
        Ok(())
    }

    fn shading(&self, of: Piece, front: bool, covered: u16) -> Shading {
        let vertex = |at: usize| self.place.used.get(at).copied().unwrap_or(0);
        let vertices = of.source.map(vertex);
        let shading = Shading::new(self.place.instance, of.number, vertices, front, covered, self.draw.state);
        let made = self.vertices.shader.stage != Stage::Vertex;
        let (layer, viewport) = (of.layer, of.viewport);
        Shading { shape: of.shape, made, primitive: of.primitive, layer, viewport, ..shading }
    }
}

/// Depth and stencil tests of the samples of a pixel.
fn test(
    buffer: &mut DepthStencil,
    state: &State,
    quad: &Quad,
    (x, y): (u32, u32),
    first: usize,
    mask: u16,
    written: Option<f32>,
) -> Tested {
    let pattern = pattern(buffer.extent.samples);
    let ops = if quad.front { state.stencil.front } else { state.stencil.back };
    let (reference, read) = (state.stencil.reference, state.stencil.read_mask);
    let mut tested = Tested::default();
    for (sample, &(dx, dy)) in pattern.iter().enumerate() {
        if mask >> sample & 1 == 0 {
            continue;
        }
        let at = first + sample;
        let (Some(depth), Some(stencil)) = (buffer.depth.get_mut(at), buffer.stencil.get_mut(at)) else {
            continue;
        };
        let incoming = written.unwrap_or_else(|| {
            let place = |p: u32, d: i8| f64::from(p) + 0.5 + f64::from(d) / 16.0;
            unit(quad.depth.at(place(x, dx), place(y, dy)) as f32)
        });
        let stencil_passes = ops.compare.passes(reference & read, *stencil & read);
        let action = if !stencil_passes {
            tested.stencil_failed |= 1 << sample;
            ops.stencil_fail
        } else if !state.depth.compare.passes(incoming, *depth) {
            tested.depth_failed |= 1 << sample;
            ops.depth_fail
        } else {
            if state.depth.write {
                *depth = incoming;
            }
            tested.passed |= 1 << sample;
            ops.both_pass
        };
        let write = state.stencil.write_mask;
        *stencil = (*stencil & !write) | (action.apply(*stencil, reference) & write);
    }
    tested
}

/// The blend equation on one sample; the result is rounded to 8 bits.
fn blend(state: &State, source: [f32; 4], texel: [u8; 4]) -> [u8; 4] {
    let destination = texel.map(|c| f32::from(c) / 255.0);
    let factor = |f: BlendFactor, lane: usize| match f {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SourceColor => source[lane],
        BlendFactor::OneMinusSourceColor => 1.0 - source[lane],
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::OneMinusSourceAlpha => 1.0 - source[3],
        BlendFactor::DestinationColor => destination[lane],
        BlendFactor::OneMinusDestinationColor => 1.0 - destination[lane],
        BlendFactor::DestinationAlpha => destination[3],
        BlendFactor::OneMinusDestinationAlpha => 1.0 - destination[3],
    };
    let mut out = texel;
    for lane in 0..4 {
        if state.color_mask[lane] {
            let sum = source[lane] * factor(state.source, lane)
                + destination[lane] * factor(state.destination, lane);
            out[lane] = unorm8(sum);
        }
    }
    out
}
