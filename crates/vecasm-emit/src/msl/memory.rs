//! Memory that is addressed by bytes: buffers and what a threadgroup shares. Each operation on one is a function, because the
//! IR says what happens outside, and Metal leaves it open.

use super::language::Msl;
use crate::common::Prec;
use crate::text::{Access, Body, Language as _, Words, atomic_word};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Atomic, Inst, Op, Scalar, Type};

/// A memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
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

impl Words for Block {
    fn accesses(&mut self) -> (&str, &mut Vec<Access>) {
        (&self.name, &mut self.accesses)
    }

    fn push_context(&self, out: &mut String) {
        out.push_str(&format!("{}, {}, ", self.name, self.count));
    }

    fn count(&self) -> String {
        self.count.clone()
    }
}

impl Block {
    pub(super) fn new(name: String, space: &'static str, atomic: bool, count: String) -> Self {
        Self { name, space, atomic, count, accesses: Vec::new() }
    }

    /// The type of a word.
    pub(super) const fn word(&self) -> &'static str {
        if self.atomic { "atomic_uint" } else { "uint" }
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
            let mut function = String::new();
            access.push(&mut function, name);
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
        let work = match atomic_word(atomic) {
            Some(word) => {
                let fetch = if atomic == Atomic::Exchange { "" } else { "fetch_" };
                let word = word.to_ascii_lowercase();
                format!("    return atomic_{fetch}{word}_explicit({place}, value, {relaxed});\n")
            }
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
    /// Writes a read of memory or of an image, or the question for a size.
    pub(super) fn read_memory(&mut self, inst: &'a Inst, args: &[Arg], min: Prec) {
        if !self.read_image(inst.op, args) {
            self.read_words(inst, args, min);
        }
    }

    /// Writes what changes memory or waits for it. Tells whether it was that.
    pub(super) fn change_memory(&mut self, inst: &'a Inst) -> bool {
        let shader = self.shader;
        match inst.op {
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
            _ => return self.store_image(inst) || self.change_words(inst),
        }
        true
    }
}
