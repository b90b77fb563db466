//! `docs/d3d9-disputed.md`: the rows of the oracle whose answer no source settles, which answer ours is, and which switch gives
//! the other one.
//!
//! The page is made of the rows themselves and the reasons in this file. A check compares it with what stands in the
//! repository; with `BLESS=1` it is written.

use super::d3d9_exec::{Inputs, column, lanes, result, row, words};
use super::d3d9_rules::{DISPUTED, judged};
use super::{File, Results, check_page};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use vecasm::diag::Severity;
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::isa::d3d9::Program;
use vecasm::isa::d3d9::lift::{Numerics, Options, SWITCHES, lift};

/// The page.
const PAGE: &str = "docs/d3d9-disputed.md";

/// What is disputed, in the order in which a row is asked for it.
struct Topic {
    /// The heading.
    title: &'static str,
    /// Whether a row is about it: the operation, the rules it names, its version.
    has: fn(what: &str, rules: &str, version: &str) -> bool,
    /// Which answer is ours, and why.
    why: &'static str,
}

const TOPICS: &[Topic] = &[
    Topic {
        title: "0·∞ and 0·NaN in products",
        has: |_, rules, _| rules.contains("mul0"),
        why: "Ours is 0, as hardware of the time: reports of games that depend on it (DXVK 1619, 2016, 2186), and two peers that run real programs, go against the one that uses the multiplication of its host. In vertex programs an infinity or NaN does not reach the target, so nothing was observed there.",
    },
    Topic {
        title: "NaN in min and max",
        has: |_, rules, _| rules.contains("minmax_nan"),
        why: "Ours is the number, as in both answers wherever they could be observed. Microsoft's formulas (`s0 < s1 ? s0 : s1`) would give the second operand.",
    },
    Topic {
        title: "pow(0, 0)",
        has: |_, rules, _| rules.contains("pow00"),
        why: "Ours is 1, as in both answers; the formula `exp(y·log|x|)` with log 0 = −∞ and 0·∞ = 0 gives it too.",
    },
    Topic {
        title: "pow of zero and of NaN",
        has: |what, _, _| what == "pow",
        why: "Ours is |x|^y as the formula gives it: +∞ for 0 to a negative power. wined3d gives 0 there, and 0 for NaN, which no document says.",
    },
    Topic {
        title: "rcp and rsq of zero, log of zero",
        has: |_, rules, _| ["rcp0", "rsq0", "log0"].iter().any(|of| rules.contains(of)),
        why: "Ours is the infinity of Microsoft's text, which wined3d gives where it can be observed; the code on the same pages gives the largest number.",
    },
    Topic {
        title: "logp in vs_1_1",
        has: |what, _, version| what == "logp" && version == "vs_1_1",
        why: "Ours is (exponent, mantissa, logarithm, 1), as the reference reads the documents of Direct3D 8 and as hardware of the time computes it; wined3d gives the logarithm in all components.",
    },
    Topic {
        title: "lit",
        has: |what, _, _| what == "lit",
        why: "Ours is the documented x > 0; wined3d and DXVK treat x = 0 as lit. An exponent beyond ±127.9961 is clamped to that, as documented; wined3d clamps at ±128, where the power overflows.",
    },
    Topic {
        title: "w of texcoord",
        has: |what, _, _| what == "texcoord",
        why: "Ours is 1, as documented; wined3d passes the clamped w on.",
    },
    Topic {
        title: "NaN, infinities and denormals in other operations",
        has: |_, _, _| true,
        why: "Ours is what IEEE 754 gives for the documented formula. Denormals are kept, which the driver under wined3d flushes. In vertex programs nothing was observed where the answer is not finite.",
    },
];

