//! One draw call: vertices are fetched and shaded, what they make is put on the screen, fragments are shaded in
//! batches of whole quads and merged into the targets in order.

use super::RenderError;
use super::assemble::{self, Assembly, Piece, Shape, Sink, StageRun, Trail, Vertices, cell_of};
use super::pick::{FragmentOutcome, Pixel, Shading, ShadingRerun, TestResults};
use super::raster::{self, Bounds, Plane, Screen};
use super::state::{BlendFactor, Face, MAX_VIEWPORTS, Rect, State, VertexFormat, Viewport};
use super::target::{DepthStencil, Extent, Surface, pattern, unit, unorm8};
use super::tiles::{Band, BandLayout, EngineChoice, Job, LazyRunner, Tile, TilePlan, Workers};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::{Batch, BoundTexture, Engine, Outputs, RunError, Runner};
use vecasm_ir::ir::{Input, InputKind, Interpolation, OutputKind, Scalar, Shader, Stage, System, Texture};

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
    #[cfg(feature = "files")]
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
                "found a {} shader, expected a {} shader",
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
            return Err(RenderError::new("no target to draw into"));
        };
        if sizes.any(|s| s != first) {
            return Err(RenderError::new("the targets of a draw differ in size, layers or antialiasing"));
        }
        Ok(first)
    }
}

/// Fragments that were shaded together: whole quads.
#[derive(Debug)]
pub struct ShadedFragments<'a> {
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
    draw_by(EngineChoice::Alone(engine), draw, targets, budget)
}

/// Draws as [`draw()`] does, the same bits, with several jobs at a time for the fragments.
///
/// Draws with few fragments are not shared out, nor those whose fragment shader may see what other invocations left.
///
/// # Errors
///
/// As [`draw()`].
pub fn draw_spread(
    engine: &(dyn Engine + Sync),
    workers: &dyn Workers,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
) -> Result<(), RenderError> {
    draw_by(EngineChoice::Tiles(TilePlan::new(engine, workers)), draw, targets, budget)
}

/// Draws as [`draw()`] does.
pub(super) fn draw_by(
    means: EngineChoice<'_>,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
) -> Result<(), RenderError> {
    draw_told(means, draw, targets, budget, None, &mut |_| ())
}

/// Who is told what happens at a pixel.
pub struct Probe<'p> {
    /// The pixel, in the targets.
    pub at: Pixel,
    /// The number of the colour target that is looked at.
    pub target: usize,
    /// What drawing counts: triangles that are not drawn because a corner is not finite, and the number of the first of them.
    pub broken: (u64, u32),
    /// What is called for each triangle (or line, or point) that covers samples of the pixel, in order.
    pub tell: &'p mut dyn FnMut(Shading, &ShadingRerun<'_, '_>),
}

/// Who is told of a draw.
struct Observers<'d, 'p> {
    probe: Option<&'d mut Probe<'p>>,
    watch: &'d mut dyn FnMut(&ShadedFragments<'_>),
}

