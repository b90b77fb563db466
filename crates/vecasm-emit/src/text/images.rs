//! What is done with images. Each operation on one is a function, because the IR says what happens outside, and the languages
//! leave it open.

use super::{Body, Language, Shape};
use crate::common::Prec;
use crate::rules::refused;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{Arg, ImageId, Inst, Op, Pick, Region, Shader};

/// What is done with an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) load: bool,
    pub(crate) store: bool,
    pub(crate) size: bool,
    /// A bit for each atomic operation.
    pub(crate) atomics: u32,
}

impl Uses {
    /// What a shader does with each of its images.
    ///
    /// # Errors
    ///
    /// Where an image is chosen, or changed atomically and the language [cannot](Language::CHANGES_TEXELS).
    pub(crate) fn of<L: Language>(shader: &Shader) -> Result<Vec<Self>, Diagnostic> {
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
                let how = if pick == Pick::Handle { "a handle" } else { "a computed index" };
                wrong = wrong.take().or(Some((L::REASONS.handle, format!("an image is selected by {how}"))));
                return;
            }
            let Some(uses) = all.get_mut(image.index()) else { return };
            match op {
                Op::LoadImage { .. } => uses.load = true,
                Op::StoreImage { .. } => uses.store = true,
                Op::ImageSize { .. } => uses.size = true,
                Op::AtomicImage { atomic, .. } if L::CHANGES_TEXELS => uses.atomics |= 1 << atomic as u32,
                _ => {
                    let name = shader.images.get(image.index()).map_or("", |image| &image.name);
                    let what = format!("{} has no atomic operations on texels: {name}", L::NAME);
                    wrong = wrong.take().or(Some((L::REASONS.image, what)));
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
    pub(crate) const fn any(self) -> bool {
        self.load || self.store || self.size || self.atomics != 0
    }

    /// Whether texels are read.
    pub(crate) const fn reads(self) -> bool {
        self.load || self.atomics != 0
    }

    /// Whether texels are written.
    pub(crate) const fn writes(self) -> bool {
        self.store || self.atomics != 0
    }

    /// Whether texels are changed by that operation.
    #[cfg(any(feature = "glsl", feature = "hlsl"))]
    pub(crate) const fn changes(self, atomic: vecasm_ir::ir::Atomic) -> bool {
        self.atomics >> atomic as u32 & 1 == 1
    }

    /// The word for what is done, of WGSL and Metal.
    #[cfg(any(feature = "msl", feature = "wgsl"))]
    pub(crate) const fn access(self) -> &'static str {
        match (self.load, self.store) {
            (true, true) => "read_write",
            (true, false) => "read",
            _ => "write",
        }
    }
}

impl<'a, L: Language> Body<'a, '_, L> {
    /// Writes a read of an image or the question for its size. Tells whether it was one.
    pub(crate) fn read_image(&mut self, op: Op, args: &[Arg]) -> bool {
        match op {
            Op::LoadImage { image, .. } => self.call_image("load_", image, args),
            Op::ImageSize { image, .. } => self.call_image("size_", image, &[]),
            _ => return false,
        }
        true
    }

    /// Writes a store to an image. Tells whether it was one.
    pub(crate) fn store_image(&mut self, inst: &'a Inst) -> bool {
        let Op::StoreImage { image, .. } = inst.op else { return false };
        self.line();
        self.call_image("store_", image, self.shader.args(inst.args));
        self.out.push_str(";\n");
        true
    }

    /// Writes an atomic operation on an image. Tells whether it was one.
    #[cfg(any(feature = "glsl", feature = "hlsl"))]
    pub(crate) fn change_image(&mut self, inst: &'a Inst) -> bool {
        let Op::AtomicImage { image, atomic, .. } = inst.op else { return false };
        self.line();
        self.take_old(inst);
        self.call_image(&format!("{}_", atomic.name()), image, self.shader.args(inst.args));
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