/// Why a row of low confidence has our answer, by its rule.
const LOW: &[(&str, &str)] = &[
    ("syntax", "every document writes a number after c; only Wine's grammar reads a bare c as c0"),
    ("predication", "the page of setp allows no swizzle or one component"),
    ("output_oPos_missing", "the message X5350, quoted in public, requires all four components"),
    (
        "lrp_dst_eq_src",
        "X5765 is known for ps_2_0 and later; that vertex shaders obey it too is inferred: a warning there",
    ),
    ("p0_uninitialized", "p0 has no default, according to its page"),
    ("texture_order", "no page of these models requires an order of stages: a warning"),
    ("cmp_dst_eq_src", "the page of cmp says so for ps_1_2 and ps_1_3, and MojoShader does too"),
    ("read_port_const", "the message X5213, quoted in public, is about exactly this"),
    ("vface_mask", "the driver documentation requires a full mask"),
    ("vpos_mask", "the page of the registers allows .x, .y and .xy"),
];

/// What became of the open components of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Both,
    Model,
    Wined3d,
    Neither,
    Unseen,
}

impl Answer {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Both, "as both"),
        (Self::Model, "as the model"),
        (Self::Wined3d, "as wined3d"),
        (Self::Neither, "another"),
        (Self::Unseen, "not observed"),
    ];

    /// Its name.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(answer, _)| *answer == self).map_or("", |(_, name)| name)
    }
}

/// The page, and the check that it is there.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let exec = "oracle/d3d9/exec.jsonl";
    let fail = "oracle/d3d9/mustfail.jsonl";
    let read = |file: &str| std::fs::read_to_string(shared.join(file)).ok();
    let name = format!("{exec} (disputed rows)");
    let (Some(exec_rows), Some(fail_rows)) = (read(exec), read(fail)) else {
        return vec![File::absent(name)];
    };
    let rows: Vec<Result<Value, String>> = exec_rows.lines().map(row).collect();
    let ids: Vec<String> = rows.iter().enumerate().map(|(n, row)| id_of(row, n)).collect();
    let count = rows.len();
    let settings = settings();
    let answers = Arc::new(Results::new(count, move |n| match &rows[n] {
        Ok(row) => open(row, &settings),
        Err(why) => Err(why.clone()),
    }));
    let mut file = File::new(name);
    let all = Arc::clone(&answers);
    file.add_all(ids.into_iter().zip(0..), move |report, id, &n: &usize| match answers.get(n) {
        Ok(Some((_, answer, _))) => {
            report.count(answer.name(), 1);
            report.case(id, Ok(()));
        }
        Ok(None) => {}
        Err(why) => report.case(&format!("line {}", n + 1), Err(why.clone())),
    });
    file.add(PAGE, move |report, id| {
        let mut runs: BTreeMap<usize, Rows<'_>> = BTreeMap::new();
        let mut count = [0_usize; 5];
        for (topic, answer, row) in all.all().filter_map(|answer| answer.as_ref().ok()?.as_ref()) {
            runs.entry(*topic).or_default().entry(*answer).or_default().push(row);
            count[*answer as usize] += 1;
        }
        let text = page(&runs, &count, &fail_rows) + &super::d3d9_compilers::section(shared, &fail_rows);
        report.case(id, check_page(PAGE, &text));
    });
    file.summarize(|report| {
        let words: Vec<String> =
            Answer::ALL.iter().map(|(_, name)| format!("{} {name}", report.count_of(name))).collect();
        report.file += &format!(": {}", words.join(", "));
    });
    vec![file]
}

/// What a row is called, line `n` from 0.
fn id_of(row: &Result<Value, String>, n: usize) -> String {
    let id = row.as_ref().ok().and_then(|row| row.get("id")?.as_str());
    id.map_or_else(|| format!("line {}", n + 1), str::to_string)
}

/// The rows by answer, and for those that are not wined3d's the setting that gives its answer.
type Rows<'a> = BTreeMap<Answer, Vec<&'a Open>>;

struct Open {
    id: String,
    what: String,
    /// The switches that give what wined3d gave, where they exist.
    other: Option<String>,
}

