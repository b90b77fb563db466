//! Where results go, block by block.

use super::{csv, raw};
use crate::args::word;
use crate::io::{self, Sink};
use crate::report::Ctx;
use crate::writing::Draft;
use crate::{Failure, Outcome};
use clap::ValueEnum;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{BufWriter, IsTerminal as _, StdoutLock, Write};
use std::path::{Path, PathBuf};
use vecasm::exec::Outputs;
use vecasm::exec::runfile::{ResultForm, ResultText};
use vecasm::ir::{Shader, Stage};

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// `{"outputs": [...], "killed": [...]}`, lanes as bits
    Json,
    /// One line an invocation, lanes as bits
    Hex,
    /// A line of names, then one line an invocation, lanes as numbers
    Csv,
    /// Four words a register and invocation, least significant byte first; in a folder an array a register
    Raw,
}

impl Format {
    /// Fails if it cannot say what a shader gives.
    pub(super) fn check(self, shader: &Shader) -> Outcome {
        let of_patch = shader.outputs.iter().any(|output| output.kind.is_of_patch());
        let rows = !of_patch && !matches!(shader.stage, Stage::Compute | Stage::Geometry);
        if rows || matches!(self, Self::Json | Self::Hex) {
            return Ok(());
        }
        let (stage, word) = (shader.stage.name(), word(self));
        Err(Failure::usage(format!(
            "--format {word}: the results of a {stage} program are not one row per invocation; use json or hex"
        )))
    }

    fn form(self) -> ResultForm {
        if self == Self::Hex { ResultForm::Hex } else { ResultForm::Json }
    }

    /// The end of the names of files.
    fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Hex => "hex",
            Self::Csv => "csv",
            Self::Raw => "raw",
        }
    }
}

/// Makes of results what is written; any thread may do so.
pub(super) struct Formatter<'s> {
    shader: &'s Shader,
    format: Format,
    /// Whether each register has an array of its own.
    apart: bool,
    text: ResultText<'s>,
}

impl Formatter<'_> {
    /// What is written of a block behind `first` invocations, for each file.
    pub(super) fn rows(&self, first: usize, outputs: &Outputs) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        match self.format {
            Format::Json | Format::Hex => out = self.text.rows(first, outputs).into_bytes(),
            Format::Csv => csv::rows(self.shader, outputs, &mut out),
            Format::Raw if self.apart => {
                let cells = outputs.cells.iter().map(|cell| {
                    let mut out = Vec::new();
                    raw::array(cell, &mut out);
                    out
                });
                let flags = [&outputs.killed, &outputs.exhausted];
                let flags = flags.map(|flags| flags.iter().map(|flag| u8::from(*flag)).collect());
                return cells.chain(flags).collect();
            }
            Format::Raw => raw::records(outputs, &mut out),
        }
        vec![out]
    }
}

/// Where a part of the results goes.
enum ResultSink {
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A file, which is there when all of it has been written.
    File(BufWriter<Draft>, PathBuf),
}

impl ResultSink {
    fn file(path: PathBuf) -> Outcome<Self> {
        let draft = Draft::create(&path).map_err(|error| io::failed(&path, &error))?;
        Ok(Self::File(BufWriter::with_capacity(BUFFER, draft), path))
    }

    fn failed(&self, error: std::io::Error) -> Failure {
        match self {
            Self::File(_, path) => io::failed(path, &error),
            Self::Stdout(_) => error.into(),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Outcome {
        let done = match self {
            Self::Stdout(out) => out.write_all(bytes),
            Self::File(out, _) => out.write_all(bytes),
        };
        done.map_err(|error| self.failed(error))
    }

    /// Writes what was gathered, and puts a file in its place.
    fn finish(self) -> Outcome {
        match self {
            Self::Stdout(mut out) => Ok(out.flush()?),
            Self::File(out, path) => {
                let draft = out.into_inner().map_err(std::io::IntoInnerError::into_error);
                draft.and_then(Draft::commit).map_err(|error| io::failed(&path, &error))
            }
        }
    }
}

/// Results that are being written.
pub(super) struct Results<'s> {
    shader: &'s Shader,
    format: Format,
    apart: bool,
    text: ResultText<'s>,
    /// Where each part goes.
    to: Vec<ResultSink>,
    /// Beside what arrays of memory are written.
    folder: Option<(PathBuf, OsString)>,
    terminal: bool,
    killed: u64,
    exhausted: u64,
}

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

impl<'s> Results<'s> {
    /// Opens what they are written to; `stem` starts the names of files in a folder.
    pub(super) fn create(shader: &'s Shader, format: Format, sink: &Sink, stem: &OsStr) -> Outcome<Self> {
        let apart = format == Format::Raw && matches!(sink, Sink::Folder(_));
        let mut folder = None;
        let to = match sink {
            Sink::Stdout => {
                let out = std::io::stdout().lock();
                if format == Format::Raw && out.is_terminal() {
                    return Err(Failure::usage(
                        "will not write binary to a terminal: use -o FILE, or a pipe",
                    ));
                }
                vec![ResultSink::Stdout(BufWriter::with_capacity(BUFFER, out))]
            }
            Sink::File(path) => vec![ResultSink::file(path.clone())?],
            Sink::Folder(path) => {
                io::create_folder(path)?;
                folder = Some((path.clone(), stem.to_os_string()));
                if apart {
                    let outputs = shader.outputs.iter().map(|output| output.name.as_str());
                    let names = outputs.chain(["killed", "exhausted"]);
                    names
                        .map(|name| ResultSink::file(array_file(path, stem, name)))
                        .collect::<Outcome<_>>()?
                } else {
                    vec![ResultSink::file(
                        path.join(io::with_ending(stem, &format!("run.{}", format.extension()))),
                    )?]
                }
            }
        };
        let text = ResultText::new(shader, format.form());
        let terminal = matches!(sink, Sink::Stdout) && std::io::stdout().is_terminal();
        Ok(Self { shader, format, apart, text, to, folder, terminal, killed: 0, exhausted: 0 })
    }

