//! The page: one file of HTML with its style, and the pictures beside it.

use super::gather::{BadProgram, Example, FaultyProgram, Pair, Program, RefusedExample};
use crate::args::Cli;
use crate::cmd::formats;
use clap::CommandFactory as _;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use vecasm::diag::{Diagnostic, Lines, Place};
use vecasm::highlight::{self, Class, IR, WGSL};
use vecasm::ir::Stage;
use vecasm::isa::agal::text::{Assembler, CompatOptions, assemble};
use vecasm::isa::{AnyProgram, Isa};

const STYLE: &str = include_str!("style.css");

/// Writes the page.
pub(super) fn write(examples: &[Example], wrong: &[FaultyProgram], bad: &[RefusedExample]) -> String {
    let mut out = String::with_capacity(1 << 20);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>A tour of vecasm</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    header(&mut out, examples, bad);
    out.push_str("<main>\n");
    for example in examples {
        section(&mut out, example);
    }
    explained(&mut out, wrong);
    refused(&mut out, bad);
    assemblers(&mut out);
    instructions(&mut out, examples);
    verbs(&mut out);
    let _ = write!(
        out,
        "</main>\n<footer>vecasm {} · written by <code>vecasm tour</code></footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// The text with what HTML would take for markup written out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The CSS class of a class of words.
const fn css(class: Class) -> &'static str {
    match class {
        Class::Opcode => "op",
        Class::Register => "rg",
        Class::Suffix => "sw",
        Class::Number => "nu",
        Class::Option => "so",
        Class::Directive => "di",
        Class::Comment => "co",
        _ => "",
    }
}

fn coloured(pieces: Vec<(Class, &str)>) -> String {
    let mut out = String::new();
    for (class, piece) in pieces {
        if class == Class::Plain {
            out.push_str(&escape(piece));
        } else {
            let _ = write!(out, "<span class=\"{}\">{}</span>", css(class), escape(piece));
        }
    }
    out
}

/// `12,345`
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

fn plural(n: usize, one: &str) -> String {
    format!("{} {one}{}", grouped(n), if n == 1 { "" } else { "s" })
}

fn header(out: &mut String, examples: &[Example], bad: &[RefusedExample]) {
    let files: BTreeSet<&str> =
        examples.iter().flat_map(Example::programs).map(|p| p.file.as_str()).collect();
    let mut seen = BTreeSet::new();
    let distinct = || examples.iter().flat_map(Example::programs);
    let mut instructions = 0;
    let mut bytes = 0;
    for program in distinct() {
        if seen.insert(program.file.as_str()) {
            instructions += program.loaded.program.instruction_count();
            bytes += program.loaded.program.encode().len();
        }
    }
    let wgsl: usize = examples.iter().flat_map(|e| &e.pairs).map(|p| p.wgsl.lines().count()).sum();
    let findings: usize = bad
        .iter()
        .map(|b| b.linkage.len() + b.programs.iter().map(|p| p.findings.len()).sum::<usize>())
        .sum();
    out.push_str(
        "<header>\n<h1>A tour of vecasm</h1>\n<p class=\"lead\">AGAL, Direct3D 8 and 9, TGSI and NV2A shaders: assembled, disassembled, validated with the messages of the original runtimes, run, explained, translated to WGSL and drawn. Everything on this page was computed by the command line, without a GPU.</p>\n<dl class=\"numbers\">",
    );
    let pictures = examples.iter().filter(|e| e.png.is_some()).count();
    for (name, value) in [
        ("pictures", grouped(pictures)),
        ("programs", grouped(files.len())),
        ("instructions", grouped(instructions)),
        ("bytes of bytecode", grouped(bytes)),
        ("lines of WGSL", grouped(wgsl)),
        ("findings in bad programs", grouped(findings)),
    ] {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl>\n<nav class=\"gallery\" aria-label=\"Examples\">\n");
    for example in examples {
        let _ = writeln!(
            out,
            "<a href=\"#{}\"><img src=\"{}\" alt=\"\" loading=\"lazy\"><span>{} <small>{}</small></span></a>",
            escape(&example.name),
            escape(&example.picture()),
            escape(&example.title),
            plural(example.instructions(), "instruction")
        );
    }
    out.push_str("</nav>\n<p class=\"dim\">Below the pictures: <a href=\"#explained\">why a shader is wrong</a>, \
        <a href=\"#refused\">what a player refuses</a>, \
        <a href=\"#assemblers\">four assemblers and a strict one</a>, <a href=\"#instructions\">the instructions</a> \
        and <a href=\"#verbs\">the verbs</a>.</p>\n</header>\n");
}

fn section(out: &mut String, example: &Example) {
    let _ = write!(
        out,
        "<section id=\"{}\">\n<div class=\"intro\">\n<figure><img src=\"{}\" alt=\"{}\" width=\"{}\" height=\"{}\" \
         style=\"height:auto\"></figure>\n<div>\n<h2>{}</h2>\n<p>{}</p>\n<dl class=\"facts\">\n",
        escape(&example.name),
        escape(&example.picture()),
        escape(&example.title),
        example.size.0,
        example.size.1,
        escape(&example.title),
        escape(&example.description)
    );
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{value}</dd>");
    };
    for pair in &example.pairs {
        for program in pair.programs() {
            let p = &program.loaded.program;
            fact(
                p.stage().name(),
                format!(
                    "{}, {}, {} bytes",
                    p.model(),
                    plural(p.instruction_count(), "instruction"),
                    grouped(p.encode().len())
                ),
            );
        }
    }
    let pairs = example.pairs.iter().any(|pair| pair.fragment.is_some());
    let verdict = if example.problems.is_empty() {
        format!("<span class=\"ok\">accepted</span>{}", if pairs { ", also as pairs" } else { "" })
    } else {
        format!("<span class=\"no\">{}</span>", escape(&example.problems.join("; ")))
    };
    fact(if example.programs().any(is_flash) { "Flash Player" } else { "rules" }, verdict);
    fact("round trips", "text → bytes → text → bytes, <span class=\"ok\">identical</span>".into());
    let relaid: usize = example.programs().map(|p| p.relaid).sum();
    let lines = if relaid == 0 { "no line".to_string() } else { plural(relaid, "line") };
    fact("layout", format!("<code>fmt</code> moves {lines}; <span class=\"ok\">same programs</span>"));
    if example.png.is_some() {
        fact(
            "picture",
            format!("{} × {}, drawn in {} ms", example.size.0, example.size.1, example.drawn_in.as_millis()),
        );
    }
    let _ = writeln!(
        out,
        "<dt>again</dt><dd><code>vecasm render {}.scene.json -o {}</code></dd>\n</dl>\n</div>\n</div>",
        escape(&example.name),
        escape(&example.picture())
    );
    for pair in &example.pairs {
        self::pair(out, pair);
    }
    out.push_str("</section>\n");
}

