//! What the verbs give for an example.

use super::stem;
use crate::args::ReadingArgs;
use crate::cmd::{info, why};
use crate::drawing::{self, Files};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::{Failure, Outcome, io};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vecasm::diag::{self, Diagnostic};
use vecasm::emit::wgsl;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Engine, Outputs};
use vecasm::ir::{self, Shader, Stage};
use vecasm::isa::AnyProgram;
use vecasm::isa::any::CheckOptions;
use vecasm::open::AssumedNotation;
use vecasm::opt;

/// Invocations of the trial run.
const INVOCATIONS: usize = 4;
/// Its seed.
const SEED: u64 = 1;

/// A scene with its programs.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) pairs: Vec<Pair>,
    pub(super) png: Option<Vec<u8>>,
    pub(super) size: (u32, u32),
    pub(super) drawn_in: Duration,
    /// What went wrong; empty in a good example.
    pub(super) problems: Vec<String>,
}

/// A vertex and a fragment program that are used together, and those between them. Where the instruction set has fixed functions behind the
/// vertex program, it may stand alone.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) vertex: Program,
    /// The tessellation and geometry programs between the two.
    pub(super) between: Vec<Program>,
    pub(super) fragment: Option<Program>,
    pub(super) linkage: Vec<Diagnostic>,
    pub(super) wgsl: String,
}

/// A program, and what the verbs make of it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) file: String,
    pub(super) loaded: Loaded,
    pub(super) text: String,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) ir: String,
    pub(super) info: Value,
    pub(super) run: Option<(Shader, Outputs)>,
    /// Lines that `fmt` would lay out differently.
    pub(super) relaid: usize,
}

impl Example {
    /// Takes a scene and its programs through every verb.
    pub(super) fn gather(path: &Path) -> Outcome<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let bytes = io::read(path)?.bytes().to_vec();
        let scene: Value = serde_json::from_slice(&bytes)
            .map_err(|error| Failure::usage(format!("{}: {error}", io::shown(path))))?;
        let word = |key: &str| scene[key].as_str().unwrap_or_default().to_string();
        let mut out = Self {
            name: stem(path),
            title: word("title"),
            description: word("description"),
            pairs: Vec::new(),
            png: None,
            size: (0, 0),
            drawn_in: Duration::ZERO,
            problems: Vec::new(),
        };
        if out.title.is_empty() {
            out.title.clone_from(&out.name);
        }
        let mut names = Vec::new();
        pairs(&scene, &Names::default(), &mut names);
        for Names { vertex, between, fragment } in names {
            let mut gather = |name: &str| -> Outcome<Option<Program>> {
                match Program::gather(&folder.join(name))? {
                    Ok(program) => Ok(Some(program)),
                    Err(problem) => {
                        out.problems.push(problem);
                        Ok(None)
                    }
                }
            };
            let Some(vertex) = vertex else { continue };
            let (vertex, there) = (gather(vertex)?, fragment.map(&mut gather).transpose()?);
            let mut others = Vec::new();
            for name in between.into_iter().flatten() {
                others.extend(gather(name)?);
            }
            // A program that has no meaning was reported.
            if let (Some(vertex), None | Some(Some(_))) = (vertex, &there) {
                let pair = Pair::gather(vertex, others, there.flatten(), &mut out.problems);
                out.pairs.push(pair);
            }
        }
        let started = Instant::now();
        let mut files = Files::new(folder, ReadingArgs::default(), LiftArgs::default());
        match drawing::draw(&bytes, &mut files, None) {
            Ok(picture) => {
                out.drawn_in = started.elapsed();
                out.size = (picture.width, picture.height);
                let png = drawing::png(&picture).map_err(|error| Failure::usage(error.to_string()))?;
                out.png = Some(png);
            }
            Err(error) => out.problems.push(error.to_string()),
        }
        Ok(out)
    }

    /// The file of the picture.
    pub(super) fn picture(&self) -> String {
        format!("{}.png", self.name)
    }

    /// All programs.
    pub(super) fn programs(&self) -> impl Iterator<Item = &Program> {
        self.pairs.iter().flat_map(Pair::programs)
    }

    /// Instructions of all programs.
    pub(super) fn instructions(&self) -> usize {
        self.programs().map(|p| p.loaded.program.instruction_count()).sum()
    }
}

/// What a scene names its programs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Names<'v> {
    vertex: Option<&'v str>,
    /// By [`BETWEEN`].
    between: [Option<&'v str>; BETWEEN.len()],
    fragment: Option<&'v str>,
}

/// The keys of the stages between the vertex and the fragment stage.
const BETWEEN: [&str; 3] = ["tess_control", "tess_eval", "geometry"];

