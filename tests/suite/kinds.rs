//! The kinds of test files, and the tests about the files as a whole.

use crate::case::{self, Case, Kind, neighbours, place, repeated};
use crate::exec::{Bound, ReusedInterp, Run, alike};
use crate::properties::presentable;
use crate::{d3d9, eqv, nv2a, tgsi};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vecasm::diag::{Diagnostic, Rule, Severity};
use vecasm::emit::{glsl, hlsl, msl, wgsl};
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::ir::Shader;
use vecasm::ir::verify::verify;
use vecasm::isa::agal::bytes::{decode, encode};
use vecasm::isa::agal::lift::{Depth, Ifg, Numerics, OffsetByte, Options, lift};
use vecasm::isa::agal::program::Program;
use vecasm::isa::agal::rules::{self, ByteOrder, Generation, Profile, link, validate, validate_bytes};
use vecasm::isa::agal::text::{self, Assembler, CompatOptions, MacroOptions, ParseOptions, Style, macros};
use vecasm::isa::{Isa, parse_hex, to_hex};
use vecasm::opt::{clean, fold};

/// What a file of kind `bad` may say.
const BAD: &[&str] = &[
    "at",
    "message",
    "passes",
    "profile",
    "generation",
    "set",
    "endian",
    "hex",
    "repeat",
    "lift",
    "compat",
    "macro",
];

const KINDS: &[Kind] = &[
    Kind { word: "bad", directives: BAD, run: run_bad },
    Kind { word: "asm", directives: &["token", "header"], run: run_asm },
    Kind { word: "compat", directives: &["token", "header", "error", "warning"], run: run_compat },
    Kind { word: "macro", directives: &["line", "constant", "token", "header"], run: run_macro },
    Kind { word: "bytes", directives: &["hex"], run: run_bytes },
    Kind { word: "to", directives: &["numerics"], run: run_to },
    Kind { word: "ir", directives: &["run", "texture", "triangle"], run: crate::ir::run },
    Kind { word: "exec", directives: &["run", "texture", "numerics", "ifg", "offset"], run: run_exec },
    crate::fmt::AGAL,
    crate::why::AGAL,
];

/// Every engine. A test of execution runs on each.
const ENGINES: &[&dyn Engine] = &[&Interp, &ReusedInterp];

/// The extensions of test files, which mark examples of the manual, too, and the kinds of test that such files have.
const EXTENSIONS: [(&str, &[Kind]); 6] = [
    ("agal", KINDS),
    ("ir", KINDS),
    ("nv2a", nv2a::KINDS),
    ("d3d9", d3d9::KINDS),
    ("tgsi", tgsi::KINDS),
    ("eqv", eqv::KINDS),
];

/// The kinds of test that files with an extension have.
pub(crate) fn find_kinds(extension: &str) -> Option<&'static [Kind]> {
    EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, kinds)| *kinds)
}

fn kinds_of(file: &Path) -> Option<&'static [Kind]> {
    find_kinds(file.extension()?.to_str()?)
}

/// Whether a file is a test of its own.
pub(crate) fn is_case(file: &Path) -> bool {
    kinds_of(file).is_some()
}

pub(crate) fn run_file(root: &Path, file: &Path) -> Result<(), String> {
    let path = root.join(file);
    let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
    case::run(kinds_of(file).unwrap_or(KINDS), &text, Some(&path))
}

/// The binaries of the programs of a test file that assemble, for use as seeds.
pub(crate) fn programs(text: &str) -> Vec<Vec<u8>> {
    let Ok(case) = Case::parse(text) else { return Vec::new() };
    case.programs.iter().filter_map(|p| strict(p).ok()).map(|p| encode(&p)).collect()
}

/// The program of a case that has one.
fn only(case: &Case) -> Result<Program, String> {
    match &case.programs[..] {
        [program] => strict(program),
        programs => Err(format!("{} programs, not one", programs.len())),
    }
}

