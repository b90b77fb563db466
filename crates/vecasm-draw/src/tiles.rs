//! Parts of the targets that are drawn at the same time.
//!
//! Targets are cut into bands of rows, and a tile is every n-th of them, so that tiles have much the same to do. Each tile
//! is given all primitives in order, and fragments of different tiles never meet: the picture is the same however many
//! tiles there are, and in whatever order they are drawn.

use super::draw::Targets;
use super::target::Extent;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;
use vecasm_exec::runfile::blocks::{Blocks, Order};
use vecasm_exec::{Batch, Engine, Outputs, RunError, Runner};
use vecasm_ir::ir::Shader;

pub use vecasm_exec::workers::{Job, Workers};

/// Rows of a band: whole quads, and whole ones of the blocks that the rasterizer looks at.
const ROWS: u32 = 16;
/// The fewest pixels that are shared out: fewer are drawn before another thread has woken up and made the shader ready.
const FEWEST: u64 = 1 << 15;

/// How the pixels of draws are shared out.
#[derive(Clone, Copy)]
pub(super) struct TilePlan<'e> {
    pub(super) engine: &'e (dyn Engine + Sync),
    pub(super) workers: &'e dyn Workers,
    /// Rows of a band, a multiple of a block's.
    pub(super) rows: u32,
    /// The fewest pixels that are shared out.
    pub(super) fewest: u64,
}

impl<'e> TilePlan<'e> {
    pub(super) fn new(engine: &'e (dyn Engine + Sync), workers: &'e dyn Workers) -> Self {
        Self { engine, workers, rows: ROWS, fewest: FEWEST }
    }

    /// How many tiles a draw with a fragment shader is cut into: one if its invocations may see more of one another than
    /// their quad.
    pub(super) fn tiles(&self, fragment: &Shader) -> usize {
        let blocks = Blocks::of(fragment, 0);
        if blocks.order == Order::Any && blocks.multiple == 4 { self.workers.count().max(1) } else { 1 }
    }
}

/// Who runs the shaders of a draw, and who shares in the work.
#[derive(Clone, Copy)]
pub(super) enum EngineChoice<'e> {
    Alone(&'e dyn Engine),
    Tiles(TilePlan<'e>),
}

impl<'e> EngineChoice<'e> {
    pub(super) fn engine(self) -> &'e dyn Engine {
        match self {
            Self::Alone(engine) => engine,
            Self::Tiles(spread) => spread.engine,
        }
    }
}

/// How a shader is made ready.
type Make<'r, E, R> = fn(&'r E, &'r Shader) -> Result<Box<R>, RunError>;

/// A shader that is made ready when it runs for the first time.
pub(super) struct LazyRunner<'r, E: ?Sized, R: ?Sized> {
    engine: &'r E,
    shader: &'r Shader,
    make: Make<'r, E, R>,
    made: Option<Box<R>>,
}

impl<'r, E: ?Sized, R: ?Sized> LazyRunner<'r, E, R> {
    pub(super) fn new(engine: &'r E, shader: &'r Shader, make: Make<'r, E, R>) -> Self {
        Self { engine, shader, make, made: None }
    }
}

impl<E: ?Sized, R: Runner + ?Sized> Runner for LazyRunner<'_, E, R> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        let made = match self.made.take() {
            Some(made) => made,
            None => (self.make)(self.engine, self.shader)?,
        };
        self.made.insert(made).run(batch)
    }
}

/// Some rows of one layer of the targets.
pub(super) struct Band<'t> {
    /// Number of the first sample in the targets.
    pub(super) start: usize,
    /// Of each colour target, the samples.
    pub(super) colors: Vec<&'t mut [[u8; 4]]>,
    /// Depth and stencil of each sample.
    pub(super) depth: Option<(&'t mut [f32], &'t mut [u8])>,
}

