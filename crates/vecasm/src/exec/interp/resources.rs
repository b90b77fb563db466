//! Textures and images.

use super::QUAD;
use super::mask::Mask;
use super::pack::Pack;
use crate::exec::texture::{Detail, Gradients, Request, Texture as Texels, sample_position};
use crate::exec::{Batch, BoundTexture};
use crate::ir::op::Word;
use crate::ir::{
    Arg, Arith, Dim, ImageId, Lod, Op, OutOfRange, Pick, SamplerModel, Scalar, Shader, Slope, Texture,
    TextureId,
};
use crate::math::CANONICAL_NAN;

/// The dimension of a texture, by its state value if it has one.
pub(super) fn dim_of(shader: &Shader, batch: &Batch<'_>, texture: &Texture) -> Dim {
    let Some(state) = texture.dim_by else { return texture.dim };
    let given = batch.states.get(state.index()).copied().flatten();
    let bits = given.or_else(|| shader.states.get(state.index()).map(|s| s.default));
    let dim = bits.and_then(|bits| Dim::ALL.get(bits[0] as usize)).copied();
    dim.filter(|dim| matches!(dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube)).unwrap_or(texture.dim)
}

/// The arguments of an operation, in order.
struct Arguments<'a>(core::slice::Iter<'a, Arg>);

impl Arguments<'_> {
    fn next_if(&mut self, there: bool) -> Option<Arg> {
        if there { self.0.next().copied() } else { None }
    }
}

impl<'a, W: Word, const N: usize> Pack<'a, W, N> {
    /// The texture that invocation `i` means. Another one than the operation is made for counts as none.
    fn texture(&self, id: TextureId, pick: Pick, args: &[Arg], i: usize) -> Option<BoundTexture<'a>> {
        let bound = (*self.batch.textures.get(self.picked(pick, id.index(), args, i)?)?)?;
        let named = self.shader.textures.get(id.index())?;
        let fits = bound.texture.scalar() == named.scalar
            && bound.texture.dim() == dim_of(self.shader, self.batch, named);
        fits.then_some(bound)
    }

    pub(super) fn load_texture(&self, op: Op, args: &[Arg], out: &mut [W]) {
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
        self.each(out, |i| match (self.texture(id, pick, args, i), op) {
            (Some(bound), _) => {
                let bits = self.read_texture(op, bound.texture, bound, args, i);
                let texels = matches!(op, Op::Sample { .. } | Op::Gather { .. } | Op::TextureLod { .. });
                if texels && float { bits.map(canonical) } else { bits }
            }
            (None, Op::Sample { .. } | Op::Fetch { .. }) => [0, 0, 0, one],
            (None, Op::Gather { component: 3, .. }) => [one; 4],
            (None, _) => [0; 4],
        });
    }

    /// What an operation on a bound texture gives in invocation `i`.
    fn read_texture(
        &self,
        op: Op,
        texels: &Texels,
        bound: BoundTexture<'_>,
        args: &[Arg],
        i: usize,
    ) -> [u32; 4] {
        let state = &bound.sampler;
        let words = |arg: Option<Arg>| arg.map_or([0; 4], |arg| self.words(arg, i));
        let floats = |arg: Option<Arg>| words(arg).map(f32::from_bits);
        let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
        let signed = |arg: Option<Arg>| words(arg).map(|w| w as i32);
        let texel_offset = |arg: Option<Arg>| {
            let [x, y, z, _] = signed(arg);
            [x, y, z]
        };
        let mut rest = Arguments(args.iter());
        let first = rest.next_if(!matches!(op, Op::TextureSamples { .. }));
        match op {
            Op::Sample { lod, compare, offset, .. } => {
                let reference = rest.next_if(compare).map(|arg| floats(Some(arg))[0]);
                let detail = match lod {
                    Lod::Implicit { bias_eighths } => {
                        Detail::Implicit { by: self.footprint(first, i), bias: f32::from(bias_eighths) / 8.0 }
                    }
                    Lod::Bias => {
                        Detail::Implicit { by: self.footprint(first, i), bias: floats(rest.next_if(true))[0] }
                    }
                    Lod::Level => Detail::Level(floats(rest.next_if(true))[0]),
                    Lod::Gradient => {
                        let ddx = three(floats(rest.next_if(true)));
                        Detail::Explicit(Gradients { ddx, ddy: three(floats(rest.next_if(true))) })
                    }
                };
                let offset = texel_offset(rest.next_if(offset));
                texels.sample(state, &Request { coord: floats(first), detail, offset, reference })
            }
            Op::Gather { component, compare, offset, .. } => {
                let reference = rest.next_if(compare).map(|arg| floats(Some(arg))[0]);
                let offset = texel_offset(rest.next_if(offset));
                texels.gather(state, floats(first), offset, component, reference)
            }
            Op::Fetch { offset, .. } => {
                let which = signed(rest.next_if(true))[0];
                let (level, sample) = if texels.dim().multisampled() { (0, which) } else { (which, 0) };
                let by = signed(rest.next_if(offset));
                let mut place = signed(first);
                // Out of the numbers is outside the texture, too.
                for (place, by) in place.iter_mut().zip(by).take(usize::from(texels.dim().axes())) {
                    *place = place.saturating_add(by);
                }
                let rule = match state.model {
                    SamplerModel::Exact => OutOfRange::Zero,
                    SamplerModel::Softpipe => OutOfRange::Clamp,
                };
                texels.fetch(place, level, sample, rule)
            }
            Op::TextureSize { .. } => texels.query_size(signed(first)[0]),
            Op::TextureLod { .. } => {
                let [accessed, computed] = texels.query_lod(state, floats(first), self.footprint(first, i));
                [accessed.to_bits(), computed.to_bits(), 0, 0]
            }
            Op::TextureSamples { .. } => [texels.samples(), 0, 0, 0],
            Op::SamplePosition { .. } => {
                let [x, y] = sample_position(texels.samples(), words(first)[0]);
                [x.to_bits(), y.to_bits(), 0, 0]
            }
            _ => [0; 4],
        }
    }

    /// How a coordinate changes in the quad of invocation `i`; not at all where there are no quads.
    fn footprint(&self, coord: Option<Arg>, i: usize) -> Gradients {
        let change = |down: bool| {
            core::array::from_fn(|lane| match coord {
                Some(arg) if lane < usize::from(arg.lanes) && self.plan.group % QUAD == 0 => {
                    let row = self.row(arg, lane);
                    f32::from_bits(self.slope(row, i, down, Slope::Fine, Arith::IEEE))
                }
                _ => 0.0,
            })
        };
        Gradients { ddx: change(false), ddy: change(true) }
    }

    /// Operations on images. No batch binds any, so that they read zero and swallow what is written.
    pub(super) fn load_image(&self, _op: Op, _args: &[Arg], _mask: Mask<N>, out: &mut [W]) {
        out.fill(W::default());
    }

    pub(super) fn store_image(&self, _image: ImageId, _pick: Pick, _args: &[Arg], _mask: Mask<N>) {}
}

/// NaN has no payload once it has been in a texture.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { CANONICAL_NAN } else { bits }
}
