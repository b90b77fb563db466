//! Sources with swizzle and modifiers, and results.

use super::registers::Read;
use super::scan::Instruction;
use super::{Fault, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{Kit, Lanes, broadcast, pick_swizzled};
use crate::tgsi::program::Operand;
use crate::tgsi::table::Type;
use vecasm_ir::ir::{Arg, Pure, Scalar};
use vecasm_ir::operand::WriteMask;

/// The scalar of a source or result; the halves of 64-bit values are words.
const fn scalar_of(ty: Type) -> Option<Scalar> {
    match ty {
        Type::Bits => None,
        Type::F32 => Some(Scalar::F32),
        Type::I32 => Some(Scalar::I32),
        Type::U32 | Type::F64 | Type::I64 | Type::U64 => Some(Scalar::U32),
    }
}

impl Lifter<'_> {
    /// A source; the instruction has it by its row.
    pub(super) fn source(i: &Instruction<'_>, n: usize) -> Result<Operand> {
        i.from.get(n).copied().ok_or_else(|| Refusal::new(NO_MEANING, "a source is missing"))
    }

    /// The lanes that the lanes of `needed` of a source read, one after another, with modifiers.
    ///
    /// Of what is 64 bits wide these are words without modifiers.
    pub(super) fn read(&mut self, i: &Instruction<'_>, n: usize, needed: WriteMask, ty: Type) -> Result<Arg> {
        let operand = Self::source(i, n)?;
        self.operand(&operand, needed, ty)
    }

    /// As [`read`](Self::read), of an operand.
    pub(super) fn operand(&mut self, operand: &Operand, needed: WriteMask, ty: Type) -> Result<Arg> {
        let lanes = self.lanes_of(operand, needed, scalar_of(ty))?;
        let scalar = scalar_of(ty).unwrap_or_else(|| {
            let known = pick_swizzled(&lanes, operand.swizzle, needed).flatten().next();
            known.map_or(Scalar::F32, |lane| self.b.shader.value(lane.0).ty.scalar)
        });
        let arg = self.gather(scalar, pick_swizzled(&lanes, operand.swizzle, needed));
        if ty.is_wide() {
            return Ok(arg);
        }
        Ok(self.modified(operand, arg, ty))
    }

    /// The components of the register of a source, before its swizzle and modifiers. `needed` are the lanes of the
    /// instruction that count.
    pub(super) fn lanes_of(
        &mut self,
        operand: &Operand,
        needed: WriteMask,
        hint: Option<Scalar>,
    ) -> Result<Lanes> {
        let read = operand.swizzle.read_mask(needed);
        let Read { cell, lanes } = self.fetch(operand, read, hint)?;
        if let Some(cell) = cell {
            self.kit.steps.note_read(cell, read, &lanes);
        }
        Ok(lanes)
    }

    /// A source with its modifiers: the magnitude is that of a float whatever is read, the negative one of an integer is
    /// its two's complement.
    pub(super) fn modified(&mut self, operand: &Operand, arg: Arg, ty: Type) -> Arg {
        let mut arg = arg;
        let bits = self.b.shader.value(arg.value).ty.scalar;
        let on_bits = |this: &mut Self, arg: Arg, pure: Pure, word: u32| {
            let x = this.cast(arg, Scalar::U32);
            let word = this.word(word, x.lanes);
            let x = this.b.pure(pure, &[x, word]);
            this.cast(x, bits)
        };
        if operand.absolute {
            arg = match bits {
                Scalar::F32 => self.b.pure(Pure::Abs, &[arg]),
                _ => on_bits(self, arg, Pure::And, 0x7fff_ffff),
            };
        }
        if operand.negate {
            arg = match (bits, ty) {
                (Scalar::F32 | Scalar::I32, Type::F32 | Type::I32) | (Scalar::F32, Type::Bits) => {
                    self.b.pure(Pure::Neg, &[arg])
                }
                (_, Type::I32 | Type::U32) => {
                    let x = self.cast(arg, Scalar::I32);
                    let x = self.b.pure(Pure::Neg, &[x]);
                    self.cast(x, bits)
                }
                _ => on_bits(self, arg, Pure::Xor, 0x8000_0000),
            };
        }
        arg
    }

    /// A constant of equal u32 lanes.
    pub(super) fn word(&mut self, word: u32, lanes: u8) -> Arg {
        broadcast(self.b.uint(word), lanes)
    }

    /// The first component that a source reads.
    pub(super) fn scalar(&mut self, i: &Instruction<'_>, n: usize, ty: Type) -> Result<Arg> {
        self.read(i, n, WriteMask::X, ty)
    }

    /// Writes one lane to every component of the destination.
    pub(super) fn write_same(&mut self, i: &Instruction<'_>, one: Arg) -> Result<()> {
        let lanes = i.to.first().map_or(0, |to| to.mask.count()) as u8;
        self.write(i, broadcast(one, lanes))
    }

    /// Writes a value of 32-bit lanes that has one for each lane of the mask of the first destination, clamped if the
    /// instruction says so.
    pub(super) fn write(&mut self, i: &Instruction<'_>, value: Arg) -> Result<()> {
        let Some(to) = i.to.first() else { return Ok(()) };
        if to.mask == WriteMask::NONE {
            return Ok(());
        }
        let value = self.saturated(i, value)?;
        self.store(to, to.mask, value)
    }

    pub(super) fn saturated(&mut self, i: &Instruction<'_>, value: Arg) -> Result<Arg> {
        match i.token.saturate {
            0 => Ok(value),
            1 => {
                let float = self.cast(value, Scalar::F32);
                let clamped = self.b.pure(Pure::Saturate, &[float]);
                if !self.options.compat.has(Fault::SaturatedNan) {
                    return Ok(clamped);
                }
                // fmax of C gives a quiet NaN for a signalling one, of which fmin then gives the other operand.
                let bits = self.cast(value, Scalar::U32);
                let [infinity, quiet, magnitude] =
                    [0x7f80_0000, 0x7fc0_0000, 0x7fff_ffff].map(|word| self.word(word, bits.lanes));
                let bits = self.b.pure(Pure::And, &[bits, magnitude]);
                let above = self.b.pure(Pure::Lt, &[infinity, bits]);
                let below = self.b.pure(Pure::Lt, &[bits, quiet]);
                let signalling = self.b.pure(Pure::And, &[above, below]);
                let one = self.b.splat(1.0, float.lanes);
                Ok(self.b.pure(Pure::Select, &[signalling, one, clamped]))
            }
            2 => {
                let value = self.cast(value, Scalar::F32);
                let (least, most) = (self.b.splat(-1.0, value.lanes), self.b.splat(1.0, value.lanes));
                let value = self.b.pure(Pure::Max, &[value, least]);
                Ok(self.b.pure(Pure::Min, &[value, most]))
            }
            _ => Err(Refusal::new(NO_MEANING, "unknown kind of saturation")),
        }
    }
}
