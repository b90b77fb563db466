//! The instructions on 32-bit numbers that are more than one operation of the table.

use super::scan::Instruction;
use super::{Fault, Lifter, Result, channels};
use crate::lift::{EMPTY, Kit, get_lane, pick_masked};
use crate::tgsi::reads;
use crate::tgsi::signature::{Signature, Texels};
use crate::tgsi::table::{Opcode, Type};
use vecasm_ir::ir::{Arg, Op, Pure, Scalar};
use vecasm_ir::operand::WriteMask;

impl Lifter<'_> {
    /// Lifts an instruction of this file; `false` if there is none of that kind.
    pub(super) fn arithmetic(&mut self, i: &Instruction<'_>, signature: &Signature) -> Result<bool> {
        let mask = i.to.first().map_or(WriteMask::NONE, |to| to.mask);
        let source = |this: &mut Self, n: usize| this.read(i, n, mask, signature.source(n));
        let result = match i.op {
            Opcode::Mov => return self.mov(i, mask).map(|()| true),
            Opcode::Nop => return Ok(true),
            Opcode::Clock => {
                let count = self.b.push(Op::Clock, &[], vecasm_ir::ir::Type::new(Scalar::U32, 2));
                let zero = (self.zero(Scalar::U32), 0);
                let lanes = [Some((count, 0)), Some((count, 1)), Some(zero), Some(zero)];
                self.gather(Scalar::U32, pick_masked(&lanes, mask))
            }
            Opcode::Mad | Opcode::Umad => {
                let (a, b, c) = (source(self, 0)?, source(self, 1)?, source(self, 2)?);
                let product = self.b.pure(Pure::Mul, &[a, b]);
                self.b.pure(Pure::Add, &[product, c])
            }
            Opcode::Lrp => {
                let (by, of, from) = (source(self, 0)?, source(self, 1)?, source(self, 2)?);
                let difference = self.b.pure(Pure::Sub, &[of, from]);
                let part = self.b.pure(Pure::Mul, &[by, difference]);
                self.b.pure(Pure::Add, &[part, from])
            }
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 => {
                let lanes = reads::lanes(i.op, 0, WriteMask::ALL, Texels::default());
                let (a, b) = (self.read(i, 0, lanes, Type::F32)?, self.read(i, 1, lanes, Type::F32)?);
                let dot = self.b.pure(Pure::Dot, &[a, b]);
                return self.write_same(i, dot).map(|()| true);
            }
            Opcode::Rsq => {
                let x = self.scalar(i, 0, Type::F32)?;
                let root = self.b.pure(Pure::Sqrt, &[x]);
                let result = self.b.pure(Pure::Rcp, &[root]);
                return self.write_same(i, result).map(|()| true);
            }
            Opcode::Ex2 | Opcode::Lg2 => {
                let x = self.scalar(i, 0, Type::F32)?;
                let result = match i.op {
                    Opcode::Lg2 if self.options.compat.has(Fault::Logarithm) => {
                        channels::natural_logarithm_scaled(&mut self.b, x)
                    }
                    Opcode::Lg2 => self.b.pure(Pure::Log2, &[x]),
                    _ => self.b.pure(Pure::Exp2, &[x]),
                };
                return self.write_same(i, result).map(|()| true);
            }
            Opcode::Pow => {
                let (x, y) = (self.scalar(i, 0, Type::F32)?, self.scalar(i, 1, Type::F32)?);
                let result = self.b.pure(Pure::Pow, &[x, y]);
                return self.write_same(i, result).map(|()| true);
            }
            Opcode::Ldexp => {
                let (x, n) = (source(self, 0)?, source(self, 1)?);
                self.b.pure(Pure::Ldexp, &[x, n])
            }
            Opcode::Sgt | Opcode::Sle => {
                let (x, y) = (source(self, 0)?, source(self, 1)?);
                let test = self.b.pure(if i.op == Opcode::Sgt { Pure::Lt } else { Pure::Ge }, &[y, x]);
                self.b.pure(Pure::ToF32, &[test])
            }
            Opcode::Cmp => {
                let (x, a, b) = (source(self, 0)?, source(self, 1)?, source(self, 2)?);
                let zero = self.b.splat(0.0, x.lanes);
                let test = self.b.pure(Pure::Lt, &[x, zero]);
                self.b.pure(Pure::Select, &[test, a, b])
            }
            Opcode::Ucmp => {
                let x = source(self, 0)?;
                let (a, b) = (source(self, 1)?, source(self, 2)?);
                let zero = self.word(0, x.lanes);
                let test = self.b.pure(Pure::Ne, &[x, zero]);
                // Both as the type of one of them.
                let scalar = self.b.shader.value(a.value).ty.scalar;
                let b = self.cast(b, scalar);
                self.b.pure(Pure::Select, &[test, a, b])
            }
            Opcode::Arl | Opcode::Arr => {
                let x = source(self, 0)?;
                let x = if i.op == Opcode::Arr {
                    let half = self.b.splat(0.5, x.lanes);
                    self.b.pure(Pure::Add, &[x, half])
                } else {
                    x
                };
                let x = self.b.pure(Pure::Floor, &[x]);
                self.integer(x, Scalar::I32)
            }
            Opcode::Uarl => source(self, 0)?,
            Opcode::F2i => {
                let x = source(self, 0)?;
                self.integer(x, Scalar::I32)
            }
            Opcode::F2u => {
                let x = source(self, 0)?;
                self.integer(x, Scalar::U32)
            }
            Opcode::Idiv | Opcode::Udiv => {
                let (x, y) = (source(self, 0)?, source(self, 1)?);
                self.b.pure(Pure::Div, &[x, y])
            }
            Opcode::Mod | Opcode::Umod => {
                let (x, y) = (source(self, 0)?, source(self, 1)?);
                self.b.pure(Pure::Rem, &[x, y])
            }
            Opcode::Shl | Opcode::Ishr | Opcode::Ushr => {
                let (x, n) = (source(self, 0)?, source(self, 1)?);
                let n = self.cast(n, Scalar::U32);
                self.b.pure(if i.op == Opcode::Shl { Pure::Shl } else { Pure::Shr }, &[x, n])
            }
            Opcode::Fseq | Opcode::Useq => self.compared(i, Pure::Eq, signature)?,
            Opcode::Fsne | Opcode::Usne => self.compared(i, Pure::Ne, signature)?,
            Opcode::Fsge | Opcode::Isge | Opcode::Usge => self.compared(i, Pure::Ge, signature)?,
            Opcode::Fslt | Opcode::Islt | Opcode::Uslt => self.compared(i, Pure::Lt, signature)?,
            _ => return Ok(false),
        };
        self.write(i, result)?;
        Ok(true)
    }

    /// All bits set where a comparison holds.
    fn compared(&mut self, i: &Instruction<'_>, pure: Pure, signature: &Signature) -> Result<Arg> {
        let mask = i.to.first().map_or(WriteMask::NONE, |to| to.mask);
        let x = self.read(i, 0, mask, signature.source(0))?;
        let y = self.read(i, 1, mask, signature.source(1))?;
        let test = self.b.pure(pure, &[x, y]);
        Ok(self.mask_of(test))
    }

    /// All bits set where something holds, else 0.
    pub(super) fn mask_of(&mut self, test: Arg) -> Arg {
        let (ones, zero) = (self.word(u32::MAX, test.lanes), self.word(0, test.lanes));
        self.b.pure(Pure::Select, &[test, ones, zero])
    }

    /// The bits of a source, each component as it is.
    fn mov(&mut self, i: &Instruction<'_>, mask: WriteMask) -> Result<()> {
        let operand = Self::source(i, 0)?;
        if operand.absolute || operand.negate || i.token.saturate != 0 {
            let value = self.operand(&operand, mask, Type::Bits)?;
            return self.write(i, value);
        }
        let Some(to) = i.to.first() else { return Ok(()) };
        let lanes = self.lanes_of(&operand, mask, None)?;
        let zero = self.zero(Scalar::F32);
        let mut moved = EMPTY;
        for lane in mask.lanes() {
            let from = get_lane(&lanes, operand.swizzle.get(lane).into());
            if let Some(moved) = moved.get_mut(lane) {
                *moved = from.or(Some((zero, 0)));
            }
        }
        self.store_lanes(to, mask, &moved)
    }
}