fn listed(findings: &[Diagnostic], text: &str) -> String {
    let line = |d: &Diagnostic| {
        format!("\n  {}{d} ({})", if d.first { "first: " } else { "" }, place(d, text, "token"))
    };
    findings.iter().map(line).collect()
}

fn run_asm(case: &Case) -> Result<(), String> {
    let program = only(case)?;
    expect_bytes(case, &encode(&program))?;
    round_trips(&program).map(|_| ())
}

/// Compares with the `header` and `token` directives.
fn expect_bytes(case: &Case, bytes: &[u8]) -> Result<(), String> {
    let program = decode(bytes).map_err(|e| e.to_string())?;
    if let Some(header) = case.one("header")? {
        if to_hex(program.header.bytes()) != header.value.replace(' ', "") {
            return Err(format!("the header is {}", to_hex(program.header.bytes())));
        }
    }
    let tokens: Vec<String> = case.all("token").map(|d| d.value.replace(' ', "")).collect();
    for (i, wanted) in tokens.iter().enumerate() {
        let got = program.tokens.get(i).map(|t| to_hex(&t.to_bytes())).unwrap_or_default();
        if got != *wanted {
            return Err(format!("token {}\n  is  {got}\n  not {wanted}", i + 1));
        }
    }
    if tokens.is_empty() || tokens.len() != program.tokens.len() {
        return Err(format!("{} tokens, {} `token` lines", program.tokens.len(), tokens.len()));
    }
    Ok(())
}

fn run_compat(case: &Case) -> Result<(), String> {
    let [_, assembler, mode, version] = &case.words[..] else {
        return Err("line 1: `// test: compat ASSEMBLER MODE VERSION`".into());
    };
    let assembler =
        assembler.parse::<Assembler>().map_err(|_| format!("no assembler is called {assembler}"))?;
    let version = version.parse().map_err(|_| format!("{version} is no version"))?;
    let out = text::assemble(&case.body, &CompatOptions { assembler, mode, version, ignore_limits: false });
    for finding in out.diagnostics() {
        presentable(&finding, "case", Some(&case.body));
    }
    let warnings: Vec<&str> = case.all("warning").map(|d| d.value.as_str()).collect();
    if out.warnings.iter().map(|w| w.trim()).collect::<Vec<_>>() != warnings {
        return Err(format!("the warnings are {:?}", out.warnings));
    }
    match (case.one("error")?, out.error) {
        (None, None) => expect_bytes(case, &out.bytes),
        (Some(wanted), Some(got)) => {
            // A line break of the message is written as \n.
            let got = got.to_string().replace('\n', "\\n");
            if got == wanted.value {
                Ok(())
            } else {
                Err(format!("the error is\n  {got}\nnot\n  {}", wanted.value))
            }
        }
        (None, Some(got)) => Err(got.to_string()),
        (Some(_), None) => Err("assembles".into()),
    }
}

fn run_macro(case: &Case) -> Result<(), String> {
    let [_, mode] = &case.words[..] else { return Err("line 1: `// test: macro MODE`".into()) };
    let (out, findings) = text::assemble_macros(&case.text, &ParseOptions::default(), &macro_mode(mode)?);
    let out = out.ok_or_else(|| listed(&findings, &case.text))?;
    let lines: Vec<&str> = case.all("line").map(|d| d.value.as_str()).collect();
    if lines.is_empty() || lines != out.expanded.text.lines().collect::<Vec<_>>() {
        return Err(format!("expands to\n{}", out.expanded.text));
    }
    let written = |c: &macros::Constant| {
        let values: Vec<String> = c.values.iter().map(ToString::to_string).collect();
        format!("{} {}=({})", c.name, c.register, values.join(","))
    };
    let constants: Vec<String> = out.expanded.constants.iter().map(written).collect();
    if case.all("constant").map(|d| d.value.as_str()).collect::<Vec<_>>() != constants {
        return Err(format!("the constants are {constants:?}"));
    }
    round_trips(&out.program)?;
    match case.all("token").next() {
        Some(_) => expect_bytes(case, &encode(&out.program)),
        None => Ok(()),
    }
}

