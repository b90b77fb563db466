//! TGSI: the table of instructions beside that of Mesa 22.3.6 and virglrenderer 1.3.0.

use super::File;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use vecasm::isa::tgsi::dialect::Numbering;
use vecasm::isa::tgsi::table::{Exec, Mode, Row, Type};
use vecasm::isa::tgsi::{Dialect, Opcode};

/// The table of the peers.
const OPCODES: &str = "oracle/tgsi/opcodes.tsv";

/// Every row of the peers has one here that says the same, and every instruction of Mesa 22 or virglrenderer is a row there.
pub(crate) fn opcodes(shared: &Path) -> Vec<File<'_>> {
    let Ok(text) = std::fs::read_to_string(shared.join(OPCODES)) else {
        return vec![File::absent(OPCODES)];
    };
    let mut file = File::new(OPCODES);
    let mut lines = text.lines();
    let titles: Vec<String> = lines.next().unwrap_or("").split('\t').map(str::to_string).collect();
    let at = titles.iter().position(|title| title == "name");
    let name = |line: &str| at.and_then(|at| line.split('\t').nth(at)).unwrap_or("").to_string();
    let rows: Vec<(String, String)> = lines.map(|line| (name(line), line.to_string())).collect();
    let known: BTreeSet<String> = rows.iter().map(|(name, _)| name.clone()).collect();
    file.add_all(rows, move |report, name, line| {
        let cells = titles.iter().map(String::as_str).zip(line.split('\t')).collect();
        report.case(name, same(&cells));
    });
    for row in Opcode::ROWS.iter().filter(|row| row.is_in(Dialect::Mesa22) || row.is_in(Dialect::Virgl)) {
        let there = if known.contains(row.name) { Ok(()) } else { Err("the peers do not have it".into()) };
        file.add_outcome(row.name, there);
    }
    vec![file]
}

/// The cells of a row here in the words of the peers, by the titles that are compared.
fn cells(row: &Row) -> [(&'static str, String); 10] {
    let number = |numbering| row.code(numbering).map_or("-".to_string(), |code: u8| code.to_string());
    let flag = |on: bool| u8::from(on).to_string();
    let count = row.source_shapes().len();
    [
        ("num", number(Numbering::Mesa)),
        ("virgl_num", number(Numbering::Virgl)),
        ("dst", row.destinations().to_string()),
        ("src", count.to_string()),
        ("is_tex", flag(row.has_target())),
        ("is_branch", flag(row.has_label())),
        ("mode", mode(row.mode).to_string()),
        ("src0_type", if count > 0 { of(row.source(0)) } else { "" }.to_string()),
        ("src1_type", if count > 1 { of(row.source(1)) } else { "" }.to_string()),
        ("tgsi_exec", exec(row.exec).to_string()),
    ]
}

const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::None => "none",
        Mode::PerComponent => "componentwise",
        Mode::Replicated => "replicated",
        Mode::Channels => "channel-dependent",
        Mode::Other => "other",
    }
}

const fn of(of: Type) -> &'static str {
    match of {
        Type::Bits => "-",
        Type::F32 => "f32",
        Type::I32 => "i32",
        Type::U32 => "u32",
        Type::F64 => "f64",
        Type::I64 => "i64",
        Type::U64 => "u64",
    }
}

const fn exec(exec: Exec) -> &'static str {
    match exec {
        Exec::Runs => "yes",
        Exec::Missing => "missing",
        Exec::Stops => "assert",
        Exec::Removed => "removed",
    }
}

fn same(theirs: &BTreeMap<&str, &str>) -> Result<(), String> {
    let name = theirs.get("name").copied().unwrap_or("");
    let row = Opcode::ROWS.iter().find(|row| row.name == name).ok_or("there is no such row")?;
    let differ: Vec<String> = cells(row)
        .into_iter()
        .filter_map(|(title, ours)| {
            let theirs = theirs.get(title).copied()?;
            // Nobody says how results of removed instructions depend on sources.
            (theirs != ours && !theirs.is_empty()).then(|| format!("{title} is {ours}, not {theirs}"))
        })
        .collect();
    if differ.is_empty() { Ok(()) } else { Err(differ.join("; ")) }
}
