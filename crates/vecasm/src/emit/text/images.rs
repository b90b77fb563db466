//! What is done with images.

use super::Language;
use crate::diag::{Diagnostic, Rule};
use crate::emit::rules::refused;
use crate::ir::{Op, Pick, Region, Shader};
use alloc::format;
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
