//! Elementary functions of f32: what `vecasm_ir::math` computes, the same operations on f64 in the same order, half of the lanes
//! at a time. Rust computes the lanes of rare arguments: those for which the library leaves the usual path, too.

use super::{Mask, Select};
use crate::jit::call::Computation;
use crate::jit::mir::{Kind, MachineOp, Src, relation};
use std::f64::consts::FRAC_1_PI;
use vecasm_exec::code::Calc;
use vecasm_ir::ir::Pure;
use vecasm_ir::math::terms::{EXP2, FAST_LIMIT, LOG2, PI_HIGH, PI_LOW, ROUND, SIN};

/// Where the exponent of an f64 starts.
const EXPONENT: u32 = 52;

/// The low and the high half of the lanes, as f64.
pub(super) type Pair = [Src; 2];

/// Two halves, or what both have in common.
pub(super) struct BothHalves(Pair);

impl From<Pair> for BothHalves {
    fn from(pair: Pair) -> Self {
        Self(pair)
    }
}

impl From<Src> for BothHalves {
    fn from(src: Src) -> Self {
        Self([src; 2])
    }
}

impl Select<'_> {
    /// A function, if there are instructions for it.
    pub(super) fn function(&mut self, calc: &Calc, rows: [u32; 4], [x, y, z]: [Src; 3]) -> Option<Src> {
        Some(match calc.op {
            Pure::Rsq => {
                let (usual, rare) = self.rsqrt(x);
                self.rarely(calc, usual, rare, &[x])
            }
            Pure::Exp2 => {
                let halves = self.halves(x);
                let halves = self.exp2(halves);
                self.narrowed(calc, halves)
            }
            Pure::Log2 => {
                let halves = self.halves(x);
                let halves = self.log2(halves);
                let usual = self.narrowed(calc, halves);
                let zero = self.word(0);
                let rare = self.compare(relation::NOT_GT, x, zero);
                let rare = self.or_infinite(rare, x);
                self.rarely(calc, usual, rare, &[x])
            }
            Pure::Pow => self.pow(calc, rows, x, y),
            Pure::Lit => self.lit(calc, rows, [x, y, z]),
            Pure::Sin => self.sine(calc, x, x, None),
            Pure::Cos => {
                let no_sign = self.word(0x7fff_ffff);
                let magnitude = self.two(MachineOp::And, x, no_sign);
                self.sine(calc, x, magnitude, Some(0.5))
            }
            _ => return None,
        })
    }

    /// Those of a mask, and those in which x is +Inf or, if the mask has it, NaN.
    fn or_infinite(&mut self, mask: Mask, x: Src) -> Mask {
        let infinity = self.float(f32::INFINITY);
        let infinite = self.compare(relation::GE, x, infinity);
        self.or(mask, infinite)
    }

    /// The usual result, but what Rust computes in the lanes of a mask, where anybody can see it.
    fn rarely(&mut self, calc: &Calc, usual: Src, rare: Mask, args: &[Src]) -> Src {
        let seen = self.visible_mask();
        let rare = self.and(rare, seen);
        let what = Computation::Pure(calc.op, calc.scalar, calc.arith);
        Src::V(self.call(what, args.to_vec(), Some((rare, usual)), Kind::Vector))
    }

    /// Both halves of f32 as f64; of a constant, which is the same in all lanes, the constant.
    pub(super) fn halves(&mut self, x: Src) -> Pair {
        if let Src::C(entry) = x {
            if !self.is_uniform(entry) {
                let x = f32::from_bits(self.out.program.pool[entry as usize] as u32);
                let x = if self.flushes() { vecasm_ir::math::flush::flush(x) } else { x };
                return [self.double(f64::from(x)); 2];
            }
        }
        let x = match x {
            Src::C(_) => self.one(MachineOp::Copy, x),
            x => x,
        };
        let high = self.one(MachineOp::High, x);
        [self.one(MachineOp::Widen, x), self.one(MachineOp::Widen, high)]
    }

    /// An operation on both halves, one after the other: neither waits for the other one.
    pub(super) fn pair(&mut self, op: MachineOp, a: impl Into<BothHalves>, b: impl Into<BothHalves>) -> Pair {
        let (BothHalves(a), BothHalves(b)) = (a.into(), b.into());
        [self.two(op, a[0], b[0]), self.two(op, a[1], b[1])]
    }

    pub(super) fn pair_shift(&mut self, op: MachineOp, a: Pair, count: u32) -> Pair {
        a.map(|a| self.shift(op, a, count))
    }

    pub(super) fn joined(&mut self, halves: Pair) -> Src {
        let [low, high] = halves.map(|half| self.one(MachineOp::Narrow, half));
        self.two(MachineOp::Join, low, high)
    }

    /// Both halves rounded to f32. Where denormals are flushed, the library rounds to a denormal first and then flushes;
    /// the machine flushes what would be a denormal of unlimited precision, which is more by the values that round up to
    /// the least normal number as denormals but not by 24 bits.
    fn narrowed(&mut self, calc: &Calc, halves: Pair) -> Src {
        if !calc.arith.flush || matches!(calc.op, Pure::Log2) {
            return self.joined(halves);
        }
        // Multiples of 2^-149: rounded as denormals are.
        let unit = self.double(f64::from_bits((1023 - 149 + 52) << EXPONENT));
        let sum = self.pair(MachineOp::Add64, halves, unit);
        let rounded = self.pair(MachineOp::Sub64, sum, unit);
        let least = self.double(f64::from(f32::MIN_POSITIVE));
        let rounded = self.pair(MachineOp::Min64, rounded, least);
        let halves = self.pair(MachineOp::Max64, rounded, halves);
        self.joined(halves)
    }

    /// c0 + c1·x.
    fn line(&mut self, c: &[f64], x: Pair) -> Pair {
        let (c0, c1) = (self.double(c[0]), self.double(c[1]));
        let product = self.pair(MachineOp::Mul64, x, c1);
        self.pair(MachineOp::Add64, product, c0)
    }

    /// (c0 + c1·x) + x2·(c2 + c3·x).
    fn cubic(&mut self, c: &[f64], x: Pair, x2: Pair) -> Pair {
        let (a, b) = (self.line(c, x), self.line(&c[2..], x));
        let b = self.pair(MachineOp::Mul64, x2, b);
        self.pair(MachineOp::Add64, a, b)
    }

    /// (c0 + c1·x) + x2·((c2 + c3·x) + x2·(c4 + c5·x)).
    fn quintic(&mut self, c: &[f64], x: Pair, x2: Pair) -> Pair {
        let (a, b) = (self.line(c, x), self.cubic(&c[2..], x, x2));
        let b = self.pair(MachineOp::Mul64, x2, b);
        self.pair(MachineOp::Add64, a, b)
    }

    /// `exp2_f64` of the library.
    fn exp2(&mut self, x: Pair) -> Pair {
        let (least, most) = (self.double(-160.0), self.double(130.0));
        // The second operand counts where one is NaN.
        let x = self.pair(MachineOp::Max64, least, x);
        let x = self.pair(MachineOp::Min64, most, x);
        let round = self.double(ROUND);
        let sum = self.pair(MachineOp::Add64, x, round);
        let whole = self.pair(MachineOp::Sub64, sum, round);
        let r = self.pair(MachineOp::Sub64, x, whole);
        let power = self.pair_shift(MachineOp::ShlImm64, sum, EXPONENT);
        let one = self.double(1.0);
        let scale = self.pair(MachineOp::IAdd64, power, one);
        let r2 = self.pair(MachineOp::Mul64, r, r);
        let (low, high) = (self.cubic(&EXP2, r, r2), self.cubic(&EXP2[4..], r, r2));
        let r4 = self.pair(MachineOp::Mul64, r2, r2);
        let high = self.pair(MachineOp::Mul64, r4, high);
        let sum = self.pair(MachineOp::Add64, low, high);
        let product = self.pair(MachineOp::Mul64, r, sum);
        let sum = self.pair(MachineOp::Add64, product, one);
        self.pair(MachineOp::Mul64, sum, scale)
    }

    /// `log2_f64` of the library. Its exponent, biased, and its mantissa are parts of one sum: that of the bits of x and of
    /// what brings the square root of 1/2 to a multiple of 2^52.
    fn log2(&mut self, x: Pair) -> Pair {
        const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
        const BIAS: u64 = 1024;
        const TWO_52: f64 = 4_503_599_627_370_496.0;
        let to_multiple = self.long((BIAS << EXPONENT).wrapping_sub(SQRT_HALF));
        let sum = self.pair(MachineOp::IAdd64, x, to_multiple);
        let biased = self.pair_shift(MachineOp::ShrImm64, sum, EXPONENT);
        let two_52 = self.double(TWO_52);
        let k = self.pair(MachineOp::Or64, biased, two_52);
        let zero = self.double(TWO_52 + BIAS as f64);
        let k = self.pair(MachineOp::Sub64, k, zero);
        let fraction = self.long((1 << EXPONENT) - 1);
        let m = self.pair(MachineOp::And64, sum, fraction);
        let back = self.long(SQRT_HALF);
        let m = self.pair(MachineOp::IAdd64, m, back);
        let one = self.double(1.0);
        let (above, below) = (self.pair(MachineOp::Sub64, m, one), self.pair(MachineOp::Add64, m, one));
        let s = self.pair(MachineOp::Div64, above, below);
        let u = self.pair(MachineOp::Mul64, s, s);
        let u2 = self.pair(MachineOp::Mul64, u, u);
        let p = self.quintic(&LOG2, u, u2);
        let p = self.pair(MachineOp::Mul64, s, p);
        self.pair(MachineOp::Add64, k, p)
    }

    /// The power of a positive finite base with a finite exponent.
    fn power(&mut self, calc: &Calc, x: Src, y: Src) -> Src {
        let (x, y) = (self.halves(x), self.halves(y));
        let log = self.log2(x);
        let product = self.pair(MachineOp::Mul64, log, y);
        let halves = self.exp2(product);
        self.narrowed(calc, halves)
    }

    fn pow(&mut self, calc: &Calc, rows: [u32; 4], x: Src, y: Src) -> Src {
        let usual = self.power(calc, x, y);
        let zero = self.word(0);
        let constant = self.constant[rows[1] as usize].map(f32::from_bits);
        if let Some(constant) = constant.filter(|y| *y >= f32::MIN_POSITIVE && *y < f32::INFINITY) {
            // Zeros are ordinary enough. To an odd power they keep their sign.
            let odd = constant % 2.0 == 1.0;
            let is_zero = self.compare(relation::EQ, x, zero);
            let usual = if odd {
                let same = if calc.arith.flush { self.flushed(x) } else { x };
                self.blend(usual, same, is_zero)
            } else {
                self.blend(usual, zero, is_zero)
            };
            let rare = self.compare(relation::NOT_GE, x, zero);
            let rare = self.or_infinite(rare, x);
            return self.rarely(calc, usual, rare, &[x, y]);
        }
        let rare = self.compare(relation::NOT_GT, x, zero);
        let rare = self.or_infinite(rare, x);
        let rare = if constant.is_some_and(f32::is_finite) {
            rare
        } else {
            let no_sign = self.word(0x7fff_ffff);
            let magnitude = self.two(MachineOp::And, y, no_sign);
            let infinity = self.float(f32::INFINITY);
            let infinite = self.compare(relation::NOT_LT, magnitude, infinity);
            self.or(rare, infinite)
        };
        self.rarely(calc, usual, rare, &[x, y])
    }

    fn lit(&mut self, calc: &Calc, rows: [u32; 4], [x, y, w]: [Src; 3]) -> Src {
        let (zero, one) = (self.word(0), self.float(1.0));
        let base = self.two(MachineOp::Max, y, zero);
        let constant = self.constant[rows[2] as usize].map(f32::from_bits);
        let constant = constant.filter(|w| w.abs() >= f32::MIN_POSITIVE && w.abs() <= 128.0);
        let exponent = match constant {
            Some(_) => w,
            None => {
                let (least, most) = (self.float(-128.0), self.float(128.0));
                let exponent = self.two(MachineOp::Max, w, least);
                let exponent = self.two(MachineOp::Min, exponent, most);
                if calc.arith.flush { self.flushed(exponent) } else { exponent }
            }
        };
        let power = self.power(calc, base, exponent);
        // 0 to the power of the exponent.
        let infinity = self.float(f32::INFINITY);
        let of_zero = match constant {
            Some(constant) if constant > 0.0 => zero,
            Some(_) => infinity,
            None => {
                let (above, below) =
                    (self.compare(relation::GT, exponent, zero), self.compare(relation::LT, exponent, zero));
                let not_above = self.blend(one, infinity, below);
                self.blend(not_above, zero, above)
            }
        };
        let is_zero = self.compare(relation::EQ, base, zero);
        let power = self.blend(power, of_zero, is_zero);
        let lit = self.compare(relation::GT, x, zero);
        let usual = self.blend(zero, power, lit);
        let infinite = self.compare(relation::GE, base, infinity);
        self.rarely(calc, usual, infinite, &[x, y, w])
    }

    /// The sine of an angle, or of its magnitude and a quarter of a turn.
    fn sine(&mut self, calc: &Calc, x: Src, angle: Src, shift: Option<f64>) -> Src {
        let a = self.halves(angle);
        let (inverse, round) = (self.double(FRAC_1_PI), self.double(ROUND));
        let mut turns = self.pair(MachineOp::Mul64, a, inverse);
        if let Some(shift) = shift {
            let shift = self.double(shift);
            turns = self.pair(MachineOp::Add64, turns, shift);
        }
        let sum = self.pair(MachineOp::Add64, turns, round);
        let mut n = self.pair(MachineOp::Sub64, sum, round);
        if let Some(shift) = shift {
            let shift = self.double(shift);
            n = self.pair(MachineOp::Sub64, n, shift);
        }
        let (high, low) = (self.double(PI_HIGH), self.double(PI_LOW));
        let (high, low) = (self.pair(MachineOp::Mul64, n, high), self.pair(MachineOp::Mul64, n, low));
        let r = self.pair(MachineOp::Sub64, a, high);
        let r = self.pair(MachineOp::Sub64, r, low);
        let sign = self.pair_shift(MachineOp::ShlImm64, sum, 63);
        let signed = self.pair(MachineOp::Xor64, r, sign);
        let u = self.pair(MachineOp::Mul64, r, r);
        let u2 = self.pair(MachineOp::Mul64, u, u);
        let q = self.quintic(&SIN, u, u2);
        let q = self.pair(MachineOp::Mul64, u, q);
        let one = self.double(1.0);
        let q = self.pair(MachineOp::Add64, q, one);
        let halves = self.pair(MachineOp::Mul64, signed, q);
        let usual = self.joined(halves);
        let no_sign = self.word(0x7fff_ffff);
        let magnitude = self.two(MachineOp::And, angle, no_sign);
        let limit = self.float(FAST_LIMIT);
        let rare = self.compare(relation::NOT_LT, magnitude, limit);
        self.rarely(calc, usual, rare, &[x])
    }

    /// 1/sqrt(x) of a positive normal number, correctly rounded; and the lanes of other numbers.
    ///
    /// No such root is nearer than 1.4 ulp of f64 to a point half-way between two f32 (`math::rsqrt`), so an f64 of less error
    /// rounds to the same f32. The machine's guess has 11 bits or more. With e = 1 - x·r², the root is
    /// r·(1 + e/2 + 3e²/8 + …), where the rest is below e³/3: one such step in f32 leaves e below 2^-21, one more in f64,
    /// where r² is exact and e has all its bits, is exact but for 2^-64 and the last rounding.
    ///
    /// Of a zero and +Inf the guess is the other one, and x·r NaN; of a negative number and of NaN the guess is NaN. Of a
    /// denormal that the machine takes for a zero, the guess is an infinity, and e the other one, of either sign: r·e is -Inf.
    fn rsqrt(&mut self, x: Src) -> (Src, Mask) {
        let x = match x {
            Src::C(_) => self.one(MachineOp::Copy, x),
            x => x,
        };
        let guess = self.one(MachineOp::RsqrtGuess, x);
        let (one, half, three) = (self.float(1.0), self.float(0.5), self.float(0.375));
        let product = self.two(MachineOp::Mul, x, guess);
        let e = self.three(MachineOp::Fnma, product, guess, one);
        let terms = self.two(MachineOp::Mul, e, three);
        let terms = self.two(MachineOp::Add, terms, half);
        let product = self.two(MachineOp::Mul, guess, e);
        let limit = self.float(f32::MIN);
        let rare = self.compare(relation::NOT_GE, product, limit);
        let root = self.three(MachineOp::Fma, product, terms, guess);
        let (x, r) = (self.halves(x), self.halves(root));
        let (one, half, three) = (self.double(1.0), self.double(0.5), self.double(0.375));
        let square = self.pair(MachineOp::Mul64, r, r);
        let e = [0, 1].map(|at| self.three(MachineOp::Fnma64, square[at], x[at], one));
        let terms = self.pair(MachineOp::Mul64, e, three);
        let terms = self.pair(MachineOp::Add64, terms, half);
        let product = self.pair(MachineOp::Mul64, r, e);
        let halves = [0, 1].map(|at| self.three(MachineOp::Fma64, product[at], terms[at], r[at]));
        (self.joined(halves), rare)
    }
}
