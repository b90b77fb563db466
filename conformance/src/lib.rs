//! Conformance: what judges the library from outside, as data with names.
//!
//! * [`oracle`]: the corpus and the recorded results of real peers;
//! * [`validate`]: the corpus in every target, judged by validators of that target, and edited containers before readers of others;
//! * [`peer`]: random programs beside nv2a-vsh;
//! * [`mutate`] and [`passes`]: damaged and random programs.
//!
//! Each plans rows, which `tests/conformance.rs` runs as tests with names, and `cargo xtask oracle` and its like as tables.

#![allow(rustdoc::private_intra_doc_links, reason = "its readers are those who change it")]

pub mod documented;
mod heap;
pub mod host;
mod msl;
pub mod mutate;
pub mod oracle;
pub mod passes;
pub mod peer;
pub mod seeds;
pub mod statements;
pub mod validate;
mod watchdog;
mod wgsl_run;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}
