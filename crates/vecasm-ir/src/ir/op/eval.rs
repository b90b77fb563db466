//! What the pure operations compute: the definition every engine follows.

use super::pure::{MAX_ARITY, Pure, Work};
use super::{Arith, Rule};
use crate::ir::Scalar;
use crate::math::{self, CANONICAL_NAN, flush, nv20, wide};

/// What holds one lane of a value: 32 bits where a shader has no wider values, else 64.
pub trait Word: Copy + Eq + Default + core::fmt::Debug {
    /// From 64 bits; a narrower word keeps the low ones.
    fn from_bits(bits: u64) -> Self;
    /// Zero-extended.
    fn bits(self) -> u64;
    /// The low 32 bits.
    fn low(self) -> u32;
    /// From 32 bits, zero-extended.
    fn from_low(bits: u32) -> Self;
    /// The same words, if they have 32 bits; else none.
    fn narrow(words: &[[Self; 4]]) -> &[[u32; 4]];
}

impl Word for u32 {
    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        bits as u32
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }
    #[inline(always)]
    fn low(self) -> u32 {
        self
    }
    #[inline(always)]
    fn from_low(bits: u32) -> Self {
        bits
    }
    #[inline(always)]
    fn narrow(words: &[[Self; 4]]) -> &[[u32; 4]] {
        words
    }
}

impl Word for u64 {
    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        bits
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
    #[inline(always)]
    fn low(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn from_low(bits: u32) -> Self {
        u64::from(bits)
    }
    #[inline(always)]
    fn narrow(_: &[[Self; 4]]) -> &[[u32; 4]] {
        &[]
    }
}

/// The quiet NaN that f64 arithmetic gives.
pub const CANONICAL_NAN_64: u64 = 0x7ff8_0000_0000_0000;

/// The bits of a result.
#[inline(always)]
pub fn single(v: f32) -> u32 {
    if v.is_nan() { CANONICAL_NAN } else { v.to_bits() }
}

#[inline(always)]
fn double(v: f64) -> u64 {
    if v.is_nan() { CANONICAL_NAN_64 } else { v.to_bits() }
}

/// Where the arguments of an operation stand: in rows of elements, four of them together, one row after another.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, W> {
    /// The elements of all rows.
    pub words: &'a [[W; 4]],
    /// Elements of a row that count, 1 or more; what is computed of those that fill its last four is not said.
    pub n: usize,
    /// For each argument, the row that each of its lanes stands in. Arguments behind the arity, and lanes behind those of
    /// an argument, may be anything.
    pub at: &'a [[u32; 4]; MAX_ARITY],
}

impl<'a, W: Copy> Rows<'a, W> {
    /// The elements of a lane of an argument, where a row is one quad.
    #[inline(always)]
    fn quad(&self, arg: usize, lane: usize) -> Option<[W; 4]> {
        self.words.get(self.at[arg][lane & 3] as usize).copied()
    }

    /// The elements of a lane of an argument; `quads` is how many fours make a row.
    #[inline(always)]
    fn row(&self, quads: usize, arg: usize, lane: usize) -> Option<&'a [[W; 4]]> {
        let start = (self.at[arg][lane & 3] as usize).wrapping_mul(quads);
        self.words.get(start..start.wrapping_add(quads))
    }
}

