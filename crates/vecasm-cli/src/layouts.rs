//! Files with layouts, beside results: which register or binding of a result is which of its source.

use crate::args::{OutputArgs, ReadingArgs};
use crate::batch::{Batch, Outputs};
use crate::io::{self, Input, Payload, Sink};
use crate::{Failure, Outcome};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where layouts go, as `-o` says where results go.
fn layout_args(layout: Option<&PathBuf>) -> OutputArgs {
    OutputArgs { output: layout.cloned() }
}

/// Whether layouts and results go to different places.
pub(crate) fn check(layout: Option<&PathBuf>, output: &OutputArgs) -> Outcome {
    match (layout.map(|_| Sink::new(&layout_args(layout))), Sink::new(output)) {
        (Some(Sink::Stdout), Sink::Stdout) => {
            Err(Failure::usage("the result and --layout - both go to standard output: name a file for one"))
        }
        (Some(Sink::File(layout)), Sink::File(output)) if layout == output => {
            Err(Failure::usage("--layout and -o name the same file"))
        }
        _ => Ok(()),
    }
}

/// The file name of the layout of a result in a folder.
fn layout_name(result: &OsStr) -> OsString {
    io::with_ending(result, "json")
}

/// Where layouts go, if they are asked for.
pub(crate) struct Layouts<'b> {
    outputs: Option<Outputs<'b>>,
    /// Whether one is written; a second one needs a folder.
    written: bool,
}

impl<'b> Layouts<'b> {
    /// For the results of a batch, whose file names `name` gives.
    pub(crate) fn new(
        layout: Option<&PathBuf>,
        reading: &ReadingArgs,
        batch: &'b Batch,
        several: bool,
        name: impl Fn(&Input) -> OsString,
    ) -> Outcome<Self> {
        let to = layout_args(layout);
        let folder = matches!(Sink::new(&to), Sink::Folder(_));
        let outputs = match (layout, several) {
            (None, _) => None,
            (Some(_), true) if !folder => return Err(Self::folder_is_missing()),
            (Some(_), true) => Some(Outputs::new(&to, reading, batch, |input, _| layout_name(&name(input)))?),
            (Some(_), false) => Some(Outputs::single(&to, batch)?),
        };
        Ok(Self { outputs, written: false })
    }

    fn folder_is_missing() -> Failure {
        Failure::usage("several results have a layout each: name a folder with --layout DIR/")
    }

    /// Writes the layout of a result. It is written first, so that no result comes without it.
    pub(crate) fn write(&mut self, of: &Path, result: &OsStr, layout: &serde_json::Value) -> Outcome {
        let Some(outputs) = &mut self.outputs else { return Ok(()) };
        if std::mem::replace(&mut self.written, true) && !matches!(outputs.sink(), Sink::Folder(_)) {
            return Err(Self::folder_is_missing());
        }
        outputs.write(of, &layout_name(result), &Payload::Text(format!("{layout:#}\n")))
    }
}