fn is_flash(program: &Program) -> bool {
    program.loaded.program.isa() == Isa::Agal
}

fn pair(out: &mut String, pair: &Pair) {
    out.push_str("<div class=\"pair\">\n<div>\n");
    for program in pair.programs() {
        let isa = program.loaded.program.isa();
        let _ = writeln!(
            out,
            "<div class=\"code\"><div class=\"bar\"><h3 class=\"mono\">{}</h3><span>{}</span></div><pre>{}</pre></div>",
            escape(&program.file),
            program.loaded.program.model(),
            coloured(highlight::pieces(isa, &program.text))
        );
    }
    let wgsl = if !pair.between.is_empty() {
        "// WGSL has no tessellation and geometry stages."
    } else {
        &pair.wgsl
    };
    let _ = writeln!(
        out,
        "</div>\n<div>\n<div class=\"code wgsl\"><div class=\"bar\"><h3>WGSL</h3><span>{}</span></div><pre>{}</pre></div>\n</div>\n</div>",
        plural(pair.wgsl.lines().count(), "line"),
        coloured(highlight::code_pieces(&WGSL, wgsl))
    );
    let files: Vec<&str> = pair.programs().map(|p| p.file.as_str()).collect();
    let both = files.join(" ");
    let findings = || pair.programs().map(|p| &p.findings).chain([&pair.linkage]);
    if findings().any(|list| !list.is_empty()) {
        let _ = write!(
            out,
            "<details><summary>Findings</summary><div class=\"body\">{}",
            command("check", &both)
        );
        out.push_str("<ul class=\"found\">");
        for list in findings() {
            found(out, list);
        }
        out.push_str("</ul></div></details>\n");
    }
    bytecode(out, pair);
    let _ = write!(
        out,
        "<details><summary>Intermediate representation <span>the meaning of the programs, without registers</span>\
         </summary><div class=\"body ir\">{}",
        command("to ir", &both)
    );
    for program in pair.programs() {
        let _ = write!(
            out,
            "<h3 class=\"mono\">{}</h3><pre>{}</pre>",
            escape(&program.file),
            coloured(highlight::code_pieces(&IR, &program.ir))
        );
    }
    out.push_str("</div></details>\n");
    runs(out, pair);
    let _ = write!(
        out,
        "<details><summary>Reflection <span>registers, constants, samplers as JSON</span></summary>\
         <div class=\"body\">{}",
        command("info", &both)
    );
    for program in pair.programs() {
        let _ = write!(out, "<pre>{}</pre>", escape(&format!("{:#}", program.info)));
    }
    out.push_str("</div></details>\n");
}

