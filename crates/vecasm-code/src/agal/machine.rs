//! What AGAL can say.

use crate::forms::{MAGNITUDE, POSITIVE, X, Y};
use crate::machine::{Conditionals, Constants, Kind, Machine, Pattern, Ports, Row};
use alloc::vec::Vec;
use vecasm_ir::ir::{OutOfRange, Promise, Pure, Slope};
use vecasm_isa::agal::program::{RegType, Stage};
use vecasm_isa::agal::table::Opcode;
use vecasm_isa::table::{Lift, Stages};

/// The same without the magnitude.
fn signed(op: Opcode) -> &'static [Pattern] {
    match op {
        Opcode::Sqt => &[Pattern::Op(Pure::Sqrt, &[X])],
        Opcode::Rsq => {
            &[Pattern::Op(Pure::Rsq, &[X]), Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[X])])]
        }
        Opcode::Log => &[Pattern::Op(Pure::Log2, &[X])],
        Opcode::Pow => &[Pattern::Op(Pure::Pow, &[X, Y])],
        _ => &[],
    }
}

/// The reciprocal of a root, which is rounded once here and twice where it comes from.
fn twice_rounded(op: Opcode) -> &'static [Pattern] {
    match op {
        Opcode::Rsq => &[
            Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[MAGNITUDE])]),
            Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[POSITIVE])]),
        ],
        _ => &[],
    }
}

/// The patterns of instructions that are more than one operation, or one of a magnitude. `sgn` is in no player.
fn custom(op: Opcode) -> Option<(Kind, &'static [Pattern])> {
    Some(match op {
        Opcode::Sqt => {
            (Kind::PerLane, &[Pattern::Op(Pure::Sqrt, &[MAGNITUDE]), Pattern::Op(Pure::Sqrt, &[POSITIVE])])
        }
        Opcode::Rsq => {
            (Kind::PerLane, &[Pattern::Op(Pure::Rsq, &[MAGNITUDE]), Pattern::Op(Pure::Rsq, &[POSITIVE])])
        }
        Opcode::Log => {
            (Kind::PerLane, &[Pattern::Op(Pure::Log2, &[MAGNITUDE]), Pattern::Op(Pure::Log2, &[POSITIVE])])
        }
        Opcode::Pow => (
            Kind::PerLane,
            &[Pattern::Op(Pure::Pow, &[MAGNITUDE, Y]), Pattern::Op(Pure::Pow, &[POSITIVE, Y])],
        ),
        Opcode::Nrm => (Kind::Normalize, &[]),
        Opcode::Crs => (Kind::Cross, &[]),
        Opcode::M33 => (Kind::Matrix { lanes: 3, rows: 3 }, &[]),
        Opcode::M34 => (Kind::Matrix { lanes: 4, rows: 3 }, &[]),
        Opcode::M44 => (Kind::Matrix { lanes: 4, rows: 4 }, &[]),
        Opcode::Ddx => (Kind::Derivative { y: false, slope: Slope::Fine }, &[]),
        Opcode::Ddy => (Kind::Derivative { y: true, slope: Slope::Fine }, &[]),
        _ => return None,
    })
}

/// The instructions of a version and stage.
pub(crate) fn machine(stage: Stage, version: u32, temporaries: Option<u16>) -> Machine {
    let mut rows: Vec<Row> = Vec::new();
    for (code, &op) in Opcode::ALL.iter().enumerate() {
        let of = op.row();
        let in_stage = match of.stages {
            Stages::V => stage == Stage::Vertex,
            Stages::F => stage == Stage::Fragment,
            _ => true,
        };
        if !in_stage || version < of.since || version > of.until || op == Opcode::Sgn {
            continue;
        }
        let code = code as u16;
        let row = match of.lift {
            Lift::PerComponent(pure) | Lift::Set(pure) => {
                Row::new(code, Kind::PerLane).with(&[Pattern::of(pure)])
            }
            Lift::Replicate(Pure::Dot, lanes) => Row::new(code, Kind::Dot(lanes)),
            Lift::Custom(_) => match custom(op) {
                Some((kind, patterns)) => Row::new(code, kind)
                    .with(patterns)
                    .with_weaker(signed(op), Promise::Close, "numbers below zero")
                    .with_weaker(twice_rounded(op), Promise::Operations, "rounding"),
                None => continue,
            },
            Lift::Replicate(..) | Lift::Reserved => continue,
        };
        rows.push(row);
    }
    let most = RegType::Temporary.count(stage, version) as u16;
    Machine {
        ports: Ports::new(Constants::OneSource, false),
        whole_outputs: stage == Stage::Fragment,
        fills_outputs: true,
        conditionals: if version >= 2 { Conditionals::All } else { Conditionals::None },
        out_of_range: OutOfRange::Clamp,
        temporaries: temporaries.map_or(most, |own| own.min(most)),
        tests: &[Pure::Eq, Pure::Ne, Pure::Lt],
        ..Machine::new("AGAL", rows, Opcode::Mov as u16)
    }
}
