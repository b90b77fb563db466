//! What programs of the NV2A can say.

use super::operations::TEMPORARIES;
use crate::forms::{DIFFERENCE, MAGNITUDE, MULTIPLY_ADD, OPPOSITE, POSITIVE, X, Y};
use crate::machine::{Constants, Kind, Machine, Modifiers, Pattern, Ports, Row};
use alloc::vec::Vec;
use vecasm_ir::ir::{Promise, Pure, Rule};
use vecasm_isa::nv2a::table::{Ilu, Mac, SLOTS, Special};
use vecasm_isa::table::{Lift, OpRow};

const ROOT: Pattern = Pattern::Op(Pure::Sqrt, &[X]);

/// Added to the code of an operation of the scalar unit, so that it is another one than that of the vector unit.
pub(super) const SCALAR: u16 = 1 << 8;

/// The parts of an exponential, each in its lane.
const EXPONENTIAL: &[Pattern] =
    &[Pattern::Op(Pure::Exp2Floor, &[X]), Pattern::Op(Pure::Fract, &[X]), Pattern::Op(Pure::Exp2, &[X])];
/// The parts of a logarithm, which is one of the magnitude.
const LOGARITHM: &[Pattern] = &[
    Pattern::Op(Pure::Exponent, &[X]),
    Pattern::Op(Pure::Mantissa, &[X]),
    Pattern::Op(Pure::Log2, &[MAGNITUDE]),
    Pattern::Op(Pure::Log2, &[POSITIVE]),
    Pattern::Op(Pure::Log2, &[X]),
];
const LIGHT: &[Pattern] = &[Pattern::Op(Pure::Lit, &[X, Y, Pattern::Source(3)])];

/// A row whose last patterns, from number `exact` on, are those of operations that have ten bits here, unless that is where the program
/// has them from.
fn placed(code: u16, slots: &'static [u8], patterns: &[Pattern], exact: usize, own: bool) -> Row {
    let row = Row::new(code, Kind::Placed(slots));
    let (front, back) = patterns.split_at(if own { patterns.len() } else { exact.min(patterns.len()) });
    row.with(front).with_weaker(back, Promise::Approximate, "all but about ten bits")
}

/// The rows of an operation that is more than one operation of the IR, or that says several.
fn custom(code: u16, special: Special, own: bool) -> Option<Row> {
    Some(match special {
        Special::Move => Row::new(code, Kind::PerLane).with(&[OPPOSITE]),
        Special::MultiplyAdd => Row::new(code, Kind::PerLane).with(MULTIPLY_ADD),
        Special::DotHomogeneous => Row::new(code, Kind::Homogeneous),
        Special::Address => Row::new(code, Kind::Scalar)
            .with(&[Pattern::Op(Pure::ToI32, &[Pattern::Op(Pure::Floor, &[X])])])
            .with_weaker(
                &[Pattern::Op(Pure::ToI32, &[X])],
                Promise::Close,
                "numbers below zero that are not whole",
            ),
        Special::Exponential => placed(code, &[0, 1, 2], EXPONENTIAL, 2, own),
        Special::Logarithm => placed(code, &[0, 1, 2, 2, 2], LOGARITHM, 2, own),
        Special::Light => placed(code, &[2], LIGHT, 0, own),
        // Products and copies do it.
        Special::Distance | Special::Nop => return None,
    })
}

/// What an operation says besides what its row in the table does.
fn more(row: Row, op: Pure, own: bool) -> Row {
    match op {
        Pure::Add => row.with(&[DIFFERENCE]),
        // The root is taken of the magnitude, as in the arithmetic of its own programs.
        Pure::Rsq => {
            let row = if own { row } else { Row { patterns: Vec::new(), ..row } };
            row.with(&[Pattern::Op(Pure::Rsq, &[MAGNITUDE]), Pattern::Op(Pure::Rsq, &[POSITIVE])])
                .with_weaker(
                    &[
                        Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[MAGNITUDE])]),
                        Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[POSITIVE])]),
                    ],
                    Promise::Operations,
                    "rounding",
                )
                .with_weaker(
                    &[Pattern::Op(Pure::Rsq, &[X]), Pattern::Op(Pure::Rcp, &[ROOT])],
                    Promise::Close,
                    "numbers below zero",
                )
        }
        _ => row,
    }
}

fn rows_of(code: u16, of: &OpRow<Special>, own: bool, rows: &mut Vec<Row>) {
    let row = match of.lift {
        Lift::PerComponent(op) | Lift::Set(op) => {
            more(Row::new(code, Kind::PerLane).with(&[Pattern::of(op)]), op, own)
        }
        Lift::Replicate(Pure::Dot, lanes) => Row::new(code, Kind::Dot(lanes)),
        Lift::Replicate(op, _) => more(Row::new(code, Kind::Scalar).with(&[Pattern::of(op)]), op, own),
        Lift::Custom(special) => match custom(code, special, own) {
            Some(row) => row,
            None => return,
        },
        Lift::Reserved => return,
    };
    rows.push(row);
    // The larger one of a number and its opposite.
    if matches!(of.lift, Lift::PerComponent(Pure::Max)) {
        let row = Row::new(code, Kind::PerLane).with(&[MAGNITUDE]);
        rows.push(Row { mirrors: true, ..row });
    }
}

/// The operations of both units. Of a program of its `own`, exponentials are what they were.
pub(crate) fn machine(own: bool) -> Machine {
    let mut rows: Vec<Row> = Vec::new();
    for (code, op) in Mac::ALL.iter().enumerate() {
        rows_of(code as u16, op.row(), own, &mut rows);
    }
    for (code, op) in Ilu::ALL.iter().enumerate() {
        // The other unit has one that copies.
        if *op != Ilu::Mov {
            rows_of(SCALAR | code as u16, op.row(), own, &mut rows);
        }
    }
    Machine {
        index: Some(Mac::Arl as u16),
        modifiers: Modifiers { negate: true, absolute: false, saturate: false },
        ports: Ports::new(Constants::OneRegister, true),
        rule: Rule::Nv20,
        room: Some(SLOTS),
        // Two in a pair, and some are merged before.
        shares: 4,
        temporaries: TEMPORARIES as u16,
        addresses: 1,
        address_lanes: 1,
        ..Machine::new(super::LOWERING, rows, Mac::Mov as u16)
    }
}
