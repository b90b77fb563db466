//! The tests of TGSI that are about texts and tokens: assembling, printing, formatting, logs.

use crate::case::{Case, Directive, place};
use crate::properties::presentable;
use crate::tgsi::reading;
use vecasm::diag::{Diagnostic, Place, Span};
use vecasm::isa::tgsi::Program;
use vecasm::isa::tgsi::bytes::{decode_as, encode_as};
use vecasm::isa::tgsi::dialect::Dialect;
use vecasm::isa::tgsi::text::{ParseOptions, Style, parse, print, programs_in};

/// What a file of kind `asm` may say.
pub(crate) const ASM: &[&str] = &["words", "refused", "finding", "dialect", "labels", "ends"];
/// What a file of kind `dis` may say.
pub(crate) const DIS: &[&str] = &["words", "text"];
/// What a file of kind `log` may say.
pub(crate) const LOG: &[&str] = &["program", "finding", "ends"];

/// The dialect that the first word of a line names.
fn dialect(word: &str, d: &Directive) -> Result<Dialect, String> {
    word.parse::<Dialect>().map_err(|_| format!("line {}: {word} is no dialect", d.line))
}

/// The words of a dialect: of each `words` line those of eight digits, up to what says why they are that.
fn words(case: &Case, of: Dialect) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for d in case.all("words") {
        let mut parts = d.value.split_whitespace();
        if dialect(parts.next().unwrap_or(""), d)? != of {
            continue;
        }
        let digits = |part: &&str| part.len() == 8 && part.bytes().all(|c| c.is_ascii_hexdigit());
        for word in parts.take_while(digits) {
            let word = u32::from_str_radix(word, 16).map_err(|_| format!("line {}: {word}", d.line))?;
            out.extend(word.to_le_bytes());
        }
    }
    Ok(out)
}

fn shown(bytes: &[u8]) -> String {
    let word = |c: &[u8]| c.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    bytes.chunks(4).map(word).collect::<Vec<_>>().join(" ")
}

fn same_words(got: &[u8], wanted: &[u8], of: Dialect) -> Result<(), String> {
    if got == wanted {
        return Ok(());
    }
    Err(format!("{}:\n  is  {}\n  not {}", of.name(), shown(got), shown(wanted)))
}

/// The body with the line ends that `ends` says.
fn body(case: &Case) -> Result<String, String> {
    match case.one("ends")?.map(|d| d.value.as_str()) {
        None => Ok(case.body.clone()),
        Some("crlf") => Ok(case.body.replace('\n', "\r\n")),
        Some("zeros") => Ok(format!("{}\0\0\0", case.body)),
        Some(other) => Err(format!("lines do not end in {other}")),
    }
}

/// The lines of the directives of a key, as a text.
fn lines(case: &Case, key: &str) -> String {
    case.all(key).map(|d| format!("{}\n", d.value)).collect()
}

/// Places are told in the lines of the file: the comments at the top count.
fn told(case: &Case, finding: &Diagnostic, text: &str) -> String {
    presentable(finding, "case", Some(text));
    let top = case.text.lines().count() - case.body.lines().count();
    let at = place(finding, text, "instruction");
    let at = at.split_once(':').and_then(|(l, c)| Some(format!("{}:{c}", l.parse::<usize>().ok()? + top)));
    format!("{} {}", finding.id, at.unwrap_or_default())
}

