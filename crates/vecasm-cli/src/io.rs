//! Reading inputs and writing results, with the conventions that all verbs share.

use crate::args::{OutputArgs, ReadingArgs};
use crate::writing::{self, Draft};
use crate::{Failure, Outcome};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use vecasm::diag;
use vecasm::open::{self, AssumedNotation, Form, Notation, Piece, Unknown};

/// The name that stands for standard input and output.
pub(crate) const DASH: &str = "-";
/// What standard input is called in messages.
const STDIN: &str = "<stdin>";
/// Inputs above this are refused: no shader is that large, and a mistaken file should not fill the memory.
const MAX_INPUT: u64 = 256 << 20;
/// The same, as `--limit file=N` says.
static LARGEST: AtomicU64 = AtomicU64::new(MAX_INPUT);

/// Has inputs of so many bytes read.
pub(crate) fn set_largest(bytes: usize) {
    LARGEST.store(bytes as u64, Ordering::Relaxed);
}

/// One input as read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The name in messages: the path, or `<stdin>`.
    pub(crate) name: Name,
    /// The path, unless it is standard input.
    pub(crate) path: Option<PathBuf>,
    /// Which program was asked for behind the name of the file.
    pub(crate) asked: Option<ProgramSelector>,
    /// Whether results keep its ending in their names, since those of another file would be called the same.
    pub(crate) whole_name: bool,
    /// The content.
    content: open::Input,
}

impl Deref for Input {
    type Target = open::Input;

    fn deref(&self) -> &open::Input {
        &self.content
    }
}

/// What stands behind the name of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProgramSelector {
    /// The number of a program.
    Number(u32),
    /// An address in a container.
    Address(String),
}

impl std::fmt::Display for ProgramSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "#{number}"),
            Self::Address(address) => write!(f, "::{address}"),
        }
    }
}

/// The name of an input or another file. In texts for people it is in one line and has pictures of control characters:
/// a name cannot command a terminal, nor end a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name(String);

impl Name {
    /// The name as it is, for formats that escape it, and for comparing.
    pub(crate) fn raw(&self) -> &str {
        &self.0
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&diag::printable_line(&self.0))
    }
}

/// The name of a file, for messages.
pub(crate) fn shown(path: impl AsRef<Path>) -> Name {
    Name(path.as_ref().to_string_lossy().into_owned())
}

impl Input {
    /// An input of which only the name is known.
    pub(crate) fn named(file: &Path) -> Self {
        let (name, path, asked) = if file.as_os_str() == DASH {
            (Name::from(STDIN), None, None)
        } else {
            let (path, asked) = addressed(file);
            if let Some(asked) = asked.clone().filter(|_| is_stdin(&path)) {
                let name = format!("{STDIN}{asked}");
                return Self { asked: Some(asked), ..Self::new(name, None, Vec::new()) };
            }
            let behind = asked.as_ref().map_or_else(String::new, ProgramSelector::to_string);
            (format!("{}{behind}", path.to_string_lossy()).into(), Some(path.into_owned()), asked)
        };
        Self { asked, ..Self::new(name, path, Vec::new()) }
    }

    /// An input that is one program as far as anybody knows.
    pub(crate) fn new(name: impl Into<Name>, path: Option<PathBuf>, bytes: Vec<u8>) -> Self {
        let name = name.into();
        let file = path.as_deref().map(Path::to_string_lossy);
        let content = open::Input::new(name.raw(), file.as_deref(), bytes);
        Self { name, path, asked: None, whole_name: false, content }
    }

    /// The same with another content.
    pub(crate) fn with_bytes(self, bytes: Vec<u8>) -> Self {
        Self { content: self.content.with_bytes(bytes), ..self }
    }

    /// The same with another name.
    pub(crate) fn with_name(self, name: Name) -> Self {
        Self { content: self.content.with_name(name.raw()), name, ..self }
    }

