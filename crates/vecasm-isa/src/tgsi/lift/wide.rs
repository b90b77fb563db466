//! The instructions on 64-bit values: two components hold one, the low word first.

use super::scan::Instruction;
use super::{Fault, Lifter, NO_MEANING, Refusal, Result, convert, lane};
use crate::table::Lift;
use crate::tgsi::reads::{self, is_counted, of_counts, of_pairs};
use crate::tgsi::table::{Opcode, Type};
use alloc::format;
use vecasm_ir::ir::{Arg, Pure, Scalar};
use vecasm_ir::operand::WriteMask;

/// The scalar that a wide type is.
const fn scalar(ty: Type) -> Scalar {
    match ty {
        Type::I64 => Scalar::I64,
        Type::U64 => Scalar::U64,
        _ => Scalar::F64,
    }
}

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    let row = i.op.row();
    if !row.is_wide() {
        return Ok(false);
    }
    lifter.wide(i)?;
    Ok(true)
}

impl Lifter<'_> {
    /// An instruction with a 64-bit operand.
    fn wide(&mut self, i: &Instruction<'_>) -> Result<()> {
        match i.op {
            Opcode::D2f | Opcode::D2i | Opcode::D2u | Opcode::U642f | Opcode::I642f => self.narrow(i),
            Opcode::F2d
            | Opcode::I2d
            | Opcode::U2d
            | Opcode::F2i64
            | Opcode::F2u64
            | Opcode::I2i64
            | Opcode::U2i64 => self.widen(i),
            Opcode::Dslt | Opcode::I64slt | Opcode::U64slt => self.compare(i, Pure::Lt),
            Opcode::Dsge | Opcode::I64sge | Opcode::U64sge => self.compare(i, Pure::Ge),
            Opcode::Dseq | Opcode::U64seq => self.compare(i, Pure::Eq),
            Opcode::Dsne | Opcode::U64sne => self.compare(i, Pure::Ne),
            Opcode::Dfracexp => self.frexp(i),
            _ => self.pairs(i),
        }
    }

    /// The pairs that an instruction writes, a bit each, in the parts that are read and written one after another.
    ///
    /// `tgsi_exec` stores the first pair before it reads what the second one is computed from. Half a pair is nothing
    /// that can be written; `tgsi_exec` takes it for the whole pair in instructions with two 64-bit sources (`either`),
    /// and for nothing in the others.
    fn parts(&self, i: &Instruction<'_>, either: bool) -> Result<[u8; 2]> {
        let halves = [lane::mask_of(i).bits() & 3, lane::mask_of(i).bits() >> 2 & 3];
        if self.options.compat.has(Fault::PairOrder) {
            let written = halves.map(|half| half == 3 || either && half != 0);
            return Ok([u8::from(written[0]), u8::from(written[1]) << 1]);
        }
        if halves.iter().any(|half| matches!(half, 1 | 2)) {
            let what = format!("{} writes half of a 64-bit value", i.op.row().name);
            return Err(Refusal::new(NO_MEANING, what));
        }
        Ok([halves[0] & 1 | halves[1] & 2, 0])
    }

    /// The 64-bit values in pairs of a source, a bit each of `pairs`, with the modifiers of the operand.
    fn wide_source(&mut self, i: &Instruction<'_>, n: usize, pairs: u8) -> Result<Arg> {
        let words = self.read(i, n, of_pairs(pairs), Type::U64)?;
        let (low, high) = match pairs {
            3 => (lane::pick(words, &[0, 2]), lane::pick(words, &[1, 3])),
            _ => (lane::pick(words, &[0]), lane::pick(words, &[1])),
        };
        let bits = self.b.pure(Pure::Pack64, &[low, high]);
        let ty = i.op.row().source(n);
        let operand = Self::source(i, n)?;
        // The interpreter reads the words as they are.
        let modified = !self.options.compat.has(Fault::WideModifier);
        let (absolute, negate) = (modified && operand.absolute, modified && operand.negate);
        let b = &mut self.b;
        let mut value = bits;
        if absolute {
            // The sign is that of a double, whatever the type, as it is that of a float in 32-bit sources.
            value = b.pure(Pure::AsF64, &[value]);
            value = b.pure(Pure::Abs, &[value]);
        }
        if negate {
            let signed = if ty == Type::F64 { Pure::AsF64 } else { Pure::AsI64 };
            value = lane::as_bits(b, signed, value);
            value = b.pure(Pure::Neg, &[value]);
        }
        Ok(match scalar(ty) {
            Scalar::I64 => lane::as_bits(b, Pure::AsI64, value),
            Scalar::U64 => lane::as_bits(b, Pure::AsU64, value),
            _ => lane::as_bits(b, Pure::AsF64, value),
        })
    }

    /// Writes 64-bit values to pairs of a destination, a bit each of `pairs`. They are clamped as doubles, whatever
    /// they are.
    fn write_wide(&mut self, i: &Instruction<'_>, pairs: u8, value: Arg) -> Result<()> {
        let mut value = value;
        if i.token.saturate != 0 {
            value = lane::as_bits(&mut self.b, Pure::AsF64, value);
            value = self.b.pure(Pure::Saturate, &[value]);
        }
        let [low, high] = [Pure::Low64, Pure::High64].map(|half| self.b.pure(half, &[value]));
        let words = (0..value.lanes).flat_map(|n| [(low.value, n), (high.value, n)]);
        let words = self.b.gather(words);
        self.write_part(i, of_pairs(pairs), words)
    }

    /// Writes some of the components that are written, clamped if the instruction says so.
    fn write_lanes(&mut self, i: &Instruction<'_>, mask: WriteMask, value: Arg) -> Result<()> {
        let value = self.saturated(i, value)?;
        self.write_part(i, mask, value)
    }

    fn write_part(&mut self, i: &Instruction<'_>, mask: WriteMask, value: Arg) -> Result<()> {
        match i.to.first() {
            Some(to) => self.store(to, mask, value),
            None => Ok(()),
        }
    }

    /// Pairs to pairs.
    fn pairs(&mut self, i: &Instruction<'_>) -> Result<()> {
        let counted = is_counted(i.op);
        let sources = i.op.row().source_shapes().len();
        for pairs in self.parts(i, sources == 2 && !counted)? {
            if pairs == 0 {
                continue;
            }
            let first = self.wide_source(i, 0, pairs)?;
            let mut args = [first; 3];
            for (n, arg) in args.iter_mut().enumerate().take(sources).skip(1) {
                *arg = if counted {
                    self.read(i, n, of_counts(pairs), Type::I32)?
                } else {
                    self.wide_source(i, n, pairs)?
                };
            }
            let result = self.wide_value(i, args)?;
            self.write_wide(i, pairs, result)?;
        }
        Ok(())
    }

    /// What an instruction makes of 64-bit values.
    fn wide_value(&mut self, i: &Instruction<'_>, [x, y, z]: [Arg; 3]) -> Result<Arg> {
        let (compat, x86) = (self.options.compat, self.is_x86());
        let b = &mut self.b;
        Ok(match (i.op, i.op.row().lift) {
            (_, Lift::PerComponent(pure)) => b.pure(pure, &[x, y, z][..pure.arity().min(3)]),
            // It leaves -0 as it is, and changes the sign of NaN.
            (Opcode::Dabs, _) if compat.has(Fault::DoubleMagnitude) => {
                let zero = lane::zero_of(b, x);
                let positive = b.pure(Pure::Ge, &[x, zero]);
                let opposite = b.pure(Pure::Neg, &[x]);
                b.pure(Pure::Select, &[positive, x, opposite])
            }
            (Opcode::Dabs | Opcode::I64abs, _) => b.pure(Pure::Abs, &[x]),
            (Opcode::Drsq, _) => {
                let root = b.pure(Pure::Sqrt, &[x]);
                b.pure(Pure::Rcp, &[root])
            }
            (Opcode::Dmad, _) => {
                let product = b.pure(Pure::Mul, &[x, y]);
                b.pure(Pure::Add, &[product, z])
            }
            (Opcode::Dldexp, _) => b.pure(Pure::Ldexp, &[x, y]),
            (Opcode::U64shl | Opcode::I64shr | Opcode::U64shr, _) => {
                let count = b.pure(Pure::AsU32, &[y]);
                b.pure(if i.op == Opcode::U64shl { Pure::Shl } else { Pure::Shr }, &[x, count])
            }
            (Opcode::I64div | Opcode::U64div, _) => b.pure(Pure::Div, &[x, y]),
            (Opcode::I64mod | Opcode::U64mod, _) => b.pure(Pure::Rem, &[x, y]),
            (Opcode::D2i64, _) => convert::to_integer(b, x, Scalar::I64, x86),
            (Opcode::D2u64, _) => convert::to_integer(b, x, Scalar::U64, x86),
            (Opcode::I642d | Opcode::U642d, _) => b.pure(Pure::ToF64, &[x]),
            _ => return Err(Refusal::new(NO_MEANING, format!("{} has no meaning here", i.op.row().name))),
        })
    }

    /// Components x and y to the pairs xy and zw.
    fn widen(&mut self, i: &Instruction<'_>) -> Result<()> {
        let (compat, x86) = (self.options.compat, self.is_x86());
        let ty = match i.op {
            // It reads integers as floats, whose negative has another sign bit.
            Opcode::I2d | Opcode::U2d if compat.has(Fault::WidenedModifier) => Type::F32,
            _ => i.op.row().source(0),
        };
        for pairs in self.parts(i, false)? {
            if pairs == 0 {
                continue;
            }
            let x = self.read(i, 0, WriteMask::from_bits(pairs), ty)?;
            let b = &mut self.b;
            let result = match i.op {
                Opcode::F2i64 => convert::to_integer(b, x, Scalar::I64, x86),
                Opcode::F2u64 => convert::to_integer(b, x, Scalar::U64, x86),
                Opcode::I2i64 | Opcode::U2i64 => b.pure(Pure::ToI64, &[x]),
                Opcode::I2d => {
                    let x = lane::as_bits(b, Pure::AsI32, x);
                    b.pure(Pure::ToF64, &[x])
                }
                Opcode::U2d => {
                    let x = lane::as_bits(b, Pure::AsU32, x);
                    b.pure(Pure::ToF64, &[x])
                }
                _ => b.pure(Pure::ToF64, &[x]),
            };
            self.write_wide(i, pairs, result)?;
        }
        Ok(())
    }

    /// The pairs xy and zw to the first two components that are written.
    fn narrow(&mut self, i: &Instruction<'_>) -> Result<()> {
        let (compat, x86) = (self.options.compat, self.is_x86());
        let mut to = reads::written(i.op, 0, lane::mask_of(i)).lanes().enumerate();
        let parts: [(u8, u8); 2] = if compat.has(Fault::PairOrder) {
            [to.next(), to.next()].map(|part| part.map_or((0, 0), |(pair, lane)| (1 << pair, 1 << lane)))
        } else {
            [to.fold((0, 0), |(pairs, mask), (pair, lane)| (pairs | 1 << pair, mask | 1 << lane)), (0, 0)]
        };
        for (pairs, mask) in parts {
            if pairs == 0 {
                continue;
            }
            let x = self.wide_source(i, 0, pairs)?;
            let b = &mut self.b;
            let result = match i.op {
                Opcode::D2i => convert::to_integer(b, x, Scalar::I32, x86),
                Opcode::D2u => convert::to_integer(b, x, Scalar::U32, x86),
                _ => b.pure(Pure::ToF32, &[x]),
            };
            self.write_lanes(i, WriteMask::from_bits(mask), result)?;
        }
        Ok(())
    }

    /// A comparison of pairs: all bits of the first component of each pair that is written are set where it holds.
    fn compare(&mut self, i: &Instruction<'_>, test: Pure) -> Result<()> {
        let exec = self.options.compat.has(Fault::PairOrder);
        let mask = reads::written(i.op, 0, lane::mask_of(i)).bits();
        let written = reads::pairs(WriteMask::from_bits(mask));
        for pairs in if exec { [written & 1, written & 2] } else { [written, 0] } {
            if pairs == 0 {
                continue;
            }
            let (x, y) = (self.wide_source(i, 0, pairs)?, self.wide_source(i, 1, pairs)?);
            let holds = self.b.pure(test, &[x, y]);
            let result = lane::all_bits(&mut self.b, holds);
            self.write_lanes(i, WriteMask::from_bits(mask & of_pairs(pairs).bits()), result)?;
        }
        Ok(())
    }

    /// The fraction of the pair xy to each pair that is written, and its exponent to the second destination.
    fn frexp(&mut self, i: &Instruction<'_>) -> Result<()> {
        let parts = self.parts(i, false)?;
        let x = self.wide_source(i, 0, 1)?;
        let fraction = self.b.pure(Pure::FrexpFraction, &[x]);
        let exponent = self.b.pure(Pure::FrexpExponent, &[x]);
        for pairs in parts {
            if pairs != 0 {
                let lanes = lane::broadcast(fraction, pairs.count_ones() as u8);
                self.write_wide(i, pairs, lanes)?;
            }
        }
        let Some(to) = i.to.get(1) else { return Ok(()) };
        let exponent = self.saturated(i, lane::broadcast(exponent, to.mask.count() as u8))?;
        if to.mask == WriteMask::NONE {
            return Ok(());
        }
        self.store(to, to.mask, exponent)
    }
}
