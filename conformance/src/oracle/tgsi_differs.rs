//! What Mesa's interpreter and its softpipe driver do otherwise than the language: every recorded row is run by the language,
//! with samplers that leave nothing to a driver; and where something else was recorded, the rule that it follows is proven.
//!
//! A rule is one [`Fault`] of the interpreter or one [`SamplerQuirk`] of the driver. With that one switched on, and nothing
//! else, the row has to give what was recorded, within its own tolerance; where no single one does, the smallest set that
//! does. A row that no set explains fails. The page [`PAGE`] lists them.

use super::{File, Report, Results, check_page, id_of_line, tgsi_exec, tgsi_quirks, tgsi_tex};
use crate::documented::members;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use vecasm::ir::{SamplerModel, SamplerQuirk};
use vecasm::isa::Depth;
use vecasm::isa::tgsi::lift::{Compat, Fault, Options};

/// The page.
const PAGE: &str = "docs/tgsi-differs.md";

/// Where what the faults and quirks are is documented.
const FAULTS: (&str, &str) = ("crates/vecasm-isa/src/tgsi/lift/options.rs", "    Fault {");
const QUIRKS: (&str, &str) = ("crates/vecasm-ir/src/ir/resource.rs", "    SamplerQuirk {");

/// By whom a row is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    /// Faults of the interpreter.
    pub(super) compat: Compat,
    /// Quirks of the samplers.
    pub(super) model: SamplerModel,
    /// Whether it is run with steps, too, and after every pass.
    pub(super) deep: bool,
}

impl Setting {
    /// As Mesa does it.
    pub(super) const MESA: Self =
        Self { compat: Compat::TgsiExec, model: SamplerModel::SOFTPIPE, deep: true };
    /// As the language has it.
    pub(super) const LANGUAGE: Self = Self { compat: Compat::None, model: SamplerModel::EXACT, deep: true };

    /// What lifting is asked for.
    pub(super) fn options(&self) -> Options {
        Options { compat: self.compat, depth: Depth::Lean, ..Options::default() }
    }
}

/// One thing that is done otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// By the driver: the position in [`SamplerQuirk::ALL`].
    Quirk(usize),
    /// By the interpreter: the position in [`Fault::ALL`].
    Fault(usize),
}

impl Rule {
    fn all() -> impl Iterator<Item = Self> {
        (0..SamplerQuirk::ALL.len()).map(Self::Quirk).chain((0..Fault::ALL.len()).map(Self::Fault))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Quirk(n) => SamplerQuirk::ALL.get(n).map_or("", |quirk| quirk.name()),
            Self::Fault(n) => Fault::ALL.get(n).map_or("", |fault| fault.name()),
        }
    }

    /// The same setting with this, too; nothing if it has a fault already.
    fn and(self, setting: Setting) -> Option<Setting> {
        match self {
            Self::Quirk(n) => {
                let model = setting.model.with(*SamplerQuirk::ALL.get(n)?);
                (model != setting.model).then_some(Setting { model, ..setting })
            }
            Self::Fault(n) => {
                let compat = Compat::Only(*Fault::ALL.get(n)?);
                (setting.compat == Compat::None).then_some(Setting { compat, ..setting })
            }
        }
    }
}

/// Rules, the smallest set that explains a row.
type Rules = Vec<Rule>;

/// A file, and what runs a row of it.
struct Source {
    file: &'static str,
    run: fn(&Path, &str, &Value, &Setting) -> Outcome,
}

