//! What is done with images. Each operation on one is a function, because the IR says what happens outside, and the languages
//! leave it open.

use super::Language;
#[cfg(any(feature = "hlsl", feature = "msl", feature = "wgsl"))]
use super::{Body, Shape};
use crate::diag::{Diagnostic, Rule};
use crate::emit::rules::refused;
use crate::ir::{Op, Pick, Region, Shader};
#[cfg(any(feature = "hlsl", feature = "msl", feature = "wgsl"))]
use crate::{
    emit::common::Prec,
    ir::{Arg, ImageId, Inst},
};
use alloc::format;
#[cfg(any(feature = "hlsl", feature = "msl", feature = "wgsl"))]
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// What is done with an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::emit) struct Uses {
    pub(in crate::emit) load: bool,
    pub(in crate::emit) store: bool,
    pub(in crate::emit) size: bool,
}

impl Uses {
    /// What a shader does with each of its images.
    ///
    /// # Errors
    ///
    /// Where an image is chosen, by the first rule; where it is changed atomically, by the second one.
    pub(in crate::emit) fn of<L: Language>(
        shader: &Shader,
        (handle, image_rule): (&'static Rule, &'static Rule),
    ) -> Result<Vec<Self>, Diagnostic> {
        let mut all = vec![Self::default(); shader.images.len()];
        let mut wrong = None;
        let mut note = |op: Op| {
            let (image, pick) = match op {
                Op::LoadImage { image, pick }
                | Op::StoreImage { image, pick }
                | Op::AtomicImage { image, pick, .. }
                | Op::ImageSize { image, pick } => (image, pick),
                _ => return,
            };
            if pick != Pick::Fixed {
                let how = if pick == Pick::Handle { "a handle" } else { "a computed number" };
                wrong = wrong.take().or(Some((handle, format!("an image is taken by {how}"))));
                return;
            }
            let Some(uses) = all.get_mut(image.index()) else { return };
            match op {
                Op::LoadImage { .. } => uses.load = true,
                Op::StoreImage { .. } => uses.store = true,
                Op::ImageSize { .. } => uses.size = true,
                _ => {
                    let name = shader.images.get(image.index()).map_or("", |image| &image.name);
                    let what = format!("{} changes no texels atomically: {name}", L::NAME);
                    wrong = wrong.take().or(Some((image_rule, what)));
                }
            }
        };
        let body: &Region = &shader.body;
        body.for_each_inst(&mut |inst| note(inst.op));
        match wrong {
            Some((rule, what)) => Err(refused(rule, what)),
            None => Ok(all),
        }
    }

    /// Whether there are any.
    pub(in crate::emit) const fn any(self) -> bool {
        self.load || self.store || self.size
    }

    /// The word for what is done, of WGSL and Metal.
    #[cfg(any(feature = "msl", feature = "wgsl"))]
    pub(in crate::emit) const fn access(self) -> &'static str {
        match (self.load, self.store) {
            (true, true) => "read_write",
            (true, false) => "read",
            _ => "write",
        }
    }
}

#[cfg(any(feature = "hlsl", feature = "msl", feature = "wgsl"))]
impl<'a, L: Language> Body<'a, '_, L> {
    /// Writes a read of an image or the question for its size. Tells whether it was one.
    pub(in crate::emit) fn read_image(&mut self, op: Op, args: &[Arg]) -> bool {
        match op {
            Op::LoadImage { image, .. } => self.call_image("load_", image, args),
            Op::ImageSize { image, .. } => self.call_image("size_", image, &[]),
            _ => return false,
        }
        true
    }

    /// Writes a store to an image. Tells whether it was one.
    pub(in crate::emit) fn store_image(&mut self, inst: &'a Inst) -> bool {
        let Op::StoreImage { image, .. } = inst.op else { return false };
        self.line();
        self.call_image("store_", image, self.shader.args(inst.args));
        self.out.push_str(";\n");
        true
    }

    /// Calls the function of an image.
    fn call_image(&mut self, what: &str, image: ImageId, args: &[Arg]) {
        let name = self.outside.images.get(image.index()).map_or("", String::as_str);
        self.out.push_str(what);
        self.out.push_str(name);
        self.out.push('(');
        if L::PASSES_IMAGES {
            self.out.push_str(name);
        }
        for (n, arg) in args.iter().enumerate() {
            if n > 0 || L::PASSES_IMAGES {
                self.out.push_str(", ");
            }
            self.arg(*arg, Shape::Exact, Prec::Lowest);
        }
        self.out.push(')');
    }
}
