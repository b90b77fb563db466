//! Rules: what a finding is a breach of, and the tables of them.

use super::{Diagnostic, Severity};
use alloc::string::{String, ToString};
use core::fmt::{self, Display};

/// A rule that a validator or a reader applies: one row of an ISA's rule table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable id, for example `AGAL3646`.
    pub id: &'static str,
    /// The number the original runtime gives, or 0.
    pub number: u32,
    /// How bad a breach is by default.
    pub severity: Severity,
    /// The original runtime's own message; `%1`, `%2`… stand for its arguments.
    pub message: &'static str,
    /// Why the rule exists, or what to do.
    pub reason: &'static str,
    /// How it is known.
    pub provenance: Provenance,
}

impl Rule {
    /// A finding of the rule, which says `what`.
    #[cold]
    pub fn finding(&self, what: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.severity, self.id, what)
    }

    /// The message with `arguments` in place of `%1`, `%2`…
    pub const fn fill<'a>(&self, arguments: &'a [&'a dyn Display]) -> Message<'a> {
        Message { template: self.message, arguments }
    }
}

/// A [message](Rule::fill) with its arguments. It is put together where it is shown, so that one which is left out costs
/// nothing.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    template: &'static str,
    arguments: &'a [&'a dyn Display],
}

impl Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.template.split('%');
        f.write_str(parts.next().unwrap_or_default())?;
        for part in parts {
            let number = part.bytes().next().and_then(|digit| digit.checked_sub(b'1'));
            match number.and_then(|number| self.arguments.get(usize::from(number))) {
                Some(argument) => write!(f, "{argument}{}", part.get(1..).unwrap_or_default())?,
                None => write!(f, "%{part}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl From<Message<'_>> for String {
    fn from(message: Message<'_>) -> Self {
        message.to_string()
    }
}

/// How a fact about a runtime is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// The runtime itself was seen to do it.
    Recorded,
    /// The vendor's documentation or published source says so.
    Documented,
    /// Another implementation does it.
    Peer,
    /// Only the text of a message, or an inference.
    Believed,
    /// Our own rule: it is about our syntax.
    Own,
}

impl Provenance {
    /// The word used in documents: `recorded`, `documented`, `peer`, `believed` or `own`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Documented => "documented",
            Self::Peer => "peer",
            Self::Believed => "believed",
            Self::Own => "own",
        }
    }
}