/// `strict` or `compat`.
fn macro_mode(word: &str) -> Result<MacroOptions<'static>, String> {
    let mode = match word {
        "strict" => macros::Mode::Strict,
        "compat" => macros::Mode::Compat,
        other => return Err(format!("macros are read strict or compat, not {other}")),
    };
    Ok(MacroOptions { mode, ..MacroOptions::default() })
}

fn run_bytes(case: &Case) -> Result<(), String> {
    let hex: String = case.all("hex").map(|d| d.value.as_str()).collect::<Vec<_>>().join(" ");
    let bytes = parse_hex(&hex).ok_or("no `hex` line, or not hexadecimal")?;
    let program = decode(&bytes).map_err(|e| e.to_string())?;
    let printed = printed(&program);
    if printed != case.body.trim_start_matches('\n') {
        return Err(format!("prints as\n{printed}"));
    }
    if encode(&round_trips(&program)?) != bytes {
        return Err("other bytes come back".into());
    }
    Ok(())
}

fn printed(program: &Program) -> String {
    text::print(program, &text::PrintOptions { style: Style::Lossless })
}

/// Takes a program through its text and its bytes, and hands back what comes out, which must be the same.
fn round_trips(program: &Program) -> Result<Program, String> {
    let again = decode(&encode(program)).map_err(|e| e.to_string())?;
    if again != *program {
        return Err("encode and decode give another program".into());
    }
    let printed = printed(&again);
    let again = strict(&printed).map_err(|e| format!("what was printed does not parse: {e}\n{printed}"))?;
    if again != *program {
        return Err(format!("print and parse give another program\n{printed}"));
    }
    Ok(again)
}

/// Lifting as the directives ask for it.
fn lift_options(case: &Case) -> Result<Options, String> {
    let mut options = Options::default();
    if let Some(d) = case.one("numerics")? {
        options.numerics = match d.value.as_str() {
            "flash" => Numerics::Flash,
            "ieee" => Numerics::Ieee,
            other => return Err(format!("line {}: no numerics are called {other}", d.line)),
        };
    }
    Ok(options)
}

/// A program, or a pair, and the text it is translated to, which stands in the file beside it. With `BLESS=1` that
/// file is written instead of compared.
fn run_to(case: &Case) -> Result<(), String> {
    let options = lift_options(case)?;
    let shaders: Vec<Shader> =
        case.programs.iter().map(|p| shader(&strict(p)?, &options)).collect::<Result<_, _>>()?;
    translated(case, &shaders)
}

/// Translates a shader, or a vertex and a fragment shader, to each target that the first line names, and compares that with
/// the file beside the program, or writes it.
pub(crate) fn translated(case: &Case, shaders: &[Shader]) -> Result<(), String> {
    if case.words.len() < 2 {
        return Err("line 1: `// test: to TARGET …`".into());
    }
    for target in case.words.iter().skip(1) {
        compared(case, target, &written(target, shaders)?)?;
    }
    Ok(())
}

/// The text of shaders in a language, in a version of it: `glsl-100es`. Stages that a target writes one by one follow each
/// other.
fn written(target: &str, shaders: &[Shader]) -> Result<String, String> {
    let (language, version) = target.split_once('-').unwrap_or((target, ""));
    let no_target = || format!("line 1: no target is called {target}");
    let each = |write: &dyn Fn(&Shader) -> Result<String, Diagnostic>| {
        let texts: Result<Vec<String>, Diagnostic> = shaders.iter().map(write).collect();
        texts.map(|texts| texts.join("\n")).map_err(|e| e.to_string())
    };
    match (language, shaders) {
        ("wgsl", [one]) if version.is_empty() => {
            wgsl::write(one, &wgsl::Options::default()).map(|output| output.source).map_err(|e| e.to_string())
        }
        ("wgsl", [vertex, fragment]) if version.is_empty() => {
            let output = wgsl::write_pair(vertex, fragment, &wgsl::Options::default());
            output.map(|output| output.source).map_err(|e| e.to_string())
        }
        ("wgsl", _) => Err(format!("{} programs, not one or two", shaders.len())),
        ("glsl", _) => {
            let mut options = glsl::Options::default();
            if !version.is_empty() {
                options.version = version.parse::<glsl::Version>().map_err(|_| no_target())?;
            }
            each(&|shader| glsl::write(shader, &options).map(|output| output.source))
        }
        ("hlsl", _) => {
            let mut options = hlsl::Options::default();
            if !version.is_empty() {
                options.model = version.parse::<hlsl::Model>().map_err(|_| no_target())?;
            }
            each(&|shader| hlsl::write(shader, &options).map(|output| output.source))
        }
        ("msl", _) => {
            let mut options = msl::Options::default();
            if !version.is_empty() {
                options.version = version.parse::<msl::Version>().map_err(|_| no_target())?;
            }
            each(&|shader| msl::write(shader, &options).map(|output| output.source))
        }
        _ => Err(no_target()),
    }
}

