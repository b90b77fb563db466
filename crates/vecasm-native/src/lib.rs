//! Machine code on x86-64 for vecasm's shaders: AGAL, Direct3D 8 and 9, TGSI and NV2A.
//!
//! [`Jit`] is an [`Engine`](vecasm_exec::Engine): it compiles a shader to AVX2 or AVX-512 code and runs batches with it,
//! with the bits that the interpreter gives. [`Compiled`] is the same in two steps, for shaders that run more than once.
//! `Avx2` and `Avx512` have the loops of the library's `lanes` engine compiled for these.
//! A shader or batch that it has no code for is [refused](vecasm_exec::RunError::Unsupported), with the reason; it never
//! gives other bits.
//!
//! ```
//! use vecasm_exec::interp::Interp;
//! use vecasm_exec::{Batch, Engine};
//! use vecasm_native::Jit;
//!
//! # let text = "vertex test\n  input 0 v attribute 0 : f32x4\n  output 0 o position\n\n  \
//! #     %0 = input v : f32x4\n  %1 = mul %0 %0 : f32x4\n  store o.xyzw %1\n";
//! # let shader = vecasm_ir::ir::text::parse(text, "test", &[]).unwrap();
//! let inputs = (0..100).map(|i| [i as f32; 4].map(f32::to_bits)).collect();
//! let batch = Batch { count: 100, inputs: vec![inputs], ..Batch::default() };
//! // There is none on processors without AVX2, nor on other machines.
//! if let Some(jit) = Jit::best() {
//!     assert_eq!(jit.run(&shader, &batch)?, Interp.run(&shader, &batch)?);
//! }
//! # Ok::<(), vecasm_exec::RunError>(())
//! ```
//!
//! # How it works
//!
//! 1. [`Code`](vecasm_exec::code::Code) gives each lane of each value a row, and drops what nobody needs.
//! 2. `rows` finds out which rows hold bools, and where a NaN can be seen.
//! 3. `select` chooses instructions on virtual registers. One invocation is one lane of a vector, a block of 8 or 16 of them
//!    goes through the shader together; where they part, masks say who writes. A region that nobody of the block needs
//!    is jumped over, a loop ends when nobody is left in it.
//! 4. `pipeline` cuts long chains without jumps into stages and mixes those of several blocks, so that the processor need not
//!    wait.
//! 5. `emit` gives out registers and writes the machine code, in one walk. Constants and uniforms take no registers: they
//!    are operands in memory.
//! 6. Textures are read by Rust, block by block (`fetch`): those of two axes without levels in vector code of our own, all others by
//!    the library.
//! 7. `memory` makes pages executable that nobody can write any more.
//!
//! A block is whole quads. Where invocations see their neighbours, masks also say what those get that take no part, as in the
//! interpreter.
//!
//! Where invocations run one after another (`serial`), all lanes are the same one.
//!
//! What has no instructions of its own is computed by the library's own definition of it, lane by lane (`call`), and so
//! are the rare arguments of elementary functions. An invocation that runs out of fuel is run again by the interpreter, with
//! all others of its block.

#![deny(clippy::undocumented_unsafe_blocks)]

#[cfg(target_arch = "x86_64")]
mod jit;
#[cfg(not(target_arch = "x86_64"))]
#[path = "elsewhere.rs"]
mod jit;

#[cfg(target_arch = "x86_64")]
mod lanes;

#[cfg(not(target_arch = "x86_64"))]
pub use jit::{Avx2, Avx512};
pub use jit::{Compiled, Isa, Jit, Workspace};
#[cfg(target_arch = "x86_64")]
pub use lanes::{Avx2, Avx512};