/// Evaluates `$result` for every element of every lane of `$out`, its `$arity` arguments being `$args`. Of each four elements
/// the first `$width` are computed.
///
/// It stands inside very large functions, into which compilers are loath to inline: so it calls next to nothing.
macro_rules! each_lane {
    ($rows:expr, $arity:expr, $width:expr, $out:expr, |$args:ident| $result:expr) => {{
        let rows = $rows;
        let out: &mut [[W; 4]] = $out;
        let (width, quads): (usize, usize) = ($width, rows.n.div_ceil(4));
        macro_rules! four {
            ($a:expr, $b:expr, $c:expr, $d:expr) => {{
                let (a, b, c, d) = ($a, $b, $c, $d);
                let mut results = [W::default(); 4];
                for l in 0..width {
                    let $args = [a[l], b[l], c[l], d[l]];
                    results[l] = $result;
                }
                results
            }};
        }
        let mut lane = 0;
        if quads == 1 {
            // A quad alone.
            while let Some(out) = out.get_mut(lane) {
                let Some(a) = rows.quad(0, lane) else { break };
                let Some(b) = (if $arity > 1 { rows.quad(1, lane) } else { Some(a) }) else { break };
                let Some(c) = (if $arity > 2 { rows.quad(2, lane) } else { Some(a) }) else { break };
                let Some(d) = (if $arity > 3 { rows.quad(3, lane) } else { Some(a) }) else { break };
                *out = four!(a, b, c, d);
                lane += 1;
            }
        } else {
            let mut start = 0;
            while let Some(out) = out.get_mut(start..start + quads) {
                let Some(a) = rows.row(quads, 0, lane) else { break };
                let Some(b) = (if $arity > 1 { rows.row(quads, 1, lane) } else { Some(a) }) else { break };
                let Some(c) = (if $arity > 2 { rows.row(quads, 2, lane) } else { Some(a) }) else { break };
                let Some(d) = (if $arity > 3 { rows.row(quads, 3, lane) } else { Some(a) }) else { break };
                if out.is_empty() {
                    break;
                }
                for i in 0..quads {
                    out[i] = four!(a[i], b[i], c[i], d[i]);
                }
                lane += 1;
                start += quads;
            }
        }
    }};
}

/// The loop of one operation on f32.
struct Loop<'a, W>(Rows<'a, W>, &'a mut [[W; 4]]);

impl<W: Word> Work for Loop<'_, W> {
    #[inline(always)]
    fn run(self, op: Pure) {
        each_lane!(self.0, op.arity(), 4, self.1, |args| op.eval_f32(args));
    }
}

impl Pure {
    /// Evaluates one lane. `scalar` is [`Pure::scalar`] of the arguments: the type that decides. Values are bits; a
    /// bool is 0 or 1. `args` holds [`arity`](Self::arity) values. NaN results are canonical (`7fc00000`,
    /// `7ff8000000000000`), except that moves of bits (`neg`, `abs`, `select`, `as_…`) keep them; nv20 has its own.
    ///
    /// A reduction is evaluated as if its arguments had one lane; see [`eval_reduce`](Self::eval_reduce).
    #[inline(always)]
    pub fn eval<W: Word>(self, scalar: Scalar, arith: Arith, args: [W; MAX_ARITY]) -> W {
        match scalar {
            Scalar::F32 => match arith.rule {
                Rule::Nv20 => self.eval_nv20(args),
                Rule::ZeroWins if !arith.flush => self.eval_zero_wins(args),
                Rule::Ieee if !arith.flush => self.eval_f32(args),
                _ => self.eval_flushed(arith.rule, args),
            },
            Scalar::F64 => self.eval_f64(args),
            Scalar::Bool => self.eval_bool(args),
            Scalar::I32 => self.eval_i32(args),
            Scalar::U32 => self.eval_u32(args),
            Scalar::I64 => self.eval_i64(args),
            Scalar::U64 => self.eval_u64(args),
        }
    }

    /// [`eval`](Self::eval) for rows of elements: element `i` of lane `l` of `out`, whose lanes stand one after another,
    /// is of element `i` of lane `l` of the arguments. Type and arithmetic are looked up once, and for f32 the
    /// operation too. From the first lane on that has no row, `out` stays as it was.
    pub fn eval_all<W: Word>(self, scalar: Scalar, arith: Arith, rows: Rows<'_, W>, out: &mut [[W; 4]]) {
        // What is not computed on vectors costs as much as it has elements.
        let width = rows.n.min(4);
        // Named operations have a loop each.
        macro_rules! each {
            ($how:ident $($V:ident)*) => {
                match self {
                    $(Self::$V => each_lane!(rows, Self::$V.arity(), 4, out, |args| Self::$V.$how(args)),)*
                    _ => each_lane!(rows, self.arity(), width, out, |args| self.$how(args)),
                }
            };
        }
        match scalar {
            Scalar::F32 => match arith.rule {
                // A loop for each operation, so that it is vectorized. Only where the time of shaders goes: it multiplies
                // the code.
                Rule::Ieee if !arith.flush => self.with(Loop(rows, out)),
                Rule::ZeroWins if !arith.flush && !matches!(self, Self::Mul | Self::Dot | Self::Fma) => {
                    self.with(Loop(rows, out));
                }
                Rule::ZeroWins if !arith.flush => each!(eval_zero_wins Mul),
                Rule::Nv20 => self.eval_all_nv20(rows, out),
                rule => each_lane!(rows, self.arity(), width, out, |args| self.eval_flushed(rule, args)),
            },
            Scalar::F64 => each!(eval_f64),
            Scalar::Bool => each!(eval_bool And Or Not Select ToF32),
            Scalar::I32 => each!(eval_i32 Add And Select),
            Scalar::U32 => each!(eval_u32 Add And Select),
            Scalar::I64 => each!(eval_i64),
            Scalar::U64 => each!(eval_u64),
        }
    }

