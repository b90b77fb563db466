//! `cargo xtask seeds DIR`: what the fuzz targets begin with, from the test files, the examples and the corpus.
//!
//! Each target of `fuzz/` gets a folder of its name, with a file for each seed of the kind that it takes, named by its
//! content. [`mutate`](crate::mutate) damages the same seeds.

use crate::mutate::properties::{self, Input, PROPERTIES};
use crate::oracle::corpus;
use crate::{Args, Outcome, root};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::Path;
use vecasm::isa::agal::bytes::{decode_lossless, encode};
use vecasm::isa::agal::text::{ParseOptions, PrintOptions, parse, print};
use vecasm::isa::nv2a::bytes::parse_words;

/// The seeds of each kind of input.
pub(crate) struct Seeds {
    programs: Vec<Vec<u8>>,
    texts: Vec<Vec<u8>>,
    irs: Vec<Vec<u8>>,
    slots: Vec<Vec<u8>>,
    vshs: Vec<Vec<u8>>,
    streams: Vec<Vec<u8>>,
    stream_texts: Vec<Vec<u8>>,
    tokens: Vec<Vec<u8>>,
    token_texts: Vec<Vec<u8>>,
    /// How many of the first programs and slots are our own.
    own: (usize, usize),
}

impl Seeds {
    /// Those of the test files and examples, and where it is there, of the corpus in the shared folder. Fails where a kind
    /// has none.
    pub(crate) fn gather(shared: &Path) -> Result<Self, String> {
        let mut programs = own_programs();
        let mut slots = own_microcode();
        let own = (programs.len(), slots.len());
        if let Some(found) = corpus(shared, "agal") {
            programs.extend(found?.into_iter().map(|program| program.bytes));
        }
        slots.extend(corpus_microcode(shared));
        let texts = programs.iter().map(|program| printed(program)).collect();
        let (streams, stream_texts) = streams(shared);
        let (tokens, token_texts) = token_streams(shared);
        let (irs, vshs) = (own_irs(), vshs(shared));
        let out = Self { programs, texts, irs, slots, vshs, streams, stream_texts, tokens, token_texts, own };
        match Input::ALL.into_iter().find(|kind| out.of(*kind).is_empty()) {
            Some(kind) => Err(format!("there is no {kind:?} to damage")),
            None => Ok(out),
        }
    }

    /// Those of a kind.
    pub(crate) fn of(&self, kind: Input) -> &[Vec<u8>] {
        match kind {
            Input::Program => &self.programs,
            Input::Text => &self.texts,
            Input::Ir => &self.irs,
            Input::Slots | Input::Microcode => &self.slots,
            Input::Vsh => &self.vshs,
            Input::Stream => &self.streams,
            Input::StreamText | Input::Macros => &self.stream_texts,
            Input::Tokens => &self.tokens,
            Input::TokenText => &self.token_texts,
        }
    }

    /// How many there are of which kind.
    pub(crate) fn summary(&self) -> String {
        let parts =
            |all: usize, own: usize| format!("{own} of the test files and {} of the corpus", all - own);
        format!(
            "programs of AGAL ({}) and of the NV2A ({}), {} texts for the NV2A, {} streams of Direct3D, {} of TGSI",
            parts(self.programs.len(), self.own.0),
            parts(self.slots.len(), self.own.1),
            self.vshs.len(),
            self.streams.len(),
            self.tokens.len()
        )
    }
}

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "out"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let out = args.value("out").map_or_else(|| root().join("fuzz/corpus"), Into::into);
    let written = Seeds::gather(&args.shared()).and_then(|seeds| {
        let mut count = 0;
        for property in PROPERTIES {
            let folder = out.join(property.name);
            let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
            std::fs::create_dir_all(&folder).map_err(fail)?;
            for seed in seeds.of(property.input).iter().collect::<BTreeSet<_>>() {
                let mut hasher = DefaultHasher::new();
                hasher.write(seed);
                std::fs::write(folder.join(format!("{:016x}", hasher.finish())), seed).map_err(fail)?;
                count += 1;
            }
        }
        Ok(count)
    });
    match written {
        Ok(count) => {
            println!("{count} seeds of {} targets in {}", PROPERTIES.len(), out.display());
            Outcome::of(true)
        }
        Err(why) => Outcome::Usage(why),
    }
}

