//! From JSON to a repro file: the first thing that is wrong has its place.

use super::{
    Action, Draw, Expected, Flags, KEY, MOST_BYTES, MOST_FILES, Repro, ReproError, Run, VERSION, is_name,
};
use crate::exec::json::{self, Json, PlacedError};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;

type Read<T> = Result<T, ReproError>;

/// A value and its place in the file.
type Node<'v, 'p> = json::Node<'v, 'p, ReproError>;

impl PlacedError for ReproError {
    fn placed(path: String, message: String) -> Self {
        Self { path, message }
    }

    fn expected(what: &str, _found: &str) -> String {
        format!("expected {what}")
    }
}

/// Fails if there are other keys than these.
fn only(node: &Node<'_, '_>, known: &[&str]) -> Read<()> {
    match node.object()?.keys().find(|key| !known.contains(key)) {
        Some(key) => Err(node.error(format!("unknown key \"{key}\"; expected one of {}", known.join(", ")))),
        None => Ok(()),
    }
}

/// An object as the text of a file.
fn file_of_json(node: &Node<'_, '_>) -> Read<String> {
    node.object().map(|_| node.json().to_string())
}

/// Bytes in base64.
fn bytes(node: &Node<'_, '_>) -> Read<Vec<u8>> {
    STANDARD.decode(node.text()?).map_err(|error| node.error(format!("not base64: {error}")))
}

/// A file: its name, and its content as `text` or `base64`.
fn file(node: &Node<'_, '_>) -> Read<(String, Vec<u8>)> {
    only(node, &["name", "text", "base64"])?;
    let name = node.need("name")?;
    let text = checked_name(name.text()?, &name.path())?;
    let bytes = match (node.get("text"), node.get("base64")) {
        (Some(text), None) => text.text()?.as_bytes().to_vec(),
        (None, Some(text)) => bytes(&text)?,
        _ => return Err(node.error("expected either \"text\" or \"base64\"")),
    };
    Ok((text.into(), bytes))
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
    if value.as_object().is_none() {
        return Err(ReproError::new(path, "expected an object"));
    }
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
        let root = &Node::root(&value);
        only(root, &[KEY, "title", "flags", "program", "input", "scene", "time", "files", "expected"])?;
        let version = root.need(KEY)?;
        if version.json().as_u64() != Some(VERSION) {
            let found = version.json();
            return Err(version.error(format!("expected version {VERSION}, found version {found}")));
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
                let (name, bytes) = file(&item)?;
                total += bytes.len();
                checked_size(files.len() + 1, total, item.path())?;
                if files.insert(name, bytes).is_some() {
                    return Err(item.error("another file has the same name"));
                }
            }
        }
        let expected = root.get("expected");
        let action = match (root.get("program"), root.get("scene")) {
            (Some(program), None) => {
                if let Some(time) = root.get("time") {
                    return Err(time.error("only a scene has a time"));
                }
                let input = file_of_json(&root.need("input")?)?;
                let expected = expected.map(|expected| file_of_json(&expected)).transpose()?;
                let (name, program) = file(&program)?;
                Action::Run(Run { name, program, input, expected })
            }
            (None, Some(scene)) => {
                let scene = file_of_json(&scene)?;
                let number =
                    |time: Node<'_, '_>| time.json().as_f64().ok_or_else(|| time.expected("a number"));
                let time = root.get("time").map(number).transpose()?;
                let expected = expected.map(|expected| picture(&expected)).transpose()?;
                Action::Draw(Draw { scene, time, expected })
            }
            _ => return Err(root.error("expected either \"program\" or \"scene\"")),
        };
        Ok(Self { title, flags, files, action })
    }
}

/// A picture that should come out.
fn picture(node: &Node<'_, '_>) -> Read<Expected> {
    only(node, &["png", "max"])?;
    let png = bytes(&node.need("png")?)?;
    let max = match node.get("max") {
        Some(n) => {
            let byte = n.json().as_u64().and_then(|n| u8::try_from(n).ok());
            byte.ok_or_else(|| n.error("expected a whole number up to 255"))?
        }
        None => 0,
    };
    Ok(Expected { png, max })
}
