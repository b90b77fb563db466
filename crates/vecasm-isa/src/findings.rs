//! How the readers of text report, for every instruction set: the rules of a language as a table, findings up to a
//! limit, pieces of the text in messages.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::diag::near;
use vecasm_ir::diag::{Diagnostic, Place, Severity, Span};

/// One line a rule: its constant, its id, severity, how it is known (the project's own if left out), message and
/// reason. Makes `RULES` and the ids.
macro_rules! text_rules {
    (@provenance) => { vecasm_ir::diag::Provenance::Own };
    (@provenance $p:ident) => { vecasm_ir::diag::Provenance::$p };
    ($( $C:ident $id:literal $severity:ident $($p:ident)? $message:literal, $reason:literal; )*) => {
        /// The ids of [`RULES`].
        pub(super) mod id {
            $( pub(in super::super) const $C: &str = $id; )*
        }
        /// Every rule of assembly text, in the order of a reader's work.
        pub const RULES: &[vecasm_ir::diag::Rule] = &[$( vecasm_ir::diag::Rule {
            id: $id, number: 0, severity: vecasm_ir::diag::Severity::$severity, message: $message, reason: $reason,
            provenance: $crate::findings::text_rules!(@provenance $($p)?),
        } ),*];
    };
}
pub(crate) use text_rules;

/// Most findings that are kept.
const MAX_FINDINGS: usize = 1000;

/// Longest piece of the text that a message repeats, in characters.
const MAX_QUOTED: usize = 40;

/// What is said of a literal that is too large for its type; readers of C round it to infinity.
#[cfg(any(feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
pub(crate) struct Overflow<'a>(pub(crate) &'a str);

#[cfg(any(feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
impl fmt::Display for Overflow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is beyond the range of its type and becomes infinite", Quoted(self.0))
    }
}

/// Collects findings up to a limit.
pub(crate) struct Findings {
    list: Vec<Diagnostic>,
    limit: usize,
    left_out: usize,
    errors: bool,
    more: &'static str,
}

impl Findings {
    /// A collector; `more` is the id of the note that some are left out.
    pub(crate) const fn new(more: &'static str) -> Self {
        Self { list: Vec::new(), limit: MAX_FINDINGS, left_out: 0, errors: false, more }
    }

    /// A collector that keeps nothing and counts.
    #[cfg(feature = "agal")]
    pub(crate) const fn counting() -> Self {
        Self { list: Vec::new(), limit: 0, left_out: 0, errors: false, more: "" }
    }

    /// Whether there was an error.
    pub(crate) const fn has_errors(&self) -> bool {
        self.errors
    }

    /// An error at `span`.
    #[cold]
    pub(crate) fn error(&mut self, id: &'static str, span: Span, message: impl fmt::Display) {
        self.push(Severity::Error, id, Place::Text(span), message, || None);
    }

    /// An error at `span` with help.
    #[cfg(feature = "nv2a")]
    #[cold]
    pub(crate) fn error_with(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl fmt::Display,
        help: Option<String>,
    ) {
        self.push(Severity::Error, id, Place::Text(span), message, || help);
    }

    /// An error at `span` with help, which is asked for only if the finding is kept.
    #[cold]
    pub(crate) fn error_asking(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl fmt::Display,
        help: impl FnOnce() -> Option<String>,
    ) {
        self.push(Severity::Error, id, Place::Text(span), message, help);
    }

    /// An error about the text as a whole.
    #[cfg(feature = "agal")]
    #[cold]
    pub(crate) fn whole(&mut self, id: &'static str, message: impl fmt::Display, help: Option<String>) {
        self.push(Severity::Error, id, Place::Whole, message, || help);
    }

    /// A warning at `span`.
    #[cfg(any(feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
    #[cold]
    pub(crate) fn warning(&mut self, id: &'static str, span: Span, message: impl fmt::Display) {
        self.push(Severity::Warning, id, Place::Text(span), message, || None);
    }

