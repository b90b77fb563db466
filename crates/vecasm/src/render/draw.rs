//! One draw call: vertices are fetched and shaded, triangles are put on the screen, fragments are shaded in
//! batches of whole quads and merged into the targets in order.

use super::RenderError;
use super::raster::{self, Bounds, Plane};
use super::state::{BlendFactor, State, VertexFormat};
use super::target::{DepthStencil, Extent, Surface, pattern, unit, unorm8};
use crate::exec::{Batch, BoundTexture, Engine, Outputs};
use crate::ir::{InputKind, OutputKind, Shader, Stage, System};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Quads that are shaded in one run of the engine.
const BATCH_QUADS: usize = 1024;
/// Vertices that are shaded in one run of the engine.
const BATCH_VERTICES: usize = 4096;

/// How much drawing may cost. Every draw call subtracts from it; when it is used up, drawing stops with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Vertex invocations left. A triangle counts like one more, and so does an instance.
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

    fn take(left: &mut u64, count: u64, what: &str) -> Result<(), RenderError> {
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
    fn bindings(&self) -> Vec<Option<BoundTexture<'a>>> {
        let slot = |n: u32| self.textures.get(n as usize).copied().flatten();
        self.shader.textures.iter().map(|t| slot(t.slot)).collect()
    }

    fn fits(&self, stage: Stage) -> Result<(), RenderError> {
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
    /// Three for each triangle.
    pub indices: &'a [u32],
    /// How often the triangles are drawn, with instance numbers from 0.
    pub instances: u32,
    /// The fixed state.
    pub state: State,
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
            return Err(RenderError::new("the targets of a draw differ in size or antialiasing"));
        }
        Ok(first)
    }
}

/// Draws.
///
/// A varying that the vertex shader does not write reads 0. Fragments are shaded once a pixel, at its centre, even
/// if only other samples of the pixel are covered; quads are completed with helpers, so that derivatives exist at
/// the edges of a triangle.
///
/// # Errors
///
/// If the shaders are not of the right stage, cannot be run by the engine or write no position; if an index or an
/// attribute lies outside its buffer, if a bound texture has the wrong dimension, if the targets differ in size,
/// or if the budget is used up. What was drawn before that stays.
pub fn draw(
    engine: &dyn Engine,
    draw: &Draw<'_>,
    targets: &mut Targets<'_>,
    budget: &mut Budget,
) -> Result<(), RenderError> {
    draw.vertex.fits(Stage::Vertex)?;
    draw.fragment.fits(Stage::Fragment)?;
    let extent = targets.extent()?;
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
    let bounds = clip_to_scissor(extent, &draw.state);
    let used = used_vertices(draw)?;
    for instance in 0..draw.instances {
        let cost = used.vertices.len() + used.indices.len() / 3 + 1;
        Budget::take(&mut budget.vertices, cost as u64, "vertices")?;
        let vertices = shade_vertices(engine, draw, &used.vertices, instance)?;
        let mut painter = Painter::new(engine, draw, &vertices, extent, budget);
        for triangle in used.indices.chunks_exact(3) {
            let corners = [triangle[0] as usize, triangle[1] as usize, triangle[2] as usize];
            let Some(position) = vertices.outputs.cells.get(vertices.position) else { continue };
            let positions = corners.map(|c| position.get(c).copied().unwrap_or([0; 4]).map(f32::from_bits));
            let mut outcome = Ok(());
            raster::project(positions, extent.width, extent.height, bounds, |projected| {
                if outcome.is_ok() && !draw.state.culling.covers(projected.front) {
                    outcome = painter.triangle(projected, corners, targets);
                }
            });
            outcome?;
        }
        painter.flush(targets)?;
    }
    Ok(())
}

