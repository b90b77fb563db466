//! The loops: each goes over the 64 invocations of a chunk, so that its length is known, and has no branches but those that a
//! compiler turns into selections.
//!
//! What the interpreter hands to functions for rare inputs would keep a loop from becoming vector instructions. Here it is computed
//! as if every input were usual, and rare ones are done again, by themselves, if there are any.

use crate::exec::code::{Calc, Node};
use crate::ir::op::{self, Word, single};
use crate::ir::{Arith, Pure, Rule, Scalar};
use crate::math::{self, nv20};

/// Fours of invocations in a chunk.
pub(super) const FOURS: usize = 16;
/// Invocations of a chunk.
const COUNT: usize = FOURS * 4;

/// A lane of a value in 64 invocations.
pub(super) type Chunk<W> = [[W; 4]; FOURS];

/// The rows of a pack, one after another, each of so many chunks.
pub(super) struct Grid<'a, W> {
    pub(super) chunks: &'a mut [Chunk<W>],
    pub(super) of_row: usize,
}

impl<W: Word> Grid<'_, W> {
    /// A chunk of a row, to be written, and those in front and behind, to be read.
    #[inline(always)]
    fn take(&mut self, row: u32, chunk: usize) -> Option<(&mut Chunk<W>, Others<'_, W>)> {
        let at = row as usize * self.of_row + chunk;
        let (before, rest) = self.chunks.split_at_mut_checked(at)?;
        let (out, after) = rest.split_first_mut()?;
        Some((out, Others { before, after, of_row: self.of_row, chunk }))
    }
}

/// All chunks but one.
struct Others<'a, W> {
    before: &'a [Chunk<W>],
    after: &'a [Chunk<W>],
    of_row: usize,
    chunk: usize,
}

impl<'a, W> Others<'a, W> {
    /// The same chunk of another row.
    #[inline(always)]
    fn get(&self, row: u32) -> Option<&'a Chunk<W>> {
        let at = row as usize * self.of_row + self.chunk;
        match at.checked_sub(self.before.len()) {
            None => self.before.get(at),
            Some(at) => self.after.get(at.wrapping_sub(1)),
        }
    }
}

