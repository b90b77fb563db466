//! Reading inputs and writing results, with the conventions that all verbs share.

use crate::args::{From, OutputArgs, ReadingArgs};
use crate::programs::{Content, Piece};
use crate::writing::{self, Draft};
use crate::{Failure, Outcome, encoding, foreign, load};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use vecasm::diag::{self, Diagnostic};
use vecasm::isa::{self, Isa};

/// The name that stands for standard input and output.
pub(crate) const DASH: &str = "-";
/// Inputs above this are refused: no shader is that large, and a mistaken file should not fill the memory.
const MAX_INPUT: u64 = 256 << 20;

/// One input as read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The name in messages: the path, or `<stdin>`.
    pub(crate) name: Name,
    /// The path, unless it is standard input.
    pub(crate) path: Option<PathBuf>,
    /// The content.
    pub(crate) bytes: Vec<u8>,
    /// Which program of the file it is, if that has several.
    pub(crate) piece: Option<Piece>,
    /// Which program was asked for behind the name of the file.
    pub(crate) asked: Option<u32>,
    /// Whether results keep its ending in their names, since those of another file would be called the same.
    pub(crate) whole_name: bool,
    /// What the content was recognized as.
    pub(crate) recognized: Recognized,
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

impl std::convert::From<String> for Name {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl std::convert::From<&str> for Name {
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

/// What a content was recognized as, which several readers ask one after the other. A copy, which may get another
/// content, does not have it.
#[derive(Debug, Default)]
pub(crate) struct Recognized(OnceLock<Option<isa::Content>>);

impl Clone for Recognized {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Input {
    /// What the content looks like.
    pub(crate) fn content(&self) -> Option<isa::Content> {
        *self.recognized.0.get_or_init(|| isa::sniff(&self.bytes))
    }

    /// An input of which only the name is known.
    pub(crate) fn named(file: &Path) -> Self {
        let (name, path, asked) = if file.as_os_str() == DASH {
            (Name::from("<stdin>"), None, None)
        } else {
            let (path, asked) = numbered(file);
            let number = asked.map_or_else(String::new, |number| format!("#{number}"));
            (format!("{}{number}", path.to_string_lossy()).into(), Some(path.into_owned()), asked)
        };
        Self { asked, ..Self::new(name, path, Vec::new()) }
    }

    /// An input that is one program as far as anybody knows.
    pub(crate) fn new(name: impl Into<Name>, path: Option<PathBuf>, bytes: Vec<u8>) -> Self {
        let (name, recognized) = (name.into(), Recognized::default());
        Self { name, path, bytes, piece: None, asked: None, whole_name: false, recognized }
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
            Some(piece) => with_ending(stem, &piece.number.to_string()),
            None => stem,
        }
    }

    /// Which program of several it is, if that was chosen: its name has the number then.
    pub(crate) fn one_of_several(&self) -> Option<&Piece> {
        let piece = self.piece.as_ref().filter(|piece| piece.of > 1)?;
        self.name.raw().ends_with(&format!("#{}", piece.number)).then_some(piece)
    }

    /// The file name, or one with that extension for standard input.
    pub(crate) fn file_name(&self, extension: &str) -> OsString {
        let name = self.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| format!("stdin.{extension}").into(), OsStr::to_os_string)
    }

    /// The content as text, without the zeros that pad strings of C; for readers that take a number that of all programs
    /// together, if the input is one of several that only its reader can tell apart.
    pub(crate) fn text(&self) -> Outcome<&str> {
        if let Some(Piece { content: Content::Numbered | Content::Read(..), .. }) = &self.piece {
            return Ok(self.whole_text().unwrap_or(""));
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|error| {
            Failure::usage(match (self.content(), foreign::what(self)) {
                (Some(isa::Content::Binary(isa)), _) => {
                    format!("{}: this is bytecode ({}); `vecasm dis` shows it as text", self.name, isa.name())
                }
                (_, Some(what)) => format!("{}: this is {what}", self.name),
                _ => format!("{}: not text: byte {} is not UTF-8", self.name, error.valid_up_to()),
            })
        })?;
        Ok(isa::without_padding(text))
    }
}

impl Input {
    /// The text that findings are about, if it is text.
    pub(crate) fn whole_text(&self) -> Option<&str> {
        match &self.piece {
            Some(piece) => piece.whole().map(|whole| &**whole),
            None => std::str::from_utf8(&self.bytes).ok(),
        }
    }