fn clip_to_scissor(extent: Extent, state: &State) -> Bounds {
    let (width, height) = (extent.width as i32, extent.height as i32);
    let Some(rect) = state.scissor else {
        return Bounds { left: 0, top: 0, right: width, bottom: height };
    };
    let end = |start: u32, length: u32, limit: i32| {
        i32::try_from(start.saturating_add(length)).unwrap_or(i32::MAX).min(limit)
    };
    Bounds {
        left: end(rect.x, 0, width),
        top: end(rect.y, 0, height),
        right: end(rect.x, rect.width, width),
        bottom: end(rect.y, rect.height, height),
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

/// The shaded vertices of one instance.
struct Vertices {
    /// The cells of the vertex shader for the vertices in use, one after another.
    outputs: Outputs,
    /// The cell that holds the position.
    position: usize,
}

fn shade_vertices(
    engine: &dyn Engine,
    draw: &Draw<'_>,
    used: &[u32],
    instance: u32,
) -> Result<Vertices, RenderError> {
    let shader = draw.vertex.shader;
    let Some(position) = shader.outputs.iter().position(|o| o.kind == OutputKind::Position) else {
        return Err(RenderError::new("the vertex shader writes no position"));
    };
    let mut batch = Batch {
        params: draw.vertex.params.clone(),
        textures: draw.vertex.bindings(),
        states: draw.vertex.states.clone(),
        ..Batch::default()
    };
    let mut outputs = Outputs { cells: vec![Vec::new(); shader.outputs.len()], ..Outputs::default() };
    for chunk in used.chunks(BATCH_VERTICES) {
        batch.count = chunk.len();
        batch.inputs.clear();
        for input in &shader.inputs {
            let list: Vec<[u32; 4]> = match input.kind {
                InputKind::Attribute { location } => {
                    match draw.streams.get(location as usize).copied().flatten() {
                        Some(stream) => chunk.iter().map(|&vertex| fetch(&stream, vertex)).collect(),
                        None => vec![[0, 0, 0, 1.0f32.to_bits()]; chunk.len()],
                    }
                }
                InputKind::System(System::InstanceIndex) => vec![[instance, 0, 0, 0]; chunk.len()],
                _ => vec![[0; 4]; chunk.len()],
            };
            batch.inputs.push(list);
        }
        let done = engine.run(shader, &batch).map_err(|e| RenderError::new(format!("vertex shader: {e}")))?;
        for (all, cell) in outputs.cells.iter_mut().zip(done.cells) {
            all.extend(cell);
        }
    }
    Ok(Vertices { outputs, position })
}

fn fetch(stream: &Stream<'_>, vertex: u32) -> [u32; 4] {
    let start = vertex as usize * stream.buffer.stride + stream.offset;
    stream.format.fetch(stream.buffer.words.get(start..).unwrap_or(&[]))
}

/// Where an input of the fragment shader comes from.
#[derive(Clone, Copy)]
enum Source {
    /// A cell of the vertex shader, interpolated.
    Cell(usize),
    /// The place in the window.
    Place,
    /// Whether the triangle is a front face.
    Front,
    Zero,
}

struct Quad {
    x: u32,
    y: u32,
    masks: [u16; 4],
    depth: Plane,
    front: bool,
}

/// Collects quads of a draw, shades them and merges them.
struct Painter<'d, 'a> {
    engine: &'d dyn Engine,
    draw: &'d Draw<'a>,
    vertices: &'d Vertices,
    sources: Vec<Source>,
    /// For each colour target, the cell of the fragment shader.
    colors: Vec<Option<usize>>,
    depth: Option<usize>,
    extent: Extent,
    budget: &'d mut Budget,
    quads: Vec<Quad>,
    batch: Batch<'a>,
}

impl<'d, 'a> Painter<'d, 'a> {
    fn new(
        engine: &'d dyn Engine,
        draw: &'d Draw<'a>,
        vertices: &'d Vertices,
        extent: Extent,
        budget: &'d mut Budget,
    ) -> Self {
        let shader = draw.fragment.shader;
        let cell_of = |location: u32| {
            let wanted = OutputKind::Varying { location };
            draw.vertex.shader.outputs.iter().position(|o| o.kind == wanted)
        };
        let sources = shader.inputs.iter().map(|input| match input.kind {
            InputKind::Varying { location } => cell_of(location).map_or(Source::Zero, Source::Cell),
            InputKind::System(System::FragCoord) => Source::Place,
            InputKind::System(System::FrontFacing) => Source::Front,
            _ => Source::Zero,
        });
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
            draw,
            vertices,
            sources: sources.collect(),
            colors,
            depth,
            extent,
            budget,
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

    fn triangle(
        &mut self,
        triangle: &raster::Triangle,
        corners: [usize; 3],
        targets: &mut Targets<'_>,
    ) -> Result<(), RenderError> {
        let mut outcome = Ok(());
        let blocks = raster::cover(triangle, self.extent.samples, |x, y, masks| {
            if outcome.is_ok() {
                outcome = self.quad(triangle, corners, (x, y), masks, targets);
            }
        });
        outcome?;
        Budget::take(&mut self.budget.fragments, blocks, "fragments")
    }

    fn quad(
        &mut self,
        triangle: &raster::Triangle,
        corners: [usize; 3],
        (x, y): (u32, u32),
        masks: [u16; 4],
        targets: &mut Targets<'_>,
    ) -> Result<(), RenderError> {
        for (i, mask) in masks.iter().enumerate() {
            let px = f64::from(x + (i as u32 & 1)) + 0.5;
            let py = f64::from(y + (i as u32 >> 1)) + 0.5;
            let weights = triangle.weights.map(|plane| plane.at(px, py));
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
                    Source::Cell(cell) => {
                        let cell = self.vertices.outputs.cells.get(cell).map_or(&[][..], Vec::as_slice);
                        let at = |c: usize| cell.get(c).copied().unwrap_or([0; 4]).map(f32::from_bits);
                        let values = [at(corners[0]), at(corners[1]), at(corners[2])];
                        for (lane, out) in value.iter_mut().enumerate() {
                            let sum = weights[0] * f64::from(values[0][lane])
                                + weights[1] * f64::from(values[1][lane])
                                + weights[2] * f64::from(values[2][lane]);
                            *out = (sum as f32).to_bits();
                        }
                    }
                }
                list.push(value);
            }
            self.batch.helpers.push(*mask == 0);
        }
        self.quads.push(Quad { x, y, masks, depth: triangle.depth, front: triangle.front });
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
        let done = self
            .engine
            .run(self.draw.fragment.shader, &self.batch)
            .map_err(|e| RenderError::new(format!("fragment shader: {e}")))?;
        for (at, quad) in self.quads.iter().enumerate() {
            for (i, &mask) in quad.masks.iter().enumerate() {
                let invocation = at * 4 + i;
                if mask == 0 || done.killed.get(invocation).copied().unwrap_or(false) {
                    continue;
                }
                let x = quad.x + (i as u32 & 1);
                let y = quad.y + (i as u32 >> 1);
                self.merge(quad, (x, y), mask, &done, invocation, targets);
            }
        }
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
    ) {
        let value = |cell: usize| {
            let cell = done.cells.get(cell)?;
            cell.get(invocation).copied()
        };
        let first = self.extent.at(x, y);
        let state = &self.draw.state;
        let mut passed = mask;
        if let Some(buffer) = targets.depth.as_deref_mut() {
            let written = self.depth.and_then(value).map(|v| unit(f32::from_bits(v[0])));
            passed = test(buffer, state, quad, (x, y), first, mask, written);
        }
        if passed == 0 {
            return;
        }
        for (target, surface) in targets.colors.iter_mut().enumerate() {
            let Some(color) = self.colors.get(target).copied().flatten().and_then(value) else { continue };
            let color = color.map(|c| unit(f32::from_bits(c)));
            let replaced = state.replaces().then(|| color.map(unorm8));
            for sample in 0..self.extent.samples as usize {
                if passed >> sample & 1 == 0 {
                    continue;
                }
                if let Some(texel) = surface.texels.get_mut(first + sample) {
                    *texel = replaced.unwrap_or_else(|| blend(state, color, *texel));
                }
            }
        }
    }
}

/// Depth and stencil tests of the samples of a pixel; returns those that pass.
fn test(
    buffer: &mut DepthStencil,
    state: &State,
    quad: &Quad,
    (x, y): (u32, u32),
    first: usize,
    mask: u16,
    written: Option<f32>,
) -> u16 {
    let pattern = pattern(buffer.extent.samples);
    let ops = if quad.front { state.stencil.front } else { state.stencil.back };
    let (reference, read) = (state.stencil.reference, state.stencil.read_mask);
    let mut passed = 0;
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
            ops.stencil_fail
        } else if !state.depth.compare.passes(incoming, *depth) {
            ops.depth_fail
        } else {
            if state.depth.write {
                *depth = incoming;
            }
            passed |= 1 << sample;
            ops.both_pass
        };
        let write = state.stencil.write_mask;
        *stencil = (*stencil & !write) | (action.apply(*stencil, reference) & write);
    }
    passed
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
