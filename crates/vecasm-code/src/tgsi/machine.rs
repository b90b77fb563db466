//! What TGSI can say.

use crate::forms::{DIFFERENCE, MULTIPLY_ADD, OPPOSITE, PRODUCT, X, Y, Z, ZERO};
use crate::machine::{Conditionals, Kind, Loops, Machine, Modifiers, Pattern, Reads, Row, Truth};
use alloc::vec::Vec;
use vecasm_ir::ir::{Promise, Pure, Rule, Scalar, Slope};
use vecasm_isa::table::Lift;
use vecasm_isa::tgsi::dialect::Dialect;
use vecasm_isa::tgsi::table::{Exec, Mode, Opcode, Type};

/// What instructions compute that are more than one operation, or several ways to say one.
fn custom(op: Opcode) -> &'static [Pattern] {
    match op {
        Opcode::Add => &[DIFFERENCE],
        Opcode::Mad => MULTIPLY_ADD,
        Opcode::Umad => &[Pattern::Op(Pure::Add, &[PRODUCT, Z])],
        Opcode::Lrp => {
            &[Pattern::Op(Pure::Add, &[Pattern::Op(Pure::Mul, &[X, Pattern::Op(Pure::Sub, &[Y, Z])]), Z])]
        }
        Opcode::Rsq => &[Pattern::Op(Pure::Rcp, &[Pattern::Op(Pure::Sqrt, &[X])])],
        Opcode::Ex2 => &[Pattern::Op(Pure::Exp2, &[X])],
        Opcode::Lg2 => &[Pattern::Op(Pure::Log2, &[X])],
        Opcode::Pow => &[Pattern::Op(Pure::Pow, &[X, Y])],
        Opcode::Mov => &[OPPOSITE, Pattern::Op(Pure::Abs, &[Pattern::Magnitude(0)])],
        Opcode::Cmp => &[Pattern::Op(Pure::Select, &[Pattern::Op(Pure::Lt, &[X, ZERO]), Y, Z])],
        Opcode::Ucmp => &[
            Pattern::Op(Pure::Select, &[Pattern::Word(Pure::Ne, &[X, ZERO]), Y, Z]),
            Pattern::Op(Pure::Select, &[Pattern::Word(Pure::Eq, &[X, ZERO]), Z, Y]),
            Pattern::Op(Pure::Select, &[X, Y, Z]),
        ],
        Opcode::Fslt | Opcode::Islt | Opcode::Uslt => &[Pattern::Op(Pure::Lt, &[X, Y])],
        Opcode::Fsge | Opcode::Isge | Opcode::Usge => &[Pattern::Op(Pure::Ge, &[X, Y])],
        Opcode::Fseq | Opcode::Useq => &[Pattern::Op(Pure::Eq, &[X, Y])],
        Opcode::Fsne | Opcode::Usne => &[Pattern::Op(Pure::Ne, &[X, Y])],
        Opcode::Shl => &[Pattern::Op(Pure::Shl, &[X, Y])],
        Opcode::Ishr | Opcode::Ushr => &[Pattern::Op(Pure::Shr, &[X, Y])],
        Opcode::Idiv | Opcode::Udiv => &[Pattern::Op(Pure::Div, &[X, Y])],
        Opcode::Mod | Opcode::Umod => &[Pattern::Op(Pure::Rem, &[X, Y])],
        Opcode::F2i => &[Pattern::Op(Pure::ToI32, &[X])],
        Opcode::F2u => &[Pattern::Op(Pure::ToU32, &[X])],
        Opcode::Arl => &[Pattern::Op(Pure::ToI32, &[Pattern::Op(Pure::Floor, &[X])])],
        Opcode::Ldexp => &[Pattern::Op(Pure::Ldexp, &[X, Y])],
        Opcode::Ibfe | Opcode::Ubfe => &[Pattern::Op(Pure::BitExtract, &[X, Y, Z])],
        Opcode::Bfi => &[Pattern::Op(Pure::BitInsert, &[X, Y, Z, Pattern::Source(3)])],
        _ => &[],
    }
}

