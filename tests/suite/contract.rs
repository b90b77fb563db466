//! The contract of an instruction set: what must hold for every row of its table, whatever the row is.
//!
//! Every row × version × stage × corner masks and swizzles is encoded, decoded, printed, parsed, lifted, verified
//! and run; every single-bit corruption of such a token is preserved by bytes and text, and refused or
//! given a meaning by lifting.

use crate::{kinds, trial};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine};
use vecasm::ir::verify::verify;
use vecasm::isa::Isa;
use vecasm::isa::agal::bytes::{decode, encode};
use vecasm::isa::agal::lift::{Options, lift};
use vecasm::isa::agal::program::{Dest, Program, RegType, Source, Stage, Token};
use vecasm::isa::agal::table::Opcode;
use vecasm::isa::agal::text::{self, Style};
use vecasm::isa::operand::{Swizzle, WriteMask};
use vecasm::isa::table::{Flow, Lift, Shape, Stages};

const VERSIONS: [u32; 4] = [1, 2, 3, 4];
const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];
/// Masks: each lane alone, some together, all.
const MASKS: [u8; 8] = [1, 2, 4, 8, 3, 7, 10, 15];

pub(crate) fn trials() -> Vec<Trial> {
    let mut out = Vec::new();
    for &isa in Isa::ALL {
        let name = isa.name();
        match isa {
            Isa::Agal => {
                out.push(trial(format!("contract {name}: the table is sound"), table_is_sound));
                out.push(trial(format!("contract {name}: every row"), every_row));
                out.push(trial(format!("contract {name}: every single-bit corruption"), every_corruption));
            }
            Isa::Nv2a => out.extend(crate::nv2a::trials()),
            Isa::D3d9 => out.extend(crate::d3d9::trials()),
            Isa::Tgsi => out.extend(crate::tgsi_contract::trials()),
            _ => out.push(trial(format!("contract {name}"), || Err("no contract is written for it".into()))),
        }
    }
    out
}

fn swizzles() -> [Swizzle; 7] {
    [
        Swizzle::IDENTITY,
        Swizzle::splat(0),
        Swizzle::splat(3),
        Swizzle::new(3, 2, 1, 0),
        Swizzle::new(0, 1, 2, 2),
        Swizzle::new(1, 1, 0, 3),
        Swizzle::new(2, 0, 3, 1),
    ]
}

fn table_is_sound() -> Result<(), String> {
    for version in VERSIONS {
        let mut names = BTreeMap::new();
        for op in Opcode::ALL {
            let row = op.row();
            if row.doc.is_empty() || !row.doc.ends_with('.') {
                return Err(format!("{}: the sentence is missing or does not end", row.name));
            }
            if row.shape.len() > 3 || row.sources().contains(&Shape::Dst) {
                return Err(format!("{}: a token has one destination and two sources", row.name));
            }
            if row.name.len() != 3 || !row.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            {
                return Err(format!("{}: the assembler knows mnemonics of three letters", row.name));
            }
            if (row.flow == Flow::Straight && row.has_dst()) != (row.lanes > 0) {
                return Err(format!("{}: result lanes without a destination, or the reverse", row.name));
            }
            if !(row.since..=row.until).contains(&version) {
                continue;
            }
            if let Some(other) = names.insert(row.name, op) {
                return Err(format!(
                    "{}: {other:?} and {op:?} share the name in version {version}",
                    row.name
                ));
            }
            if Opcode::from_code(row.code, version) != Some(*op) {
                return Err(format!(
                    "{}: code {:02x} does not give it in version {version}",
                    row.name, row.code
                ));
            }
            if Opcode::from_name(row.name, version) != Some(*op) {
                return Err(format!("{}: the name does not give it in version {version}", row.name));
            }
        }
    }
    Ok(())
}

/// Whether programs of that version and stage can use the row.
fn available(op: Opcode, version: u32, stage: Stage) -> bool {
    let row = op.row();
    let in_stage = match stage {
        Stage::Vertex => row.stages.has(Stages::V),
        Stage::Fragment => row.stages.has(Stages::F),
    };
    let has_sampler = !row.shape.contains(&Shape::Sampler) || RegType::Sampler.count(stage, version) > 0;
    (row.since..=row.until).contains(&version)
        && in_stage
        && has_sampler
        && !matches!(row.lift, Lift::Reserved)
}

