//! Compiled shaders of Unity 4 and 5 as text, as asset exporters write them.
//!
//! A `SubProgram` of Direct3D 9 has a program as text, in quotes, behind lines that say which names its registers have. Those of
//! Direct3D 11 have bytes as letters, `a` to `p`, whose form is inferred from how they begin (`eefieced`). The layout is that of
//! shaders in reports of exporters.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched};
use crate::cursor::{Cursor, Result, at};
use crate::limits::exceeded;
use crate::{Address, Budget, Container, Format, rules};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::ir::Stage;

/// What a shader says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shader {
    /// Its name.
    pub name: String,
    /// The names of its passes, empty where they have none.
    pub passes: Vec<String>,
    /// The programs, one for each entry.
    pub programs: Vec<SubProgram>,
}

/// A program for one platform and one set of keywords.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SubProgram {
    /// The number of its pass, from 0 through the file.
    pub pass: usize,
    /// `vp` or `fp`.
    pub program: String,
    /// What it is for: `d3d9`.
    pub platform: String,
    /// The keywords that choose it.
    pub keywords: Vec<String>,
    /// What the registers hold.
    pub bindings: Vec<Binding>,
    /// Where its text is, between the quotes.
    pub text: Range<usize>,
}

/// What a line says about registers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// What it is.
    pub kind: BindingKind,
    /// The first register: of constants, or of samplers.
    pub register: u32,
    /// How many registers: 4 for matrices, unless the line says another number.
    pub registers: u32,
    /// The name.
    pub name: String,
}

/// What registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// A matrix, a row each.
    Matrix,
    /// A vector.
    Vector,
    /// A number.
    Float,
    /// A texture.
    Texture,
}

impl BindingKind {
    /// Every one.
    pub const ALL: &'static [Self] = &[Self::Matrix, Self::Vector, Self::Float, Self::Texture];

    /// The word for it: `matrix`, `vector`, `float` or `texture`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix",
            Self::Vector => "vector",
            Self::Float => "float",
            Self::Texture => "texture",
        }
    }

    /// What a word at the start of a line says.
    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "Matrix" => Self::Matrix,
            "Vector" => Self::Vector,
            "Float" => Self::Float,
            "SetTexture" => Self::Texture,
            _ => return None,
        })
    }
}

vecasm_ir::spelled!(BindingKind, "kind of bindings");

/// The most bytes of the name of a platform, and of a pass in an alias.
const MOST: usize = 64;

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    Word(&'a str),
    /// What stands between quotes, and whether nothing stands before it in its line.
    Quoted(&'a str, usize, bool),
    Open,
    Close,
    LineEnd,
}

/// The pieces of a text, without comments.
struct Pieces<'a> {
    text: &'a str,
    at: usize,
    /// Whether the line has had no piece so far.
    fresh: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<Piece<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let first = *rest.as_bytes().first()?;
            let until = |what: &str| rest.find(what);
            let (piece, len) = match first {
                b'\n' => (Piece::LineEnd, 1),
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    continue;
                }
                b'/' if rest.starts_with("//") => {
                    self.at += until("\n").unwrap_or(rest.len());
                    continue;
                }
                b'/' if rest.starts_with("/*") => {
                    self.at += until("*/").map_or(rest.len(), |n| n + 2);
                    continue;
                }
                b'{' => (Piece::Open, 1),
                b'}' => (Piece::Close, 1),
                b'"' => {
                    let Some(n) = rest[1..].find('"') else {
                        let message = "the file ends inside a text in quotes";
                        return Some(Err(rules::SHORT.finding(message).at(at(self.at))));
                    };
                    (Piece::Quoted(&rest[1..=n], self.at + 1, self.fresh), n + 2)
                }
                _ => {
                    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '{' | '}' | '"');
                    let n =
                        rest.char_indices().skip(1).find(|&(_, c)| ends(c)).map_or(rest.len(), |(n, _)| n);
                    (Piece::Word(&rest[..n]), n)
                }
            };
            self.fresh = piece == Piece::LineEnd;
            self.at += len;
            return Some(Ok(piece));
        }
    }
}

