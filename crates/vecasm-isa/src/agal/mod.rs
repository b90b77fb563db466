//! AGAL, the shader language of Adobe Flash Stage3D, versions 1–4.
//!
//! Known from Adobe's assembler and C++ sources, from recordings of the Flash Player and from differential
//! testing against those; where a fact comes from one source, the file that holds it names it.
//!
//! | room | holds |
//! |---|---|
//! | [`table`] | the instructions |
//! | [`program`] | the lossless form: tokens and their fields, registers and limits |
//! | [`reads`] | the lanes that instructions read and write |
//! | [`bytes`] | bytecode |
//! | [`text`] | assembly text: AGALMiniAssembler, strict and bug for bug, and printing |
//! | [`rules`] | what the Flash Player would say: program rules, linkage, profiles |
//! | [`lift`] | to the IR |

pub mod bytes;
mod instruction_set;
pub mod lift;
pub mod program;
pub mod reads;
pub mod rules;
pub mod table;
pub mod text;

pub use program::{Program, Stage, Token};
pub use table::Opcode;
