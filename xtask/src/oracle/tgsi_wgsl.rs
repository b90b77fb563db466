//! TGSI to WGSL: what is written of the corpus is accepted, and what is not written has a reason.

use super::agal_wgsl::{accepted, tint_on_path};
use super::{Report, guarded};
use std::collections::BTreeMap;
use std::path::Path;
use vecasm::emit::wgsl::{Options, RULES, write};
use vecasm::isa::tgsi::Processor;
use vecasm::isa::tgsi::lift::{self, lift};
use vecasm::isa::tgsi::text::{ParseOptions, parse};

/// Every vertex, fragment and compute program of the corpus. What WGSL cannot say is counted by the rule that refuses it; `--notes`
/// tells what it was.
pub(crate) fn corpus(shared: &Path) -> Vec<Report> {
    let folder = shared.join("corpus/tgsi/programs");
    let file = "corpus/tgsi (to wgsl)";
    let Ok(entries) = std::fs::read_dir(&folder) else { return vec![Report::absent(file)] };
    let mut files: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "tgsi"));
    files.sort();
    let by = tint_on_path();
    let mut report = Report::new(file);
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for file in &files {
        let id = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        guarded(&mut report, &id, |report| {
            let Ok(text) = std::fs::read_to_string(file) else {
                return report.case(&id, Err("no file".into()));
            };
            // Texts that no dialect reads are for others to judge, and so is what has no meaning.
            let (Some(program), _) = parse(&text, &ParseOptions::default()) else { return };
            if !matches!(program.processor, Processor::Vertex | Processor::Fragment | Processor::Compute) {
                return;
            }
            let Ok(shader) = lift(&program, &lift::Options::default()) else { return };
            let written = write(&shader, &Options::default());
            if let Err(why) = &written {
                if RULES.iter().any(|rule| why.id == rule.id) {
                    *refused.entry(why.id.to_string()).or_default() += 1;
                    return report.note(|| format!("{id}: {why}"));
                }
            }
            accepted(report, &id, by.as_deref(), written.map_err(|e| e.to_string()));
        });
    }
    report.skipped.extend(refused);
    vec![report]
}
