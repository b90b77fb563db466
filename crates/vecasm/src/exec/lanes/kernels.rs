//! The loops: each goes over the 64 invocations of a chunk, so that its length is known, and has no branches but those that a
//! compiler turns into selections.
//!
//! What the interpreter hands to functions for rare inputs would keep a loop from becoming vector instructions. Here it is computed
//! as if every input were usual, and rare ones are done again, by themselves, if there are any.

use crate::exec::code::{Calc, Node};
use crate::ir::op::{self, Word, single};
use crate::ir::{Arith, Pure, Rule, Scalar};
use crate::math::{self, nv20};
use alloc::vec::Vec;

/// Fours of invocations in a chunk.
pub(super) const FOURS: usize = 16;
/// Invocations of a chunk.
const COUNT: usize = FOURS * 4;

/// A lane of a value in 64 invocations.
pub(super) type Chunk<W> = [[W; 4]; FOURS];

/// A row: as many chunks as a pack has.
pub(super) type Row<W> = Vec<Chunk<W>>;

/// All rows of a pack, by the size of their words.
enum Rows<'a> {
    Narrow(&'a mut [Row<u32>]),
    Wide(&'a mut [Row<u64>]),
}

/// What a lane is held in.
pub(super) trait Lane: Word {
    fn rows(rows: &mut [Row<Self>]) -> AnyRows<'_>;
}

/// Rows of either size.
pub(super) struct AnyRows<'a>(Rows<'a>);

impl Lane for u32 {
    fn rows(rows: &mut [Row<Self>]) -> AnyRows<'_> {
        AnyRows(Rows::Narrow(rows))
    }
}

impl Lane for u64 {
    fn rows(rows: &mut [Row<Self>]) -> AnyRows<'_> {
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
            (What::Calc(nodes), Rows::Narrow(rows)) => {
                for node in nodes {
                    if let Node::Pure(calc) = node {
                        narrow(rows, calc);
                    }
                }
            }
            (What::Calc(nodes), Rows::Wide(rows)) => {
                for node in nodes {
                    if let Node::Pure(calc) = node {
                        wide(rows, calc);
                    }
                }
            }
            (What::Load(to, elements), Rows::Narrow(rows)) => load(rows, to, elements),
            (What::Load(to, elements), Rows::Wide(rows)) => load(rows, to, elements),
        }
    }
}

/// Writes the lanes of elements to rows.
#[inline(always)]
fn load<W: Word>(rows: &mut [Row<W>], to: &[u32], elements: &[[u32; 4]]) {
    let mut out: [Row<W>; 4] = [const { Vec::new() }; 4];
    for (out, &to) in out.iter_mut().zip(to) {
        if let Some(row) = rows.get_mut(to as usize) {
            *out = core::mem::take(row);
        }
    }
    {
        let [x, y, z, w] = &mut out;
        // Lanes that are not wanted go nowhere.
        let mut nowhere = [[[W::default(); 4]; FOURS]; 3];
        let [no_y, no_z, no_w] = &mut nowhere;
        for (i, elements) in elements.chunks(COUNT).enumerate() {
            let Some(x) = x.get_mut(i) else { break };
            let y = y.get_mut(i).unwrap_or(no_y);
            let z = z.get_mut(i).unwrap_or(no_z);
            let w = w.get_mut(i).unwrap_or(no_w);
            let lanes = x.iter_mut().zip(y).zip(z.iter_mut().zip(w));
            for (four, ((x, y), (z, w))) in elements.chunks(4).zip(lanes) {
                let of = |i: usize| four.get(i).copied().unwrap_or([0; 4]).map(W::from_low);
                let (a, b, c, d) = match four {
                    [a, b, c, d] => {
                        (a.map(W::from_low), b.map(W::from_low), c.map(W::from_low), d.map(W::from_low))
                    }
                    _ => (of(0), of(1), of(2), of(3)),
                };
                *x = [a[0], b[0], c[0], d[0]];
                *y = [a[1], b[1], c[1], d[1]];
                *z = [a[2], b[2], c[2], d[2]];
                *w = [a[3], b[3], c[3], d[3]];
            }
        }
    }
    for (out, &to) in out.iter_mut().zip(to) {
        if let Some(row) = rows.get_mut(to as usize) {
            *row = core::mem::take(out);
        }
    }
}

/// What is done with a chunk.
trait Kernel<W> {
    /// Implementations are `#[inline(always)]`.
    fn chunk(&self, out: &mut Chunk<W>, args: [&Chunk<W>; 4]);
}

