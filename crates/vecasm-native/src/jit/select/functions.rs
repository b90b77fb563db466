//! Elementary functions of f32: what `vecasm::math` computes, the same operations on f64 in the same order, half of the lanes
//! at a time. Rust computes the lanes of rare arguments: those for which the library leaves the usual path, too.

use super::{Mask, Select};
use crate::jit::call::What;
use crate::jit::mir::{Do, Kind, Src, relation};
use std::f64::consts::FRAC_1_PI;
use vecasm::exec::code::Calc;
use vecasm::ir::Pure;
use vecasm::math::terms::{EXP2, FAST_LIMIT, LOG2, PI_HIGH, PI_LOW, ROUND, SIN};

/// Where the exponent of an f64 starts.
const EXPONENT: u32 = 52;

impl Select<'_> {
    /// A function, if there are instructions for it.
    pub(super) fn function(&mut self, calc: &Calc, rows: [u32; 4], [x, y, z]: [Src; 3]) -> Option<Src> {
        Some(match calc.op {
            Pure::Rsq => {
                let usual = self.rsqrt(x);
                let tiny = self.float(f32::MIN_POSITIVE);
                let rare = self.compare(relation::NOT_GE, x, tiny);
                let rare = self.or_infinite(rare, x);
                self.rarely(calc, usual, rare, &[x])
            }
            Pure::Exp2 => {
                let halves = self.halves(x).map(|x| self.exp2(x));
                self.narrowed(calc, halves)
            }
            Pure::Log2 => {
                let halves = self.halves(x).map(|x| self.log2(x));
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
                let magnitude = self.two(Do::And, x, no_sign);
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

    /// The usual result, but what Rust computes in the lanes of a mask, where anybody is interested.
    fn rarely(&mut self, calc: &Calc, usual: Src, rare: Mask, args: &[Src]) -> Src {
        let rare = self.and(rare, self.active);
        let what = What::Pure(calc.op, calc.scalar, calc.arith);
        Src::V(self.call(what, args.to_vec(), Some((rare, usual)), Kind::Vector))
    }

    /// Both halves of f32 as f64.
    fn halves(&mut self, x: Src) -> [Src; 2] {
        let x = match x {
            Src::C(_) => self.one(Do::Copy, x),
            x => x,
        };
        let high = self.one(Do::High, x);
        [self.one(Do::Widen, x), self.one(Do::Widen, high)]
    }

    fn joined(&mut self, halves: [Src; 2]) -> Src {
        let [low, high] = halves.map(|half| self.one(Do::Narrow, half));
        self.two(Do::Join, low, high)
    }

    /// Both halves rounded to f32. Where denormals are flushed, the library rounds to a denormal first and then flushes;
    /// the machine flushes what would be a denormal of unlimited precision, which is more by the values that round up to
    /// the least normal number as denormals but not by 24 bits.
    fn narrowed(&mut self, calc: &Calc, halves: [Src; 2]) -> Src {
        if !calc.arith.flush || matches!(calc.op, Pure::Log2) {
            return self.joined(halves);
        }
        let halves = halves.map(|v| {
            // Multiples of 2^-149: rounded as denormals are.
            let unit = self.double(f64::from_bits((1023 - 149 + 52) << 52));
            let sum = self.two(Do::Add64, v, unit);
            let rounded = self.two(Do::Sub64, sum, unit);
            let least = self.double(f64::from(f32::MIN_POSITIVE));
            let rounded = self.two(Do::Min64, rounded, least);
            self.two(Do::Max64, rounded, v)
        });
        self.joined(halves)
    }

    /// c0 + c1·x.
    fn line(&mut self, c: &[f64], x: Src) -> Src {
        let (c0, c1) = (self.double(c[0]), self.double(c[1]));
        let product = self.two(Do::Mul64, x, c1);
        self.two(Do::Add64, product, c0)
    }

    /// `exp2_f64` of the library.
    fn exp2(&mut self, x: Src) -> Src {
        let (least, most) = (self.double(-160.0), self.double(130.0));
        // The second operand counts where one is NaN.
        let x = self.two(Do::Max64, least, x);
        let x = self.two(Do::Min64, most, x);
        let round = self.double(ROUND);
        let sum = self.two(Do::Add64, x, round);
        let whole = self.two(Do::Sub64, sum, round);
        let r = self.two(Do::Sub64, x, whole);
        let power = self.shift(Do::ShlImm64, sum, EXPONENT);
        let one = self.double(1.0);
        let scale = self.two(Do::IAdd64, power, one);
        let r2 = self.two(Do::Mul64, r, r);
        let (a, b) = (self.line(&EXP2[0..], r), self.line(&EXP2[2..], r));
        let b = self.two(Do::Mul64, r2, b);
        let low = self.two(Do::Add64, a, b);
        let (a, b) = (self.line(&EXP2[4..], r), self.line(&EXP2[6..], r));
        let b = self.two(Do::Mul64, r2, b);
        let high = self.two(Do::Add64, a, b);
        let r4 = self.two(Do::Mul64, r2, r2);
        let high = self.two(Do::Mul64, r4, high);
        let sum = self.two(Do::Add64, low, high);
        let product = self.two(Do::Mul64, r, sum);
        let sum = self.two(Do::Add64, product, one);
        self.two(Do::Mul64, sum, scale)
    }

    /// `log2_f64` of the library.
    fn log2(&mut self, x: Src) -> Src {
        const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
        const BIAS: u64 = 1024;
        const TWO_52: f64 = 4_503_599_627_370_496.0;
        let bias = self.long((BIAS << EXPONENT).wrapping_sub(SQRT_HALF));
        let biased = self.two(Do::IAdd64, x, bias);
        let biased = self.shift(Do::ShrImm64, biased, EXPONENT);
        let two_52 = self.double(TWO_52);
        let k = self.two(Do::Or64, biased, two_52);
        let zero = self.double(TWO_52 + BIAS as f64);
        let k = self.two(Do::Sub64, k, zero);
        let power = self.shift(Do::ShlImm64, biased, EXPONENT);
        let m = self.two(Do::ISub64, x, power);
        let back = self.long(BIAS << EXPONENT);
        let m = self.two(Do::IAdd64, m, back);
        let one = self.double(1.0);
        let (above, below) = (self.two(Do::Sub64, m, one), self.two(Do::Add64, m, one));
        let s = self.two(Do::Div64, above, below);
        let u = self.two(Do::Mul64, s, s);
        let u2 = self.two(Do::Mul64, u, u);
        let (a, b, c) = (self.line(&LOG2[0..], u), self.line(&LOG2[2..], u), self.line(&LOG2[4..], u));
        let c = self.two(Do::Mul64, u2, c);
        let b = self.two(Do::Add64, b, c);
        let b = self.two(Do::Mul64, u2, b);
        let p = self.two(Do::Add64, a, b);
        let p = self.two(Do::Mul64, s, p);
        self.two(Do::Add64, k, p)
    }

    /// The power of a positive finite base with a finite exponent.
    fn power(&mut self, calc: &Calc, x: Src, y: Src) -> Src {
        let (x, y) = (self.halves(x), self.halves(y));
        let halves = [0, 1].map(|half| {
            let log = self.log2(x[half]);
            let product = self.two(Do::Mul64, y[half], log);
            self.exp2(product)
        });
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
            let magnitude = self.two(Do::And, y, no_sign);
            let infinity = self.float(f32::INFINITY);
            let infinite = self.compare(relation::NOT_LT, magnitude, infinity);
            self.or(rare, infinite)
        };
        self.rarely(calc, usual, rare, &[x, y])
    }

    fn lit(&mut self, calc: &Calc, rows: [u32; 4], [x, y, w]: [Src; 3]) -> Src {
        let (zero, one) = (self.word(0), self.float(1.0));
        let base = self.two(Do::Max, y, zero);
        let constant = self.constant[rows[2] as usize].map(f32::from_bits);
        let constant = constant.filter(|w| w.abs() >= f32::MIN_POSITIVE && w.abs() <= 128.0);
        let exponent = match constant {
            Some(_) => w,
            None => {
                let (least, most) = (self.float(-128.0), self.float(128.0));
                let exponent = self.two(Do::Max, w, least);
                let exponent = self.two(Do::Min, exponent, most);
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
        let rare = self.and(infinite, lit);
        self.rarely(calc, usual, rare, &[x, y, w])
    }

    /// The sine of an angle, or of its magnitude and a quarter of a turn.
    fn sine(&mut self, calc: &Calc, x: Src, angle: Src, shift: Option<f64>) -> Src {
        let halves = self.halves(angle).map(|x| {
            let (inverse, round) = (self.double(FRAC_1_PI), self.double(ROUND));
            let mut turns = self.two(Do::Mul64, x, inverse);
            if let Some(shift) = shift {
                let shift = self.double(shift);
                turns = self.two(Do::Add64, turns, shift);
            }
            let sum = self.two(Do::Add64, turns, round);
            let mut n = self.two(Do::Sub64, sum, round);
            if let Some(shift) = shift {
                let shift = self.double(shift);
                n = self.two(Do::Sub64, n, shift);
            }
            let (high, low) = (self.double(PI_HIGH), self.double(PI_LOW));
            let (high, low) = (self.two(Do::Mul64, n, high), self.two(Do::Mul64, n, low));
            let r = self.two(Do::Sub64, x, high);
            let r = self.two(Do::Sub64, r, low);
            let sign = self.shift(Do::ShlImm64, sum, 63);
            let signed = self.two(Do::Xor64, r, sign);
            let u = self.two(Do::Mul64, r, r);
            let u2 = self.two(Do::Mul64, u, u);
            let (a, b, c) = (self.line(&SIN[0..], u), self.line(&SIN[2..], u), self.line(&SIN[4..], u));
            let c = self.two(Do::Mul64, u2, c);
            let b = self.two(Do::Add64, b, c);
            let b = self.two(Do::Mul64, u2, b);
            let q = self.two(Do::Add64, a, b);
            let q = self.two(Do::Mul64, u, q);
            let one = self.double(1.0);
            let q = self.two(Do::Add64, q, one);
            self.two(Do::Mul64, signed, q)
        });
        let usual = self.joined(halves);
        let no_sign = self.word(0x7fff_ffff);
        let magnitude = self.two(Do::And, angle, no_sign);
        let limit = self.float(FAST_LIMIT);
        let rare = self.compare(relation::NOT_LT, magnitude, limit);
        self.rarely(calc, usual, rare, &[x])
    }

    /// 1/sqrt(x) of a positive normal number, correctly rounded.
    ///
    /// No such root is nearer than 1.4 ulp of f64 to a point half-way between two f32 (`math::rsqrt`), so an f64 of less error
    /// rounds to the same f32. The machine's guess has 11 bits or more. With e = 1 - x·r², the root is
    /// r·(1 + e/2 + 3e²/8 + …), where the rest is below e³/3: one such step in f32 leaves e below 2^-21, one more in f64,
    /// where r² is exact and e has all its bits, is exact but for 2^-64 and the last rounding.
    fn rsqrt(&mut self, x: Src) -> Src {
        let x = match x {
            Src::C(_) => self.one(Do::Copy, x),
            x => x,
        };
        let guess = self.one(Do::RsqrtGuess, x);
        let (one, half, three) = (self.float(1.0), self.float(0.5), self.float(0.375));
        let product = self.two(Do::Mul, x, guess);
        let e = self.three(Do::Fnma, product, guess, one);
        let terms = self.two(Do::Mul, e, three);
        let terms = self.two(Do::Add, terms, half);
        let product = self.two(Do::Mul, guess, e);
        let root = self.three(Do::Fma, product, terms, guess);
        let (x, root) = (self.halves(x), self.halves(root));
        let (one, half, three) = (self.double(1.0), self.double(0.5), self.double(0.375));
        let halves = [0, 1].map(|at| {
            let (x, r) = (x[at], root[at]);
            let square = self.two(Do::Mul64, r, r);
            let e = self.three(Do::Fnma64, square, x, one);
            let terms = self.two(Do::Mul64, e, three);
            let terms = self.two(Do::Add64, terms, half);
            let product = self.two(Do::Mul64, r, e);
            self.three(Do::Fma64, product, terms, r)
        });
        self.joined(halves)
    }
}
