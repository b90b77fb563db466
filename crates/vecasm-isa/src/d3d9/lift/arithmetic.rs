//! The instructions that compute and are more than one operation by lane.

use super::operands::Instruction;
use super::registers::{ADDRESS, Target};
use super::{
    INSTRUCTION, Lifter, LitZero, LogpParts, PairedCnd, PartialPrecision, Poles, Refusal, Result, SinCos,
};
use crate::d3d9::program::Stage;
use crate::d3d9::table::Opcode;
use crate::lift::{Kit, broadcast};
use alloc::format;
use vecasm_ir::ir::{Arg, Pure};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The bound of the exponent of lit.
const LIT_EXPONENT: f32 = 127.9961;

/// Bits of an f32 that are left with 10 bits behind the leading one.
const TEN_BITS: u32 = 0xffff_e000;

impl Lifter<'_> {
    /// An instruction of the table's `Custom` rows that reads no texture.
    pub(super) fn arithmetic(&mut self, i: &Instruction) -> Result<()> {
        let mask = i.mask();
        match i.op {
            Opcode::Mov => self.mov(i),
            Opcode::Mova => self.address(i, Pure::RoundEven),
            Opcode::Mad => {
                let product = self.product(i, 0, 1, mask)?;
                let addend = self.read(i, 2, mask)?;
                let sum = self.b.pure(Pure::Add, &[product, addend]);
                self.write(i, mask, sum)
            }
            Opcode::Rsq => {
                let x = self.magnitude(i, 0)?;
                let root = self.b.pure(Pure::Rsq, &[x]);
                let root = self.pole(root);
                self.write_same(i, root)
            }
            Opcode::Exp => {
                let x = self.scalar(i, 0)?;
                let power = self.b.pure(Pure::Exp2, &[x]);
                self.write_same(i, power)
            }
            Opcode::Log => {
                let log = self.logarithm(i)?;
                self.write_same(i, log)
            }
            Opcode::Expp => self.expp(i),
            Opcode::Logp => self.logp(i),
            Opcode::Lit => self.lit(i),
            Opcode::Dst => self.dst(i),
            Opcode::Lrp => {
                let of = self.read(i, 1, mask)?;
                let from = self.read(i, 2, mask)?;
                let difference = self.b.pure(Pure::Sub, &[of, from]);
                let by = self.read(i, 0, mask)?;
                let part = self.b.pure(Pure::Mul, &[by, difference]);
                let sum = self.b.pure(Pure::Add, &[part, from]);
                self.write(i, mask, sum)
            }
            Opcode::Frc => self.by_lane(i, Pure::Fract),
            Opcode::Abs => self.by_lane(i, Pure::Abs),
            Opcode::Sgn => self.by_lane(i, Pure::Sign),
            Opcode::M4x4 | Opcode::M4x3 => self.matrix(i, WriteMask::ALL),
            Opcode::M3x4 | Opcode::M3x3 | Opcode::M3x2 => self.matrix(i, WriteMask::XYZ),
            Opcode::Pow => {
                let base = self.magnitude(i, 0)?;
                let exponent = self.scalar(i, 1)?;
                let power = self.b.pure(Pure::Pow, &[base, exponent]);
                self.write_same(i, power)
            }
            Opcode::Crs => self.cross(i),
            Opcode::Nrm => self.normalize(i),
            Opcode::Sincos => self.sincos(i),
            Opcode::Cmp => {
                let x = self.read(i, 0, mask)?;
                let zero = self.b.splat(0.0, x.lanes);
                let test = self.b.pure(Pure::Ge, &[x, zero]);
                self.choice(i, test)
            }
            Opcode::Cnd => self.cnd(i),
            Opcode::Dp2add => {
                let xy = WriteMask::from_bits(3);
                let (a, b) = (self.read(i, 0, xy)?, self.read(i, 1, xy)?);
                let dot = self.b.pure(Pure::Dot, &[a, b]);
                let addend = self.scalar(i, 2)?;
                let sum = self.b.pure(Pure::Add, &[dot, addend]);
                self.write_same(i, sum)
            }
            Opcode::Setp => {
                let (a, b) = (self.read(i, 0, mask)?, self.read(i, 1, mask)?);
                let test = self.comparison(i, a, b)?;
                self.write(i, mask, test)
            }
            Opcode::Bem | Opcode::Dsx | Opcode::Dsy => self.slope_or_bump(i),
            _ => Err(Refusal::new(INSTRUCTION, format!("{} has no meaning here", i.form.name))),
        }
    }

    /// A comparison by the control bits.
    pub(super) fn comparison(&mut self, i: &Instruction, a: Arg, b: Arg) -> Result<Arg> {
        Ok(match i.token.control() {
            1 => self.b.pure(Pure::Lt, &[b, a]),
            2 => self.b.pure(Pure::Eq, &[a, b]),
            3 => self.b.pure(Pure::Ge, &[a, b]),
            4 => self.b.pure(Pure::Lt, &[a, b]),
            5 => self.b.pure(Pure::Ne, &[a, b]),
            6 => self.b.pure(Pure::Ge, &[b, a]),
            other => return Err(Refusal::new(INSTRUCTION, format!("there is no comparison {other}"))),
        })
    }

    fn by_lane(&mut self, i: &Instruction, pure: Pure) -> Result<()> {
        let x = self.read(i, 0, i.mask())?;
        let result = self.b.pure(pure, &[x]);
        self.write(i, i.mask(), result)
    }

    fn product(&mut self, i: &Instruction, a: usize, b: usize, mask: WriteMask) -> Result<Arg> {
        let (a, b) = (self.read(i, a, mask)?, self.read(i, b, mask)?);
        Ok(self.b.pure(Pure::Mul, &[a, b]))
    }

    fn magnitude(&mut self, i: &Instruction, n: usize) -> Result<Arg> {
        let x = self.scalar(i, n)?;
        Ok(self.b.pure(Pure::Abs, &[x]))
    }

    fn logarithm(&mut self, i: &Instruction) -> Result<Arg> {
        let x = self.magnitude(i, 0)?;
        let log = self.b.pure(Pure::Log2, &[x]);
        Ok(self.pole(log))
    }

    /// What an operation gives that may have met a zero.
    pub(super) fn pole(&mut self, value: Arg) -> Arg {
        match self.options.switches.poles {
            Poles::Infinite => value,
            Poles::Finite => self.clamped(value, f32::MAX),
        }
    }

    /// `min` and `max` as their formulas have it: the second source where one is NaN.
    pub(super) fn second_of_nan(&mut self, i: &Instruction) -> Result<()> {
        let (a, b) = (self.read(i, 0, i.mask())?, self.read(i, 1, i.mask())?);
        let first = if i.op == Opcode::Min { Pure::Lt } else { Pure::Ge };
        let first = self.b.pure(first, &[a, b]);
        let result = self.b.pure(Pure::Select, &[first, a, b]);
        self.write(i, i.mask(), result)
    }

    fn mov(&mut self, i: &Instruction) -> Result<()> {
        // Only models before 2.0 write the address register so; it rounds down then.
        if matches!(self.target(i)?, Target::State(ADDRESS)) {
            return self.address(i, Pure::Floor);
        }
        let value = self.read(i, 0, i.mask())?;
        self.write(i, i.mask(), value)
    }

    fn address(&mut self, i: &Instruction, round: Pure) -> Result<()> {
        if !matches!(self.target(i)?, Target::State(ADDRESS)) {
            return Err(Refusal::new(INSTRUCTION, format!("{} can only write a0", i.form.name)));
        }
        let value = self.read(i, 0, i.mask())?;
        let value = self.b.pure(round, &[value]);
        let value = self.b.pure(Pure::ToI32, &[value]);
        self.write(i, i.mask(), value)
    }

    fn partial(&mut self, value: Arg) -> Arg {
        if self.options.switches.partial_precision == PartialPrecision::Full {
            return value;
        }
        let bits = self.b.pure(Pure::AsU32, &[value]);
        let kept = self.b.uint(TEN_BITS);
        let bits = self.b.pure(Pure::And, &[bits, kept]);
        self.b.pure(Pure::AsF32, &[bits])
    }

    /// Writes one lane each of values, by the lanes of the mask.
    fn write_each(&mut self, i: &Instruction, of: impl FnMut(&mut Self, usize) -> Result<Arg>) -> Result<()> {
        match self.compose(i.mask(), of)? {
            Some(value) => self.write(i, i.mask(), value),
            None => Ok(()),
        }
    }

    fn expp(&mut self, i: &Instruction) -> Result<()> {
        let x = self.scalar(i, 0)?;
        if self.version.stage() == Stage::Pixel || self.version.major() >= 2 {
            let power = self.b.pure(Pure::Exp2, &[x]);
            let power = self.partial(power);
            return self.write_same(i, power);
        }
        self.write_each(i, |this, n| {
            Ok(match n {
                0 => this.b.pure(Pure::Exp2Floor, &[x]),
                1 => this.b.pure(Pure::Fract, &[x]),
                2 => {
                    let power = this.b.pure(Pure::Exp2, &[x]);
                    this.partial(power)
                }
                _ => this.b.splat(1.0, 1),
            })
        })
    }

    fn logp(&mut self, i: &Instruction) -> Result<()> {
        let parts = self.options.switches.logp_parts == LogpParts::Parts
            && self.version.stage() == Stage::Vertex
            && self.version.major() < 2;
        if !parts {
            let log = self.logarithm(i)?;
            let log = self.partial(log);
            return self.write_same(i, log);
        }
        let x = self.magnitude(i, 0)?;
        self.write_each(i, |this, n| {
            Ok(match n {
                0 => {
                    let exponent = this.b.pure(Pure::Exponent, &[x]);
                    this.pole(exponent)
                }
                1 => this.b.pure(Pure::Mantissa, &[x]),
                2 => {
                    let log = this.b.pure(Pure::Log2, &[x]);
                    let log = this.pole(log);
                    this.partial(log)
                }
                _ => this.b.splat(1.0, 1),
            })
        })
    }

    fn lit(&mut self, i: &Instruction) -> Result<()> {
        self.write_each(i, |this, n| {
            let zero = this.b.splat(0.0, 1);
            Ok(match n {
                1 => {
                    let x = this.read(i, 0, WriteMask::lane(0))?;
                    this.b.pure(Pure::Max, &[zero, x])
                }
                2 => {
                    let (x, y) = (this.read(i, 0, WriteMask::lane(0))?, this.read(i, 0, WriteMask::lane(1))?);
                    let w = this.read(i, 0, WriteMask::lane(3))?;
                    let w = this.clamped(w, LIT_EXPONENT);
                    let lit = match this.options.switches.lit_zero {
                        LitZero::Dark => this.b.pure(Pure::Lt, &[zero, x]),
                        LitZero::Lit => this.b.pure(Pure::Ge, &[x, zero]),
                    };
                    let shines = this.b.pure(Pure::Lt, &[zero, y]);
                    let both = this.b.pure(Pure::And, &[lit, shines]);
                    let power = this.b.pure(Pure::Pow, &[y, w]);
                    this.b.pure(Pure::Select, &[both, power, zero])
                }
                _ => this.b.splat(1.0, 1),
            })
        })
    }

    fn dst(&mut self, i: &Instruction) -> Result<()> {
        self.write_each(i, |this, n| match n {
            0 => Ok(this.b.splat(1.0, 1)),
            1 => this.product(i, 0, 1, WriteMask::lane(1)),
            2 => this.read(i, 0, WriteMask::lane(2)),
            _ => this.read(i, 1, WriteMask::lane(3)),
        })
    }

    /// The dot products of the first source with consecutive registers.
    fn matrix(&mut self, i: &Instruction, needed: WriteMask) -> Result<()> {
        let vector = self.read(i, 0, needed)?;
        self.write_each(i, |this, row| {
            let register = this.operand(i.source(1)?, row as u16, needed)?;
            Ok(this.b.pure(Pure::Dot, &[vector, register]))
        })
    }

    fn cross(&mut self, i: &Instruction) -> Result<()> {
        let mask = i.mask();
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let [a, b] = [self.read(i, 0, WriteMask::XYZ)?, self.read(i, 1, WriteMask::XYZ)?];
        // Lane n is a[n+1]·b[n+2] − a[n+2]·b[n+1], numbers modulo 3.
        let turned = |arg: Arg, by: usize| {
            let mut lanes = [0; 4];
            for (to, lane) in lanes.iter_mut().zip(mask.lanes()) {
                *to = arg.swizzle.get((lane + by) % 3);
            }
            let swizzle = Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]);
            Arg { swizzle, lanes: mask.count() as u8, ..arg }
        };
        let left = self.b.pure(Pure::Mul, &[turned(a, 1), turned(b, 2)]);
        let right = self.b.pure(Pure::Mul, &[turned(a, 2), turned(b, 1)]);
        let cross = self.b.pure(Pure::Sub, &[left, right]);
        self.write(i, mask, cross)
    }

    fn normalize(&mut self, i: &Instruction) -> Result<()> {
        let vector = self.read(i, 0, WriteMask::XYZ)?;
        let square = self.b.pure(Pure::Dot, &[vector, vector]);
        let root = self.b.pure(Pure::Rsq, &[square]);
        let (zero, most) = (self.b.splat(0.0, 1), self.b.splat(f32::MAX, 1));
        let none = self.b.pure(Pure::Eq, &[square, zero]);
        let scale = self.b.pure(Pure::Select, &[none, most, root]);
        let lanes = self.read(i, 0, i.mask())?;
        // Zero does not win here: an infinite component has no direction.
        let rule = core::mem::take(&mut self.b.arith.rule);
        let result = self.b.pure(Pure::Mul, &[lanes, broadcast(scale, i.mask().count() as u8)]);
        self.b.arith.rule = rule;
        self.write(i, i.mask(), result)
    }

    fn sincos(&mut self, i: &Instruction) -> Result<()> {
        if i.mask() == WriteMask::NONE {
            return Ok(());
        }
        let angle = self.scalar(i, 0)?;
        let [cosine, sine] = if i.sources() == 3 && self.options.switches.sincos == SinCos::Series {
            self.series(i, angle)?
        } else {
            [Pure::Cos, Pure::Sin].map(|pure| self.b.pure(pure, &[angle]))
        };
        self.write_each(i, |_, n| Ok(if n == 0 { cosine } else { sine }))
    }

    /// The series with the constants of the program: cosine and sine of half the angle, from which those of the angle
    /// follow.
    fn series(&mut self, i: &Instruction, angle: Arg) -> Result<[Arg; 2]> {
        let a = self.read(i, 1, WriteMask::ALL)?;
        let b = self.read(i, 2, WriteMask::ALL)?;
        let two = |arg: Arg, x: usize, y: usize| {
            let (x, y) = (arg.swizzle.get(x), arg.swizzle.get(y));
            Arg { swizzle: Swizzle::new(x, y, y, y), lanes: 2, ..arg }
        };
        let square = self.b.pure(Pure::Mul, &[angle, angle]);
        let squares = broadcast(square, 2);
        let mut pair = two(a, 0, 1);
        for next in [two(a, 3, 2), two(b, 0, 1), two(b, 3, 2)] {
            let product = self.b.pure(Pure::Mul, &[pair, squares]);
            pair = self.b.pure(Pure::Add, &[product, next]);
        }
        let half_sine = self.b.pure(Pure::Mul, &[Arg::lane(pair.value, 0), angle]);
        let half_cosine = Arg::lane(pair.value, 1);
        let first = self.b.pure(Pure::Mul, &[half_sine, half_sine]);
        let second = self.b.pure(Pure::Mul, &[half_cosine, half_sine]);
        let first = self.b.pure(Pure::Add, &[first, first]);
        let sine = self.b.pure(Pure::Add, &[second, second]);
        let one = Arg { swizzle: Swizzle::splat(b.swizzle.get(2)), lanes: 1, ..b };
        let cosine = self.b.pure(Pure::Sub, &[one, first]);
        Ok([cosine, sine])
    }

    fn cnd(&mut self, i: &Instruction) -> Result<()> {
        let mask = i.mask();
        let old = self.version.number() < 0x0104;
        let second = self.options.switches.paired_cnd == PairedCnd::Second;
        if old && second && i.token.is_coissued() && mask != WriteMask::lane(3) {
            let value = self.read(i, 1, mask)?;
            return self.write(i, mask, value);
        }
        // Up to 1.3 it is one component for all.
        let x = if old { self.scalar(i, 0)? } else { self.read(i, 0, mask)? };
        let half = self.b.splat(0.5, x.lanes);
        let test = self.b.pure(Pure::Lt, &[half, x]);
        self.choice(i, test)
    }

    /// The second source where a condition holds, else the third. A condition of one lane is for all.
    fn choice(&mut self, i: &Instruction, test: Arg) -> Result<()> {
        let (yes, no) = (self.read(i, 1, i.mask())?, self.read(i, 2, i.mask())?);
        let chosen = self.b.pure(Pure::Select, &[test, yes, no]);
        self.write(i, i.mask(), chosen)
    }
}
