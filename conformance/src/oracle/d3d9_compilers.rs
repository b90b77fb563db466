//! Direct3D: what Microsoft's own compilers write. The runtime took it, so no rule may refuse it; a rule that does rests on a
//! reading of the documentation which is wrong.
//!
//! The streams are all in the corpus whose table of constants names such a compiler, also inside effects and other
//! containers, and those of its own listings.

use super::File;
use super::d3d9_exec::words;
use super::d3d9_rules::judged;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use vecasm::diag::{Diagnostic, Provenance, Severity};
use vecasm::isa::d3d9::program::ItemKind;
use vecasm::isa::d3d9::rules::{Options, RULES, validate};
use vecasm::isa::d3d9::{Program, bytes, ctab};

/// How the creator in a table of constants begins.
const CREATOR: &str = "Microsoft (R)";

const LISTINGS: &str = "oracle/d3d9/dis_native_fxc.jsonl";

/// A stream, and where it was found.
struct Stream {
    id: String,
    creator: String,
    program: Program,
}

/// What programs outside of the corpus have shown, as was reported of them.
const SEEN: &[(&str, &str)] = &[
    ("D3D9-output-order", "fxc 10.1 writes oT1 and oT2 without oT0 for vs_1_1, and validates what it writes"),
    (
        "D3D9-texld-dst",
        "in ps_3_0, texld, texldp and texldb into oC0, also with the mask .xyz: fxc 9.26, 9.29 and 10.1 in 19 shaders of a game. With _sat, which stays an error, in none of 1,713 shaders",
    ),
    (
        "D3D9-mask",
        "a full mask on m3x3, m3x2 and m4x3: a retail program of Direct3D 8 has it, and in its line the assembler of Direct3D 9 objected only to the source",
    ),
    ("D3D9-X5335", "under Direct3D 8: the same line"),
];

/// The check.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let name = "corpus/d3d9 (and containers and listings: what Microsoft's compilers wrote)";
    let Some(streams) = streams(shared) else { return vec![File::absent(name)] };
    let mut file = File::new(name);
    let rows = streams.into_iter().map(|stream| (stream.id.clone(), stream));
    file.add_all(rows, |report, id, stream| {
        let errors: Vec<String> = findings(stream)
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| {
                let rule = RULES.iter().find(|rule| rule.id == d.id);
                let known = rule.map_or("", |rule| rule.provenance.word());
                format!("\n    {d} ({known}), of {}", stream.creator)
            })
            .collect();
        report.case(id, if errors.is_empty() { Ok(()) } else { Err(errors.concat()) });
    });
    vec![file]
}

fn findings(stream: &Stream) -> Vec<Diagnostic> {
    validate(&stream.program, &Options::default())
}

/// Every stream once. `None` without the folders.
fn streams(shared: &Path) -> Option<Vec<Stream>> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    let mut add = |id: String, program: Program| {
        let creator = ctab::of(&program).0.and_then(|table| table.creator).unwrap_or_default();
        if creator.starts_with(CREATOR) && seen.insert(bytes::encode(&program)) {
            out.push(Stream { id, creator, program });
        }
    };
    for (folder, list) in [("corpus/d3d9", "files"), ("corpus/containers", "items")] {
        let folder = shared.join(folder);
        let manifest = std::fs::read_to_string(folder.join("MANIFEST.json")).ok()?;
        let manifest: Value = serde_json::from_str(&manifest).ok()?;
        let made = |entry: &&Value| entry.get("made").and_then(Value::as_bool) == Some(true);
        for entry in manifest.get(list)?.as_array()?.iter().filter(|entry| !made(entry)) {
            let file = entry.get("file")?.as_str()?;
            let data = std::fs::read(folder.join(file)).ok()?;
            for (at, program) in inside(&data) {
                add(if at == 0 { file.to_string() } else { format!("{file} at byte {at}") }, program);
            }
        }
    }
    let listings = std::fs::read_to_string(shared.join(LISTINGS)).ok()?;
    for row in listings.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        if let Ok(words) = words(text("tokens")) {
            add(text("id").to_string(), Program::new(words, &[]));
        }
    }
    Some(out)
}

