//! The data of the writers' tests: shaders in folders, and the texts that are expected of them.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "a writer alone uses some of it")]

use std::fs;
use std::path::{Path, PathBuf};
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::text::parse_any;

/// A folder or file below this folder.
pub(crate) fn place(below: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/emit").join(below)
}

/// The files `*.ir` of a folder below this one, by name.
pub(crate) fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = fs::read_dir(place(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ir"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().to_string(), path))
        .collect();
    files.sort();
    files
}

/// The shaders in them, by name.
pub(crate) fn shaders(folder: &str) -> Vec<(String, Shader)> {
    let read = |(name, path)| (name, parse_any(&fs::read_to_string(path).unwrap()).unwrap());
    files(folder).into_iter().map(read).collect()
}

/// What differs from the file with what is expected, under a name; `BLESS=1` writes the file anew, for review.
pub(crate) fn differs(name: &str, expected: &Path, text: &str) -> Option<String> {
    if std::env::var_os("BLESS").is_some() {
        fs::write(expected, text).unwrap();
    }
    (fs::read_to_string(expected).unwrap_or_default() != text).then(|| format!("{name}:\n{text}"))
}