    /// The number for readers of texts with several programs.
    pub(crate) fn number(&self) -> usize {
        match &self.piece {
            Some(Piece { content: Content::Numbered | Content::Read(..), number, .. }) => *number as usize,
            _ => 0,
        }
    }

    /// Fails if several programs of one file would be written to one place.
    pub(crate) fn fits(&self, place: &Sink) -> Outcome {
        match (self.one_of_several(), place) {
            (Some(piece), Sink::File(_)) => Err(Failure::usage(format!(
                "{}: {} programs give several results: name a folder with -o DIR/, or choose a program with --program N",
                self.name, piece.of
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
    if files.iter().filter(|f| f.as_os_str() == DASH).count() > 1 {
        return Err(Failure::usage("standard input can be read only once"));
    }
    files.iter().map(|file| read(file)).collect()
}

/// The bytes of a list of names.
pub(crate) fn read_list(file: &Path) -> Outcome<Vec<u8>> {
    let Input { name, path, .. } = Input::named(file);
    let bytes = read_bytes(&name, path.as_deref())?;
    Ok(encoding::decode(&bytes).map_or(bytes, |(_, text)| text.into_bytes()))
}

/// Reads one input.
pub(crate) fn read(file: &Path) -> Outcome<Input> {
    let input = Input::named(file);
    let bytes = read_bytes(&input.name, input.path.as_deref())?;
    let bytes = encoding::decode(&bytes).map_or(bytes, |(_, text)| text.into_bytes());
    Ok(Input { bytes: uncoloured(bytes), ..input })
}

/// The file that a name means, and the number of a program in it: `file#2` and `file::2`, where no file is called so.
pub(crate) fn numbered(name: &Path) -> (Cow<'_, Path>, Option<u32>) {
    let split = || {
        let bytes = name.as_os_str().as_encoded_bytes();
        let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (file, number) = bytes.split_at(bytes.len() - digits);
        let file = file.strip_suffix(b"#").or_else(|| file.strip_suffix(b"::"))?;
        let number = std::str::from_utf8(number).ok()?.parse().ok()?;
        let file = PathBuf::from(writing::os_string(file));
        // Most names have no number, and ask nothing of the file system.
        (name.symlink_metadata().is_err() && file.is_file()).then_some((file, number))
    };
    match split() {
        Some((file, number)) => (file.into(), Some(number)),
        None => (name.into(), None),
    }
}

/// A text without the colours of the terminal that it was copied from.
fn uncoloured(bytes: Vec<u8>) -> Vec<u8> {
    const ESCAPE: u8 = 0x1b;
    if !bytes.contains(&ESCAPE) || !isa::is_text(&bytes) {
        return bytes;
    }
    match std::str::from_utf8(&bytes).map(isa::without_escapes) {
        Ok(Cow::Owned(text)) => text.into_bytes(),
        Ok(Cow::Borrowed(_)) | Err(_) => bytes,
    }
}

/// The content of a file, or of standard input.
fn read_bytes(name: &Name, path: Option<&Path>) -> Outcome<Vec<u8>> {
    if path.is_none() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
        note(&format!("vecasm: reading standard input; end it with {end}"));
    }
    let mut bytes = Vec::new();
    let read = match path {
        None => std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes),
        Some(path) => {
            writing::note_input(path);
            std::fs::File::open(path).and_then(|file| {
                // One more, which ends the reading without another look at how much there is.
                let size = file.metadata().map_or(0, |file| file.len().min(MAX_INPUT) + 1);
                bytes.reserve_exact(usize::try_from(size).unwrap_or(0));
                file.take(MAX_INPUT + 1).read_to_end(&mut bytes)
            })
        }
    };
    read.map_err(|error| Failure::usage(format!("{name}: {}", plain(&error))))?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Failure::usage(format!("{name}: larger than {} MiB", MAX_INPUT >> 20)));
    }
    Ok(bytes)
}

/// The words of an I/O error without the number that Rust appends.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_string()
}

/// What an input turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Bytecode, decoded from hexadecimal text if it came as that.
    Bytes(Vec<u8>),
    /// Assembly.
    Text,
    /// A list of numbers that cannot be read, and what is wrong with it.
    Broken(Vec<Diagnostic>),
}

/// What a verb expects where the content does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likely {
    /// Assembly, if it is text at all.
    Text,
    /// Bytecode, unless it is text.
    Bytes,
    /// Assembly if it is text, else bytecode however broken, for a validator to look at.
    Anything,
}

