//! How much a file may ask for.

use crate::rules;
use alloc::format;
use vecasm_ir::diag::Diagnostic;

/// Bounds on what reading a file may take, whatever the file says. A file that asks for more is refused with
/// [`LIMIT`](rules::LIMIT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the file.
    pub file: usize,
    /// Bytes that all compressed parts may unpack to, those of nested files included.
    pub unpacked: usize,
    /// Bytes that one compressed byte may unpack to, after the first MiB.
    pub ratio: usize,
    /// Containers in containers.
    pub depth: usize,
    /// Entries, those of nested files included.
    pub entries: usize,
    /// Structures in structures of a parameter's type.
    pub types: usize,
    /// Elements of an array.
    pub elements: usize,
    /// Bytes of a name.
    pub name: usize,
}

impl Limits {
    /// 1 GiB of file, 256 MiB unpacked at 200 to 1, four containers deep, a million entries, 16 types deep, 65,536
    /// elements, names of 4 KiB.
    pub const DEFAULT: Self = Self {
        file: 1 << 30,
        unpacked: 256 << 20,
        ratio: 200,
        depth: 4,
        entries: 1_000_000,
        types: 16,
        elements: 65_536,
        name: 4096,
    };
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
                self.limits.ratio,
                "to 1",
            ));
        }
        match self.unpacked.checked_sub(unpacked) {
            Some(left) => {
                self.unpacked = left;
                Ok(())
            }
            None => Err(exceeded(&format!("{unpacked} more unpacked bytes"), self.limits.unpacked, "in all")),
        }
    }

    /// Takes one entry.
    pub(crate) fn take_entry(&mut self) -> Result<(), Diagnostic> {
        match self.entries.checked_sub(1) {
            Some(left) => {
                self.entries = left;
                Ok(())
            }
            None => Err(exceeded("another entry", self.limits.entries, "in all")),
        }
    }
}

/// The refusal of what exceeds a limit.
pub(crate) fn exceeded(what: &str, limit: usize, how: &str) -> Diagnostic {
    rules::LIMIT.finding(format!("{what}; the limit is {limit} {how}")).with_help(rules::LIMIT_HELP)
}
