//! Memory that is addressed by bytes: buffers and what a threadgroup shares. Each operation on one is a function, because the
//! IR says what happens outside, and Metal leaves it open.

use super::language::Msl;
use super::rules;
use crate::emit::common::{Prec, push_u32};
use crate::emit::text::{Body, Language as _, Shape, lanes_of};
use crate::ir::text::op_name;
use crate::ir::{Arg, Atomic, ImageId, Inst, Memory, Op, Pick, Scalar, Stage, Type};
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

/// The function for an atomic operation, where Metal has one.
const fn function(atomic: Atomic) -> Option<&'static str> {
    match atomic {
        Atomic::Add => Some("atomic_fetch_add_explicit"),
        Atomic::MinUnsigned => Some("atomic_fetch_min_explicit"),
        Atomic::MaxUnsigned => Some("atomic_fetch_max_explicit"),
        Atomic::And => Some("atomic_fetch_and_explicit"),
        Atomic::Or => Some("atomic_fetch_or_explicit"),
        Atomic::Xor => Some("atomic_fetch_xor_explicit"),
        Atomic::Exchange => Some("atomic_exchange_explicit"),
        _ => None,
    }
}

/// A memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// Its name; empty for one that is not used.
    pub(super) name: String,
    /// What stands before the name where it is declared.
    pub(super) space: &'static str,
    /// Whether its words are atomic.
    pub(super) atomic: bool,
    /// The number of words as an expression.
    pub(super) count: String,
    /// What is done with it.
    accesses: Vec<Access>,
}

impl Words {
    pub(super) fn new(name: String, space: &'static str, atomic: bool, count: String) -> Self {
        Self { name, space, atomic, count, accesses: Vec::new() }
    }

    /// The type of a word.
    pub(super) const fn word(&self) -> &'static str {
        if self.atomic { "atomic_uint" } else { "uint" }
    }

    fn function(&self, access: Access) -> String {
        let name = &self.name;
        match access {
            Access::Load(1) => format!("load_{name}"),
            Access::Load(lanes) => format!("load_{lanes}_{name}"),
            Access::Store => format!("store_{name}"),
            Access::Atomic(atomic) => format!("{}_{name}", atomic.name()),
        }
    }

    fn read(&self, at: &str) -> String {
        let name = &self.name;
        if self.atomic {
            format!("atomic_load_explicit(&{name}[{at}], memory_order_relaxed)")
        } else {
            format!("{name}[{at}]")
        }
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        for access in &self.accesses {
            let (name, space, word) = (&self.name, self.space, self.word());
            let function = self.function(*access);
            let memory = format!("{space} {word} *{name}, uint count");
            match *access {
                // All words or none.
                Access::Load(lanes) => {
                    let ty = Msl::type_name(Type::new(Scalar::U32, lanes));
                    let more =
                        |lane: u8| if lane == 0 { String::from("at") } else { format!("at + {lane}u") };
                    let words: Vec<String> = (0..lanes).map(|lane| self.read(&more(lane))).collect();
                    let words =
                        if lanes == 1 { words.concat() } else { format!("{ty}({})", words.join(", ")) };
                    let last = more(lanes - 1);
                    out.push_str(&format!(
                        "
{ty} {function}({memory}, uint offset) {{
    uint at = offset >> 2;
    if ({last} >= count) {{
        return {ty}(0u);
    }}
    return {words};
}}
"
                    ));
                }
                Access::Store => {
                    let store = if self.atomic {
                        format!("atomic_store_explicit(&{name}[at], value, memory_order_relaxed);")
                    } else {
                        format!("{name}[at] = value;")
                    };
                    out.push_str(&format!(
                        "
void {function}({memory}, uint offset, uint word, uint value) {{
    uint at = (offset >> 2) + word;
    if (at < count) {{
        {store}
    }}
}}
"
                    ));
                }
                Access::Atomic(atomic) => self.change(out, atomic, &function, &memory),
            }
        }
    }

    fn change(&self, out: &mut String, atomic: Atomic, name: &str, memory: &str) {
        let place = format!("&{}[at]", self.name);
        let new = match atomic {
            Atomic::FloatAdd => "as_type<uint>(as_type<float>(old) + as_type<float>(value))",
            Atomic::MinSigned => "as_type<uint>(min(as_type<int>(old), as_type<int>(value)))",
            Atomic::MaxSigned => "as_type<uint>(max(as_type<int>(old), as_type<int>(value)))",
            Atomic::CompareExchange => "old == value ? other : old",
            Atomic::IncrementWrap => "old >= value ? 0u : old + 1u",
            _ => "old == 0u || old > value ? value : old - 1u",
        };
        let other = if atomic.operands() == 2 { ", uint other" } else { "" };
        let relaxed = "memory_order_relaxed";
        let work = match function(atomic) {
            Some(function) => format!("    return {function}({place}, value, {relaxed});\n"),
            // What Metal lacks is tried until nobody comes between.
            None => format!(
                "    uint old = atomic_load_explicit({place}, {relaxed});
    while (!atomic_compare_exchange_weak_explicit({place}, &old, {new}, {relaxed}, {relaxed})) {{
    }}
    return old;
"
            ),
        };
        out.push_str(&format!(
            "
uint {name}({memory}, uint offset, uint value{other}) {{
    uint at = offset >> 2;
    if (at >= count) {{
        return 0u;
    }}
{work}}}
"
        ));
    }
}

