//! Repro files: a program, what it is run on and what should come out, in one file. `docs/repro-format.md` defines them.

use crate::args::ReadingArgs;
use crate::including::IncludeArgs;
use crate::io::Input;
use crate::lifting::LiftArgs;
use crate::{Failure, Outcome};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Parser};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The key that tells a repro file; its value is the version of the format.
pub(crate) const KEY: &str = "vecasm-repro";
/// The version that is written.
const VERSION: u64 = 1;
/// Most files in one.
const MOST_FILES: usize = 1024;
/// Most bytes of all files in one.
const MOST_BYTES: usize = 256 << 20;
/// How far into a file its key is looked for.
const HEAD: usize = 256;

/// The flags that a repro file keeps, as words of a command line.
#[derive(Clone, Debug, Default, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    flags: Flags,
}

/// How the programs are read, and what they mean where that is open.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) lifting: LiftArgs,
}

impl Flags {
    /// The flags as words, those that are not given left out.
    fn words(&self) -> Vec<String> {
        let mut out = self.reading.words();
        out.extend(self.lifting.words());
        out
    }
}

/// What is done with the program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    /// It is run on the values of this run file.
    Run {
        /// The run file.
        input: Value,
        /// The results, as `vecasm run` writes them.
        expected: Option<Value>,
    },
    /// This scene is drawn.
    Render {
        /// The scene file.
        scene: Value,
        /// Its time, if not that of the scene.
        time: Option<f32>,
        /// The picture as PNG.
        expected: Option<Vec<u8>>,
        /// How far a channel may be from it, of 255.
        max: u8,
    },
}

/// A repro file.
#[derive(Clone, Debug)]
pub(crate) struct Repro {
    /// For people; may be empty.
    pub(crate) title: String,
    pub(crate) flags: Flags,
    /// The program that is run; none where a scene is drawn.
    pub(crate) program: Option<(String, Vec<u8>)>,
    /// Files that the scene names, and those that programs include.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) deed: Deed,
}

/// Whether a file in a repro file may have this name: relative, without a root or `..`.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    // What Windows reads as a drive or a stream.
    let other = name.contains(['\\', '\0', ':']);
    !name.is_empty() && !other && Path::new(name).components().all(plain)
}

/// Whether bytes are a repro file.
pub(crate) fn is(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let head = bytes.get(start..bytes.len().min(start + HEAD)).unwrap_or(&[]);
    let key = format!("\"{KEY}\"");
    head.first() == Some(&b'{') && head.windows(key.len()).any(|window| window == key.as_bytes())
}

/// A value and its place in the file.
struct At<'v> {
    value: &'v Value,
    path: String,
}

type Read<T> = Result<T, String>;

impl<'v> At<'v> {
    fn wrong<T>(&self, what: impl std::fmt::Display) -> Read<T> {
        Err(format!("{}: {what}", self.path))
    }

    fn object(&self) -> Read<&'v Map<String, Value>> {
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
        match self.object()?.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => self.wrong(format!("unknown key \"{key}\"; expected one of {}", known.join(", "))),
            None => Ok(()),
        }
    }

    fn text(&self) -> Read<&'v str> {
        self.value.as_str().map_or_else(|| self.wrong("expected a string"), Ok)
    }

    fn items(&self) -> Read<Vec<Self>> {
        let Some(items) = self.value.as_array() else { return self.wrong("expected a list") };
        Ok(items
            .iter()
            .enumerate()
            .map(|(i, value)| Self { value, path: format!("{}[{i}]", self.path) })
            .collect())
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
        let text = name.text()?;
        if !is_name(text) {
            return name.wrong("expected a relative file name without \"..\"");
        }
        let bytes = match (self.get("text"), self.get("base64")) {
            (Some(text), None) => text.text()?.as_bytes().to_vec(),
            (None, Some(bytes)) => bytes.bytes()?,
            _ => return self.wrong("expected either \"text\" or \"base64\""),
        };
        Ok((text.to_string(), bytes))
    }
}

impl Repro {
    /// Reads a repro file.
    pub(crate) fn read(input: &Input) -> Outcome<Self> {
        Self::parse(input.bytes()).map_err(|why| Failure::usage(format!("{}: {why}", input.name)))
    }