/// All rows of a pack, by the size of their words.
enum Rows<'a> {
    Narrow(Grid<'a, u32>),
    Wide(Grid<'a, u64>),
}

/// What a lane is held in.
pub(super) trait Lane: Word {
    fn rows(rows: Grid<'_, Self>) -> AnyRows<'_>;
}

/// Rows of either size.
pub(super) struct AnyRows<'a>(Rows<'a>);

impl Lane for u32 {
    fn rows(rows: Grid<'_, Self>) -> AnyRows<'_> {
        AnyRows(Rows::Narrow(rows))
    }
}

impl Lane for u64 {
    fn rows(rows: Grid<'_, Self>) -> AnyRows<'_> {
        AnyRows(Rows::Wide(rows))
    }
}

/// Something to be done with the rows of a pack.
pub struct Work<'a> {
    what: What<'a>,
    rows: Rows<'a>,
}

enum What<'a> {
    /// Pure operations, one after another.
    Calc(&'a [Node]),
    /// Rows that get the lanes of elements.
    Load(&'a [u32], &'a [[u32; 4]]),
}

impl<'a> Work<'a> {
    pub(super) fn calc(nodes: &'a [Node], rows: AnyRows<'a>) -> Self {
        Self { what: What::Calc(nodes), rows: rows.0 }
    }

    pub(super) fn load(to: &'a [u32], elements: &'a [[u32; 4]], rows: AnyRows<'a>) -> Self {
        Self { what: What::Load(to, elements), rows: rows.0 }
    }

    /// Does it. All of it is inlined into the caller.
    #[inline(always)]
    pub fn run(self) {
        match (self.what, self.rows) {
            (What::Calc(nodes), Rows::Narrow(mut rows)) => {
                for node in nodes {
                    if let Node::Pure(calc) = node {
                        narrow(&mut rows, calc);
                    }
                }
            }
            (What::Calc(nodes), Rows::Wide(mut rows)) => {
                for node in nodes {
                    if let Node::Pure(calc) = node {
                        wide(&mut rows, calc);
                    }
                }
            }
            (What::Load(to, elements), Rows::Narrow(mut rows)) => load(&mut rows, to, elements),
            (What::Load(to, elements), Rows::Wide(mut rows)) => load(&mut rows, to, elements),
        }
    }
}

/// Writes the lanes of elements to rows.
#[inline(always)]
fn load<W: Word>(rows: &mut Grid<'_, W>, to: &[u32], elements: &[[u32; 4]]) {
    for (lane, &to) in to.iter().enumerate() {
        for (chunk, elements) in elements.chunks(COUNT).enumerate() {
            let Some((out, _)) = rows.take(to, chunk) else { break };
            let out = out.as_flattened_mut();
            if let (COUNT, COUNT) = (elements.len(), out.len()) {
                for i in 0..COUNT {
                    out[i] = W::from_low(elements[i][lane & 3]);
                }
            } else {
                out.iter_mut().zip(elements).for_each(|(out, of)| *out = W::from_low(of[lane & 3]));
            }
        }
    }
}

/// What is done with a chunk.
trait Kernel<W> {
    /// How many arguments there are; those behind them are the first one.
    fn arity(&self) -> usize;

    /// Implementations are `#[inline(always)]`.
    fn chunk(&self, out: &mut Chunk<W>, args: [&Chunk<W>; 4]);
}

/// Calls a kernel for every lane of an operation.
#[inline(always)]
fn by_lane<W: Word>(rows: &mut Grid<'_, W>, calc: &Calc, kernel: impl Kernel<W>) {
    let [a, b, c, d] = calc.args;
    let arity = kernel.arity();
    for (lane, &to) in calc.out.rows().iter().enumerate() {
        for chunk in 0..rows.of_row {
            let Some((out, others)) = rows.take(to, chunk) else { return };
            let Some(x) = others.get(a[lane & 3]) else { return };
            let Some(y) = (if arity > 1 { others.get(b[lane & 3]) } else { Some(x) }) else { return };
            let Some(z) = (if arity > 2 { others.get(c[lane & 3]) } else { Some(x) }) else { return };
            let Some(w) = (if arity > 3 { others.get(d[lane & 3]) } else { Some(x) }) else { return };
            kernel.chunk(out, [x, y, z, w]);
        }
    }
}

/// Writes `$result` to every invocation of `$out`, `$args` being the words of the arguments.
macro_rules! each {
    ($out:expr, $args:expr, |$words:ident| $result:expr) => {{
        let out = $out.as_flattened_mut();
        let [a, b, c, d] = $args.map(|chunk| chunk.as_flattened());
        if let (true, true, true, true, true) =
            (out.len() == COUNT, a.len() == COUNT, b.len() == COUNT, c.len() == COUNT, d.len() == COUNT)
        {
            for i in 0..COUNT {
                let $words = [a[i], b[i], c[i], d[i]];
                out[i] = $result;
            }
        }
    }};
}

/// Any operation, by its definition.
struct Any {
    op: Pure,
    scalar: Scalar,
    arith: Arith,
}

impl<W: Word> Kernel<W> for Any {
    #[inline(always)]
    fn arity(&self) -> usize {
        self.op.arity()
    }

    #[inline(always)]
    fn chunk(&self, out: &mut Chunk<W>, args: [&Chunk<W>; 4]) {
        each!(out, args, |words| self.op.eval(self.scalar, self.arith, words));
    }
}

/// An operation on f32, known when this is compiled.
struct Single<'a, 'b, W> {
    rows: &'a mut Grid<'b, W>,
    calc: &'a Calc,
    rule: Rule,
}

impl<W: Word> op::Work for Single<'_, '_, W> {
    #[inline(always)]
    fn run(self, op: Pure) {
        let arith = Arith { rule: self.rule, ..Arith::IEEE };
        by_lane(self.rows, self.calc, Any { op, scalar: Scalar::F32, arith });
    }
}

/// Computes usual inputs in one loop, and, if there are any, the others by the definition in another one.
macro_rules! usual {
    ($Name:ident, |$x:ident, $y:ident, $z:ident| $usual:expr, $result:expr, $op:expr) => {
        struct $Name;

        impl Kernel<u32> for $Name {
            #[inline(always)]
            fn arity(&self) -> usize {
                $op.arity()
            }

            #[inline(always)]
            fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
                let mut rare = 0_u32;
                each!(out, args, |words| {
                    let [$x, $y, $z, _] = words.map(f32::from_bits);
                    rare |= u32::from(!$usual);
                    single($result)
                });
                if rare != 0 {
                    each!(out, args, |words| $op.eval(Scalar::F32, Arith::IEEE, words));
                }
            }
        }
    };
}

usual!(Log2, |x, _y, _z| math::is_positive_finite(x), math::usual::log2(x), Pure::Log2);
usual!(
    Pow,
    |x, y, _z| math::is_positive_finite(x) & math::usual::is_finite(y),
    math::usual::pow(x, y),
    Pure::Pow
);
usual!(Sin, |x, _y, _z| math::usual::is_angle(x), math::usual::sin(x), Pure::Sin);
usual!(Cos, |x, _y, _z| math::usual::is_angle(x), math::usual::cos(x), Pure::Cos);

/// [`Pure::Lit`]: half of all vertices look away from the light, so a base of zero is usual.
struct Lit;

impl Kernel<u32> for Lit {
    #[inline(always)]
    fn arity(&self) -> usize {
        Pure::Lit.arity()
    }

    #[inline(always)]
    fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
        let mut rare = 0_u32;
        each!(out, args, |words| {
            let [x, y, w, _] = words.map(f32::from_bits);
            let exponent = if w < -128.0 { -128.0 } else { w };
            let exponent = if exponent > 128.0 { 128.0 } else { exponent };
            let exponent = if w.is_nan() { -128.0 } else { exponent };
            rare |= u32::from(y == f32::INFINITY);
            // What a base of zero gives.
            let nothing = if exponent < 0.0 { f32::INFINITY } else { 0.0 };
            let nothing = if exponent == 0.0 { 1.0 } else { nothing };
            let power = math::usual::pow(y, exponent);
            let power = if y > 0.0 { power } else { nothing };
            if x > 0.0 { single(power) } else { 0 }
        });
        if rare != 0 {
            each!(out, args, |words| Pure::Lit.eval(Scalar::F32, Arith::IEEE, words));
        }
    }
}

