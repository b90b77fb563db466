//! From a repro file to JSON.

use super::read::{checked_name, checked_object, checked_size};
use super::{Deed, KEY, Repro, ReproError, VERSION};
use crate::exec::json::{Json, Object};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

impl Repro {
    /// The file as text, with a line break at its end. [`parse`](Self::parse) reads back the same.
    ///
    /// # Errors
    ///
    /// With its place, what could not be read back: a file without a [name](super::is_name), more than 1,024 files or 256 MiB, an
    /// input, a scene or a result that is no JSON object, a time that is not finite.
    pub fn to_json(&self) -> Result<String, ReproError> {
        let text =
            serde_json::to_string_pretty(&self.value()?).map_err(|error| ReproError::new("$", error))?;
        Ok(text + "\n")
    }

    fn value(&self) -> Result<Json, ReproError> {
        let mut out = Object::new();
        out.insert(KEY, VERSION);
        if !self.title.is_empty() {
            out.insert("title", &*self.title);
        }
        let words = self.flags.words();
        if !words.is_empty() {
            out.insert("flags", words);
        }
        if let Deed::Run(run) = &self.deed {
            out.insert("program", file(&run.name, &run.program, "$.program")?);
        }
        checked_size(self.files.len(), self.files.values().map(|bytes| bytes.len()).sum(), "$.files")?;
        let each = self.files.iter().enumerate();
        let files = each.map(|(i, (name, bytes))| file(name, bytes, &format!("$.files[{i}]")));
        let files = files.collect::<Result<Vec<Json>, _>>()?;
        if !files.is_empty() {
            out.insert("files", files);
        }
        match &self.deed {
            Deed::Run(run) => {
                out.insert("input", checked_object(&run.input, "$.input")?);
                if let Some(expected) = &run.expected {
                    out.insert("expected", checked_object(expected, "$.expected")?);
                }
            }
            Deed::Draw(draw) => {
                out.insert("scene", checked_object(&draw.scene, "$.scene")?);
                if let Some(time) = draw.time {
                    if !time.is_finite() {
                        return Err(ReproError::new("$.time", "expected a number"));
                    }
                    out.insert("time", time);
                }
                if let Some(expected) = &draw.expected {
                    let mut picture = Object::new();
                    picture.insert("png", STANDARD.encode(&expected.png));
                    picture.insert("max", expected.max);
                    out.insert("expected", picture);
                }
            }
        }
        Ok(out.into())
    }
}

/// A file as text, if it is text that people read, else in base64.
fn file(name: &str, bytes: &[u8], path: &str) -> Result<Json, ReproError> {
    let mut out = Object::new();
    out.insert("name", checked_name(name, &format!("{path}.name"))?);
    let readable = |text: &&str| !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    match core::str::from_utf8(bytes).ok().filter(readable) {
        Some(text) => out.insert("text", text),
        None => out.insert("base64", STANDARD.encode(bytes)),
    }
    Ok(out.into())
}