/// Decides what an input is.
pub(crate) fn form(
    input: &Input,
    reading: &ReadingArgs,
    from: Option<From>,
    likely: Likely,
) -> Outcome<Form> {
    let hex = |isa| {
        let text = input.text()?;
        read_hex(text, isa).map(Form::Bytes).map_err(|why| Failure::usage(format!("{}: {why}", input.name)))
    };
    match from {
        Some(From::Bin) => return Ok(Form::Bytes(input.bytes.clone())),
        Some(From::Text) => return input.text().map(|_| Form::Text),
        Some(From::Hex) => return hex(reading.isa),
        Some(From::Base64) => {
            let bytes = read_base64(input.text()?);
            return bytes
                .map(Form::Bytes)
                .ok_or_else(|| Failure::usage(format!("{}: not base64", input.name)));
        }
        None => {}
    }
    let is_binary = |bytes: &[u8]| matches!(isa::sniff(bytes), Some(isa::Content::Binary(_)));
    match input.content() {
        Some(isa::Content::Binary(_)) => return Ok(Form::Bytes(input.bytes.clone())),
        // A header that a compiler writes has the listing in front of the array.
        Some(isa::Content::Text(_)) if input.bytes.contains(&b'{') => {
            let bytes = input.text().ok().and_then(|text| read_array(text, reading.isa));
            return Ok(bytes.filter(|bytes| is_binary(bytes)).map_or(Form::Text, Form::Bytes));
        }
        Some(isa::Content::Text(_)) => return Ok(Form::Text),
        Some(isa::Content::Hex(isa)) => {
            let isa = reading.isa.unwrap_or(isa);
            return match input.text().ok().and_then(|text| isa::list::broken(text, Some(isa))) {
                Some((_, findings)) => Ok(Form::Broken(findings)),
                None => hex(Some(isa)),
            };
        }
        None => {}
    }
    // Binary is guessed only where bytes are not text.
    let printable = isa::is_text(&input.bytes);
    let text = match input.text() {
        Ok(text) => text,
        Err(why) if printable => return Err(why),
        Err(_) => return Ok(Form::Bytes(input.bytes.clone())),
    };
    // A C or Rust array is hexadecimal to us, but not to the library's sniffing, which takes bare digits only.
    let bytes = read_hex(text, reading.isa).ok().filter(|bytes| is_binary(bytes));
    if let Some(bytes) = bytes.or_else(|| read_base64(text).filter(|bytes| is_binary(bytes))) {
        return Ok(Form::Bytes(bytes));
    }
    let broken = likely == Likely::Anything && text.is_empty();
    // A list whose beginning is damaged does not tell whose it is; the ending of the name does.
    if let Some((_, findings)) =
        load::by_flag_or_ending(input, reading).and_then(|isa| isa::list::broken(text, Some(isa)))
    {
        return Ok(Form::Broken(findings));
    }
    if text.contains('\0') || likely == Likely::Bytes && !printable || broken {
        return Ok(Form::Bytes(input.bytes.clone()));
    }
    Ok(Form::Text)
}

/// Reads bytes written as hexadecimal digits in the way of an instruction set, or of the one that recognizes them,
/// else in file order: bare digits with white space and commas, `0x` groups, or the array of a C, Rust or ActionScript
/// source. An array without any `0x` whose elements are separated by commas is decimal, as it is in those languages.
pub(crate) fn read_hex(text: &str, isa: Option<Isa>) -> Result<Vec<u8>, String> {
    let text = without_comments(text);
    let body = array_body(&text).unwrap_or(&text);
    if body.len() < text.len() && !body.contains("0x") && !body.contains("0X") {
        if let Some(bytes) = decimal_list(body) {
            return Ok(bytes);
        }
    }
    let isa = isa.or_else(|| match isa::sniff(body.as_bytes()) {
        Some(isa::Content::Hex(isa)) => Some(isa),
        _ => None,
    });
    // Words in an array of arrays are told apart from what stands around them by who reads words.
    let whole = isa.and_then(|isa| isa.read_hex(&text));
    let bytes = whole.or_else(|| isa?.read_hex(body)).or_else(|| isa::parse_hex(body));
    bytes.ok_or_else(|| {
        if body.trim().is_empty() {
            return "no hexadecimal digits".to_string();
        }
        let odd = body
            .split(|c: char| c.is_ascii_whitespace() || ",;{}".contains(c))
            .find(|group| !group.is_empty() && isa::parse_hex(group).is_none())
            .unwrap_or("");
        let shown: String = odd.chars().take(24).collect();
        format!("`{shown}` is not a whole number of bytes in hexadecimal digits")
    })
}

