//! Reads and writes of buffers, of what a workgroup shares and of images.

use super::language::Wgsl;
use crate::emit::common::Prec;
use crate::emit::text::{Body, Shape, atomic_word};
use crate::ir::{Arg, ImageId, Inst, Op};
use alloc::string::String;

impl<'a> Body<'a, '_, Wgsl> {
    /// Calls the function of an image.
    pub(super) fn call_image(&mut self, what: &str, image: ImageId, args: &[Arg]) {
        self.out.push_str(what);
        self.out.push_str(self.outside.images.get(image.index()).map_or("", String::as_str));
        self.out.push('(');
        for (n, arg) in args.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.arg(*arg, Shape::Exact, Prec::Lowest);
        }
        self.out.push(')');
    }

    /// Writes what changes memory or waits for it. Tells whether it was that.
    pub(super) fn change_memory(&mut self, inst: &'a Inst) -> bool {
        let shader = self.shader;
        let args = shader.args(inst.args);
        match inst.op {
            Op::StoreImage { image, .. } => {
                self.line();
                self.call_image("store_", image, args);
                self.out.push_str(";\n");
            }
            Op::Barrier => {
                self.line();
                self.out.push_str("workgroupBarrier();\n");
                if !shader.buffers.is_empty() {
                    self.line();
                    self.out.push_str("storageBarrier();\n");
                }
                if self.outside.rereads_images {
                    self.line();
                    self.out.push_str("textureBarrier();\n");
                }
            }
            _ => return self.change_words(inst, |atomic| atomic_word(atomic).is_none()),
        }
        true
    }
}
