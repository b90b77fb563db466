//! Shaders of Unity 4 and 5 as text, as exporters of assets write them.
//!
//! A `SubProgram` of Direct3D 9 has its program in quotes, behind lines that say what its registers hold. The layout is that of shaders
//! in reports about exporters; no public definition is known.

use crate::ir::symbols::{Shape, Symbol, TextureSymbol};
use crate::isa::d3d9::registers::MAX_CONSTANTS;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The text of a program, and what is said about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SubProgram {
    /// Its address, then the same by the name of its pass or by its keywords.
    pub(super) names: Vec<String>,
    /// Where its text stands between the quotes.
    pub(super) text: Range<usize>,
    /// The names of its constants.
    pub(super) constants: Vec<Symbol>,
    /// The names of its textures.
    pub(super) textures: Vec<TextureSymbol>,
}

/// The most bytes of a name in an address.
const MAX_NAME: usize = 64;
/// The most keywords and lines about registers of one program.
const MAX_LINES: usize = 4096;

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    /// What stands between quotes, where that is, and whether nothing stands before it in its line.
    Quoted(&'a str, usize, bool),
    Open,
    Close,
    LineEnd,
}

/// The pieces of a text, without comments, up to a quote that nothing closes.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Whether the line has had none so far.
    is_fresh: bool,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.text.get(self.at..)?;
            let (token, len) = match rest.as_bytes().first()? {
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    continue;
                }
                b'/' if rest.starts_with("//") => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                b'/' if rest.starts_with("/*") => {
                    self.at += rest.find("*/").map_or(rest.len(), |n| n + 2);
                    continue;
                }
                b'\n' => (Token::LineEnd, 1),
                b'{' => (Token::Open, 1),
                b'}' => (Token::Close, 1),
                b'"' => {
                    let inside = rest.get(1..)?.split_once('"')?.0;
                    (Token::Quoted(inside, self.at + 1, self.is_fresh), inside.len() + 2)
                }
                _ => {
                    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '{' | '}' | '"');
                    let len = rest.char_indices().skip(1).find(|&(_, c)| ends(c));
                    let len = len.map_or(rest.len(), |(n, _)| n);
                    (Token::Word(rest.get(..len)?), len)
                }
            };
            self.is_fresh = token == Token::LineEnd;
            self.at += len;
            return Some(token);
        }
    }
}

fn tokens(text: &str) -> Tokens<'_> {
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    Tokens { text, at, is_fresh: true }
}

/// Whether a text begins as shaders of Unity do.
fn is_shader(text: &str) -> bool {
    let mut tokens = tokens(text).filter(|token| *token != Token::LineEnd);
    tokens.next() == Some(Token::Word("Shader")) && matches!(tokens.next(), Some(Token::Quoted(..)))
}

/// The programs of Direct3D 9 in a shader of Unity; none in any other text.
pub(super) fn programs(text: &str) -> Vec<SubProgram> {
    if !is_shader(text) {
        return Vec::new();
    }
    let mut reader = Reader::default();
    for token in tokens(text) {
        reader.take(token);
    }
    let mut numbers: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut out = Vec::new();
    for (of, mut program) in reader.programs {
        let stage = encoded(of.stage);
        let number = numbers.entry((of.pass, format!("{stage}/{}", of.platform))).or_default();
        let behind = format!("{stage}/{}[{number}]", encoded(of.platform));
        *number += 1;
        if of.platform != "d3d9" {
            continue;
        }
        program.names.push(format!("pass{}/{behind}", of.pass));
        let named = reader.passes.get(of.pass).filter(|name| (1..=MAX_NAME).contains(&name.len()));
        program.names.extend(named.map(|name| format!("{}/{behind}", encoded(name))));
        if !of.keywords.is_empty() {
            let words = format!("{stage}/{}[{}]", of.platform, encoded(&of.keywords.join("+")));
            program.names.push(format!("pass{}/{words}", of.pass));
            program.names.extend(named.map(|name| format!("{}/{words}", encoded(name))));
        }
        out.push(program);
    }
    out
}

/// A name as a step of an address.
fn encoded(name: &str) -> String {
    #[cfg(feature = "containers")]
    return crate::container::Address::encode(name).into();
    #[cfg(not(feature = "containers"))]
    return name.into();
}