/// Bytes written as base64, in lines of any length.
pub(crate) fn read_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    STANDARD.decode(digits).ok().filter(|bytes| !bytes.is_empty())
}

/// The bytes of the array in a source of C, if there is one.
fn read_array(text: &str, isa: Option<Isa>) -> Option<Vec<u8>> {
    array_body(&without_comments(text))?;
    read_hex(text, isa).ok()
}

/// What stands between the braces of a C array or the brackets of a Rust or ActionScript one.
pub(crate) fn array_body(text: &str) -> Option<&str> {
    let inside = |from: usize, open: char, close: char| {
        let start = from + text[from..].find(open)? + 1;
        let end = start + text[start..].find(close)?;
        text.get(start..end)
    };
    // The brackets before `=` hold the length.
    let assigned = text.find('=').map_or(0, |n| n + 1);
    inside(assigned, '{', '}').or_else(|| inside(assigned, '[', ']'))
}

fn decimal_list(body: &str) -> Option<Vec<u8>> {
    if !body.contains(',') {
        return None;
    }
    let items = body.split(',').map(str::trim).filter(|item| !item.is_empty());
    // `signed char` has the same bytes below zero.
    items.map(|item| item.parse().ok().or_else(|| item.parse::<i8>().ok().map(|byte| byte as u8))).collect()
}

/// The text with `//` and `/* */` comments replaced by blanks, and without what `#if 0` leaves out.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = String::new();
    let mut rest = text;
    if text.contains("#if 0") {
        let mut left_out = false;
        for line in text.lines() {
            let word = line.trim();
            left_out |= word == "#if 0";
            if !left_out {
                kept.push_str(line);
            }
            kept.push('\n');
            left_out &= word != "#endif";
        }
        rest = &kept;
    }
    while let Some(start) = rest.find('/') {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        let end = if tail.starts_with("//") {
            tail.find('\n').unwrap_or(tail.len())
        } else if tail.starts_with("/*") {
            tail.find("*/").map_or(tail.len(), |n| n + 2)
        } else {
            out.push('/');
            rest = &tail[1..];
            continue;
        };
        out.push(' ');
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
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
    let bytes = match encoding::decode(&old) {
        Some((encoding, _)) => encoding.encode(text),
        None => text.as_bytes().to_vec(),
    };
    write_draft(path, Draft::replace(path), &bytes)
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
    fn hex_is_read_in_every_usual_notation() {
        let bytes = Ok(vec![0xa0, 0x01, 0x00]);
        for text in [
            "a00100",
            "A0 01 00\n",
            "0xa0, 0x1, 0x0",
            "static const unsigned char p[3] = {\n  0xA0, 0x01, // the version\n  0x00 /* and */ };\n",
            "pub const P: [u8; 3] = [0xa0, 0x01, 0x00];",
            "static const unsigned char p[] = { 160, 1, 0, };",
            "const p:Vector.<uint> = new <uint>[0xa0, 0x01, 0x00];",
            "[160, 1, 0]",
            "#if 0\n//\n// Parameters: a = {1}\n    ps_2_0\n#endif\n\nconst BYTE g_main[] =\n{\n    160,   1, 0\n};\n",
        ] {
            assert_eq!(read_hex(text, None), bytes, "{text}");
        }
        let words = "uint32_t K[2][2] = { {0x0, 0x0020001b}, {0x0836106c, 0x2070f800} };";
        assert_eq!(read_hex(words, Some(Isa::Nv2a)).map(|bytes| bytes.len()), Ok(16));
        assert!(read_hex("a0 1", None).is_err());
        assert!(read_hex("mov", None).is_err());
        assert!(read_hex("/* nothing */", None).is_err());
    }

    #[test]
    fn what_is_printed_has_no_commands_but_colours() {
        assert_eq!(harmless("a\u{1b}[1;31mb\u{1b}[0m\n"), "a\u{1b}[1;31mb\u{1b}[0m\n");
        assert_eq!(harmless("a\u{1b}[2Jb\u{1b}]0;x\u{7}\u{1b}"), "a\u{241b}[2Jb\u{241b}]0;x\u{2407}\u{241b}");
        assert_eq!(harmless("{\"a\":\"\u{9b}\u{202e}\"}"), "{\"a\":\"\\u009b\\u202e\"}");
    }

    #[test]
    fn base64_is_read_in_lines() {
        assert_eq!(read_base64("oA\nEA\n"), Some(vec![0xa0, 0x01, 0x00]));
        assert_eq!(read_base64("mov oc, v0"), None);
        assert_eq!(read_base64(""), None);
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
