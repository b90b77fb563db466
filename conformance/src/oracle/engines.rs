//! The programs of the corpus give the bits of the interpreter in every other engine, as lifted and after passes.
//!
//! What an engine refuses is counted by its reason, in the notes.

use super::{File, guarded};
use common::difference;
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
#[cfg(target_arch = "x86_64")]
use vecasm_native::{Avx2, Avx512, Jit};

#[path = "../../../crates/vecasm-native/tests/common/mod.rs"]
mod common;

/// Invocations of each program: half of them ordinary, half with special values; no whole blocks.
const COUNT: usize = 1024 + 5;

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

/// Every engine that this machine can run beside the interpreter.
fn engines() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Lanes::<Portable>::default())];
    #[cfg(target_arch = "x86_64")]
    {
        engines.extend(Avx2::new().map(|kernels| Box::new(Lanes::new(kernels)) as Box<dyn Engine>));
        engines.extend(Avx512::new().map(|kernels| Box::new(Lanes::new(kernels)) as Box<dyn Engine>));
        for isa in vecasm_native::Isa::ALL {
            engines.extend(Jit::new(isa).map(|jit| Box::new(jit) as Box<dyn Engine>));
        }
    }
    engines
}

/// `corpus/<isa>`: AGAL.
pub(crate) fn agal(shared: &Path) -> Vec<File<'_>> {
    compare(shared, Isa::Agal)
}

/// `corpus/<isa>`: Direct3D.
pub(crate) fn d3d9(shared: &Path) -> Vec<File<'_>> {
    compare(shared, Isa::D3d9)
}

/// `corpus/<isa>`: NV2A.
pub(crate) fn nv2a(shared: &Path) -> Vec<File<'_>> {
    compare(shared, Isa::Nv2a)
}

/// `corpus/<isa>`: TGSI.
pub(crate) fn tgsi(shared: &Path) -> Vec<File<'_>> {
    compare(shared, Isa::Tgsi)
}

fn compare(shared: &Path, isa: Isa) -> Vec<File<'_>> {
    let mut file = File::new(format!("corpus/{} (engines)", isa.name()));
    for (seed, (name, lifted)) in shaders(&shared.join("corpus"), isa).into_iter().enumerate() {
        let passed = clean(&fold(&promote(&lifted)));
        for (shader, how, count) in [(lifted, "as lifted", COUNT), (passed, "after passes", 133)] {
            file.add(format!("{name} {how}"), move |report, row| {
                let inputs = RunFile::random(&shader, count, seed as u64);
                let mut batch = inputs.batch();
                batch.fuel = Some(1000);
                let want = Interp.run(&shader, &batch);
                for (n, engine) in engines().iter().enumerate() {
                    let id = format!("{} {row}", engine.name());
                    guarded(report, &id, |report| {
                        let outcome = match (engine.run(&shader, &batch), &want) {
                            (Err(RunError::Unsupported(why)), _) => {
                                return report.count(format!("{n}\t{} refuses\t{why}", engine.name()), 1);
                            }
                            (Ok(got), Ok(want)) => difference(&shader, want, &got).map_or(Ok(()), Err),
                            (got, want) if got.as_ref().err() == want.as_ref().err() => Ok(()),
                            (got, want) => Err(format!("{:?} and not {:?}", got.err(), want.as_ref().err())),
                        };
                        report.case(&id, outcome);
                    });
                }
            });
        }
    }
    // What was refused, engine by engine.
    file.summarize(|report| {
        for (what, count) in &report.counts {
            let parts: Vec<&str> = what.splitn(3, '\t').collect();
            if let [_, engine, why] = parts[..] {
                report.notes.push(format!("{engine} {count}: {why}"));
            }
        }
        report.absent = report.passed == 0 && report.failures.is_empty();
    });
    vec![file]
}