/// Draws as [`draw()`] does, the same bits, and tells `probe` what happens at its pixel, and `watch` the fragments, each
/// batch when it has been shaded and before it is merged into the targets.
///
/// # Errors
///
/// As [`draw()`].
pub fn draw_probed(
    engine: &dyn Engine,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
    probe: Option<&mut Probe<'_>>,
    watch: &mut dyn FnMut(&ShadedFragments<'_>),
) -> Result<(), RenderError> {
    draw_told(EngineChoice::Alone(engine), draw, targets, budget, probe, watch)
}

/// Nobody is told of what is spread.
fn draw_told(
    means: EngineChoice<'_>,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
    mut probe: Option<&mut Probe<'_>>,
    watch: &mut dyn FnMut(&ShadedFragments<'_>),
) -> Result<(), RenderError> {
    let engine = means.engine();
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
                "attribute {location} ({} at word {}) is outside a vertex of {} words",
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
    let spread = match means {
        EngineChoice::Tiles(spread) => Some((spread, spread.tiles(draw.fragment.shader))),
        EngineChoice::Alone(_) => None,
    };
    let spread = spread.filter(|(_, tiles)| *tiles > 1);
    let cut = spread
        .map_or_else(|| BandLayout::of_layers(extent), |(spread, _)| BandLayout::new(extent, spread.rows));
    let mut bands = cut.bands(targets);
    let shader = draw.fragment.shader;
    let mut alone = LazyRunner::new(engine, shader, |engine, shader| engine.runner(shader));
    let (spread, tiles) = spread.map_or((None, 0), |(spread, tiles)| (Some(spread), tiles));
    let mut crew: Vec<Hand<'_>> = Vec::new();
    if let Some(spread) = spread {
        let hand = || LazyRunner::new(spread.engine, shader, |engine, shader| engine.sent_runner(shader));
        crew.resize_with(tiles, hand);
    }
    for instance in 0..draw.instances {
        let cost = used.vertices.len() + 1;
        Budget::take(&mut budget.vertices, cost as u64, "vertices")?;
        let vertices = shade_vertices(&mut *vertex, draw, &used.vertices, instance)?;
        let place = Place { instance, extent, views: &views, used: &used.vertices };
        let mut screen = OnScreen {
            alone: &mut alone,
            spread,
            crew: &mut crew,
            draw,
            place,
            budget,
            probe: probe.as_deref_mut(),
            watch,
            cut,
            bands: &mut bands,
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

/// A worker's fragment shader.
type Hand<'r> = LazyRunner<'r, dyn Engine + Sync + 'r, dyn Runner + Send + 'r>;

/// Most parts of pieces that are shared out together.
const MOST_PARTS: usize = 4096;
/// More than what a block can cost: it is looked at, and 3 quads of a line or all of its own are shaded for each row.
const BLOCK_COST: u64 = 128;

/// What is left of a piece on the screen.
struct Part {
    triangle: raster::Triangle,
    of: Piece,
}

/// Paints what is assembled.
struct OnScreen<'d, 'a, 'p, 't, 'r> {
    /// What runs the fragment shader where nothing is shared out.
    alone: &'d mut dyn Runner,
    spread: Option<TilePlan<'r>>,
    /// What runs it for each worker; none where nothing is spread.
    crew: &'d mut [Hand<'r>],
    draw: &'r Draw<'a>,
    place: Place<'d>,
    budget: &'d mut Budget,
    probe: Option<&'d mut Probe<'p>>,
    watch: &'d mut dyn FnMut(&ShadedFragments<'_>),
    cut: BandLayout,
    bands: &'d mut [Band<'t>],
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
        let (layer, viewport) = (vertices.cell(OutputKind::Layer), vertices.cell(OutputKind::ViewportIndex));
        // What is beyond those that there are is the first one.
        let put = |mut piece: Piece| {
            let chosen = |cell: Option<usize>, count: usize| {
                let number = cell.map_or(0, |cell| vertices.at(cell, piece.corners[0])[0]);
                if (number as usize) < count { number } else { 0 }
            };
            let into = (chosen(layer, place.extent.layers as usize), chosen(viewport, place.views.len()));
            (piece.layer, piece.viewport) = into;
            (piece, piece.corners.map(|corner| vertices.at(position, corner).map(f32::from_bits)))
        };
        let drawn = |piece: &Piece, triangle: &raster::Triangle| {
            piece.shape != Shape::Triangle || !draw.state.culling.covers(triangle.front)
        };
        if self.spread.is_some() {
            let mut parts = Vec::new();
            for piece in pieces {
                let (of, positions) = put(piece);
                let bounds = place.view(&of).bounds;
                project(draw, vertices, place, positions, &of, bounds, |triangle| {
                    if drawn(&of, triangle) {
                        parts.push(Part { triangle: *triangle, of });
                    }
                });
                if parts.len() >= MOST_PARTS {
                    self.parts(&parts, vertices, trail)?;
                    parts.clear();
                }
            }
            return self.parts(&parts, vertices, trail);
        }
        let told = Observers { probe: self.probe.as_deref_mut(), watch: self.watch };
        let mut painter = Painter::new(&mut *self.alone, draw, (vertices, trail), place, self.budget, told);
        let tile = &mut Tile::of_all(self.cut, self.bands);
        for piece in pieces {
            let (piece, positions) = put(piece);
            let bounds = place.view(&piece).bounds;
            let mut outcome = Ok(());
            project(draw, vertices, place, positions, &piece, bounds, |triangle| {
                if outcome.is_ok() && drawn(&piece, triangle) {
                    outcome = painter.triangle(triangle, piece, tile);
                }
            });
            outcome?;
            painter.missed(positions, piece, tile)?;
        }
        painter.flush(tile)
    }
}

