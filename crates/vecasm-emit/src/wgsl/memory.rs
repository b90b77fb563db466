//! Memory that is addressed by bytes: buffers and what a workgroup shares. Each operation on one is a function, because
//! the IR says what happens outside, and WGSL leaves it open.

use super::interface::type_name;
use super::language::Wgsl;
use crate::text::{Access, Body, Words, atomic_word};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Atomic, Inst, Op, Scalar, Type};

/// A memory as a variable of the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Its name; empty for one that is not used.
    pub(super) name: String,
    /// Whether its words are atomic.
    pub(super) atomic: bool,
    /// Number of words, if the module says it.
    pub(super) count: Option<u32>,
    /// What is done with it.
    pub(super) accesses: Vec<Access>,
}

impl Words for Block {
    fn accesses(&mut self) -> (&str, &mut Vec<Access>) {
        (&self.name, &mut self.accesses)
    }

    fn count(&self) -> String {
        match self.count {
            Some(count) => format!("{count}u"),
            None => format!("arrayLength(&{})", self.name),
        }
    }
}

impl Block {
    fn read(&self, at: &str) -> String {
        let name = &self.name;
        if self.atomic { format!("atomicLoad(&{name}[{at}])") } else { format!("{name}[{at}]") }
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        for access in &self.accesses {
            out.push_str("\nfn ");
            access.push(out, &self.name);
            match *access {
                Access::Load(lanes) => self.load(out, lanes),
                Access::Store => self.store(out),
                Access::Atomic(atomic) => self.change(out, atomic),
            }
        }
    }

    /// All words or none.
    fn load(&self, out: &mut String, lanes: u8) {
        let ty = type_name(Type::new(Scalar::U32, lanes));
        let more = |lane: u8| if lane == 0 { String::from("at") } else { format!("at + {lane}u") };
        let words: Vec<String> = (0..lanes).map(|lane| self.read(&more(lane))).collect();
        let words = if lanes == 1 { words.concat() } else { format!("{ty}({})", words.join(", ")) };
        let (last, count) = (more(lanes - 1), self.count());
        out.push_str(&format!(
            "(offset: u32) -> {ty} {{
    let at = offset >> 2u;
    if ({last} >= {count}) {{
        return {ty}();
    }}
    return {words};
}}
"
        ));
    }

    fn store(&self, out: &mut String) {
        let (name, count) = (&self.name, self.count());
        let store = if self.atomic {
            format!("atomicStore(&{name}[at], value);")
        } else {
            format!("{name}[at] = value;")
        };
        out.push_str(&format!(
            "(offset: u32, word: u32, value: u32) {{
    let at = (offset >> 2u) + word;
    if (at < {count}) {{
        {store}
    }}
}}
"
        ));
    }

    fn change(&self, out: &mut String, atomic: Atomic) {
        let (name, count) = (&self.name, self.count());
        let place = format!("&{name}[at]");
        let new = match atomic {
            Atomic::FloatAdd => "bitcast<u32>(bitcast<f32>(old) + bitcast<f32>(value))",
            Atomic::MinSigned => "bitcast<u32>(min(bitcast<i32>(old), bitcast<i32>(value)))",
            Atomic::MaxSigned => "bitcast<u32>(max(bitcast<i32>(old), bitcast<i32>(value)))",
            Atomic::CompareExchange => "select(old, other, old == value)",
            Atomic::IncrementWrap => "select(old + 1u, 0u, old >= value)",
            _ => "select(old - 1u, value, old == 0u || old > value)",
        };
        let other = if atomic.operands() == 2 { ", other: u32" } else { "" };
        let work = match atomic_word(atomic) {
            Some(word) => format!("    return atomic{word}({place}, value);\n"),
            // What WGSL lacks is tried until nobody comes between.
            None => format!(
                "    var old = atomicLoad({place});
    loop {{
        let tried = atomicCompareExchangeWeak({place}, old, {new});
        if (tried.exchanged) {{
            break;
        }}
        old = tried.old_value;
    }}
    return old;
"
            ),
        };
        out.push_str(&format!(
            "(offset: u32, value: u32{other}) -> u32 {{
    let at = offset >> 2u;
    if (at >= {count}) {{
        return 0u;
    }}
{work}}}
"
        ));
    }
}

impl<'a> Body<'a, '_, Wgsl> {
    /// Writes what changes memory or waits for it. Tells whether it was that.
    pub(super) fn change_memory(&mut self, inst: &'a Inst) -> bool {
        let shader = self.shader;
        match inst.op {
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
            _ => return self.store_image(inst) || self.change_words(inst),
        }
        true
    }
}