    fn push(
        &mut self,
        severity: Severity,
        id: &'static str,
        place: Place,
        message: impl fmt::Display,
        help: impl FnOnce() -> Option<String>,
    ) {
        // The first error is kept, so that what is refused says why.
        let first = severity == Severity::Error && !self.errors && self.limit > 0;
        self.errors |= severity == Severity::Error;
        if self.list.len() >= self.limit && !first {
            self.left_out += 1;
            return;
        }
        let mut d = Diagnostic::new(severity, id, alloc::format!("{message}")).at(place);
        d.help = help().map(Into::into);
        self.list.push(d);
    }

    /// A note at `span` with help.
    #[cfg(any(feature = "agal", feature = "nv2a"))]
    #[cold]
    pub(crate) fn note(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl fmt::Display,
        help: impl Into<String>,
    ) {
        self.push(Severity::Note, id, Place::Text(span), message, || Some(help.into()));
    }

    /// Appends those of another collector.
    #[cfg(feature = "nv2a")]
    pub(crate) fn append(&mut self, other: Self) {
        self.errors |= other.errors;
        self.left_out += other.left_out;
        let room = self.limit.saturating_sub(self.list.len());
        self.left_out += other.list.len().saturating_sub(room);
        self.list.extend(other.list.into_iter().take(room));
    }

    /// Forgets the last finding.
    #[cfg(feature = "nv2a")]
    pub(crate) fn take_back(&mut self) {
        self.list.pop();
    }

    /// The findings.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = alloc::format!("{} more findings not listed", self.left_out);
            self.list.push(Diagnostic::new(Severity::Note, self.more, message));
        }
        self.list
    }
}

/// Writes a piece of the text in backquotes, shortened if it is long, without control characters.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        for (i, c) in self.0.chars().enumerate() {
            if i == MAX_QUOTED {
                f.write_str("…")?;
                break;
            }
            if c.is_control() { write!(f, "{}", c.escape_default())? } else { write!(f, "{c}")? }
        }
        f.write_str("`")
    }
}

/// Help that names the candidate which `word` was probably meant to be, where case does not matter: in capitals if it is.
#[cfg(any(feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
pub(crate) fn meant<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let capitals = word.bytes().all(|b| !b.is_ascii_lowercase());
    let cased = |near: &str| if capitals { near.to_ascii_uppercase() } else { near.into() };
    nearest(word, candidates).map(|near| alloc::format!("did you mean `{}`?", cased(near)))
}

/// That a comma is missing between an operand and what follows it.
#[cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a"))]
pub(crate) struct NoComma<'a> {
    /// The operand.
    pub(crate) after: &'a str,
    /// What follows.
    pub(crate) found: &'a str,
}

#[cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a"))]
impl fmt::Display for NoComma<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected `,` after {}, found {}", Quoted(self.after), Quoted(self.found))
    }
}

/// The candidate that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if let Some(same) = candidates.clone().find(|c| c.eq_ignore_ascii_case(word)) {
        return Some(same);
    }
    let allowed = if word.len() > 3 { word.len() / 3 } else { 1 };
    candidates
        .map(|c| (distance(word, c), c))
        .filter(|&(d, c)| d <= allowed && d < c.len())
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// Longest word that is compared letter by letter.
const MAX_WORD: usize = 32;

/// The [distance](near::distance) of two words, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > MAX_WORD || b.len() > MAX_WORD {
        return usize::MAX;
    }
    near::distance(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognized() {
        let words = || ["mov", "mul", "repeat", "mipnone", "ft"].into_iter();
        for (word, meant) in [
            ("MOV", Some("mov")),
            ("mvo", Some("mov")),
            ("repet", Some("repeat")),
            ("mipnoen", Some("mipnone")),
            ("r", None),
            ("quux", None),
        ] {
            assert_eq!(nearest(word, words()), meant, "{word}");
        }
    }
}
