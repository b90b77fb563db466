//! From a repro file to JSON.

use super::read::{checked_name, checked_object, checked_size};
use super::{Action, KEY, Repro, ReproError, VERSION};
use crate::exec::json::{Json, Object};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;

impl Repro {
    /// The file as text, with a line break at its end. [`parse`](Self::parse) reads back the same.
    ///
    /// # Errors
    ///
    /// With its place, what could not be read back: a file without a [name](super::is_name), more than 1,024 files or 256 MiB, an
    /// input, a scene or a result that is no JSON object, a time that is not finite.
    pub fn to_json(&self) -> Result<String, ReproError> {
        let value = self.value()?;
        let mut size = Count(1);
        // Nothing here fails: texts and counts take everything.
        let _ = pretty(&value, 0, &mut size);
        let mut text = String::with_capacity(size.0);
        let _ = pretty(&value, 0, &mut text);
        text.push('\n');
        Ok(text)
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
        if let Action::Run(run) = &self.action {
            out.insert("program", file(&run.name, &run.program, "$.program")?);
        }
        checked_size(self.files.len(), self.files.values().map(|bytes| bytes.len()).sum(), "$.files")?;
        let each = self.files.iter().enumerate();
        let files = each.map(|(i, (name, bytes))| file(name, bytes, &format!("$.files[{i}]")));
        let files = files.collect::<Result<Vec<Json>, _>>()?;
        if !files.is_empty() {
            out.insert("files", files);
        }
        match &self.action {
            Action::Run(run) => {
                out.insert("input", checked_object(&run.input, "$.input")?);
                if let Some(expected) = &run.expected {
                    out.insert("expected", checked_object(expected, "$.expected")?);
                }
            }
            Action::Draw(draw) => {
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

/// Down to which depth each value has a line of its own. What is deeper is in one line, since the blanks in front of lines would
/// make a hostile file a hundred times as long.
const DEEP: usize = 12;

/// How long a text is.
struct Count(usize);

impl fmt::Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// Writes a value on lines, two blanks a level.
fn pretty(value: &Json, depth: usize, out: &mut dyn fmt::Write) -> fmt::Result {
    let line = |out: &mut dyn fmt::Write, n: usize, depth: usize| {
        out.write_str(if n == 0 { "\n" } else { ",\n" })?;
        (0..depth).try_for_each(|_| out.write_str("  "))
    };
    match value {
        Json::List(items) if depth < DEEP && !items.is_empty() => {
            out.write_str("[")?;
            for (n, item) in items.iter().enumerate() {
                line(out, n, depth + 1)?;
                pretty(item, depth + 1, out)?;
            }
            line(out, 0, depth)?;
            out.write_str("]")
        }
        Json::Object(members) if depth < DEEP && !members.is_empty() => {
            out.write_str("{")?;
            for (n, (key, value)) in members.iter().enumerate() {
                line(out, n, depth + 1)?;
                write!(out, "{}: ", Json::from(key))?;
                pretty(value, depth + 1, out)?;
            }
            line(out, 0, depth)?;
            out.write_str("}")
        }
        _ => write!(out, "{value}"),
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
