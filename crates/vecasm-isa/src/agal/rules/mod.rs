//! What the Flash Player would say about a program.
//!
//! | file | holds |
//! |---|---|
//! | [`table`] | the rules: number, class, message, reason, how each is known |
//! | [`options`] | profiles, player generations, byte order, and a switch for every point that is not settled |
//! | [`validate`](mod@validate) | one program: header and tokens, in the player's order |
//! | `operands` | the source and destination checks of a token |
//! | [`link`](mod@link) | a pair of programs |
//! | [`describe`](mod@describe) | which registers a program uses |
//!
//! The order of the checks is that of Adobe's C++ validator (glsl2agal), corrected where recordings of the Flash
//! Player differ. Unlike the player, nothing here stops at the first finding; the one that the player would have
//! raised is marked [`first`](vecasm_ir::diag::Diagnostic::first).

pub mod describe;
pub mod link;
mod operands;
pub mod options;
pub mod table;
pub mod validate;

pub use crate::any::PairFindings;
pub use describe::{Usage, describe};
pub use link::{check_pair, link};
pub use options::{ByteOrder, Generation, Options, Profile, SWITCHES, Switch, Switches};
pub use table::{Class, Details, RULES, RuleId, class};
pub use validate::{validate, validate_bytes};