/// The usual arithmetic of f32; which NaN comes out is only made sure of where it is `SHOWN`.
macro_rules! plain {
    ($Name:ident, $arity:literal, |$x:ident, $y:ident, $z:ident| $result:expr) => {
        struct $Name<const SHOWN: bool>;

        impl<const SHOWN: bool> Kernel<u32> for $Name<SHOWN> {
            #[inline(always)]
            fn arity(&self) -> usize {
                $arity
            }

            #[inline(always)]
            fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
                each!(out, args, |words| {
                    let [$x, $y, $z, _] = words.map(f32::from_bits);
                    finish::<SHOWN>($result)
                });
            }
        }
    };
}

plain!(Add, 2, |x, y, _z| x + y);
plain!(Sub, 2, |x, y, _z| x - y);
plain!(Mul, 2, |x, y, _z| x * y);
plain!(MulZero, 2, |x, y, _z| zero_wins(x, y));
plain!(Mad, 3, |x, y, z| x * y + z);
plain!(MadZero, 3, |x, y, z| zero_wins(x, y) + z);

/// The bits of a result.
#[inline(always)]
fn finish<const SHOWN: bool>(result: f32) -> u32 {
    if SHOWN { single(result) } else { result.to_bits() }
}

/// The product in which a zero wins.
#[inline(always)]
fn zero_wins(x: f32, y: f32) -> f32 {
    if (x == 0.0) | (y == 0.0) { 0.0 } else { x * y }
}

/// What is done with chunks of several lanes.
trait Reduction<const LANES: usize> {
    /// Implementations are `#[inline(always)]`.
    fn chunk(out: &mut [u32], a: [&[u32]; LANES], b: [&[u32]; LANES]);
}

/// Calls a reduction for every chunk of a row.
#[inline(always)]
fn over<const LANES: usize, R: Reduction<LANES>>(rows: &mut Grid<'_, u32>, calc: &Calc) {
    let Some(&to) = calc.out.rows().first() else { return };
    for chunk in 0..rows.of_row {
        let Some((out, others)) = rows.take(to, chunk) else { return };
        let none: &[u32] = &[0; COUNT];
        let (mut a, mut b) = ([none; LANES], [none; LANES]);
        for lane in 0..LANES {
            let (Some(x), Some(y)) = (others.get(calc.args[0][lane & 3]), others.get(calc.args[1][lane & 3]))
            else {
                return;
            };
            (a[lane], b[lane]) = (x.as_flattened(), y.as_flattened());
        }
        R::chunk(out.as_flattened_mut(), a, b);
    }
}

