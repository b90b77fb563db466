//! Every construct as text: `cases/NAME.ir` has to give `cases/NAME.wgsl`, and `cases/refused/RULE.ir` the rule. That
//! the texts mean what the IR says is judged by running them: `cargo xtask oracle ir`.
//!
//! `BLESS=1` writes the expected texts anew, for review.

use crate::data::{differs, files, place};
use std::fs;
use vecasm_emit::wgsl::{ArraySize, Options, RULES, write};
use vecasm_ir::ir::text::parse_any;
use vecasm_ir::ir::verify::verify;

/// What is asked of the writer by those cases that want integers alone.
fn exact() -> Options<'static> {
    let mut options = Options::default();
    for stage in [&mut options.vertex, &mut options.fragment, &mut options.compute] {
        stage.exact = true;
    }
    options
}

#[test]
fn cases_are_written_as_expected() {
    let mut wrong = Vec::new();
    let plain = files("wgsl/cases").into_iter().map(|(name, path)| (name, path, Options::default()));
    let exact = files("wgsl/cases/exact").into_iter().map(|(name, path)| (name, path, exact()));
    // Those of GLSL; its subgroups are refused.
    let wide = files("glsl/cases/wide").into_iter().filter(|(name, _)| name != "group");
    let wide = wide.map(|(name, path)| (format!("wide/{name}"), path, Options::default()));
    for (name, path, options) in plain.chain(exact).chain(wide) {
        let text = fs::read_to_string(&path).unwrap();
        let written = parse_any(&text).map_err(|e| e.to_string()).and_then(|shader| {
            let breaches = verify(&shader);
            if !breaches.is_empty() {
                return Err(format!("{breaches:?}"));
            }
            write(&shader, &options).map_err(|e| e.to_string())
        });
        let text = match written {
            Ok(output) => output.source,
            Err(why) => {
                wrong.push(format!("{name}: {why}"));
                continue;
            }
        };
        let expected = match name.strip_prefix("wide/") {
            Some(_) => place(&format!("wgsl/cases/{name}.wgsl")),
            None => path.with_extension("wgsl"),
        };
        wrong.extend(differs(&name, &expected, &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_is_hit() {
    // Those about options, pairs of shaders and `dispatch` have tests of their own.
    let mut hit: Vec<String> =
        ["WGSL-binding", "WGSL-compute", "WGSL-name", "WGSL-pair", "WGSL-varying"].map(String::from).to_vec();
    let mut wrong = Vec::new();
    for (name, path) in files("wgsl/cases/refused") {
        let text = fs::read_to_string(&path).unwrap();
        let shader = match parse_any(&text) {
            Ok(shader) => shader,
            Err(why) => {
                wrong.push(format!("{name}: {why}"));
                continue;
            }
        };
        let breaches = verify(&shader);
        if !breaches.is_empty() {
            wrong.push(format!("{name}: {breaches:?}"));
        }
        let options = Options { array_size: ArraySize::File, ..Options::default() };
        let all = if name == "WGSL-exact" { [exact(), exact()] } else { [Options::default(), options] };
        for options in all {
            match write(&shader, &options) {
                Err(finding) if finding.id == name && finding.help.is_some() => {}
                other => wrong.push(format!("{name}: {other:?}")),
            }
        }
        hit.push(name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    hit.sort();
    let all: Vec<String> = RULES.iter().map(|rule| rule.id.to_string()).collect();
    assert_eq!(hit, all);
}

#[test]
fn what_no_compute_shader_can_do_is_told() {
    let text =
        fs::read_to_string(files("wgsl/cases").iter().find(|(name, _)| name == "depth").unwrap().1.clone());
    let shader = parse_any(&text.unwrap()).unwrap();
    let why = vecasm_opt::dispatch(&shader).unwrap_err();
    let finding = vecasm_emit::wgsl::no_compute(&why);
    assert_eq!(finding.id, "WGSL-compute");
    assert!(finding.message.ends_with("it is a fragment shader"), "{}", finding.message);
}