    /// One program of this input.
    pub(crate) fn of_piece(&self, piece: open::Input) -> Self {
        let (name, path) = (piece.name().into(), self.path.clone());
        Self { name, path, asked: None, whole_name: self.whole_name, content: piece }
    }

    /// The file name without folders and extensions, for the names of results.
    pub(crate) fn stem(&self) -> OsString {
        let name = self.path.as_deref().and_then(Path::file_name).unwrap_or_default();
        let stem = match name.to_str().map(|n| n.trim_start_matches('.')) {
            Some("") => OsString::from("stdin"),
            Some(name) => name.split_once('.').map_or(name, |(stem, _)| stem).into(),
            // Not in Unicode: without one ending after the other.
            None => {
                let mut stem = Path::new(name);
                while let (Some(shorter), Some(_)) = (stem.file_stem(), stem.extension()) {
                    stem = Path::new(shorter);
                }
                stem.into()
            }
        };
        self.with_number(stem)
    }

    /// The same as a word of a text.
    pub(crate) fn stem_text(&self) -> String {
        self.stem().to_string_lossy().into_owned()
    }

    /// The file name without its last extension: `a.vert.agal` gives `a.vert`; the whole of it where another file has
    /// the same one.
    pub(crate) fn long_stem(&self) -> OsString {
        let part = if self.whole_name { Path::file_name } else { Path::file_stem };
        let stem = self.path.as_deref().and_then(part);
        self.with_number(stem.map_or_else(|| "stdin".into(), OsStr::to_os_string))
    }

    /// A stem with the number of the program, if the name of the input has that: `dump#2` gives `dump.2`.
    fn with_number(&self, stem: OsString) -> OsString {
        match self.one_of_several() {
            Some(piece) => match piece.suffix().strip_prefix("::") {
                Some(address) => with_ending(stem, &address.replace("::", ".").replace('/', ".")),
                None => with_ending(stem, &piece.number().to_string()),
            },
            None => stem,
        }
    }

    /// Which program of several it is, if that was chosen: its name has the number then.
    pub(crate) fn one_of_several(&self) -> Option<&Piece> {
        let piece = self.piece()?;
        (piece.of() > 1 && self.name.raw().ends_with(&piece.suffix())).then_some(piece)
    }

    /// The file name, or one with that extension for standard input.
    pub(crate) fn file_name(&self, extension: &str) -> OsString {
        let name = self.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| format!("stdin.{extension}").into(), OsStr::to_os_string)
    }

    /// The content as text: see [`open::Input::text`].
    pub(crate) fn text(&self) -> Outcome<&str> {
        self.content.text().map_err(|unknown| self.failure(&unknown))
    }

    /// That it is no program.
    pub(crate) fn failure(&self, unknown: &Unknown) -> Failure {
        let advice = match unknown {
            Unknown::Isa if self.content.text().is_ok() => "; name it with --isa",
            Unknown::Isa => "; name it with --isa, or look with `vecasm scan` for programs among other bytes",
            _ => "",
        };
        Failure::usage(format!("{}: {unknown}{advice}", self.name))
    }

    /// The same, chosen by what stands behind the name of the file.
    pub(crate) fn chosen_by(self, asked: Option<ProgramSelector>) -> Self {
        Self { asked, ..self }
    }

    /// Fails if several programs of one file would be written to one place.
    pub(crate) fn fits(&self, place: &Sink) -> Outcome {
        match (self.one_of_several().filter(|_| self.asked.is_none()), place) {
            (Some(piece), Sink::File(_)) => Err(Failure::usage(format!(
                "{}: {} programs give several results: name a folder with -o DIR/, or choose a program with --program N",
                self.name,
                piece.of()
            ))),
            _ => Ok(()),
        }
    }
}

/// The name of a file with that ending behind it.
pub(crate) fn with_ending(name: impl Into<OsString>, ending: &str) -> OsString {
    let mut name = name.into();
    name.push(".");
    name.push(ending);
    name
}