/// The topic and the answer of a row; `None` where it is settled.
fn open(row: &Value, settings: &[(String, Options)]) -> Result<Option<(usize, Answer, Open)>, String> {
    let loose = matches!(column(row, "confidence")?, "low" | "none");
    let expect = row.get("expect").unwrap_or(&Value::Null);
    let seen = row.get("wined3d").unwrap_or(&Value::Null);
    if expect.is_string() {
        return Ok(None);
    }
    let given = |of: &Value, lane: usize| of.get(lane).is_some_and(|v| !v.is_null());
    let tolerance =
        |lane| row.get("abs_tol").and_then(|t| t.get(lane)).and_then(Value::as_f64).unwrap_or(0.0);
    let near = |x: [u32; 4], y: [u32; 4], lane: usize| {
        let (x, y) = (f32::from_bits(x[lane]), f32::from_bits(y[lane]));
        x == y || x.is_nan() && y.is_nan() || f64::from(x - y).abs() <= tolerance(lane)
    };
    let (model, peer) = (lanes(expect), lanes(seen));
    let is_open = |lane: &usize| {
        let (m, w) = (given(expect, *lane), given(seen, *lane));
        loose || if m { w && !near(model, peer, *lane) } else { w || expect.is_null() }
    };
    let open: Vec<usize> = (0..4).filter(is_open).collect();
    if open.is_empty() || seen.is_null() {
        return Ok(None);
    }
    let as_model = |got: [u32; 4]| open.iter().all(|&l| !given(expect, l) || near(got, model, l));
    let as_peer = |got: [u32; 4]| open.iter().all(|&l| !given(seen, l) || near(got, peer, l));
    let any = |of: &Value| open.iter().any(|&l| given(of, l));
    let got = run(row, &Options::default())?;
    let answer = match (any(expect), any(seen)) {
        (false, false) => Answer::Unseen,
        (true, true) if as_model(got) && as_peer(got) => Answer::Both,
        (true, _) if as_model(got) => Answer::Model,
        (_, true) if as_peer(got) => Answer::Wined3d,
        _ => Answer::Neither,
    };
    // A component that is exact in one answer may be approximate in the other.
    let widest = (0..4).map(tolerance).filter(|t| t.is_finite() && *t < 1.0).fold(0.0, f64::max);
    let about = |got: [u32; 4]| {
        open.iter().all(|&l| {
            let difference = f64::from(f32::from_bits(got[l])) - f64::from(f32::from_bits(peer[l]));
            !given(seen, l) || near(got, peer, l) || difference.abs() <= widest
        })
    };
    let other = match as_peer(got) {
        true => None,
        false => settings
            .iter()
            .find(|(_, options)| run(row, options).is_ok_and(about))
            .map(|(name, _)| name.clone()),
    };
    let rules = row.get("rules").map(Value::to_string).unwrap_or_default();
    let (what, version) = (column(row, "what")?, column(row, "version")?);
    let topic = TOPICS.iter().position(|topic| (topic.has)(what, &rules, version));
    let topic = topic.ok_or("no topic")?;
    Ok(Some((topic, answer, Open { id: column(row, "id")?.into(), what: what.into(), other })))
}

/// What the program of a row gives.
fn run(row: &Value, options: &Options) -> Result<[u32; 4], String> {
    let program = Program::new(words(column(row, "tokens")?)?, &[]);
    let shader = lift(&program, options).map_err(|e| e.to_string())?;
    let batch = Inputs::of(row, &shader)?;
    let outputs = Interp.run(&shader, &batch.batch()).map_err(|e| e.to_string())?;
    result(row, &shader, &outputs.cells)
}

/// Every value of every switch but the defaults, then every two of them.
fn settings() -> Vec<(String, Options)> {
    let mut single: Vec<(String, Options)> =
        vec![("numerics=ieee".into(), Options { numerics: Numerics::Ieee, ..Options::default() })];
    for switch in SWITCHES {
        for (value, _) in switch.values.iter().filter(|(value, _)| *value != switch.default) {
            let mut options = Options::default();
            if options.switches.set(switch.name, value).is_ok() {
                single.push((format!("{}={value}", switch.name), options));
            }
        }
    }
    let mut out = single.clone();
    for (name, options) in &single {
        for switch in SWITCHES {
            for (value, _) in switch.values.iter().filter(|(value, _)| *value != switch.default) {
                let mut both = *options;
                if !name.starts_with(switch.name) && both.switches.set(switch.name, value).is_ok() {
                    out.push((format!("{name}, {}={value}", switch.name), both));
                }
            }
        }
    }
    out
}

