//! What shaders do and why: recordings, slices and culprits ([`debug`]), whether two do the same ([`compare`]), and the
//! smallest text that still fails ([`mod@reduce`]).

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod compare;
#[cfg(feature = "exec")]
pub mod debug;
pub mod reduce;