/// Compares a translation with the file beside the program, or writes it.
fn compared(case: &Case, target: &str, written: &str) -> Result<(), String> {
    let path =
        case.path.as_ref().ok_or("a translation stands in a file beside the program")?.with_extension(target);
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        return std::fs::write(&path, written).map_err(|e| e.to_string());
    }
    let expected =
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}; BLESS=1 writes it", path.display()))?;
    let differs = written.lines().zip(expected.lines()).position(|(a, b)| a != b);
    match differs {
        Some(n) => Err(format!(
            "line {} is\n  {}\nnot\n  {}",
            n + 1,
            written.lines().nth(n).unwrap_or(""),
            expected.lines().nth(n).unwrap_or("")
        )),
        None if written != expected => Err("one text is longer than the other".into()),
        None => Ok(()),
    }
}

fn run_exec(case: &Case) -> Result<(), String> {
    let mut options = lift_options(case)?;
    if let Some(d) = case.one("ifg")? {
        options.ifg = match d.value.as_str() {
            "greater" => Ifg::Greater,
            "greater-equal" => Ifg::GreaterEqual,
            other => return Err(format!("line {}: ifg is not {other}", d.line)),
        };
    }
    if let Some(d) = case.one("offset")? {
        options.offset = match d.value.as_str() {
            "signed" => OffsetByte::Signed,
            "unsigned" => OffsetByte::Unsigned,
            other => return Err(format!("line {}: offsets are not {other}", d.line)),
        };
    }
    let program = only(case)?;
    let textures: Vec<Bound> = case
        .all("texture")
        .map(|d| Bound::parse(&d.value).map_err(|e| format!("line {}: {e}", d.line)))
        .collect::<Result<_, _>>()?;
    let again = round_trips(&program)?;
    let mut runs = 0;
    let lean = shader(&program, &options)?;
    let full = shader(&program, &Options { depth: Depth::Full, ..options })?;
    crate::lowered::run_lowered(case, &textures, &lean)?;
    for (which, shader) in [
        (" after the round trip", shader(&again, &options)?),
        (" folded and cleaned", clean(&fold(&lean))),
        (" with the step table, cleaned", clean(&full)),
        (" with the step table", full),
        ("", lean),
    ] {
        for d in case.all("run") {
            let run = Run::parse(&d.value).map_err(|e| format!("line {}: {e}", d.line))?;
            let batch = run.batch(&shader, &textures).map_err(|e| format!("line {}: {e}", d.line))?;
            for engine in ENGINES {
                let name = engine.name();
                let outputs = engine
                    .run(&shader, &batch)
                    .map_err(|e| format!("line {}: {name}{which}: {e}", d.line))?;
                run.compare(&shader, &outputs).map_err(|e| format!("line {}: {name}{which}: {e}", d.line))?;
                alike(&shader, &batch, &outputs).map_err(|e| format!("line {}{which}: {e}", d.line))?;
                runs += 1;
            }
        }
    }
    if runs == 0 { Err("no `run` line".into()) } else { Ok(()) }
}