/// `ex0410–0412, ex0420`: ids in a row are drawn together.
fn ids<'a>(list: impl Iterator<Item = &'a str>) -> String {
    let numbers = list.filter_map(|id| id.trim_start_matches("ex").parse::<u32>().ok());
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words = runs.iter().map(|(from, to)| match to - from {
        0 => format!("ex{from:04}"),
        _ => format!("ex{from:04}–{to:04}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn page(runs: &BTreeMap<usize, Rows<'_>>, count: &[usize; 5], fail_rows: &str) -> String {
    let mut out = String::from(
        "# Direct3D: what no source settles\n\n\
         <!-- Written by `BLESS=1 cargo xtask oracle d3d9 --only disputed`. Edit conformance/src/oracle/d3d9_disputed.rs, not this file. -->\n\n\
         The recorded results hold two answers: that of a *model* (the documented formulas, computed in f64) and that of *wined3d* 8.0 on\n\
         llvmpipe, which was run. A row is listed if its confidence is low or none, or if a component is not settled: the two differ, or\n\
         the model has no answer. Only those components are compared; NaN equals NaN. The switches are those of `--rule` (`--numerics` for\n\
         `numerics`); they are tried one by one, then in pairs.\n\n",
    );
    let words: Vec<String> =
        Answer::ALL.iter().map(|(at, name)| format!("{} {name}", count[*at as usize])).collect();
    let _ = writeln!(out, "Our answers, by rows: {}.\n\n## Results of programs\n", words.join(", "));
    for (topic, rows) in runs {
        let Some(topic) = TOPICS.get(*topic) else { continue };
        let _ = writeln!(out, "### {}\n\n{}\n", topic.title, topic.why);
        out.push_str("| our answer | rows | of | wined3d's answer with |\n|---|---|---|---|\n");
        for (answer, rows) in rows {
            let mut by: BTreeMap<(&str, Option<&str>), Vec<&str>> = BTreeMap::new();
            for row in rows {
                by.entry((&row.what, row.other.as_deref())).or_default().push(&row.id);
            }
            let name = Answer::ALL.iter().find(|(at, _)| at == answer).map_or("", |(_, name)| name);
            for ((what, other), list) in by {
                let other = match (other, answer) {
                    (Some(settings), _) => format!("`{settings}`"),
                    (None, Answer::Model | Answer::Neither) => "no switch".into(),
                    _ => String::new(),
                };
                let _ = writeln!(
                    out,
                    "| {name} | {} | {what}: {} | {other} |",
                    list.len(),
                    ids(list.into_iter())
                );
            }
        }
        out.push('\n');
    }
    out.push_str(
        "## Programs that should be refused\n\n\
         Rows of `mustfail.jsonl` that are accepted, or of low confidence. `wine` and `mojoshader` say what those peers do; *ours* is the\n\
         worst finding.\n\n| row | rule | confidence | wine | mojoshader | ours | why |\n|---|---|---|---|---|---|---|\n",
    );
    for line in fail_rows.lines() {
        let Ok(row) = serde_json::from_str::<Value>(line) else { continue };
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or("");
        let disputed = DISPUTED.iter().find(|(id, _)| *id == text("id"));
        if disputed.is_none() && text("confidence") != "low" {
            continue;
        }
        let findings = judged(&row);
        let worst = findings.iter().map(|finding| finding.severity).max();
        let ids: BTreeSet<&str> =
            findings.iter().filter(|f| Some(f.severity) == worst).map(|f| f.id).collect();
        let ids = ids.into_iter().collect::<Vec<_>>().join(", ");
        let ours = match worst {
            Some(Severity::Error) => format!("error {ids}"),
            Some(Severity::Warning) => format!("warning {ids}"),
            _ => "accepted".into(),
        };
        let reason = disputed.or_else(|| LOW.iter().find(|(rule, _)| *rule == text("rule")));
        let _ = writeln!(
            out,
            "| {} | {} ({}) | {} | {} | {} | {ours} | {} |",
            text("id"),
            text("rule"),
            text("version"),
            text("confidence"),
            text("wine"),
            text("mojoshader"),
            reason.map_or("", |(_, why)| why),
        );
    }
    out
}
