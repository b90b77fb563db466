//! Direct3D 8 and 9: what must be refused, and what must not.

use super::{File, Report, check_lines, listed_files};
use serde_json::Value;
use std::path::Path;
use vecasm::diag::{Diagnostic, Severity};
use vecasm::isa::d3d9::rules::{Options, Profile, validate};
use vecasm::isa::d3d9::{bytes, text};

/// Every check of this file.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![check_lines(shared, "oracle/d3d9/mustfail.jsonl", must_fail), accepted(shared)]
}

fn column<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or("")
}

/// The ids that a refusal may have, by the rule that a row of `mustfail.jsonl` names, without `D3D9-`. A row whose rule is not
/// here may be refused for any reason.
const IDS: &[(&str, &str)] = &[
    ("a0_mask", "mask"),
    ("a0_uninitialized", "unset"),
    ("a0_write_op", "not-writable"),
    ("aL_outside_loop", "loop-counter"),
    ("alpha_lost_phase", "X5036"),
    ("bem_mask", "bem"),
    ("break_outside_loop", "break"),
    ("cmp_dst_eq_src", "cmp-dst"),
    ("cnd_src0", "cnd-source"),
    ("coissue", "pair-model coissue"),
    ("coissue_dp4", "coissue"),
    ("coissue_pipes", "coissue"),
    ("coissue_tex", "coissue"),
    ("coissue_triple", "coissue"),
    ("crs_dst_eq_src", "alias"),
    ("crs_mask", "mask"),
    ("crs_swizzle", "swizzle"),
    ("dcl", "declared-register declared-number declaration unavailable 0x12C dcl dcl-semantic dcl-usage"),
    ("dcl_mask", "dcl-mask"),
    ("def_after_code", "late-declaration"),
    ("dependent_read_depth", "X5426"),
    ("double_phase", "phase"),
    ("dst_modifier", "result-modifier modifier ps1-shift dcl tex-dst texld-dst"),
    ("dst_not_writable", "not-writable tex-dst texld-dst ps14-coordinate"),
    ("duplicate_dcl_register", "declared-twice dcl"),
    ("duplicate_dcl_usage", "usage-twice dcl-semantic"),
    ("duplicate_label", "label-twice"),
    ("frc_mask", "mask"),
    ("gradient_in_dynamic_flow", "gradient"),
    ("label_range", "label-number"),
    ("lrp_dst_eq_src", "lrp-alias X5765"),
    ("matrix_dst_eq_src", "X5335"),
    // A whole mask is taken, and its last components are not written.
    ("matrix_mask", "mask X5326"),
    ("matrix_operand", "source-modifier swizzle"),
    ("mrt_not_contiguous", "ps-output-gap no-oc0"),
    ("nesting_call", "call-depth"),
    ("nesting_loop", "loop-depth"),
    ("nesting_rep", "loop-depth"),
    ("nrm_dst_eq_src", "alias"),
    ("oC_mask", "ps-output"),
    ("oC_write_op", "ps-output"),
    ("oC_write_twice", "ps-output"),
    ("oDepth_swizzle", "ps-output"),
    ("opcode_not_available", "unavailable mnemonic operands reserved-code 0x21E"),
    ("output_oC0_missing", "no-oc0"),
    ("output_oPos_missing", "X5350"),
    ("output_position_missing", "position-output"),
    ("output_r0_missing", "no-r0"),
    ("p0_swizzle", "predicate-swizzle"),
    ("p0_uninitialized", "unset"),
    ("pow_dst_eq_src1", "alias"),
    ("predication", "predication source-number predicate-swizzle syntax"),
    ("preprocessor", "preprocessor condition error macro"),
    ("ps1x_mask", "ps1-mask"),
    ("ps1x_selector", "ps1-selector"),
    ("ps2_swizzle", "ps2-swizzle"),
    ("read_port_const", "port ps1-ports X5213"),
    ("read_port_input", "port"),
    ("read_port_texture", "port ps1-ports"),
    ("recursion", "call-backward"),
    ("register_not_available", "source-number destination-number no-file register 0x167 predication"),
    ("relative_addressing", "index relative index-token index-register"),
    ("scalar_swizzle", "X5485"),
    ("setp_predicated", "predicated"),
    ("sgn_temps", "sgn-scratch not-readable"),
    ("sincos_consts", "sincos-constants"),
    ("sincos_mask", "mask"),
    ("slot_limit", "X5608 X5609 texture-slots"),
    ("src_modifier", "source-modifier modifier syntax ps1-src-modifier ps1-const-modifier tex-src texld-src"),
    ("src_not_readable", "not-readable texld-src tex-src"),
    ("swizzle", "lanes directive"),
    ("t_in_arith", "ps14-coordinate"),
    ("tex_after_arith", "tex-order"),
    ("tex_dst_order", "tex-index"),
    ("tex_selector", "tex-src"),
    ("tex_selector_mix", "tex-selectors"),
    ("tex_source_unset", "X5036"),
    ("tex_src_modifier", "tex-src"),
    ("texbem_src_reread", "texbem-source"),
    ("texcrd_mask", "texcrd"),
    ("texdepth_r5", "texdepth"),
    ("texkill_mask", "texkill"),
    ("texld_dst_reuse", "tex-stage"),
    ("texld_mask", "texld-dst"),
    ("texld_modifier", "texld-src texld-dst"),
    ("texld_r_phase1", "phase-source"),
    ("texld_src_type", "texld-src"),
    ("texld_swizzle", "texld-src"),
    ("texm_pad_incomplete", "tex-pad"),
    ("texm_pad_missing", "tex-pad"),
    ("texm_stage_sequence", "tex-pad"),
    ("texture_order", "tex-stage-order"),
    ("texture_stage_reuse", "tex-stage"),
    ("unbalanced_flow", "nesting"),
    ("undeclared_input", "undeclared ps-undeclared"),
    ("undeclared_output", "undeclared"),
    ("undeclared_sampler", "undeclared ps-undeclared"),
    ("undefined_label", "label-undefined"),
    ("uninitialized_component", "X5326"),
    ("uninitialized_temp", "X5326 X5036 uninitialized"),
    ("unknown_mnemonic", "mnemonic reserved-code"),
    ("v_in_phase1", "phase-input"),
    ("version", "version unavailable mnemonic 0xF0"),
    ("vface_mask", "dcl-mask"),
    ("vpos_mask", "dcl-mask"),
    ("write_mask", "lanes"),
];

