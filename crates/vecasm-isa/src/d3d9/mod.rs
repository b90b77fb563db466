//! Direct3D 8 and 9: vertex shaders 1.0–3.0 and pixel shaders 1.0–3.0 as streams of 32-bit tokens, and their assembler
//! language.
//!
//! Known from Microsoft's documentation of the language and of the tokens, from Wine (its assembler and the tests of it)
//! and from vkd3d; where a fact comes from one source, the row or file that holds it names it.
//!
//! | room | holds |
//! |---|---|
//! | [`table`] | the instructions, with the forms that each model has |
//! | [`reads`] | which lanes of its sources an instruction reads |
//! | [`registers`] | register files, modifiers and kinds of samplers |
//! | [`usages`] | what inputs and outputs mean |
//! | [`program`] | the lossless form: words, and what they are |
//! | [`bytes`] | token streams, as bytes and as hexadecimal digits |
//! | [`ctab`] | the table of constants that compilers put into a comment |
//! | [`convert`] | from one dialect of streams to another: Direct3D 8 to 9 |
//! | [`interface`] | what a program takes and gives, from its declarations and registers |
//! | [`preshader`] | the small programs that compute constants of a shader |
//! | [`text`] | the assembler language and a way of printing that loses nothing |
//! | [`rules`] | what is wrong with a program |
//! | [`lift`] | to the IR |
//! | [`fragment`] | the fixed functions behind a vertex shader without a pixel shader |

pub mod bytes;
pub mod convert;
pub mod ctab;
pub mod fragment;
mod instruction_set;
pub mod interface;
pub mod lift;
pub mod preshader;
pub mod program;
pub mod reads;
pub mod registers;
pub mod rules;
pub mod symbols;
pub mod table;
pub mod text;
pub mod usages;

pub use program::{Item, ItemKind, Program, Stage, Version};
pub use table::Opcode;
