//! Instructions that Mesa has removed.

use super::lane::mask_of;
use super::scan::Instruction;
use super::{Lifter, NO_MEANING, Refusal, Result, lane};
use crate::tgsi::table::{Opcode, Type};
use alloc::format;
use vecasm_ir::ir::{Arg, Pure};
use vecasm_ir::operand::WriteMask;

/// The bounds of the magnitude of RCC, as the manual writes them.
const RCC_BOUNDS: [f32; 2] = [5.42101e-20, 1.884467e19];

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    use Opcode::{
        Ara, Clamp, Cnd, Dp2a, Dph, Nrm, Nrm4, Popa, Pusha, Rcc, Rfl, Sad, Scs, Sfl, Str, X2d, Xpd,
    };
    let known = matches!(
        i.op,
        Ara | Clamp
            | Cnd
            | Dp2a
            | Dph
            | Nrm
            | Nrm4
            | Popa
            | Pusha
            | Rcc
            | Rfl
            | Sad
            | Scs
            | Sfl
            | Str
            | X2d
            | Xpd
    );
    if known {
        lifter.legacy(i)?;
    }
    Ok(known)
}

impl Lifter<'_> {
    /// An instruction of Mesa 10 that is gone since and is more than one operation.
    fn legacy(&mut self, i: &Instruction<'_>) -> Result<()> {
        let mask = mask_of(i);
        match i.op {
            Opcode::Xpd => self.write_each(i, |this, n| {
                if n == 3 {
                    return Ok(this.b.splat(1.0, 1));
                }
                let (next, last) = ((n + 1) % 3, (n + 2) % 3);
                let [left, right] = [(next, last), (last, next)].map(|(of_a, of_b)| {
                    let (a, b) = (
                        this.read(i, 0, WriteMask::lane(of_a), Type::F32)?,
                        this.read(i, 1, WriteMask::lane(of_b), Type::F32)?,
                    );
                    // The second product is that of b and a, which is the same.
                    Ok(this.b.pure(Pure::Mul, &[a, b]))
                });
                Ok(this.b.pure(Pure::Sub, &[left?, right?]))
            }),
            Opcode::Dph => {
                let dot = self.dot(i, 0, 1, 3)?;
                let w = self.read(i, 1, WriteMask::lane(3), Type::F32)?;
                let sum = self.b.pure(Pure::Add, &[dot, w]);
                self.write_same(i, sum)
            }
            Opcode::Dp2a => {
                let dot = self.dot(i, 0, 1, 2)?;
                let addend = self.read(i, 2, WriteMask::lane(0), Type::F32)?;
                let sum = self.b.pure(Pure::Add, &[dot, addend]);
                self.write_same(i, sum)
            }
            Opcode::Scs => self.write_each(i, |this, n| {
                let part = match n {
                    0 => Pure::Cos,
                    1 => Pure::Sin,
                    n => return Ok(this.b.splat(if n == 2 { 0.0 } else { 1.0 }, 1)),
                };
                let x = this.read(i, 0, WriteMask::lane(0), Type::F32)?;
                Ok(this.b.pure(part, &[x]))
            }),
            Opcode::Clamp => {
                let [x, least, most] = self.three(i, mask)?;
                let x = self.b.pure(Pure::Max, &[x, least]);
                let x = self.b.pure(Pure::Min, &[x, most]);
                self.write(i, x)
            }
            Opcode::Cnd => {
                let [x, y, test] = self.three(i, mask)?;
                let half = self.b.splat(0.5, test.lanes);
                let above = self.b.pure(Pure::Lt, &[half, test]);
                let result = self.b.pure(Pure::Select, &[above, x, y]);
                self.write(i, result)
            }
            Opcode::Sad => {
                let [x, y, addend] = self.three(i, mask)?;
                let difference = self.b.pure(Pure::Sub, &[x, y]);
                let difference = self.b.pure(Pure::Abs, &[difference]);
                let sum = self.b.pure(Pure::Add, &[difference, addend]);
                self.write(i, sum)
            }
            Opcode::Rcc => {
                let x = self.read(i, 0, WriteMask::lane(0), Type::F32)?;
                let result = self.clamped_reciprocal(x);
                self.write_same(i, result)
            }
            Opcode::Rfl => {
                let square = self.dot(i, 0, 0, 3)?;
                let dot = self.dot(i, 0, 1, 3)?;
                let two = self.b.splat(2.0, 1);
                let double = self.b.pure(Pure::Mul, &[two, dot]);
                let scale = self.b.pure(Pure::Div, &[double, square]);
                self.write_each(i, |this, n| {
                    if n == 3 {
                        return Ok(this.b.splat(1.0, 1));
                    }
                    let (a, b) = (
                        this.read(i, 0, WriteMask::lane(n), Type::F32)?,
                        this.read(i, 1, WriteMask::lane(n), Type::F32)?,
                    );
                    let scaled = this.b.pure(Pure::Mul, &[scale, a]);
                    Ok(this.b.pure(Pure::Sub, &[scaled, b]))
                })
            }
            Opcode::X2d => self.write_each(i, |this, n| {
                let axis = n & 1;
                let start = this.read(i, 0, WriteMask::lane(axis), Type::F32)?;
                let mut sum = start;
                for lane in 0..2 {
                    let by = this.read(i, 1, WriteMask::lane(lane), Type::F32)?;
                    let along = this.read(i, 2, WriteMask::lane(2 * axis + lane), Type::F32)?;
                    let part = this.b.pure(Pure::Mul, &[by, along]);
                    sum = this.b.pure(Pure::Add, &[sum, part]);
                }
                Ok(sum)
            }),
            Opcode::Nrm | Opcode::Nrm4 => {
                let three = i.op == Opcode::Nrm;
                let square = self.dot(i, 0, 0, if three { 3 } else { 4 })?;
                let root = self.b.pure(Pure::Sqrt, &[square]);
                let scale = self.b.pure(Pure::Rcp, &[root]);
                self.write_each(i, |this, n| {
                    if three && n == 3 {
                        return Ok(this.b.splat(1.0, 1));
                    }
                    let x = this.read(i, 0, WriteMask::lane(n), Type::F32)?;
                    Ok(this.b.pure(Pure::Mul, &[x, scale]))
                })
            }
            Opcode::Sfl | Opcode::Str => {
                let value = self.b.splat(if i.op == Opcode::Str { 1.0 } else { 0.0 }, 1);
                self.write_same(i, value)
            }
            _ => {
                let what = match i.op {
                    Opcode::Ara => "no manual says what this adds",
                    _ => "no manual says what the stack of address registers holds, or how deep it is",
                };
                Err(Refusal::new(NO_MEANING, format!("{}: {what}", i.op.row().name)))
            }
        }
    }

    fn three(&mut self, i: &Instruction<'_>, mask: WriteMask) -> Result<[Arg; 3]> {
        Ok([
            self.read(i, 0, mask, Type::F32)?,
            self.read(i, 1, mask, Type::F32)?,
            self.read(i, 2, mask, Type::F32)?,
        ])
    }

    /// 1/x with its magnitude between the bounds, the sign of x kept; NaN stays.
    fn clamped_reciprocal(&mut self, x: Arg) -> Arg {
        let b = &mut self.b;
        let reciprocal = b.pure(Pure::Rcp, &[x]);
        let magnitude = b.pure(Pure::Abs, &[reciprocal]);
        let [least, most] = RCC_BOUNDS.map(|bound| b.splat(bound, 1));
        let clamped = b.pure(Pure::Max, &[magnitude, least]);
        let clamped = b.pure(Pure::Min, &[clamped, most]);
        let [clamped, signed] = [clamped, x].map(|x| b.pure(Pure::AsU32, &[x]));
        let sign = lane::sign_bit(b, signed);
        let sign = b.pure(Pure::And, &[signed, sign]);
        let result = b.pure(Pure::Or, &[clamped, sign]);
        let result = b.pure(Pure::AsF32, &[result]);
        let number = b.pure(Pure::Eq, &[x, x]);
        b.pure(Pure::Select, &[number, result, reciprocal])
    }
}