    fn parse(bytes: &[u8]) -> Read<Self> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
        let root = At { value: &value, path: "$".into() };
        root.only(&[KEY, "title", "flags", "program", "input", "scene", "time", "files", "expected"])?;
        let version = root.need(KEY)?;
        if version.value.as_u64() != Some(VERSION) {
            return version.wrong(format!("expected version {VERSION}, found version {}", version.value));
        }
        let title = root.get("title").map_or(Ok(""), |title| title.text())?.to_string();
        let mut words = Vec::new();
        if let Some(flags) = root.get("flags") {
            for word in flags.items()? {
                words.push(word.text()?.to_string());
            }
        }
        let flags = Words::try_parse_from(&words).map_err(|error| {
            let text = error.to_string();
            format!("$.flags: {}", text.lines().next().unwrap_or_default().trim_start_matches("error: "))
        })?;
        if flags.flags.reading.including != IncludeArgs::default() {
            return Err(
                "$.flags: a repro file contains what #include reads, so the flags of #include have no place"
                    .into(),
            );
        }
        let mut files = BTreeMap::new();
        let mut total = 0;
        if let Some(list) = root.get("files") {
            for item in list.items()? {
                let (name, bytes) = item.file()?;
                total += bytes.len();
                if files.len() >= MOST_FILES || total > MOST_BYTES {
                    return item.wrong(format!("more than {MOST_FILES} files or {} MiB", MOST_BYTES >> 20));
                }
                if files.insert(name, bytes).is_some() {
                    return item.wrong("another file has the same name");
                }
            }
        }
        let expected = root.get("expected");
        let (program, deed) = match (root.get("program"), root.get("scene")) {
            (Some(program), None) => {
                if let Some(time) = root.get("time") {
                    return time.wrong("only a scene has a time");
                }
                let input = root.need("input")?;
                input.object()?;
                let expected = expected.map(|expected| expected.object().map(|_| expected.value.clone()));
                let deed = Deed::Run { input: input.value.clone(), expected: expected.transpose()? };
                (Some(program.file()?), deed)
            }
            (None, Some(scene)) => {
                scene.object()?;
                let time = match root.get("time") {
                    Some(time) => match time.value.as_f64() {
                        Some(seconds) => Some(seconds as f32),
                        None => return time.wrong("expected a number"),
                    },
                    None => None,
                };
                let (mut picture, mut max) = (None, 0);
                if let Some(expected) = expected {
                    expected.only(&["png", "max"])?;
                    picture = Some(expected.need("png")?.bytes()?);
                    if let Some(n) = expected.get("max") {
                        let byte = n.value.as_u64().and_then(|n| u8::try_from(n).ok());
                        max = byte.map_or_else(|| n.wrong("expected a whole number up to 255"), Ok)?;
                    }
                }
                let deed = Deed::Render { scene: scene.value.clone(), time, expected: picture, max };
                (None, deed)
            }
            _ => return root.wrong("expected either \"program\" or \"scene\""),
        };
        Ok(Self { title, flags: flags.flags, program, files, deed })
    }

    /// The file.
    pub(crate) fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert(KEY.into(), json!(VERSION));
        if !self.title.is_empty() {
            out.insert("title".into(), json!(self.title));
        }
        let words = self.flags.words();
        if !words.is_empty() {
            out.insert("flags".into(), json!(words));
        }
        if let Some((name, bytes)) = &self.program {
            out.insert("program".into(), file(name, bytes));
        }
        let files: Vec<Value> = self.files.iter().map(|(name, bytes)| file(name, bytes)).collect();
        if !files.is_empty() {
            out.insert("files".into(), json!(files));
        }
        match &self.deed {
            Deed::Run { input, expected } => {
                out.insert("input".into(), input.clone());
                if let Some(expected) = expected {
                    out.insert("expected".into(), expected.clone());
                }
            }
            Deed::Render { scene, time, expected, max } => {
                out.insert("scene".into(), scene.clone());
                if let Some(time) = time {
                    out.insert("time".into(), json!(time));
                }
                if let Some(png) = expected {
                    out.insert("expected".into(), json!({ "png": STANDARD.encode(png), "max": max }));
                }
            }
        }
        Value::Object(out)
    }

    /// The program that is run, as an input under its own name, so that the name still tells what it tells.
    pub(crate) fn input(&self, name: &str) -> Option<Input> {
        let (own, bytes) = self.program.as_ref()?;
        Some(Input::new(format!("{name}: {own}"), Some(own.into()), bytes.clone()))
    }
}

/// A file as text, if it is text that people read, else in base64.
fn file(name: &str, bytes: &[u8]) -> Value {
    let readable = |text: &str| !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    match std::str::from_utf8(bytes) {
        Ok(text) if readable(text) => json!({ "name": name, "text": text }),
        _ => json!({ "name": name, "base64": STANDARD.encode(bytes) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Read<Repro> {
        Repro::parse(text.as_bytes())
    }

    #[test]
    fn what_is_written_is_read() {
        let text = r#"{ "vecasm-repro": 1, "title": "a", "flags": ["--isa", "agal", "--stage", "fragment", "--numerics", "ieee"],
            "program": { "name": "a.agal", "text": "mov oc, v0" }, "input": { "inputs": [{}] }, "expected": { "outputs": [] } }"#;
        assert!(is(text.as_bytes()));
        let repro = parse(text).unwrap();
        let again = parse(&repro.to_json().to_string()).unwrap();
        assert_eq!(again.to_json(), repro.to_json());
        assert_eq!(again.flags.words(), ["--isa", "agal", "--stage", "fragment", "--numerics", "ieee"]);
        assert_eq!((again.deed, again.program), (repro.deed, repro.program));
    }

    #[test]
    fn errors_tell_the_place() {
        for (text, expected) in [
            ("{}", "$: \"vecasm-repro\" is missing"),
            (r#"{"vecasm-repro": 2}"#, "$.vecasm-repro: expected version 1, found version 2"),
            (r#"{"vecasm-repro": 1}"#, "$: expected either \"program\" or \"scene\""),
            (r#"{"vecasm-repro": 1, "x": 1}"#, "$: unknown key \"x\""),
            (r#"{"vecasm-repro": 1, "flags": ["--numerics", "foo"]}"#, "$.flags: invalid value"),
            (
                r#"{"vecasm-repro": 1, "scene": {}, "files": [{"name": "../a", "text": ""}]}"#,
                "$.files[0].name: ",
            ),
            (
                r#"{"vecasm-repro": 1, "scene": {}, "files": [{"name": "/a", "text": ""}]}"#,
                "$.files[0].name: ",
            ),
            (
                r#"{"vecasm-repro": 1, "scene": {}, "files": [{"name": "a", "base64": "?"}]}"#,
                "$.files[0].base64: not base64",
            ),
            (r#"{"vecasm-repro": 1, "program": {"name": "a", "text": ""}}"#, "$: \"input\" is missing"),
            (r#"{"vecasm-repro": 1, "scene": {}, "expected": {"png": "", "max": 256}}"#, "$.expected.max: "),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.starts_with(expected), "{text}: {why}");
        }
        assert!(!is(b"{ \"vertex\": 1 }") && !is(b"mov oc, v0") && !is(b""));
    }
}
