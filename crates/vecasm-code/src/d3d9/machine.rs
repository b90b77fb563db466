//! What the models of Direct3D 9 can say.

use super::Model;
use crate::forms::{DIFFERENCE, MAGNITUDE, MULTIPLY_ADD, OPPOSITE, POSITIVE, X, Y, Z, ZERO};
use crate::machine::{
    Conditionals, Constants, Kind, Loops, Machine, Modifiers, Pattern, Ports, Quirks, Reads, Row,
};
use alloc::vec::Vec;
use vecasm_ir::ir::{Promise, Pure, Rule, Slope};
use vecasm_isa::d3d9::program::Stage;
use vecasm_isa::d3d9::table::{Opcode, slots};
use vecasm_isa::table::Lift;

/// Patterns that keep less, with where results differ.
type Weaker = (&'static [Pattern], Promise, &'static str);

const SIGNED: &str = "numbers below zero";

/// The same without the magnitude, and reciprocals that are rounded once more where they come from.
fn weaker(op: Opcode) -> &'static [Weaker] {
    match op {
        Opcode::Rsq => &[
            (
                &[Pattern::Op(Pure::Rsq, &[X]), Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[X])])],
                Promise::Close,
                SIGNED,
            ),
            (&[Pattern::Op(Pure::Rsq, &[X, X])], Promise::Close, "vectors of next to no length"),
        ],
        Opcode::Log => &[(&[Pattern::Op(Pure::Log2, &[X])], Promise::Close, SIGNED)],
        Opcode::Pow => &[(&[Pattern::Op(Pure::Pow, &[X, Y])], Promise::Close, SIGNED)],
        _ => &[],
    }
}

/// The patterns of instructions that are more than one operation, or one of a magnitude.
fn custom(op: Opcode, model: Model) -> Option<(Kind, &'static [Pattern])> {
    let old = model.version.major() < 2;
    Some(match op {
        Opcode::Mov if model.caps().absolute => {
            (Kind::PerLane, &[OPPOSITE, Pattern::Op(Pure::Abs, &[Pattern::Magnitude(0)])])
        }
        Opcode::Mov => (Kind::PerLane, &[OPPOSITE]),
        Opcode::Add => (Kind::PerLane, &[DIFFERENCE]),
        Opcode::Mad => (Kind::PerLane, MULTIPLY_ADD),
        Opcode::Rsq => {
            (Kind::Scalar, &[Pattern::Op(Pure::Rsq, &[MAGNITUDE]), Pattern::Op(Pure::Rsq, &[POSITIVE])])
        }
        Opcode::Exp => (Kind::Scalar, &[Pattern::Op(Pure::Exp2, &[X])]),
        Opcode::Log => {
            (Kind::Scalar, &[Pattern::Op(Pure::Log2, &[MAGNITUDE]), Pattern::Op(Pure::Log2, &[POSITIVE])])
        }
        Opcode::Pow => {
            (Kind::Scalar, &[Pattern::Op(Pure::Pow, &[MAGNITUDE, Y]), Pattern::Op(Pure::Pow, &[POSITIVE, Y])])
        }
        // Before 2.0 it has two lanes at most; expp has one, in one slot.
        Opcode::Frc if !old => (Kind::PerLane, &[Pattern::Op(Pure::Fract, &[X])]),
        Opcode::Expp if old => {
            (Kind::Placed(&[0, 1]), &[Pattern::Op(Pure::Exp2Floor, &[X]), Pattern::Op(Pure::Fract, &[X])])
        }
        Opcode::Logp if old => (
            Kind::Placed(&[0, 1, 0, 1]),
            &[
                Pattern::Op(Pure::Exponent, &[MAGNITUDE]),
                Pattern::Op(Pure::Mantissa, &[MAGNITUDE]),
                Pattern::Op(Pure::Exponent, &[POSITIVE]),
                Pattern::Op(Pure::Mantissa, &[POSITIVE]),
            ],
        ),
        Opcode::Abs if !model.caps().absolute => (Kind::PerLane, &[MAGNITUDE]),
        Opcode::Cmp => {
            (Kind::PerLane, &[Pattern::Op(Pure::Select, &[Pattern::Op(Pure::Ge, &[X, ZERO]), Y, Z])])
        }
        // The first, second and fourth lane of the vector.
        Opcode::Lit => (Kind::Placed(&[2]), &[Pattern::Op(Pure::Lit, &[X, Y, Pattern::Source(3)])]),
        Opcode::Nrm => (Kind::Normalize, &[]),
        Opcode::Sincos if model.version.major() >= 3 => {
            (Kind::Placed(&[0, 1]), &[Pattern::Op(Pure::Cos, &[X]), Pattern::Op(Pure::Sin, &[X])])
        }
        Opcode::Dsx => (Kind::Derivative { y: false, slope: Slope::Fine }, &[]),
        Opcode::Dsy => (Kind::Derivative { y: true, slope: Slope::Fine }, &[]),
        // Whatever is no whole number was rounded before.
        Opcode::Mova => (
            Kind::PerLane,
            &[
                Pattern::Op(Pure::ToI32, &[Pattern::Op(Pure::RoundEven, &[X])]),
                Pattern::Op(Pure::ToI32, &[X]),
            ],
        ),
        _ => return None,
    })
}

