//! The arithmetic of nv20: what `vecasm_ir::math::nv20` computes.
//!
//! The machine rounds toward zero here and flushes denormals, operands and results ([`Mode::Truncate`](crate::jit::mir::Mode)).
//! So its product of two numbers is the truncated one; what is too large becomes the largest finite value, what is too small a
//! zero of its sign. Zeros are left to do, which win also over infinities and NaN.
//!
//! A sum is of integers: each term is scaled so that the largest one has 29 bits, and truncated to an integer. The sum of those
//! becomes an f32 again, which truncates it to 24 bits. Where a term is an infinity or NaN, or the largest one so small that
//! denormals among them count, Rust computes it. So products that are only added need not care about zeros: a zero times an
//! infinity is NaN first, and Rust computes the product again.
//!
//! Of a product that is NaN the bits may be any, like those of other arithmetic: [`Select::exact`] makes it the one of nv20.

use super::calc::round;
use super::functions::Pair;
use super::{Mask, Select, Value};
use crate::jit::call::Computation;
use crate::jit::isa::Isa;
use crate::jit::mir::{Kind, MachineOp, Src, relation};
use crate::jit::rows::sees_bits;
use vecasm_exec::code::Calc;
use vecasm_ir::ir::{Pure, Rule};
use vecasm_ir::math::nv20::{EXP2, EXP2_LAST, LOG2, LOG2_LAST, NAN};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = f32::INFINITY.to_bits();
const FRACTION: u32 = 0x007f_ffff;
const ONE: u32 = 1f32.to_bits();
/// The exponent of 1.
const BIAS: u32 = 127;

/// A product as the machine gives it, and what of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    /// NaN where a zero meets an infinity or NaN; zeros of any sign.
    raw: Src,
    of: [Src; 2],
}

/// A term of a sum.
#[derive(Clone, Copy, Debug)]
enum Term {
    Value(Src),
    Product(Product),
}

/// Tables of 32 words: a value and, from bit 18 or 16 on, the difference to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Table {
    Exp2,
    Log2,
}

impl Table {
    /// Where the difference starts.
    const fn shift(self) -> u32 {
        match self {
            Self::Exp2 => 16,
            Self::Log2 => 18,
        }
    }

    fn words(self) -> [u32; 32] {
        let (values, last) = match self {
            Self::Exp2 => (EXP2.map(u32::from), EXP2_LAST),
            Self::Log2 => (LOG2, LOG2_LAST),
        };
        std::array::from_fn(|at| {
            let step = values.get(at + 1).map_or(last, |next| next - values[at]);
            values[at] | step << self.shift()
        })
    }
}

/// The bits of 2^k.
const fn power(k: i32) -> u32 {
    ((BIAS as i32 + k) as u32) << 23
}

