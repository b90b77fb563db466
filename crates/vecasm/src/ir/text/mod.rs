//! The text form of the IR: one node a line, regions indented. [`print`](print()) writes it, [`parse`](parse())
//! reads it back.
//!
//! ```text
//! fragment agal
//!   files ft fc va v
//!   input 0 v0 varying 0 : f32x4
//!   output 0 oc color 0
//!   texture 0 fs0 slot 0 2d wrap=repeat,repeat,repeat filter=linear mip=none
//!
//!   %0 = input v0 : f32x4                         step 0  home v0
//!   %1 = sample fs0 %0.xy : f32x4                 step 0  home ft0
//!   %2 = lt %1.w %0.w : bool                      step 1
//!   %4: f32x4 @ft0 = if %2 {
//!     %3 = neg %1 : f32x4                           step 2  home ft0
//!     yield %3
//!   } else {
//!     yield %1
//!   }
//!   store oc.xyzw %4                              step 4
//! ```
//!
//! A block is `results = block L0 { … }`, a loop `results = loop L0 %p: f32 = %init { … }`, an exit
//! `leave L0 values` or `again L0 values`. A constant's f32 lanes are decimal where finite (the shortest digits
//! that give the same bits) and `0x…` bits elsewhere. `;` starts a comment.
//!
//! A step of the step table is a line of the head, `step 0 source 3 reads ft0.xy fc[2].x writes oc.xyzw`, and its mark
//! `mark 0 %1.xy %2.x %3`.
//!
//! [`Shader::registers`](super::Shader::registers), which only helps to name what a program does not read, is not
//! part of the text.

mod parse;
mod print;

pub use parse::{TextError, parse};
pub use print::print;

use super::{Op, Pure};

/// The spelling of an operation without its references.
pub fn op_name(op: Op) -> &'static str {
    match op {
        Op::Pure(pure) => pure.name(),
        Op::Const(_) => "const",
        Op::Compose => "compose",
        Op::Input(_) => "input",
        Op::Param { .. } | Op::ParamAt { .. } => "param",
        Op::LoadOutput(_) => "load",
        Op::StoreOutput { .. } => "store",
        Op::InputAt { .. } | Op::InputOf { .. } => "input",
        Op::Interpolate { .. } => "interpolate",
        Op::LoadOutputAt { .. } | Op::LoadOutputOf { .. } => "load",
        Op::StoreOutputAt { .. } => "store",
        Op::StoreParam { .. } | Op::StoreParamAt { .. } => "store_param",
        Op::LoadLocal { .. } | Op::LoadLocalAt { .. } => "load_local",
        Op::StoreLocal { .. } | Op::StoreLocalAt { .. } => "store_local",
        Op::State(_) => "state",
        Op::Sample { .. } => "sample",
        Op::Gather { .. } => "gather",
        Op::Fetch { .. } => "fetch",
        Op::TextureSize { .. } => "texture_size",
        Op::TextureLod { .. } => "texture_lod",
        Op::TextureSamples { .. } => "texture_samples",
        Op::SamplePosition { .. } => "sample_position",
        Op::LoadMemory { .. } => "load_memory",
        Op::StoreMemory { .. } => "store_memory",
        Op::AtomicMemory { .. } => "atomic",
        Op::MemorySize { .. } => "memory_size",
        Op::LoadImage { .. } => "load_image",
        Op::StoreImage { .. } => "store_image",
        Op::AtomicImage { .. } => "atomic_image",
        Op::ImageSize { .. } => "image_size",
        Op::Framebuffer { .. } => "framebuffer",
        Op::Ddx(_) => "ddx",
        Op::Ddy(_) => "ddy",
        Op::Demote => "demote",
        Op::IsHelper => "is_helper",
        Op::Barrier => "barrier",
        Op::Fence => "fence",
        Op::Vote(_) => "vote",
        Op::Ballot => "ballot",
        Op::ReadFirst => "read_first",
        Op::ReadInvocation => "read_invocation",
        Op::Clock => "clock",
        Op::EmitVertex { .. } => "emit_vertex",
        Op::EndPrimitive { .. } => "end_primitive",
        Op::Mark(_) => "mark",
    }
}

/// The manual of the pure operations: name and meaning, in table order.
pub fn manual() -> impl Iterator<Item = (&'static str, &'static str)> {
    Pure::ALL.iter().map(|op| (op.name(), op.doc()))
}
