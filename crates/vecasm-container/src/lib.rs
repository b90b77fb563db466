//! The files that carry vecasm's programs: effects, assets, shader packages, archives.
//!
//! [`Format::of`] tells by its content what a file is, [`Container::read`] lists what is in it, [`find`] follows an
//! [address](Address) into it and into what is nested there, [`visit`] goes through all of it, and [`edit`] puts other bytes
//! in the place of entries and leaves every other byte as it is.
//!
//! Nothing here reads a disk: slices come in, lists and edited bytes go out. No number of a file is believed before it is
//! checked against the bytes that are there, and what a file may take is [bounded](Limits).
//!
//! | file | holds |
//! |---|---|
//! | `format` | the table of formats, and how content tells them |
//! | `container` | entries, their bytes, other bytes in their place |
//! | `address` | addresses, and the way along them through nested files |
//! | `limits` | what a file may take |
//! | `rules` | what may be wrong |
//! | `cursor` | reading numbers and pieces |
//! | `codec` | unpacking |
//! | `carve` | finding programs among other bytes |
//! | `scan` | the same in bytes of any kind, containers included |
//! | `comments` | what compilers leave at the head of programs |
//! | one for each format | reading and writing it, and what else it says |

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
// With all formats the compiler looks for what none of them uses.
#![cfg_attr(
    not(all(
        feature = "dxbc",
        feature = "fx2",
        feature = "mgfx",
        feature = "pe",
        feature = "rgxa",
        feature = "scan",
        feature = "sdp",
        feature = "swf",
        feature = "vcs",
        feature = "virgl",
        feature = "xbe",
        feature = "xnb",
        feature = "zip"
    )),
    allow(
        dead_code,
        irrefutable_let_patterns,
        unused_imports,
        reason = "each format uses some of what they share"
    )
)]

extern crate alloc;

mod address;
#[cfg(any(feature = "pe", feature = "scan", feature = "xbe"))]
mod carve;
mod codec;
mod comments;
mod container;
mod cursor;
#[cfg(feature = "dxbc")]
pub mod dxbc;
mod format;
#[cfg(feature = "fx2")]
pub mod fx2;
mod limits;
#[cfg(feature = "mgfx")]
pub mod mgfx;
#[cfg(feature = "pe")]
pub mod pe;
#[cfg(feature = "rgxa")]
pub mod rgxa;
pub mod rules;
#[cfg(feature = "scan")]
pub mod scan;
#[cfg(feature = "sdp")]
pub mod sdp;
#[cfg(feature = "swf")]
pub mod swf;
#[cfg(feature = "vcs")]
pub mod vcs;
#[cfg(feature = "virgl")]
pub mod virgl;
#[cfg(feature = "xbe")]
pub mod xbe;
#[cfg(feature = "xnb")]
pub mod xnb;
#[cfg(feature = "zip")]
pub mod zip;

pub use address::{Address, Found, break_aliases, check_alias, edit, find, visit};
pub use comments::{with_comments_of, without_comments};
pub use container::{Codec, Container, Detail, Edited, Entry, Kind, Part};
pub use format::{Access, Format};
pub use limits::{Budget, Limits};
