//! The tests of TGSI: kinds of test files.

use crate::case::{self, Case, Kind, neighbours, repeated};
use crate::kinds::translated;
use crate::properties::presentable;
use crate::tgsi_text;
use vecasm::diag::{Diagnostic, Severity};
use vecasm::isa::Isa;
use vecasm::isa::tgsi::bytes::{decode, decode_lossless, encode_as};
use vecasm::isa::tgsi::dialect::Dialect;
use vecasm::isa::tgsi::lift;
use vecasm::isa::tgsi::rules::{Options, Profile, check_pair, place, validate};
use vecasm::isa::tgsi::text::{Labels, ParseOptions, format, parse};

pub(crate) const KINDS: &[Kind] = &[
    Kind { word: "bad", directives: BAD, run: run_bad },
    Kind { word: "asm", directives: tgsi_text::ASM, run: tgsi_text::run_asm },
    Kind { word: "dis", directives: tgsi_text::DIS, run: tgsi_text::run_dis },
    crate::fmt::TGSI,
    Kind { word: "to", directives: &[], run: run_to },
    Kind { word: "log", directives: tgsi_text::LOG, run: tgsi_text::run_log },
    Kind { word: "exec", directives: &["run", "texture", "lift"], run: crate::tgsi_exec::run_exec },
    Kind {
        word: "memory",
        directives: &["given", "result", "lift", "wgsl"],
        run: crate::tgsi_memory::run_memory,
    },
    Kind {
        word: "batch",
        directives: &["run", "texture", "triangle", "lift"],
        run: crate::tgsi_exec::run_batch,
    },
    crate::why::TGSI,
];

/// What a file of kind `bad` may say.
const BAD: &[&str] = &[
    "at", "message", "hex", "repeat", "lift", "profile", "pair", "passes", "dialect", "labels", "tokens",
    "fmt",
];

/// How a text is read.
pub(crate) fn reading(case: &Case) -> Result<ParseOptions, String> {
    let mut out = ParseOptions::tolerant();
    if let Some(d) = case.one("dialect")? {
        let dialect = d.value.parse::<Dialect>().map_err(|_| format!("line {}: no dialect", d.line))?;
        out.dialect = Some(dialect);
    }
    if let Some(d) = case.one("labels")? {
        out.labels = match d.value.as_str() {
            "written" => Labels::AsWritten,
            other => return Err(format!("line {}: labels are not {other}", d.line)),
        };
    }
    Ok(out)
}

/// Who is asked.
fn options(case: &Case) -> Result<Options, String> {
    let mut out = Options::default();
    if let Some(d) = case.one("profile")? {
        out.profile = d.value.parse::<Profile>().map_err(|_| format!("line {}: no profile", d.line))?;
    }
    Ok(out)
}