impl<'a: 'r, 'r> OnScreen<'_, 'a, '_, '_, 'r> {
    /// Paints parts of pieces in order: those that are worth it all at the same time, each worker its own tile.
    fn parts(
        &mut self,
        parts: &[Part],
        vertices: &Vertices<'_>,
        trail: Trail<'_, 'a>,
    ) -> Result<(), RenderError> {
        let (draw, place) = (self.draw, self.place);
        let pixels: u64 = parts.iter().map(|part| part.triangle.pixels()).sum();
        let blocks: u64 = parts.iter().map(|part| part.triangle.blocks()).sum();
        // Where the budget could be used up, it matters when.
        let enough = blocks.saturating_mul(BLOCK_COST) <= self.budget.fragments;
        if let Some(spread) = self.spread.filter(|spread| enough && pixels >= spread.fewest) {
            let tiles = Tile::deal(self.cut, self.bands, self.crew.len());
            let mut spent: Vec<Option<Result<u64, RenderError>>> = vec![None; tiles.len()];
            let paint = |hand: &mut Hand<'r>, tile: &mut Tile<'_, '_>| {
                let mut budget = Budget { vertices: 0, fragments: u64::MAX };
                let told = Observers { probe: None, watch: &mut |_| () };
                let mut painter = Painter::new(hand, draw, (vertices, trail), place, &mut budget, told);
                for Part { triangle, of } in parts {
                    painter.cover(triangle, *of, tile)?;
                }
                painter.flush(tile)?;
                Ok(u64::MAX - budget.fragments)
            };
            // What is still to be done behind a worker that left it.
            let mut left: Vec<_> = self.crew.iter_mut().zip(tiles).zip(&mut spent).collect();
            let job = |((hand, tile), spent): &mut ((&mut Hand<'r>, Tile<'_, '_>), &mut Option<_>)| {
                if spent.is_none() {
                    **spent = Some(paint(hand, tile));
                }
            };
            let job = &job;
            let jobs = left.iter_mut().map(|work| Box::new(move || job(work)) as Job<'_>).collect();
            spread.workers.work(jobs);
            left.iter_mut().for_each(job);
            let spent: Result<Vec<u64>, RenderError> = spent.into_iter().flatten().collect();
            if let Ok(spent) = spent {
                let all = spent.into_iter().fold(blocks, u64::saturating_add);
                return Budget::take(&mut self.budget.fragments, all, "fragments");
            }
            // A shader that cannot be run has failed before anything was merged: what is drawn then is what follows.
        }
        let told = Observers { probe: None, watch: &mut |_| () };
        let mut painter = Painter::new(&mut *self.alone, draw, (vertices, trail), place, self.budget, told);
        let tile = &mut Tile::of_all(self.cut, self.bands);
        for Part { triangle, of } in parts {
            painter.triangle(triangle, *of, tile)?;
        }
        painter.flush(tile)
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

/// Clips and projects a piece, and calls `f` for each part that is left.
fn project(
    draw: &Draw<'_>,
    vertices: &Vertices<'_>,
    place: Place<'_>,
    positions: [[f32; 4]; 3],
    piece: &Piece,
    bounds: Bounds,
    f: impl FnMut(&raster::Triangle),
) {
    let (screen, samples) = (place.view(piece).screen, place.extent.samples);
    let assembly = &draw.assembly;
    let [a, b, _] = positions;
    match piece.shape {
        Shape::Triangle => raster::project(positions, screen, bounds, f),
        Shape::Line => raster::line([a, b], assembly.line_width, screen, samples, bounds).iter().for_each(f),
        Shape::Point => {
            let cell = vertices.cell(OutputKind::PointSize);
            let written = cell.map(|cell| f32::from_bits(vertices.at(cell, piece.corners[0])[0]));
            let size = written.unwrap_or(assembly.point_size);
            raster::point(a, size, screen, bounds).iter().for_each(f);
        }
    }
}

/// The vertices of a draw, each once.
struct UsedVertices {
    /// Their numbers in the buffers, ascending.
    vertices: Vec<u32>,
    /// The indices of the draw, now into `vertices`.
    indices: Vec<u32>,
}

fn used_vertices(draw: &Draw<'_>) -> Result<UsedVertices, RenderError> {
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
    Ok(UsedVertices { vertices, indices })
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
    ran: StageRun<'_, 'a>,
    primitive: usize,
    invocation: usize,
) -> Option<(Batch<'a>, usize)> {
    let StageRun { shader, batch } = ran;
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

/// An input of the fragment shader on one piece.
#[derive(Clone, Copy)]
enum PieceInput {
    /// Everywhere the same.
    Same([u32; 4]),
    Place,
    InPoint,
    /// What the corners have, interpolated on the primitive.
    Mixed([[f64; 4]; 3]),
    /// The same, interpolated in the window, and w of each corner: a weight over w times its own w is one in the window.
    Linear([[f64; 4]; 3], [f64; 3]),
}

impl PieceInput {
    /// Of a piece whose part on the screen is a front face or not.
    fn new(
        source: Source,
        vertices: &Vertices<'_>,
        position: Option<usize>,
        of: &Piece,
        front: bool,
    ) -> Self {
        let corners = |cell: usize| {
            of.corners.map(|corner| vertices.at(cell, corner).map(|bits| f64::from(f32::from_bits(bits))))
        };
        match source {
            Source::Zero => Self::Same([0; 4]),
            Source::Front => Self::Same([u32::from(front), 0, 0, 0]),
            Source::Primitive => Self::Same([of.primitive, 0, 0, 0]),
            Source::Flat(cell) => Self::Same(vertices.at(cell, of.corners[0])),
            Source::Place => Self::Place,
            Source::InPoint => Self::InPoint,
            Source::Cell(cell) => Self::Mixed(corners(cell)),
            Source::Linear(cell) => {
                Self::Linear(corners(cell), position.map_or([1.0; 3], |cell| corners(cell).map(|of| of[3])))
            }
        }
    }
}

/// The weighted sum of what three corners have.
fn mix(corners: &[[f64; 4]; 3], weights: [f64; 3]) -> [u32; 4] {
    let [a, b, c] = corners;
    core::array::from_fn(|lane| {
        let sum = weights[0] * a[lane] + weights[1] * b[lane] + weights[2] * c[lane];
        (sum as f32).to_bits()
    })
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

/// What is painted, and how.
struct Subject<'d, 'a> {
    draw: &'d Draw<'a>,
    vertices: &'d Vertices<'d>,
    trail: Trail<'d, 'a>,
    /// For each colour target, the cell of the fragment shader.
    colors: Vec<Option<usize>>,
    /// The cell of the depth, if it writes one.
    depth: Option<usize>,
    place: Place<'d>,
}

/// Collects quads of a draw, shades them and merges them.
struct Painter<'d, 'a, 'p> {
    runner: &'d mut dyn Runner,
    of: Subject<'d, 'a>,
    sources: Vec<Source>,
    /// What they are on the piece that is painted now.
    given: Vec<PieceInput>,
    /// The cell of the position.
    position: Option<usize>,
    budget: &'d mut Budget,
    quads: Vec<Quad>,
    batch: Batch<'a>,
    probe: Option<&'d mut Probe<'p>>,
    watch: &'d mut dyn FnMut(&ShadedFragments<'_>),
    /// The pixels of `quads`, for who watches.
    pixels: Vec<Pixel>,
}

impl<'d, 'a, 'p> Painter<'d, 'a, 'p> {
    fn new(
        runner: &'d mut dyn Runner,
        draw: &'d Draw<'a>,
        (vertices, trail): (&'d Vertices<'d>, Trail<'d, 'a>),
        place: Place<'d>,
        budget: &'d mut Budget,
        told: Observers<'d, 'p>,
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
            runner,
            of: Subject { draw, vertices, trail, colors, depth, place },
            sources: sources.collect(),
            given: Vec::new(),
            position: vertices.cell(OutputKind::Position),
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

    /// Paints a part of a piece, and pays for looking.
    fn triangle(
        &mut self,
        triangle: &raster::Triangle,
        of: Piece,
        tile: &mut Tile<'_, '_>,
    ) -> Result<(), RenderError> {
        self.cover(triangle, of, tile)?;
        Budget::take(&mut self.budget.fragments, triangle.blocks(), "fragments")
    }

    /// Paints what lies of a part of a piece in a tile.
    fn cover(
        &mut self,
        triangle: &raster::Triangle,
        of: Piece,
        tile: &mut Tile<'_, '_>,
    ) -> Result<(), RenderError> {
        let mut outcome = Ok(());
        let mut ready = false;
        for rows in tile.rows(of.layer, (triangle.bounds.top, triangle.bounds.bottom)) {
            if !ready {
                let given = |source: &Source| {
                    PieceInput::new(*source, self.of.vertices, self.position, &of, triangle.front)
                };
                self.given.clear();
                self.given.extend(self.sources.iter().map(given));
                ready = true;
            }
            raster::cover(triangle, rows, self.of.place.extent.samples, |x, y, masks| {
                if outcome.is_ok() {
                    outcome = self.quad(triangle, of, (x, y), masks, tile);
                }
            });
        }
        outcome
    }

    fn quad(
        &mut self,
        triangle: &raster::Triangle,
        of: Piece,
        (x, y): (u32, u32),
        masks: [u16; 4],
        tile: &mut Tile<'_, '_>,
    ) -> Result<(), RenderError> {
        let centers: [[f64; 2]; 4] = core::array::from_fn(|i| {
            [f64::from(x + (i as u32 & 1)) + 0.5, f64::from(y + (i as u32 >> 1)) + 0.5]
        });
        let over = centers.map(|[px, py]| triangle.weights.map(|plane| plane.at(px, py)));
        let inverse = over.map(|of| of[0] + of[1] + of[2]);
        let weights: [[f64; 3]; 4] = core::array::from_fn(|i| {
            let w = 1.0 / inverse[i];
            over[i].map(|weight| weight * w)
        });
        for (list, given) in self.batch.inputs.iter_mut().zip(&self.given) {
            let four: [[u32; 4]; 4] = match given {
                PieceInput::Same(value) => [*value; 4],
                PieceInput::Place => core::array::from_fn(|i| {
                    let [px, py] = centers[i];
                    let depth = triangle.depth.at(px, py).clamp(0.0, 1.0);
                    [px, py, depth, inverse[i]].map(|v| (v as f32).to_bits())
                }),
                PieceInput::InPoint => centers.map(|[px, py]| {
                    let [s, t] = triangle.place.map(|plane| (plane.at(px, py) as f32).to_bits());
                    [s, t, 0, 0]
                }),
                PieceInput::Mixed(corners) => weights.map(|weights| mix(corners, weights)),
                PieceInput::Linear(corners, w) => {
                    over.map(|over| mix(corners, core::array::from_fn(|i| over[i] * w[i])))
                }
            };
            list.extend_from_slice(&four);
        }
        self.batch.helpers.extend(masks.map(|mask| mask == 0));
        self.quads.push(Quad { x, y, masks, depth: triangle.depth, front: triangle.front, of });
        if self.quads.len() >= BATCH_QUADS {
            self.flush(tile)?;
        }
        Ok(())
    }

    /// Shades and merges what has been collected.
    fn flush(&mut self, tile: &mut Tile<'_, '_>) -> Result<(), RenderError> {
        if self.quads.is_empty() {
            return Ok(());
        }
        self.batch.count = self.quads.len() * 4;
        Budget::take(&mut self.budget.fragments, self.batch.count as u64, "fragments")?;
        let Self { runner, of, batch, .. } = self;
        let (of, batch, shader) = (&*of, &*batch, of.draw.fragment.shader);
        let done = runner.run(batch).map_err(|error| failed(shader, &error))?;
        self.pixels.clear();
        let corners = |quad: &Quad| {
            let layer = quad.of.layer;
            [0, 1, 2, 3].map(|i| Pixel { x: quad.x + (i & 1), y: quad.y + (i >> 1), layer })
        };
        self.pixels.extend(self.quads.iter().flat_map(corners));
        (self.watch)(&ShadedFragments { pixels: &self.pixels, batch, outputs: done });
        for (at, quad) in self.quads.iter().enumerate() {
            let Some(band) = tile.band(quad.of.layer, quad.y) else { continue };
            for (i, &mask) in quad.masks.iter().enumerate() {
                let invocation = at * 4 + i;
                let killed = done.killed.get(invocation).copied().unwrap_or(false);
                let x = quad.x + (i as u32 & 1);
                let y = quad.y + (i as u32 >> 1);
                match self.probe.as_deref_mut() {
                    Some(probe) if mask != 0 && probe.at == (Pixel { x, y, layer: quad.of.layer }) => {
                        of.report(probe, quad, mask, (batch, done, invocation), band);
                    }
                    _ if mask == 0 || killed => {}
                    _ => {
                        of.merge(quad, (x, y), mask, done, invocation, band);
                    }
                }
            }
        }
        self.quads.clear();
        for list in &mut self.batch.inputs {
            list.clear();
        }
        self.batch.helpers.clear();
        Ok(())
    }

    /// Tells about a triangle that was not drawn at the pixel that is looked at, though it covers it.
    fn missed(
        &mut self,
        positions: [[f32; 4]; 3],
        of: Piece,
        tile: &mut Tile<'_, '_>,
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
        let view = self.of.place.view(&of);
        let within = |bounds: Bounds| {
            (bounds.left..bounds.right).contains(&x) && (bounds.top..bounds.bottom).contains(&y)
        };
        let inside = within(view.bounds);
        let culling = self.of.draw.state.culling;
        if probe.at.layer != of.layer || !within(view.inside) || (inside && culling == Face::None) {
            return Ok(());
        }
        let only = Bounds { left: x, top: y, right: x + 1, bottom: y + 1 };
        let samples = self.of.place.extent.samples;
        let mut missed = Vec::new();
        let Subject { draw, vertices, place, .. } = self.of;
        project(draw, vertices, place, positions, &of, only, |triangle| {
            let culled = of.shape == Shape::Triangle && culling.covers(triangle.front);
            if inside && !culled {
                return;
            }
            let mut covered = 0;
            let rows = (only.top & !1, only.bottom + 1);
            raster::cover(triangle, rows, samples, |_, _, masks| {
                covered |= masks.iter().fold(0, |all, mask| all | mask);
            });
            if covered != 0 {
                let fate = if culled { FragmentOutcome::Culled } else { FragmentOutcome::Scissored };
                missed.push((triangle.front, covered, fate));
            }
        });
        if missed.is_empty() {
            return Ok(());
        }
        // What is told stands in the order of the triangles.
        self.flush(tile)?;
        for (front, covered, fate) in missed {
            let shading = Shading { fate, ..self.of.shading(of, front, covered) };
            let (draw, used, instance) = (self.of.draw, self.of.place.used, self.of.place.instance);
            let again = ShadingRerun { draw, used, of, trail: self.of.trail, instance, quad: None };
            if let Some(probe) = self.probe.as_deref_mut() {
                (probe.tell)(shading, &again);
            }
        }
        Ok(())
    }
}

impl Subject<'_, '_> {
    fn merge(
        &self,
        quad: &Quad,
        (x, y): (u32, u32),
        mask: u16,
        done: &Outputs,
        invocation: usize,
        band: &mut Band<'_>,
    ) -> TestResults {
        let value = |cell: usize| {
            let cell = done.cells.get(cell)?;
            cell.get(invocation).copied()
        };
        let extent = self.place.extent;
        let state = &self.draw.state;
        let mut tested = TestResults { passed: mask, ..TestResults::default() };
        let first = extent.at(quad.of.layer, x, y) - band.start;
        let samples = extent.samples;
        if let Some(buffer) = &mut band.depth {
            let written = self.depth.and_then(value).map(|v| unit(f32::from_bits(v[0])));
            tested = test(buffer, state, quad, (x, y), (first, samples), mask, written);
        }
        if tested.passed == 0 {
            return tested;
        }
        for (target, texels) in band.colors.iter_mut().enumerate() {
            let Some(color) = self.colors.get(target).copied().flatten().and_then(value) else { continue };
            let color = color.map(|c| unit(f32::from_bits(c)));
            let replaced = state.replaces().then(|| color.map(unorm8));
            for sample in 0..samples as usize {
                if tested.passed >> sample & 1 == 0 {
                    continue;
                }
                if let Some(texel) = texels.get_mut(first + sample) {
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
        (batch, done, invocation): (&Batch<'_>, &Outputs, usize),
        band: &mut Band<'_>,
    ) {
        let Pixel { x, y, layer } = probe.at;
        let value = |cell: usize| done.cells.get(cell).and_then(|cell| cell.get(invocation)).copied();
        let mut shading = self.shading(quad.of, quad.front, mask);
        shading.colors = self.colors.iter().map(|cell| cell.and_then(value)).collect();
        shading.written_depth = self.depth.and_then(value).map(|v| f32::from_bits(v[0]));
        let place = |p: u32| f64::from(p) + 0.5;
        shading.depth = unit(quad.depth.at(place(x), place(y)) as f32);
        let first = self.place.extent.at(layer, x, y) - band.start;
        let range = first..first + self.place.extent.samples as usize;
        let held = |band: &Band<'_>| {
            let texels = band.colors.get(probe.target)?;
            texels.get(range.clone()).map(<[_]>::to_vec)
        };
        shading.before = held(band).unwrap_or_default();
        if let Some((depth, stencil)) = &band.depth {
            shading.stored_depth = depth.get(range.clone()).map(<[_]>::to_vec).unwrap_or_default();
            shading.stored_stencil = stencil.get(range.clone()).map(<[_]>::to_vec).unwrap_or_default();
        }
        if done.killed.get(invocation).copied().unwrap_or(false) {
            shading.fate = FragmentOutcome::Killed;
        } else {
            shading.tested = self.merge(quad, (x, y), mask, done, invocation, band);
            let writes = self.colors.get(probe.target).copied().flatten().is_some();
            shading.fate = match shading.tested.passed {
                0 if shading.tested.depth_failed != 0 => FragmentOutcome::Depth,
                0 => FragmentOutcome::Stencil,
                _ if !writes || self.draw.state.color_mask == [false; 4] => FragmentOutcome::Unwritten,
                _ => FragmentOutcome::Kept,
            };
        }
        shading.after = held(band).unwrap_or_default();
        let lane = invocation % 4;
        let again = ShadingRerun {
            draw: self.draw,
            used: self.place.used,
            of: quad.of,
            trail: self.trail,
            instance: self.place.instance,
            quad: Some((batch, invocation - lane, lane)),
        };
        (probe.tell)(shading, &again);
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
    (depths, stencils): &mut (&mut [f32], &mut [u8]),
    state: &State,
    quad: &Quad,
    (x, y): (u32, u32),
    (first, samples): (usize, u32),
    mask: u16,
    written: Option<f32>,
) -> TestResults {
    let pattern = pattern(samples);
    let ops = if quad.front { state.stencil.front } else { state.stencil.back };
    let (reference, read) = (state.stencil.reference, state.stencil.read_mask);
    let mut tested = TestResults::default();
    for (sample, &(dx, dy)) in pattern.iter().enumerate() {
        if mask >> sample & 1 == 0 {
            continue;
        }
        let at = first + sample;
        let (Some(depth), Some(stencil)) = (depths.get_mut(at), stencils.get_mut(at)) else {
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
