//! Passes over the IR: one file a pass.
//!
//! A pass takes a shader that [verifies](crate::ir::verify) and gives one that verifies and means the same: every
//! invocation writes the same outputs, is demoted in the same place and burns the same fuel. Only what an inactive
//! invocation shows its neighbours in divergent flow may differ, and the payload of a NaN.
//!
//! | pass | does |
//! |---|---|
//! | [`clean`](clean()) | drops what nobody sees: values, lanes, results of regions, branches without effect |
//! | [`fold`](fold()) | computes what is known: constants, decided branches, identities that hold to the bit |

mod clean;
mod fold;
mod identities;
mod rewrite;

pub use clean::clean;
pub use fold::fold;

#[cfg(all(test, feature = "exec"))]
mod tests;
