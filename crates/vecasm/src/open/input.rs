//! The instruction set and the notation of bytes.

use super::notation::{arrays, read_array, read_base64, read_hex};
use super::pieces::{Content as PieceContent, Piece};
use super::{AssumedNotation, Notation, OpenOptions, Unknown, foreign};
use crate::diag::{Diagnostic, Renderer, Source};
use crate::ir::Stage;
use crate::isa::{self, AnyProgram, Content, Isa};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes with a name: one program or several, in any notation.
#[derive(Clone, Debug)]
pub struct Input {
    name: String,
    file: Option<String>,
    bytes: Vec<u8>,
    content: Option<Content>,
    pub(super) piece: Option<Piece>,
}

/// The notation of an input, and its bytes where it is bytecode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form<'a> {
    /// Bytecode, read from its digits if it came as those.
    Bytes(Cow<'a, [u8]>),
    /// Assembly.
    Text,
    /// A list of numbers that cannot be read, and what is wrong with it.
    Broken(Vec<Diagnostic>),
}

impl Input {
    /// Bytes that are one program as far as anybody knows. `name` is what findings call it, and `file` the name of the file,
    /// if it is one: its ending and words tell what the bytes do not. Texts are in UTF-8: see [`plain`](super::plain).
    pub fn new(name: impl Into<String>, file: Option<&str>, bytes: Vec<u8>) -> Self {
        let content = sniff(&bytes);
        Self { name: name.into(), file: file.map(String::from), bytes, content, piece: None }
    }

    /// Part of an input.
    pub(super) fn of_piece(&self, piece: Piece, bytes: Vec<u8>) -> Self {
        let name = alloc::format!("{}#{}", self.file.as_deref().unwrap_or(&self.name), piece.number);
        Self { piece: Some(piece), ..Self::new(name, self.file.as_deref(), bytes) }
    }

    /// The same as a piece.
    #[cfg(feature = "containers")]
    pub(super) fn with_piece(self, piece: Piece) -> Self {
        Self { piece: Some(piece), ..self }
    }

    /// The same with another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Gives it another name.
    pub(super) fn rename(&mut self, name: String) {
        self.name = name;
    }

    /// The same with another content, of which it is no piece unless it was a part.
    #[must_use]
    pub fn with_bytes(self, bytes: Vec<u8>) -> Self {
        let content = sniff(&bytes);
        Self { bytes, content, ..self }
    }

    /// The name in findings.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The content: of a part of a text its own.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Which program of several it is.
    pub fn piece(&self) -> Option<&Piece> {
        self.piece.as_ref()
    }

    /// The instruction set and notation that the content alone tells; `None` if it tells none.
    pub fn content(&self) -> Option<Content> {
        self.content
    }