/// The words of the `hex` lines, whatever they are.
fn digits(case: &Case) -> Result<Vec<u8>, String> {
    let words = case.all("hex").flat_map(|d| d.value.split_whitespace());
    let word = |word: &str| u32::from_str_radix(word, 16).map_err(|_| format!("{word} is no word"));
    let words: Vec<u32> = words.map(word).collect::<Result<_, _>>()?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// Every finding about a text: of the reader, of the validator, of the linkage if it is a pair.
fn findings_of(case: &Case, text: &str) -> Result<Vec<Diagnostic>, String> {
    let (options, reading) = (options(case)?, reading(case)?);
    if case.one("pair")?.is_some() {
        let at = text.rfind("\nFRAG").ok_or("a pair has a line that begins with FRAG")?;
        let (vertex, fragment) = text.split_at(at);
        // The lines of the fragment program are those of the file.
        let fragment = "\n".repeat(vertex.matches('\n').count()) + fragment;
        let (first, mut findings) = parse(vertex, &reading);
        let (second, more) = parse(&fragment, &reading);
        findings.extend(more);
        if let (Some(first), Some(second)) = (first, second) {
            let mut found = check_pair(&first, &second, &options);
            place(&first, vertex, &mut found.vertex);
            place(&second, &fragment, &mut found.fragment);
            place(&second, &fragment, &mut found.linkage);
            // Places are told by line and column; those of the fragment program are the same in the file.
            findings.extend([found.vertex, found.fragment, found.linkage].concat());
        }
        return Ok(findings);
    }
    if case.one("fmt")?.is_some() {
        return Ok(format(text).err().unwrap_or_default());
    }
    let is_text = case.all("hex").next().is_none();
    let (program, mut findings) = if is_text {
        parse(text, &reading)
    } else {
        let bytes = digits(case)?;
        // The validator is asked about any words.
        let program =
            if case.one("profile")?.is_some() { Ok(decode_lossless(&bytes)) } else { decode(&bytes) };
        match program {
            Ok(program) => (Some(program), Vec::new()),
            Err(finding) => (None, vec![finding]),
        }
    };
    if let Some(program) = program {
        // What has no meaning breaks other rules too.
        let mut found = if case.one("lift")?.is_some() {
            lift::lift(&program, &lift::Options::default()).err().into_iter().collect()
        } else if let Some(d) = case.one("tokens")? {
            let dialect = d.value.parse::<Dialect>().map_err(|_| format!("line {}: no dialect", d.line))?;
            encode_as(&program, dialect).err().unwrap_or_default()
        } else {
            validate(&program, &options)
        };
        if is_text {
            place(&program, text, &mut found);
        }
        findings.extend(found);
    }
    Ok(findings)
}

/// A program, or a vertex and a fragment program one after the other, and the text it is translated to, which stands in the file
/// beside it.
fn run_to(case: &Case) -> Result<(), String> {
    let lifted = |text: &str| {
        let (program, findings) = parse(text, &ParseOptions::tolerant());
        let program = program.ok_or_else(|| format!("{findings:?}"))?;
        lift::lift(&program, &lift::Options::default()).map_err(|e| e.to_string())
    };
    let shaders = match case.text.rfind("\nFRAG").filter(|_| case.text.contains("\nVERT")) {
        None => vec![lifted(&case.text)?],
        Some(at) => {
            let (vertex, fragment) = case.text.split_at(at);
            let (mut vertex, mut fragment) = (lifted(vertex)?, lifted(fragment)?);
            Isa::Tgsi.link(&mut vertex, &mut fragment);
            vec![vertex, fragment]
        }
    };
    translated(case, &shaders)
}

fn run_bad(case: &Case) -> Result<(), String> {
    let [_, id] = &case.words[..] else { return Err("line 1: `// test: bad RULE`".into()) };
    let rule = Isa::Tgsi.rules().into_iter().find(|rule| rule.id == id);
    let rule = rule.ok_or_else(|| format!("no rule is called {id}"))?;
    let text = repeated(case, &case.text)?;
    let findings = findings_of(case, &text)?;
    for finding in &findings {
        presentable(finding, "case", Some(&text));
    }
    // Of a pair the fragment program was read with as many lines in front.
    let pair = case.one("pair")?.is_some();
    let shown = match text.rfind("\nFRAG") {
        Some(at) if pair => "\n".repeat(text[..at].matches('\n').count()) + &text[at..],
        _ => text.clone(),
    };
    let place = |d: &Diagnostic| case::place(d, &shown, "instruction");
    let listed: String = findings.iter().map(|d| format!("\n  {d} ({})", place(d))).collect();
    let at = case.one("at")?.ok_or("no `at` line")?;
    let found = findings.iter().find(|d| d.id == id && place(d) == at.value);
    let found = found.ok_or_else(|| format!("{id} is not found at {}:{listed}", at.value))?;
    if found.severity != rule.severity {
        return Err(format!("is a {}, not a {}", found.severity, rule.severity));
    }
    if rule.severity != Severity::Note && findings.iter().any(|d| d.severity == Severity::Error && d.id != id)
    {
        return Err(format!("there are other errors:{listed}"));
    }
    if let Some(d) = case.one("message")? {
        if found.message != d.value {
            return Err(format!("says {:?}", found.message));
        }
    }
    neighbours(case, id, &text, |text| findings_of(case, text))
}
