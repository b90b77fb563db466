//! What the operations on textures give: the same for every engine.

use super::{Detail, Gradients, Request, sample_position};
use crate::{Batch, BoundTexture};
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{Dim, Lod, Op, Scalar, Shader, Texture, TextureId};
use vecasm_ir::math::CANONICAL_NAN;

/// The lanes of the arguments of an operation: of each a row, with a word for every invocation. Rows of lanes that an argument
/// does not have are zero; those of arguments that the operation does not have may be anything.
pub type Arguments<'r, W> = [[&'r [W]; 4]; 5];

/// The textures of a batch, for the operations of a shader.
#[derive(Clone, Copy, Debug)]
pub struct Textures<'a> {
    shader: &'a Shader,
    batch: &'a Batch<'a>,
    quads: bool,
}

/// An operation, and the texture that it reads.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    op: Op,
    bound: Option<BoundTexture<'a>>,
    /// Whether texels are f32.
    float: bool,
    /// Whether it counts how coordinates change in the quad.
    footprint: bool,
}

/// The dimension of a texture, by its state value if it has one.
pub(crate) fn dim_of(shader: &Shader, batch: &Batch<'_>, texture: &Texture) -> Dim {
    let Some(state) = texture.dim_by else { return texture.dim };
    let given = batch.states.get(state.index()).copied().flatten();
    let bits = given.or_else(|| shader.states.get(state.index()).map(|s| s.default));
    let dim = bits.and_then(|bits| Dim::ALL.get(bits[0] as usize)).copied();
    dim.filter(|dim| matches!(dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube)).unwrap_or(texture.dim)
}

impl<'a> Textures<'a> {
    /// `quads` says whether invocations stand in whole [quads](Batch), as those of fragments do whose group is a quad.
    pub const fn new(shader: &'a Shader, batch: &'a Batch<'a>, quads: bool) -> Self {
        Self { shader, batch, quads }
    }

    /// The texture at a position of the batch's list, for operations that name `id`. Another one than they are made for counts as
    /// none.
    pub fn bound(&self, id: TextureId, at: usize) -> Option<BoundTexture<'a>> {
        let bound = (*self.batch.textures.get(at)?)?;
        let named = self.shader.textures.get(id.index())?;
        let fits = bound.texture.scalar() == named.scalar
            && bound.texture.dim() == dim_of(self.shader, self.batch, named);
        fits.then_some(bound)
    }

    /// What one of the operations that [name a texture](Op::texture) reads.
    pub fn reading(&self, op: Op, bound: Option<BoundTexture<'a>>) -> Reading<'a> {
        let texture = op.texture().and_then(|(id, _)| self.shader.textures.get(id.index()));
        let footprint = self.quads
            && bound.is_some_and(|bound| {
                matches!(op, Op::TextureLod { .. }) || bound.texture.has_detail(&bound.sampler)
            });
        Reading { op, bound, float: texture.is_none_or(|t| t.scalar == Scalar::F32), footprint }
    }
}

impl Reading<'_> {
    /// What it gives in invocation `i`. Where it counts how coordinates change, it reads those of the quad `i / 4`.
    #[inline]
    pub fn of<W: Word>(&self, args: &Arguments<'_, W>, i: usize) -> [u32; 4] {
        let one = if self.float { 1.0f32.to_bits() } else { 1 };
        match (self.bound, self.op) {
            (Some(bound), op) => {
                let bits = read(op, bound, args, self.footprint, i);
                let texels = matches!(op, Op::Sample { .. } | Op::Gather { .. } | Op::TextureLod { .. });
                if texels && self.float { bits.map(canonical) } else { bits }
            }
            (None, Op::Sample { .. } | Op::Fetch { .. }) => [0, 0, 0, one],
            (None, Op::Gather { component: 3, .. }) => [one; 4],
            (None, _) => [0; 4],
        }
    }

    /// The texture, if one is bound.
    pub const fn bound(&self) -> Option<BoundTexture<'_>> {
        self.bound
    }
}

