//! What the Flash Player says about AGAL programs: verdicts, messages, linkage, register usage.

use super::{File, check_lines, check_programs, hex};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use vecasm::diag::{Diagnostic, Place, Provenance, Severity};
use vecasm::isa::agal::bytes::decode_lossless;
use vecasm::isa::agal::rules::{
    ByteOrder, Generation, Options, PairFindings, Profile, RULES, RuleId, SWITCHES, Usage, check_pair, class,
    describe, validate,
};
use vecasm::isa::agal::{Program, Token};
use vecasm::isa::operand::WriteMask;
use vecasm::isa::table::Flow;

const VALIDATE: &str = "oracle/agal/validate.jsonl";
const MUST_FAIL: &str = "oracle/agal/must_fail.jsonl";

/// Every check of this file.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![
        adobe2013(shared),
        modern(shared),
        recorded(shared),
        mutations(shared),
        must_fail(shared),
        usage(shared),
        manifest(shared),
        conditionals(shared),
        provenance(shared),
    ]
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn number(case: &Value, field: &str) -> Option<u64> {
    case.get(field).and_then(Value::as_u64)
}

fn adobe() -> Options {
    Options { generation: Generation::Adobe2013, ..Options::default() }
}

fn pair(case: &Value, options: &Options) -> PairFindings {
    let program = |field: &str| decode_lossless(&hex(text(case, field)));
    check_pair(&program("vertex"), &program("fragment"), options)
}

/// The options that a case asks for.
fn options(case: &Value) -> Result<Options, String> {
    let name = text(case, "profile");
    let profile = name.parse::<Profile>().map_err(|_| format!("no profile is called {name}"))?;
    let order = |slot: &str| {
        let big = case.get("byte_array_endian").is_some_and(|orders| text(orders, slot) == "big");
        if big { ByteOrder::Big } else { ByteOrder::Little }
    };
    Ok(Options {
        profile,
        vertex_order: order("vertex"),
        fragment_order: order("fragment"),
        ..Options::default()
    })
}

/// The Flash error number of a finding; 0 for a rule that Flash does not have.
fn id_of(finding: &Diagnostic) -> u64 {
    RuleId::from_id(finding.id).map_or(0, |rule| u64::from(rule.rule().number))
}

fn shown(finding: Option<&Diagnostic>) -> String {
    finding.map_or("accepted".into(), |d| format!("{} \"{}\"", d.id, d.message))
}

/// Whether exactly one finding is marked as first, it is an error, and it is marked whenever there is one.
fn consistent(findings: &PairFindings) -> Result<(), String> {
    let all = || [&findings.vertex, &findings.fragment, &findings.linkage].into_iter().flatten();
    let marked = all().filter(|d| d.first).count();
    let errors = all().filter(|d| d.severity == Severity::Error).count();
    if marked != usize::from(errors > 0) || all().any(|d| d.first && d.severity != Severity::Error) {
        return Err(format!("{marked} findings are marked as first, of {errors} errors"));
    }
    Ok(())
}

/// Compares the first error with an expected number, token and operand, as far as they are given.
fn verdict(first: Option<&Diagnostic>, expected: &Value) -> Result<(), String> {
    let wanted = (text(expected, "result") != "ok").then(|| number(expected, "error")).flatten();
    let got = first.map(id_of);
    if got != wanted {
        let wanted = wanted.map_or("accepted".into(), |id| id.to_string());
        return Err(format!("expected {wanted}, got {}", shown(first)));
    }
    let Some(first) = first else { return Ok(()) };
    if let Some(token) = number(expected, "token") {
        match first.place {
            Place::Binary { token: Some(n), .. } if u64::from(n) == token => {}
            place => return Err(format!("expected token {token}, got {place:?}")),
        }
    }
    let operand = text(expected, "operand");
    let names_one = first.message.contains(" operand ") && first.message.contains(" at token ");
    if !operand.is_empty() && names_one && !first.message.contains(operand) {
        return Err(format!("expected {operand}, got \"{}\"", first.message));
    }
    Ok(())
}

/// Compares with a verdict about a pair: also whose error it is, its class and its message.
fn pair_verdict(findings: &PairFindings, expected: &Value) -> Result<(), String> {
    consistent(findings)?;
    let first = findings.first();
    verdict(first, expected)?;
    let Some(first) = first else { return Ok(()) };
    let lists = [("vertex", &findings.vertex), ("fragment", &findings.fragment)];
    let owner = lists.into_iter().find(|(_, list)| list.iter().any(|d| d.first)).map_or("", |(name, _)| name);
    let program = text(expected, "program");
    if !program.is_empty() && owner != program {
        return Err(format!("expected an error of the {program} program, got one of {owner:?}"));
    }
    let wanted = text(expected, "class");
    if !wanted.is_empty() && class(first).map(|c| c.name()) != Some(wanted) {
        return Err(format!("expected the class {wanted}, got {:?}", class(first)));
    }
    match expected.get("message").and_then(Value::as_str) {
        Some(message) if message != first.message => {
            Err(format!("expected \"{message}\", got \"{}\"", first.message))
        }
        _ => Ok(()),
    }
}