    /// The name of the file, if it is one.
    pub(super) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The ending of the name of the file.
    fn ending(&self) -> Option<&str> {
        let name = self.file.as_deref()?.rsplit(['/', '\\']).next()?;
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending)
    }

    /// Whether the file is called `.json`.
    #[cfg(feature = "files")]
    pub(super) fn is_called_json(&self) -> bool {
        self.ending().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
    }

    /// The content as text, without the zeros that pad strings of C. Where the programs of a text can be told apart by their
    /// reader only, it is the text of all of them.
    ///
    /// # Errors
    ///
    /// The kind of content that it is instead.
    pub fn text(&self) -> Result<&str, Unknown> {
        if self.piece.as_ref().is_some_and(|piece| !piece.is_part()) {
            return Ok(self.whole_text().unwrap_or(""));
        }
        let text =
            core::str::from_utf8(&self.bytes).map_err(|error| match (self.content, self.foreign()) {
                (Some(Content::Binary(isa)), _) => Unknown::Binary(isa),
                (_, Some(what)) => Unknown::Foreign(what),
                _ => Unknown::NotText(error.valid_up_to()),
            })?;
        Ok(isa::without_padding(text))
    }

    /// The text that findings are about, if it is text.
    pub fn whole_text(&self) -> Option<&str> {
        match &self.piece {
            Some(piece) if !piece.is_own() => piece.whole_text().map(|whole| &**whole),
            _ => core::str::from_utf8(&self.bytes).ok(),
        }
    }

    /// How findings refer to it.
    pub fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: self.whole_text() }
    }

    /// Shows findings about it.
    pub fn renderer(&self) -> Renderer<'_> {
        match (self.whole_text(), self.piece.as_ref().and_then(Piece::lines)) {
            (Some(text), Some(lines)) => Renderer::with_lines(self.source(), lines.lines(text)),
            _ => Renderer::new(self.source()),
        }
    }

    /// The number for readers of texts with several programs; 0 where it is the only one.
    pub fn number(&self) -> usize {
        self.piece.as_ref().filter(|piece| !piece.is_part()).map_or(0, |piece| piece.number as usize)
    }

    /// The kind of file, if it is one that holds no program, and what to do with it: `a picture (PNG): …`.
    pub fn foreign(&self) -> Option<Cow<'static, str>> {
        foreign::describe(self)
    }

    /// The kind of file, if it is one that holds no program: `a picture (PNG)`.
    pub fn foreign_kind(&self) -> Option<String> {
        self.foreign().map(|what| what.split(": ").next().unwrap_or(&what).into())
    }

    /// Whether the content is bytecode, its digits, or assembly.
    ///
    /// # Errors
    ///
    /// Why it is not what `options` say that it is.
    pub fn form(&self, options: &OpenOptions<'_>) -> Result<Form<'_>, Unknown> {
        let as_they_are = || Form::Bytes(Cow::Borrowed(&*self.bytes));
        let decoded = |bytes: Vec<u8>| Form::Bytes(Cow::Owned(bytes));
        let hex = |isa| read_hex(self.text()?, isa).map(decoded).map_err(Unknown::NotHex);
        match options.notation {
            Some(Notation::Binary) => return Ok(as_they_are()),
            Some(Notation::Text) => return self.text().map(|_| Form::Text),
            Some(Notation::Hex) => return hex(options.isa),
            Some(Notation::Base64) => {
                return read_base64(self.text()?).map(decoded).ok_or(Unknown::NotBase64);
            }
            None => {}
        }
        let is_binary = |bytes: &Vec<u8>| matches!(isa::sniff(bytes), Some(Content::Binary(_)));
        match self.content {
            Some(Content::Binary(_)) => return Ok(as_they_are()),
            // A header that a compiler writes has the listing in front of the array.
            Some(Content::Text(_)) if self.bytes.contains(&b'{') => {
                let bytes = self.text().ok().and_then(|text| read_array(text, options.isa));
                return Ok(bytes.filter(is_binary).map_or(Form::Text, decoded));
            }
            Some(Content::Text(_)) => return Ok(Form::Text),
            Some(Content::Hex(isa)) => {
                let isa = options.isa.unwrap_or(isa);
                return match self.text().ok().and_then(|text| isa::list::broken(text, Some(isa))) {
                    Some((_, findings)) => Ok(Form::Broken(findings)),
                    None => hex(Some(isa)),
                };
            }
            None => {}
        }
        // Binary is guessed only where bytes are not text.
        let printable = isa::is_text(&self.bytes);
        let text = match self.text() {
            Ok(text) => text,
            Err(why) if printable => return Err(why),
            Err(_) => return Ok(as_they_are()),
        };
        // An array of a source is hexadecimal here, but not to `sniff`, which takes bare digits only.
        let bytes = read_hex(text, options.isa).ok().filter(is_binary);
        if let Some(bytes) = bytes.or_else(|| read_base64(text).filter(is_binary)) {
            return Ok(decoded(bytes));
        }
        let broken = options.likely == AssumedNotation::Anything && text.is_empty();
        // A list whose beginning is damaged does not tell whose it is; the ending of the name does.
        if let Some((_, findings)) =
            options.isa.or_else(|| self.isa_of_ending()).and_then(|isa| isa::list::broken(text, Some(isa)))
        {
            return Ok(Form::Broken(findings));
        }
        if text.contains('\0') || options.likely == AssumedNotation::Bytes && !printable || broken {
            return Ok(as_they_are());
        }
        Ok(Form::Text)
    }

    /// Whether it is a program, or a container of some, as far as its content, or the ending of its name, tells. One that only its
    /// name calls so may be empty, or a picture, and a container may hold none: `contained` looks.
    pub fn is_program(&self) -> bool {
        #[cfg(feature = "containers")]
        if self.container(&OpenOptions::default()).is_some() {
            return true;
        }
        self.isa().is_some() || self.ending().and_then(Isa::of_ending).is_some()
    }

    /// The instruction set that the content tells, else the ending of the name.
    pub fn isa(&self) -> Option<Isa> {
        match self.content {
            Some(Content::Binary(isa) | Content::Text(isa) | Content::Hex(isa)) => Some(isa),
            None => {
                let text = self.text().ok();
                let binary = |bytes: Vec<u8>| match isa::sniff(&bytes) {
                    Some(Content::Binary(isa)) => Some(isa),
                    _ => None,
                };
                let array = || read_hex(text?, None).ok().and_then(binary);
                let digits = || read_base64(text?).and_then(binary);
                // One array among others that hold something else.
                let among = || {
                    let text = text.filter(|text| text.contains('{') || text.contains('['))?;
                    let place = arrays(text, None).into_iter().next()?;
                    read_hex(text.get(place.start as usize..place.end as usize)?, None).ok().and_then(binary)
                };
                array().or_else(digits).or_else(among).or_else(|| self.isa_of_ending())
            }
        }
    }

    /// The instruction set that the ending of the name tells, if the content can be of it.
    fn isa_of_ending(&self) -> Option<Isa> {
        let isa = self.ending().and_then(Isa::of_ending)?;
        // The text of a piece may be in the whole only.
        if self.piece.is_some() {
            return Some(isa);
        }
        let readable = || isa::is_text(&self.bytes) || AnyProgram::decode(isa, &self.bytes).is_ok();
        (self.foreign().is_none() && readable()).then_some(isa)
    }

    /// The instruction set of an input that its content does not tell: by the ending of the name, else the only one that
    /// `options` leave.
    ///
    /// # Errors
    ///
    /// [`Unknown::Foreign`] if the input is a file of another kind, else [`Unknown::Isa`].
    pub(super) fn likely_isa(&self, options: &OpenOptions<'_>) -> Result<Isa, Unknown> {
        let fits = |isa: &&Isa| {
            let (first, last) = isa.versions();
            options.version.is_none_or(|version| (first..=last).contains(&version))
                && options.stage.is_none_or(|stage| isa.stages().contains(&stage))
        };
        let mut left = Isa::ALL.iter().filter(fits);
        let only = || match (left.next(), left.next()) {
            (Some(isa), None) if self.piece.is_some() || self.foreign().is_none() => Some(*isa),
            _ => None,
        };
        let isa = self.isa_of_ending().or_else(only);
        isa.ok_or_else(|| self.foreign().map_or(Unknown::Isa, Unknown::Foreign))
    }

    /// The instruction set of a text of this input.
    ///
    /// # Errors
    ///
    /// Nothing tells it.
    pub fn isa_of_text(&self, text: &str, options: &OpenOptions<'_>) -> Result<Isa, Unknown> {
        // Where the text is all of the input, that is known already.
        let whole = self.bytes == text.as_bytes();
        match (options.isa, if whole { self.content } else { isa::sniff(text.as_bytes()) }) {
            (Some(isa), _) | (None, Some(Content::Text(isa))) => Ok(isa),
            _ => self.likely_isa(options),
        }
    }

    /// The stage that the name of the file tells.
    pub fn stage_of_name(&self) -> Option<Stage> {
        self.file.as_deref().and_then(stage_of_name)
    }

    /// Whether a piece is all in its bytes, or the reader takes the program of its number out of the whole.
    pub(super) fn is_numbered(&self) -> bool {
        self.piece.as_ref().is_some_and(|piece| matches!(piece.content, PieceContent::Numbered))
    }
}