impl<'a> Body<'a, '_, Msl> {
    fn words(&mut self, memory: Memory) -> Option<&mut Words> {
        let at = match memory {
            Memory::Buffer(id) => id.index(),
            Memory::Shared => self.shader.buffers.len(),
        };
        self.memories.get_mut(at)
    }

    /// The function for an access and its first arguments.
    fn access(&mut self, memory: Memory, access: Access) {
        let Some(words) = self.words(memory) else {
            return self.refuse(rules::OP, "only a compute shader has shared memory".into());
        };
        if !words.accesses.contains(&access) {
            words.accesses.push(access);
        }
        let text = format!("{}({}, {}, ", words.function(access), words.name, words.count);
        self.out.push_str(&text);
    }

    /// Whether an operation names its memory; if not, it is refused.
    fn is_fixed_memory(&mut self, op: Op, pick: Pick) -> bool {
        if pick != Pick::Fixed {
            self.refuse(rules::HANDLE, format!("`{}` takes a buffer by a computed number", op_name(op)));
        }
        pick == Pick::Fixed
    }

    /// Writes a read of memory or of an image, or the question for a size.
    pub(super) fn read_words(&mut self, inst: &'a Inst, args: &[Arg], min: Prec) {
        match inst.op {
            Op::LoadMemory { memory, lanes, pick } if self.is_fixed_memory(inst.op, pick) => {
                self.access(memory, Access::Load(lanes));
                if let Some(offset) = args.first() {
                    self.arg(*offset, Shape::Loose, Prec::Lowest);
                }
                self.out.push(')');
            }
            Op::MemorySize { memory, pick } if self.is_fixed_memory(inst.op, pick) => {
                let count = self.words(memory).map(|words| words.count.clone()).unwrap_or_default();
                let open = min > Prec::Product;
                self.out.push_str(&if open { format!("({count} * 4u)") } else { format!("{count} * 4u") });
            }
            Op::LoadImage { image, .. } => self.call_image("load_", image, args),
            Op::ImageSize { image, .. } => self.call_image("size_", image, &[]),
            _ => {}
        }
    }

    /// Calls the function of an image.
    fn call_image(&mut self, what: &str, image: ImageId, args: &[Arg]) {
        let name = self.outside.images.get(image.index()).map_or("", String::as_str);
        self.out.push_str(&format!("{what}{name}({name}"));
        for arg in args {
            self.out.push_str(", ");
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
                if let Some(value) = value {
                    self.name(value);
                    self.out.push_str("uint ");
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
            Op::StoreImage { image, .. } => {
                self.line();
                self.call_image("store_", image, args);
                self.out.push_str(";\n");
            }
            Op::Barrier => {
                self.line();
                self.out.push_str("threadgroup_barrier(mem_flags::mem_threadgroup");
                if !shader.buffers.is_empty() {
                    self.out.push_str(" | mem_flags::mem_device");
                }
                if self.outside.rereads_images {
                    self.out.push_str(" | mem_flags::mem_texture");
                }
                self.out.push_str(");\n");
            }
            _ => return false,
        }
        true
    }
}
