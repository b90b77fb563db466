//! `cargo xtask gallery`: a dozen programs of each instruction set in every target language, to look at.
//!
//! The pages of `docs/gallery` are committed, so that a change of a writer shows as a change of what it writes; `--check`
//! fails where one is not what the writers give. The index says how many statements stand for an instruction.

use crate::{Args, Outcome, root};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use vecasm::diag::Diagnostic;
use vecasm::emit::{glsl, hlsl, msl, spirv, wgsl};
use vecasm::ir::{Shader, Stage};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::opt::settle;
use vecasm_conformance::statements::{instructions, median, statements};

/// Twelve programs of each, by file without the folder: `examples` has it, or `docs/gallery/programs`.
const PROGRAMS: &[(Isa, [&str; 12])] = &[
    (
        Isa::Agal,
        [
            "anemone.vert",
            "cel.frag",
            "chrome.frag",
            "facets.frag",
            "galaxy.vert",
            "islands.frag",
            "julia.frag",
            "knot.vert",
            "lantern.frag",
            "marble.frag",
            "mirror.vert",
            "relative.vert",
        ],
    ),
    (
        Isa::D3d9,
        [
            "arcade.frag",
            "arcade.vert",
            "backdrop.vert",
            "body.vert",
            "lacquer.frag",
            "lacquer.vert",
            "phong.frag",
            "pond.frag",
            "print.frag",
            "shadow.frag",
            "skin.vert",
            "terrain.vert",
        ],
    ),
    (
        Isa::Nv2a,
        [
            "board", "fog", "glow", "lamp", "mist", "pearl", "plain", "serpent", "skin", "sparks", "steps",
            "bend",
        ],
    ),
    (
        Isa::Tgsi,
        [
            "bauble.frag",
            "bauble.sky.frag",
            "bauble.vert",
            "chenille.skin.frag",
            "chenille.vert",
            "glass.frag",
            "glass.vert",
            "heaven.frag",
            "studio.frag",
            "swell.vert",
            "verdigris.frag",
            "verdigris.vert",
        ],
    ),
];

/// The languages of text, and how a shader is written in one.
type Writer = fn(&Shader) -> Result<String, Diagnostic>;

const LANGUAGES: &[(&str, &str, Writer)] = &[
    ("WGSL", "wgsl", |s| wgsl::write(s, &wgsl::Options::default()).map(|o| o.source)),
    ("GLSL 430", "glsl", |s| glsl::write(s, &glsl::Options::default()).map(|o| o.source)),
    ("HLSL 5.0", "hlsl", |s| hlsl::write(s, &hlsl::Options::default()).map(|o| o.source)),
    ("MSL 2.1", "cpp", |s| msl::write(s, &msl::Options::default()).map(|o| o.source)),
];

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &[], &["check"]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    match run(args.flag("check")) {
        Ok(fine) => Outcome::of(fine),
        Err(why) => Outcome::Usage(why),
    }
}

fn run(check: bool) -> Result<bool, String> {
    let dis = Command::new("spirv-dis").arg("--version").output().is_ok_and(|out| out.status.success());
    if !dis {
        println!("  SKIPPED    SPIR-V: there is no spirv-dis");
    }
    let mut index = String::from(HEAD);
    let mut fine = true;
    for (isa, names) in PROGRAMS {
        let mut counts = Counts::default();
        let _ = writeln!(index, "\n## {}\n", isa.title());
        for name in names {
            let (program, source) = load(*isa, name)?;
            let shader = lifted(&program).map_err(|e| format!("{name}: {e}"))?;
            counts.add(&program, &shader);
            let page = page(*isa, name, &source, &shader, dis);
            let file = format!("{}/{name}.md", isa.name());
            let comment = source.lines().find(|line| line.starts_with([';', '/', '#']));
            let first = comment.unwrap_or_default().trim_start_matches([';', '/', '#', ' ']);
            let _ = writeln!(index, "- [{name}]({file}): {first}");
            fine &= put(check, dis, &file, &page)?;
        }
        let _ = writeln!(index, "\nStatements an instruction, median: {}.", counts.medians());
    }
    fine &= put(check, true, "README.md", &index)?;
    if !fine {
        println!("run `cargo xtask gallery` and commit the result");
    }
    Ok(fine)
}

const HEAD: &str = "# Gallery

<!-- Written by `cargo xtask gallery`. Edit the programs and the writers, not this file. -->