/// Reads all inputs; none at all means standard input.
pub(crate) fn read_all(files: &[PathBuf]) -> Outcome<Vec<Input>> {
    let stdin = [PathBuf::from(DASH)];
    let files = if files.is_empty() { &stdin } else { files };
    if files.iter().filter(|file| is_standard_input(file)).count() > 1 {
        return Err(Failure::usage("standard input can be read only once"));
    }
    files.iter().map(|file| read(file)).collect()
}

/// Reads several inputs, of which one may be standard input.
pub(crate) fn read_each<const N: usize>(files: [&Path; N]) -> Outcome<[Input; N]> {
    let files = files.map(PathBuf::from);
    read_all(&files)?.try_into().map_err(|_| Failure::Internal)
}

/// The bytes of a list of names.
pub(crate) fn read_list(file: &Path) -> Outcome<Vec<u8>> {
    let Input { name, path, .. } = Input::named(file);
    let bytes = read_bytes(&name, path.as_deref())?;
    Ok(open::plain(bytes))
}

/// Reads one input.
pub(crate) fn read(file: &Path) -> Outcome<Input> {
    let input = Input::named(file);
    let bytes = read_bytes(&input.name, input.path.as_deref())?;
    Ok(input.with_bytes(open::plain(bytes)))
}

/// Reads one input, and its bytes as they are in the file.
pub(crate) fn read_with_bytes(file: &Path) -> Outcome<(Input, Vec<u8>)> {
    let input = Input::named(file);
    let bytes = read_bytes(&input.name, input.path.as_deref())?;
    Ok((input.with_bytes(open::plain(bytes.clone())), bytes))
}

/// The name of an input, and its bytes as they are: in whatever encoding a text among them may be, and without a look at what they
/// are, which takes long where a file is large.
pub(crate) fn read_as_it_is(file: &Path) -> Outcome<(Input, Vec<u8>)> {
    let input = Input::named(file);
    let bytes = read_bytes(&input.name, input.path.as_deref())?;
    Ok((input, bytes))
}

/// Whether a name means standard input, or a program in it.
pub(crate) fn is_standard_input(name: &Path) -> bool {
    name.as_os_str() == DASH || is_stdin(&addressed(name).0)
}

/// Whether that is standard input, in front of an address: no file is called so.
fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN && path.symlink_metadata().is_err()
}

/// The words of a command line, in which `-::ADDRESS` and `-#2`, programs in standard input, cannot be taken for flags.
pub(crate) fn words_of(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    words.map(|word| {
        let bytes = word.as_encoded_bytes();
        let behind =
            bytes.strip_prefix(b"-").filter(|rest| rest.starts_with(b"::") || rest.starts_with(b"#"));
        match behind {
            Some(behind) => writing::os_string(&[STDIN.as_bytes(), behind].concat()),
            None => word,
        }
    })
}

/// The file that a name means, and the program in it: `file#2`, `file::2` and `file::address`, where no file is called so. Of
/// several files that the name could begin with it is the one with the longest name.
pub(crate) fn addressed(name: &Path) -> (Cow<'_, Path>, Option<ProgramSelector>) {
    let bytes = name.as_os_str().as_encoded_bytes();
    let number = |digits: &[u8]| {
        let digits =
            std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
        digits.parse().ok().map(ProgramSelector::Number)
    };
    let split = |at: usize| {
        let (file, behind) = bytes.split_at(at);
        let asked = match behind.strip_prefix(b"::") {
            // Nothing behind it is the file.
            Some(b"") => None,
            Some(address) => Some(number(address).or_else(|| {
                let address = std::str::from_utf8(address).ok()?;
                Some(ProgramSelector::Address(address.into()))
            })?),
            None => Some(number(behind.strip_prefix(b"#")?)?),
        };
        let file = PathBuf::from(writing::os_string(file));
        let is_there = file.is_file() || is_stdin(&file);
        is_there.then_some((file, asked))
    };
    // Most names have nothing behind them, and ask nothing of the file system.
    let mut places =
        (1..bytes.len()).rev().filter(|&at| bytes[at] == b'#' || bytes[at..].starts_with(b"::")).peekable();
    if places.peek().is_none() || name.symlink_metadata().is_ok() {
        return (name.into(), None);
    }
    match places.find_map(split) {
        Some((file, asked)) => (file.into(), asked),
        None => (name.into(), None),
    }
}

