//! Each property for about a second, on mutated programs and texts of the test files.

use crate::properties::seeds::Seeds;
use crate::properties::{Input, PROPERTIES, Property, Rng, Seen, containers, repro, tgsi};
use crate::{kinds, trial};
use libtest_mimic::Trial;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use vecasm::container::{Budget, Container, Format, Limits};
use vecasm::isa::to_hex;
use vecasm::open::{self, OpenOptions};

/// How long a property is tried.
const TIME: Duration = Duration::from_millis(1000);
/// The number of cases after which the share of useful ones is looked at.
const ENOUGH: u64 = 500;

pub(crate) fn trials(root: &Path, files: &[PathBuf]) -> Vec<Trial> {
    let seeds = Arc::new(seeds(root, files));
    PROPERTIES
        .iter()
        .map(|property| {
            let seeds = Arc::clone(&seeds);
            trial(format!("property {}", property.name), move || hold(property, &seeds))
        })
        .collect()
}

/// The targets of `fuzz/` and the properties are the same, by name.
pub(crate) fn fuzz_targets() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).map_err(|e| e.to_string())?;
    let entries = std::fs::read_dir(folder.join("fuzz_targets")).map_err(|e| e.to_string())?;
    let files = entries.flatten().map(|e| e.path().with_extension("").file_name().map(|n| n.to_os_string()));
    let mut targets: Vec<String> = files.flatten().map(|n| n.to_string_lossy().into_owned()).collect();
    let mut names: Vec<String> = PROPERTIES.iter().map(|p| p.name.to_string()).collect();
    targets.sort();
    names.sort();
    if targets != names {
        return Err(format!("the targets are {targets:?}, the properties {names:?}"));
    }
    for name in names {
        let text = std::fs::read_to_string(folder.join("fuzz_targets").join(format!("{name}.rs")));
        if !text.is_ok_and(|t| t.contains(&format!("fuzz!(\"{name}\")"))) {
            return Err(format!("the target {name} asks another property"));
        }
        if !manifest.contains(&format!("name = \"{name}\"")) {
            return Err(format!("fuzz/Cargo.toml does not name {name}"));
        }
    }
    Ok(())
}

/// The seeds of the test files.
fn seeds(root: &Path, files: &[PathBuf]) -> Seeds {
    let mut seeds = Seeds::default();
    for text in tgsi::TEXTS {
        seeds.add_file("tgsi", text);
    }
    seeds.add(Input::Repro, repro::FILES.map(|text| text.as_bytes().to_vec()));
    seeds.add(Input::Container, containers::files());
    for file in files {
        let Ok(text) = std::fs::read_to_string(root.join(file)) else { continue };
        if !seeds.add_file(file.extension().and_then(|e| e.to_str()).unwrap_or(""), &text) {
            seeds.add(Input::Program, kinds::programs(&text));
            seeds.add(Input::Text, [text.into_bytes()]);
        }
    }
    seeds
}

fn hold(property: &Property, seeds: &Seeds) -> Result<(), String> {
    let from = seeds.of(property.input);
    if from.is_empty() {
        return Err("there is no file to make inputs from".into());
    }
    let mut seen = Seen::default();
    let mut rng = Rng::new(1);
    let start = Instant::now();
    let mut n = 0;
    while start.elapsed() < TIME || n < from.len() {
        let seed = &from[n % from.len()];
        // First everything as it is, then damaged, crossed and grown.
        let input = if n < from.len() { seed.clone() } else { property.input.made(from, &mut rng) };
        n += 1;
        seen.count("cases");
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (property.check)(&input, &mut seen))) {
            let why = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_string()))
                .unwrap_or_default();
            let shown = if property.input.is_text() {
                String::from_utf8_lossy(&input).into_owned()
            } else {
                to_hex(&input)
            };
            return Err(format!("{why}\ninput: {shown}"));
        }
    }
    match seen.lacking(property) {
        Some(lack) if seen.get("cases") >= ENOUGH => Err(lack),
        _ => Ok(()),
    }
}

/// What damaged files are made of: every format has one that is read, with something in it, with the corpus or without.
pub(crate) fn containers_of_every_format() -> Result<(), String> {
    let mut seen: Vec<Format> = Vec::new();
    for file in containers::files() {
        let Some(format) = Format::of(&file) else {
            let input = open::Input::new("file", None, file);
            if input.carried(&OpenOptions::default()).is_empty() {
                return Err(format!("no programs in {}", String::from_utf8_lossy(input.bytes())));
            }
            continue;
        };
        let container = Container::read(&file, &mut Budget::new(Limits::DEFAULT));
        let container = container.map_err(|why| format!("{format}: {why}"))?;
        if container.entries().is_empty() {
            return Err(format!("nothing in a file of {format}"));
        }
        seen.push(format);
    }
    let missing: Vec<&Format> = Format::ALL.iter().filter(|format| !seen.contains(format)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no file of {missing:?}")) }
}