/// `strict2013`: what Adobe's C++ validator said.
fn adobe2013(shared: &Path) -> File<'_> {
    let file = check_lines(shared, VALIDATE, |report, id, case| {
        let expected = &case["strict2013"];
        if text(expected, "result") == "not-applicable" {
            return report.skip("strict2013 not-applicable: the C++ validator has no ByteArray");
        }
        report.case(id, pair_verdict(&pair(case, &adobe()), expected));
    });
    file.append_name(" (strict2013)")
}

/// `modern`: what a current player says.
fn modern(shared: &Path) -> File<'_> {
    let file = check_lines(shared, VALIDATE, |report, id, case| {
        let expected = &case["modern"];
        if text(expected, "result") == "unknown" {
            return report.skip("modern unknown: not settled");
        }
        report.case(id, modern_case(case, expected));
    });
    file.append_name(" (modern)")
}

/// The default must give the expected verdict. Where the case names the other plausible id and the default gives
/// that one, some value of the switch of the case must give the expected verdict in full.
fn modern_case(case: &Value, expected: &Value) -> Result<(), String> {
    let options = options(case)?;
    let found = pair(case, &options);
    let outcome = pair_verdict(&found, expected);
    let alternative = number(case, "alternative_error");
    let policy = text(case, "policy");
    if policy.is_empty() {
        return outcome;
    }
    let switch =
        SWITCHES.iter().find(|s| s.name == policy).ok_or_else(|| format!("no switch is called {policy}"))?;
    if outcome.is_ok() || found.first().map(id_of) != alternative {
        return outcome;
    }
    let mut why = outcome;
    for (value, _) in switch.values {
        let mut other = options;
        if other.switches.set(policy, value).is_err() {
            continue;
        }
        why = pair_verdict(&pair(case, &other), expected);
        if why.is_ok() {
            break;
        }
    }
    why
}

/// The cases recorded from a real player, character for character.
fn recorded(shared: &Path) -> File<'_> {
    let file = check_lines(shared, VALIDATE, |report, id, case| {
        if text(case, "confidence") != "recorded" {
            return;
        }
        let expected = &case["modern"];
        let outcome = options(case).and_then(|options| {
            let found = pair(case, &options);
            pair_verdict(&found, expected)?;
            let message = found.first().map(|d| d.message.as_str());
            match expected.get("message").and_then(Value::as_str) {
                wanted if wanted == message => Ok(()),
                wanted => Err(format!("expected {wanted:?}, got {message:?}")),
            }
        });
        report.case(id, outcome);
    });
    file.append_name(" (recorded, character for character)")
}

/// Single mutated programs.
fn mutations(shared: &Path) -> File<'_> {
    check_lines(shared, "oracle/agal/validate_mutations.jsonl", |report, id, case| {
        let findings = validate(&decode_lossless(&hex(text(case, "hex"))), &adobe());
        let outcome = verdict(findings.iter().find(|d| d.first), &case["strict2013"]);
        report.case(id, outcome);
    })
}

/// The pairs that must be refused.
fn must_fail(shared: &Path) -> File<'_> {
    // What to accept for a disputed point stands in the full file.
    let full: BTreeMap<String, Value> = std::fs::read_to_string(shared.join(VALIDATE))
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|case| (text(&case, "id").to_string(), case))
        .collect();
    let file = check_lines(shared, MUST_FAIL, move |report, id, case| {
        if text(case, "layer") != "validate" {
            return;
        }
        let outcome = match full.get(text(case, "ref")) {
            Some(full) => options(full).and_then(|options| {
                let found = pair(case, &options);
                match found.first().map(id_of) {
                    None => Err("accepted".to_string()),
                    got if got == number(case, "error") => Ok(()),
                    _ => modern_case(full, &full["modern"]),
                }
            }),
            None => Err("refers to no case".into()),
        };
        report.case(id, outcome);
    });
    file.append_name(" (validate)")
}

/// Register usage.
fn usage(shared: &Path) -> File<'_> {
    check_lines(shared, "oracle/agal/describe_adobe_cpp.jsonl", |report, id, case| {
        let usage = describe(&decode_lossless(&hex(text(case, "hex"))));
        report.case(id, same_usage(&usage, case));
    })
}