/// What standard input was, where it is read again.
static KEPT: OnceLock<Vec<u8>> = OnceLock::new();

/// Keeps what was read from standard input, for the next who reads it.
pub(crate) fn keep(bytes: &[u8]) {
    KEPT.get_or_init(|| bytes.to_vec());
}

/// What was kept of standard input.
pub(crate) fn kept() -> Option<&'static [u8]> {
    KEPT.get().map(Vec::as_slice)
}

/// The content of a file, or of standard input.
fn read_bytes(name: &Name, path: Option<&Path>) -> Outcome<Vec<u8>> {
    if let Some(kept) = kept().filter(|_| path.is_none()) {
        return Ok(kept.to_vec());
    }
    if path.is_none() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
        note(&format!("vecasm: reading standard input; end it with {end}"));
    }
    let mut bytes = Vec::new();
    let largest = LARGEST.load(Ordering::Relaxed);
    let read = match path {
        None => std::io::stdin().lock().take(largest + 1).read_to_end(&mut bytes),
        Some(path) => {
            writing::note_input(path);
            std::fs::File::open(path).and_then(|file| {
                // One more, which ends the reading without another look at how much there is.
                let size = file.metadata().map_or(0, |file| file.len().min(largest) + 1);
                bytes.reserve_exact(usize::try_from(size).unwrap_or(0));
                file.take(largest + 1).read_to_end(&mut bytes)
            })
        }
    };
    read.map_err(|error| Failure::usage(format!("{name}: {}", plain(&error))))?;
    if bytes.len() as u64 > largest {
        let most = if largest % (1 << 20) == 0 {
            format!("{} MiB", largest >> 20)
        } else {
            format!("{largest} bytes")
        };
        return Err(Failure::usage(format!(
            "{name}: larger than {most}; `--limit file=N` says what is read"
        )));
    }
    Ok(bytes)
}

/// The words of an I/O error without the number that Rust appends.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_string()
}

/// Decides what an input is.
pub(crate) fn form<'a>(
    input: &'a Input,
    reading: &ReadingArgs,
    from: Option<Notation>,
    likely: AssumedNotation,
) -> Outcome<Form<'a>> {
    let options = reading.options(likely).with_notation(from);
    input.form(&options).map_err(|unknown| input.failure(&unknown))
}

/// A result to be written.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    /// Text; ends with a newline.
    Text(String),
    /// Anything else; never written to a terminal.
    Binary(Vec<u8>),
}

impl Payload {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

/// Where results go.
#[derive(Clone, Debug)]
pub(crate) enum Sink {
    Stdout,
    File(PathBuf),
    Folder(PathBuf),
}

impl Sink {
    /// Reads `-o`: a path that ends with a slash, or an existing folder, is a folder.
    pub(crate) fn new(args: &OutputArgs) -> Self {
        let Some(path) = &args.output else {
            return Self::Stdout;
        };
        if path.as_os_str() == DASH {
            return Self::Stdout;
        }
        let slash = path.to_str().is_some_and(|p| p.ends_with(['/', std::path::MAIN_SEPARATOR]));
        if slash || path.is_dir() { Self::Folder(path.clone()) } else { Self::File(path.clone()) }
    }

    /// Whether results go to a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout) && std::io::stdout().is_terminal()
    }

    /// Writes one result; `name` is its file name in a folder.
    pub(crate) fn write(&self, name: impl AsRef<Path>, payload: &Payload) -> Outcome {
        match self {
            Self::Stdout => stdout(payload),
            Self::File(path) => write_file(path, payload.bytes()),
            Self::Folder(folder) => {
                create_folder(folder)?;
                write_file(&folder.join(name.as_ref()), payload.bytes())
            }
        }
    }
}

