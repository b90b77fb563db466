//! TGSI, the intermediate language of Mesa's Gallium drivers: all stages, as text and as binary tokens of several
//! numberings.
//!
//! Known from Mesa's manual of it, from Mesa 22.3.6, 25.0.7 and 10.1.6 and virglrenderer 1.3.0, whose behaviour was
//! recorded; where a fact comes from one source, the row or file that holds it names it.
//!
//! | room | holds |
//! |---|---|
//! | [`table`] | the instructions |
//! | [`names`] | register files, semantics, targets, properties… |
//! | [`formats`] | formats of texels |
//! | [`dialect`] | who reads what |
//! | [`program`] | the lossless form: tokens, read |
//! | [`reads`] | the lanes that instructions read and write |
//! | [`signature`] | what instructions take their operands for |
//! | [`bytes`] | binary tokens |
//! | [`text`] | the text form |
//! | [`rules`] | what is wrong with a program |
//! | [`lift`] | to the IR |

pub mod bytes;
pub mod dialect;
pub mod formats;
mod instruction_set;
pub mod lift;
pub mod names;
pub mod program;
pub mod reads;
pub mod rules;
pub mod signature;
pub mod table;
pub mod text;

pub use dialect::Dialect;
pub use program::{Processor, Program};
pub use table::Opcode;
