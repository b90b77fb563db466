//! Buffers and what a workgroup shares, as arrays of words. Each operation on one is a function, because the IR says what
//! happens outside, and GLSL leaves it open.

use super::language::Glsl;
use super::rules;
use crate::emit::common::{Prec, push_u32};
use crate::emit::text::{Body, Language as _, Shape, lanes_of};
use crate::ir::text::op_name;
use crate::ir::{Arg, Atomic, Inst, Memory, Op, Pick, Scalar, Stage, Type};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What is done with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// So many words are read.
    Load(u8),
    /// One word is written.
    Store,
    /// One word is changed.
    Atomic(Atomic),
}

/// A memory as an array of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// Its name; empty for one that is not used.
    pub(super) name: String,
    /// Number of words, if the text says it.
    pub(super) count: Option<u32>,
    /// What is done with it.
    accesses: Vec<Access>,
}

/// The function for an atomic operation of one operand, where GLSL has one.
const fn function(atomic: Atomic) -> Option<&'static str> {
    match atomic {
        Atomic::Add => Some("atomicAdd"),
        Atomic::MinUnsigned => Some("atomicMin"),
        Atomic::MaxUnsigned => Some("atomicMax"),
        Atomic::And => Some("atomicAnd"),
        Atomic::Or => Some("atomicOr"),
        Atomic::Xor => Some("atomicXor"),
        Atomic::Exchange => Some("atomicExchange"),
        _ => None,
    }
}

/// Whether an operation is tried until nobody comes between.
const fn loops(atomic: Atomic) -> bool {
    function(atomic).is_none() && !matches!(atomic, Atomic::CompareExchange)
}

impl Words {
    pub(super) fn new(name: String, count: Option<u32>) -> Self {
        Self { name, count, accesses: Vec::new() }
    }

    /// Notes an access and appends the name of its function.
    fn call(&mut self, out: &mut String, access: Access) {
        if !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
        self.push_function(out, access);
    }

    fn push_function(&self, out: &mut String, access: Access) {
        match access {
            Access::Load(1) => out.push_str("load_"),
            Access::Load(lanes) => out.push_str(&format!("load_{lanes}_")),
            Access::Store => out.push_str("store_"),
            Access::Atomic(atomic) => out.push_str(&format!("{}_", atomic.name())),
        }
        out.push_str(&self.name);
    }

    /// The number of words as an expression.
    fn count(&self) -> String {
        match self.count {
            Some(count) => format!("{count}u"),
            None => format!("uint({}.length())", self.name),
        }
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        let (name, count) = (&self.name, self.count());
        for access in &self.accesses {
            let ty = match *access {
                Access::Load(lanes) => Glsl::type_name(Type::new(Scalar::U32, lanes)),
                Access::Store => "void",
                Access::Atomic(_) => "uint",
            };
            out.push_str(&format!("\n{ty} "));
            self.push_function(out, *access);
            out.push_str(&match *access {
                Access::Load(lanes) => {
                    let more =
                        |lane: u8| if lane == 0 { String::from("at") } else { format!("at + {lane}u") };
                    let words: Vec<String> =
                        (0..lanes).map(|lane| format!("{name}[{}]", more(lane))).collect();
                    let words =
                        if lanes == 1 { words.concat() } else { format!("{ty}({})", words.join(", ")) };
                    format!(
                        "(uint offset) {{
    uint at = offset >> 2;
    if ({} >= {count}) {{
        return {ty}(0u);
    }}
    return {words};
}}
",
                        more(lanes - 1)
                    )
                }
                Access::Store => format!(
                    "(uint offset, uint word, uint value) {{
    uint at = (offset >> 2) + word;
    if (at < {count}) {{
        {name}[at] = value;
    }}
}}
"
                ),
                Access::Atomic(atomic) => self.change(atomic),
            });
        }
    }

    fn change(&self, atomic: Atomic) -> String {
        let (name, count) = (&self.name, self.count());
        let new = match atomic {
            Atomic::FloatAdd => "floatBitsToUint(uintBitsToFloat(old) + uintBitsToFloat(value))",
            Atomic::MinSigned => "uint(min(int(old), int(value)))",
            Atomic::MaxSigned => "uint(max(int(old), int(value)))",
            Atomic::IncrementWrap => "(old >= value ? 0u : old + 1u)",
            _ => "(old == 0u || old > value ? value : old - 1u)",
        };
        let other = if atomic.operands() == 2 { ", uint other" } else { "" };
        let work = match function(atomic) {
            Some(function) => format!("    return {function}({name}[at], value);\n"),
            None if !loops(atomic) => format!("    return atomicCompSwap({name}[at], value, other);\n"),
            None => format!(
                "    uint old = {name}[at];
    for (;;) {{
        uint tried = atomicCompSwap({name}[at], old, {new});
        if (tried == old) {{
            break;
        }}
        old = tried;
    }}
    return old;
"
            ),
        };
        format!(
            "(uint offset, uint value{other}) {{
    uint at = offset >> 2;
    if (at >= {count}) {{
        return 0u;
    }}
{work}}}
"
        )
    }
}

impl<'a> Body<'a, '_, Glsl> {
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
            self.refuse(rules::MEMORY, "only a compute shader has shared memory".into());
        }
        self.out.push('(');
    }

    /// Whether an operation names its memory; if not, it is refused.
    fn is_fixed_memory(&mut self, op: Op, pick: Pick) -> bool {
        if pick != Pick::Fixed {
            self.refuse(rules::HANDLE, format!("`{}` takes a buffer by a computed number", op_name(op)));
        }
        pick == Pick::Fixed
    }

    /// Writes a read of memory or the question for its size.
    pub(super) fn read_words(&mut self, inst: &'a Inst, args: &[Arg], min: Prec) {
        let (Op::LoadMemory { memory, pick, .. } | Op::MemorySize { memory, pick }) = inst.op else {
            return self.refuse(rules::MEMORY, format!("`{}` is not written as GLSL", op_name(inst.op)));
        };
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
                // A helper invocation would try for ever.
                if shader.stage == Stage::Fragment && loops(atomic) {
                    self.refuse(rules::MEMORY, format!("`atomic.{}` needs a loop", atomic.name()));
                    return true;
                }
                self.line();
                let used = |v: &crate::ir::Value| self.plan.values.get(v.index()).is_some_and(|v| v.uses > 0);
                if let Some(value) = inst.result.filter(used) {
                    self.name(value);
                    self.declare(Type::new(Scalar::U32, 1), true);
                    self.push_name(value);
                    self.out.push_str(" = ");
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
            Op::Barrier if shader.stage == Stage::Compute => {
                self.line();
                if shader.buffers.is_empty() {
                    self.out.push_str("memoryBarrierShared();\n");
                } else {
                    self.out.push_str("memoryBarrier();\n");
                }
                self.line();
                self.out.push_str("barrier();\n");
            }
            Op::Fence if shader.stage == Stage::Compute || !shader.buffers.is_empty() => {
                self.line();
                self.out.push_str("memoryBarrier();\n");
            }
            Op::StoreImage { .. } | Op::AtomicImage { .. } => {
                self.refuse(rules::MEMORY, format!("`{}` is not written as GLSL", op_name(inst.op)));
            }
            _ => return false,
        }
        true
    }
}