/// A table of [rules](crate::diag::Rule), a row each, and a name for every row.
///
/// ```text
/// rules! {
///     /// What the table is.
///     pub const RULES;
///     pub(super) const;
///
///     LENGTH "X-length" 7 Error Documented
///         "the line has %1 characters",
///         "A line has at most 80 characters.";
/// }
/// ```
///
/// A row has the name, the id, the number that the original runtime gives (may be missing), severity, how the rule is known (our own
/// if missing), message and reason. In a table of constants all rows may lack the severity: they are errors of our own then.
///
/// The line behind the table says what the names are:
///
/// | line | names |
/// |---|---|
/// | `pub(super) const;` | constants, each a `&'static Rule`; also without a line for a table |
/// | `pub(super) mod id;` | constants in a module, each the id alone |
/// | `pub enum Id with COLUMN: Type = default;` | variants, for tables with a further column: `[value]` in front of the message, `default` where a row has none. `COLUMN` has it row by row |
#[doc(hidden)]
#[macro_export]
macro_rules! rules {
    (
        $(#[$doc:meta])* $vis:vis const RULES;
        $(#[$more:meta])* $own:vis $kind:ident $($Name:ident $(with $COLUMN:ident: $Column:ty = $default:expr)?)?;
        $(
            $ROW:ident $id:literal $($number:literal)? $severity:ident $($provenance:ident)? $([$column:expr])?
                $message:literal $(,)? $reason:literal;
        )*
    ) => {
        $(#[$doc])*
        $vis const RULES: &[$crate::diag::Rule] = &[$(
            $crate::rules!(@rule $id, $($number)?, $severity, $($provenance)?, $message, $reason)
        ),*];

        $crate::rules! {
            @$kind [$(#[$more])*] [$own] $($Name $([$COLUMN: $Column = $default])?)?;
            $( $ROW [$id, $($number)?, $severity, $($provenance)?, $message, $reason] $([$column])?; )*
        }
    };
    (
        $(#[$doc:meta])* $vis:vis const RULES;
        $own:vis const;
        $( $ROW:ident $id:literal $message:literal $(,)? $reason:literal; )*
    ) => {
        $crate::rules! {
            $(#[$doc])* $vis const RULES;
            $own const;
            $( $ROW $id Error $message, $reason; )*
        }
    };
    (
        $own:vis const;
        $(
            $ROW:ident $id:literal $($number:literal)? $severity:ident $($provenance:ident)?
                $message:literal $(,)? $reason:literal;
        )*
    ) => {
        $crate::rules! {
            @const [] [$own];
            $( $ROW [$id, $($number)?, $severity, $($provenance)?, $message, $reason]; )*
        }
    };

    (@const [] [$own:vis]; $(
        $ROW:ident [$id:literal, $($number:literal)?, $severity:ident, $($provenance:ident)?, $message:literal, $reason:literal];
    )*) => { $(
        #[doc = concat!("`", $id, "`: ", $reason)]
        $own const $ROW: &$crate::diag::Rule =
            &$crate::rules!(@rule $id, $($number)?, $severity, $($provenance)?, $message, $reason);
    )* };
    (@mod [$(#[$more:meta])*] [$own:vis] $name:ident; $(
        $ROW:ident [$id:literal, $($column:tt)*];
    )*) => {
        $(#[$more])*
        $own mod $name { $( pub(crate) const $ROW: &str = $id; )* }
    };
    (@enum [$(#[$more:meta])*] [$own:vis] $Id:ident [$COLUMN:ident: $Column:ty = $default:expr]; $(
        $ROW:ident [$id:literal, $($number:literal)?, $severity:ident, $($provenance:ident)?, $message:literal, $reason:literal]
            $([$column:expr])?;
    )*) => {
        $(#[$more])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $own enum $Id { $( #[doc = $message] $ROW ),* }

        #[allow(dead_code, reason = "not every table needs all of it")]
        impl $Id {
            /// Every rule, in table order.
            $own const ALL: &'static [Self] = &[$( Self::$ROW ),*];

            /// The row of the rule.
            $own const fn rule(self) -> &'static $crate::diag::Rule {
                &RULES[self as usize]
            }
        }

        /// The further column of [`RULES`], row by row.
        $own const $COLUMN: &[$Column] = &[$( $crate::rules!(@or $default; $($column)?) ),*];
    };

    (
        @rule $id:literal, $($number:literal)?, $severity:ident, $($provenance:ident)?, $message:literal, $reason:literal
    ) => {
        $crate::diag::Rule {
            id: $id,
            number: $crate::rules!(@or 0; $($number)?),
            severity: $crate::diag::Severity::$severity,
            message: $message,
            reason: $reason,
            provenance: $crate::rules!(@or $crate::diag::Provenance::Own; $($crate::diag::Provenance::$provenance)?),
        }
    };
    (@or $default:expr;) => { $default };
    (@or $default:expr; $value:expr) => { $value };
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    mod table {
        crate::rules! {
            /// A table with a further column.
            pub(super) const RULES;
            pub(super) enum Id with SINCE: u8 = 1;

            First "T-first" 7 Warning Peer [3] "%2 and %1, 100% %3", "All columns.";
            Second "T-second" Error "none", "As few as there can be.";
        }
        pub(super) mod short {
            crate::rules! {
                /// A table of short rows.
                pub(in super::super) const RULES;
                pub(in super::super) const;
                SHORT "T-short" "a message" "A reason.";
            }
        }
    }
    use table::{Id, RULES, SINCE, short};

    #[test]
    fn columns_have_defaults() {
        let first = Rule {
            id: "T-first",
            number: 7,
            severity: Severity::Warning,
            message: "%2 and %1, 100% %3",
            reason: "All columns.",
            provenance: Provenance::Peer,
        };
        let second = Rule {
            id: "T-second",
            number: 0,
            severity: Severity::Error,
            message: "none",
            reason: "As few as there can be.",
            provenance: Provenance::Own,
        };
        assert_eq!(RULES, [first, second]);
        assert_eq!(SINCE, [3, 1]);
        assert_eq!((Id::ALL, Id::Second.rule()), (&[Id::First, Id::Second][..], &second));
        let id = "T-short";
        assert_eq!(short::RULES, [Rule { id, message: "a message", reason: "A reason.", ..second }]);
        assert_eq!(short::SHORT, &short::RULES[0]);
    }

    #[test]
    fn arguments_take_their_places() {
        assert_eq!(Id::First.rule().fill(&[&"a", &7]).to_string(), "7 and a, 100% %3");
    }
}