/// A text, and the words that it is in each dialect that a `words` line names; `finding` lines are everything that the reader
/// says, in order.
pub(crate) fn run_asm(case: &Case) -> Result<(), String> {
    let text = body(case)?;
    let (program, findings) = parse(&text, &reading(case)?);
    let found: Vec<String> = findings.iter().map(|finding| told(case, finding, &text)).collect();
    let wanted: Vec<&str> = case.all("finding").map(|d| d.value.as_str()).collect();
    if found != wanted {
        return Err(format!("the findings are {found:?}, not {wanted:?}: {findings:?}"));
    }
    let program = program.ok_or("is not read")?;
    let mut any = false;
    for &of in Dialect::ALL {
        let wanted = words(case, of)?;
        if wanted.is_empty() {
            continue;
        }
        any = true;
        let got = encode_as(&program, of).map_err(|findings| format!("{}: {findings:?}", of.name()))?;
        same_words(&got, &wanted, of)?;
        let again = decode_as(&wanted, of);
        same_words(&encode_as(&again, of).map_err(|e| format!("{e:?}"))?, &wanted, of)?;
    }
    for d in case.all("refused") {
        if encode_as(&program, dialect(&d.value, d)?).is_ok() {
            return Err(format!("line {}: {} has tokens for it", d.line, d.value));
        }
    }
    if any { Ok(()) } else { Err("no `words` line".into()) }
}

/// Tokens, or a text in `text` lines, and how it is printed: the rest of the file. What is lossless is read back.
pub(crate) fn run_dis(case: &Case) -> Result<(), String> {
    let [_, style] = &case.words[..] else { return Err("line 1: `// test: dis STYLE`".into()) };
    let style = style.parse::<Style>().map_err(|_| format!("no style is called {style}"))?;
    let program: Program = match case.all("words").next() {
        Some(d) => {
            let of = dialect(d.value.split_whitespace().next().unwrap_or(""), d)?;
            decode_as(&words(case, of)?, of)
        }
        None => {
            let (program, findings) = parse(&lines(case, "text"), &ParseOptions::tolerant());
            program.ok_or_else(|| format!("is not read: {findings:?}"))?
        }
    };
    let printed = print(&program, style);
    if printed != case.body {
        return Err(format!("is printed as\n{printed}"));
    }
    let (again, findings) = parse(&printed, &ParseOptions::tolerant());
    let again = again.ok_or_else(|| format!("does not read back: {findings:?}"))?;
    match style {
        Style::Lossless if again != program => Err("reads back to something else".into()),
        // Digits are lost, and nothing else: it is printed alike again.
        Style::Mesa if print(&again, style) != printed => Err("is printed in another way again".into()),
        _ => Ok(()),
    }
}

/// A log; `program` lines are the first and last line of each program in it, its stage, and its number of instructions, or
/// `unreadable`, `finding` lines what the reader says about them. The first one is also what is read from the whole log.
pub(crate) fn run_log(case: &Case) -> Result<(), String> {
    let text = body(case)?;
    let top = case.text.lines().count() - case.body.lines().count();
    let line = |at: usize| top + text[..at].matches('\n').count() + 1;
    let (mut found, mut said) = (Vec::new(), Vec::new());
    let mut first = None;
    for span in programs_in(&text) {
        let (start, end) = (span.start as usize, span.end as usize);
        let (program, mut findings) = parse(&text[start..end], &ParseOptions::tolerant());
        for finding in &mut findings {
            if let Place::Text(at) = &mut finding.place {
                *at = Span { start: at.start + span.start, end: at.end + span.start };
            }
        }
        said.extend(findings.iter().map(|finding| told(case, finding, &text)));
        let what = program.as_ref().map_or_else(
            || "unreadable".to_string(),
            |p| format!("{} {}", p.processor.name().unwrap_or("?"), p.instructions().count()),
        );
        found.push(format!("{}-{} {what}", line(start), line(end.saturating_sub(1))));
        first.get_or_insert((program, findings));
    }
    let wanted: Vec<&str> = case.all("program").map(|d| d.value.as_str()).collect();
    if found != wanted {
        return Err(format!("the programs are {found:?}, not {wanted:?}"));
    }
    let wanted: Vec<&str> = case.all("finding").map(|d| d.value.as_str()).collect();
    if said != wanted {
        return Err(format!("the findings are {said:?}, not {wanted:?}"));
    }
    match first {
        Some(first) if first != parse(&text, &ParseOptions::tolerant()) => {
            Err("the first program is not what is read from the whole log".into())
        }
        _ => Ok(()),
    }
}