impl Select<'_> {
    /// One lane of an operation.
    pub(super) fn nv20(&mut self, calc: &Calc, out: u32, rows: [u32; 4]) -> Option<Value> {
        let arity = calc.op.arity();
        let slots = calc.op.slots();
        let [x, y, z] = [0, 1, 2].map(|at| match slots.get(at).filter(|_| at < arity) {
            Some(slot) if sees_bits(calc, *slot) => self.exact(rows[at]),
            Some(_) => self.value(rows[at]),
            None => Src::None,
        });
        Some(Value::Word(match calc.op {
            Pure::Mul => {
                let raw = self.two(MachineOp::Mul, x, y);
                self.products.insert(out, Product { raw, of: [x, y] });
                self.any_nan[out as usize] = true;
                match self.isa {
                    Isa::Avx2 => {
                        let product = self.keep_not_zero(raw, rows[0]);
                        if rows[0] == rows[1] { product } else { self.keep_not_zero(product, rows[1]) }
                    }
                    Isa::Avx512 => self.product(Rule::ZeroWins, rows[0], rows[1]),
                }
            }
            Pure::Add => {
                let terms = [self.term(rows[0]), self.term(rows[1])];
                self.nv20_sum(&terms)
            }
            Pure::Sub => {
                let sign = self.word(SIGN);
                let negative = self.two(MachineOp::Xor, y, sign);
                let terms = [self.term(rows[0]), Term::Value(negative)];
                self.nv20_sum(&terms)
            }
            Pure::Eq => return Some(Value::Mask(self.equal(x, y))),
            Pure::Ne => {
                let equal = self.equal(x, y);
                return Some(Value::Mask(self.not(equal)));
            }
            Pure::Lt => return Some(Value::Mask(self.below(rows, x, y))),
            Pure::Ge => {
                let below = self.below(rows, x, y);
                return Some(Value::Mask(self.not(below)));
            }
            Pure::Min | Pure::Max => self.nv20_extreme(calc.op, rows, x, y),
            Pure::Saturate => {
                let (zero, one) = (self.word(0), self.word(ONE));
                let above = self.two(MachineOp::MaxS, x, zero);
                self.two(MachineOp::MinS, above, one)
            }
            Pure::Rcp => self.nv20_rcp(x, None),
            Pure::Rcc => self.nv20_rcp(x, Some((power(-64), power(64)))),
            Pure::Rsq => self.nv20_rsq(x),
            Pure::Exp2 => {
                let fixed = self.fixed_of(x, -150.0 * 8192.0, 128.0 * 8192.0);
                let fixed = self.one(MachineOp::TruncI32, fixed);
                let power = self.exp2_fixed(fixed);
                self.nan_to_nan(power, x)
            }
            Pure::Exp2Floor => {
                let fixed = self.fixed_of(x, -150.0 * 8192.0, 128.0 * 8192.0);
                let fixed = self.one(MachineOp::TruncI32, fixed);
                let whole = self.word(!0x1fff);
                let whole = self.two(MachineOp::And, fixed, whole);
                let power = self.shift(MachineOp::ShlImm, whole, 10);
                let bias = self.word(ONE);
                let power = self.two(MachineOp::IAdd, power, bias);
                self.no_denormal(power)
            }
            Pure::Fract => self.nv20_fract(x),
            Pure::Log2 => {
                let fixed = self.log2_fixed(x);
                let unit = self.double(1.0 / 67_108_864.0);
                let log = self.pair(MachineOp::Mul64, fixed, unit);
                let log = self.joined(log);
                self.log_special(x, log)
            }
            Pure::Exponent => {
                let field = self.masked_word(x, INFINITY);
                let field = self.shift(MachineOp::ShrImm, field, 23);
                let bias = self.word(BIAS);
                let exponent = self.two(MachineOp::ISub, field, bias);
                let exponent = self.one(MachineOp::FromI32, exponent);
                self.log_special(x, exponent)
            }
            Pure::Mantissa => {
                let one = self.word(ONE);
                let fraction = self.masked_word(x, FRACTION);
                let mantissa = self.two(MachineOp::Or, fraction, one);
                let field = self.masked_word(x, INFINITY);
                let is_zero = self.is_word(field, 0);
                let mantissa = self.blend(mantissa, one, is_zero);
                let magnitude = self.masked_word(x, !SIGN);
                let nan = self.compare(relation::UNORDERED, x, x);
                self.blend(mantissa, magnitude, nan)
            }
            Pure::Lit => self.nv20_lit(x, y, z),
            _ => return None,
        }))
    }

    /// A sum of lanes, or of products of lanes.
    pub(super) fn nv20_reduction(&mut self, op: Pure, a: &[u32], b: &[u32]) -> Src {
        let mut terms = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            terms.push(if op == Pure::Dot {
                let of = [self.value(a), self.value(b)];
                Term::Product(Product { raw: self.two(MachineOp::Mul, of[0], of[1]), of })
            } else {
                self.term(a)
            });
        }
        self.nv20_sum(&terms)
    }

    fn term(&mut self, row: u32) -> Term {
        match self.products.get(&row) {
            Some(&product) => Term::Product(product),
            None => Term::Value(self.value(row)),
        }
    }

    fn nv20_sum(&mut self, terms: &[Term]) -> Src {
        // The least exponent of the largest term so that denormals are lost beside it, and both scales are normal numbers.
        const LEAST: u32 = 29 << 23;
        let mut args = Vec::with_capacity(2 * terms.len());
        let mut products = 0u8;
        let words: Vec<Src> = terms
            .iter()
            .zip(0..)
            .map(|(term, at)| match *term {
                Term::Value(src) => {
                    args.push(src);
                    src
                }
                Term::Product(product) => {
                    args.extend(product.of);
                    products |= 1 << at;
                    product.raw
                }
            })
            .collect();
        let magnitudes: Vec<Src> = words.iter().map(|&word| self.masked_word(word, !SIGN)).collect();
        let largest = self.tree(MachineOp::MaxU, &magnitudes);
        let least = self.word(LEAST);
        let field = self.two(MachineOp::MaxU, largest, least);
        let field = self.masked_word(field, INFINITY);
        // 28 bits above the point for the largest one, and back.
        let up = self.word((2 * BIAS + 28) << 23);
        let up = self.two(MachineOp::ISub, up, field);
        let down = self.word((28u32 << 23).wrapping_neg());
        let down = self.two(MachineOp::IAdd, field, down);
        let integers: Vec<Src> = words
            .iter()
            .map(|&word| {
                let scaled = self.two(MachineOp::Mul, word, up);
                self.one(MachineOp::TruncI32, scaled)
            })
            .collect();
        let total = self.tree(MachineOp::IAdd, &integers);
        let total = self.one(MachineOp::FromI32, total);
        let usual = self.two(MachineOp::Mul, total, down);
        // LEAST and all up to infinity become the least numbers of all.
        let turn = self.word(SIGN.wrapping_sub(LEAST));
        let turned = self.two(MachineOp::IAdd, largest, turn);
        let most = self.word(SIGN + (INFINITY - LEAST) - 1);
        let rare = self.mask_op(MachineOp::Greater, [turned, most, Src::None], 0);
        let seen = self.visible_mask();
        let rare = self.and(rare, seen);
        let what = Computation::Nv20Sum { terms: terms.len() as u8, products };
        // A sum of zeros is a zero here, too.
        Src::V(self.call_unless_zero(what, args, (rare, usual), largest, Kind::Vector))
    }

    /// All together, two by two.
    fn tree(&mut self, op: MachineOp, list: &[Src]) -> Src {
        match list {
            [] => self.word(0),
            [one] => *one,
            _ => {
                let (low, high) = list.split_at(list.len() / 2);
                let (low, high) = (self.tree(op, low), self.tree(op, high));
                self.two(op, low, high)
            }
        }
    }

    fn masked_word(&mut self, word: Src, mask: u32) -> Src {
        let mask = self.word(mask);
        self.two(MachineOp::And, word, mask)
    }

    fn is_word(&mut self, word: Src, is: u32) -> Mask {
        let is = self.word(is);
        self.equal(word, is)
    }

    /// Where an integer is above another one, both with signs.
    fn above(&mut self, word: Src, than: u32) -> Mask {
        let than = self.word(than);
        self.mask_op(MachineOp::Greater, [word, than, Src::None], 0)
    }

    /// The NaN where another word is one.
    fn nan_to_nan(&mut self, word: Src, of: Src) -> Src {
        let nan = self.word(NAN);
        let is = self.compare(relation::UNORDERED, of, of);
        self.blend(word, nan, is)
    }

    /// Bits without sign, but 0 if they are no normal number; also if they are below zero.
    fn no_denormal(&mut self, bits: Src) -> Src {
        let normal = self.above(bits, FRACTION);
        let zero = self.word(0);
        self.blend(zero, bits, normal)
    }

    /// Integers in the total order.
    fn key(&mut self, x: Src) -> Src {
        let sign = self.shift(MachineOp::SarImm, x, 31);
        let flip = self.shift(MachineOp::ShrImm, sign, 1);
        self.two(MachineOp::Xor, x, flip)
    }

    /// Whether a row is the same for ever, and not below zero: then integers are in order with it as they are.
    fn not_negative(&self, row: u32) -> bool {
        self.constant[row as usize].is_some_and(|bits| bits & SIGN == 0)
    }

    fn below(&mut self, rows: [u32; 4], x: Src, y: Src) -> Mask {
        if self.not_negative(rows[0]) || self.not_negative(rows[1]) {
            return self.mask_op(MachineOp::Greater, [y, x, Src::None], 0);
        }
        let (a, b) = (self.key(x), self.key(y));
        self.mask_op(MachineOp::Greater, [b, a, Src::None], 0)
    }

    fn nv20_extreme(&mut self, op: Pure, rows: [u32; 4], x: Src, y: Src) -> Src {
        if self.not_negative(rows[0]) || self.not_negative(rows[1]) {
            return self.two(if op == Pure::Min { MachineOp::MinS } else { MachineOp::MaxS }, x, y);
        }
        let below = self.below(rows, x, y);
        if op == Pure::Min { self.blend(y, x, below) } else { self.blend(x, y, below) }
    }

    /// What comes of two steps of Newton's iteration is exact in f64, or truncated at last as the library does. A magnitude
    /// may be clamped.
    fn nv20_rcp(&mut self, x: Src, clamp: Option<(u32, u32)>) -> Src {
        let (one, two) = (self.word(ONE), self.word(power(1)));
        let field = self.masked_word(x, INFINITY);
        let fraction = self.masked_word(x, FRACTION);
        let m = self.two(MachineOp::Or, fraction, one);
        let scale = self.float(128.0);
        let middle = self.middle(m);
        let seed = self.seed(scale, middle);
        let (m, seed) = (self.halves(m), self.halves(seed));
        // s1 = (2^31 - s·m)·s >> 24, where m has 23 fraction bits.
        let (half, c) = (self.double(0.5), self.double(128.0));
        let low = self.pair(MachineOp::Mul64, seed, half);
        let rest = self.rest(low, m, c);
        let s = self.pair(MachineOp::Mul64, rest, seed);
        let s = self.pair_shift(MachineOp::Round64, s, round::ZERO);
        // s2 = (2^37 - s1·m)·s1 >> 25, with 23 fraction bits.
        let (quarter, c) = (self.double(0.25 / 8_388_608.0), self.double(4096.0 / 8_388_608.0));
        let low = self.pair(MachineOp::Mul64, s, quarter);
        let rest = self.rest(low, m, c);
        let s = self.pair(MachineOp::Mul64, rest, s);
        let s = self.joined(s);
        // Powers of two are exact.
        let is_power = self.is_word(fraction, 0);
        let s = self.blend(s, two, is_power);
        let to_field = self.word((BIAS - 1) << 23);
        let bits = self.two(MachineOp::ISub, s, field);
        let bits = self.two(MachineOp::IAdd, bits, to_field);
        let bits = self.no_denormal(bits);
        let is_zero = self.is_word(field, 0);
        let infinity = self.word(INFINITY);
        let mut bits = self.blend(bits, infinity, is_zero);
        if let Some((least, most)) = clamp {
            let (least, most) = (self.word(least), self.word(most));
            bits = self.two(MachineOp::MaxS, bits, least);
            bits = self.two(MachineOp::MinS, bits, most);
        }
        let sign = self.masked_word(x, SIGN);
        let bits = self.two(MachineOp::Or, bits, sign);
        self.nan_to_nan(bits, x)
    }

    /// The middle of the 64th of 1..2, or of the 32nd of 2..4, that a number is in.
    fn middle(&mut self, m: Src) -> Src {
        let middle = self.masked_word(m, !0x1_ffff);
        let half = self.word(0x1_0000);
        self.two(MachineOp::Or, middle, half)
    }

    /// A quotient, rounded to an integer; it is not near to the middle between two.
    fn seed(&mut self, scale: Src, by: Src) -> Src {
        let half = self.float(0.5);
        let quotient = self.two(MachineOp::Div, scale, by);
        let seed = self.two(MachineOp::Add, quotient, half);
        self.shift(MachineOp::Round, seed, round::ZERO)
    }

    /// c - a·b.
    fn rest(&mut self, a: Pair, b: Pair, c: Src) -> Pair {
        [0, 1].map(|at| self.three(MachineOp::Fnma64, a[at], b[at], c))
    }

    fn nv20_rsq(&mut self, x: Src) -> Src {
        // In 1..2 where the exponent is odd, else in 2..4.
        let fraction = self.masked_word(x, FRACTION);
        let two = self.word(power(1));
        let above_two = self.two(MachineOp::Or, fraction, two);
        let odd = self.masked_word(x, 1 << 23);
        let m = self.two(MachineOp::ISub, above_two, odd);
        let middle = self.middle(m);
        let root = self.one(MachineOp::Sqrt, middle);
        let scale = self.float(128.0);
        let seed = self.seed(scale, root);
        // The first one differs.
        let most = self.float(127.0);
        let seed = self.two(MachineOp::Min, seed, most);
        let (m, seed) = (self.halves(m), self.halves(seed));
        // s1 = (3·2^37 - s²·m)·s >> 32, where m has 23 fraction bits.
        let (scale, c) = (self.double(1.0 / 512.0), self.double(96.0));
        let square = self.pair(MachineOp::Mul64, seed, seed);
        let square = self.pair(MachineOp::Mul64, square, scale);
        let rest = self.rest(square, m, c);
        let s = self.pair(MachineOp::Mul64, rest, seed);
        let s = self.pair_shift(MachineOp::Round64, s, round::ZERO);
        // s2 = (3·2^49 - s1²·m)·s1 >> 39, with 23 fraction bits.
        let (scale, c) = (self.double(1.0 / (1u64 << 39) as f64), self.double(3072.0 / 8_388_608.0));
        let square = self.pair(MachineOp::Mul64, s, s);
        let square = self.pair(MachineOp::Mul64, square, scale);
        let rest = self.rest(square, m, c);
        let s = self.pair(MachineOp::Mul64, rest, s);
        let s = self.joined(s);
        // Half of the exponent, negative.
        let field = self.masked_word(x, INFINITY);
        let twice = self.word((3 * BIAS - 1) << 23);
        let twice = self.two(MachineOp::ISub, twice, field);
        let half = self.shift(MachineOp::ShrImm, twice, 1);
        let half = self.masked_word(half, SIGN | INFINITY);
        let back = self.word(ONE.wrapping_neg());
        let half = self.two(MachineOp::IAdd, half, back);
        let bits = self.two(MachineOp::IAdd, s, half);
        let infinity = self.word(INFINITY);
        let is_zero = self.is_word(field, 0);
        let bits = self.blend(bits, infinity, is_zero);
        let is_infinite = self.is_word(field, INFINITY);
        let zero = self.word(0);
        let bits = self.blend(bits, zero, is_infinite);
        self.nan_to_nan(bits, x)
    }

    /// floor(x·2^13), clamped, in f32; the upper bound where x is NaN.
    fn fixed_of(&mut self, x: Src, least: f32, most: f32) -> Src {
        let (scale, least, most) = (self.float(8192.0), self.float(least), self.float(most));
        let fixed = self.two(MachineOp::Mul, x, scale);
        let fixed = self.two(MachineOp::Min, fixed, most);
        let fixed = self.two(MachineOp::Max, fixed, least);
        let floor = self.shift(MachineOp::Round, fixed, round::DOWN);
        // Magnitudes below 2^-23 are taken for zeros.
        let tiny = self.below_power(x, -23);
        let zero = self.word(0);
        self.blend(floor, zero, tiny)
    }

    /// Where a magnitude is below 2^k.
    fn below_power(&mut self, x: Src, k: i32) -> Mask {
        let magnitude = self.masked_word(x, !SIGN);
        let limit = self.word(power(k));
        self.mask_op(MachineOp::Greater, [limit, magnitude, Src::None], 0)
    }

    /// An entry of a table: the value, and the difference to the next one.
    fn entry(&mut self, table: Table, index: Src) -> [Src; 2] {
        let first = match self.tables.get(&table) {
            Some(&first) => first,
            None => {
                let entries = table.words().map(|word| self.pool(u64::from(word) | u64::from(word) << 32));
                self.tables.insert(table, entries[0]);
                entries[0]
            }
        };
        let index = match self.isa {
            Isa::Avx2 => self.shift(MachineOp::ShlImm, index, 2),
            Isa::Avx512 => index,
        };
        let word = self.op(MachineOp::Table, [index, Src::None, Src::None], first);
        [self.masked_word(word, (1 << table.shift()) - 1), self.shift(MachineOp::ShrImm, word, table.shift())]
    }

    /// 2 to the power of a number with 13 fraction bits, from -150 to 128.
    fn exp2_fixed(&mut self, p: Src) -> Src {
        let index = self.shift(MachineOp::ShrImm, p, 8);
        let index = self.masked_word(index, 31);
        let [start, step] = self.entry(Table::Exp2, index);
        let low = self.masked_word(p, 255);
        let more = self.two(MachineOp::IMul, step, low);
        let start = self.shift(MachineOp::ShlImm, start, 9);
        let more = self.two(MachineOp::IAdd, more, more);
        let fraction = self.two(MachineOp::IAdd, start, more);
        let whole = self.masked_word(p, !0x1fff);
        let whole = self.shift(MachineOp::ShlImm, whole, 10);
        let bias = self.word(ONE);
        let whole = self.two(MachineOp::IAdd, whole, bias);
        let bits = self.two(MachineOp::IAdd, whole, fraction);
        // 2^128 has the bits of the infinity.
        self.no_denormal(bits)
    }

    fn nv20_fract(&mut self, x: Src) -> Src {
        let (zero, one, two) = (self.word(0), self.float(1.0), self.float(2.0));
        let floor = self.shift(MachineOp::Round, x, round::DOWN);
        let rest = self.two(MachineOp::Sub, x, floor);
        // Between -1 and 0 it is truncated to 23 fraction bits, as numbers in 1..2 have them.
        let above = self.two(MachineOp::Add, x, two);
        let above = self.two(MachineOp::Sub, above, one);
        let negative = self.compare(relation::LT, x, zero);
        let small = self.below_power(x, 0);
        let small = self.and(negative, small);
        let rest = self.blend(rest, above, small);
        let tiny = self.below_power(x, -23);
        let tiny = self.and(negative, tiny);
        let rest = self.blend(rest, one, tiny);
        let field = self.masked_word(x, INFINITY);
        let special = self.is_word(field, INFINITY);
        let rest = self.blend(rest, zero, special);
        let nan = self.compare(relation::UNORDERED, x, x);
        self.blend(rest, x, nan)
    }

    /// A logarithm or an exponent where there is one: the magnitude of infinities and NaN, -Inf for zeros.
    fn log_special(&mut self, x: Src, log: Src) -> Src {
        let field = self.masked_word(x, INFINITY);
        let is_zero = self.is_word(field, 0);
        let below = self.word(SIGN | INFINITY);
        let log = self.blend(log, below, is_zero);
        let special = self.is_word(field, INFINITY);
        let magnitude = self.masked_word(x, !SIGN);
        self.blend(log, magnitude, special)
    }

    /// The logarithm of a number's magnitude with 26 fraction bits, as an integer.
    fn log2_fixed(&mut self, x: Src) -> Pair {
        let index = self.shift(MachineOp::ShrImm, x, 18);
        let index = self.masked_word(index, 31);
        let [start, step] = self.entry(Table::Log2, index);
        let low = self.shift(MachineOp::ShrImm, x, 10);
        let low = self.masked_word(low, 255);
        let more = self.two(MachineOp::IMul, step, low);
        let start = self.shift(MachineOp::ShlImm, start, 8);
        let fraction = self.two(MachineOp::IAdd, start, more);
        let field = self.masked_word(x, INFINITY);
        let field = self.shift(MachineOp::ShrImm, field, 23);
        let bias = self.word(BIAS);
        let exponent = self.two(MachineOp::ISub, field, bias);
        let (fraction, exponent) = (self.integer_halves(fraction), self.integer_halves(exponent));
        let unit = self.double(67_108_864.0);
        let exponent = self.pair(MachineOp::Mul64, exponent, unit);
        self.pair(MachineOp::Add64, exponent, fraction)
    }

    /// Both halves of integers with signs as f64.
    fn integer_halves(&mut self, x: Src) -> Pair {
        let high = self.one(MachineOp::High, x);
        [self.one(MachineOp::WidenI32, x), self.one(MachineOp::WidenI32, high)]
    }

    fn nv20_lit(&mut self, x: Src, y: Src, w: Src) -> Src {
        let (zero, infinity) = (self.word(0), self.word(INFINITY));
        let log = self.log2_fixed(y);
        let power = self.fixed_of(w, -1_048_576.0, 1_048_575.0);
        let power = self.halves(power);
        // At most 2^33 · 2^20, so it is exact.
        let product = self.pair(MachineOp::Mul64, log, power);
        let unit = self.double(1.0 / 67_108_864.0);
        let product = self.pair(MachineOp::Mul64, product, unit);
        let product = self.pair_shift(MachineOp::Round64, product, round::DOWN);
        let (least, most) = (self.double(-150.0 * 8192.0), self.double(128.0 * 8192.0));
        let product = self.pair(MachineOp::Max64, product, least);
        let product = self.pair(MachineOp::Min64, product, most);
        let fixed = self.joined(product);
        let fixed = self.one(MachineOp::TruncI32, fixed);
        let power = self.exp2_fixed(fixed);
        // Each of these comes before those above it.
        let negative = self.mask_op(MachineOp::Greater, [zero, w, Src::None], 0);
        let of_zero = self.blend(zero, infinity, negative);
        let of_infinity = self.two(MachineOp::Xor, of_zero, infinity);
        let is_infinite = self.is_word(y, INFINITY);
        let power = self.blend(power, of_infinity, is_infinite);
        let positive = self.above(y, FRACTION);
        let power = self.blend(of_zero, power, positive);
        let power = self.nan_to_nan(power, y);
        let power = self.nan_to_nan(power, w);
        let one = self.word(ONE);
        let field = self.masked_word(w, INFINITY);
        let is_zero = self.is_word(field, 0);
        let power = self.blend(power, one, is_zero);
        let lit = self.above(x, FRACTION);
        self.blend(zero, power, lit)
    }
}
