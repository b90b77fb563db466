//! NV2A, the vertex programs of the original Xbox: 136 slots of 128 bits, each with an operation of the vector unit
//! (MAC) and one of the scalar unit (ILU).
//!
//! Known from nv2a-vsh (the public assembler), from envytools' documentation and model of the NV20, from xemu and
//! nxdk, and from pictures of real consoles; where a fact comes from one source, the file that holds it names it.
//!
//! | room | holds |
//! |---|---|
//! | [`table`] | the operations of both units, the fields of a slot, the names of registers |
//! | [`program`] | the lossless form: slots and what they came in |
//! | [`pair`] | from one to three operations of a statement to a slot, and back |
//! | [`bytes`] | microcode: bare words, the microcode header, pushbuffers, lists of words in text |
//! | [`methods`] | the part of the graphics processor that slots and constants are written to, for logs and pushbuffers |
//! | [`text`] | assembly text: the language of nv2a-vsh, and printing |
//! | [`rules`] | what is wrong with a program, by who would mind |
//! | [`lift`] | to the IR |
//! | [`fragment`](mod@fragment) | the fragment shader behind a vertex program that is drawn alone |

pub mod bytes;
pub mod fragment;
mod instruction_set;
pub mod lift;
pub mod methods;
pub mod pair;
pub mod program;
pub mod rules;
pub mod table;
pub mod text;

pub use program::{Container, Program, Slot};
pub use table::{Field, Ilu, Mac};