/// Calls a kernel for every lane of an operation.
#[inline(always)]
fn by_lane<W: Word>(rows: &mut [Row<W>], calc: &Calc, kernel: impl Kernel<W>) {
    for (lane, &to) in calc.out.rows().iter().enumerate() {
        let Some(place) = rows.get_mut(to as usize) else { return };
        let mut out = core::mem::take(place);
        let [a, b, c, d] = calc.args;
        let at = [a[lane & 3], b[lane & 3], c[lane & 3], d[lane & 3]];
        chunks(rows, &mut out, at, &kernel);
        if let Some(place) = rows.get_mut(to as usize) {
            *place = out;
        }
    }
}

/// Calls a kernel for every chunk of a row.
#[inline(always)]
fn chunks<W: Word>(rows: &[Row<W>], out: &mut Row<W>, at: [u32; 4], kernel: &impl Kernel<W>) {
    let row = |row: u32| rows.get(row as usize).map_or(&[][..], |row| &row[..]);
    let (a, b, c, d) = (row(at[0]), row(at[1]), row(at[2]), row(at[3]));
    for (i, out) in out.iter_mut().enumerate() {
        let (Some(a), Some(b), Some(c), Some(d)) = (a.get(i), b.get(i), c.get(i), d.get(i)) else { return };
        kernel.chunk(out, [a, b, c, d]);
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
    fn chunk(&self, out: &mut Chunk<W>, args: [&Chunk<W>; 4]) {
        each!(out, args, |words| self.op.eval(self.scalar, self.arith, words));
    }
}

/// An operation on f32, known when this is compiled.
struct Single<'a, W> {
    rows: &'a mut [Row<W>],
    calc: &'a Calc,
    rule: Rule,
}

impl<W: Word> op::Work for Single<'_, W> {
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
    ($Name:ident, |$x:ident, $y:ident, $z:ident| $result:expr) => {
        struct $Name<const SHOWN: bool>;

        impl<const SHOWN: bool> Kernel<u32> for $Name<SHOWN> {
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

plain!(Add, |x, y, _z| x + y);
plain!(Sub, |x, y, _z| x - y);
plain!(Mul, |x, y, _z| x * y);
plain!(MulZero, |x, y, _z| zero_wins(x, y));
plain!(Mad, |x, y, z| x * y + z);
plain!(MadZero, |x, y, z| zero_wins(x, y) + z);

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
fn over<const LANES: usize, R: Reduction<LANES>>(rows: &mut [Row<u32>], calc: &Calc) {
    let Some(&to) = calc.out.rows().first() else { return };
    let Some(place) = rows.get_mut(to as usize) else { return };
    let mut out = core::mem::take(place);
    let row = |row: u32| rows.get(row as usize).map_or(&[][..], |row| &row[..]);
    let all = |arg: usize| -> [&[Chunk<u32>]; LANES] {
        core::array::from_fn(|lane| row(calc.args[arg & 3][lane & 3]))
    };
    let (a, b) = (all(0), all(1));
    let none = &[[0; 4]; FOURS];
    for (i, out) in out.iter_mut().enumerate() {
        let a: [&[u32]; LANES] = a.map(|row| row.get(i).unwrap_or(none).as_flattened());
        let b: [&[u32]; LANES] = b.map(|row| row.get(i).unwrap_or(none).as_flattened());
        R::chunk(out.as_flattened_mut(), a, b);
    }
    if let Some(place) = rows.get_mut(to as usize) {
        *place = out;
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
fn narrow(rows: &mut [Row<u32>], calc: &Calc) {
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
fn wide(rows: &mut [Row<u64>], calc: &Calc) {
    if calc.reduced > 0 { reduce(rows, calc) } else { by_definition(rows, calc) }
}

/// Any operation.
#[inline(never)]
fn by_definition<W: Word>(rows: &mut [Row<W>], calc: &Calc) {
    by_lane(rows, calc, Any { op: calc.op, scalar: calc.scalar, arith: calc.arith });
}

/// Any reduction.
#[inline(never)]
fn reduce<W: Word>(rows: &mut [Row<W>], calc: &Calc) {
    let Some(&to) = calc.out.rows().first() else { return };
    let word = |rows: &[Row<W>], row: u32, chunk: usize, i: usize| {
        let chunk = rows.get(row as usize).and_then(|row| row.get(chunk));
        chunk.and_then(|chunk| chunk.as_flattened().get(i)).copied().unwrap_or_default()
    };
    for chunk in 0..rows.get(to as usize).map_or(0, Vec::len) {
        for i in 0..COUNT {
            let [a, b] = [calc.args[0], calc.args[1]].map(|arg| arg.map(|row| word(rows, row, chunk, i)));
            let result = calc.op.eval_reduce(calc.scalar, calc.arith, a, b, usize::from(calc.reduced));
            let out = rows.get_mut(to as usize).and_then(|row| row.get_mut(chunk));
            if let Some(out) = out.and_then(|chunk| chunk.as_flattened_mut().get_mut(i)) {
                *out = result;
            }
        }
    }
}