fn shader(program: &Program, options: &Options) -> Result<Shader, String> {
    let shader = lift(program, options).map_err(|e| e.to_string())?;
    match verify(&shader).first() {
        Some(breach) => Err(format!("breaks a rule of the IR: {breach}")),
        None => Ok(shader),
    }
}

/// Every file below `tests/` is read by some test: sources of the harness, the manual, cases, and what stands
/// beside a case that names it.
pub(crate) fn consumed(root: &Path, files: &[PathBuf], cases: &[PathBuf]) -> Result<(), String> {
    let mut sidecars = BTreeSet::new();
    for case in cases {
        let text = std::fs::read_to_string(root.join(case)).map_err(|e| e.to_string())?;
        let words = Case::parse(&text).map(|c| c.words).unwrap_or_default();
        if let [kind, targets @ ..] = &words[..] {
            if kind == "to" {
                sidecars.extend(targets.iter().map(|target| case.with_extension(target)));
            }
        }
    }
    let unread: Vec<String> = files
        .iter()
        .filter(|f| !is_case(f) && !sidecars.contains(*f))
        .filter(|f| f.as_os_str() != "README.md")
        .filter(|f| f.extension().is_none_or(|e| e != "rs" && e != crate::session::EXTENSION))
        .map(|f| f.display().to_string())
        .collect();
    if unread.is_empty() { Ok(()) } else { Err(format!("no test reads {}", unread.join(", "))) }
}

/// Assembles a text in the strict syntax.
pub(crate) fn strict(text: &str) -> Result<Program, String> {
    let (program, findings) = text::parse(text, &ParseOptions::default());
    for finding in &findings {
        presentable(finding, "case", Some(text));
    }
    program.ok_or_else(|| format!("does not assemble:{}", listed(&findings, text)))
}

fn run_bad(case: &Case) -> Result<(), String> {
    let [_, id] = &case.words[..] else { return Err("line 1: `// test: bad RULE`".into()) };
    let Some(rule) = all_rules().into_iter().find(|r| r.id == id) else {
        return Err(format!("line 1: no rule is called {id}"));
    };
    if let Some(name) = case.path.as_deref().and_then(Path::file_name).map(|n| n.to_string_lossy()) {
        if !name.strip_prefix(id.as_str()).is_some_and(|rest| rest.starts_with(['-', '.'])) {
            return Err(format!("the name of the file does not start with {id}"));
        }
    }
    let is_text = text::RULES.iter().any(|r| r.id == id);
    let ask = |case: &Case| if is_text { text_findings(case) } else { program_findings(case) };
    let findings = ask(case)?;
    let text = repeated(case, &case.text)?;
    for finding in &findings {
        presentable(finding, "case", Some(&text));
    }
    let all = || listed(&findings, &case.text);
    // A rule that is an error must be the one that the original raises, or the first error of the text; a warning
    // or a note must be there with no error beside it.
    let found = match rule.severity {
        Severity::Error if is_text => findings.first(),
        Severity::Error => findings.iter().find(|d| d.first),
        _ if findings.iter().any(|d| d.severity == Severity::Error) && rule.severity != Severity::Note => {
            None
        }
        _ => findings.iter().find(|d| d.id == id),
    };
    let Some(found) = found.filter(|d| d.id == id) else {
        return Err(format!("{id} is not what is found:{}", all()));
    };
    let at = case.one("at")?.ok_or("no `at` line")?;
    let place = place(found, &case.text, "token");
    if place != at.value {
        return Err(format!("{id} is found at {place}, not at {}:{}", at.value, all()));
    }
    match case.one("message")? {
        Some(wanted) if wanted.value != found.message => {
            return Err(format!("the message is\n  {}", found.message));
        }
        _ => {}
    }
    neighbours(case, id, &case.text, |text| ask(&Case::parse(text)?))
}

