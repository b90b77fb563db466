//! Assembler, disassembler, validator, interpreter, debugger and translator for AGAL, Direct3D 8 and 9, TGSI and NV2A: shader
//! languages in which every value is a vector of four components and every instruction reads `op dst.mask, src.swizzle, …`.
//!
//! ```text
//! bytes ─decode→ ┌──────────────┐ ─lift→ ┌────────────┐ ─run──→ exec ─→ render
//! text  ─parse→  │ agal::Program│        │ ir::Shader │
//! bytes ←encode─ │              │        │            │ ─emit─→ wgsl
//! text  ←print─  └──────────────┘        └────────────┘        spirv
//!                └─validate→ Vec<Diagnostic>
//! ```
//!
//! [`translate()`] takes a program to a language of GPUs with all that is between; [`translate_draw`] does so for the stages of
//! a draw:
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "wgsl"))] {
//! use vecasm::isa::{AnyProgram, Isa};
//! use vecasm::{Target, TranslateOptions, translate};
//!
//! let text = ".agal fragment 1\ntex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n";
//! let (program, findings) = AnyProgram::parse(Isa::Agal, text, None, None);
//! let program = program.ok_or_else(|| findings[0].message.clone())?;
//! let wgsl = translate(&program, Target::Wgsl, &TranslateOptions::default())?;
//! println!("{}", wgsl.text().unwrap_or_default());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules are the steps, each for itself:
//!
//! * [`isa`] holds the instruction sets, each in a folder with the same rooms. Their `Program` is *lossless*:
//!   `encode(decode(b)) == b`, and `parse(print(p)) == p`.
//! * [`ir`] holds the *meaning* of a program, with no register of the source left.
//! * `exec` runs it, `emit` translates it, `render` draws with it, `debug` shows why. None of them knows an ISA.
//! * [`compare`] tells whether two programs do the same, and where they differ; [`mod@reduce`] makes a failing one small.
//! * [`diag`] is how everything reports.
//!
//! | feature | adds | by default |
//! |---|---|---|
//! | `agal`, `d3d9`, `nv2a`, `tgsi` | an instruction set: Direct3D 8 and 9 are one | yes |
//! | `wgsl`, `spirv`, `glsl`, `hlsl`, `msl` | a target language | yes |
//! | `exec` | engines, the debugger, and `eqv` | yes |
//! | `render` | the rasterizer | yes |
//! | `files` | run files and scenes, which are JSON: of `exec` and `render`, if they are on; needs serde_json | yes |
//! | `serde` | serde's `Serialize` for findings, bindings and results | no |
//! | `std` | square roots and fused products by the processor, with the same bits | yes |
//!
//! The library does no I/O, reads no clock, starts no thread and has no global state. It needs `alloc`, not `std`.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod open;
mod program;
mod target;
pub mod translate;

pub use open::{Host, NoHost, OpenOptions, Opened, open};
pub use program::Program;
pub use target::Target;
pub use translate::{Pipeline, TranslateOptions, Translation, translate, translate_draw};
pub use vecasm_ir::word;

#[cfg(feature = "exec")]
#[doc(inline)]
pub use vecasm_debug::debug;
#[doc(inline)]
pub use vecasm_debug::{compare, reduce};
#[cfg(feature = "render")]
#[doc(inline)]
pub use vecasm_draw as render;
#[doc(inline)]
pub use vecasm_emit as emit;
#[cfg(feature = "exec")]
#[doc(inline)]
pub use vecasm_exec as exec;
#[doc(inline)]
pub use vecasm_ir::{diag, ir, math};
#[doc(inline)]
pub use vecasm_isa as isa;
#[doc(inline)]
pub use vecasm_opt as opt;

/// Compiles the example in README.md.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
