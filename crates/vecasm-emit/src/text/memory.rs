//! Memory that is addressed by bytes, buffers and what a workgroup shares, as words. Each operation on one is a function, because
//! the IR says what happens outside, and the languages leave it open.

use super::statements::lanes_of;
use super::{Body, Language, Shape};
use crate::common::{Prec, push_u32};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Atomic, Inst, Memory, Op, Pick, Scalar, Stage, Type};

/// What is done with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// So many words are read.
    Load(u8),
    /// One word is written.
    Store,
    /// One word is changed.
    Atomic(Atomic),
}

impl Access {
    /// Appends the name of its function for the memory of that name.
    pub(crate) fn push(self, out: &mut String, name: &str) {
        match self {
            Self::Load(1) => out.push_str("load_"),
            Self::Load(lanes) => out.push_str(&format!("load_{lanes}_")),
            Self::Store => out.push_str("store_"),
            Self::Atomic(atomic) => out.push_str(&format!("{}_", atomic.name())),
        }
        out.push_str(name);
    }
}

/// The word for an atomic operation of one operand that languages have a function for: `Add` of `atomicAdd` and
/// `InterlockedAdd`.
pub(crate) const fn atomic_word(atomic: Atomic) -> Option<&'static str> {
    match atomic {
        Atomic::Add => Some("Add"),
        Atomic::MinUnsigned => Some("Min"),
        Atomic::MaxUnsigned => Some("Max"),
        Atomic::And => Some("And"),
        Atomic::Or => Some("Or"),
        Atomic::Xor => Some("Xor"),
        Atomic::Exchange => Some("Exchange"),
        _ => None,
    }
}

/// What an atomic operation without a word makes of `old` and `value`, in languages with the conversions of C; `sum` is
/// that of floats.
#[cfg(any(feature = "glsl", feature = "hlsl"))]
pub(crate) const fn changed_word(atomic: Atomic, sum: &'static str) -> &'static str {
    match atomic {
        Atomic::FloatAdd => sum,
        Atomic::MinSigned => "uint(min(int(old), int(value)))",
        Atomic::MaxSigned => "uint(max(int(old), int(value)))",
        Atomic::MinUnsigned => "min(old, value)",
        Atomic::MaxUnsigned => "max(old, value)",
        Atomic::IncrementWrap => "(old >= value ? 0u : old + 1u)",
        _ => "(old == 0u || old > value ? value : old - 1u)",
    }
}

/// A memory in a text.
pub(crate) trait Words {
    /// Its name, and what is done with it.
    fn accesses(&mut self) -> (&str, &mut Vec<Access>);

    /// Appends what its functions take before the offset.
    fn push_context(&self, _: &mut String) {}

    /// The number of words as an expression.
    fn count(&self) -> String;

    /// Notes an access and appends the call of its function, up to the offset.
    fn call(&mut self, out: &mut String, access: Access) {
        let (name, accesses) = self.accesses();
        if !accesses.contains(&access) {
            accesses.push(access);
        }
        access.push(out, name);
        out.push('(');
        self.push_context(out);
    }
}

/// Whether an atomic operation is tried until nobody comes between, in a language.
const fn is_tried<L: Language>(atomic: Atomic) -> bool {
    atomic_word(atomic).is_none() && !(L::SWAPS && matches!(atomic, Atomic::CompareExchange))
}

impl<'a, L: Language> Body<'a, '_, L> {
    /// Begins the statement of an atomic operation: the variable for the old word, if somebody reads it.
    pub(crate) fn take_old(&mut self, inst: &'a Inst) {
        let value = inst.result.filter(|v| self.plan.values.get(v.index()).is_some_and(|v| v.uses > 0));
        match value {
            Some(value) => {
                self.name(value);
                self.declare(Type::new(Scalar::U32, 1), true);
                self.push_name(value);
                self.out.push_str(" = ");
            }
            None if L::C => {}
            None => self.out.push_str("_ = "),
        }
    }
}

impl<'a, L: Language> Body<'a, '_, L>
where
    L::Memory: Words,
{
    fn words(&mut self, memory: Memory) -> Option<&mut L::Memory> {
        let at = match memory {
            Memory::Buffer(id) => id.index(),
            Memory::Shared => self.shader.buffers.len(),
        };
        self.memories.get_mut(at)
    }

    /// The function for an access, up to the offset.
    fn access(&mut self, memory: Memory, access: Access) {
        let mut out = core::mem::take(&mut self.out);
        let known = self.words(memory).map(|words| words.call(&mut out, access)).is_some();
        self.out = out;
        if !known {
            self.refuse(L::REASONS.op, "only a compute shader has shared memory".into());
        }
    }

    /// Whether an operation names its memory; if not, it is refused.
    fn is_fixed_memory(&mut self, op: Op, pick: Pick) -> bool {
        if pick != Pick::Fixed {
            let what = format!("`{}` takes a buffer by a computed index", op_name(op));
            self.refuse(L::REASONS.handle, what);
        }
        pick == Pick::Fixed
    }

    /// Writes a read of memory or the question for its size. Tells whether it was one.
    pub(crate) fn read_words(&mut self, inst: &'a Inst, args: &[Arg], min: Prec) -> bool {
        let (Op::LoadMemory { memory, pick, .. } | Op::MemorySize { memory, pick }) = inst.op else {
            return false;
        };
        if !self.is_fixed_memory(inst.op, pick) {
            return true;
        }
        if let Op::LoadMemory { lanes, .. } = inst.op {
            self.access(memory, Access::Load(lanes));
            if let Some(offset) = args.first() {
                self.arg(*offset, Shape::Loose, Prec::Lowest);
            }
            self.out.push(')');
            return true;
        }
        let count = self.words(memory).map(|words| words.count()).unwrap_or_default();
        let open = min > Prec::Product;
        self.out.push_str(&if open { format!("({count} * 4u)") } else { format!("{count} * 4u") });
        true
    }

    /// Writes a store to memory or an atomic operation on it. Tells whether it was one.
    pub(crate) fn change_words(&mut self, inst: &'a Inst) -> bool {
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
                // A helper invocation would try for ever.
                if shader.stage == Stage::Fragment && is_tried::<L>(atomic) {
                    self.refuse(L::REASONS.atomic, format!("`atomic.{}` needs a loop", atomic.name()));
                    return true;
                }
                self.line();
                self.take_old(inst);
                self.access(memory, Access::Atomic(atomic));
                for (n, arg) in args.iter().enumerate() {
                    if n > 0 {
                        self.out.push_str(", ");
                    }
                    self.arg(*arg, Shape::Loose, Prec::Sum);
                }
                self.out.push_str(");\n");
            }
            _ => return false,
        }
        true
    }
}
