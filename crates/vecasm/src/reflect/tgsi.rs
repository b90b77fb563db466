//! The facts of TGSI.

use crate::isa::operand::WriteMask;
use crate::isa::tgsi::names::MemoryType;
use crate::isa::tgsi::program::{self, Token};
use crate::isa::tgsi::{Dialect, Program};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

#[cfg(feature = "schemars")]
use super::schema::{Lanes, Word};
#[cfg(feature = "schemars")]
use alloc::collections::BTreeMap;

/// The declarations of a program file by file, its properties, and how much of everything there is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "TgsiFacts"))]
#[non_exhaustive]
pub struct Facts {
    /// Dialect: whose numbers and words they are.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::serial::shown"))]
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Dialect>"))]
    pub dialect: Dialect,
    /// Number of tokens: declarations, immediates, properties and instructions.
    pub tokens: usize,
    /// Number of immediates.
    pub immediates: usize,
    /// Properties by name, in the order in which they come; of one that comes again the last value, null without one.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::serial::map"))]
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<String, Option<u32>>"))]
    pub properties: Vec<(String, Option<u32>)>,
    /// Declarations, by register file, in the order in which they come.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::serial::map"))]
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<String, Vec<Declared>>"))]
    pub registers: Vec<(String, Vec<Declared>)>,
}

impl Facts {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let mut registers: Vec<(String, Vec<Declared>)> = Vec::new();
        for declaration in program.declarations() {
            let file = declaration.file;
            let file = file.name().map_or_else(|| format!("{file:?}"), str::to_string);
            entry(&mut registers, file).push(Declared::from(declaration));
        }
        let mut properties: Vec<(String, Option<u32>)> = Vec::new();
        for token in &program.tokens {
            let Token::Property(property) = token else { continue };
            let name = property.name;
            let name = name.name().map_or_else(|| format!("{name:?}"), str::to_string);
            let value = entry(&mut properties, name);
            *value = program.words_of(property.words).first().copied().or(*value);
        }
        Self {
            dialect: program.dialect,
            tokens: program.tokens.len(),
            immediates: program.immediates().count(),
            properties,
            registers,
        }
    }
}

/// The value of a name, which is added if it is new. Files and properties have at most 256 names.
fn entry<T: Default>(list: &mut Vec<(String, T)>, name: String) -> &mut T {
    let at = list.iter().position(|(known, _)| *known == name).unwrap_or(list.len());
    if at == list.len() {
        list.push((name, T::default()));
    }
    &mut list[at].1
}

/// A declaration; what it does not say is left out. Words that have only a number are null.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Declared {
    /// First register.
    pub first: u16,
    /// Last register, if it is not the first.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u16"))]
    pub last: Option<u16>,
    /// First of two indices: the number of a buffer of constants.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "i16"))]
    pub dimension: Option<i16>,
    /// Lanes, if not all are declared.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "Lanes"))]
    pub mask: Option<WriteMask>,
    /// Meaning.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub meaning: Option<Meaning>,
    /// Interpolation of a fragment input.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub interpolated: Option<Interpolated>,
    /// Number of the array that the registers are.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u16"))]
    pub array: Option<u16>,
    /// Of sampler views and images.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub resource: Option<Resource>,
    /// Kind of memory, if it is not global; null if it has only a number.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub memory: Option<Option<&'static str>>,
    /// `INVARIANT`: every program that computes it computes it alike.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "core::ops::Not::not"))]
    pub invariant: bool,
    /// `LOCAL`: no subroutine needs it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "core::ops::Not::not"))]
    pub local: bool,
    /// `ATOMIC`: a buffer of counters.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "core::ops::Not::not"))]
    pub atomic: bool,
}

impl From<&program::Declaration> for Declared {
    fn from(declaration: &program::Declaration) -> Self {
        let memory = declaration.memory;
        let image = declaration.image.map(|image| {
            Resource::Image(Image {
                target: image.target.name(),
                format: image.format.name(),
                raw: image.raw,
                writable: image.writable,
            })
        });
        let view = declaration.view.map(|view| {
            let returns = view.returns.map(|returned| returned.name());
            Resource::View(View { target: view.target.name(), returns })
        });
        Self {
            first: declaration.first,
            last: Some(declaration.last).filter(|last| *last != declaration.first),
            dimension: declaration.dimension,
            mask: Some(declaration.mask).filter(|mask| *mask != WriteMask::ALL),
            meaning: declaration.semantic.map(|semantic| Meaning {
                semantic: semantic.name.name(),
                index: semantic.index,
                streams: Some(semantic.streams).filter(|streams| *streams != [0; 4]),
            }),
            interpolated: declaration
                .interpolation
                .map(|how| Interpolated { interpolation: how.mode.name(), location: how.location.name() }),
            array: declaration.array,
            resource: image.or(view),
            memory: (memory != MemoryType::Global).then(|| memory.name()),
            invariant: declaration.invariant,
            local: declaration.local,
            atomic: declaration.atomic,
        }
    }
}

/// What registers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Meaning {
    /// Meaning.
    pub semantic: Option<&'static str>,
    /// Number of the meaning.
    pub index: u16,
    /// Stream of each component, of outputs of geometry shaders, if one is not 0.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "[u8; 4]"))]
    pub streams: Option<[u8; 4]>,
}

/// How an input is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Interpolated {
    /// Interpolation of a fragment input.
    pub interpolation: Option<&'static str>,
    /// Where in the pixel it is interpolated.
    pub location: Option<&'static str>,
}

/// What a declaration says of a texture or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Resource {
    /// Of a sampler view.
    View(View),
    /// Of an image.
    Image(Image),
}

/// A view of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct View {
    /// Shape.
    pub target: Option<&'static str>,
    /// What each component of a texel is.
    pub returns: [Option<&'static str>; 4],
}

/// An image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "DeclaredImage"))]
#[non_exhaustive]
pub struct Image {
    /// Shape.
    pub target: Option<&'static str>,
    /// Format of a texel.
    pub format: Option<&'static str>,
    /// Whether it is accessed by byte.
    pub raw: bool,
    /// Whether it is written.
    pub writable: bool,
}
