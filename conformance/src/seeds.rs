//! What fuzz targets begin with and [`mutate`](crate::mutate) damages, from the test files, the examples and the corpus.

use crate::mutate::properties::seeds::Seeds;
use crate::mutate::properties::{Input, PROPERTIES, containers, repro, tgsi as tgsi_texts};
use crate::oracle::corpus;
use crate::root;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use vecasm::isa::agal::text::{ParseOptions, PrintOptions, parse, print};
use vecasm::isa::nv2a::bytes::parse_words;
use vecasm::isa::{agal, d3d9, tgsi};

/// What inputs are made from, by kind.
#[derive(Debug)]
pub struct Material(pub(crate) Seeds);

impl Material {
    /// That of the test files and examples, and where it is there, of the corpus in the shared folder.
    ///
    /// # Errors
    ///
    /// There is nothing of a kind, or a file cannot be read.
    pub fn gather(shared: &Path) -> Result<Self, String> {
        gather(shared).map(Self)
    }

    /// How many there are of which kind.
    pub fn summary(&self) -> String {
        let kinds = Input::ALL.into_iter().filter(|kind| kind.origin() == *kind);
        let counts: Vec<String> = kinds.map(|kind| format!("{} {kind:?}", self.0.of(kind).len())).collect();
        counts.join(", ")
    }

    /// Writes what each fuzz target begins with, a folder for each; gives how many files and targets there are.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(usize, usize), String> {
        let mut count = 0;
        for property in PROPERTIES {
            let folder = out.join(property.name);
            let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
            std::fs::create_dir_all(&folder).map_err(fail)?;
            for seed in self.0.of(property.input) {
                let mut hasher = DefaultHasher::new();
                hasher.write(seed);
                std::fs::write(folder.join(format!("{:016x}", hasher.finish())), seed).map_err(fail)?;
                count += 1;
            }
        }
        Ok((count, PROPERTIES.len()))
    }
}

/// Those of the test files and examples, and where it is there, of the corpus in the shared folder. Fails where a kind has
/// none.
fn gather(shared: &Path) -> Result<Seeds, String> {
    let mut seeds = Seeds::default();
    for text in tgsi_texts::TEXTS {
        seeds.add_file("tgsi", text);
    }
    seeds.add(Input::Repro, repro::FILES.map(|text| text.as_bytes().to_vec()));
    seeds.add(Input::Container, containers::files());
    for folder in std::fs::read_dir(shared.join("corpus/containers")).into_iter().flatten().flatten() {
        let files = files_in(&folder.path());
        let files = files.iter().filter_map(|path| std::fs::read(path).ok());
        seeds.add(Input::Container, files.filter(|bytes| bytes.len() <= containers::LONGEST));
    }
    for (path, text) in own_files() {
        if !seeds.add_file(ending(&path), &text) {
            if let (Some(program), _) = parse(&text, &ParseOptions::default()) {
                seeds.add(Input::Program, [agal::bytes::encode(&program)]);
            }
        }
    }
    if let Some(found) = corpus(shared, "agal") {
        seeds.add(Input::Program, found?.into_iter().map(|program| program.bytes));
    }
    for path in files_in(&shared.join("corpus/nv2a")) {
        match (ending(&path), std::fs::read_to_string(&path)) {
            ("vsh", Ok(text)) => seeds.add(Input::Vsh, [text.into_bytes()]),
            ("words", Ok(text)) => seeds.add(Input::Slots, parse_words(&text)),
            _ => {}
        }
    }
    for (folder, kind) in [("bin", Input::Stream), ("asm", Input::StreamText)] {
        let files = files_in(&shared.join("corpus/d3d9").join(folder));
        seeds.add(kind, files.iter().filter_map(|path| std::fs::read(path).ok()));
    }
    for path in files_in(&shared.join("corpus/tgsi/programs")) {
        if let Ok(text) = std::fs::read_to_string(&path) {
            seeds.add_file(ending(&path), &text);
        }
    }
    print_binaries(&mut seeds);
    seeds.sort();
    match Input::ALL.into_iter().find(|kind| seeds.of(*kind).is_empty()) {
        Some(kind) => Err(format!("there is no {kind:?} to damage")),
        None => Ok(seeds),
    }
}

/// Adds the texts of binaries, without loss, and tokens of TGSI in more dialects.
fn print_binaries(seeds: &mut Seeds) {
    let program = |bytes: &Vec<u8>| print(&agal::bytes::decode_lossless(bytes), &PrintOptions::default());
    let texts: Vec<Vec<u8>> =
        seeds.of(Input::Program).iter().map(|bytes| program(bytes).into_bytes()).collect();
    seeds.add(Input::Text, texts);
    let stream = |bytes: &Vec<u8>| {
        d3d9::text::print(&d3d9::bytes::decode_lossless(bytes), &d3d9::text::PrintOptions::default())
    };
    let texts: Vec<Vec<u8>> =
        seeds.of(Input::Stream).iter().map(|bytes| stream(bytes).into_bytes()).collect();
    seeds.add(Input::StreamText, texts);
    let (mut tokens, mut texts) = (Vec::new(), Vec::new());
    for text in seeds.of(Input::TokenText) {
        let text = String::from_utf8_lossy(text);
        let Some(program) = tgsi::text::parse(&text, &tgsi::text::ParseOptions::tolerant()).0 else {
            continue;
        };
        // Others differ in little.
        for dialect in [tgsi::Dialect::Legacy, tgsi::Dialect::Mesa22, tgsi::Dialect::Virgl] {
            tokens.extend(tgsi::bytes::encode_as(&program, dialect).ok());
        }
        texts.push(tgsi::text::print(&program, tgsi::text::Style::Lossless).into_bytes());
    }
    seeds.add(Input::Tokens, tokens);
    seeds.add(Input::TokenText, texts);
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or("")
}

/// The files of a folder; none if it is not there.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Every text file of the tests and examples.
fn own_files() -> Vec<(PathBuf, String)> {
    let mut out = Vec::new();
    let mut folders = vec![root().join("tests"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        for path in files_in(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                out.push((path, text));
            }
        }
    }
    out
}
