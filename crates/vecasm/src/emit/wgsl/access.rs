//! Reads and writes of buffers, of what a workgroup shares and of images.

use super::language::Wgsl;
use super::memory::{Access, Words, function};
use super::rules;
use crate::emit::common::{Prec, push_u32};
use crate::emit::text::{Body, Shape, lanes_of};
use crate::ir::text::op_name;
use crate::ir::{Arg, ImageId, Inst, Memory, Op, Pick, Stage};
use alloc::format;
use alloc::string::String;

impl<'a> Body<'a, '_, Wgsl> {
    fn words(&mut self, memory: Memory) -> Option<&mut Words> {
        let at = match memory {
            Memory::Buffer(id) => id.index(),
            Memory::Shared => self.shader.buffers.len(),
        };
        self.memories.get_mut(at)
    }

    /// The function for an access, up to its parenthesis.
    fn access(&mut self, memory: Memory, access: Access) {
        let mut out = core::mem::take(&mut self.out);
        let known = self.words(memory).map(|words| words.call(&mut out, access)).is_some();
        self.out = out;
        if !known {
            self.refuse(rules::OP, "only a compute shader has shared memory".into());
        }
        self.out.push('(');
    }

    /// Whether an operation names its memory; if not, it is refused.
    fn is_fixed_memory(&mut self, op: Op, pick: Pick) -> bool {
        if pick == Pick::Fixed {
            return true;
        }
        self.refuse(rules::HANDLE, format!("`{}` takes a buffer by a computed number", op_name(op)));
        false
    }

    /// Writes a read of memory or the question for its size.
    pub(super) fn read_words(&mut self, inst: &'a Inst, args: &[Arg], min: Prec) {
        let (Op::LoadMemory { memory, pick, .. } | Op::MemorySize { memory, pick }) = inst.op else { return };
        if !self.is_fixed_memory(inst.op, pick) {
            return;
        }
        if let Op::LoadMemory { lanes, .. } = inst.op {
            self.access(memory, Access::Load(lanes));
            if let Some(offset) = args.first() {
                self.arg(*offset, Shape::Loose, Prec::Lowest);
            }
            return self.out.push(')');
        }
        let count = self.words(memory).map(|words| words.count()).unwrap_or_default();
        let open = min > Prec::Product;
        self.out.push_str(&if open { format!("({count} * 4u)") } else { format!("{count} * 4u") });
    }

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

    /// Writes a store to memory, an atomic operation or a barrier. Tells whether it was one.
    pub(super) fn change_words(&mut self, inst: &'a Inst) -> bool {
        let shader = self.shader;
        let args = shader.args(inst.args);
        match inst.op {
            Op::StoreMemory { memory, mask, pick } => {
                let (Some(offset), Some(value)) = (args.first(), args.get(1)) else { return true };
                if !self.is_fixed_memory(inst.op, pick) {
                    return true;
                }
                for (n, lane) in mask.lanes().enumerate() {
                    self.line();
                    self.access(memory, Access::Store);
                    self.arg(*offset, Shape::Loose, Prec::Sum);
                    self.out.push_str(", ");
                    push_u32(&mut self.out, lane as u32);
                    self.out.push_str("u, ");
                    self.arg(lanes_of(*value, n, 1), Shape::Loose, Prec::Sum);
                    self.out.push_str(");\n");
                }
            }
            Op::AtomicMemory { memory, atomic, pick } => {
                if !self.is_fixed_memory(inst.op, pick) {
                    return true;
                }
                if shader.stage == Stage::Fragment && function(atomic).is_none() {
                    self.refuse(rules::ATOMIC, format!("`atomic.{}` needs a loop", atomic.name()));
                    return true;
                }
                self.line();
                let value =
                    inst.result.filter(|v| self.plan.values.get(v.index()).is_some_and(|v| v.uses > 0));
                match value {
                    Some(value) => {
                        self.name(value);
                        self.out.push_str("let ");
                        self.push_name(value);
                        self.out.push_str(" = ");
                    }
                    None => self.out.push_str("_ = "),
                }
                self.access(memory, Access::Atomic(atomic));
                for (n, arg) in args.iter().enumerate() {
                    if n > 0 {
                        self.out.push_str(", ");
                    }
                    self.arg(*arg, Shape::Loose, Prec::Sum);
                }
                self.out.push_str(");\n");
            }
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
            _ => return false,
        }
        true
    }
}
