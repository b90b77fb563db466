//! Programs and containers in bytes of any kind: memory, archives that nobody describes, files of engines.
//!
//! Containers are looked for first, by their magics; one that its reader can read is one hit, and nothing in it is another. In
//! the rest programs are looked for. Of those that overlap the longest one stays.
//!
//! What a search takes grows with the number of bytes: reading in vain is [bounded](crate::Limits), and where the
//! bound is met the hits up to there come with a finding.
//!
//! ```
//! use vecasm_container::scan::{Confidence, Options, scan};
//! use vecasm_container::{Budget, Limits};
//!
//! // Some bytes, and a program of Direct3D 9 that copies a constant, at offset 8.
//! let words = [7, 7, 0xFFFF_0200u32, 0x0200_0001, 0x800F_0800, 0xA0E4_0000, 0x0000_FFFF, 7];
//! let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! let found = scan(&bytes, &Options::default(), &mut Budget::new(Limits::DEFAULT));
//! assert_eq!((found.hits[0].range.clone(), found.hits[0].confidence), (8..28, Confidence::Certain));
//! ```

mod containers;
mod programs;
mod wide;

use crate::{Budget, Format};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::Stage;
use vecasm_isa::Isa;

vecasm_ir::words! {
    /// How sure it is that something is what it looks like.
    #[derive(PartialOrd, Ord)]
    Confidence "confidence" {
        /// Data of another kind look like this now and then.
        Weak "weak",
        /// It has the form of a program; what runs it would refuse it, or nothing but its form speaks for it.
        Likely "likely",
        /// It has more than the form: see [`Hit::confidence`].
        Certain "certain",
    }
}

/// What is looked for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether things may begin at any byte, not only at multiples of four. Texts always may.
    pub unaligned: bool,
    /// Whether containers are looked for; else programs in them are found as anywhere.
    pub containers: bool,
}

impl Default for Options {
    /// Containers and programs at multiples of four bytes.
    fn default() -> Self {
        Self { unaligned: false, containers: true }
    }
}

impl Options {
    /// The same at any byte, or not.
    #[must_use]
    pub const fn with_unaligned(self, unaligned: bool) -> Self {
        Self { unaligned, ..self }
    }

    /// The same with containers, or without.
    #[must_use]
    pub const fn with_containers(self, containers: bool) -> Self {
        Self { containers, ..self }
    }

    const fn step(self) -> usize {
        if self.unaligned { 1 } else { 4 }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Scan {
    /// The hits, the surest first, and in the order of the bytes.
    pub hits: Vec<Hit>,
    /// Why the search ended early, if it did.
    pub findings: Vec<Diagnostic>,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// Where it is.
    pub range: Range<usize>,
    /// What it is.
    pub what: HitKind,
    /// How sure that is.
    ///
    /// | | certain | likely | weak |
    /// |---|---|---|---|
    /// | Direct3D 8 and 9 | the validator finds no error, or a table of constants is there | at least four instructions | fewer |
    /// | AGAL | the validator finds no error | at least two instructions | one |
    /// | NV2A behind a header | the validator finds no error | else | |
    /// | NV2A without one | | at least three slots that write the position, without an error | else |
    /// | TGSI | the validator finds no error | else | |
    /// | container | its reader finds nothing wrong | else | |
    ///
    /// What is in the table has been walked to its end: every instruction exists, and the end is there.
    pub confidence: Confidence,
}

/// What a hit is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HitKind {
    /// A program.
    Program {
        /// Its instruction set.
        isa: Isa,
        /// Its stage.
        stage: Stage,
        /// Its language and version: `ps_2_0`.
        model: String,
        /// How many instructions it has.
        instructions: usize,
        /// Whether it is a text.
        is_text: bool,
    },
    /// A container.
    Container {
        /// Its format.
        format: Format,
        /// How many programs are in it, and in those that are in it; a text that may have several counts as one.
        programs: usize,
    },
}

/// Looks for programs and containers.
pub fn scan(bytes: &[u8], options: &Options, budget: &mut Budget) -> Scan {
    let mut out = Scan::default();
    let step = options.step();
    if options.containers {
        containers::find(bytes, step, budget, &mut out);
    }
    let covered: Vec<Range<usize>> = out.hits.iter().map(|hit| hit.range.clone()).collect();
    let mut search = programs::Search::new(bytes.len(), step);
    let mut start = 0;
    for next in covered.iter().chain([&(bytes.len()..bytes.len())]) {
        if start < next.start {
            search.run(bytes, start..next.start, budget, &mut out);
        }
        start = next.end.next_multiple_of(step);
    }
    out.hits.sort_by_key(|hit| (core::cmp::Reverse(hit.confidence), hit.range.start));
    out
}
