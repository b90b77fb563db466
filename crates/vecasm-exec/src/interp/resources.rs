//! Textures and images.

use super::QUAD;
use super::bank::Bank;
use super::mask::Mask;
use super::pack::Pack;
use crate::code::Operand;
use crate::image::Image;
pub(super) use crate::texture::dim_of;
use crate::texture::{Plane, Textures};
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{ImageId, Op, Pick};

impl<'a, W: Word, B: Bank<W>, const N: usize> Pack<'a, W, B, N> {
    pub(super) fn load_texture(&self, op: Op, args: &[Operand], out: &mut [[W; 4]]) {
        let Some((id, pick)) = op.texture() else { return };
        let quads = self.plan.group % QUAD == 0 && self.in_fragments();
        let textures = Textures::new(self.shader, self.batch, quads);
        let arguments = core::array::from_fn(|at| self.rows(args.get(at)));
        let chosen = |i: usize| {
            let at = self.picked(pick, id.index(), args, i);
            textures.reading(op, at.and_then(|at| textures.bound(id, at)))
        };
        let fixed = (pick == Pick::Fixed).then(|| chosen(0));
        let bound = fixed.as_ref().and_then(|reading| reading.bound());
        if let Some(plane) = bound.and_then(|bound| Plane::of(op, bound)) {
            let [u, v, ..] = arguments[0].map(|row| row.get(..self.n).unwrap_or(row));
            return plane.read([u, v], |i, bits| self.set(out, i, bits));
        }
        self.write_lanes(out, |i| match &fixed {
            Some(reading) => reading.of(&arguments, i),
            None => chosen(i).of(&arguments, i),
        });
    }

    /// The lanes of an argument; those it does not have are zero.
    fn rows(&self, arg: Option<&Operand>) -> [&[W]; 4] {
        core::array::from_fn(|lane| match arg {
            Some(&arg) if lane < usize::from(arg.lanes) => self.row(arg, lane),
            _ => self.row_at(0),
        })
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
            Op::LoadImage { image, pick } => self.write_lanes(out, |i| {
                let (place, sample, _) = self.texel(args, self.is_sampled(image), i);
                let at = self.image(image, pick, args, i);
                let bound = at.and_then(|at| self.world.images.get(at)).and_then(Option::as_ref);
                bound.map_or([0; 4], |bound| bound.load(place, sample))
            }),
            Op::ImageSize { image, pick } => self.write_lanes(out, |i| {
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

    /// Has an operation on an image that gives nothing change it.
    pub(super) fn change_image(&mut self, op: Op, args: &[Operand], mask: Mask<N>) {
        match op {
            Op::StoreImage { image, pick } => self.store_image(image, pick, args, mask),
            op => debug_assert!(false, "{op:?} is not run"),
        }
    }

    fn store_image(&mut self, image: ImageId, pick: Pick, args: &[Operand], mask: Mask<N>) {
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
