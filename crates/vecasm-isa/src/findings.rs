//! How readers of text and validators report, for every instruction set: findings up to a limit, pieces of the text in
//! messages; and the rules of several passes as one table.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::diag::Rule;
use vecasm_ir::diag::near;
use vecasm_ir::diag::{Diagnostic, Place, Severity, Span};

/// Most findings that are kept.
const MAX_FINDINGS: usize = 1000;

/// Longest piece of the text that a message repeats, in characters.
const MAX_QUOTED: usize = 40;

/// What is said of a literal that is too large for its type; readers of C round it to infinity.
pub(crate) struct Overflow<'a>(pub(crate) &'a str);

impl fmt::Display for Overflow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is beyond the range of its type and becomes infinite", Quoted(self.0))
    }
}

/// Collects findings up to a limit.
#[derive(Debug)]
pub(crate) struct Findings {
    list: Vec<Diagnostic>,
    limit: usize,
    left_out: u64,
    errors: bool,
    more: &'static str,
}

impl Findings {
    /// A collector; `more` is the id of the note that some are left out.
    pub(crate) const fn new(more: &'static str) -> Self {
        Self { list: Vec::new(), limit: MAX_FINDINGS, left_out: 0, errors: false, more }
    }

    /// A collector with a limit of its own, for a list that [ends otherwise](Self::finish_with).
    pub(crate) const fn up_to(limit: usize) -> Self {
        Self { list: Vec::new(), limit, left_out: 0, errors: false, more: "" }
    }

    /// A collector that keeps nothing and counts.
    pub(crate) const fn counting() -> Self {
        Self::up_to(0)
    }

    /// Whether there was an error.
    pub(crate) const fn has_errors(&self) -> bool {
        self.errors
    }

    /// Whether there is no finding.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether what comes now would be left out.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// Counts findings that are left out.
    pub(crate) const fn leave_out(&mut self, count: u64) {
        self.left_out = self.left_out.saturating_add(count);
    }

    /// An error at `span`.
    #[cold]
    pub(crate) fn error(&mut self, id: &'static str, span: Span, message: impl fmt::Display) {
        self.push(Severity::Error, id, Place::Text(span), message);
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
        if let Some(finding) = self.push(Severity::Error, id, Place::Text(span), message) {
            finding.help = help().map(Into::into);
        }
    }

    /// An error at `span` with help.
    #[cold]
    pub(crate) fn error_with(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl fmt::Display,
        help: Option<String>,
    ) {
        self.error_asking(id, span, message, || help);
    }

    /// An error about the text as a whole.
    #[cold]
    pub(crate) fn error_of_text(
        &mut self,
        id: &'static str,
        message: impl fmt::Display,
        help: Option<String>,
    ) {
        if let Some(finding) = self.push(Severity::Error, id, Place::Whole, message) {
            finding.help = help.map(Into::into);
        }
    }

    /// A warning at `span`.
    #[cold]
    pub(crate) fn warning(&mut self, id: &'static str, span: Span, message: impl fmt::Display) {
        self.push(Severity::Warning, id, Place::Text(span), message);
    }

    /// A note at `span` with help.
    #[cold]
    pub(crate) fn note(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl fmt::Display,
        help: impl Into<String>,
    ) {
        if let Some(finding) = self.push(Severity::Note, id, Place::Text(span), message) {
            finding.help = Some(help.into().into());
        }
    }

    /// Any finding. What else it has is for the caller to add, if it is kept.
    pub(crate) fn push(
        &mut self,
        severity: Severity,
        id: &'static str,
        place: Place,
        message: impl fmt::Display,
    ) -> Option<&mut Diagnostic> {
        // The first error is kept, so that what is refused says why.
        let first = severity == Severity::Error && !self.errors && self.limit > 0;
        self.errors |= severity == Severity::Error;
        if self.is_full() && !first {
            self.left_out += 1;
            return None;
        }
        self.list.push(Diagnostic::new(severity, id, alloc::format!("{message}")).at(place));
        self.list.last_mut()
    }

    /// Appends those of another collector.
    pub(crate) fn append(&mut self, other: Self) {
        self.errors |= other.errors;
        self.left_out += other.left_out;
        let room = self.limit.saturating_sub(self.list.len());
        self.left_out += other.list.len().saturating_sub(room) as u64;
        self.list.extend(other.list.into_iter().take(room));
    }

    /// Forgets the last finding.
    pub(crate) fn take_back(&mut self) {
        self.list.pop();
    }

    /// Puts the findings into the order of a program: by their places in the binary, those about the whole of it last.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|finding| match finding.place {
            Place::Binary { offset, .. } => offset,
            Place::Text(_) | Place::Whole => u32::MAX,
        });
    }

    /// The findings, without a note.
    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }

    /// The findings, with a note if some are left out.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let more = self.more;
        self.finish_with(|count| {
            Diagnostic::new(Severity::Note, more, alloc::format!("{count} more findings not listed"))
        })
    }

    /// The findings, with a note of the caller if some are left out: how many.
    pub(crate) fn finish_with(mut self, note: impl FnOnce(u64) -> Diagnostic) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            self.list.push(note(self.left_out));
        }
        self.list
    }
}

/// The rules of several passes as one table.
macro_rules! join_rules {
    ($($pass:path),* $(,)?) => {{
        const PASSES: &[&[vecasm_ir::diag::Rule]] = &[$($pass),*];
        const RULES: [vecasm_ir::diag::Rule; $crate::findings::count(PASSES)] = $crate::findings::join(PASSES);
        &RULES
    }};
}
pub(crate) use join_rules;

/// The number of rules of several passes.
pub(crate) const fn count(passes: &[&[Rule]]) -> usize {
    let (mut sum, mut pass) = (0, 0);
    while pass < passes.len() {
        sum += passes[pass].len();
        pass += 1;
    }
    sum
}

/// The rules of several passes, all `N` of them, one after another.
pub(crate) const fn join<const N: usize>(passes: &[&[Rule]]) -> [Rule; N] {
    let mut out = [passes[0][0]; N];
    let (mut n, mut pass) = (0, 0);
    while pass < passes.len() {
        let mut row = 0;
        while row < passes[pass].len() {
            out[n] = passes[pass][row];
            n += 1;
            row += 1;
        }
        pass += 1;
    }
    out
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
pub(crate) fn meant<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let capitals = word.bytes().all(|b| !b.is_ascii_lowercase());
    let cased = |near: &str| if capitals { near.to_ascii_uppercase() } else { near.into() };
    nearest(word, candidates).map(|near| alloc::format!("did you mean `{}`?", cased(near)))
}

/// That a comma is missing between an operand and what follows it.
pub(crate) struct NoComma<'a> {
    /// The operand.
    pub(crate) after: &'a str,
    /// What follows.
    pub(crate) found: &'a str,
}

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