/// A sum of products of f32, each rounded, added one after another.
struct Products<const ZERO_WINS: bool, const SHOWN: bool>;

impl<const ZERO_WINS: bool, const SHOWN: bool, const LANES: usize> Reduction<LANES>
    for Products<ZERO_WINS, SHOWN>
{
    #[inline(always)]
    fn chunk(out: &mut [u32], a: [&[u32]; LANES], b: [&[u32]; LANES]) {
        for i in 0..COUNT {
            let mut sum = 0.0;
            for lane in 0..LANES {
                let (x, y) = (f32::from_bits(a[lane][i]), f32::from_bits(b[lane][i]));
                let product = if ZERO_WINS { zero_wins(x, y) } else { x * y };
                sum = if lane == 0 { product } else { sum + product };
            }
            out[i] = finish::<SHOWN>(sum);
        }
    }
}

/// Products by the arithmetic of nv20, added at once.
struct Nv20Products;

impl<const LANES: usize> Reduction<LANES> for Nv20Products {
    #[inline(always)]
    fn chunk(out: &mut [u32], a: [&[u32]; LANES], b: [&[u32]; LANES]) {
        let mut rare = 0_u32;
        for i in 0..COUNT {
            let mut terms = [0; LANES];
            for lane in 0..LANES {
                terms[lane] = nv20::mul(a[lane][i], b[lane][i]);
                rare |= u32::from(nv20::is_special(terms[lane]));
            }
            out[i] = nv20::sum_of_finite(terms);
        }
        if rare == 0 {
            return;
        }
        for i in 0..COUNT {
            let mut terms = [0; LANES];
            for lane in 0..LANES {
                terms[lane] = nv20::mul(a[lane][i], b[lane][i]);
            }
            out[i] = nv20::sum(&terms);
        }
    }
}

/// The sum of two, by the arithmetic of nv20.
struct Nv20Add;

impl Kernel<u32> for Nv20Add {
    #[inline(always)]
    fn arity(&self) -> usize {
        2
    }

    #[inline(always)]
    fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
        let mut rare = 0_u32;
        each!(out, args, |words| {
            let [x, y, _, _] = words;
            rare |= u32::from(nv20::is_special(x) | nv20::is_special(y));
            nv20::sum_of_finite([x, y])
        });
        if rare != 0 {
            each!(out, args, |words| nv20::sum(&[words[0], words[1]]));
        }
    }
}