/// Whether a text begins as shaders of Unity do.
pub(crate) fn is_shader(bytes: &[u8]) -> bool {
    let start = bytes.get(..512).unwrap_or(bytes);
    let start = match core::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    let text = start.strip_prefix('\u{feff}').unwrap_or(start);
    let pieces = Pieces { text, at: 0, fresh: true };
    let mut pieces = pieces.map_while(Result::ok).filter(|piece| *piece != Piece::LineEnd);
    pieces.next() == Some(Piece::Word("Shader")) && matches!(pieces.next(), Some(Piece::Quoted(..)))
}

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = "the text is no UTF-8, which the format does not have";
        rules::VALUE.finding(message).at(at(error.valid_up_to()))
    })?;
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = Reader::new(bytes, budget);
    for piece in (Pieces { text, at: start, fresh: true }) {
        reader.piece(piece?)?;
    }
    let shader = Shader { name: reader.name, passes: reader.passes, programs: reader.programs };
    let (mut entries, mut letters) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<(usize, &str, &str), usize> = BTreeMap::new();
    for program in &shader.programs {
        let number = numbers.entry((program.pass, &*program.program, &*program.platform)).or_default();
        let (platform, stage) = (Address::encode(&program.platform), Address::encode(&program.program));
        let address = format!("pass{}/{stage}/{platform}[{number}]", program.pass);
        let (kind, part) = match &*program.platform {
            "d3d9" => (Kind::File, Part::File(program.text.clone())),
            name if name.starts_with("d3d11") => {
                let start = letters.len();
                budget.take_unpacked(program.text.len(), program.text.len() / 2)?;
                bytes_of_letters(&text[program.text.clone()], &mut letters);
                let kind = match Format::of(&letters[start..]) {
                    Some(format) => Kind::Container(format),
                    None => Kind::Foreign("code of Direct3D 11".into()),
                };
                (kind, Part::Unpacked { buffer: 0, range: start..letters.len() })
            }
            name => {
                let what = format!("a program for {name}");
                (Kind::Foreign(what.into()), Part::File(program.text.clone()))
            }
        };
        let mut entry = Entry::new(address, kind, part);
        entry.stage = match &*program.program {
            "vp" => Some(Stage::Vertex),
            "fp" => Some(Stage::Fragment),
            "gp" => Some(Stage::Geometry),
            "hp" => Some(Stage::TessControl),
            "dp" => Some(Stage::TessEval),
            _ => None,
        };
        let pass = shader.passes.get(program.pass).filter(|name| (1..=MOST).contains(&name.len()));
        if let Some(name) = pass {
            let name = Address::encode(name);
            entry.aliases.push(format!("{name}/{stage}/{platform}[{number}]"));
        }
        if !program.keywords.is_empty() {
            let words = program.keywords.join("+");
            let words = Address::encode(&words);
            entry.aliases.push(format!("pass{}/{stage}/{platform}[{words}]", program.pass));
        }
        *number += 1;
        entries.push(entry);
    }
    let detail = Detail::Unity(Box::new(shader));
    Ok(Parsed { entries, unpacked: Vec::from([letters]), detail, findings: Vec::new() })
}

/// What is known while the pieces come.
struct Reader<'a> {
    limits: Cursor<'a>,
    name: String,
    passes: Vec<String>,
    /// The last two words or quoted texts, the newer one first.
    last: [&'a str; 2],
    program: String,
    /// How many braces are open.
    depth: usize,
    /// The program that is read, and the depth of its braces.
    open: Option<(SubProgram, usize)>,
    /// The words of a line in it.
    line: Vec<&'a str>,
    in_keywords: bool,
    programs: Vec<SubProgram>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], budget: &Budget) -> Self {
        Self {
            limits: Cursor::new(bytes, budget.limits),
            name: String::new(),
            passes: Vec::new(),
            last: [""; 2],
            program: String::new(),
            depth: 0,
            open: None,
            line: Vec::new(),
            in_keywords: false,
            programs: Vec::new(),
        }
    }

    fn word(&mut self, word: &'a str) {
        self.last = [word, self.last[0]];
    }

    fn piece(&mut self, piece: Piece<'a>) -> Result<()> {
        match piece {
            Piece::Open => {
                self.depth += 1;
                self.opened()?;
                self.last = [""; 2];
            }
            Piece::Close => {
                self.line_end()?;
                if self.in_keywords {
                    self.in_keywords = false;
                } else if let Some((program, _)) = self.open.take_if(|(_, depth)| *depth == self.depth) {
                    if !program.text.is_empty() {
                        self.programs.push(program);
                    }
                }
                self.depth = self.depth.saturating_sub(1);
                self.last = [""; 2];
            }
            Piece::LineEnd => self.line_end()?,
            Piece::Quoted(text, place, fresh) => match &mut self.open {
                Some((program, _)) if self.in_keywords => {
                    if program.keywords.len() < self.limits.limits().elements {
                        program.keywords.push(text.into());
                    }
                }
                Some((program, depth)) if fresh && *depth == self.depth => {
                    program.text = place..place + text.len();
                }
                Some(_) => {}
                None => {
                    match self.last[0] {
                        "Shader" if self.name.is_empty() => self.name = self.name_of(text)?,
                        "Name" => {
                            let name = self.name_of(text)?;
                            if let Some(pass) = self.passes.last_mut() {
                                *pass = name;
                            }
                        }
                        _ => {}
                    }
                    self.word(text);
                }
            },
            Piece::Word(word) => match &self.open {
                Some((_, depth)) if *depth == self.depth => {
                    // Lines about registers are short.
                    if self.line.len() < 8 {
                        self.line.push(word);
                    }
                }
                Some(_) => {}
                None => self.word(word),
            },
        }
        Ok(())
    }

    fn name_of(&self, text: &str) -> Result<String> {
        self.limits.name_length(text.len())?;
        Ok(text.into())
    }

    /// A brace that opens: what it opens the words before say.
    fn opened(&mut self) -> Result<()> {
        if self.open.is_some() {
            self.in_keywords = self.line.last() == Some(&"Keywords");
            self.line.clear();
            return Ok(());
        }
        match self.last {
            ["Pass", _] => self.passes.push(String::new()),
            [program, "Program"] => self.program = program.chars().take(MOST).collect(),
            [platform, "SubProgram"] => {
                let program = SubProgram {
                    pass: self.passes.len().saturating_sub(1),
                    program: self.program.clone(),
                    platform: platform.trim().chars().take(MOST).collect(),
                    ..SubProgram::default()
                };
                self.open = Some((program, self.depth));
            }
            _ => {}
        }
        Ok(())
    }

    /// The end of a line about registers.
    fn line_end(&mut self) -> Result<()> {
        let Some((program, _)) = &mut self.open else { return Ok(()) };
        if let [kind, register, name, more @ ..] = &*self.line {
            let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
            if let (Some(kind), Ok(register), Some(name)) =
                (BindingKind::of_word(kind), register.parse(), name)
            {
                let most = self.limits.limits().elements;
                if program.bindings.len() >= most {
                    return Err(exceeded("another line about registers", most, "elements"));
                }
                let rows = more.first().and_then(|rows| rows.parse().ok()).unwrap_or(4);
                let registers = if kind == BindingKind::Matrix { rows } else { 1 };
                program.bindings.push(Binding { kind, register, registers, name: name.into() });
            }
        }
        self.line.clear();
        Ok(())
    }
}

