//! How much a file may ask for.

use crate::rules;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Diagnostic;

macro_rules! limits {
    ($( $(#[doc = $doc:literal])+ $field:ident = $default:expr, )+) => {
        /// Bounds on what reading a file may take, whatever the file says. A file that asks for more is refused with
        /// [`LIMIT`](rules::LIMIT).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $( $(#[doc = $doc])+ pub $field: usize, )+
        }

        impl Limits {
            /// 1 GiB of file, 256 MiB unpacked at 200 to 1, four containers deep, a million entries, 16 types deep, 65,536
            /// elements, names of 4 KiB.
            pub const DEFAULT: Self = Self { $( $field: $default, )+ };

            /// The names of the limits.
            pub const NAMES: &[&str] = &[ $( stringify!($field) ),+ ];

            /// The limit of a name.
            pub fn get(&self, name: &str) -> Option<usize> {
                match name {
                    $( stringify!($field) => Some(self.$field), )+
                    _ => None,
                }
            }

            fn get_mut(&mut self, name: &str) -> Option<&mut usize> {
                match name {
                    $( stringify!($field) => Some(&mut self.$field), )+
                    _ => None,
                }
            }
        }
    };
}

limits! {
    /// Bytes of the file.
    file = 1 << 30,
    /// Bytes that all compressed parts may unpack to, those of nested files included.
    unpacked = 256 << 20,
    /// Bytes that one compressed byte may unpack to, after the first MiB.
    ratio = 200,
    /// Containers one in another, the file itself counted.
    depth = 4,
    /// Entries, those of nested files included.
    entries = 1_000_000,
    /// Structures in structures of a parameter's type.
    types = 16,
    /// Elements of an array.
    elements = 65_536,
    /// Bytes of a name.
    name = 4096,
}

impl Limits {
    /// The most that a limit can be: four GiB less one, as far as the machine counts. Depths are walked by calls, and have
    /// [another](Self::MOST_DEEP).
    const MOST: u64 = 0xFFFF_FFFF;
    /// The most of `depth` and `types`.
    const MOST_DEEP: u64 = 64;

    /// Sets a limit by its name: `depth=6`, `unpacked=1GiB`, with `K`, `M` and `G` (`KiB`, …) for powers of 1024.
    ///
    /// # Errors
    ///
    /// What would be right.
    pub fn set(&mut self, word: &str) -> Result<(), String> {
        let names = || format!("expected NAME=N, where NAME is one of {}", Self::NAMES.join(", "));
        let (name, value) = word.split_once('=').ok_or_else(names)?;
        let limit = self.get_mut(name).ok_or_else(names)?;
        let digits = value.trim_end_matches(|c: char| !c.is_ascii_digit());
        let shift = match &*value[digits.len()..].to_ascii_lowercase() {
            "" => 0,
            "k" | "kib" => 10,
            "m" | "mib" => 20,
            "g" | "gib" => 30,
            _ => return Err("expected a whole number, which K, M or G may follow".into()),
        };
        let most = if matches!(name, "depth" | "types") { Self::MOST_DEEP } else { Self::MOST };
        let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("expected a whole number, which K, M or G may follow".into());
        }
        let number = number.filter(|number| (1..=most).contains(number));
        *limit = number
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| format!("{name}: expected 1 to {most}"))?;
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Compressed data of which any ratio is taken: a MiB.
const FREE: usize = 1 << 20;

/// What is left of the limits while a file and those in it are read.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub(crate) limits: Limits,
    unpacked: usize,
    entries: usize,
}

impl Budget {
    /// All of it.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, unpacked: limits.unpacked, entries: limits.entries }
    }

    /// Takes the bytes that `packed` compressed ones unpack to.
    pub(crate) fn take_unpacked(&mut self, packed: usize, unpacked: usize) -> Result<(), Diagnostic> {
        let most = packed.saturating_mul(self.limits.ratio).max(FREE);
        if unpacked > most {
            return Err(exceeded(
                &format!("{packed} bytes that unpack to {unpacked}"),
                "ratio",
                self.limits.ratio,
                "to 1",
            ));
        }
        match self.unpacked.checked_sub(unpacked) {
            Some(left) => {
                self.unpacked = left;
                Ok(())
            }
            None => Err(exceeded(
                &format!("{unpacked} more unpacked bytes"),
                "unpacked",
                self.limits.unpacked,
                "in all",
            )),
        }
    }

    /// Whether no entry is left.
    pub(crate) const fn is_spent(&self) -> bool {
        self.entries == 0
    }

    /// Gives back what was unpacked since then; how many bytes that were.
    #[cfg(feature = "scan")]
    pub(crate) fn give_back_unpacked(&mut self, before: &Self) -> usize {
        let unpacked = before.unpacked.saturating_sub(self.unpacked);
        self.unpacked = before.unpacked;
        unpacked
    }

    /// Takes one entry.
    pub(crate) fn take_entry(&mut self) -> Result<(), Diagnostic> {
        match self.entries.checked_sub(1) {
            Some(left) => {
                self.entries = left;
                Ok(())
            }
            None => Err(exceeded("another entry", "entries", self.limits.entries, "in all")),
        }
    }
}

/// The refusal of what exceeds the limit of a name; a bound that nobody can set has none.
pub(crate) fn exceeded(what: &str, name: &str, limit: usize, how: &str) -> Diagnostic {
    let how = match (limit, how) {
        (1, "entries") => "entry",
        (1, "elements") => "element",
        (1, "bytes") => "byte",
        _ => how,
    };
    let finding = rules::LIMIT.finding(format!("{what}; the limit is {limit} {how}"));
    let why = "files of strangers may ask for any amount of memory";
    if name.is_empty() {
        return finding.with_help(why);
    }
    finding.with_help(format!("{why}; `--limit {name}=N` sets another limit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_limit_that_was_met() {
        let mut limits = Limits::DEFAULT;
        limits.entries = 1;
        let finding = Budget::new(limits).take_unpacked(1, 2 << 20).unwrap_err();
        assert!(finding.help.as_ref().is_some_and(|help| help.contains("`--limit ratio=N`")), "{finding}");
        assert!(exceeded("2 members", "entries", 1, "entries").message.ends_with("the limit is 1 entry"));
    }

    #[test]
    fn limits_are_set_by_name() {
        let mut limits = Limits::DEFAULT;
        for (word, name, value) in
            [("depth=6", "depth", 6), ("unpacked=1GiB", "unpacked", 1 << 30), ("name=2k", "name", 2048)]
        {
            assert_eq!(limits.set(word), Ok(()), "{word}");
            assert_eq!(limits.get(name), Some(value), "{word}");
        }
        assert!(limits.set("file=1.5G").unwrap_err().contains("a whole number"));
        for wrong in
            ["depth", "deep=3", "depth=", "depth=65", "depth=0", "file=9999G", "file=1T", "file=-1", "=1"]
        {
            let before = limits;
            assert!(limits.set(wrong).is_err(), "{wrong}");
            assert_eq!(limits, before, "{wrong}");
        }
    }
}