/// The sources that programs of a stage can read.
fn sources(shape: Shape, stage: Stage, swizzle: Swizzle) -> Vec<Source> {
    let input = if stage == Stage::Vertex { RegType::Attribute } else { RegType::Varying };
    match shape {
        Shape::Dst => Vec::new(),
        Shape::Sampler => {
            let word = |options: u64| Source(5 << 32 | options | 1);
            // Plain; repeat, miplinear, linear with a bias of -1.5; a cube map with ignoresampler.
            vec![word(0), word(0x1210_0000_00f4_0000), word(0x0004_1000_0000_0000)]
        }
        Shape::Rows3 | Shape::Rows4 => {
            let mut out = vec![Source::direct(RegType::Constant, 4, Swizzle::IDENTITY)];
            if stage == Stage::Vertex {
                out.push(Source::indirect(RegType::Constant, 3, Swizzle::IDENTITY, input, 1, 2));
            }
            out
        }
        Shape::Scalar => {
            let splat = Swizzle::splat(swizzle.get(0));
            vec![Source::direct(input, 1, splat), Source::direct(RegType::Temporary, 2, splat)]
        }
        Shape::Src => {
            let mut out = vec![
                Source::direct(input, 0, swizzle),
                Source::direct(RegType::Constant, 9, swizzle),
                Source::direct(RegType::Temporary, 3, swizzle),
            ];
            if stage == Stage::Vertex {
                out.push(Source::indirect(RegType::Constant, 127, swizzle, RegType::Temporary, 1, 3));
            }
            out
        }
        other => unreachable!("AGAL has no operand {other:?}"),
    }
}

/// Every token of a row that the contract is about.
fn tokens(op: Opcode, stage: Stage) -> Vec<Token> {
    let row = op.row();
    let plain = Token { opcode: row.code, ..Token::default() };
    let mut out = Vec::new();
    let masks: Vec<u8> = if row.has_dst() {
        MASKS.into_iter().filter(|m| u32::from(*m) < 1 << row.lanes).collect()
    } else {
        vec![0]
    };
    for swizzle in swizzles() {
        let mut list: Vec<Token> = vec![plain];
        for (i, shape) in row.sources().iter().enumerate() {
            // A vertex program may not index both sources, and tex neither.
            let direct_only = row.shape.contains(&Shape::Sampler);
            let choices: Vec<Source> = sources(*shape, stage, swizzle)
                .into_iter()
                .filter(|s| !(direct_only && s.is_indirect() && *shape != Shape::Sampler))
                .collect();
            let mut next = Vec::new();
            for token in &list {
                for &choice in &choices {
                    let mut token = *token;
                    if i == 0 {
                        token.src1 = choice;
                    } else {
                        token.src2 = choice;
                    }
                    next.push(token);
                }
            }
            list = next;
        }
        for token in list {
            for &mask in &masks {
                let mut dests = vec![Dest(0)];
                if row.has_dst() {
                    let mask = WriteMask::from_bits(mask);
                    dests = vec![Dest::new(RegType::Temporary, 1, mask), Dest::new(RegType::Output, 0, mask)];
                }
                out.extend(dests.into_iter().map(|dest| Token { dest, ..token }));
            }
        }
    }
    out.dedup();
    out
}

/// A program in which the token stands where it may.
fn around(op: Opcode, token: Token, version: u32, stage: Stage) -> Program {
    let flow = |op: Opcode| Token {
        opcode: op.row().code,
        src1: if op == Opcode::Ife {
            Source::direct(RegType::Temporary, 0, Swizzle::splat(0))
        } else {
            Source(0)
        },
        src2: if op == Opcode::Ife {
            Source::direct(RegType::Temporary, 0, Swizzle::splat(1))
        } else {
            Source(0)
        },
        ..Token::default()
    };
    let mut program = Program::new(stage, version);
    match op.row().flow {
        Flow::Straight => program.tokens.push(token),
        Flow::If => program.tokens.extend([token, flow(Opcode::Eif)]),
        Flow::Else => program.tokens.extend([flow(Opcode::Ife), token, flow(Opcode::Eif)]),
        Flow::EndIf => program.tokens.extend([flow(Opcode::Ife), token]),
        other => unreachable!("AGAL has no {other:?}"),
    }
    program
}

