//! Words for values: in files, in messages, on command lines.
//!
//! A type whose values have words has `ALL`, `name`, `named`, [`Display`](fmt::Display) and [`FromStr`](core::str::FromStr); one of
//! which only some values have them has `named` alone.
//! [`spelled!`](crate::spelled) makes the latter three of the former two; `words!` makes all of them of a table.

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
#[doc(hidden)]
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

/// An enum whose variants have words, one a line, with what each is, for messages: `ALL`, `name`, and what [`spelled!`] gives.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($(#[$head:meta])+ $Name:ident $what:literal { $($(#[$doc:meta])+ $V:ident $word:literal,)* }) => {
        $(#[$head])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Name { $($(#[$doc])+ $V,)* }

        impl $Name {
            /// All of them, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word for it.
            pub const fn name(self) -> &'static str { match self { $(Self::$V => $word,)* } }
        }

        $crate::spelled!($Name, $what, [$($V $word,)*]);
    };
}

/// `named`, `Display` and `FromStr` for a type that has `ALL` and `name`, with what each value is, for messages.
///
/// | behind that | a word names a value |
/// |---|---|
/// | nothing | that has it as its name |
/// | `[Variant "word", …]` | in whose row it is: without a search, for tables that have rows |
/// | `any case` | that has it as its name, in any case |
/// | `aliases` | that has it as its name or among its `aliases`, in any case |
///
/// A type of which only some values have names, so that `name` is an option, has `partly` in place of what each value is: it has only
/// `named`, in any case.
#[macro_export]
macro_rules! spelled {
    ($T:ty, $what:literal) => {
        $crate::spelled!(@named $T, word, value, value.name() == word);
        $crate::spelled!(@parsed $T, $what);
    };
    ($T:ty, $what:literal, [$($V:ident $word:literal,)*]) => {
        impl $T {
            /// The one that a word names.
            #[allow(unreachable_pub, reason = "the type may be private")]
            pub fn named(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$V),)* _ => None }
            }
        }
        $crate::spelled!(@parsed $T, $what);
    };
    ($T:ty, $what:literal, any case) => {
        $crate::spelled!(@named $T, word, value, value.name().eq_ignore_ascii_case(word));
        $crate::spelled!(@parsed $T, $what);
    };
    ($T:ty, $what:literal, aliases) => {
        $crate::spelled!(@named $T, word, value, {
            let fits = |name: &str| name.eq_ignore_ascii_case(word);
            fits(value.name()) || value.aliases().iter().copied().any(fits)
        });
        $crate::spelled!(@parsed $T, $what);
    };
    ($T:ty, partly) => {
        $crate::spelled!(@named $T, word, value, value.name().is_some_and(|name| name.eq_ignore_ascii_case(word)));
    };
    (@named $T:ty, $word:ident, $value:ident, $fits:expr) => {
        impl $T {
            /// The one that a word names.
            pub fn named($word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|$value| $fits)
            }
        }
    };
    (@parsed $T:ty, $what:literal) => {
        impl core::fmt::Display for $T {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $T {
            type Err = $crate::word::Unknown;

            /// The one that a word names.
            fn from_str(word: &str) -> core::result::Result<Self, Self::Err> {
                let names = || Self::ALL.iter().map(|value| value.name());
                Self::named(word).ok_or_else(|| $crate::word::Unknown::new($what, word, names()))
            }
        }
    };
}
