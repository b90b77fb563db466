//! Buffers and what a workgroup shares: see [`Access`] for what is done with them. Buffers are addressed by bytes; what is shared
//! is an array of words.

use super::language::Hlsl;
use super::{images, rules};
use crate::common::Prec;
use crate::text::{Access, Body, Language as _, Words, atomic_word, changed_word};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Atomic, Inst, Op, Scalar, Stage, Type};

/// A memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Its name; empty for one that is not used.
    name: String,
    /// Number of words of what is shared; of buffers the text asks for it.
    count: Option<u32>,
    /// What is done with it.
    accesses: Vec<Access>,
    /// Whether the text asks for the number of words.
    asks: core::cell::Cell<bool>,
}

impl Words for Block {
    fn accesses(&mut self) -> (&str, &mut Vec<Access>) {
        (&self.name, &mut self.accesses)
    }

    fn count(&self) -> String {
        match self.count {
            Some(count) => format!("{count}u"),
            None => {
                self.asks.set(true);
                format!("load_count_{}()", self.name)
            }
        }
    }
}

impl Block {
    pub(super) fn new(name: String, count: Option<u32>) -> Self {
        Self { name, count, ..Self::default() }
    }

    fn read(&self, at: &str) -> String {
        let name = &self.name;
        if self.count.is_some() { format!("{name}[{at}]") } else { format!("{name}.Load({at} * 4u)") }
    }

    /// An intrinsic on the word at `at`.
    fn interlocked(&self, function: &str, more: &str) -> String {
        let name = &self.name;
        if self.count.is_some() {
            format!("{function}({name}[at], {more})")
        } else {
            format!("{name}.{function}(at * 4u, {more})")
        }
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        let mut functions = String::new();
        for access in &self.accesses {
            self.function(&mut functions, *access);
        }
        if self.asks.get() {
            let name = &self.name;
            out.push_str(&format!(
                "
uint load_count_{name}() {{
    uint bytes;
    {name}.GetDimensions(bytes);
    return bytes >> 2;
}}
"
            ));
        }
        out.push_str(&functions);
    }

    fn function(&self, out: &mut String, access: Access) {
        let (name, count) = (&self.name, self.count());
        let ty = match access {
            Access::Load(lanes) => Hlsl::type_name(Type::new(Scalar::U32, lanes)),
            Access::Store => "void",
            Access::Atomic(_) => "uint",
        };
        out.push_str(&format!("\n{ty} "));
        access.push(out, name);
        out.push_str(&match access {
            // All words or none.
            Access::Load(lanes) => {
                let more = |lane: u8| if lane == 0 { String::from("at") } else { format!("at + {lane}u") };
                let words = match (lanes, self.count) {
                    (1, _) => self.read("at"),
                    (_, None) => format!("{name}.Load{lanes}(at * 4u)"),
                    _ => {
                        let words: Vec<String> = (0..lanes).map(|lane| self.read(&more(lane))).collect();
                        format!("{ty}({})", words.join(", "))
                    }
                };
                let zeros = match lanes {
                    1 => "0u".into(),
                    _ => format!("{ty}({})", ["0u"; 4][..usize::from(lanes.min(4))].join(", ")),
                };
                format!(
                    "(uint offset) {{
    uint at = offset >> 2;
    if ({} >= {count}) {{
        return {zeros};
    }}
    return {words};
}}
",
                    more(lanes - 1)
                )
            }
            Access::Store => {
                let store = match self.count {
                    Some(_) => format!("{name}[at] = value;"),
                    None => format!("{name}.Store(at * 4u, value);"),
                };
                format!(
                    "(uint offset, uint word, uint value) {{
    uint at = (offset >> 2) + word;
    if (at < {count}) {{
        {store}
    }}
}}
"
                )
            }
            Access::Atomic(atomic) => self.change(atomic),
        });
    }

    fn change(&self, atomic: Atomic) -> String {
        let new = changed(atomic);
        let other = if atomic.operands() == 2 { ", uint other" } else { "" };
        let work = match atomic_word(atomic) {
            Some(word) => {
                format!("        {};\n", self.interlocked(&format!("Interlocked{word}"), "value, old"))
            }
            None if atomic == Atomic::CompareExchange => {
                format!("        {};\n", self.interlocked("InterlockedCompareExchange", "value, other, old"))
            }
            None => {
                let swap = self.interlocked("InterlockedCompareExchange", &format!("old, {new}, tried"));
                format!(
                    "        old = {};
        for (;;) {{
            uint tried;
            {swap};
            if (tried == old) {{
                break;
            }}
            old = tried;
        }}
",
                    self.read("at")
                )
            }
        };
        format!(
            "(uint offset, uint value{other}) {{
    uint at = offset >> 2;
    uint old = 0u;
    if (at < {}) {{
{work}    }}
    return old;
}}
",
            self.count()
        )
    }
}

/// What an atomic operation without an intrinsic makes of the word `old`.
pub(super) const fn changed(atomic: Atomic) -> &'static str {
    changed_word(atomic, "asuint(asfloat(old) + asfloat(value))")
}

impl<'a> Body<'a, '_, Hlsl> {
    /// Writes a read of memory or of an image, or the question for a size.
    pub(super) fn read_memory(&mut self, inst: &'a Inst, args: &[Arg], min: Prec) {
        if !self.read_image(inst.op, args) {
            self.read_words(inst, args, min);
        }
    }

    /// Writes what changes memory or waits for it. Tells whether it was that.
    pub(super) fn change_memory(&mut self, inst: &'a Inst) -> bool {
        let shader = self.shader;
        let outside = !shader.buffers.is_empty() || !shader.images.is_empty();
        let compute = shader.stage == Stage::Compute;
        match inst.op {
            Op::Barrier if compute => {
                self.line();
                let which = if outside { "All" } else { "Group" };
                self.out.push_str(&format!("{which}MemoryBarrierWithGroupSync();\n"));
            }
            Op::Fence if compute || outside => {
                self.line();
                let which = if compute { "All" } else { "Device" };
                self.out.push_str(&format!("{which}MemoryBarrier();\n"));
            }
            Op::AtomicImage { image, atomic, .. } => {
                let format = shader.images.get(image.index()).map(|image| image.format);
                // A helper invocation would try for ever.
                if shader.stage == Stage::Fragment && format.is_some_and(|of| images::is_tried(atomic, of)) {
                    self.refuse(rules::MEMORY, format!("`atomic.{}` needs a loop", atomic.name()));
                }
                self.change_image(inst);
            }
            _ => return self.store_image(inst) || self.change_words(inst),
        }
        true
    }
}