Programs of the four instruction sets, and their translations by `vecasm to` without flags. A page has the program, then
WGSL, GLSL, HLSL, MSL, and SPIR-V as `spirv-dis` shows it.

The medians count the statements and blocks between the braces of the entry point, against the instructions of the program
without its declarations and definitions.
";

fn load(isa: Isa, name: &str) -> Result<(AnyProgram, String), String> {
    let extension = if isa == Isa::Nv2a { "vsh" } else { isa.name() };
    let folders =
        ["docs/gallery/programs".into(), format!("examples/{}", isa.name()), "examples/wrong".into()];
    let files = folders.iter().map(|folder| root().join(folder).join(format!("{name}.{extension}")));
    let file: PathBuf = files.into_iter().find(|file| file.exists()).ok_or(format!("there is no {name}"))?;
    let source = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let stage = if name.ends_with(".frag") { Stage::Fragment } else { Stage::Vertex };
    let (program, findings) = AnyProgram::parse(isa, &source, Some(stage), None);
    let program = program.ok_or_else(|| format!("{}: {findings:?}", file.display()))?;
    Ok((program, source))
}

/// As `vecasm to` lifts it for a GPU.
fn lifted(program: &AnyProgram) -> Result<Shader, Diagnostic> {
    program.lift(&LiftOptions::for_gpus()).map(|shader| settle(shader, &[]))
}

fn page(isa: Isa, name: &str, source: &str, shader: &Shader, dis: bool) -> String {
    let mut out = format!("# {name}, {}\n\n```asm\n{}\n```\n", isa.title(), source.trim_end());
    for (title, fence, write) in LANGUAGES {
        let _ = match write(shader) {
            Ok(text) => writeln!(out, "\n## {title}\n\n```{fence}\n{}\n```", text.trim_end()),
            Err(why) => writeln!(out, "\n## {title}\n\nRefused: {why}"),
        };
    }
    if dis {
        let options = spirv::Options { names: true, ..spirv::Options::default() };
        let _ = match spirv::write(shader, &options) {
            Ok(output) => {
                let text = disassembled(&output.bytes()).unwrap_or_else(|why| why);
                writeln!(out, "\n## SPIR-V\n\n```spirv\n{}\n```", text.trim_end())
            }
            Err(why) => writeln!(out, "\n## SPIR-V\n\nRefused: {why}"),
        };
    }
    out
}

fn disassembled(bytes: &[u8]) -> Result<String, String> {
    let file = std::env::temp_dir().join(format!("vecasm-gallery-{}.spv", std::process::id()));
    std::fs::write(&file, bytes).map_err(|e| e.to_string())?;
    let out = Command::new("spirv-dis").arg("--no-header").arg("--no-indent").arg(&file).output();
    let _ = std::fs::remove_file(&file);
    Ok(String::from_utf8_lossy(&out.map_err(|e| e.to_string())?.stdout).into_owned())
}

/// Writes a page, or tells whether it is there. Without a disassembler the part that it shows is not compared.
fn put(check: bool, whole: bool, name: &str, text: &str) -> Result<bool, String> {
    let path = root().join("docs/gallery").join(name);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let same = if whole { old == text } else { old.starts_with(text) };
    if same {
        return Ok(true);
    }
    if check || !whole {
        println!("  FAILED     docs/gallery/{name}");
        return Ok(false);
    }
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.and_then(|()| std::fs::write(&path, text)).map_err(|e| format!("{name}: {e}"))?;
    println!("  written    docs/gallery/{name}");
    Ok(true)
}

/// Statements an instruction, by language.
#[derive(Default)]
struct Counts(BTreeMap<usize, Vec<f64>>);

impl Counts {
    fn add(&mut self, program: &AnyProgram, shader: &Shader) {
        let instructions = instructions(program);
        for (n, (_, _, write)) in LANGUAGES.iter().enumerate() {
            if let (Ok(text), 1..) = (write(shader), instructions) {
                self.0.entry(n).or_default().push(statements(&text) as f64 / instructions as f64);
            }
        }
    }

    fn medians(&mut self) -> String {
        let of = |(n, list): (&usize, &mut Vec<f64>)| format!("{} {:.2}", LANGUAGES[*n].0, median(list));
        self.0.iter_mut().map(of).collect::<Vec<_>>().join(", ")
    }
}