/// The text of a program, the seed of damaged texts.
fn printed(bytes: &[u8]) -> Vec<u8> {
    print(&decode_lossless(bytes), &PrintOptions::default()).into_bytes()
}

/// The programs of the test files that assemble.
fn own_programs() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|_, text| {
        if let (Some(program), _) = parse(&text, &ParseOptions::default()) {
            out.push(encode(&program));
        }
    });
    out.sort();
    out
}

/// The shaders of the test files in the text form of the IR.
fn own_irs() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "ir") {
            out.push(text.into_bytes());
        }
    });
    out.sort();
    out
}

/// The microcode of the test files for the NV2A that assemble.
fn own_microcode() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "nv2a") {
            out.extend(properties::nv2a::microcode(&text));
        }
    });
    out.sort();
    out
}

/// Token streams of Direct3D of the test files and of the corpus, and their texts, without loss and as they were written.
fn streams(shared: &Path) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    use vecasm::isa::d3d9::{bytes, text};
    let (mut streams, mut texts) = (Vec::new(), Vec::new());
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "d3d9") {
            streams.extend(properties::d3d9::stream(&text));
            texts.push(text.into_bytes());
        }
    });
    let corpus = |folder: &str| {
        let files =
            std::fs::read_dir(shared.join("corpus/d3d9").join(folder)).into_iter().flatten().flatten();
        files.filter_map(|entry| std::fs::read(entry.path()).ok()).collect::<Vec<_>>()
    };
    streams.extend(corpus("bin"));
    texts.extend(corpus("asm"));
    let printed = streams.iter().map(|stream| {
        text::print(&bytes::decode_lossless(stream), &text::PrintOptions::default()).into_bytes()
    });
    texts.extend(printed);
    streams.sort();
    texts.sort();
    (streams, texts)
}

/// Tokens of TGSI of our own texts and of the corpus in the dialects that can hold them, and the texts, without loss and as
/// they were written.
fn token_streams(shared: &Path) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    use vecasm::isa::tgsi::{Dialect, bytes, text};
    let mut texts: Vec<String> = properties::tgsi::TEXTS.iter().map(|text| (*text).to_string()).collect();
    let has = |path: &Path| path.extension().is_some_and(|e| e == "tgsi");
    each_file(|path, text| {
        if has(path) {
            texts.push(text);
        }
    });
    let files = std::fs::read_dir(shared.join("corpus/tgsi/programs")).into_iter().flatten().flatten();
    let files = files.map(|entry| entry.path()).filter(|path| has(path));
    texts.extend(files.filter_map(|path| std::fs::read_to_string(path).ok()));
    texts.sort();
    let (mut tokens, mut printed) = (Vec::new(), Vec::new());
    for text in &texts {
        let Some(program) = text::parse(text, &text::ParseOptions::tolerant()).0 else { continue };
        // Others differ in little.
        for dialect in [Dialect::Legacy, Dialect::Mesa22, Dialect::Virgl] {
            tokens.extend(bytes::encode_as(&program, dialect).ok());
        }
        printed.push(text::print(&program, text::Style::Lossless).into_bytes());
    }
    printed.extend(texts.into_iter().map(String::into_bytes));
    (tokens, printed)
}

/// Texts for the NV2A: those of the test files and examples, and of the corpus.
fn vshs(shared: &Path) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "nv2a" || e == "vsh") {
            out.push(text.into_bytes());
        }
    });
    let corpus = std::fs::read_dir(shared.join("corpus/nv2a")).into_iter().flatten().flatten();
    let texts = corpus.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "vsh"));
    out.extend(texts.filter_map(|path| std::fs::read(path).ok()));
    out.sort();
    out
}

/// The microcode of the corpus, which is lists of words.
fn corpus_microcode(shared: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(shared.join("corpus/nv2a")) else { return Vec::new() };
    let words = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "words"));
    let texts = words.filter_map(|path| std::fs::read_to_string(path).ok());
    let mut out: Vec<Vec<u8>> = texts.filter_map(|text| parse_words(&text)).collect();
    out.sort();
    out
}

/// Calls `f` for every text file of the tests and examples.
fn each_file(mut f: impl FnMut(&Path, String)) {
    let mut folders = vec![root().join("tests"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                f(&path, text);
            }
        }
    }
}