    /// What makes rows of results.
    pub(super) fn formatter(&self) -> Formatter<'s> {
        let text = ResultText::new(self.shader, self.format.form());
        Formatter { shader: self.shader, format: self.format, apart: self.apart, text }
    }

    /// Whether they go to a terminal.
    pub(super) fn on_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes what stands in front of all rows.
    pub(super) fn start(&mut self) -> Outcome {
        if self.format == Format::Csv {
            let header = csv::header(self.shader);
            self.write(0, header.as_bytes())?;
        }
        Ok(())
    }

    /// Writes the rows of the next block, of which only flags and barriers are looked at.
    pub(super) fn put(&mut self, rows: &[Vec<u8>], outputs: &Outputs) -> Outcome {
        if matches!(self.format, Format::Json | Format::Hex) {
            self.text.note(outputs);
        }
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
        self.killed += count(&outputs.killed);
        self.exhausted += count(&outputs.exhausted);
        rows.iter().enumerate().try_for_each(|(part, rows)| self.write(part, rows))
    }

    fn write(&mut self, part: usize, bytes: &[u8]) -> Outcome {
        self.to.get_mut(part).map_or(Ok(()), |to| to.write(bytes))
    }

    /// Writes the rest. `last` has what the last block left in memory.
    pub(super) fn end(&mut self, last: &Outputs, ctx: &Ctx) -> Outcome {
        if matches!(self.format, Format::Json | Format::Hex) {
            if let Some(to) = self.to.first_mut() {
                let mut text = Text { to, failure: None };
                // Why it failed is kept.
                let _ = self.text.end(last, &mut text);
                if let Some(failure) = text.failure {
                    return Err(failure);
                }
            }
        } else {
            self.leave(last, ctx)?;
        }
        std::mem::take(&mut self.to).into_iter().try_for_each(ResultSink::finish)
    }

    /// What has no place in rows: arrays beside them if there is a folder for these, else a word about it.
    fn leave(&self, last: &Outputs, ctx: &Ctx) -> Outcome {
        let (shader, word) = (self.shader, word(self.format));
        let buffers = shader.buffers.iter().zip(&last.buffers);
        let buffers = buffers.map(|(buffer, bytes)| (&buffer.name, bytes.as_slice()));
        let images = shader.images.iter().zip(&last.images);
        let images = images.filter_map(|(image, held)| Some((&image.name, held.as_ref()?.bytes())));
        let mut lost = Vec::new();
        for (name, bytes) in buffers.chain(images) {
            match &self.folder {
                Some((folder, stem)) if self.apart => io::write_file(&array_file(folder, stem, name), bytes)?,
                _ => lost.push(name.as_str()),
            }
        }
        if shader.serial {
            lost.push("constants");
        }
        if !lost.is_empty() {
            let lost = lost.join(", ");
            ctx.tell(&format!(
                "vecasm: note: {word} omits what the run left in {lost}; json and hex have it"
            ));
        }
        if self.format == Format::Raw && !self.apart && self.killed + self.exhausted > 0 {
            ctx.tell(&format!(
                "vecasm: note: {} invocations were killed and {} ran out of fuel; -o DIR/ writes which ones as an array",
                self.killed, self.exhausted
            ));
        }
        Ok(())
    }
}

/// The file of an array.
fn array_file(folder: &Path, stem: &OsStr, name: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "[]._-".contains(c) { c } else { '_' };
    folder.join(io::with_ending(stem, &format!("{}.raw", name.chars().map(plain).collect::<String>())))
}

/// Text that goes where bytes go.
struct Text<'t> {
    to: &'t mut ResultSink,
    failure: Option<Failure>,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.to.write(text.as_bytes()).map_err(|failure| {
            self.failure = Some(failure);
            fmt::Error
        })
    }
}
