//! Repro files: everything that shows a fault, in one JSON file: a program and what it is run on, or a scene with its files; the
//! flags that set what programs mean; and what should come out. `docs/repro-format.md` of the repository is the manual.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::repro::Repro;
//!
//! let text = br#"{"vecasm-repro": 1, "flags": ["--numerics", "flash"],
//!     "program": {"name": "root.frag.agal", "text": "sqt oc, v0"},
//!     "input": {"inputs": [{"v0": [-4, 4, 0, 1]}]},
//!     "expected": {"outputs": [{"oc": ["0x40400000", "0x40000000", "0x00000000", "0x3f800000"]}]}}"#;
//! let repro = Repro::parse(text)?;
//! for difference in repro.check()? {
//!     println!("{difference}"); // $.expected.outputs[0].oc[0]: expected "0x40400000", found "0x40000000"
//! #   assert_eq!(difference.path, "$.expected.outputs[0].oc[0]");
//! }
//! # }
//! # Ok::<(), vecasm::repro::ReproError>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `read` | JSON, with places |
//! | `write` | JSON again |
//! | `flags` | flags as words |
//! | `check` | running a program, and comparing |
//! | `picture` | the same of a scene |

mod check;
mod flags;
#[cfg(feature = "render")]
mod picture;
mod read;
mod write;

pub use check::{Case, Difference};
pub use flags::Flags;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The key that tells a repro file; its value is the version of the format.
const KEY: &str = "vecasm-repro";
/// The version that is read and written.
const VERSION: u64 = 1;
/// Most files in one.
const MOST_FILES: usize = 1024;
/// Most bytes of all files in one.
const MOST_BYTES: usize = 256 << 20;
/// How far into a file its key is looked for.
const HEAD: usize = 256;

/// A repro file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Repro {
    /// For people; may be empty.
    pub title: String,
    /// How programs are read, and what they mean where that is open.
    pub flags: Flags,
    /// What the scene names, and what programs include, by [name](is_name).
    pub files: BTreeMap<String, Vec<u8>>,
    /// What it does.
    pub action: Action,
}

/// What a repro file does: run a program or draw a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A program is run.
    Run(Run),
    /// A scene is drawn.
    Draw(Draw),
}

/// A program that is run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// The [name](is_name) of the program, which tells what names of files tell.
    pub name: String,
    /// The program, of any kind that [`open()`](crate::open()) reads.
    pub program: Vec<u8>,
    /// The [run file](crate::exec::runfile), a JSON object.
    pub input: String,
    /// What should come out: a JSON object as [`results_json`](crate::exec::runfile::results_json) writes it, or a part of it.
    pub expected: Option<String>,
}

/// A scene that is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Draw {
    /// The scene file, a JSON object.
    pub scene: String,
    /// Its time in seconds, if not that of the scene.
    pub time: Option<f64>,
    /// The picture that should come out.
    pub expected: Option<Expected>,
}

/// A picture that should come out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// A file in PNG.
    pub png: Vec<u8>,
    /// How far a channel of a pixel may be from it, of 255.
    pub max: u8,
}

impl Repro {
    /// For an action, without flags and files.
    #[must_use]
    pub fn new(action: impl Into<Action>) -> Self {
        Self { title: String::new(), flags: Flags::default(), files: BTreeMap::new(), action: action.into() }
    }

    /// With a title for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// With flags.
    #[must_use]
    pub fn with_flags(self, flags: Flags) -> Self {
        Self { flags, ..self }
    }

    /// With files by their names, besides those that are there.
    #[must_use]
    pub fn with_files(mut self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        self.files.extend(files);
        self
    }
}

impl Run {
    /// Of a program, by its name, and of a run file.
    #[must_use]
    pub fn new(name: impl Into<String>, program: impl Into<Vec<u8>>, input: impl Into<String>) -> Self {
        Self { name: name.into(), program: program.into(), input: input.into(), expected: None }
    }

    /// With results that should come out.
    #[must_use]
    pub fn with_expected(self, expected: impl Into<Option<String>>) -> Self {
        Self { expected: expected.into(), ..self }
    }
}

impl Draw {
    /// Of a scene.
    #[must_use]
    pub fn new(scene: impl Into<String>) -> Self {
        Self { scene: scene.into(), time: None, expected: None }
    }

    /// At a time, in seconds.
    #[must_use]
    pub fn with_time(self, time: impl Into<Option<f64>>) -> Self {
        Self { time: time.into(), ..self }
    }

    /// With a picture that should come out, as PNG, and how far a channel may be from it, of 255.
    #[must_use]
    pub fn with_expected(self, png: impl Into<Vec<u8>>, max: u8) -> Self {
        Self { expected: Some(Expected { png: png.into(), max }), ..self }
    }
}

impl From<Run> for Action {
    fn from(run: Run) -> Self {
        Self::Run(run)
    }
}

impl From<Draw> for Action {
    fn from(draw: Draw) -> Self {
        Self::Draw(draw)
    }
}

/// What is wrong with a repro file, or with what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproError {
    /// Where: `$.files[2].base64`, `$` for the file as a whole; empty if it is no JSON.
    pub path: String,
    /// What.
    pub message: String,
}

impl ReproError {
    fn new(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { path: path.into(), message: alloc::format!("{message}") }
    }
}

impl fmt::Display for ReproError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        placed(f, &self.path, &self.message)
    }
}

impl core::error::Error for ReproError {}

/// Writes a message with its place, if it has one.
fn placed(f: &mut fmt::Formatter<'_>, path: &str, message: &str) -> fmt::Result {
    if path.is_empty() { f.write_str(message) } else { write!(f, "{path}: {message}") }
}

/// Whether bytes are a repro file: a JSON object with its key among the first 256 bytes.
pub fn is(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let head = bytes.get(start..bytes.len().min(start + HEAD)).unwrap_or(&[]);
    let quoted =
        |at: &[u8]| at.strip_prefix(b"\"").and_then(|at| at.strip_suffix(b"\"")) == Some(KEY.as_bytes());
    head.first() == Some(&b'{') && head.windows(KEY.len() + 2).any(quoted)
}

/// Whether a file in a repro file may have this name: relative, with `/` between folders, without `..` and control characters, and
/// without what other systems read as a folder, a drive or a stream (`\`, `:`).
///
/// ```
/// use vecasm::repro::is_name;
///
/// assert!(is_name("lib/fog.h") && !is_name("../fog.h") && !is_name("/fog.h") && !is_name("c:fog.h"));
/// assert!(!is_name("lib/") && !is_name("lib/.") && !is_name("fog\n.h"));
/// ```
pub fn is_name(name: &str) -> bool {
    let mut parts = name.split('/');
    let is_file = |part: Option<&str>| !matches!(part, None | Some("" | "."));
    !name.contains(['\\', ':'])
        && !name.contains(char::is_control)
        && is_file(parts.clone().next())
        && is_file(parts.clone().next_back())
        && parts.all(|part| part != "..")
}