/// The instructions of a model. Angles of other instruction sets may be any.
pub(crate) fn machine(model: Model, own: bool) -> Machine {
    let version = model.version;
    let caps = model.caps();
    let vertex = version.stage() == Stage::Vertex;
    let mut rows: Vec<Row> = Vec::new();
    for (code, &op) in Opcode::ALL.iter().enumerate() {
        let gradient = matches!(op, Opcode::Dsx | Opcode::Dsy | Opcode::Texldd);
        let Some(price) = slots(op, version, 0, false) else { continue };
        if gradient && !caps.gradients {
            continue;
        }
        let new = |kind: Kind| Row { slots: price, ..Row::new(code as u16, kind) };
        let row = match op.row().lift {
            // A sum of something negated.
            Lift::PerComponent(Pure::Sub) => continue,
            Lift::PerComponent(pure) | Lift::Set(pure) => {
                let more = custom(op, model).map_or(&[][..], |(_, more)| more);
                new(Kind::PerLane).with(more).with(&[Pattern::of(pure)])
            }
            Lift::Replicate(Pure::Dot, lanes) => new(Kind::Dot(lanes)),
            Lift::Replicate(pure, 1) => new(Kind::Scalar).with(&[Pattern::of(pure)]),
            Lift::Custom(()) => match custom(op, model) {
                Some((kind, patterns)) => weaker(op)
                    .iter()
                    .fold(new(kind).with(patterns), |row, of| row.with_weaker(of.0, of.1, of.2)),
                None => continue,
            },
            Lift::Replicate(..) | Lift::Reserved => continue,
        };
        // Clamps are for arithmetic of floats; what loads an index has no modifier of results.
        let to_temporaries = matches!(op, Opcode::Pow | Opcode::Crs | Opcode::Nrm | Opcode::Sincos);
        rows.push(Row { saturates: op != Opcode::Mova, to_temporaries, ..row });
    }
    let index = if version.major() >= 2 { Opcode::Mova } else { Opcode::Mov };
    if vertex && version.major() < 2 {
        // `mov a0.x` rounds down.
        let floor = Pattern::Op(Pure::ToI32, &[Pattern::Op(Pure::Floor, &[X])]);
        let row = Row::new(super::LOAD_INDEX, Kind::PerLane).with(&[floor]);
        rows.push(Row { saturates: false, ..row });
    }
    let three = version.major() >= 3;
    Machine {
        index: vertex.then_some(if index == Opcode::Mov { super::LOAD_INDEX } else { index as u16 }),
        modifiers: Modifiers { negate: true, absolute: caps.absolute, saturate: !vertex || three },
        ports: Ports::new(Constants::OneRegister, true),
        whole_outputs: !vertex && !three,
        copied_outputs: !vertex && !three,
        fills_outputs: !vertex,
        begins_outputs: vertex,
        conditionals: match (caps.conditionals, caps.truths) {
            (true, _) => Conditionals::All,
            (false, true) => Conditionals::Constant,
            (false, false) => Conditionals::None,
        },
        has_truths: caps.truths,
        loops: Loops::None,
        rule: Rule::ZeroWins,
        room: caps.slots.map(|slots| slots as usize),
        temporaries: caps.temporaries,
        addresses: u16::from(vertex),
        address_lanes: if version.major() < 2 { 1 } else { 4 },
        tests: if caps.conditionals { &[Pure::Eq, Pure::Ne, Pure::Lt, Pure::Ge] } else { &[] },
        reads: Reads { projected: !vertex, fourth: true, placed: !three, whole: !three },
        quirks: Quirks {
            kills_registers: true,
            few_swizzles: !caps.any_swizzle,
            short_swizzles: true,
            rounds_indices: version.major() >= 2,
            bounded_lengths: true,
            fresh_reads: caps.dependent_reads_limited,
            reduces_angles: !own,
        },
        ..Machine::new(model.name, rows, Opcode::Mov as u16)
    }
}