/// Creates a folder and those above it.
pub(crate) fn create_folder(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::usage(format!("{}: {}", shown(folder), plain(&error))))
}

/// Writes a file, whole or not at all; an input is not written over.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Outcome {
    write_draft(path, Draft::create(path), bytes)
}

/// Rewrites the text of a file that was read, in the encoding that it has.
pub(crate) fn rewrite_text(path: &Path, text: &str) -> Outcome {
    let old = std::fs::read(path).map_err(|error| failed(path, &error))?;
    write_draft(path, Draft::replace(path), &open::encode_like(&old, text))
}

fn write_draft(path: &Path, draft: std::io::Result<Draft>, bytes: &[u8]) -> Outcome {
    let written = draft.and_then(|mut draft| {
        draft.write_all(bytes)?;
        draft.commit()
    });
    written.map_err(|error| failed(path, &error))
}

/// What failed with a file.
pub(crate) fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("{}: {}", shown(path), plain(error)))
}

/// Whether standard output is closed: its reader has gone.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the reader has closed standard output, so that nothing that is written arrives.
pub(crate) fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Writes to standard output. A reader that has closed it is no failure: verbs go on to judge, and say the same in their
/// exit status.
fn put(bytes: &[u8]) -> Outcome {
    if is_closed() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::from) {
        Err(Failure::BrokenPipe) => {
            CLOSED.store(true, Ordering::Relaxed);
            Ok(())
        }
        done => done,
    }
}

/// Writes to standard output.
pub(crate) fn stdout(payload: &Payload) -> Outcome {
    let terminal = std::io::stdout().is_terminal();
    match payload {
        Payload::Binary(_) if terminal => {
            Err(Failure::usage("will not write binary to a terminal: use -o FILE, a pipe, or --to hex"))
        }
        Payload::Text(text) if terminal => print(text),
        payload => put(payload.bytes()),
    }
}

/// Writes text to standard output, as a terminal may be sent it.
pub(crate) fn print(text: &str) -> Outcome {
    put(harmless(text).as_bytes())
}

/// A text without commands for a terminal but colours. JSON says the characters in its own way.
fn harmless(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    let kept = |c: char| matches!(c, '\n' | '\t') || diag::printable_char(c) == c;
    if text.chars().all(kept) {
        return Cow::Borrowed(text);
    }
    let json = text.starts_with(['{', '[']);
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let colour = || {
            let end = text[at + 1..].strip_prefix('[').and_then(|rest| {
                rest.find(|c: char| !(c.is_ascii_digit() || c == ';'))
                    .and_then(|end| rest[end..].chars().next())
            });
            end == Some('m')
        };
        if kept(c) || c == ESCAPE && colour() {
            out.push(c);
        } else if json {
            // All of them are below U+10000.
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(diag::printable_char(c));
        }
    }
    out.into()
}

/// Writes a line for people to standard error. Nobody is left to tell when that fails, as it does where the reader closed
/// the pipe.
pub(crate) fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", diag::printable_line(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_has_no_commands_but_colours() {
        assert_eq!(harmless("a\u{1b}[1;31mb\u{1b}[0m\n"), "a\u{1b}[1;31mb\u{1b}[0m\n");
        assert_eq!(harmless("a\u{1b}[2Jb\u{1b}]0;x\u{7}\u{1b}"), "a\u{241b}[2Jb\u{241b}]0;x\u{2407}\u{241b}");
        assert_eq!(harmless("{\"a\":\"\u{9b}\u{202e}\"}"), "{\"a\":\"\\u009b\\u202e\"}");
    }

    #[test]
    fn stems_drop_folders_and_extensions() {
        let input = |path: &str| Input::named(Path::new(path));
        assert_eq!(input("a/b.vert.agal").stem(), "b");
        assert_eq!(input("a/.b.agal").stem(), "b");
        assert_eq!(input("a/b.vert.agal").long_stem(), "b.vert");
        assert_eq!(Input::named(Path::new(DASH)).stem(), "stdin");
    }
}