/// Whether a line is bytes as letters.
fn is_letters(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|byte| matches!(byte, b'a'..=b'p'))
}

/// The bytes that letters are, two each, the high half first; lines that are something else are skipped.
fn bytes_of_letters(text: &str, out: &mut Vec<u8>) {
    let mut high = None;
    for byte in text.lines().map(str::trim).filter(|line| is_letters(line)).flat_map(str::bytes) {
        let half = byte - b'a';
        match high.take() {
            Some(high) => out.push(high << 4 | half),
            None => high = Some(half),
        }
    }
}

/// Where the letters of a text are, from the first to the last, and how many stand in a line.
fn span_of_letters(text: &str) -> (Range<usize>, usize) {
    let (mut span, mut width, mut at) = (None, usize::MAX, 0);
    for line in text.split_inclusive('\n') {
        let letters = line.trim();
        if is_letters(letters) {
            let start = at + line.len() - line.trim_start().len();
            let span = span.get_or_insert(start..start);
            span.end = start + letters.len();
            width = if width == usize::MAX { letters.len() } else { width };
        }
        at += line.len();
    }
    (span.unwrap_or(0..0), width)
}

/// Bytes as letters, in lines of that many.
fn letters_of_bytes(bytes: &[u8], width: usize, end: &str) -> String {
    let mut out = String::new();
    for (n, byte) in bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).enumerate() {
        if n > 0 && n % width == 0 {
            out.push_str(end);
        }
        out.push(char::from(b'a' + byte));
    }
    out
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Unity(shader) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let mut patches = Vec::new();
    for (&n, new) in edits {
        let program = &shader.programs[n];
        let old = core::str::from_utf8(&file[program.text.clone()]).unwrap_or_default();
        let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let text = match &container.entries()[n].part {
            Part::File(_) => quoted(new, old, end).map_err(|finding| finding.at(at(program.text.start)))?,
            _ => {
                let (span, width) = span_of_letters(old);
                [&old[..span.start], &letters_of_bytes(new, width, end), &old[span.end..]].concat()
            }
        };
        patches.push(Patch { range: program.text.clone(), bytes: text.into_bytes() });
    }
    Ok(Edited { bytes: patched(file, patches), findings: Vec::new() })
}

/// A text as it stands between quotes, with the line ends of the old one.
fn quoted(new: &[u8], old: &str, end: &str) -> Result<String> {
    let refuse = |what: &str| {
        let message = format!("a text with {what} does not fit between quotes");
        rules::FIT.finding(message)
    };
    let text = core::str::from_utf8(new).map_err(|_| refuse("bytes that are no UTF-8"))?;
    if text.contains('"') {
        return Err(refuse("quotes in it"));
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.push_str(line.strip_suffix('\r').unwrap_or(line));
                out.push_str(end);
            }
            None => out.push_str(line),
        }
    }
    // The closing quote stands in a line of its own.
    if old.ends_with('\n') && !out.ends_with('\n') {
        out.push_str(end);
    }
    Ok(out)
}
