//! The programs of the shared corpus give the bits of the interpreter in every other engine.
//!
//! Programs come from `corpus` in the shared folder (`$VECASM_SHARED`, or `../shared` beside the project); without it nothing
//! is compared, and the test says so. What an engine refuses is counted by its reason. `$VECASM_ONLY` chooses programs by a part of
//! their names.

#![cfg(target_arch = "x86_64")]

mod common;

use common::difference;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vecasm::exec::interp::Interp;
use vecasm::exec::lanes::{Lanes, Portable};
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Engine, RunError};
use vecasm::ir::Shader;
use vecasm::isa::Isa;
use vecasm::isa::any::{AnyProgram, LiftOptions};
use vecasm::isa::{nv2a, tgsi};
use vecasm::opt::{clean, fold, promote};
use vecasm_native::{Avx2, Avx512, Jit};

/// Invocations of each program: half of them ordinary, half with special values; no whole blocks.
const COUNT: usize = 2 * 1024 + 5;

fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("VECASM_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    given.into_iter().chain([beside]).map(|dir| dir.join("corpus")).find(|dir| dir.is_dir())
}

/// The files of a folder with an ending, by name.
fn files(folder: &Path, ending: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == ending));
    files.sort();
    let read = |file: PathBuf| Some((file.file_stem()?.to_string_lossy().into(), std::fs::read(file).ok()?));
    files.into_iter().filter_map(read).collect()
}

/// The shaders of an instruction set; what has no meaning is left out.
fn shaders(corpus: &Path, isa: Isa) -> Vec<(String, Shader)> {
    let (folder, ending) = match isa {
        Isa::Agal => ("agal", "bin"),
        Isa::D3d9 => ("d3d9/bin", "bin"),
        Isa::Nv2a => ("nv2a", "words"),
        Isa::Tgsi => ("tgsi/programs", "tgsi"),
        _ => return Vec::new(),
    };
    let program = |bytes: &[u8]| match isa {
        Isa::Agal | Isa::D3d9 => AnyProgram::decode(isa, bytes).ok(),
        Isa::Nv2a => {
            let bytes = nv2a::bytes::parse_words(std::str::from_utf8(bytes).ok()?)?;
            AnyProgram::decode(isa, &bytes).ok()
        }
        Isa::Tgsi => {
            let text = std::str::from_utf8(bytes).ok()?;
            Some(AnyProgram::Tgsi(tgsi::text::parse(text, &tgsi::text::ParseOptions::tolerant()).0?))
        }
        _ => None,
    };
    let options = LiftOptions::default();
    let lifted = |(name, bytes): (String, Vec<u8>)| Some((name, program(&bytes)?.lift(&options).ok()?));
    files(&corpus.join(folder), ending).into_iter().filter_map(lifted).collect()
}

/// What became of the programs of an instruction set in an engine.
#[derive(Debug, Default)]
struct Tally {
    same: usize,
    refused: BTreeMap<String, Vec<String>>,
}

#[test]
fn the_corpus_gives_the_bits_of_the_interpreter() {
    let Some(corpus) = shared() else { return println!("skipped: there is no shared folder with a corpus") };
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Lanes::<Portable>::default())];
    engines.extend(Avx2::new().map(|kernels| Box::new(Lanes::new(kernels)) as Box<dyn Engine>));
    engines.extend(Avx512::new().map(|kernels| Box::new(Lanes::new(kernels)) as Box<dyn Engine>));
    for isa in vecasm_native::Isa::ALL {
        engines.extend(Jit::new(isa).map(|jit| Box::new(jit) as Box<dyn Engine>));
    }
    let only = std::env::var("VECASM_ONLY").ok();
    let mut wrong = Vec::new();
    for isa in [Isa::Agal, Isa::D3d9, Isa::Nv2a, Isa::Tgsi] {
        let mut tallies: Vec<Tally> = engines.iter().map(|_| Tally::default()).collect();
        let (mut stages, mut failed, mut all) = (BTreeMap::<&str, usize>::new(), 0, 0);
        for (seed, (name, lifted)) in shaders(&corpus, isa).into_iter().enumerate() {
            if only.as_ref().is_some_and(|only| !name.contains(only)) {
                continue;
            }
            let passed = clean(&fold(&promote(&lifted)));
            for (shader, how, count) in [(&lifted, "as lifted", COUNT), (&passed, "after passes", 133)] {
                let file = RunFile::random(shader, count, seed as u64);
                let mut batch = file.batch();
                batch.fuel = Some(1000);
                let want = Interp.run(shader, &batch);
                *stages.entry(shader.stage.name()).or_default() += 1;
                all += 1;
                for (engine, tally) in engines.iter().zip(&mut tallies) {
                    let differs = match (engine.run(shader, &batch), &want) {
                        (Err(RunError::Unsupported(why)), _) => {
                            tally.refused.entry(why).or_default().push(name.clone());
                            continue;
                        }
                        (Ok(got), Ok(want)) => difference(shader, want, &got),
                        (got, want) if got.as_ref().err() == want.as_ref().err() => {
                            failed += 1;
                            None
                        }
                        (got, want) => Some(format!("{:?} and not {:?}", got.err(), want.as_ref().err())),
                    };
                    match differs {
                        None => tally.same += 1,
                        Some(what) => wrong.push(format!("{}: {name} {how}: {what}", engine.name())),
                    }
                }
            }
        }
        println!("{}: {all} shaders {stages:?}, {failed} runs refused as the interpreter does", isa.name());
        for (engine, Tally { same, refused }) in engines.iter().zip(&tallies) {
            println!("  {}: {same} the same", engine.name());
            let mut refused: Vec<_> = refused.iter().collect();
            refused.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
            for (why, names) in refused {
                println!("    {:>4} refused: {why} ({})", names.len(), names[0]);
            }
        }
    }
    let total = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{total} differ:\n{}", wrong.join("\n"));
}
