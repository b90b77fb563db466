//! The manual of the harness, `tests/README.md`, is run: every fenced block marked `agal` or `ir` is a test file.
//!
//! A block marked `fails`, too, must fail, and the text of a line `<!-- fails: TEXT -->` right above it must be in
//! the failure: so the manual also shows that the harness can fail.

use crate::{case, kinds, trial};
use libtest_mimic::Trial;
use std::path::Path;

pub(crate) fn trials(root: &Path) -> Vec<Trial> {
    let text = std::fs::read_to_string(root.join("README.md")).unwrap_or_default();
    let mut out = Vec::new();
    let mut comment: Option<String> = None;
    let mut lines = text.lines().enumerate();
    while let Some((n, line)) = lines.next() {
        if let Some(inside) = line.strip_prefix("<!-- fails: ") {
            comment = Some(inside.trim_end_matches("-->").trim().to_string());
            continue;
        }
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else {
            if !line.is_empty() {
                comment = None;
            }
            continue;
        };
        let block: String =
            lines.by_ref().map(|(_, l)| l).take_while(|l| *l != "```").map(|l| format!("{l}\n")).collect();
        let name = format!("README.md line {}", n + 1);
        match info {
            "agal" | "ir" => out.push(trial(name, move || kinds::run_text(&block, None))),
            "d3d9" => out.push(trial(name, move || case::run(crate::d3d9::KINDS, &block, None))),
            "tgsi" => out.push(trial(name, move || case::run(crate::tgsi::KINDS, &block, None))),
            "eqv" => out.push(trial(name, move || case::run(crate::eqv::KINDS, &block, None))),
            "nv2a" => out.push(trial(name, move || case::run(crate::nv2a::KINDS, &block, None))),
            "agal fails" | "ir fails" => {
                let wanted = comment.take();
                out.push(trial(name, move || {
                    let Some(wanted) = wanted else { return Err("no `<!-- fails: TEXT -->` above".into()) };
                    match kinds::run_text(&block, None) {
                        Ok(()) => Err("passes, but is said to fail".into()),
                        Err(why) if why.contains(&wanted) => Ok(()),
                        Err(why) => Err(format!("fails with: {why}")),
                    }
                }));
            }
            _ => {}
        }
    }
    if out.is_empty() {
        out.push(trial("README.md".into(), || Err("the manual has no examples".into())));
    }
    out
}