/// An operation of 32-bit words.
#[inline(always)]
fn narrow(rows: &mut Grid<'_, u32>, calc: &Calc) {
    let Calc { op, scalar, arith, reduced, plus, shown, .. } = *calc;
    if reduced > 0 {
        if scalar != Scalar::F32 || op != Pure::Dot || arith.flush {
            return reduce(rows, calc);
        }
        macro_rules! products {
            ($Of:ty) => {
                match reduced {
                    2 => over::<2, $Of>(rows, calc),
                    3 => over::<3, $Of>(rows, calc),
                    4 => over::<4, $Of>(rows, calc),
                    _ => reduce(rows, calc),
                }
            };
        }
        match (arith.rule, shown) {
            (Rule::Nv20, _) => products!(Nv20Products),
            (Rule::Ieee, true) => products!(Products<false, true>),
            (Rule::Ieee, false) => products!(Products<false, false>),
            (Rule::ZeroWins, true) => products!(Products<true, true>),
            (Rule::ZeroWins, false) => products!(Products<true, false>),
        }
        return;
    }
    // A loop for each operation that is named here.
    macro_rules! named {
        ($scalar:ident: $($V:ident)*) => {
            match op {
                $(Pure::$V => by_lane(rows, calc, Any { op: Pure::$V, scalar: Scalar::$scalar, arith: Arith::IEEE }),)*
                _ => by_definition(rows, calc),
            }
        };
    }
    macro_rules! finished {
        ($Name:ident) => {
            if shown { by_lane(rows, calc, $Name::<true>) } else { by_lane(rows, calc, $Name::<false>) }
        };
    }
    match scalar {
        Scalar::F32 => match (arith.rule, op) {
            _ if arith.flush => by_definition(rows, calc),
            (Rule::Nv20, Pure::Add) => by_lane(rows, calc, Nv20Add),
            (Rule::Nv20, Pure::Mul) => {
                by_lane(rows, calc, Any { op: Pure::Mul, scalar: Scalar::F32, arith: Arith::NV20 });
            }
            (Rule::Nv20, Pure::Min) => {
                by_lane(rows, calc, Any { op: Pure::Min, scalar: Scalar::F32, arith: Arith::NV20 });
            }
            (Rule::Nv20, Pure::Max) => {
                by_lane(rows, calc, Any { op: Pure::Max, scalar: Scalar::F32, arith: Arith::NV20 });
            }
            (Rule::Nv20, Pure::Lt) => {
                by_lane(rows, calc, Any { op: Pure::Lt, scalar: Scalar::F32, arith: Arith::NV20 });
            }
            (Rule::Nv20, Pure::Ge) => {
                by_lane(rows, calc, Any { op: Pure::Ge, scalar: Scalar::F32, arith: Arith::NV20 });
            }
            (Rule::Nv20, Pure::Neg) => {
                by_lane(rows, calc, Any { op: Pure::Neg, scalar: Scalar::F32, arith: Arith::NV20 });
            }
            (Rule::Nv20, _) => by_definition(rows, calc),
            (Rule::Ieee, Pure::Mul) if plus => finished!(Mad),
            (Rule::ZeroWins, Pure::Mul) if plus => finished!(MadZero),
            (Rule::Ieee, Pure::Mul) => finished!(Mul),
            (Rule::ZeroWins, Pure::Mul) => finished!(MulZero),
            (_, Pure::Add) => finished!(Add),
            (_, Pure::Sub) => finished!(Sub),
            (_, Pure::Log2) => by_lane(rows, calc, Log2),
            (_, Pure::Pow) => by_lane(rows, calc, Pow),
            (_, Pure::Sin) => by_lane(rows, calc, Sin),
            (_, Pure::Cos) => by_lane(rows, calc, Cos),
            (_, Pure::Lit) => by_lane(rows, calc, Lit),
            (Rule::ZeroWins, Pure::Fma) => {
                by_lane(rows, calc, Any { op: Pure::Fma, scalar: Scalar::F32, arith: Arith::ZERO_WINS });
            }
            // The others are the same by both rules.
            _ => op.with(Single { rows, calc, rule: Rule::Ieee }),
        },
        Scalar::I32 => {
            named!(I32: Neg Abs Add Sub Mul Min Max And Or Xor Not Shl Shr Lt Ge Eq Ne Select ToF32);
        }
        Scalar::U32 => {
            named!(U32: Add Sub Mul Min Max And Or Xor Not Shl Shr Lt Ge Eq Ne Select ToF32);
        }
        Scalar::Bool => {
            named!(Bool: And Or Xor Not Eq Ne Select ToF32 ToI32 ToU32);
        }
        Scalar::F64 | Scalar::I64 | Scalar::U64 => by_definition(rows, calc),
    }
}

/// An operation of words of 64 bits.
#[inline(always)]
fn wide(rows: &mut Grid<'_, u64>, calc: &Calc) {
    if calc.reduced > 0 { reduce(rows, calc) } else { by_definition(rows, calc) }
}

/// Any operation.
#[inline(never)]
fn by_definition<W: Word>(rows: &mut Grid<'_, W>, calc: &Calc) {
    by_lane(rows, calc, Any { op: calc.op, scalar: calc.scalar, arith: calc.arith });
}

/// Any reduction.
#[inline(never)]
fn reduce<W: Word>(rows: &mut Grid<'_, W>, calc: &Calc) {
    let Some(&to) = calc.out.rows().first() else { return };
    let lanes = usize::from(calc.reduced);
    for chunk in 0..rows.of_row {
        let Some((out, others)) = rows.take(to, chunk) else { return };
        let args = [calc.args[0], calc.args[1]].map(|arg| arg.map(|row| others.get(row)));
        for (i, out) in out.as_flattened_mut().iter_mut().enumerate() {
            let word = |of: Option<&Chunk<W>>| {
                of.and_then(|of| of.as_flattened().get(i)).copied().unwrap_or_default()
            };
            let [a, b] = args.map(|arg| arg.map(word));
            *out = calc.op.eval_reduce(calc.scalar, calc.arith, a, b, lanes);
        }
    }
}