/// A command line that gives what follows.
fn command(verb: &str, rest: &str) -> String {
    format!("<code class=\"cmd\">vecasm {verb} {}</code>", escape(rest))
}

fn bytecode(out: &mut String, pair: &Pair) {
    let size = |p: &Program| p.loaded.program.encode().len();
    let _ = write!(
        out,
        "<details><summary>Bytecode <span>{} bytes</span></summary><div class=\"body bytes\">",
        pair.programs().map(|p| grouped(size(p))).collect::<Vec<_>>().join(" and ")
    );
    let layout = pair.vertex.loaded.program.layout();
    let names = layout.iter().find(|piece| piece.instruction.is_some());
    out.push_str("<div class=\"legend mono\">");
    for (n, (name, _)) in names.map(|piece| piece.field_ranges()).into_iter().flatten().enumerate() {
        // Of AGAL's texture reads the last field is the sampler.
        let name = if name == "source 2" { "source 2 or sampler" } else { name };
        let _ = write!(out, "<span class=\"f{n}\">{name}</span>");
    }
    out.push_str("</div>");
    for program in pair.programs() {
        let p = &program.loaded.program;
        let (bytes, lines) = (p.encode(), p.instruction_texts());
        let _ = write!(out, "<h3 class=\"mono\">{}</h3><pre>", escape(&program.file));
        for piece in p.layout() {
            let _ = write!(out, "<span class=\"at\">{:05x}</span>  ", piece.offset);
            for (n, (_, range)) in piece.field_ranges().into_iter().enumerate() {
                let digits = vecasm::isa::to_hex(bytes.get(range).unwrap_or(&[]));
                let class = if piece.instruction.is_some() { format!("f{n}") } else { "fh".into() };
                let _ = write!(out, "<span class=\"{class}\">{digits}</span> ");
            }
            if let Some(line) = piece.instruction.and_then(|n| lines.get(n)) {
                let _ = write!(out, " {}", coloured(highlight::pieces(p.isa(), line)));
            }
            out.push('\n');
        }
        out.push_str("</pre>");
    }
    out.push_str("</div></details>\n");
}

fn runs(out: &mut String, pair: &Pair) {
    out.push_str(
        "<details><summary>A run with random inputs <span>bits, and their values</span></summary>\
         <div class=\"body\">",
    );
    for program in pair.programs() {
        let Some((shader, outputs)) = &program.run else { continue };
        out.push_str(&command("run --random 4 --seed 1", &program.file));
        out.push_str("<div class=\"scroll\"><table class=\"values\"><tr><th>invocation</th><th>output</th>");
        for lane in ["x", "y", "z", "w"] {
            let _ = write!(out, "<th>{lane}</th>");
        }
        out.push_str("</tr>");
        for n in 0..outputs.killed.len() {
            for (cell, values) in shader.outputs.iter().zip(&outputs.cells) {
                let Some(values) = values.get(n) else { continue };
                let killed = if outputs.killed[n] { " discarded" } else { "" };
                let _ =
                    write!(out, "<tr><td>{n}{killed}</td><td class=\"mono rg\">{}</td>", escape(&cell.name));
                for bits in values {
                    let value = f32::from_bits(*bits);
                    let _ = write!(
                        out,
                        "<td class=\"mono\"><span class=\"dim\">{bits:08x}</span> {}</td>",
                        short(value)
                    );
                }
                out.push_str("</tr>");
            }
        }
        out.push_str("</table></div>");
    }
    out.push_str("</div></details>\n");
}

/// A number in a few characters.
fn short(value: f32) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() || (1e-3..1e5).contains(&size) {
        let text = format!("{value:.4}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    } else {
        format!("{value:.2e}")
    }
}

fn found(out: &mut String, findings: &[Diagnostic]) {
    for finding in findings {
        let first = if finding.first { "<em>the player throws this one</em>" } else { "" };
        let _ = write!(
            out,
            "<li class=\"{}\"><b>{}</b>{}{first}",
            finding.severity.word(),
            escape(finding.id),
            escape(&finding.message)
        );
        if let Some(help) = &finding.help {
            let _ = write!(out, "<small>{}</small>", escape(help));
        }
        out.push_str("</li>");
    }
}

