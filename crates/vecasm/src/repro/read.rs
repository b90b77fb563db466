//! From JSON to a repro file: the first thing that is wrong has its place.

use super::{
    Action, Draw, Expected, Flags, KEY, MOST_BYTES, MOST_FILES, Repro, ReproError, Run, VERSION, is_name,
};
use crate::exec::json::{Json, Object};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;

type Read<T> = Result<T, ReproError>;

/// A value and its place in the file.
pub(super) struct At<'v> {
    value: &'v Json,
    path: String,
}

impl<'v> At<'v> {
    fn wrong<T>(&self, what: impl fmt::Display) -> Read<T> {
        Err(ReproError::new(&*self.path, what))
    }

    fn object(&self) -> Read<&'v Object> {
        self.value.as_object().map_or_else(|| self.wrong("expected an object"), Ok)
    }

    fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(Self { value, path: format!("{}.{key}", self.path) })
    }

    fn need(&self, key: &str) -> Read<Self> {
        self.get(key).map_or_else(|| self.wrong(format!("\"{key}\" is missing")), Ok)
    }

    fn only(&self, known: &[&str]) -> Read<()> {
        match self.object()?.keys().find(|key| !known.contains(key)) {
            Some(key) => self.wrong(format!("unknown key \"{key}\"; expected one of {}", known.join(", "))),
            None => Ok(()),
        }
    }

    fn text(&self) -> Read<&'v str> {
        self.value.as_str().map_or_else(|| self.wrong("expected a string"), Ok)
    }

    fn number(&self) -> Read<f64> {
        let number = if let Json::Number(number) = self.value { number.as_f64() } else { None };
        number.map_or_else(|| self.wrong("expected a number"), Ok)
    }

    fn items(&self) -> Read<impl Iterator<Item = Self>> {
        let Some(items) = self.value.as_list() else { return self.wrong("expected a list") };
        let at = |(i, value)| Self { value, path: format!("{}[{i}]", self.path) };
        Ok(items.iter().enumerate().map(at))
    }

    /// An object as the text of a file.
    fn file_of_json(&self) -> Read<String> {
        self.object().map(|_| self.value.to_string())
    }

    /// Bytes in base64.
    fn bytes(&self) -> Read<Vec<u8>> {
        let text = self.text()?;
        STANDARD.decode(text).or_else(|error| self.wrong(format!("not base64: {error}")))
    }

    /// A file: its name, and its content as `text` or `base64`.
    fn file(&self) -> Read<(String, Vec<u8>)> {
        self.only(&["name", "text", "base64"])?;
        let name = self.need("name")?;
        let text = checked_name(name.text()?, &name.path)?;
        let bytes = match (self.get("text"), self.get("base64")) {
            (Some(text), None) => text.text()?.as_bytes().to_vec(),
            (None, Some(bytes)) => bytes.bytes()?,
            _ => return self.wrong("expected either \"text\" or \"base64\""),
        };
        Ok((text.into(), bytes))
    }
}

/// A name that a file may have.
pub(super) fn checked_name<'n>(name: &'n str, path: &str) -> Read<&'n str> {
    if is_name(name) {
        return Ok(name);
    }
    Err(ReproError::new(path, "expected a relative file name without \"..\", \":\" or \"\\\""))
}

/// Fails if there are more files, or more bytes in all of them, than a repro file holds.
pub(super) fn checked_size(files: usize, bytes: usize, path: impl Into<String>) -> Read<()> {
    if files <= MOST_FILES && bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(ReproError::new(path, format!("more than {MOST_FILES} files or {} MiB", MOST_BYTES >> 20)))
}

/// A JSON object that a file of its own would be.
pub(super) fn checked_object(text: &str, path: &str) -> Read<Json> {
    let wrong = |error: &dyn fmt::Display| ReproError::new(path, format!("not JSON: {error}"));
    let value = Json::parse(text.as_bytes()).map_err(|error| wrong(&error))?;
    At { value: &value, path: path.into() }.object()?;
    // In a repro file it is one level deeper, and the reader goes so deep only.
    Json::parse(format!("[{text}]").as_bytes()).map_err(|error| wrong(&error))?;
    Ok(value)
}

impl Repro {
    /// Reads a repro file.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReproError> {
        Self::parse_with(bytes, &mut |words| Flags::parse(words))
    }

    /// As [`parse`](Self::parse), for programs that have flags of their own: what reads the words of `$.flags`, before the files
    /// are looked at. The path of its errors is taken as it is.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and those of `flags`.
    pub fn parse_with(
        bytes: &[u8],
        flags: &mut dyn FnMut(&[String]) -> Result<Flags, ReproError>,
    ) -> Result<Self, ReproError> {
        let value = Json::parse(bytes).map_err(|error| ReproError::new("", format!("not JSON: {error}")))?;
        let root = At { value: &value, path: "$".into() };
        root.only(&[KEY, "title", "flags", "program", "input", "scene", "time", "files", "expected"])?;
        let version = root.need(KEY)?;
        if version.value.as_u64() != Some(VERSION) {
            return version.wrong(format!("expected version {VERSION}, found version {}", version.value));
        }
        let title = root.get("title").map_or(Ok(""), |title| title.text())?.into();
        let mut words = Vec::new();
        if let Some(list) = root.get("flags") {
            for word in list.items()? {
                words.push(word.text()?.into());
            }
        }
        let flags = flags(&words)?;
        let mut files = BTreeMap::new();
        let mut total = 0;
        if let Some(list) = root.get("files") {
            for item in list.items()? {
                let (name, bytes) = item.file()?;
                total += bytes.len();
                checked_size(files.len() + 1, total, &*item.path)?;
                if files.insert(name, bytes).is_some() {
                    return item.wrong("another file has the same name");
                }
            }
        }
        let expected = root.get("expected");
        let action = match (root.get("program"), root.get("scene")) {
            (Some(program), None) => {
                if let Some(time) = root.get("time") {
                    return time.wrong("only a scene has a time");
                }
                let input = root.need("input")?.file_of_json()?;
                let expected = expected.map(|expected| expected.file_of_json()).transpose()?;
                let (name, program) = program.file()?;
                Action::Run(Run { name, program, input, expected })
            }
            (None, Some(scene)) => {
                let scene = scene.file_of_json()?;
                let time = root.get("time").map(|time| time.number()).transpose()?;
                let expected = expected.map(|expected| picture(&expected)).transpose()?;
                Action::Draw(Draw { scene, time, expected })
            }
            _ => return root.wrong("expected either \"program\" or \"scene\""),
        };
        Ok(Self { title, flags, files, action })
    }
}

/// A picture that should come out.
fn picture(at: &At<'_>) -> Read<Expected> {
    at.only(&["png", "max"])?;
    let png = at.need("png")?.bytes()?;
    let max = match at.get("max") {
        Some(n) => {
            let byte = n.value.as_u64().and_then(|n| u8::try_from(n).ok());
            byte.map_or_else(|| n.wrong("expected a whole number up to 255"), Ok)?
        }
        None => 0,
    };
    Ok(Expected { png, max })
}