/// How targets are cut into bands: of each layer, so many rows each, but for the last one.
#[derive(Clone, Copy)]
pub(super) struct BandLayout {
    extent: Extent,
    rows: u32,
    /// Bands of a layer.
    each: usize,
}

impl BandLayout {
    /// Into bands of `rows`, which are whole quads.
    pub(super) fn new(extent: Extent, rows: u32) -> Self {
        Self { extent, rows, each: extent.height.div_ceil(rows) as usize }
    }

    /// Into layers.
    pub(super) fn of_layers(extent: Extent) -> Self {
        Self::new(extent, extent.height.next_multiple_of(2))
    }

    pub(super) fn bands<'t>(self, targets: &'t mut Targets<'_>) -> Vec<Band<'t>> {
        let rows = |row: usize| row * self.extent.width as usize * self.extent.samples as usize;
        let mut colors: Vec<&mut [[u8; 4]]> =
            targets.colors.iter_mut().map(|surface| surface.texels.as_mut_slice()).collect();
        let mut depth = targets
            .depth
            .as_deref_mut()
            .map(|buffer| (buffer.depth.as_mut_slice(), buffer.stencil.as_mut_slice()));
        let mut bands = Vec::new();
        let mut start = 0;
        for _ in 0..self.extent.layers {
            for top in (0..self.extent.height).step_by(self.rows as usize) {
                let count = rows(self.rows.min(self.extent.height - top) as usize);
                let depth =
                    depth.as_mut().map(|(depth, stencil)| (first(depth, count), first(stencil, count)));
                let colors = colors.iter_mut().map(|texels| first(texels, count)).collect();
                bands.push(Band { start, colors, depth });
                start += count;
            }
        }
        bands
    }
}

/// Splits the first elements off.
fn first<'t, T>(rest: &mut &'t mut [T], count: usize) -> &'t mut [T] {
    let all = mem::take(rest);
    let (first, others) = all.split_at_mut(count.min(all.len()));
    *rest = others;
    first
}

/// Every so many bands of the targets.
pub(super) struct Tile<'b, 't> {
    cut: BandLayout,
    /// The number of the first one.
    first: usize,
    /// How far it is from one to the next.
    step: usize,
    bands: Vec<&'b mut Band<'t>>,
}

impl<'b, 't> Tile<'b, 't> {
    /// All bands as so many tiles.
    pub(super) fn deal(cut: BandLayout, bands: &'b mut [Band<'t>], step: usize) -> Vec<Self> {
        let mut tiles: Vec<Self> =
            (0..step).map(|first| Self { cut, first, step, bands: Vec::new() }).collect();
        for (number, band) in bands.iter_mut().enumerate() {
            if let Some(tile) = tiles.get_mut(number % step) {
                tile.bands.push(band);
            }
        }
        tiles
    }

    /// All bands as one tile.
    pub(super) fn of_all(cut: BandLayout, bands: &'b mut [Band<'t>]) -> Self {
        Self { cut, first: 0, step: 1, bands: bands.iter_mut().collect() }
    }

    /// The rows that it has of a layer in bands that lie in a range of rows: the first of each band, and the one behind its
    /// last one.
    pub(super) fn rows(
        &self,
        layer: u32,
        (top, bottom): (i32, i32),
    ) -> impl Iterator<Item = (i32, i32)> + use<> {
        let (first, step, rows) = (self.first, self.step, self.cut.rows as i32);
        let before = layer as usize * self.cut.each;
        let numbers = if top < bottom { top / rows..(bottom - 1) / rows + 1 } else { 0..0 };
        let own = move |number: &i32| (before + *number as usize) % step == first;
        numbers.filter(own).map(move |number| (number * rows, (number + 1) * rows))
    }

    /// The band of a row.
    pub(super) fn band(&mut self, layer: u32, y: u32) -> Option<&mut Band<'t>> {
        let number = layer as usize * self.cut.each + (y / self.cut.rows) as usize;
        self.bands.get_mut(number / self.step).map(|band| &mut **band)
    }
}