fn refused(out: &mut String, bad: &[RefusedExample]) {
    if bad.is_empty() {
        return;
    }
    out.push_str(
        "<section id=\"refused\"><h2>What a player refuses</h2><p>The Flash Player stops at the first error, at run time. Here every finding is listed, with the player's text and error number, and the one that it would throw is marked. <code>vecasm explain ID</code> gives the reason for each.</p>\n\
         <div class=\"refused\">\n",
    );
    for bad in bad {
        let _ = write!(out, "<div class=\"card\"><h3>{}</h3>", escape(&bad.title));
        for program in &bad.programs {
            bad_listing(out, program);
        }
        out.push_str("<ul class=\"found\">");
        for program in &bad.programs {
            found(out, &program.findings);
        }
        found(out, &bad.linkage);
        out.push_str("</ul></div>\n");
    }
    out.push_str("</div></section>\n");
}

/// Programs that run, and why they do not do what they should.
fn explained(out: &mut String, wrong: &[FaultyProgram]) {
    if wrong.is_empty() {
        return;
    }
    out.push_str(
        "<section id=\"explained\"><h2>Why a shader is wrong</h2><p>These programs are valid, but none does what its first line says. <code>vecasm why</code> runs them on the values of a run file, finds where a NaN arises, what was never set and which steps made a result, and names the line. <code>vecasm debug</code> steps through them, forwards and backwards.</p>\n<div class=\"refused\">\n",
    );
    for wrong in wrong {
        out.push_str("<div class=\"card\">");
        listing(out, &wrong.file, &wrong.text, wrong.isa, &BTreeSet::new());
        let name = wrong.file.split('.').next().unwrap_or_default();
        let _ = write!(
            out,
            "<code class=\"cmd\">vecasm why {} -i {}.input.json</code><pre class=\"why\">",
            escape(&wrong.file),
            escape(name)
        );
        for line in wrong.explanation.trim_end().lines() {
            let class = ["error", "warning", "note"]
                .into_iter()
                .find(|word| line.strip_prefix(word).is_some_and(|rest| rest.starts_with('[')));
            match class {
                Some(class) => {
                    let _ = writeln!(out, "<b class=\"{class}\">{}</b>", escape(line));
                }
                None => {
                    let _ = writeln!(out, "{}", escape(line));
                }
            }
        }
        out.push_str("</pre></div>\n");
    }
    out.push_str("</div></section>\n");
}

/// A source with the lines marked that have findings.
fn bad_listing(out: &mut String, program: &BadProgram) {
    let index = Lines::new(&program.text);
    let lines: BTreeSet<u32> = program
        .findings
        .iter()
        .filter_map(|finding| match finding.place {
            Place::Text(span) => Some(index.line(span.start)),
            _ => None,
        })
        .collect();
    listing(out, &program.file, &program.text, program.isa, &lines);
}

/// A source with some lines marked.
fn listing(out: &mut String, file: &str, text: &str, isa: Isa, lines: &BTreeSet<u32>) {
    let _ = write!(out, "<div class=\"bar mono dim\">{}</div><pre>", escape(file));
    for (n, line) in (1..).zip(text.lines()) {
        let hit = if lines.contains(&n) { " hit" } else { "" };
        let _ = write!(
            out,
            "<span class=\"row{hit}\"><i>{n}</i>{}</span>",
            coloured(highlight::pieces(isa, line))
        );
    }
    out.push_str("</pre>");
}

/// Texts on which the published assemblers and the strict reader differ, and what each of them is about.
const QUIRKS: &[(&str, &str)] = &[
    ("mov oc, v0.rgba", "colour letters are unknown: the swizzle is silently dropped"),
    ("mvo oc, v0\nmov oc, v0", "an unknown mnemonic is skipped"),
    ("tex ft0, v0, fs0 <2d,bilinear>\nmov oc, ft0", "an unknown option is read as a bias of 0"),
    ("tex ft0, v0, fs0 <cube>\ntex ft1, v0, fs1\nmov oc, ft1", "options leak into later lines"),
    ("mov fo, v0", "the first assembler does not know fo and reads two registers"),
    ("mov oc, i0", "i for the varyings came even later"),
    ("mov oc, v0 mov", "a second statement on a line becomes an operand"),
];