    /// [`eval_all`](Self::eval_all) by the rule of nv20: a loop for each of the usual operations.
    fn eval_all_nv20<W: Word>(self, rows: Rows<'_, W>, out: &mut [[W; 4]]) {
        let width = rows.n.min(4);
        macro_rules! each {
            ($arity:literal, |$x:ident, $y:ident| $result:expr) => {
                if width == 4 {
                    each!($arity, 4, |$x, $y| $result)
                } else {
                    each!($arity, width, |$x, $y| $result)
                }
            };
            ($arity:literal, $width:tt, |$x:ident, $y:ident| $result:expr) => {
                each_lane!(rows, $arity, $width, &mut *out, |args| {
                    let ($x, $y) = (args[0].low(), args[1].low());
                    W::from_low($result)
                })
            };
        }
        match self {
            Self::Mul | Self::Dot => each!(2, |x, y| nv20::mul(x, y)),
            Self::Add => {
                let mut special = false;
                each!(2, |x, y| {
                    special |= nv20::is_special(x) | nv20::is_special(y);
                    nv20::sum_of_finite([x, y])
                });
                if special {
                    each!(2, |x, y| if nv20::is_special(x) | nv20::is_special(y) {
                        nv20::sum(&[x, y])
                    } else {
                        nv20::sum_of_finite([x, y])
                    });
                }
            }
            Self::Min => each!(2, |x, y| nv20::min(x, y)),
            Self::Max => each!(2, |x, y| nv20::max(x, y)),
            Self::Lt => each!(2, |x, y| u32::from(nv20::lt(x, y))),
            Self::Ge => each!(2, |x, y| u32::from(nv20::ge(x, y))),
            Self::Rcp => each!(1, |x, _y| nv20::rcp(x)),
            Self::Rcc => each!(1, |x, _y| nv20::rcc(x)),
            Self::Rsq => each!(1, |x, _y| nv20::rsq(x)),
            _ => each_lane!(rows, self.arity(), width, out, |args| self.eval_nv20(args)),
        }
    }