/// What became of a row.
#[derive(Clone)]
pub(super) enum Outcome {
    /// It was run.
    Ran(Result<(), String>),
    /// What was recorded is not what the program says: why, and whether that is proven.
    Undone(&'static str, Result<(), String>),
}

impl Outcome {
    /// Counts it.
    pub(super) fn count(self, report: &mut Report, id: &str) {
        match self {
            Self::Ran(outcome) => report.case(id, outcome),
            Self::Undone(why, outcome) => {
                report.case(id, outcome);
                report.follow(why);
            }
        }
    }
}

const SOURCES: &[Source] = &[
    Source { file: "oracle/tgsi/alu.jsonl", run: tgsi_exec::by },
    Source { file: "oracle/tgsi/exec_flow.jsonl", run: tgsi_exec::by },
    Source { file: "oracle/tgsi/exec_programs.jsonl", run: tgsi_exec::by },
    Source { file: "oracle/tgsi/exec_gs.jsonl", run: tgsi_exec::by },
    Source { file: "oracle/tgsi/exec_mem.jsonl", run: tgsi_exec::by },
    Source { file: "oracle/tgsi/exec_tex.jsonl", run: tgsi_tex::by },
    Source { file: "oracle/tgsi/exec_frag.jsonl", run: tgsi_tex::by },
    Source { file: "oracle/tgsi/quirks.jsonl", run: tgsi_quirks::by },
];

/// A row that differs.
struct Row {
    file: &'static str,
    id: String,
    rules: Rules,
    /// The first difference, as the language has it.
    difference: String,
}

/// What came of a row by the language.
enum Verdict {
    /// What was recorded, or a proof that it is not what the program says.
    Same(Outcome),
    /// Something else, and what explains it.
    Differs(Row),
    /// Something else, and why that fails.
    Unexplained(String),
}

/// Every row by the language, and the page.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let mut files = Vec::new();
    let mut pages = Vec::new();
    for source in SOURCES {
        let name = format!("{} (by the language)", source.file);
        let Ok(text) = std::fs::read_to_string(shared.join(source.file)) else {
            files.push(File::absent(name));
            continue;
        };
        let mut file = File::new(name);
        let rows: Vec<(String, String)> = named_lines(&text);
        let ids: Vec<String> = rows.iter().map(|(id, _)| id.clone()).collect();
        let judged = Arc::new(Results::new(rows.len(), move |n| {
            let (id, line) = &rows[n];
            judge(shared, source, id, line)
        }));
        pages.push(Arc::clone(&judged));
        file.add_all(ids.into_iter().zip(0..), move |report, id, &n: &usize| match judged.get(n) {
            Verdict::Same(outcome) => outcome.clone().count(report, id),
            Verdict::Differs(row) => {
                report.case(id, Ok(()));
                report.count(named(&row.rules), 1);
                report.note(|| format!("{id}: {}: {}", named(&row.rules), row.difference));
            }
            Verdict::Unexplained(why) => report.case(id, Err(why.clone())),
        });
        file.summarize(|report| report.follows.extend(report.counts.clone()));
        files.push(file);
    }
    if files.iter().all(|file| !file.is_absent()) {
        let mut file = File::new("oracle/tgsi (the page of differences)");
        file.add(PAGE, move |report, id| {
            let judged = pages.iter().flat_map(|results| results.all());
            let rows: Vec<&Row> = judged
                .filter_map(|judged| match judged {
                    Verdict::Differs(row) => Some(row),
                    _ => None,
                })
                .collect();
            report.case(id, page(&rows).and_then(|text| check_page(PAGE, &text)));
        });
        files.push(file);
    }
    files
}

/// The lines of a file with their ids.
fn named_lines(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(n, line)| (id_of_line(line, n + 1), line.to_string())).collect()
}

fn judge(shared: &Path, source: &'static Source, id: &str, line: &str) -> Verdict {
    let row: Value = match serde_json::from_str(line) {
        Ok(row) => row,
        Err(why) => return Verdict::Unexplained(format!("not JSON: {why}")),
    };
    let run = |setting: &Setting| (source.run)(shared, id, &row, setting);
    let difference = match run(&Setting::LANGUAGE) {
        Outcome::Ran(Err(difference)) => difference,
        outcome => return Verdict::Same(outcome),
    };
    match explained(&run) {
        Some(rules) => Verdict::Differs(Row { file: source.file, id: id.into(), rules, difference }),
        None => Verdict::Unexplained(format!("no rule explains it: {difference}")),
    }
}