/// What the readers of text say.
fn text_findings(case: &Case) -> Result<Vec<Diagnostic>, String> {
    if let Some(d) = case.one("compat")? {
        let words: Vec<&str> = d.value.split_whitespace().collect();
        let [assembler, mode, version] = words[..] else {
            return Err(format!("line {}: `compat: ASSEMBLER MODE VERSION`", d.line));
        };
        let assembler = assembler
            .parse::<Assembler>()
            .ok()
            .ok_or_else(|| format!("no assembler is called {assembler}"))?;
        let version = version.parse().map_err(|_| format!("{version} is no version"))?;
        let options = CompatOptions { assembler, mode, version, ignore_limits: false };
        return Ok(text::assemble(&case.text, &options).diagnostics());
    }
    if let Some(d) = case.one("macro")? {
        return Ok(text::assemble_macros(&case.text, &ParseOptions::default(), &macro_mode(&d.value)?).1);
    }
    let (_, findings) = text::parse(&repeated(case, &case.text)?, &ParseOptions::default());
    Ok(findings)
}

/// What the validator says, or lifting where `lift` is asked for.
fn program_findings(case: &Case) -> Result<Vec<Diagnostic>, String> {
    let mut options = rules::Options::default();
    if let Some(d) = case.one("profile")? {
        options.profile =
            d.value.parse::<Profile>().map_err(|_| format!("no profile is called {}", d.value))?;
    }
    if let Some(d) = case.one("generation")? {
        options.generation = d
            .value
            .parse::<Generation>()
            .ok()
            .ok_or_else(|| format!("no generation is called {}", d.value))?;
    }
    for d in case.all("set") {
        let (name, value) =
            d.value.split_once('=').ok_or_else(|| format!("line {}: `set: NAME=VALUE`", d.line))?;
        options.switches.set(name, value).map_err(|e| format!("line {}: {e:?}", d.line))?;
    }
    if let Some(d) = case.one("endian")? {
        let order = match d.value.as_str() {
            "big" => ByteOrder::Big,
            other => return Err(format!("line {}: no byte order is called {other}", d.line)),
        };
        (options.vertex_order, options.fragment_order) = (order, order);
    }
    if case.all("hex").next().is_some() {
        let hex: String = case.all("hex").map(|d| d.value.as_str()).collect::<Vec<_>>().join(" ");
        let bytes = if hex.trim() == "-" { Vec::new() } else { parse_hex(&hex).ok_or("not hexadecimal")? };
        if let Err(finding) = decode(&bytes) {
            if case.words[1] == finding.id {
                return Ok(vec![Diagnostic { first: true, ..finding }]);
            }
        }
        return Ok(validate_bytes(&bytes, &options));
    }
    let programs: Vec<Program> =
        case.programs.iter().map(|p| strict(&repeated(case, p)?)).collect::<Result<_, _>>()?;
    match &programs[..] {
        [program] if case.one("lift")?.is_some() => match lift(program, &Options::default()) {
            Err(finding) => Ok(vec![Diagnostic { first: true, ..finding }]),
            Ok(_) => Err("can be lifted".into()),
        },
        [program] => Ok(validate(program, &options)),
        [vertex, fragment] => Ok(link(vertex, fragment, &options)),
        _ => Err(format!("{} programs, not one or two", programs.len())),
    }
}

/// Every rule of every instruction set.
fn all_rules() -> Vec<&'static Rule> {
    Isa::ALL.iter().flat_map(|isa| isa.rules()).collect()
}

/// Every rule has a file of kind `bad` that breaks it.
pub(crate) fn rules_covered(root: &Path, cases: &[PathBuf]) -> Result<(), String> {
    let mut broken = BTreeSet::new();
    for case in cases {
        let text = std::fs::read_to_string(root.join(case)).map_err(|e| e.to_string())?;
        if let [kind, id] = &Case::parse(&text).map(|c| c.words).unwrap_or_default()[..] {
            if kind == "bad" {
                broken.insert(id.clone());
            }
        }
    }
    let unused: Vec<&str> =
        all_rules().into_iter().map(|r| r.id).filter(|id| !broken.contains(*id)).collect();
    if unused.is_empty() { Ok(()) } else { Err(format!("no file below tests/ breaks {}", unused.join(", "))) }
}