/// The streams in a file that begin with a comment, as those of compilers do.
fn inside(data: &[u8]) -> Vec<(usize, Program)> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(rest) = data.get(from..).filter(|rest| rest.len() >= 8) {
        from += 1;
        if !bytes::looks_like(rest) || rest[4..6] != [0xfe, 0xff] {
            continue;
        }
        let whole = bytes::decode_lossless(rest);
        let end = whole.items().iter().position(|item| item.kind == ItemKind::End);
        let Some(end) = end.and_then(|end| whole.items().get(end)) else { continue };
        let length = end.start as usize + whole.words_of(*end).len();
        out.push((from - 1, bytes::decode_lossless(&rest[..4 * length])));
        from += 4 * length - 1;
    }
    out
}

/// What breaks a rule in `mustfail.jsonl`, and which peers refuse that.
#[derive(Default)]
struct Broken {
    rows: usize,
    wine: usize,
    mojoshader: usize,
}

/// The part of the page about the evidence for rules.
pub(super) fn section(shared: &Path, fail_rows: &str) -> String {
    let Some(streams) = streams(shared) else { return String::new() };
    let mut creators: BTreeMap<&str, usize> = BTreeMap::new();
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    for stream in &streams {
        *creators.entry(&stream.creator).or_default() += 1;
        let ids: BTreeSet<&str> = findings(stream).iter().map(|d| d.id).collect();
        for id in ids {
            *told.entry(id).or_default() += 1;
        }
    }
    let mut broken: BTreeMap<&str, Broken> = BTreeMap::new();
    for row in fail_rows.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let refuses = |peer: &str| usize::from(row.get(peer).and_then(Value::as_str) == Some("reject"));
        let ids: BTreeSet<&str> = judged(&row).iter().map(|d| d.id).collect();
        // A row that breaks several rules shows nothing about any of them.
        if let [id] = ids.into_iter().collect::<Vec<_>>()[..] {
            let broken = broken.entry(id).or_default();
            broken.rows += 1;
            broken.wine += refuses("wine");
            broken.mojoshader += refuses("mojoshader");
        }
    }
    let name = |creator: &str| creator.trim_start_matches("Microsoft (R) ").to_string();
    let list: Vec<String> =
        creators.iter().map(|(creator, count)| format!("{} {count}", name(creator))).collect();
    let mut out = format!(
        "\n## Evidence for rules\n\n\
         {} streams of the corpus were written by Microsoft's compilers ({}). No rule refuses any of them.\n\
         A rule that is *recorded* has Microsoft's own message. The other errors rest on documentation or inference; further\n\
         evidence for them: rows of `mustfail.jsonl` that break only this rule, and how many of these the peers refuse, which read\n\
         the same documentation.\n\n\
         | rule | known | rows | Wine refuses | MojoShader refuses |\n|---|---|---|---|---|\n",
        streams.len(),
        list.join("; "),
    );
    let ours = |provenance| matches!(provenance, Provenance::Documented | Provenance::Believed);
    let open = || RULES.iter().filter(|rule| rule.severity == Severity::Error && ours(rule.provenance));
    let mut alone = Vec::new();
    let nothing = Broken::default();
    for rule in open() {
        let Broken { rows, wine, mojoshader } = broken.get(rule.id).unwrap_or(&nothing);
        if wine + mojoshader == 0 {
            alone.push(format!("`{}`", rule.id));
            continue;
        }
        let known = rule.provenance.word();
        let _ = writeln!(out, "| `{}` | {known} | {rows} | {wine} | {mojoshader} |", rule.id);
    }
    let _ = writeln!(
        out,
        "\nOnly documentation or inference supports: {}.\n\n\
         Programs of these compilers break the rules below, which are therefore not errors:\n",
        alone.join(", "),
    );
    for rule in RULES.iter().filter(|rule| rule.severity == Severity::Warning) {
        if let Some(count) = told.get(rule.id) {
            let _ = writeln!(out, "* `{}`: {count} of the streams", rule.id);
        }
    }
    for (id, why) in SEEN {
        let _ = writeln!(out, "* `{id}`: {why}");
    }
    out
}
