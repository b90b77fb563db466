//! What is wrong with a program, by who would mind; and what it uses.
//!
//! Nothing of the original tools validates, so the rules are put together from what the sources know of the hardware:
//! what cannot work is an error, what no source knows the outcome of is an error unless only the encoding is asked,
//! what is legal and suspicious is a warning.
//!
//! | file | holds |
//! |---|---|
//! | [`validate`](mod@validate) | the rules, and the validator |
//! | [`fields`] | what the fields of a slot mean, and which nothing looks at |
//! | [`usage`] | which registers a program uses |

pub mod fields;
pub mod usage;
pub mod validate;

pub use fields::{FieldMeaning, field_meanings};
pub use usage::{Usage, describe, lanes_read};
pub use validate::{Level, Options, RULES, validate};