/// The programs of a scene that are used together, each once: draws and passes take what they do not say from around them.
fn pairs<'v>(node: &'v Value, outer: &Names<'v>, out: &mut Vec<Names<'v>>) {
    let name = |key: &str, outer: Option<&'v str>| node[key].as_str().or(outer);
    let names = Names {
        vertex: name("vertex", outer.vertex),
        between: core::array::from_fn(|n| name(BETWEEN[n], outer.between[n])),
        fragment: name("fragment", outer.fragment),
    };
    for key in ["passes", "draws"] {
        if let Some(inner) = node[key].as_array() {
            for inner in inner {
                pairs(inner, &names, out);
            }
            return;
        }
    }
    if names.vertex.is_some() && !out.contains(&names) {
        out.push(names);
    }
}

impl Pair {
    /// The vertex program, those behind it, and the fragment program if there is one.
    pub(super) fn programs(&self) -> impl Iterator<Item = &Program> {
        core::iter::once(&self.vertex).chain(&self.between).chain(&self.fragment)
    }

    fn gather(
        mut vertex: Program,
        mut between: Vec<Program>,
        mut fragment: Option<Program>,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut linkage = Vec::new();
        let options = CheckOptions::default();
        match &mut fragment {
            // What is behind a vertex program is linked where that is the fragment program.
            Some(fragment) if !between.is_empty() => {
                let all = [&mut vertex, fragment].into_iter().chain(&mut between);
                for program in all {
                    program.findings = program.loaded.program.validate(&options);
                }
            }
            Some(fragment) => {
                let (v, f) = (&vertex.loaded.program, &fragment.loaded.program);
                if let Some(findings) = AnyProgram::validate_pair(v, f, &options) {
                    vertex.findings = findings.vertex;
                    fragment.findings = findings.fragment;
                    linkage = findings.linkage;
                }
            }
            None => vertex.findings = vertex.loaded.program.validate(&options),
        }
        let of_fragment = fragment.as_ref().map_or(&[][..], |f| f.findings.as_slice());
        let of_between = between.iter().map(|program| program.findings.as_slice());
        for list in [vertex.findings.as_slice(), of_fragment, &linkage].into_iter().chain(of_between) {
            let errors = list.iter().filter(|d| d.severity == diag::Severity::Error);
            problems.extend(errors.map(ToString::to_string));
        }
        let mut wgsl = String::new();
        let written = match fragment.as_ref().map(|f| &f.run) {
            // WGSL has none of the stages between.
            _ if !between.is_empty() => None,
            Some(Some((f, _))) => vertex.run.as_ref().map(|(v, _)| (v.clone(), f.clone())),
            Some(None) => None,
            None => vertex.alone(),
        };
        if let Some((v, f)) = written {
            let (mut v, mut f) = (opt::settle(v, &[]), opt::settle(f, &[]));
            vertex.loaded.program.isa().link(&mut v, &mut f);
            match wgsl::write_pair(&v, &f, &wgsl::Options::default()) {
                Ok(output) => wgsl = output.source,
                Err(finding) => problems.push(finding.to_string()),
            }
        }
        Self { vertex, between, fragment, linkage, wgsl }
    }
}

impl Program {
    /// Takes a program through the verbs; the inner error says why it has no meaning.
    fn gather(path: &Path) -> Outcome<Result<Self, String>> {
        let file = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let loaded = match load::read(io::read(path)?, &ReadingArgs::default(), AssumedNotation::Text)? {
            Ok(loaded) => loaded,
            Err((_, findings)) => {
                let first = findings.first().map_or_else(String::new, ToString::to_string);
                return Ok(Err(format!("{file}: {first}")));
            }
        };
        let program = &loaded.program;
        let isa = program.isa();
        let printed = isa.dialects().first().and_then(|dialect| program.print(dialect)).unwrap_or_default();
        let (again, _) = AnyProgram::parse(isa, &printed, None, None);
        if again.as_ref() != Some(program) {
            return Ok(Err(format!("{file}: the disassembly does not assemble to the same program")));
        }
        if AnyProgram::decode(isa, &program.encode()).as_ref() != Ok(program) {
            return Ok(Err(format!("{file}: the bytes do not decode to the same program")));
        }
        let text = loaded.program.text().map_or(printed, ToString::to_string);
        let laid_out = match isa.format(&text) {
            Ok(laid_out) => laid_out,
            Err(_) => return Ok(Err(format!("{file}: fmt does not read it"))),
        };
        let (again, _) = AnyProgram::parse(isa, &laid_out, None, None);
        if again.as_ref() != Some(program) {
            return Ok(Err(format!("{file}: fmt changes the program")));
        }
        let relaid = laid_out.lines().zip(text.lines()).filter(|(a, b)| a != b).count();
        let info = serde_json::json!(info::info(&loaded, &LiftArgs::default()));
        let shader = match program.lift(&LiftArgs::default().options(Purpose::Run)) {
            Ok(shader) => shader,
            Err(finding) => return Ok(Err(format!("{file}: {finding}"))),
        };
        let ir = ir::text::print(&shader);
        let on = RunFile::random(&shader, INVOCATIONS, SEED);
        let run = match Interp.run(&shader, &on.batch()) {
            Ok(outputs) => Some((shader, outputs)),
            Err(error) => return Ok(Err(format!("{file}: {error}"))),
        };
        Ok(Ok(Self { file, loaded, text, findings: Vec::new(), ir, info, run, relaid }))
    }
}