    /// [`eval_reduce`](Self::eval_reduce) for rows of elements: element `i` of `out` is of element `i` of `lanes` lanes
    /// of the first two arguments. Where one of the rows does not exist, `out` stays as it was.
    pub fn eval_reduce_all<W: Word>(
        self,
        scalar: Scalar,
        arith: Arith,
        rows: Rows<'_, W>,
        lanes: usize,
        out: &mut [[W; 4]],
    ) {
        let (width, quads, lanes) = (rows.n.min(4), rows.n.div_ceil(4), lanes.clamp(1, 4));
        let last = if self.arity() > 1 { 1 } else { 0 };
        // Those of the first lane stand for rows behind the lanes, which are not looked at.
        macro_rules! row {
            ($arg:expr, $lane:literal) => {
                match rows.row(quads, $arg, if $lane < lanes { $lane } else { 0 }) {
                    Some(row) => row,
                    None => return,
                }
            };
        }
        let a = [row!(0, 0), row!(0, 1), row!(0, 2), row!(0, 3)];
        let b = [row!(last, 0), row!(last, 1), row!(last, 2), row!(last, 3)];
        let Some(out) = out.get_mut(..quads) else { return };
        macro_rules! dot {
            ($($lane:literal)+) => {{
                let mut special = false;
                for i in 0..quads {
                    macro_rules! element {
                        ($l:expr) => {{
                            let terms = [$(nv20::mul(a[$lane][i][$l].low(), b[$lane][i][$l].low())),+];
                            for term in terms {
                                special |= nv20::is_special(term);
                            }
                            out[i][$l] = W::from_low(nv20::sum_of_finite(terms));
                        }};
                    }
                    if width == 4 {
                        for l in 0..4 {
                            element!(l);
                        }
                    } else {
                        for l in 0..width {
                            element!(l);
                        }
                    }
                }
                for (i, l) in (0..if special { quads } else { 0 }).flat_map(|i| (0..width).map(move |l| (i, l))) {
                    let terms = [$((a[$lane][i][l].low(), b[$lane][i][l].low())),+];
                    if terms.iter().any(|&(x, y)| nv20::is_special(x) | nv20::is_special(y)) {
                        out[i][l] = W::from_low(nv20::sum(&terms.map(|(x, y)| nv20::mul(x, y))));
                    }
                }
            }};
        }
        // Each product rounded, then added one after another.
        macro_rules! products {
            ($mul:ident: $first:literal $($lane:literal)*) => {{
                let none = W::default();
                for i in 0..quads {
                    let (a, b) = ([a[0][i], a[1][i], a[2][i], a[3][i]], [b[0][i], b[1][i], b[2][i], b[3][i]]);
                    let mut sums = [none; 4];
                    for l in 0..4 {
                        let sum = Self::Mul.$mul([a[$first][l], b[$first][l], none, none]);
                        $(
                            let product = Self::Mul.$mul([a[$lane][l], b[$lane][l], none, none]);
                            let sum = Self::Add.eval_f32([sum, product, none, none]);
                        )*
                        sums[l] = sum;
                    }
                    out[i] = sums;
                }
            }};
        }
        if self == Self::Dot && scalar == Scalar::F32 {
            match (arith.rule, lanes) {
                (Rule::Nv20, 3) => return dot!(0 1 2),
                (Rule::Nv20, 4) => return dot!(0 1 2 3),
                (Rule::Ieee, 2) if !arith.flush => return products!(eval_f32: 0 1),
                (Rule::Ieee, 3) if !arith.flush => return products!(eval_f32: 0 1 2),
                (Rule::Ieee, 4) if !arith.flush => return products!(eval_f32: 0 1 2 3),
                (Rule::ZeroWins, 2) if !arith.flush => return products!(eval_zero_wins: 0 1),
                (Rule::ZeroWins, 3) if !arith.flush => return products!(eval_zero_wins: 0 1 2),
                (Rule::ZeroWins, 4) if !arith.flush => return products!(eval_zero_wins: 0 1 2 3),
                _ => {}
            }
        }
        for (i, out) in out.iter_mut().enumerate() {
            for (l, out) in out.iter_mut().enumerate().take(width) {
                *out = self.eval_reduce(scalar, arith, a.map(|row| row[i][l]), b.map(|row| row[i][l]), lanes);
            }
        }
    }

