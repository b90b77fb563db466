//! Values for serde that have no `Serialize` of their own, or another one.

#[cfg(any(feature = "nv2a", feature = "tgsi"))]
use alloc::string::String;
use core::fmt::Display;
#[cfg(any(feature = "nv2a", feature = "tgsi"))]
use serde::Serialize;
use serde::Serializer;

/// A value by its name.
pub(super) fn shown<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// A list of names and values as a map in its order.
#[cfg(any(feature = "nv2a", feature = "tgsi"))]
pub(super) fn map<T: Serialize, S: Serializer>(
    list: &[(String, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|(name, value)| (name, value)))
}

/// Numbers of f32 to the bit: as f64 they are the same numbers in every library.
#[cfg(feature = "d3d9")]
pub(super) fn floats<S: Serializer>(values: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().copied().map(f64::from))
}
