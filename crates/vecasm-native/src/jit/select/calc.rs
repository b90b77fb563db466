//! Pure operations.

use super::{Mask, Refusal, Select, Uniform, Value};
use crate::jit::call::Computation;
use crate::jit::isa::Isa;
use crate::jit::mir::{Kind, MachineOp, Mode, Src, relation};
use crate::jit::rows::{Bits, sees_bits};
use vecasm_exec::code::Calc;
use vecasm_ir::ir::op::Slot;
use vecasm_ir::ir::{Pure, Rule, Scalar};

const SIGN: u32 = 0x8000_0000;
/// The ways of `MachineOp::Round`.
pub(super) mod round {
    pub(crate) const EVEN: u32 = 8;
    pub(crate) const DOWN: u32 = 9;
    pub(crate) const UP: u32 = 10;
    pub(crate) const ZERO: u32 = 11;
}

impl Select<'_> {
    pub(super) fn calc(&mut self, calc: &Calc) -> Result<(), Refusal> {
        if calc.reduced > 0 {
            return self.reduce(calc);
        }
        let arity = calc.op.arity();
        let rows = calc.out.rows();
        for (lane, &row) in rows.iter().enumerate() {
            let args = |lane: usize| {
                let mut args = [0; 4];
                args.iter_mut().zip(calc.args).take(arity).for_each(|(to, from)| *to = from[lane]);
                args
            };
            // Lanes of the same are computed once, if their NaN matter alike.
            let facts = &self.facts;
            let nan = |row: u32| (facts.visible[row as usize], facts.bits[row as usize]);
            let same = (0..lane).find(|&other| args(other) == args(lane) && nan(rows[other]) == nan(row));
            let (value, never_nan) = match same {
                Some(other) => self.same(row, rows[other]),
                None => self.lane(calc, row, args(lane))?,
            };
            self.values[row as usize] = value;
            self.never_nan[row as usize] = never_nan;
        }
        Ok(())
    }

    /// What another row has.
    fn same(&mut self, row: u32, other: u32) -> (Value, bool) {
        self.any_nan[row as usize] = self.any_nan[other as usize];
        if let Some(&product) = self.products.get(&other) {
            self.products.insert(row, product);
        }
        (self.values[other as usize], self.never_nan[other as usize])
    }

    /// The mode that an operation computes in, if that makes a difference.
    fn mode_of(&self, calc: &Calc) -> Option<Mode> {
        match calc.scalar {
            Scalar::F32 if calc.op.moves() => None,
            Scalar::F32 => Some(match calc.arith.rule {
                Rule::Nv20 => Mode::Truncate,
                _ if calc.arith.flush => Mode::Flush,
                _ => Mode::Keep,
            }),
            // Integers to nearest.
            Scalar::I32 | Scalar::U32 if calc.op == Pure::ToF32 && self.mode == Mode::Truncate => {
                Some(Mode::Keep)
            }
            _ => None,
        }
    }

    /// One lane, and whether it is never NaN.
    fn lane(&mut self, calc: &Calc, out: u32, rows: [u32; 4]) -> Result<(Value, bool), Refusal> {
        if calc.op == Pure::Select {
            return Ok(self.choose(calc, out, rows));
        }
        if let Some(mode) = self.mode_of(calc) {
            self.enter(mode);
        }
        match calc.scalar {
            Scalar::F32 if calc.arith.rule == Rule::Nv20 && !calc.op.moves() => {
                if let Some(value) = self.nv20(calc, out, rows) {
                    return Ok((value, false));
                }
            }
            Scalar::F32 => {
                if let Some(value) = self.float_op(calc, out, rows) {
                    return Ok(value);
                }
            }
            Scalar::Bool => {
                if let Some(value) = self.bool_op(calc.op, rows) {
                    return Ok((value, true));
                }
            }
            Scalar::I32 | Scalar::U32 => {
                if let Some(value) = self.int_op(calc.op, calc.scalar == Scalar::I32, rows) {
                    return Ok((value, matches!(calc.op, Pure::ToF32)));
                }
            }
            _ => return Err("64-bit values".into()),
        }
        Ok((self.by_rust(calc, rows), false))
    }

    /// An operation that Rust computes lane by lane.
    fn by_rust(&mut self, calc: &Calc, rows: [u32; 4]) -> Value {
        let mut args = Vec::new();
        for (&row, &slot) in rows.iter().zip(calc.op.slots()) {
            let src = if is_bool(slot, calc.scalar) || !sees_bits(calc, slot) {
                self.value(row)
            } else {
                self.exact(row)
            };
            args.push(src);
        }
        let what = Computation::Pure(calc.op, calc.scalar, calc.arith);
        if is_bool(calc.op.result(), calc.scalar) {
            return Value::Mask(Mask::Some(self.call(what, args, None, Kind::Mask)));
        }
        Value::Word(Src::V(self.call(what, args, None, Kind::Vector)))
    }

    fn choose(&mut self, calc: &Calc, out: u32, [cond, yes, no, _]: [u32; 4]) -> (Value, bool) {
        let mask = self.mask(cond);
        if calc.scalar == Scalar::Bool {
            let (yes, no) = (self.mask(yes), self.mask(no));
            let (a, b) = (self.and(yes, mask), self.without(no, mask));
            return (Value::Mask(self.or(a, b)), true);
        }
        let never_nan = self.never_nan[yes as usize] && self.never_nan[no as usize];
        let exact = self.facts.visible[out as usize] && self.facts.bits[out as usize] == Bits::Exact;
        let (yes, no) =
            if exact { (self.exact(yes), self.exact(no)) } else { (self.value(yes), self.value(no)) };
        (Value::Word(self.blend(no, yes, mask)), never_nan)
    }

    fn bool_op(&mut self, op: Pure, [a, b, ..]: [u32; 4]) -> Option<Value> {
        Some(match op {
            Pure::And | Pure::Or | Pure::Xor | Pure::Ne | Pure::Eq => {
                let (a, b) = (self.mask(a), self.mask(b));
                Value::Mask(match op {
                    Pure::And => self.and(a, b),
                    Pure::Or => self.or(a, b),
                    Pure::Eq => {
                        let other = self.xor(a, b);
                        self.not(other)
                    }
                    _ => self.xor(a, b),
                })
            }
            Pure::Not => {
                let a = self.mask(a);
                Value::Mask(self.not(a))
            }
            Pure::ToF32 | Pure::ToI32 | Pure::ToU32 => {
                let one = self.word(if op == Pure::ToF32 { 1.0f32.to_bits() } else { 1 });
                let zero = self.word(0);
                let a = self.mask(a);
                Value::Word(self.blend(zero, one, a))
            }
            _ => return None,
        })
    }

    fn int_op(&mut self, op: Pure, signed: bool, rows: [u32; 4]) -> Option<Value> {
        let arity = op.arity();
        let [a, b] = [0, 1].map(|at| if at < arity { self.exact(rows[at]) } else { Src::None });
        let zero = self.word(0);
        Some(Value::Word(match op {
            Pure::Neg => self.two(MachineOp::ISub, zero, a),
            Pure::Abs if signed => {
                let negative = self.two(MachineOp::ISub, zero, a);
                self.two(MachineOp::MaxS, a, negative)
            }
            Pure::Abs => a,
            Pure::Add => self.two(MachineOp::IAdd, a, b),
            Pure::Sub => self.two(MachineOp::ISub, a, b),
            Pure::Mul => self.two(MachineOp::IMul, a, b),
            Pure::Min => self.two(if signed { MachineOp::MinS } else { MachineOp::MinU }, a, b),
            Pure::Max => self.two(if signed { MachineOp::MaxS } else { MachineOp::MaxU }, a, b),
            Pure::And => self.two(MachineOp::And, a, b),
            Pure::Or => self.two(MachineOp::Or, a, b),
            Pure::Xor => self.two(MachineOp::Xor, a, b),
            Pure::Not => {
                let ones = self.word(u32::MAX);
                self.two(MachineOp::Xor, a, ones)
            }
            Pure::Shl | Pure::Shr => {
                let low = self.word(31);
                let count = self.two(MachineOp::And, b, low);
                let shift = match op {
                    Pure::Shl => MachineOp::Shl,
                    _ if signed => MachineOp::Sar,
                    _ => MachineOp::Shr,
                };
                self.two(shift, a, count)
            }
            Pure::Eq => return Some(Value::Mask(self.equal(a, b))),
            Pure::Ne => {
                let equal = self.equal(a, b);
                return Some(Value::Mask(self.not(equal)));
            }
            Pure::Lt | Pure::Ge => {
                // b above a, as signed numbers.
                let (mut a, mut b) = (a, b);
                if !signed {
                    let sign = self.word(SIGN);
                    (a, b) = (self.two(MachineOp::Xor, a, sign), self.two(MachineOp::Xor, b, sign));
                }
                let less = self.mask_op(MachineOp::Greater, [b, a, Src::None], 0);
                return Some(Value::Mask(if op == Pure::Lt { less } else { self.not(less) }));
            }
            Pure::ToF32 if signed => self.one(MachineOp::FromI32, a),
            Pure::ToF32 => match self.isa {
                Isa::Avx512 => self.one(MachineOp::FromU32, a),
                Isa::Avx2 => {
                    // Two halves, exact both; their sum is rounded once.
                    let low_bits = self.word(0xffff);
                    let low = self.two(MachineOp::And, a, low_bits);
                    let high = self.shift(MachineOp::ShrImm, a, 16);
                    let (low, high) = (self.one(MachineOp::FromI32, low), self.one(MachineOp::FromI32, high));
                    let scale = self.float(65536.0);
                    let high = self.two(MachineOp::Mul, high, scale);
                    self.two(MachineOp::Add, high, low)
                }
            },
            Pure::ToI32 | Pure::ToU32 => a,
            _ => return None,
        }))
    }

    pub(super) fn equal(&mut self, a: Src, b: Src) -> Mask {
        let (a, b) = if matches!(a, Src::C(_)) { (b, a) } else { (a, b) };
        self.mask_op(MachineOp::Equal, [a, b, Src::None], 0)
    }

    /// An operation on f32 by the rule of IEEE or zero-wins.
    fn float_op(&mut self, calc: &Calc, out: u32, rows: [u32; 4]) -> Option<(Value, bool)> {
        let op = calc.op;
        let never = rows.map(|row| self.never_nan[row as usize]);
        if matches!(op, Pure::Neg | Pure::Abs) {
            let x = if self.facts.visible[out as usize] { self.exact(rows[0]) } else { self.value(rows[0]) };
            let bits = self.word(if op == Pure::Neg { SIGN } else { !SIGN });
            let with = if op == Pure::Neg { MachineOp::Xor } else { MachineOp::And };
            return Some((Value::Word(self.two(with, x, bits)), never[0]));
        }
        let arity = op.arity();
        let [x, y, z] = [0, 1, 2].map(|at| if at < arity { self.value(rows[at]) } else { Src::None });
        let zero = self.word(0);
        let one = self.float(1.0);
        let mut sure = false;
        let word = match op {
            Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne => {
                let how = match op {
                    Pure::Lt => relation::LT,
                    Pure::Ge => relation::GE,
                    Pure::Eq => relation::EQ,
                    _ => relation::NE,
                };
                return Some((Value::Mask(self.compare(how, x, y)), true));
            }
            Pure::Add => self.two(MachineOp::Add, x, y),
            Pure::Sub => self.two(MachineOp::Sub, x, y),
            Pure::Mul => self.product(calc.arith.rule, rows[0], rows[1]),
            Pure::Div => self.two(MachineOp::Div, x, y),
            Pure::Fma if calc.arith.rule == Rule::ZeroWins => {
                let mask = self.both_not_zero(rows[0], rows[1]);
                let fused = self.three(MachineOp::Fma, x, y, z);
                // The sum of a zero and z is z, but for -0.
                let sum = self.two(MachineOp::Add, z, zero);
                self.blend(sum, fused, mask)
            }
            Pure::Fma => self.three(MachineOp::Fma, x, y, z),
            Pure::Rcp => self.two(MachineOp::Div, one, x),
            Pure::Rcc => {
                let inverse = self.two(MachineOp::Div, one, x);
                let no_sign = self.word(!SIGN);
                let magnitude = self.two(MachineOp::And, inverse, no_sign);
                let (least, most) = (self.word(0x1f80_0000), self.word(0x5f80_0000));
                let magnitude = self.two(MachineOp::Max, least, magnitude);
                let magnitude = self.two(MachineOp::Min, most, magnitude);
                let sign = self.word(SIGN);
                let sign = self.two(MachineOp::And, x, sign);
                self.two(MachineOp::Or, magnitude, sign)
            }
            Pure::Saturate => {
                sure = true;
                // The second operand counts where one is NaN, and of two zeros.
                let above = self.two(MachineOp::Max, x, zero);
                self.two(MachineOp::Min, above, one)
            }
            Pure::Min | Pure::Max => {
                sure = never[0] || never[1];
                // The machine gives denormals back as they are.
                let (x, y) = if calc.arith.flush { (self.flushed(x), self.flushed(y)) } else { (x, y) };
                self.extreme(op, rows, x, y)
            }
            Pure::Sqrt => self.one(MachineOp::Sqrt, x),
            Pure::Floor | Pure::Ceil | Pure::Trunc | Pure::RoundEven => {
                sure = never[0];
                let how = match op {
                    Pure::Floor => round::DOWN,
                    Pure::Ceil => round::UP,
                    Pure::Trunc => round::ZERO,
                    _ => round::EVEN,
                };
                self.shift(MachineOp::Round, x, how)
            }
            Pure::Fract => {
                let floor = self.shift(MachineOp::Round, x, round::DOWN);
                self.two(MachineOp::Sub, x, floor)
            }
            Pure::Sign => {
                sure = true;
                let (above, below) =
                    (self.compare(relation::GT, x, zero), self.compare(relation::LT, x, zero));
                let minus = self.float(-1.0);
                let (above, below) = (self.blend(zero, one, above), self.blend(zero, minus, below));
                self.two(MachineOp::Or, above, below)
            }
            Pure::ToF32 => {
                sure = never[0];
                if calc.arith.flush { self.flushed(x) } else { x }
            }
            // The bits may be taken as those of an f32 again, in the same row: so nothing is said of NaN.
            Pure::ToI32 => {
                let whole = self.one(MachineOp::TruncI32, x);
                let limit = self.float(2_147_483_648.0);
                let over = self.compare(relation::GE, x, limit);
                let ones = self.word(u32::MAX);
                let flip = self.blend(zero, ones, over);
                let whole = self.two(MachineOp::Xor, whole, flip);
                if never[0] {
                    whole
                } else {
                    let nan = self.compare(relation::UNORDERED, x, x);
                    self.blend(whole, zero, nan)
                }
            }
            Pure::ToU32 => {
                let x = self.two(MachineOp::Max, x, zero);
                if self.isa == Isa::Avx512 {
                    self.one(MachineOp::TruncU32, x)
                } else {
                    let (half, all) = (self.float(2_147_483_648.0), self.float(4_294_967_296.0));
                    let high = self.compare(relation::GE, x, half);
                    let over = self.compare(relation::GE, x, all);
                    let less = self.blend(zero, half, high);
                    let rest = self.two(MachineOp::Sub, x, less);
                    let whole = self.one(MachineOp::TruncI32, rest);
                    let sign = self.word(SIGN);
                    let top = self.blend(zero, sign, high);
                    let whole = self.two(MachineOp::Xor, whole, top);
                    let ones = self.word(u32::MAX);
                    self.blend(whole, ones, over)
                }
            }
            _ => return self.function(calc, rows, [x, y, z]).map(|word| (Value::Word(word), false)),
        };
        Some((Value::Word(word), sure))
    }

    /// The smaller or larger of two f32: if one is NaN the other, of equal ones the first. The machine gives its second
    /// operand in both cases.
    fn extreme(&mut self, op: Pure, rows: [u32; 4], x: Src, y: Src) -> Src {
        let how = if op == Pure::Min { MachineOp::Min } else { MachineOp::Max };
        if self.never_nan[rows[0] as usize] {
            return self.two(how, y, x);
        }
        if let (Some(bits), true) = (self.constant[rows[1] as usize], self.never_nan[rows[1] as usize]) {
            let zero = if self.flushes() { 0x7f80_0000 } else { !SIGN };
            if bits & zero != 0 {
                return self.two(how, x, y);
            }
        }
        let result = self.two(how, y, x);
        let nan = self.compare(relation::UNORDERED, x, x);
        self.blend(result, y, nan)
    }

    /// Without denormals, in code that runs with them off.
    pub(super) fn flushed(&mut self, x: Src) -> Src {
        let one = self.float(1.0);
        self.two(MachineOp::Mul, x, one)
    }

    pub(super) fn product(&mut self, rule: Rule, a: u32, b: u32) -> Src {
        let (x, y) = (self.value(a), self.value(b));
        if rule != Rule::ZeroWins {
            return self.two(MachineOp::Mul, x, y);
        }
        match self.isa {
            Isa::Avx2 => {
                let product = self.two(MachineOp::Mul, x, y);
                let product = self.keep_not_zero(product, a);
                if a == b { product } else { self.keep_not_zero(product, b) }
            }
            Isa::Avx512 => match self.both_not_zero(a, b) {
                Mask::None => self.word(0),
                Mask::All => self.two(MachineOp::Mul, x, y),
                Mask::Some(mask) => {
                    let (x, y) = if matches!(x, Src::C(_)) { (y, x) } else { (x, y) };
                    self.three(MachineOp::MulKeep, x, y, Src::V(mask))
                }
            },
        }
    }

    /// A word, but zero where a row is.
    pub(super) fn keep_not_zero(&mut self, word: Src, row: u32) -> Src {
        let zero = self.word(0);
        if let Src::C(entry) = self.value(row) {
            // What a batch says is looked at once for the whole run.
            if self.is_uniform(entry) {
                let entry = self.uniform_entry(Uniform::NotZero(entry, self.flushes()));
                return self.two(MachineOp::And, word, Src::C(entry));
            }
        }
        let mask = self.row_not_zero(row);
        self.blend(zero, word, mask)
    }

    pub(super) fn is_uniform(&self, entry: u32) -> bool {
        self.filled.get(entry as usize) == Some(&true)
    }

    /// Lanes in which a row, an f32, is not zero.
    fn row_not_zero(&mut self, row: u32) -> Mask {
        let key = (row, self.flushes());
        if let Some(&mask) = self.not_zero.get(&key) {
            return mask;
        }
        let mask = match self.constant[row as usize] {
            Some(bits) => {
                let zero = if self.flushes() { bits & 0x7f80_0000 == 0 } else { bits & !SIGN == 0 };
                if zero { Mask::None } else { Mask::All }
            }
            None => {
                let (word, zero) = (self.value(row), self.word(0));
                self.compare(relation::NE, word, zero)
            }
        };
        self.not_zero.insert(key, mask);
        self.found.push(key);
        mask
    }

    fn both_not_zero(&mut self, a: u32, b: u32) -> Mask {
        let (a, b) = if matches!(self.value(a), Src::C(_)) { (b, a) } else { (a, b) };
        let first = self.row_not_zero(a);
        if a == b {
            return first;
        }
        let known = self.not_zero.contains_key(&(b, self.flushes()));
        if let (Isa::Avx512, Mask::Some(first), Src::C(entry), false) =
            (self.isa, first, self.value(b), known)
        {
            if self.is_uniform(entry) {
                let zero = self.word(0);
                let zero = self.one(MachineOp::Copy, zero);
                return self.mask_op(
                    MachineOp::CompareAnd,
                    [zero, Src::C(entry), Src::V(first)],
                    relation::NE,
                );
            }
        }
        let second = self.row_not_zero(b);
        self.and(first, second)
    }

    fn reduce(&mut self, calc: &Calc) -> Result<(), Refusal> {
        let lanes = usize::from(calc.reduced).min(4);
        let Some(&out) = calc.out.rows().first() else { return Ok(()) };
        let [a, b] = [calc.args[0], calc.args[1]];
        if let Some(mode) = self.mode_of(calc) {
            self.enter(mode);
        }
        let value = match (calc.op, calc.scalar) {
            (Pure::All | Pure::Any, _) => {
                let mut all = self.mask(a[0]);
                for &row in a.iter().take(lanes).skip(1) {
                    let next = self.mask(row);
                    all = if calc.op == Pure::All { self.and(all, next) } else { self.or(all, next) };
                }
                Value::Mask(all)
            }
            (Pure::Dot | Pure::Sum, Scalar::F32) if calc.arith.rule == Rule::Nv20 => {
                Value::Word(self.nv20_reduction(calc.op, &a[..lanes], &b[..lanes]))
            }
            (Pure::Dot | Pure::Sum, Scalar::F32) => {
                let term = |this: &mut Self, lane: usize| match calc.op {
                    Pure::Dot => this.product(calc.arith.rule, a[lane], b[lane]),
                    _ => this.value(a[lane]),
                };
                let mut sum = term(self, 0);
                for lane in 1..lanes {
                    let next = term(self, lane);
                    sum = self.two(MachineOp::Add, sum, next);
                }
                if lanes == 1 && calc.op == Pure::Sum && calc.arith.flush {
                    sum = self.flushed(sum);
                }
                Value::Word(sum)
            }
            (_, Scalar::F64 | Scalar::I64 | Scalar::U64) => return Err("64-bit values".into()),
            _ => {
                let rows: Vec<u32> = a.iter().take(lanes).chain(b.iter().take(lanes)).copied().collect();
                let count = if calc.op.arity() > 1 { rows.len() } else { lanes };
                let args = rows.iter().take(count).map(|&row| self.exact(row)).collect();
                let what = Computation::Reduce(calc.op, calc.scalar, calc.arith, lanes);
                Value::Word(Src::V(self.call(what, args, None, Kind::Vector)))
            }
        };
        self.values[out as usize] = value;
        Ok(())
    }
}

/// Whether a place in a signature is a bool.
fn is_bool(slot: Slot, scalar: Scalar) -> bool {
    slot == Slot::Is(Scalar::Bool) || slot == Slot::T && scalar == Scalar::Bool
}