fn named(rules: &[Rule]) -> String {
    rules.iter().map(|rule| rule.name()).collect::<Vec<_>>().join(" and ")
}

/// The smallest set of rules with which a row gives what was recorded.
fn explained(run: &dyn Fn(&Setting) -> Outcome) -> Option<Rules> {
    let plain = Setting { deep: false, ..Setting::LANGUAGE };
    let mut sets: Vec<(Rules, Setting)> = vec![(Vec::new(), plain)];
    for _ in 0..3 {
        let mut larger = Vec::new();
        for (rules, setting) in &sets {
            for rule in Rule::all().filter(|rule| rules.last().is_none_or(|last| rule > last)) {
                let Some(setting) = rule.and(*setting) else { continue };
                let rules: Rules = rules.iter().copied().chain([rule]).collect();
                let agrees = |setting: &Setting| matches!(run(setting), Outcome::Ran(Ok(())));
                if agrees(&setting) && agrees(&Setting { deep: true, ..setting }) {
                    return Some(rules);
                }
                larger.push((rules, setting));
            }
        }
        sets = larger;
    }
    None
}

/// What the language, or a sampler that leaves nothing open, does where a rule says otherwise.
const OURS: &[(&str, &str)] = &[
    ("largest-component", "the Euclidean length of the gradient, as OpenGL 4.6, 8.14.1 has it first"),
    ("direction-gradient", "the gradient of the position on the face"),
    ("scaled-texels", "the gradient of a coordinate in texels is one in texels"),
    ("unchanging-level", "the logarithm of 0 is -Inf"),
    ("unbiased-gradients", "the sampler's bias is added to every level of detail (OpenGL 4.6, 8.14.1)"),
    ("gather-level", "a gathering reads level 0 (manual of TG4)"),
    ("compare-last", "each texel is compared, and the results are weighed (OpenGL 4.6, 8.23.1)"),
    ("mirrored-coordinates", "the numbers of the two texels are mirrored (OpenGL 4.6, table 8.20)"),
    ("clamped-coordinates", "the numbers of the two texels are clamped (OpenGL 4.6, table 8.20)"),
    ("wrapped-faces", "faces are clamped at their edges, whatever the wrap modes are"),
    ("first-face", "of equal components z is preferred to y, and y to x, as in Direct3D"),
    ("fetch-nearest", "a texel that does not exist is 0 in every component"),
    ("logarithm", "the logarithm to base 2, and LOG.x is the exponent of the number"),
    ("double-magnitude", "the magnitude of -0 is 0"),
    (
        "conversion",
        "the nearest integer of the type, and 0 for NaN; `--rule conversion=x86` is Mesa's answer",
    ),
    ("wide-modifier", "modifiers are those of the 64-bit value"),
    ("widened-modifier", "the modifier is that of an integer"),
    ("pair-order", "both pairs are computed before one is stored, and half a pair cannot be written"),
    ("byte-offsets", "an address that is not a multiple of four means the word that contains it"),
    ("loaded-swizzle", "the swizzle is applied to what was loaded"),
    ("atomic-mask", "the components of the mask are written"),
    ("one-memory", "each memory is what its declaration says"),
    ("first-resource", "every invocation has its own"),
    ("saturated-nan", "NaN saturates to 0"),
    ("interpolated-swizzle", "swizzle and modifiers are applied to what was interpolated"),
    ("interpolation-offset", "every invocation has its own offset"),
    ("first-level", "every invocation has its own level"),
    ("first-offset", "every invocation has its own offset"),
    ("buffer-levels", "a buffer has one level"),
    ("cube-array-reference", "the reference value comes before the bias or level"),
    ("one-offset", "each of the four texels has its own offset (textureGatherOffsets)"),
    ("first-sampler", "every invocation has its own sampler"),
    ("first-destination", "every invocation writes at its own index"),
    ("ieee-math", "a factor of zero gives zero"),
    ("skipped", "the instruction does what the manual says"),
    (
        "one-sequence",
        "a primitive has the vertices that were emitted to its stream, and components declared for another one are 0",
    ),
    (
        "in-turn",
        "a workgroup runs in lock step; what several invocations do to one word they do in the order of their numbers",
    ),
    (
        "primitive-limit",
        "an invocation emits at most GS_MAX_OUTPUT_VERTICES vertices, over all primitives and streams",
    ),
    ("masks", "BRK applies to the invocations that run it, and DEFAULT to those without a case"),
];

