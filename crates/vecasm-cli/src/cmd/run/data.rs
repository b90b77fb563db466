//! What is wrong with tables and arrays that shaders are run on, with the ids that `vecasm explain` knows.

use crate::report::Ctx;
use crate::{Failure, io};
use vecasm::diag::{Diagnostic, Place, Rule, Source, Span, rules};

rules! {
    /// What is refused of tables and arrays that shaders are run on, sorted by id.
    pub(crate) const RULES;
    pub(super) const;

    CSV_COLUMN "RUN-csv-column" "a column does not belong to the program, or is given twice"
        "The first line names the input and lane of each column: v0.x,v0.y,v1.x";
    CSV_FIELDS "RUN-csv-fields" "a line has more or fewer fields than the first one"
        "Each line is one invocation, with a value for each column.";
    CSV_HEADER "RUN-csv-header" "the line of names is missing"
        "The first line names the input and lane of each column: v0.x,v0.y,v1.x";
    CSV_LINE "RUN-csv-line" "a line is longer than 64 KiB"
        "No program reads that many inputs; the file is not a table.";
    CSV_MISSING "RUN-csv-missing" "the column of an input that the program reads is missing"
        "There are no defaults, except for missing lanes of attributes: (0, 0, 0, 1).";
    CSV_VALUE "RUN-csv-value" "a field is not a value of the type of its column"
        "Fields are numbers, inf, -inf, nan, or 0x and up to 8 hexadecimal digits for bits; whole numbers for integer inputs.";
    QUADS "RUN-quads" "the fragments are not a multiple of four"
        "The program reads its neighbours, so fragments come in quads; a single one fills its quad.";
    RAW_COUNT "RUN-raw-count" "arrays have different numbers of invocations"
        "Every array has a record for each invocation.";
    RAW_MISSING "RUN-raw-missing" "no array has an input that the program reads"
        "There are no defaults, except for missing lanes of attributes: (0, 0, 0, 1).";
    RAW_NAME "RUN-raw-name" "a name is not an input of the program, or is given twice"
        "An array is NAMES=FILE, with the inputs of a record in order, for example v0,v1.xyz.";
    RAW_SIZE "RUN-raw-size" "an array ends inside a record"
        "Its size is a multiple of the record size, 4 bytes for each word.";
}

/// Where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The file as a whole.
    Whole,
    /// Bytes of a line: its number from 1, where in the file it starts, and what stands there.
    Line { number: u64, start: u64, text: String, bytes: std::ops::Range<usize> },
    /// A byte of the file.
    Byte(u64),
}

/// What is wrong with a table or an array.
#[derive(Clone, Debug)]
pub(super) struct DataError {
    /// What it breaks; `None` if it could not be read.
    rule: Option<&'static Rule>,
    message: String,
    /// The file.
    name: String,
    at: At,
}

/// Lines that start from this byte on are named in the message instead of being shown.
const MOST_START: u64 = 1 << 26;
/// As many bytes of a line are shown at most.
const MOST_SHOWN: usize = 1 << 16;

impl DataError {
    pub(super) fn new(rule: &'static Rule, name: &str, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { rule: Some(rule), message: message.into(), name: name.into(), at: At::Whole })
    }

    /// The file cannot be read.
    pub(super) fn io(name: &str, error: &std::io::Error) -> Box<Self> {
        Box::new(Self { rule: None, message: io::plain(error), name: name.into(), at: At::Whole })
    }

    /// The same at a place.
    pub(super) fn at(mut self: Box<Self>, at: At) -> Box<Self> {
        self.at = at;
        self
    }

    /// Tells it.
    pub(super) fn report(self, ctx: &Ctx) -> Failure {
        let Self { rule, message, name, at } = self;
        let Some(rule) = rule else { return Failure::usage(format!("{name}: {message}")) };
        let finding = |message: String| Diagnostic::error(rule.id, message).with_help(rule.reason);
        match at {
            At::Line { number, start, text, bytes } if start < MOST_START && text.len() <= MOST_SHOWN => {
                // Of the lines before it, only their number and size matter.
                let (before, lines) = (start as usize, number.saturating_sub(1) as usize);
                let (blanks, lines) = (" ".repeat(before.saturating_sub(lines)), "\n".repeat(lines));
                let all = format!("{blanks}{lines}{text}");
                let finding = finding(message).at_span(Span::new(before + bytes.start, before + bytes.end));
                ctx.report(&[finding], Source { name: &name, text: Some(&all) });
            }
            At::Line { number, .. } => {
                ctx.report(
                    &[finding(format!("line {number}: {message}"))],
                    Source { name: &name, text: None },
                );
            }
            At::Byte(offset) => {
                let finding = match u32::try_from(offset) {
                    Ok(offset) => finding(message).at(Place::Binary { offset, token: None }),
                    Err(_) => finding(format!("byte {offset}: {message}")),
                };
                ctx.report(&[finding], Source { name: &name, text: None });
            }
            At::Whole => ctx.report(&[finding(message)], Source { name: &name, text: None }),
        }
        Failure::Reported
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::RULES.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
