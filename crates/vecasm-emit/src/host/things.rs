//! What a walk meets, with everything decided but how it is spelt.

#![cfg_attr(
    not(all(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl")),
    allow(dead_code, reason = "a language reads what it spells")
)]

use crate::naming::Part;
use crate::options::BindingKind;
use crate::plan::Usage;
use crate::text::Uses;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use vecasm_ir::ir::{self, ParamArray};

/// An array of constants that is read.
pub(crate) struct Array<'s> {
    /// Its number.
    pub(crate) number: u32,
    pub(crate) of: &'s ParamArray,
    /// Its name, which is one of the module.
    pub(crate) name: Cow<'s, str>,
    /// How many elements are declared.
    pub(crate) elements: u32,
    /// The parts that it is declared in, with the names they have; empty if it is one.
    pub(crate) parts: Vec<Part>,
    pub(crate) kind: BindingKind,
}

/// A state value.
pub(crate) struct State<'s> {
    pub(crate) of: &'s ir::State,
    /// Its name.
    pub(crate) name: Cow<'s, str>,
    /// Whether it is read.
    pub(crate) read: bool,
}

/// A buffer that is used.
pub(crate) struct Buffer<'s> {
    /// Its number.
    pub(crate) number: u32,
    /// Its name, which is one of the module.
    pub(crate) name: Cow<'s, str>,
    pub(crate) usage: Usage,
    /// Whether it is written.
    pub(crate) write: bool,
    pub(crate) kind: BindingKind,
}

/// What a workgroup shares.
pub(crate) struct Shared<'s> {
    /// Its name, which is one of the module.
    pub(crate) name: Cow<'s, str>,
    /// Its number of words.
    pub(crate) words: u32,
    /// Whether its words are atomic.
    pub(crate) atomic: bool,
}

/// A texture that is read, or the sampler of one: its kind tells.
pub(crate) struct Texture<'s> {
    pub(crate) of: &'s ir::Texture,
    /// Its name, which is one of the module.
    pub(crate) name: Cow<'s, str>,
    pub(crate) kind: BindingKind,
}

/// An image that is used, in a language.
pub(crate) struct Image<'s, L> {
    /// Its number.
    pub(crate) number: u32,
    pub(crate) of: &'s ir::Image,
    /// Its name, which is one of the module.
    pub(crate) name: Cow<'s, str>,
    pub(crate) uses: Uses,
    pub(crate) kind: BindingKind,
    pub(crate) language: L,
}
