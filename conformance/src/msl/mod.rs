//! Checking what the MSL writer writes, without Metal: MSL is a C++14, so a compiler of C++ that is given Metal's types and
//! functions (`metal_stdlib.h`) checks every name and type; and what it makes of a text is run on random values beside the
//! interpreter.
//!
//! The arguments and the fields of the structs are found by what stands in `[[…]]`, not by what the writer says of them.
//! Textures are unbound on both sides: a sample gives (0, 0, 0, 1). Texts that need more of them (texels, sizes,
//! gathering), derivatives or memory are compiled only. Functions that Metal computes with an error may differ by a few
//! units in the tenth bit.

mod driver;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use vecasm::emit::msl::Output;
use vecasm::ir::Shader;

/// Texts that are compiled together.
pub(crate) const TOGETHER: usize = 32;

/// Flags of each compilation. The compiler has to read `1.0` as a float, as Metal does.
const FLAGS: &[&str] = &[
    "-std=c++14",
    "-O0",
    "-fsingle-precision-constant",
    "-ffp-contract=off",
    "-Wno-attributes",
    "-Werror=return-type",
];

/// What is to be checked.
pub(crate) struct Job<'a> {
    pub(crate) id: &'a str,
    pub(crate) shader: &'a Shader,
    pub(crate) output: Output,
    /// What it is run on, if not on random values. Of those every bit counts.
    pub(crate) given: Option<&'a vecasm::exec::Batch<'a>>,
}

/// What became of a text.
pub(crate) enum Checked {
    /// It compiles.
    Compiled,
    /// It compiles and gives what the interpreter gives.
    Ran,
    Wrong(String),
}

/// A compiler of C++ and a folder for its files.
pub(crate) struct Judge {
    compiler: PathBuf,
    folder: PathBuf,
}

impl Judge {
    /// Compiles the library once, in a folder that is there.
    pub(crate) fn new(compiler: PathBuf, folder: &Path) -> Result<Self, String> {
        let judge = Self { compiler, folder: folder.to_path_buf() };
        let header = judge.folder.join("metal_stdlib");
        std::fs::write(&header, library()).map_err(|e| format!("{}: {e}", header.display()))?;
        let made = judge.folder.join("metal_stdlib.gch");
        judge.compile(&["-x", "c++-header"], &header, Some(&made))?;
        Ok(judge)
    }

    /// Checks all texts, on all processors.
    pub(crate) fn check(&self, jobs: &[Job<'_>]) -> Vec<Checked> {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let chunks: Vec<&[Job<'_>]> = jobs.chunks(TOGETHER).collect();
        let done = std::sync::Mutex::new(Vec::new());
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        let Some(chunk) = chunks.get(n) else { return };
                        let checked = self.check_together(n, chunk);
                        let Ok(mut done) = done.lock() else { return };
                        done.push((n, checked));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_default();
        done.sort_by_key(|(n, _)| *n);
        done.into_iter().flat_map(|(_, checked)| checked).collect()
    }

