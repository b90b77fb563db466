//! Direct3D 9: inputs, outputs, samplers and slots, against what MojoShader's parser says.

use super::{File, check_lines};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use vecasm::isa::d3d9::interface::{Port, interface};
use vecasm::isa::d3d9::program::InstructionToken;
use vecasm::isa::d3d9::registers::RegType;
use vecasm::isa::d3d9::rules::slot_counts;
use vecasm::isa::d3d9::{Opcode, Program, Stage, bytes};

/// Every row of `interface_mojoshader.jsonl`.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let file = "oracle/d3d9/interface_mojoshader.jsonl";
    vec![check_lines(shared, file, |report, id, row| {
        let data = std::fs::read(shared.join(format!("corpus/d3d9/bin/{id}.bin")));
        let program =
            data.map_err(|e| e.to_string()).and_then(|data| bytes::decode(&data).map_err(|d| d.to_string()));
        match program {
            Ok(program) => report.case(id, same(&program, row)),
            Err(why) => report.case(id, Err(why)),
        }
    })]
}

/// Whether MojoShader says the same, but for what it leaves out or counts in another way:
///
/// * In ps_1_x it lists no output and, but for programs with `texbem`, no coordinates: there the registers mean both, `r0`
///   is the colour, and a texture instruction reads the coordinates of its stage. It lists no samplers in ps_1_4, whose
///   `texld` it does not implement.
/// * In ps_2_x it lists only what is declared.
/// * `oFog` and `oPts` have the index of their register there, 1 and 2; the declarations of vs_3_0 that mean the same have 0.
/// * Slots: see [`slots_there`].
fn same(program: &Program, row: &Value) -> Result<(), String> {
    let ours = interface(program);
    let version = program.version();
    let pixel = version.stage() == Stage::Pixel;
    let first_pixel = pixel && version.major() == 1;
    let list = |column: &str| row.get(column).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    let inputs: BTreeSet<_> =
        ours.inputs.iter().filter(|port| first_pixel || !pixel || port.declared).map(named).collect();
    let theirs: BTreeSet<_> = list("inputs").iter().map(listed).collect();
    let good = if first_pixel {
        // Colours are listed; coordinates all or none.
        let colors: BTreeSet<_> = inputs.iter().filter(|(usage, _)| usage == "color").cloned().collect();
        theirs == inputs || theirs == colors
    } else {
        theirs == inputs
    };
    if !good {
        wrong.push(format!("inputs {inputs:?} not {theirs:?}"));
    }
    let number = |port: &Port| {
        let (usage, index) = named(port);
        (usage, if port.ty == RegType::RastOut { port.number.into() } else { index })
    };
    let outputs: BTreeSet<_> = ours.outputs.iter().filter(|_| !first_pixel).map(number).collect();
    let theirs: BTreeSet<_> = list("outputs").iter().map(listed).collect();
    if outputs != theirs {
        wrong.push(format!("outputs {outputs:?} not {theirs:?}"));
    }
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(u64::MAX);
    let samplers: BTreeSet<_> =
        ours.samplers.iter().map(|s| (u64::from(s.number), kind(s.kind), u64::from(s.bump))).collect();
    let theirs: BTreeSet<_> = list("samplers")
        .iter()
        .map(|s| (number(s, "index"), number(s, "type"), number(s, "texbem")))
        .collect();
    let unimplemented = first_pixel && version.minor() == 4 && theirs.is_empty();
    if samplers != theirs && !unimplemented {
        wrong.push(format!("samplers {samplers:?} not {theirs:?}"));
    }
    let (slots, theirs) = (slots_there(program), number(row, "instruction_slots"));
    if i64::try_from(theirs) != Ok(slots) {
        wrong.push(format!("slots {slots} not {theirs}"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

/// The slots as MojoShader counts them, from ours, which are those of the documentation: it has one number for each
/// instruction in all models, and counts the instructions of a pair one by one.
fn slots_there(program: &Program) -> i64 {
    let version = program.version();
    let pixel = version.stage() == Stage::Pixel;
    let mut slots = i64::from(slot_counts(program).total());
    for words in program.instructions() {
        let token = InstructionToken(words.first().copied().unwrap_or(0));
        let number = version.number();
        slots += match token.opcode() {
            // The second of a pair costs nothing by the documentation, with bem and its like not paired.
            _ if token.is_coissued() => 1,
            // 2 in ps_2_x and 3.0, 1 before.
            Some(Opcode::Texkill) if number <= 0x0200 => 1,
            // 2 in ps_1_2 and ps_1_3 alone.
            Some(Opcode::Dp4) if !pixel && number < 0x0200 => 1,
            // 1 in vs_1_1, 3 later.
            Some(Opcode::Lit) if number < 0x0200 => 2,
            // 10 in vs_1_1, 1 later.
            Some(Opcode::Exp | Opcode::Log) if number < 0x0200 => -9,
            // 3 projected and 6 with a bias in 3.0, 1 before.
            Some(Opcode::Tex) if pixel && number == 0x0300 => match token.control() {
                1 => -2,
                2 => -5,
                _ => 0,
            },
            _ => 0,
        };
    }
    slots
}

fn named(port: &Port) -> (String, u64) {
    (port.usage_name().unwrap_or("?").to_string(), port.index.into())
}

fn listed(port: &Value) -> (String, u64) {
    let usage = port.get("usage").and_then(Value::as_str).unwrap_or("").to_string();
    (usage, port.get("index").and_then(Value::as_u64).unwrap_or(0))
}

/// MojoShader's number of a kind of samplers.
const fn kind(kind: u8) -> u64 {
    match kind {
        3 => 1,
        4 => 2,
        _ => 0,
    }
}
