//! Words for values: in files, in messages, on command lines.
//!
//! A type whose values have words has `ALL`, `name`, [`Display`](fmt::Display) and [`FromStr`](core::str::FromStr).
//! [`spelled!`](crate::spelled) makes the latter two of the former.

use crate::diag::near;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A word that is none of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    what: &'static str,
    word: String,
    known: Vec<String>,
}

impl Unknown {
    /// A word that is none of the known ones. `what` is what each of those is: `stage`.
    pub fn new(what: &'static str, word: &str, known: impl IntoIterator<Item = impl ToString>) -> Self {
        let known = known.into_iter().map(|name| name.to_string()).collect();
        Self { what, word: word.into(), known }
    }

    /// The known word that was meant, perhaps.
    pub fn nearest(&self) -> Option<&str> {
        near::nearest(&self.word, self.known.iter().map(String::as_str))
    }

    /// Every known word.
    pub fn known(&self) -> &[String] {
        &self.known
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} {}; ", self.what, crate::diag::printable(&self.word))?;
        if let Some(near) = self.nearest() {
            write!(f, "did you mean `{near}`? ")?;
        }
        for (n, name) in self.known.iter().enumerate() {
            write!(f, "{}{name}", if n == 0 { "expected one of " } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for Unknown {}

/// `Serialize` for types that have `name`: the word.
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! serialized_by_name {
    ($($T:ty),*) => {
        $(
            impl serde::Serialize for $T {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.name())
                }
            }
        )*
    };
}

/// `Display` and `FromStr` for a type that has `ALL` and `name`, with what each value is, for messages. With `aliases`, other
/// words for a value name it, too, and capitals do not matter.
#[macro_export]
macro_rules! spelled {
    ($T:ty, $what:literal) => {
        $crate::spelled!(@display $T);

        impl core::str::FromStr for $T {
            type Err = $crate::word::Unknown;

            /// The one of that name.
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let names = || Self::ALL.iter().map(|value| value.name());
                let found = Self::ALL.iter().copied().find(|value| value.name() == word);
                found.ok_or_else(|| $crate::word::Unknown::new($what, word, names()))
            }
        }
    };
    ($T:ty, $what:literal, aliases) => {
        $crate::spelled!(@display $T);

        impl core::str::FromStr for $T {
            type Err = $crate::word::Unknown;

            /// The one of that name or with that alias, in any case.
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let names = || Self::ALL.iter().map(|value| value.name());
                let fits = |name: &str| name.eq_ignore_ascii_case(word);
                let is = |value: &&Self| fits(value.name()) || value.aliases().iter().copied().any(fits);
                Self::ALL.iter().find(is).copied().ok_or_else(|| $crate::word::Unknown::new($what, word, names()))
            }
        }
    };
    (@display $T:ty) => {
        impl core::fmt::Display for $T {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