/// The scalars an instruction computes on: integers are signed or not where that is the same.
fn scalars(op: Opcode, taken: Type) -> &'static [Scalar] {
    const BOTH: &[Scalar] = &[Scalar::U32, Scalar::I32];
    const WORDS: &[Scalar] = &[Scalar::U32, Scalar::I32, Scalar::Bool];
    match op {
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not | Opcode::Useq | Opcode::Usne => WORDS,
        Opcode::Uadd | Opcode::Umul | Opcode::Umad | Opcode::Shl | Opcode::Bfi => BOTH,
        _ => match taken {
            Type::F32 | Type::Bits => &[Scalar::F32],
            Type::I32 => &[Scalar::I32],
            Type::U32 => &[Scalar::U32],
            Type::F64 | Type::I64 | Type::U64 => &[],
        },
    }
}

/// The instructions of a dialect. Products with zero are zero, or not.
pub(crate) fn machine(dialect: Dialect, rule: Rule) -> Machine {
    let mut rows: Vec<Row> = Vec::new();
    for (code, &op) in Opcode::ALL.iter().enumerate() {
        let of = op.row();
        if !of.is_in(dialect) || matches!(of.exec, Exec::Removed | Exec::Missing | Exec::Stops) {
            continue;
        }
        let code = code as u16;
        let kind = match (op, of.mode) {
            (Opcode::Dp2, _) => Kind::Dot(2),
            (Opcode::Dp3, _) => Kind::Dot(3),
            (Opcode::Dp4, _) => Kind::Dot(4),
            (Opcode::Ddx, _) => Kind::Derivative { y: false, slope: Slope::Coarse },
            (Opcode::Ddy, _) => Kind::Derivative { y: true, slope: Slope::Coarse },
            (Opcode::DdxFine, _) => Kind::Derivative { y: false, slope: Slope::Fine },
            (Opcode::DdyFine, _) => Kind::Derivative { y: true, slope: Slope::Fine },
            (_, Mode::PerComponent) => Kind::PerLane,
            (_, Mode::Replicated) => Kind::Scalar,
            _ => continue,
        };
        let mut patterns: Vec<Pattern> = custom(op).to_vec();
        match of.lift {
            Lift::PerComponent(pure) | Lift::Replicate(pure, 1) => patterns.push(Pattern::of(pure)),
            Lift::Set(pure) => patterns.push(Pattern::Set(pure)),
            _ => {}
        }
        // Where x is NaN, CMP chooses the other one; RSQ rounds twice here. Both are the operation that is meant.
        let (weaker, differs): (&[Pattern], _) = match op {
            Opcode::Cmp => (&[Pattern::Op(Pure::Select, &[Pattern::Op(Pure::Ge, &[X, ZERO]), Z, Y])], "NaN"),
            Opcode::Rsq => (&[Pattern::Op(Pure::Rsq, &[X])], "rounding"),
            _ => (&[], ""),
        };
        if of.is_wide() || patterns.is_empty() && matches!(kind, Kind::PerLane | Kind::Scalar) {
            continue;
        }
        for &scalar in scalars(op, of.source(0)) {
            let float = scalar == Scalar::F32 && op != Opcode::Ucmp && op != Opcode::Ldexp;
            let saturates = float && matches!(of.result, Type::F32 | Type::Bits);
            let row = Row::new(code, kind).with(&patterns);
            let row = row.with_weaker(weaker, Promise::Operations, differs);
            rows.push(row.over(scalar, float, saturates));
        }
    }
    // A truth as a number: the bits of 1 where it holds.
    let and = Opcode::And as u16;
    for (to, one) in [(Pure::ToF32, 1f32.to_bits()), (Pure::ToI32, 1), (Pure::ToU32, 1)] {
        let row = Row::new(and, Kind::PerLane).with(&[Pattern::of(to)]).over(Scalar::Bool, false, false);
        rows.push(Row { fixed: Some((1, one)), ..row });
    }
    Machine {
        index: Some(Opcode::Arl as u16),
        modifiers: Modifiers { negate: true, absolute: true, saturate: true },
        truth: Truth::Mask,
        begins_outputs: true,
        conditionals: Conditionals::All,
        loops: Loops::Endless,
        rule,
        temporaries: 4096,
        addresses: 3,
        reads: Reads { projected: true, fourth: true, ..Reads::default() },
        ..Machine::new(super::LOWERING, rows, Opcode::Mov as u16)
    }
}
