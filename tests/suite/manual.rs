//! The manual of the harness, `tests/README.md`, is run: every fenced block marked with the
//! extension of test files is one.
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
        let (extension, fails) =
            info.strip_suffix(" fails").map_or((info, false), |extension| (extension, true));
        let Some(kinds) = kinds::find_kinds(extension) else { continue };
        if !fails {
            out.push(trial(name, move || case::run(kinds, &block, None)));
            continue;
        }
        let wanted = comment.take();
        out.push(trial(name, move || {
            let Some(wanted) = wanted else { return Err("no `<!-- fails: TEXT -->` above".into()) };
            match case::run(kinds, &block, None) {
                Ok(()) => Err("passes, but is said to fail".into()),
                Err(why) if why.contains(&wanted) => Ok(()),
                Err(why) => Err(format!("fails with: {why}")),
            }
        }));
    }
    if out.is_empty() {
        out.push(trial("README.md".into(), || Err("the manual has no examples".into())));
    }
    out
}
