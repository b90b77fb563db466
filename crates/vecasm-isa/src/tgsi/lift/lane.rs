//! Small pieces of expressions.

use super::scan::Instruction;
pub(super) use crate::lift::{broadcast, pick};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::op::{Slot, constant_of};
use vecasm_ir::ir::{Arg, Op, Pure, Scalar, Type};
use vecasm_ir::operand::WriteMask;

/// The components that an instruction writes to its first destination.
pub(super) fn mask_of(i: &Instruction<'_>) -> WriteMask {
    i.to.first().map_or(WriteMask::NONE, |to| to.mask)
}

/// The same bits as another type of the same width.
pub(super) fn as_bits(b: &mut Builder, cast: Pure, arg: Arg) -> Arg {
    let there = cast.result() == Slot::Is(b.shader.arg_type(arg).scalar);
    if there { arg } else { b.pure(cast, &[arg]) }
}

/// All bits set where a condition holds, else none: i32.
pub(super) fn all_bits(b: &mut Builder, holds: Arg) -> Arg {
    let one = b.pure(Pure::ToI32, &[holds]);
    b.pure(Pure::Neg, &[one])
}

/// A constant of the type of an argument, the same in every lane.
pub(super) fn constant_like(b: &mut Builder, arg: Arg, of: impl Fn(Scalar) -> u64) -> Arg {
    let scalar = b.shader.arg_type(arg).scalar;
    let bits = constant_of(&[of(scalar)], scalar).unwrap_or_default();
    let value = b.push_entry(Op::Const(bits), Type::new(scalar, 1));
    broadcast(Arg::all_lanes(value, 1), arg.lanes)
}

/// Zero, of the type of an argument.
pub(super) fn zero_of(b: &mut Builder, arg: Arg) -> Arg {
    constant_like(b, arg, |_| 0)
}

/// 2 to the power `n` as a float, of the type of an argument.
pub(super) fn power(b: &mut Builder, arg: Arg, n: u32) -> Arg {
    constant_like(b, arg, |scalar| match scalar {
        Scalar::F64 => u64::from(1023 + n) << 52,
        _ => u64::from(127 + n) << 23,
    })
}

/// The highest bit, of the type of an argument.
pub(super) fn sign_bit(b: &mut Builder, arg: Arg) -> Arg {
    constant_like(b, arg, |scalar| if scalar.is_wide() { 1 << 63 } else { 1 << 31 })
}

/// A constant of u32 lanes.
pub(super) fn uints(b: &mut Builder, bits: [u32; 4], lanes: u8) -> Arg {
    Arg::all_lanes(b.push_entry(Op::Const(bits), Type::new(Scalar::U32, lanes)), lanes)
}