/// What an operation on a bound texture gives in invocation `i`; `footprint` tells whether coordinates change in its quad.
#[inline]
fn read<W: Word>(
    op: Op,
    bound: BoundTexture<'_>,
    args: &Arguments<'_, W>,
    footprint: bool,
    i: usize,
) -> [u32; 4] {
    let (texels, state) = (bound.texture, &bound.sampler);
    let word = |rows: [&[W]; 4], lane: usize| rows[lane].get(i).map_or(0, |w| w.low());
    let words = |rows: [&[W]; 4]| [word(rows, 0), word(rows, 1), word(rows, 2), word(rows, 3)];
    let floats = |rows| words(rows).map(f32::from_bits);
    let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
    let [first, rest @ ..] = *args;
    let mut rest = rest.into_iter();
    // The next argument, if the operation has it.
    let mut next = |there: bool| if there { rest.next() } else { None };
    let texel_offset = |rows: Option<[&[W]; 4]>| {
        let at = |lane| rows.map_or(0, |rows| word(rows, lane) as i32);
        [at(0), at(1), at(2)]
    };
    let still = Gradients { ddx: [0.0; 3], ddy: [0.0; 3] };
    let by = || if footprint { change(first, i) } else { still };
    match op {
        Op::Sample { lod, compare, offset, .. } => {
            let reference = next(compare).map(|rows| f32::from_bits(word(rows, 0)));
            let mut given = || next(true).map_or([0.0; 4], floats);
            let detail = match lod {
                Lod::Implicit { bias_eighths } => {
                    Detail::Implicit { by: by(), bias: f32::from(bias_eighths) / 8.0 }
                }
                Lod::Bias => Detail::Implicit { by: by(), bias: given()[0] },
                Lod::Level => Detail::Level(given()[0]),
                Lod::Gradient => Detail::Explicit(Gradients { ddx: three(given()), ddy: three(given()) }),
            };
            let offset = texel_offset(next(offset));
            texels.sample(state, &Request { coord: floats(first), detail, offset, reference })
        }
        Op::Gather { component, compare, offset, .. } => {
            let reference = next(compare).map(|rows| f32::from_bits(word(rows, 0)));
            let offset = texel_offset(next(offset));
            texels.gather(state, floats(first), offset, component, reference)
        }
        Op::Fetch { offset, .. } => {
            let which = next(true).map_or(0, |rows| word(rows, 0) as i32);
            let (level, sample) = if texels.dim().multisampled() { (0, which) } else { (which, 0) };
            let by = texel_offset(next(offset));
            let mut place = words(first).map(|w| w as i32);
            // Out of the numbers is outside the texture, too.
            for (place, by) in place.iter_mut().zip(by).take(usize::from(texels.dim().axes())) {
                *place = place.saturating_add(by);
            }
            texels.fetch(place, level, sample, state.model.outside())
        }
        Op::TextureSize { .. } => texels.query_size(word(first, 0) as i32),
        Op::TextureLod { .. } => {
            let [accessed, computed] = texels.query_lod(state, floats(first), by());
            [accessed.to_bits(), computed.to_bits(), 0, 0]
        }
        Op::TextureSamples { .. } => [texels.samples(), 0, 0, 0],
        Op::SamplePosition { .. } => {
            let [x, y] = sample_position(texels.samples(), word(first, 0));
            [x.to_bits(), y.to_bits(), 0, 0]
        }
        _ => [0; 4],
    }
}

/// How a coordinate changes in the quad of invocation `i`: [fine](vecasm_ir::ir::Slope::Fine) derivatives.
fn change<W: Word>(coord: [&[W]; 4], i: usize) -> Gradients {
    let at = |lane: usize, of: usize| f32::from_bits(coord[lane].get(of).map_or(0, |w| w.low()));
    let along = |bit: usize| core::array::from_fn(|lane| at(lane, i | bit) - at(lane, i & !bit));
    Gradients { ddx: along(1), ddy: along(2) }
}

/// NaN has no payload once it has been in a texture.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { CANONICAL_NAN } else { bits }
}
