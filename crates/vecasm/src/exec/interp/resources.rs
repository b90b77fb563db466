//! Textures and images.

use super::QUAD;
use super::bank::Bank;
use super::mask::Mask;
use super::pack::Pack;
use crate::exec::code::Operand;
use crate::exec::image::Image;
use crate::exec::texture::{Detail, Gradients, Request, sample_position};
use crate::exec::{Batch, BoundTexture};
use crate::ir::op::Word;
use crate::ir::{Dim, ImageId, Lod, Op, Pick, Scalar, Shader, Texture, TextureId};
use crate::math::CANONICAL_NAN;

/// The dimension of a texture, by its state value if it has one.
pub(super) fn dim_of(shader: &Shader, batch: &Batch<'_>, texture: &Texture) -> Dim {
    let Some(state) = texture.dim_by else { return texture.dim };
    let given = batch.states.get(state.index()).copied().flatten();
    let bits = given.or_else(|| shader.states.get(state.index()).map(|s| s.default));
    let dim = bits.and_then(|bits| Dim::ALL.get(bits[0] as usize)).copied();
    dim.filter(|dim| matches!(dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube)).unwrap_or(texture.dim)
}

impl<'a, W: Word, B: Bank<W>, const N: usize> Pack<'a, W, B, N> {
    /// The texture that invocation `i` means. Another one than the operation is made for counts as none.
    fn texture(&self, id: TextureId, pick: Pick, args: &[Operand], i: usize) -> Option<BoundTexture<'a>> {
        let bound = (*self.batch.textures.get(self.picked(pick, id.index(), args, i)?)?)?;
        let named = self.shader.textures.get(id.index())?;
        let fits = bound.texture.scalar() == named.scalar
            && bound.texture.dim() == dim_of(self.shader, self.batch, named);
        fits.then_some(bound)
    }

    pub(super) fn load_texture(&self, op: Op, args: &[Operand], out: &mut [[W; 4]]) {
        let (Op::Sample { texture: id, pick, .. }
        | Op::Gather { texture: id, pick, .. }
        | Op::Fetch { texture: id, pick, .. }
        | Op::TextureSize { texture: id, pick }
        | Op::TextureLod { texture: id, pick }
        | Op::TextureSamples { texture: id, pick }
        | Op::SamplePosition { texture: id, pick }) = op
        else {
            return;
        };
        let named = self.shader.textures.get(id.index());
        let float = named.is_none_or(|t| t.scalar == Scalar::F32);
        let one = if float { 1.0f32.to_bits() } else { 1 };
        let arguments = core::array::from_fn(|at| self.rows(args.get(at)));
        let chosen =
            |i: usize| self.texture(id, pick, args, i).map(|bound| (bound, self.has_footprint(op, bound)));
        let fixed = (pick == Pick::Fixed).then(|| chosen(0));
        self.each(out, |i| match (fixed.unwrap_or_else(|| chosen(i)), op) {
            (Some((bound, footprint)), _) => {
                let bits = read_texture(op, bound, &arguments, footprint, i);
                let texels = matches!(op, Op::Sample { .. } | Op::Gather { .. } | Op::TextureLod { .. });
                if texels && float { bits.map(canonical) } else { bits }
            }
            (None, Op::Sample { .. } | Op::Fetch { .. }) => [0, 0, 0, one],
            (None, Op::Gather { component: 3, .. }) => [one; 4],
            (None, _) => [0; 4],
        });
    }

    /// The lanes of an argument; those it does not have are zero.
    fn rows(&self, arg: Option<&Operand>) -> [&[W]; 4] {
        core::array::from_fn(|lane| match arg {
            Some(&arg) if lane < usize::from(arg.lanes) => self.row(arg, lane),
            _ => self.row_at(0),
        })
    }

    /// Whether coordinates change in a quad, and that makes a difference.
    fn has_footprint(&self, op: Op, bound: BoundTexture<'_>) -> bool {
        let counts = matches!(op, Op::TextureLod { .. }) || bound.texture.has_detail(&bound.sampler);
        counts && self.plan.group % QUAD == 0 && self.in_fragments()
    }

    /// The image that invocation `i` means. Another one than the operation is made for counts as none.
    fn image(&self, id: ImageId, pick: Pick, args: &[Operand], i: usize) -> Option<usize> {
        let at = self.picked(pick, id.index(), args, i)?;
        let (bound, named) = (self.world.images.get(at)?.as_ref()?, self.shader.images.get(id.index())?);
        (bound.dim() == named.dim && bound.format() == named.format).then_some(at)
    }

    /// Where invocation `i` reads or writes an image: the texel, and the sample if the operation says one; and what is
    /// left of the arguments.
    fn texel<'b>(&self, args: &'b [Operand], sampled: bool, i: usize) -> ([i32; 4], i32, &'b [Operand]) {
        let place = args.first().map_or([0; 4], |&arg| self.words(arg, i)).map(|word| word as i32);
        let sample = if sampled { self.word(args, 1, i) as i32 } else { 0 };
        (place, sample, args.get(1 + usize::from(sampled)..).unwrap_or(&[]))
    }

    fn is_sampled(&self, image: ImageId) -> bool {
        self.shader.images.get(image.index()).is_some_and(|image| image.dim.multisampled())
    }

    pub(super) fn load_image(&mut self, op: Op, args: &[Operand], mask: Mask<N>, out: &mut [[W; 4]]) {
        match op {
            Op::LoadImage { image, pick } => self.each(out, |i| {
                let (place, sample, _) = self.texel(args, self.is_sampled(image), i);
                let at = self.image(image, pick, args, i);
                let bound = at.and_then(|at| self.world.images.get(at)).and_then(Option::as_ref);
                bound.map_or([0; 4], |bound| bound.load(place, sample))
            }),
            Op::ImageSize { image, pick } => self.each(out, |i| {
                let at = self.image(image, pick, args, i);
                let bound = at.and_then(|at| self.world.images.get(at)).and_then(Option::as_ref);
                bound.map_or([0; 4], Image::query_size)
            }),
            Op::AtomicImage { image, atomic, pick } => {
                out.fill([W::default(); 4]);
                for i in mask.without(&self.helpers).iter() {
                    let (place, sample, rest) = self.texel(args, false, i);
                    let [value, other] = [0, 1].map(|at| self.word(rest, at, i));
                    let at = self.image(image, pick, args, i);
                    if let Some(Some(bound)) = at.and_then(|at| self.world.images.get_mut(at)) {
                        let old = bound.atomic(place, sample, atomic, value, other);
                        self.set(out, i, [old, 0, 0, 0]);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn store_image(&mut self, image: ImageId, pick: Pick, args: &[Operand], mask: Mask<N>) {
        for i in mask.iter() {
            let (place, sample, rest) = self.texel(args, self.is_sampled(image), i);
            let Some(&value) = rest.first() else { return };
            let lanes = self.words(value, i);
            let at = self.image(image, pick, args, i);
            if let Some(Some(bound)) = at.and_then(|at| self.world.images.get_mut(at)) {
                bound.store(place, sample, lanes);
            }
        }
    }
}

/// What an operation on a texture gives in invocation `i`; `footprint` tells whether coordinates change in its quad.
fn read_texture<W: Word>(
    op: Op,
    bound: BoundTexture<'_>,
    args: &[[&[W]; 4]; 5],
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

/// How a coordinate changes in the quad of invocation `i`: [fine](crate::ir::Slope::Fine) derivatives.
fn change<W: Word>(coord: [&[W]; 4], i: usize) -> Gradients {
    let at = |lane: usize, of: usize| f32::from_bits(coord[lane].get(of).map_or(0, |w| w.low()));
    let along = |bit: usize| core::array::from_fn(|lane| at(lane, i | bit) - at(lane, i & !bit));
    Gradients { ddx: along(1), ddy: along(2) }
}

/// NaN has no payload once it has been in a texture.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { CANONICAL_NAN } else { bits }
}
