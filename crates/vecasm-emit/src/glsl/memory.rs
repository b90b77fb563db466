//! Buffers and what a workgroup shares, as arrays of words. Each operation on one is a function, because the IR says what
//! happens outside, and GLSL leaves it open.

use super::images::is_tried;
use super::language::Glsl;
use super::rules;
use crate::common::Prec;
use crate::text::{Access, Body, Language as _, Words, atomic_word, changed_word};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Atomic, Inst, Op, Scalar, Stage, Type};

/// A memory as an array of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Its name; empty for one that is not used.
    pub(super) name: String,
    /// Number of words, if the text says it.
    pub(super) count: Option<u32>,
    /// What is done with it.
    accesses: Vec<Access>,
}

impl Words for Block {
    fn accesses(&mut self) -> (&str, &mut Vec<Access>) {
        (&self.name, &mut self.accesses)
    }

    fn count(&self) -> String {
        match self.count {
            Some(count) => format!("{count}u"),
            None => format!("uint({}.length())", self.name),
        }
    }
}

impl Block {
    pub(super) fn new(name: String, count: Option<u32>) -> Self {
        Self { name, count, accesses: Vec::new() }
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
            access.push(out, name);
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
        let new = changed(atomic);
        let other = if atomic.operands() == 2 { ", uint other" } else { "" };
        let work = match atomic_word(atomic) {
            Some(word) => format!("    return atomic{word}({name}[at], value);\n"),
            None if atomic == Atomic::CompareExchange => {
                format!("    return atomicCompSwap({name}[at], value, other);\n")
            }
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

/// What an atomic operation makes of `old` and `value`, where it is tried until nobody comes between.
pub(super) const fn changed(atomic: Atomic) -> &'static str {
    changed_word(atomic, "floatBitsToUint(uintBitsToFloat(old) + uintBitsToFloat(value))")
}

impl<'a> Body<'a, '_, Glsl> {
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
        match inst.op {
            Op::Clock => self.clock(inst),
            Op::Barrier if shader.stage == Stage::Compute => {
                self.line();
                let what = if outside { "memoryBarrier();\n" } else { "memoryBarrierShared();\n" };
                self.out.push_str(what);
                self.line();
                self.out.push_str("barrier();\n");
            }
            Op::Barrier if shader.stage == Stage::TessControl => {
                if outside {
                    self.line();
                    self.out.push_str("memoryBarrier();\n");
                }
                self.meet_patch();
            }
            Op::Fence if shader.stage == Stage::TessControl && !outside => {}
            Op::Fence if shader.stage == Stage::Compute || outside => {
                self.line();
                self.out.push_str("memoryBarrier();\n");
            }
            Op::AtomicImage { image, atomic, .. } => {
                let format = shader.images.get(image.index()).map(|image| image.format);
                // A helper invocation would try for ever.
                if shader.stage == Stage::Fragment && format.is_some_and(|of| is_tried(atomic, of)) {
                    self.refuse(rules::IMAGE, format!("`atomic_image.{}` needs a loop", atomic.name()));
                }
                return self.change_image(inst);
            }
            _ => return self.store_image(inst) || self.change_words(inst),
        }
        true
    }
}
