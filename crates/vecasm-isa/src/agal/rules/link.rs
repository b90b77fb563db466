//! The rules of a pair of programs.

use super::super::program::{Program, RegType, Stage};
use super::options::{Generation, Options};
use super::table::RuleId;
use super::validate::{ProgramCheck, check, mark_first};
use crate::any::PairFindings;
use alloc::string::ToString;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// What the player would say when the two programs are uploaded together: every finding, in its order, with the
/// one that it would have raised marked.
pub fn link(vertex: &Program, fragment: &Program, options: &Options) -> Vec<Diagnostic> {
    check_pair(vertex, fragment, options).into_all()
}

/// [`link`], with the findings kept apart.
pub fn check_pair(vertex: &Program, fragment: &Program, options: &Options) -> PairFindings {
    let v = check(vertex, Stage::Vertex, options);
    let f = check(fragment, Stage::Fragment, options);
    let mut linkage = Vec::new();
    if let (Some(v_stage), Some(f_stage)) = (v.stage, f.stage) {
        if f_stage != Stage::Fragment {
            say(&mut linkage, RuleId::E3630, "");
        }
        if v_stage != Stage::Vertex {
            say(&mut linkage, RuleId::E3631, "");
        }
        let modern = options.generation == Generation::Modern;
        // Version 0 counts as 1.
        if modern && vertex.version().max(1) != fragment.version().max(1) {
            say(&mut linkage, RuleId::E3757, "");
        }
        if linkage.is_empty() || (v_stage, f_stage) == (Stage::Vertex, Stage::Fragment) {
            interface(&v, &f, fragment.version(), &mut linkage);
        }
    }
    let mut found = PairFindings { vertex: v.findings, fragment: f.findings, linkage };
    mark_first([&mut found.vertex, &mut found.fragment, &mut found.linkage]);
    found
}

/// The varyings and outputs.
fn interface(v: &ProgramCheck, f: &ProgramCheck, version: u32, linkage: &mut Vec<Diagnostic>) {
    let count = RegType::Varying.count(Stage::Fragment, version) as usize;
    for (number, (&written, &read)) in v.varyings.iter().zip(&f.varyings).take(count).enumerate() {
        if read & !written != 0 {
            say(linkage, RuleId::E3632, &number.to_string());
        }
        if written != 0 && written != 15 {
            say(linkage, RuleId::E3633, &number.to_string());
        }
    }
    // A gap in front of the outputs that are written is a finding of the fragment program.
    if f.outputs == [0; 4] {
        say(linkage, RuleId::E3634, "");
    }
    if v.outputs[0] != 15 {
        say(linkage, RuleId::E3635, "");
    }
}

#[cold]
fn say(findings: &mut Vec<Diagnostic>, rule: RuleId, number: &str) {
    let row = rule.rule();
    findings.push(row.finding(row.fill(&[&number])).with_help(row.reason));
}