fn printed(program: &Program) -> String {
    text::print(program, &text::PrintOptions { style: Style::Lossless })
}

/// Bytes and text keep the program; hands back the text.
fn preserved(program: &Program) -> Result<String, String> {
    if decode(&encode(program)).as_ref() != Ok(program) {
        return Err("encode and decode give another program".into());
    }
    let printed = printed(program);
    match kinds::strict(&printed) {
        Ok(again) if again == *program => Ok(printed),
        Ok(_) => Err(format!("print and parse give another program\n{printed}")),
        Err(why) => Err(format!("what is printed does not parse: {why}\n{printed}")),
    }
}

fn every_row() -> Result<(), String> {
    let (mut rows, mut cases) = (0, 0);
    for &op in Opcode::ALL {
        for version in VERSIONS {
            for stage in STAGES {
                let usable = available(op, version, stage);
                rows += u32::from(usable);
                for token in tokens(op, stage) {
                    let program = around(op, token, version, stage);
                    let place = || {
                        format!("{} in {} {version}", text::instruction(stage, version, &token), stage.name())
                    };
                    let printed = preserved(&program).map_err(|e| format!("{}: {e}", place()))?;
                    cases += 1;
                    if !usable {
                        // What has no meaning here may be refused, but not with a panic.
                        let _ = lift(&program, &Options::default());
                        continue;
                    }
                    if printed.contains(".token") {
                        return Err(format!("{}: the ordinary syntax cannot say it\n{printed}", place()));
                    }
                    let shader = lift(&program, &Options::default())
                        .map_err(|e| format!("{}: not lifted: {e}", place()))?;
                    if let Some(breach) = verify(&shader).first() {
                        return Err(format!("{}: breaks the IR: {breach}", place()));
                    }
                    let batch = Batch { count: 4, ..Batch::default() };
                    let outputs = Interp.run(&shader, &batch).map_err(|e| format!("{}: {e}", place()))?;
                    let writes = token.dest.reg_type() == Some(RegType::Output) && op.row().has_dst();
                    if writes == outputs.cells.is_empty() {
                        return Err(format!("{}: {} outputs", place(), outputs.cells.len()));
                    }
                }
            }
        }
    }
    // 34 rows are there from version 1 in both stages, kil and tex in one: less would mean that nothing was tried.
    if rows < 34 * 8 || cases < 20_000 {
        return Err(format!("only {rows} rows in {cases} cases"));
    }
    Ok(())
}

fn every_corruption() -> Result<(), String> {
    let mut refused = 0u64;
    let mut given_meaning = 0u64;
    for &op in Opcode::ALL {
        for version in VERSIONS {
            for stage in STAGES {
                let all = tokens(op, stage);
                let Some(token) = all.get(all.len() / 2) else { continue };
                for bit in 0..Token::SIZE * 8 {
                    let mut bytes = token.to_bytes();
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    let program = around(op, Token::from_bytes(&bytes), version, stage);
                    preserved(&program).map_err(|e| format!("{} bit {bit}: {e}", op.row().name))?;
                    match lift(&program, &Options::default()) {
                        Err(_) => refused += 1,
                        Ok(shader) => {
                            given_meaning += 1;
                            if let Some(breach) = verify(&shader).first() {
                                return Err(format!("{} bit {bit}: breaks the IR: {breach}", op.row().name));
                            }
                        }
                    }
                }
            }
        }
    }
    if refused < 10_000 || given_meaning < 10_000 {
        return Err(format!(
            "{refused} refused, {given_meaning} given a meaning: not what was meant to be tried"
        ));
    }
    Ok(())
}