/// What a program is for.
#[derive(Clone, Debug, Default)]
struct Target<'a> {
    /// The number of its pass, from 0 through the file.
    pass: usize,
    /// `vp` or `fp`.
    stage: &'a str,
    platform: &'a str,
    keywords: Vec<&'a str>,
}

/// What is known while the pieces come.
#[derive(Default)]
struct Reader<'a> {
    passes: Vec<&'a str>,
    /// The last two words or quoted texts, the newer one first.
    last: [&'a str; 2],
    stage: &'a str,
    /// How many braces are open.
    depth: usize,
    /// The program that is read, and the depth of its braces.
    open: Option<(Target<'a>, SubProgram, usize)>,
    /// The words of a line in it.
    line: Vec<&'a str>,
    in_keywords: bool,
    programs: Vec<(Target<'a>, SubProgram)>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, token: Token<'a>) {
        match token {
            Token::Open => {
                self.depth += 1;
                self.open();
                self.last = [""; 2];
            }
            Token::Close => {
                self.end_line();
                if self.in_keywords {
                    self.in_keywords = false;
                } else if let Some((of, program, _)) = self.open.take_if(|(_, _, depth)| *depth == self.depth)
                {
                    self.programs.push((of, program));
                }
                self.depth = self.depth.saturating_sub(1);
                self.last = [""; 2];
            }
            Token::LineEnd => self.end_line(),
            Token::Quoted(text, at, is_fresh) => match &mut self.open {
                Some((of, ..)) if self.in_keywords => {
                    if of.keywords.len() < MAX_LINES {
                        of.keywords.push(text);
                    }
                }
                Some((_, program, depth)) if is_fresh && *depth == self.depth => {
                    program.text = at..at + text.len();
                }
                Some(_) => {}
                None => {
                    if self.last[0] == "Name" {
                        if let Some(pass) = self.passes.last_mut() {
                            *pass = text;
                        }
                    }
                    self.last = [text, self.last[0]];
                }
            },
            Token::Word(word) => match &self.open {
                Some((.., depth)) if *depth == self.depth => {
                    // Lines about registers are short.
                    if self.line.len() < 8 {
                        self.line.push(word);
                    }
                }
                Some(_) => {}
                None => self.last = [word, self.last[0]],
            },
        }
    }

    /// Takes a brace that opens: the words in front say what.
    fn open(&mut self) {
        if self.open.is_some() {
            self.in_keywords = self.line.last() == Some(&"Keywords");
            self.line.clear();
            return;
        }
        match self.last {
            ["Pass", _] => self.passes.push(""),
            [stage, "Program"] => self.stage = stage,
            [platform, "SubProgram"] => {
                let of = Target {
                    pass: self.passes.len().saturating_sub(1),
                    stage: self.stage,
                    platform: platform.trim(),
                    ..Target::default()
                };
                self.open = Some((of, SubProgram::default(), self.depth));
            }
            _ => {}
        }
    }

    /// Takes the end of a line, which may be about registers: `Matrix 0 [name] 4`.
    fn end_line(&mut self) {
        let Some((_, program, _)) = &mut self.open else { return };
        if let [kind, register, name, more @ ..] = &*self.line {
            let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
            let register = register.parse().ok().filter(|register| *register < MAX_CONSTANTS);
            if let (Some(name), Some(register)) = (name, register) {
                let rows = more.first().and_then(|rows| rows.parse().ok()).unwrap_or(4).clamp(1, 4);
                program.bind(kind, register, rows, name);
            }
        }
        self.line.clear();
    }
}

impl SubProgram {
    /// Notes what a line says of a register; a matrix has `rows` of them.
    fn bind(&mut self, kind: &str, register: u32, rows: u16, name: &str) {
        let (rows, columns) = match kind {
            "SetTexture" => {
                if self.textures.len() < MAX_LINES {
                    self.textures.push(TextureSymbol { name: name.into(), slot: register });
                }
                return;
            }
            "Matrix" => (rows, 4),
            "Vector" => (1, 4),
            "Float" => (1, 1),
            _ => return,
        };
        if self.constants.len() < MAX_LINES {
            // Each register holds a row, which a vector is multiplied by from the right.
            let shape = Shape::Matrix { rows, columns, by_columns: false };
            let (name, array) = (name.into(), "c".into());
            let symbol = Symbol { name, array, first: register, count: rows.into(), single: false, shape };
            self.constants.push(symbol);
        }
    }
}