impl Program {
    /// The vertex shader as a GPU wants it, and the fragment shader behind it.
    fn alone(&self) -> Option<(Shader, Shader)> {
        let program = &self.loaded.program;
        let vertex = program.lift(&LiftArgs::default().options(Purpose::Gpu)).ok()?;
        let fragment = program.isa().default_fragment(&vertex, true)?;
        Some((vertex, fragment))
    }
}

/// A program that runs, but not as it was meant to.
#[derive(Debug)]
pub(super) struct FaultyProgram {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) isa: vecasm::isa::Isa,
    /// What `why` says.
    pub(super) explanation: String,
}

impl FaultyProgram {
    /// Explains programs on the run files beside them, NAME.input.json for NAME.
    pub(super) fn gather(inputs: &[PathBuf]) -> Outcome<Vec<Self>> {
        let mut out = Vec::new();
        for given in inputs {
            let folder = given.parent().unwrap_or(Path::new(""));
            let names = [".frag.agal", ".frag.d3d9", ".vsh"].map(|end| stem(given) + end);
            let Some(file) = names.into_iter().find(|name| folder.join(name).is_file()) else {
                return Err(Failure::usage(format!("{}: no program beside it", io::shown(given))));
            };
            let input = io::read(&folder.join(&file))?;
            let text = input.text()?.to_string();
            let bad = |why: String| Failure::usage(format!("{file}: {why}"));
            let loaded = load::read(input, &ReadingArgs::default(), AssumedNotation::Text)?.map_err(
                |(_, findings)| bad(findings.first().map_or_else(String::new, ToString::to_string)),
            )?;
            let isa = loaded.program.isa();
            let explanation = why::explained(loaded, io::read(given)?.text()?).map_err(bad)?;
            out.push(Self { file, text, isa, explanation });
        }
        Ok(out)
    }
}

/// Programs that a player refuses: one alone, or a pair that does not link.
#[derive(Debug)]
pub(super) struct RefusedExample {
    pub(super) title: String,
    pub(super) programs: Vec<BadProgram>,
    pub(super) linkage: Vec<Diagnostic>,
}

/// A program and what is wrong with it.
#[derive(Debug)]
pub(super) struct BadProgram {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) isa: vecasm::isa::Isa,
    pub(super) findings: Vec<Diagnostic>,
}

impl RefusedExample {
    /// Checks the programs. Two files with the same stem are a pair.
    pub(super) fn gather(files: &[PathBuf]) -> Outcome<Vec<Self>> {
        let mut out: Vec<Self> = Vec::new();
        let mut done: Vec<String> = Vec::new();
        for file in files {
            let name = stem(file);
            if done.contains(&name) {
                continue;
            }
            done.push(name.clone());
            let same: Vec<&PathBuf> = files.iter().filter(|f| stem(f) == name).collect();
            out.push(Self::one(&name, &same)?);
        }
        Ok(out)
    }

    fn one(name: &str, files: &[&PathBuf]) -> Outcome<Self> {
        let options = CheckOptions::default();
        let mut programs = Vec::new();
        let mut loaded = Vec::new();
        for path in files {
            let input = io::read(path)?;
            let text = input.text()?.to_string();
            let file = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            let isa = load::text_isa(&input, &text, &ReadingArgs::default())?;
            let findings = match load::read(input, &ReadingArgs::default(), AssumedNotation::Text)? {
                Ok(good) => {
                    let mut findings = good.program.validate(&options);
                    good.place(&mut findings);
                    loaded.push(good);
                    findings
                }
                Err((_, findings)) => findings,
            };
            programs.push(BadProgram { file, text, isa, findings });
        }
        let mut linkage = Vec::new();
        loaded.sort_by_key(|l| l.program.stage() != Stage::Vertex);
        if let [vertex, fragment] = loaded.as_slice() {
            if let Some(findings) = AnyProgram::validate_pair(&vertex.program, &fragment.program, &options) {
                linkage = findings.linkage;
            }
        }
        programs.sort_by_key(|p| !p.file.contains(".vert."));
        Ok(Self { title: name.replace('-', " "), programs, linkage })
    }
}