/// Rows that are accepted although they stand in `mustfail.jsonl`, with the reason.
pub(super) const DISPUTED: &[(&str, &str)] = &[
    ("mf1578", "the coordinates are an input, which is allowed anywhere: only r# are forbidden"),
    ("mf1469", "the page of nrm allows any mask; others say .xyz or .xyzw"),
    ("mf1491", "the page of def says that the last definition counts"),
];

/// A row of `mustfail.jsonl`: the assembler or the validator refuses it, for the reason that it names; a row of low
/// confidence gives a warning at least.
fn must_fail(report: &mut Report, id: &str, row: &Value) {
    let rule = column(row, "rule");
    let findings = judged(row);
    let wanted = match column(row, "confidence") {
        "low" => Severity::Warning,
        _ => Severity::Error,
    };
    let worst: Vec<&Diagnostic> = findings.iter().filter(|d| d.severity >= wanted).collect();
    let ids: Vec<&str> = worst.iter().map(|d| d.id).collect();
    if let Some((_, why)) = DISPUTED.iter().find(|(disputed, _)| *disputed == id) {
        return match ids.is_empty() {
            true => report.skip(why),
            false => report.case(id, Err(format!("is no longer disputed: {ids:?}"))),
        };
    }
    let mapped = IDS.iter().find(|(name, _)| *name == rule);
    let fine = match mapped {
        _ if ids.is_empty() => false,
        Some((_, allowed)) => {
            allowed.split(' ').any(|allowed| ids.iter().any(|id| id.strip_prefix("D3D9-") == Some(allowed)))
        }
        None => true,
    };
    let source = column(row, "text");
    let source: String = source.chars().take(200).collect();
    report.note(|| format!("{rule} ({}, {}): {ids:?}", column(row, "stage"), column(row, "confidence")));
    let why = || Err(format!("{rule}: {ids:?}\n{source}"));
    report.case(id, if fine { Ok(()) } else { why() });
}

/// What the assembler and the validator say of the text of a row.
pub(super) fn judged(row: &Value) -> Vec<Diagnostic> {
    let (program, mut findings) = text::parse(column(row, "text"));
    if let Some(program) = program {
        findings.extend(validate(&program, &Options::default()));
    }
    findings
}

/// Streams of the corpus that the runtime refuses, as their tests record.
pub(super) const REFUSED: &[&str] = &[
    "vs_1_256",
    "vs_3_256",
    "vs_3_i16",
    "vs_3_b16",
    "ps_1_8",
    "ps_2_32",
    "ps_3_224",
    "ps_2_0_boolint",
    "ps_code_bad",
    // Direct3D 8 has no such model.
    "device_d8_ps_2_0",
];

/// The complete shaders of the corpus are accepted, those of tests for Direct3D 8 by its rules.
fn accepted(shared: &Path) -> File<'_> {
    let folder = shared.join("corpus/d3d9");
    let name = "corpus/d3d9 (accepted)";
    let Some(entries) = listed_files(shared, "d3d9") else { return File::absent(name) };
    let mut file = File::new(name);
    let complete = |entry: &Value| entry.get("complete_shader").and_then(Value::as_bool) == Some(true);
    let rows = entries.into_iter().filter(complete);
    let rows = rows.map(|entry| (column(&entry, "id").to_string(), entry));
    file.add_all(rows, move |report, id, entry| shader(report, &folder, id, entry));
    file
}

fn shader(report: &mut Report, folder: &Path, id: &str, entry: &Value) {
    let file = column(entry, "file");
    let data = match std::fs::read(folder.join(file)) {
        Ok(data) => data,
        Err(why) => return report.case(id, Err(format!("{file}: {why}"))),
    };
    let program = bytes::decode_lossless(&data);
    let d3d8 = column(entry, "origin_path").contains("dlls/d3d8/");
    if column(entry, "origin_path").contains("dlls/d3dcompiler_43/") {
        return report.skip("a test of the assembler, which nobody gave to a runtime");
    }
    let profile = if d3d8 { Profile::D3d8 } else { Profile::D3d9 };
    let findings = validate(&program, &Options { profile, ..Options::default() });
    for finding in findings.iter().filter(|d| d.severity >= Severity::Warning) {
        let line = finding.instruction.as_deref().unwrap_or("");
        report.note(|| format!("{id}: {finding}: {}", line.trim()));
    }
    let errors: Vec<String> = findings
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| format!("\n    {d} {:?}", d.instruction))
        .collect();
    let refused = REFUSED.iter().any(|name| id.ends_with(name));
    report.case(
        id,
        match (refused, errors.is_empty()) {
            (false, false) => Err(errors.concat()),
            (true, true) => Err("is accepted".into()),
            _ => Ok(()),
        },
    );
}