    /// Evaluates a [reduction](Self::reduces) over `lanes` lanes, 1–4.
    pub fn eval_reduce<W: Word>(self, scalar: Scalar, arith: Arith, a: [W; 4], b: [W; 4], lanes: usize) -> W {
        let lanes = lanes.clamp(1, 4);
        let none = W::default();
        let bin = |op: Self, x: W, y: W| op.eval(scalar, arith, [x, y, none, none]);
        let mut terms = [none; 4];
        for lane in 0..lanes {
            terms[lane] = if self == Self::Dot { bin(Self::Mul, a[lane], b[lane]) } else { a[lane] };
        }
        let terms = &terms[..lanes];
        match self {
            Self::All => W::from_low(u32::from(terms.iter().all(|t| t.low() != 0))),
            Self::Any => W::from_low(u32::from(terms.iter().any(|t| t.low() != 0))),
            _ if scalar == Scalar::F32 && arith.rule == Rule::Nv20 => {
                let mut bits = [0; 4];
                bits.iter_mut().zip(terms).for_each(|(bits, t)| *bits = t.low());
                W::from_low(nv20::sum(&bits[..lanes]))
            }
            // The sum of one lane is rounded to itself, but a NaN is made canonical, and a denormal may be flushed.
            _ if lanes == 1 => bin(self, a[0], b[0]),
            _ => {
                let mut sum = terms[0];
                for &term in &terms[1..] {
                    sum = bin(Self::Add, sum, term);
                }
                sum
            }
        }
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn eval_f32<W: Word>(self, args: [W; MAX_ARITY]) -> W {
        let f = |i: usize| f32::from_bits(args[i].low());
        let (x, y) = (f(0), f(1));
        let bits = args[0].low();
        let bool = |b: bool| W::from_low(u32::from(b));
        W::from_low(match self {
            Self::Neg => bits ^ 0x8000_0000,
            Self::Abs => bits & 0x7fff_ffff,
            Self::Saturate => {
                if x > 0.0 {
                    single(if x < 1.0 { x } else { 1.0 })
                } else {
                    0
                }
            }
            Self::Rcp => single(1.0 / x),
            Self::Rcc => {
                const LEAST: f32 = f32::from_bits(0x1f80_0000);
                const MOST: f32 = f32::from_bits(0x5f80_0000);
                let magnitude = (1.0 / x).abs();
                if magnitude.is_nan() {
                    CANONICAL_NAN
                } else {
                    magnitude.clamp(LEAST, MOST).to_bits() | bits & 0x8000_0000
                }
            }
            Self::Rsq => single(math::rsqrt(x)),
            Self::Sqrt => single(math::sqrt(x)),
            Self::Exp2 => single(math::exp2(x)),
            Self::Log2 => single(math::log2(x)),
            Self::Exp2Floor => single(math::exp2_floor(x)),
            Self::Exponent => single(math::exponent(x)),
            Self::Mantissa => single(math::mantissa(x)),
            Self::Sin => single(math::sin(x)),
            Self::Cos => single(math::cos(x)),
            Self::Fract => single(x - math::floor(x)),
            Self::Floor => single(math::floor(x)),
            Self::Ceil => single(math::ceil(x)),
            Self::Trunc => single(math::trunc(x)),
            Self::RoundEven => single(math::round_even(x)),
            Self::Sign => {
                if x > 0.0 {
                    1.0f32.to_bits()
                } else if x < 0.0 {
                    (-1.0f32).to_bits()
                } else {
                    0
                }
            }
            Self::Add | Self::Sum => single(if matches!(self, Self::Sum) { x } else { x + y }),
            Self::Sub => single(x - y),
            Self::Mul | Self::Dot => single(x * y),
            Self::Div => single(x / y),
            Self::Fma => single(math::fma(x, y, f(2))),
            Self::Min => single(if x.is_nan() || y < x { y } else { x }),
            Self::Max => single(if x.is_nan() || y > x { y } else { x }),
            Self::Pow => single(math::pow(x, y)),
            Self::Lit => {
                if x > 0.0 {
                    let w = f(2);
                    let base = if y > 0.0 { y } else { 0.0 };
                    let exponent = if w.is_nan() || w < -128.0 { -128.0 } else { w.min(128.0) };
                    single(math::pow(base, exponent))
                } else {
                    0
                }
            }
            Self::Ldexp => single(math::ldexp(x, args[1].low() as i32)),
            Self::FrexpFraction => single(math::frexp_mantissa(x)),
            Self::FrexpExponent => math::frexp_exponent(x) as u32,
            Self::Lt => return bool(x < y),
            Self::Ge => return bool(x >= y),
            Self::Eq => return bool(x == y),
            Self::Ne => return bool(x != y),
            Self::ToF32 => single(x),
            Self::ToF64 => return W::from_bits(double(f64::from(x))),
            Self::ToI32 => (x as i32) as u32,
            Self::ToU32 => x as u32,
            Self::ToI64 => return W::from_bits((x as i64) as u64),
            Self::ToU64 => return W::from_bits(x as u64),
            Self::ToHalf => u32::from(math::f32_to_half(x)),
            _ => return self.eval_move(args),
        })
    }

    /// What only moves bits, whatever the type.
    #[inline(always)]
    fn eval_move<W: Word>(self, args: [W; MAX_ARITY]) -> W {
        match self {
            Self::Select => {
                if args[0].low() != 0 {
                    args[1]
                } else {
                    args[2]
                }
            }
            Self::AsF32
            | Self::AsI32
            | Self::AsU32
            | Self::AsF64
            | Self::AsI64
            | Self::AsU64
            | Self::Sum
            | Self::All
            | Self::Any => args[0],
            Self::Low64 => W::from_low(args[0].low()),
            Self::High64 => W::from_low((args[0].bits() >> 32) as u32),
            _ => W::default(),
        }
    }

    /// Products in which a zero factor wins over infinities and NaN; all else as IEEE.
    #[doc(hidden)]
    #[inline(always)]
    pub fn eval_zero_wins<W: Word>(self, args: [W; MAX_ARITY]) -> W {
        let f = |i: usize| f32::from_bits(args[i].low());
        match self {
            Self::Mul | Self::Dot if f(0) == 0.0 || f(1) == 0.0 => W::default(),
            Self::Fma if f(0) == 0.0 || f(1) == 0.0 => W::from_low(single(0.0 + f(2))),
            _ => self.eval_f32(args),
        }
    }

    /// As `rule` says, with denormals flushed: those of the arguments first, then the result.
    fn eval_flushed<W: Word>(self, rule: Rule, args: [W; MAX_ARITY]) -> W {
        let f = |i: usize| f32::from_bits(args[i].low());
        let zero_wins = || rule == Rule::ZeroWins && (flush::flush(f(0)) == 0.0 || flush::flush(f(1)) == 0.0);
        W::from_low(match self {
            Self::Mul | Self::Dot if zero_wins() => single(0.0),
            Self::Fma if zero_wins() => single(0.0 + flush::flush(f(2))),
            // These flush their arguments themselves.
            Self::Add => single(flush::add(f(0), f(1))),
            Self::Sub => single(flush::sub(f(0), f(1))),
            Self::Mul | Self::Dot => single(flush::mul(f(0), f(1))),
            Self::Div => single(flush::div(f(0), f(1))),
            Self::Fma => single(flush::fma(f(0), f(1), f(2))),
            Self::Rcp => single(flush::rcp(f(0))),
            _ if self.moves() => {
                return if rule == Rule::ZeroWins { self.eval_zero_wins(args) } else { self.eval_f32(args) };
            }
            _ => {
                let mut given = args;
                for (arg, slot) in given.iter_mut().zip(self.slots()) {
                    if *slot == super::Slot::T {
                        *arg = W::from_low(flush::flush(f32::from_bits(arg.low())).to_bits());
                    }
                }
                let result = self.eval_f32(given);
                if self.result() != super::Slot::T {
                    return result;
                }
                single(flush::flush(f32::from_bits(result.low())))
            }
        })
    }

    /// Whether the operation only moves bits of floats and does no arithmetic with them, so that no rule changes it.
    pub const fn moves(self) -> bool {
        use Pure::{Abs, AsF32, AsF64, AsI32, AsI64, AsU32, AsU64, High64, Low64, Neg, Select};
        matches!(self, Neg | Abs | Select | AsF32 | AsI32 | AsU32 | AsF64 | AsI64 | AsU64 | Low64 | High64)
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn eval_nv20<W: Word>(self, args: [W; MAX_ARITY]) -> W {
        let (a, b) = (args[0].low(), args[1].low());
        W::from_low(match self {
            Self::Neg => a ^ 0x8000_0000,
            Self::Abs => a & 0x7fff_ffff,
            Self::Saturate => nv20::saturate(a),
            Self::Rcp => nv20::rcp(a),
            Self::Rcc => nv20::rcc(a),
            Self::Rsq => nv20::rsq(a),
            Self::Exp2 => nv20::exp2(a),
            Self::Exp2Floor => nv20::exp2_floor(a),
            Self::Fract => nv20::fract(a),
            Self::Log2 => nv20::log2(a),
            Self::Exponent => nv20::exponent(a),
            Self::Mantissa => nv20::mantissa(a),
            Self::Add => nv20::sum(&[a, b]),
            Self::Sub => nv20::sum(&[a, b ^ 0x8000_0000]),
            Self::Mul | Self::Dot => nv20::mul(a, b),
            Self::Min => nv20::min(a, b),
            Self::Max => nv20::max(a, b),
            Self::Lit => nv20::lit(a, b, args[2].low()),
            Self::Lt => u32::from(nv20::lt(a, b)),
            Self::Ge => u32::from(nv20::ge(a, b)),
            Self::Eq => u32::from(a == b),
            Self::Ne => u32::from(a != b),
            _ => return self.eval_move(args),
        })
    }

    #[inline(always)]
    fn eval_f64<W: Word>(self, args: [W; MAX_ARITY]) -> W {
        const SIGN: u64 = 1 << 63;
        let f = |i: usize| f64::from_bits(args[i].bits());
        let (x, y) = (f(0), f(1));
        let bits = args[0].bits();
        let low = W::from_low;
        W::from_bits(match self {
            Self::Neg => bits ^ SIGN,
            Self::Abs => bits & !SIGN,
            Self::Saturate => {
                if x > 0.0 {
                    double(if x < 1.0 { x } else { 1.0 })
                } else {
                    0
                }
            }
            Self::Rcp => double(1.0 / x),
            Self::Rsq => double(wide::rsqrt(x)),
            Self::Sqrt => double(wide::sqrt(x)),
            Self::Fract => double(x - wide::floor(x)),
            Self::Floor => double(wide::floor(x)),
            Self::Ceil => double(wide::ceil(x)),
            Self::Trunc => double(wide::trunc(x)),
            Self::RoundEven => double(wide::round_even(x)),
            Self::Sign => {
                if x > 0.0 {
                    1.0f64.to_bits()
                } else if x < 0.0 {
                    (-1.0f64).to_bits()
                } else {
                    0
                }
            }
            Self::Add => double(x + y),
            Self::Sum => double(x),
            Self::Sub => double(x - y),
            Self::Mul | Self::Dot => double(x * y),
            Self::Div => double(x / y),
            Self::Fma => double(wide::fma(x, y, f(2))),
            Self::Min => double(if x.is_nan() || y < x { y } else { x }),
            Self::Max => double(if x.is_nan() || y > x { y } else { x }),
            Self::Ldexp => double(wide::ldexp(x, args[1].low() as i32)),
            Self::FrexpFraction => double(wide::frexp_mantissa(x)),
            Self::FrexpExponent => return low(wide::frexp_exponent(x) as u32),
            Self::Lt => return low(u32::from(x < y)),
            Self::Ge => return low(u32::from(x >= y)),
            Self::Eq => return low(u32::from(x == y)),
            Self::Ne => return low(u32::from(x != y)),
            Self::ToF32 => return low(single(x as f32)),
            Self::ToF64 => double(x),
            Self::ToI32 => return low((x as i32) as u32),
            Self::ToU32 => return low(x as u32),
            Self::ToI64 => (x as i64) as u64,
            Self::ToU64 => x as u64,
            _ => return self.eval_move(args),
        })
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn eval_bool<W: Word>(self, args: [W; MAX_ARITY]) -> W {
        let (a, b) = (args[0].low(), args[1].low());
        W::from_low(match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor | Self::Ne => a ^ b,
            Self::Eq => a ^ b ^ 1,
            Self::Not => a ^ 1,
            Self::ToF32 => {
                if a != 0 {
                    1.0f32.to_bits()
                } else {
                    0
                }
            }
            Self::ToF64 => return W::from_bits(if a != 0 { 1.0f64.to_bits() } else { 0 }),
            Self::ToI32 | Self::ToU32 | Self::ToI64 | Self::ToU64 => a,
            _ => return self.eval_move(args),
        })
    }
}

/// The integer operations of one width and signedness.
macro_rules! integers {
    ($name:ident, $Int:ty, $Unsigned:ty, $take:expr, $give:expr, $count_mask:literal, $div_zero:expr) => {
        impl Pure {
            #[doc(hidden)]
            #[inline(always)]
            pub fn $name<W: Word>(self, args: [W; MAX_ARITY]) -> W {
                let take: fn(W) -> $Int = $take;
                let give: fn($Int) -> W = $give;
                let (x, y) = (take(args[0]), take(args[1]));
                let count = args[1].low() & $count_mask;
                let bool = |b: bool| W::from_low(u32::from(b));
                match self {
                    Self::Neg => give((0 as $Int).wrapping_sub(x)),
                    #[allow(unused_comparisons, reason = "unsigned numbers are their own magnitude")]
                    Self::Abs => give(if x < 0 { (0 as $Int).wrapping_sub(x) } else { x }),
                    #[allow(unused_comparisons, reason = "no unsigned number is negative")]
                    Self::Sign => give(if x > 0 {
                        1
                    } else if x < 0 {
                        (0 as $Int).wrapping_sub(1)
                    } else {
                        0
                    }),
                    Self::Add => give(x.wrapping_add(y)),
                    Self::Sub => give(x.wrapping_sub(y)),
                    Self::Mul => give(x.wrapping_mul(y)),
                    Self::Div => give(if y == 0 { $div_zero } else { x.wrapping_div(y) }),
                    Self::Rem => give(if y == 0 { !0 } else { x.wrapping_rem(y) }),
                    Self::Min => give(x.min(y)),
                    Self::Max => give(x.max(y)),
                    Self::And => give(x & y),
                    Self::Or => give(x | y),
                    Self::Xor => give(x ^ y),
                    Self::Not => give(!x),
                    Self::Shl => give(x.wrapping_shl(count)),
                    Self::Shr => give(x.wrapping_shr(count)),
                    Self::Lt => bool(x < y),
                    Self::Ge => bool(x >= y),
                    Self::Eq => bool(x == y),
                    Self::Ne => bool(x != y),
                    Self::ToF32 => W::from_low((x as f32).to_bits()),
                    Self::ToF64 => W::from_bits((x as f64).to_bits()),
                    Self::ToI32 | Self::ToU32 => W::from_low(x as u32),
                    Self::ToI64 | Self::ToU64 => W::from_bits(x as i64 as u64),
                    Self::Pack64 => W::from_bits(u64::from(args[0].low()) | u64::from(args[1].low()) << 32),
                    Self::FromHalf => W::from_low(single(math::half_to_f32(args[0].low() as u16))),
                    _ => self.eval_bits(args, <$Int>::MIN != 0),
                }
            }
        }
    };
}

integers!(eval_i32, i32, u32, |w| w.low() as i32, |v| W::from_low(v as u32), 31, 0);
integers!(eval_u32, u32, u32, |w| w.low(), |v| W::from_low(v), 31, !0);
integers!(eval_i64, i64, u64, |w| w.bits() as i64, |v| W::from_bits(v as u64), 63, 0);
integers!(eval_u64, u64, u64, |w| w.bits(), |v| W::from_bits(v), 63, !0);

impl Pure {
    /// Operations on the bits of 32-bit integers.
    #[inline(always)]
    fn eval_bits<W: Word>(self, args: [W; MAX_ARITY], signed: bool) -> W {
        let [x, y, z, w] = args.map(Word::low);
        W::from_low(match self {
            Self::MulHigh if signed => ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32,
            Self::MulHigh => ((u64::from(x) * u64::from(y)) >> 32) as u32,
            Self::BitExtract => {
                let (offset, bits) = (y & 31, z & 31);
                let shift = |v: u32, by: u32| if signed { ((v as i32) >> by) as u32 } else { v >> by };
                if z == 32 && offset == 0 {
                    x
                } else if bits == 0 {
                    0
                } else if bits + offset < 32 {
                    shift(x << (32 - bits - offset), 32 - bits)
                } else {
                    shift(x, offset)
                }
            }
            Self::BitInsert => {
                let offset = z & 31;
                if w >= 32 {
                    y
                } else {
                    let mask = ((1u32 << w) - 1) << offset;
                    x & !mask | y << offset & mask
                }
            }
            Self::BitReverse => x.reverse_bits(),
            Self::BitCount => x.count_ones(),
            Self::FirstLow => {
                if x == 0 {
                    !0
                } else {
                    x.trailing_zeros()
                }
            }
            Self::FirstHigh => {
                let x = if signed && (x as i32) < 0 { !x } else { x };
                31u32.wrapping_sub(x.leading_zeros())
            }
            _ => return self.eval_move(args),
        })
    }
}
