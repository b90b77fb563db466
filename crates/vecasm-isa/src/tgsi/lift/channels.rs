//! Instructions each component of whose result is computed in its own way.

use super::lane::mask_of;
use super::scan::Instruction;
use super::{Fault, Lifter, Result, lane};
use crate::lift::Kit;
use crate::tgsi::table::{Opcode, Type};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Pure};
use vecasm_ir::operand::WriteMask;

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    match i.op {
        Opcode::Lit | Opcode::Exp | Opcode::Log | Opcode::Dst => lifter.channels(i)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The logarithm to base 2 as `tgsi_exec` has it: the natural one, rounded, times an f32 near 1 / ln 2, rounded.
pub(super) fn natural_logarithm_scaled(b: &mut Builder, x: Arg) -> Arg {
    /// Seven digits of it there, which is the same f32.
    const SCALE: f32 = core::f32::consts::LOG2_E;
    // The exponent and the logarithm of the fraction in f64 have more bits than the result; near 1, where they cancel, the
    // logarithm itself has.
    let log = b.pure(Pure::Log2, &[x]);
    let one = b.splat(1.0, 1);
    let magnitude = b.pure(Pure::Abs, &[log]);
    let is_near = b.pure(Pure::Lt, &[magnitude, one]);
    let near = b.pure(Pure::ToF64, &[log]);
    let fraction = b.pure(Pure::FrexpFraction, &[x]);
    let fraction = b.pure(Pure::Log2, &[fraction]);
    let fraction = b.pure(Pure::ToF64, &[fraction]);
    let exponent = b.pure(Pure::FrexpExponent, &[x]);
    let exponent = b.pure(Pure::ToF64, &[exponent]);
    let far = b.pure(Pure::Add, &[exponent, fraction]);
    let log = b.pure(Pure::Select, &[is_near, near, far]);
    let ln_2 = core::f64::consts::LN_2.to_bits();
    let ln_2 = lane::constant_like(b, log, |_| ln_2);
    let natural = b.pure(Pure::Mul, &[log, ln_2]);
    let natural = b.pure(Pure::ToF32, &[natural]);
    let scale = b.splat(SCALE, 1);
    b.pure(Pure::Mul, &[natural, scale])
}

impl Lifter<'_> {
    /// Writes one lane each of values, by the components of the mask. All of them are computed before any is written.
    pub(super) fn write_each(
        &mut self,
        i: &Instruction<'_>,
        of: impl FnMut(&mut Self, usize) -> Result<Arg>,
    ) -> Result<()> {
        match self.compose(mask_of(i), of)? {
            Some(value) => self.write(i, value),
            None => Ok(()),
        }
    }

    /// LIT, EXP, LOG and DST.
    fn channels(&mut self, i: &Instruction<'_>) -> Result<()> {
        self.write_each(i, |this, n| match (i.op, n) {
            (Opcode::Dst, 1) => {
                let (x, y) = (
                    this.read(i, 0, WriteMask::lane(1), Type::F32)?,
                    this.read(i, 1, WriteMask::lane(1), Type::F32)?,
                );
                Ok(this.b.pure(Pure::Mul, &[x, y]))
            }
            (Opcode::Dst, 2) => this.read(i, 0, WriteMask::lane(2), Type::F32),
            (Opcode::Dst, 3) => this.read(i, 1, WriteMask::lane(3), Type::F32),
            (Opcode::Lit, 1) => {
                let x = this.read(i, 0, WriteMask::lane(0), Type::F32)?;
                let zero = this.b.splat(0.0, 1);
                Ok(this.b.pure(Pure::Max, &[x, zero]))
            }
            (Opcode::Lit, 2) => {
                let [x, y, w] = [0, 1, 3].map(|n| this.read(i, 0, WriteMask::lane(n), Type::F32));
                // The bounds of the exponent are those of the operation, but NaN is the upper one.
                let (w, most) = (w?, this.b.splat(128.0, 1));
                let w = this.b.pure(Pure::Min, &[w, most]);
                Ok(this.b.pure(Pure::Lit, &[x?, y?, w]))
            }
            (Opcode::Exp, 0..=2) => {
                let x = this.read(i, 0, WriteMask::lane(0), Type::F32)?;
                let part = [Pure::Exp2Floor, Pure::Fract, Pure::Exp2][n];
                Ok(this.b.pure(part, &[x]))
            }
            (Opcode::Log, 0..=2) => {
                let x = this.read(i, 0, WriteMask::lane(0), Type::F32)?;
                let exec = this.options.compat.has(Fault::Logarithm);
                let b = &mut this.b;
                let x = b.pure(Pure::Abs, &[x]);
                let log = if exec { natural_logarithm_scaled(b, x) } else { b.pure(Pure::Log2, &[x]) };
                if n == 2 {
                    return Ok(log);
                }
                let exponent = if exec { b.pure(Pure::Floor, &[log]) } else { b.pure(Pure::Exponent, &[x]) };
                if n == 0 {
                    return Ok(exponent);
                }
                // A quotient, so that zero gives NaN.
                let power = b.pure(Pure::Exp2Floor, &[exponent]);
                Ok(b.pure(Pure::Div, &[x, power]))
            }
            _ => Ok(this.b.splat(1.0, 1)),
        })
    }

    /// A dot product of as many components.
    pub(super) fn dot(&mut self, i: &Instruction<'_>, a: usize, b: usize, lanes: u8) -> Result<Arg> {
        let mask = WriteMask::first(lanes);
        let (a, b) = (self.read(i, a, mask, Type::F32)?, self.read(i, b, mask, Type::F32)?);
        Ok(self.b.pure(Pure::Dot, &[a, b]))
    }
}