/// What a rule is, as its documentation has it.
fn documented(rule: Rule) -> Result<String, String> {
    let (path, head) = if matches!(rule, Rule::Quirk(_)) { QUIRKS } else { FAULTS };
    let found = members(path, head)?.into_iter().find(|member| member.word == rule.name());
    found.map(|member| member.doc).ok_or_else(|| format!("{} is not documented", rule.name()))
}

/// `tex/TEX/2D/ 0 3 7`: rows with the same beginning are drawn together.
fn ids<'a>(list: impl Iterator<Item = &'a str>) -> String {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in list {
        let (head, tail) = id.rsplit_once('/').unwrap_or((id, ""));
        by.entry(head).or_default().push(tail);
    }
    let words = by.into_iter().map(|(head, tails)| format!("{head}/{{{}}}", tails.join(",")));
    words.collect::<Vec<_>>().join(" ")
}

fn page(rows: &[&Row]) -> Result<String, String> {
    let mut out = String::from(
        "# TGSI: where Mesa differs\n\n\
         <!-- Written by `BLESS=1 cargo xtask oracle tgsi --only differs`. Edit conformance/src/oracle/tgsi_differs.rs, not this file. -->\n\n\
         The recorded rows are runs of Mesa 22.3.6: its interpreter `tgsi_exec`, and softpipe's samplers. With `--compat tgsi_exec` and\n\
         samplers whose `model` is `softpipe` every row gives what was recorded. Below is every row that differs without them, with the\n\
         rule it follows: the one thing that, switched on alone (`--compat RULE`, or `\"model\": \"RULE\"` of a sampler in a run file),\n\
         makes the row give what was recorded, within its own tolerance. Where no single one does, it is the smallest set that does.\n\n\
         | rule | of | rows |\n|---|---|---|\n",
    );
    let mut by: BTreeMap<&Rules, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by.entry(&row.rules).or_default().push(row);
    }
    let of = |rule: &Rule| if matches!(rule, Rule::Quirk(_)) { "softpipe" } else { "tgsi_exec" };
    for (rules, rows) in &by {
        let mut whose: Vec<&str> = rules.iter().map(of).collect();
        whose.dedup();
        let _ = writeln!(out, "| {} | {} | {} |", named(rules), whose.join(", "), rows.len());
    }
    let _ = writeln!(out, "\n{} rows differ in all.", rows.len());
    for (rules, rows) in &by {
        let _ = writeln!(out, "\n## {}\n", named(rules));
        for rule in *rules {
            let ours = OURS.iter().find(|(name, _)| *name == rule.name());
            let (_, ours) = ours.ok_or_else(|| format!("what ours does for {} is not said", rule.name()))?;
            let _ = writeln!(out, "* Mesa: {}\n* Ours: {ours}.", documented(*rule)?);
        }
        if let Some(first) = rows.first() {
            let _ = writeln!(out, "\nFor example {}: {}\n", first.id, first.difference);
        }
        out.push_str("| file | rows | which |\n|---|---|---|\n");
        for source in SOURCES {
            let list: Vec<&str> =
                rows.iter().filter(|row| row.file == source.file).map(|row| row.id.as_str()).collect();
            if !list.is_empty() {
                let name = source.file.trim_start_matches("oracle/tgsi/");
                let _ = writeln!(out, "| {name} | {} | {} |", list.len(), ids(list.into_iter()));
            }
        }
    }
    Ok(out)
}