    /// Compiles and runs some texts as one program; one by one, if that does not compile. Calls at the same time have other `n`.
    pub(crate) fn check_together(&self, n: usize, jobs: &[Job<'_>]) -> Vec<Checked> {
        match self.run(n, jobs) {
            Ok(checked) => checked,
            Err(_) if jobs.len() > 1 => jobs
                .iter()
                .map(|job| {
                    let mut one = self
                        .run(n, std::slice::from_ref(job))
                        .unwrap_or_else(|why| vec![Checked::Wrong(why)]);
                    one.pop().unwrap_or(Checked::Compiled)
                })
                .collect(),
            Err(why) => vec![Checked::Wrong(why)],
        }
    }

    fn run(&self, n: usize, jobs: &[Job<'_>]) -> Result<Vec<Checked>, String> {
        let mut checked: Vec<Checked> = Vec::new();
        let mut runs = Vec::new();
        let mut text = String::from("#include \"metal_stdlib\"\n#include <cstdio>\n#include <vector>\n");
        text.push_str(driver::COMMON);
        let mut words = Vec::new();
        let mut results = 0;
        for (i, job) in jobs.iter().enumerate() {
            checked.push(match attributes_are_unique(&job.output.source) {
                Ok(()) => Checked::Compiled,
                Err(why) => Checked::Wrong(why),
            });
            // Writing to a String does not fail.
            let source = job.output.source.replace("#include <metal_stdlib>\n", "\n");
            let _ = write!(text, "namespace p{i} {{\n#line 1 \"{}\"\n{source}", job.id);
            if let Some(run) = driver::Run::new(job.shader, &job.output, job.given, &mut words, &mut results)
            {
                let _ = write!(text, "\n#line 1 \"driver\"\n{}", run.driver);
                runs.push((i, run));
            }
            text.push_str("\n}\n");
        }
        text.push_str("int main(int, char **files) {\n    std::vector<unsigned> w = read(files[1]);\n");
        let _ = writeln!(text, "    std::vector<unsigned> o({});", results.max(1));
        for (i, _) in &runs {
            let _ = writeln!(text, "    p{i}::drive(w.data(), o.data());");
        }
        text.push_str("    return write(files[2], o);\n}\n");
        let [code, program, given, taken] =
            ["cpp", "out", "given", "taken"].map(|e| self.folder.join(format!("msl-{n}.{e}")));
        let io = |file: &Path| {
            let file = file.display().to_string();
            move |e: std::io::Error| format!("{file}: {e}")
        };
        std::fs::write(&code, &text).map_err(io(&code))?;
        self.compile(&["-I", &self.folder.display().to_string()], &code, Some(&program))?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&given, bytes).map_err(io(&given))?;
        let status = Command::new(&program).args([&given, &taken]).status().map_err(io(&program))?;
        if !status.success() {
            return Err(format!("{}: {status}", program.display()));
        }
        let bytes = std::fs::read(&taken).map_err(io(&taken))?;
        let results: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        for (i, run) in runs {
            if matches!(checked[i], Checked::Compiled) {
                checked[i] = match run.compare(jobs[i].shader, &results) {
                    Ok(()) => Checked::Ran,
                    Err(why) => Checked::Wrong(format!("{why}, in\n{}", jobs[i].output.source)),
                };
            }
        }
        for file in [code, program, given, taken] {
            let _ = std::fs::remove_file(file);
        }
        Ok(checked)
    }

    fn compile(&self, more: &[&str], file: &Path, to: Option<&Path>) -> Result<(), String> {
        let mut command = Command::new(&self.compiler);
        command.args(FLAGS).args(more).arg(file);
        if let Some(to) = to {
            command.arg("-o").arg(to);
        }
        let output = command.output().map_err(|e| format!("{}: {e}", self.compiler.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(said.lines().filter(|line| line.contains("error")).take(5).collect::<Vec<_>>().join("; "))
    }
}

/// The library with all the members of vectors that have more than one lane.
fn library() -> String {
    let mut text = include_str!("metal_stdlib.h").to_string();
    for lanes in 2..=4usize {
        let mut members = String::new();
        for count in 2..=4u32 {
            for n in 0..lanes.pow(count) {
                let of: Vec<usize> = (0..count).rev().map(|i| n / lanes.pow(i) % lanes).collect();
                let name: String = of.iter().map(|lane| ['x', 'y', 'z', 'w'][*lane]).collect();
                let of: Vec<String> = of.iter().map(usize::to_string).collect();
                let _ = write!(members, "swizzle<vec<T, {count}>, T, {lanes}, {}> {name}; ", of.join(", "));
            }
        }
        text = text.replace(&format!("        SWIZZLES{lanes}\n"), &format!("        {members}\n"));
    }
    text
}

/// No two fields of a struct and no two arguments of the entry point are at one place.
fn attributes_are_unique(source: &str) -> Result<(), String> {
    let mut there: Vec<&str> = Vec::new();
    for line in source.lines() {
        if line.ends_with('{') {
            there.clear();
        }
        let Some((_, rest)) = line.split_once("[[") else { continue };
        let attribute = rest.split("]]").next().unwrap_or_default();
        // How something is interpolated is no place.
        let place = attribute.split(", ").next().unwrap_or_default();
        let place = if attribute.contains("index(") { attribute } else { place };
        if there.contains(&place) {
            return Err(format!("two things are at [[{place}]]"));
        }
        there.push(place);
    }
    Ok(())
}