fn assemblers(out: &mut String) {
    out.push_str(
        "<section id=\"assemblers\"><h2>Four assemblers and a strict one</h2><p>Adobe published several AGALMiniAssemblers, each with its own peculiarities. <code>asm --mode compat</code> reproduces each of them, bug for bug; <code>--mode strict</code> rejects everything doubtful.</p>\n\
         <div class=\"code\"><div class=\"scroll\"><table class=\"quirks\"><tr><th>text</th>",
    );
    for assembler in Assembler::ALL {
        let _ = write!(out, "<th>{}</th>", assembler.name());
    }
    out.push_str("<th>strict</th></tr>\n");
    for (text, about) in QUIRKS {
        let _ = write!(
            out,
            "<tr><td><div class=\"mono quirk\">{}</div><span class=\"dim\">{about}</span></td>",
            coloured(highlight::pieces(Isa::Agal, text))
        );
        let results: Vec<String> = Assembler::ALL.into_iter().map(|a| assembled(a, text)).collect();
        // Neighbours that agree share a cell.
        for same in results.chunk_by(|a, b| a == b) {
            let _ = write!(
                out,
                "<td colspan=\"{}\">{}</td>",
                same.len(),
                same.first().map_or("", String::as_str)
            );
        }
        let (_, findings) = AnyProgram::parse(Isa::Agal, text, Some(Stage::Fragment), Some(1));
        let strict = findings.first().map_or_else(
            || "accepted".to_string(),
            |finding| format!("<span class=\"no\">{}</span>", escape(&finding.message)),
        );
        let _ = writeln!(out, "<td>{strict}</td></tr>");
    }
    out.push_str("</table></div></div></section>\n");
}

/// What an assembler makes of a text.
fn assembled(assembler: Assembler, text: &str) -> String {
    let options = CompatOptions { assembler, mode: "fragment", version: 1, ignore_limits: false };
    let result = assemble(text, &options);
    if let Some(error) = &result.error {
        return format!(
            "<span class=\"no\">{}</span>",
            escape(error.to_string().lines().next().unwrap_or(""))
        );
    }
    let mut out = String::new();
    if let Ok(program) = AnyProgram::decode(Isa::Agal, &result.bytes) {
        let lines = program.instruction_texts().join("\n");
        let _ =
            write!(out, "<div class=\"mono quirk\">{}</div>", coloured(highlight::pieces(Isa::Agal, &lines)));
    }
    for warning in &result.warnings {
        let _ = write!(out, "<small>{}</small>", escape(warning));
    }
    out
}

fn instructions(out: &mut String, examples: &[Example]) {
    let mut used = BTreeSet::new();
    for program in examples.iter().flat_map(Example::programs) {
        if let Some(counts) = program.info["opcodes"].as_object() {
            used.extend(counts.keys().map(String::as_str));
        }
    }
    out.push_str(
        "<section id=\"instructions\"><h2>The instructions</h2><p>One table holds the name, encoding, versions, stages and meaning of each instruction; the assembler, the disassembler, the validator and this list read it. <code>vecasm explain NAME</code> shows an entry in full.</p>\n\
         <details><summary>The table</summary><div class=\"body scroll\"><table>\
         <tr><th>name</th><th>code</th><th>versions</th><th>stages</th><th>meaning</th><th>on this page</th></tr>\n",
    );
    for isa in Isa::ALL {
        for row in isa.instructions().iter().filter(|row| !row.reserved) {
            let _ = writeln!(
                out,
                "<tr><td class=\"mono op\">{}</td><td class=\"mono\">{:02x}</td><td>{}–{}</td><td class=\"tight\">{}</td><td>{}</td><td>{}</td></tr>",
                escape(row.name),
                row.code,
                row.since.max(isa.versions().0),
                row.until,
                crate::cmd::explain::stages(row.stages).join(", "),
                escape(row.doc),
                if used.contains(row.name) { "<span class=\"ok\">used</span>" } else { "" }
            );
        }
    }
    out.push_str("</table></div></details></section>\n");
}

fn verbs(out: &mut String) {
    out.push_str(
        "<section id=\"verbs\"><h2>The verbs</h2><p>Every verb reads text or binary, detected from the content, from files, folders or pipes. \
         <code>vecasm VERB --help</code> has examples for each.</p>\n<ul class=\"verbs\">\n",
    );
    for verb in Cli::command().get_subcommands() {
        let about = verb.get_about().map_or_else(String::new, ToString::to_string);
        let _ = writeln!(out, "<li><b>{}</b> {}</li>", escape(verb.get_name()), escape(&about));
    }
    let _ = write!(
        out,
        "</ul>\n<details><summary>What is supported</summary><div class=\"body\">{}<pre>{}</pre></div></details></section>\n",
        command("formats", ""),
        escape(&formats::table(false))
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_written_out() {
        assert_eq!(escape("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0.5, -0.0, 2.0, 1.0e-9, f32::NAN, 12_345_678.0].map(short).into();
        assert_eq!(shown, ["0.5", "-0", "2", "1.00e-9", "NaN", "1.23e7"]);
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
    }
}
