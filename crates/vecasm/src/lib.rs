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
//! * [`isa`] holds the instruction sets, each in a folder with the same rooms. Their `Program` is *lossless*:
//!   `encode(decode(b)) == b`, and `parse(print(p)) == p`.
//! * [`ir`] holds the *meaning* of a program, with no register of the source left.
//! * `exec` runs it, `emit` translates it, `render` draws with it, `debug` shows why. None of them knows an ISA.
//! * [`compare`] tells whether two programs do the same, and where they differ; [`mod@reduce`] makes a failing one small.
//! * [`diag`] is how everything reports.
//!
//! The library does no I/O, reads no clock, starts no thread and has no global state. It needs `alloc`, not `std`.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

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