fn same_usage(usage: &Usage, case: &Value) -> Result<(), String> {
    let masks = |file: &[WriteMask]| file.iter().map(|m| u64::from(m.bits())).collect::<Vec<_>>();
    let trimmed = |mut file: Vec<u64>| {
        while file.last() == Some(&0) {
            file.pop();
        }
        file
    };
    let batches: Vec<Vec<u64>> =
        usage.constant_batches().into_iter().map(|(first, n)| vec![first as u64, n as u64]).collect();
    let got = [
        ("numinstructions", Value::from(usage.instructions)),
        ("numtex", Value::from(usage.texture_reads)),
        ("numkil", Value::from(usage.kills)),
        ("write_output", Value::from(usage.outputs.first().map_or(0, |m| m.bits()))),
        ("hasindirect", Value::from(usage.indirect)),
        ("hassincos", Value::from(usage.sin_cos)),
        ("haspredicated", Value::from(usage.predicated)),
        ("read_attribute", Value::from(masks(&usage.attributes))),
        ("read_varying", Value::from(masks(&usage.varyings))),
        ("write_varying", Value::from(masks(&usage.varyings))),
        ("readwrite_temp", Value::from(masks(&usage.temporaries))),
        ("read_const", Value::from(trimmed(masks(&usage.constants)))),
        ("constbatches", Value::from(batches)),
    ];
    for (field, value) in &got {
        match case.get(field) {
            Some(expected) if expected != value => {
                return Err(format!("{field}: expected {expected}, got {value}"));
            }
            _ => {}
        }
    }
    let known = |field: &str| field == "id" || field == "hex" || got.iter().any(|(name, _)| *name == field);
    match case.as_object().and_then(|fields| fields.keys().find(|field| !known(field))) {
        Some(field) => Err(format!("nothing compares {field}")),
        None => Ok(()),
    }
}

/// The verdict of Adobe's C++ validator in the manifest of the corpus; programs of later versions have none.
fn manifest(shared: &Path) -> File<'_> {
    check_programs(shared, "agal", "adobe2013_validator", |report, program| {
        let Some(expected) = program.manifest.get("adobe2013_validator").and_then(Value::as_str) else {
            return report.skip("no verdict in the manifest");
        };
        let decoded: Program = decode_lossless(&program.bytes);
        let findings = validate(&decoded, &adobe());
        let got = match findings.iter().find(|d| d.first) {
            None => "ok".to_string(),
            Some(d) => match d.place {
                Place::Binary { token: Some(token), .. } => format!("error {} at token {token}", id_of(d)),
                _ => format!("error {}", id_of(d)),
            },
        };
        let same = got == expected;
        report.case(&program.id, if same { Ok(()) } else { Err(format!("expected {expected}, got {got}")) });
    })
}

/// Published programs that read a texture in each of several ifs without els, and then the register, with the token that
/// reads it. A player refused one of the same form with three textures, as was reported.
const SKIPPED: [(&str, u32); 2] = [("f2_016_5e2107d1", 16), ("f2_019_afde141d", 19)];

/// What is read of programs with conditionals has been written, but for those which a player refuses. Nobody recorded a verdict
/// about the others; they were published, and one of them draws a picture of the oracle.
fn conditionals(shared: &Path) -> File<'_> {
    check_programs(shared, "agal", "conditionals", |report, program| {
        let decoded: Program = decode_lossless(&program.bytes);
        let version = decoded.version();
        let is_if = |token: &Token| token.operation(version).is_some_and(|op| op.row().flow == Flow::If);
        if !decoded.tokens.iter().any(is_if) {
            return;
        }
        let findings = validate(&decoded, &Options::default());
        let first = findings.iter().find(|d| matches!(id_of(d), 3647 | 3648));
        let got = first.map(|d| match d.place {
            Place::Binary { token: Some(token), .. } => (id_of(d), token),
            _ => (id_of(d), 0),
        });
        let wanted = SKIPPED.iter().find(|(id, _)| *id == program.id).map(|(_, token)| (3647, *token));
        let same = got == wanted;
        report
            .case(&program.id, if same { Ok(()) } else { Err(format!("expected {wanted:?}, got {got:?}")) });
    })
}

/// A rule is called recorded if a recording has it, and only then.
fn provenance(shared: &Path) -> File<'_> {
    let name = format!("{VALIDATE} (provenance)");
    let Ok(lines) = std::fs::read_to_string(shared.join(VALIDATE)) else { return File::absent(name) };
    let mut file = File::new(name);
    let mut seen = BTreeSet::new();
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(case) if text(&case, "confidence") == "recorded" => {
                seen.extend(self::number(&case["modern"], "error"));
            }
            Ok(_) => {}
            Err(why) => file.add_outcome(&format!("line {}", number + 1), Err(format!("not JSON: {why}"))),
        }
    }
    for rule in RULES.iter().filter(|rule| rule.number != 0) {
        let recorded = rule.provenance == Provenance::Recorded;
        let outcome = match seen.contains(&u64::from(rule.number)) == recorded {
            true => Ok(()),
            false => Err(format!(
                "{} without a recording, or a recording without the word",
                rule.provenance.word()
            )),
        };
        file.add_outcome(rule.id, outcome);
    }
    file
}