/// The instruction set and notation that bytes tell. What is a container is none: an instruction set may take it for its own.
fn sniff(bytes: &[u8]) -> Option<Content> {
    // An input may have its name before its bytes.
    if bytes.is_empty() {
        return None;
    }
    #[cfg(feature = "containers")]
    if crate::container::Format::of(bytes).is_some() {
        return None;
    }
    isa::sniff(bytes)
}

/// The stage that the name of a file tells: `sky.vert.agal`, `sky_fs.txt`, `fragment.agal`.
pub fn stage_of_name(path: &str) -> Option<Stage> {
    let name = path.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).rev();
    words.find_map(|word| match word {
        "vert" | "vertex" | "vs" | "vsh" | "vp" => Some(Stage::Vertex),
        "frag" | "fragment" | "fs" | "fsh" | "fp" | "ps" => Some(Stage::Fragment),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_tell_the_stage() {
        for (name, stage) in [
            ("a/sky.vert.agal", Some(Stage::Vertex)),
            ("vertex/sky_fs.txt", Some(Stage::Fragment)),
            ("Fragment.agal", Some(Stage::Fragment)),
            ("investigation.agal", None),
        ] {
            assert_eq!(stage_of_name(name), stage, "{name}");
        }
    }

    #[test]
    fn endings_are_those_of_file_names() {
        let ending = |file: &str| Input::new("", Some(file), Vec::new()).ending().map(String::from);
        assert_eq!(ending("a.b/c"), None);
        assert_eq!(ending("a/.vsh"), None);
        assert_eq!(ending("a/x.y.vsh").as_deref(), Some("vsh"));
    }
}
