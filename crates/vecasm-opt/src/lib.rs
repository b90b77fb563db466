//! Passes over the IR: one file a pass.
//!
//! A pass takes a shader that [verifies](vecasm_ir::ir::verify) and gives one that verifies and means the same: every
//! invocation writes the same outputs, is demoted in the same place and burns the same fuel. Only what an inactive
//! invocation shows its neighbours in divergent flow may differ, and the payload of a NaN. Where only a vote or its kin
//! makes groups of invocations (vertices, say) and it is dropped, the order of their racing writes to memory may differ,
//! too.
//!
//! | pass | does |
//! |---|---|
//! | [`clean`](clean()) | drops what nobody sees: values, lanes, results of regions, branches without effect |
//! | [`fold`](fold()) | computes what is known: constants, decided branches, identities that hold to the bit |
//! | [`unroll`](unroll()) | writes loops one round after the other whose rounds are known |
//! | [`relax`] | drops clamps and magnitudes that change nothing, by what is known of [ranges](Ranges) |
//! | [`number`](number()) | makes one value of operations that are equal |
//! | [`promote`](promote()) | makes values of output cells and local arrays |
//! | [`specialize`](specialize()) | fixes state outside the shader; [`settle`](settle()) by name, and what targets need |
//! | [`lower`](lower()) | takes out switches and idioms |
//! | [`overlay`](overlay()) | has loads choose the constants that the program says, where it says some of an array |
//! | [`choose`](choose()) | reads all the textures that an index chooses from, and selects |
//! | [`reshape`](reshape()) | reads textures in other shapes: cubes as layers, lines as planes, rectangles as planes |
//! | [`flatten`](flatten()) | computes both branches of conditionals, and selects |
//! | [`exits`](exits()) | makes exits address the innermost block or loop |
//! | [`expand`](expand()) | rewrites arithmetic that a target lacks |
//! | [`exact`](exact()) | leaves nothing but integers, for targets whose f32 is not exact |
//! | [`retype_outputs`] | gives output cells other types, with the same bits, for the stage behind |
//! | [`unorder`](unorder()) | lets invocations run side by side where none reads what another one writes |
//! | [`dispatch`](dispatch()) | makes a compute shader of a vertex shader, so that its outputs are bits in a buffer |
//!
//! [`ancestry`](ancestry()) and [`origins`] are no passes: they tell which source instructions made a component, and which
//! reads of one instruction did.
//!
//! [`strip_tail`] takes off what lifts add of the pipeline, for targets whose pipeline does the same.
//!
//! [`gpu`](gpu()) and [`impose`](impose()) change the meaning on purpose: `gpu` takes the liberties of GPUs, to see what they do to
//! a result; `impose` has all of a shader computed by one arithmetic, so that it can be compared with one of another.
//!
//! `reshape`, `exact`, `retype_outputs` and `dispatch` change what is bound: shapes of textures, types of attributes, types of
//! outputs, all of the interface.
//!
//! `clean` and `fold` are for every shader; the others are for whoever needs their result, and best taken in this
//! order, with `fold` and `clean` behind.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

mod ancestry;
mod carry;
mod clean;
mod dispatch;
mod exact;
mod exits;
mod expand;
mod flatten;
mod fold;
mod gpu;
mod identities;
mod impose;
mod lower;
mod number;
mod overlay;
mod promote;
mod range;
mod reshape;
mod retype;
mod rewrite;
mod serial;
mod specialize;
mod tail;
mod unroll;
mod walk;

pub use ancestry::{ancestry, origins};
pub use clean::clean;
pub use dispatch::{DISPATCH_GROUP, dispatch};
pub use exact::exact;
pub use exits::exits;
pub use expand::{Expand, expand};
pub use flatten::{flatten, flatten_dynamic};
pub use fold::fold;
pub use gpu::{Liberty, gpu, liberties};
pub use impose::{Imposed, impose, impose_on_translation};
pub use lower::{Lower, lower, lowerable};
pub use number::number;
pub use overlay::overlay;
pub use promote::promote;
pub use range::{Range, Ranges, relax};
pub use reshape::{TextureUse, choose, reshape};
pub use retype::{retype_for, retype_outputs};
pub use serial::why_serial;
pub use serial::{CarriedRegister, carried_registers, orders, unorder};
pub use specialize::{settle, settled_dims, specialize};
pub use tail::strip_tail;
pub use unroll::{Unroll, unroll};
