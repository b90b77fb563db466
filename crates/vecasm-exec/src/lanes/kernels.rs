//! The loops: each goes over the 64 invocations of a chunk, so that its length is known, and has no branches but those that a
//! compiler turns into selections.
//!
//! What the interpreter hands to functions for rare inputs would keep a loop from becoming vector instructions. Here it is computed
//! as if every input were usual, and rare ones are done again, by themselves, if there are any.
//!
//! The loops are several functions ([`Part`]): what a compiler takes for one of all grows much faster than the loops do.

use super::Kernels;
use crate::code::{Calc, Code, Node};
use crate::interp::zip;
use vecasm_ir::ir::op::{Slot, Word, single};
use vecasm_ir::ir::{Arith, Pure, Rule, Scalar};
use vecasm_ir::math::{self, nv20};

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
    /// What the first rows hold, each of which holds the same everywhere.
    pub(super) fixed: &'a [W],
}

impl<'g, W: Word> Grid<'g, W> {
    /// A row, to be written, and those in front and behind, to be read.
    #[inline(always)]
    fn take(&mut self, row: u32) -> Option<(&mut [Chunk<W>], OtherRows<'_, W>)> {
        let (before, rest) = self.chunks.split_at_mut_checked(row as usize * self.of_row)?;
        let (out, after) = rest.split_at_mut_checked(self.of_row)?;
        Some((out, OtherRows { before, after, of_row: self.of_row, fixed: self.fixed }))
    }
}

/// All rows but one.
struct OtherRows<'a, W> {
    before: &'a [Chunk<W>],
    after: &'a [Chunk<W>],
    of_row: usize,
    fixed: &'a [W],
}

impl<'a, W: Word> OtherRows<'a, W> {
    /// Another row.
    #[inline(always)]
    fn get(&self, row: u32) -> Option<&'a [Chunk<W>]> {
        let at = row as usize * self.of_row;
        match at.checked_sub(self.before.len()) {
            None => self.before.get(at..)?.get(..self.of_row),
            Some(past) => self.after.get(past.wrapping_sub(self.of_row)..)?.get(..self.of_row),
        }
    }

    /// What a row holds everywhere.
    #[inline(always)]
    fn fixed(&self, row: u32) -> Option<W> {
        self.fixed.get(row as usize).copied()
    }
}

/// All rows of a pack, by the size of their words.
enum Rows<'a> {
    Narrow(Grid<'a, u32>),
    Wide(Grid<'a, u64>),
}

/// What a lane is held in.
pub(super) trait Lane: Word + bytemuck::Pod {
    fn rows(rows: Grid<'_, Self>) -> AnyRows<'_>;

    fn row(row: &[Chunk<Self>]) -> AnyRow<'_>;
}

/// Rows of either size.
pub(super) struct AnyRows<'a>(Rows<'a>);

/// A row of either size.
#[derive(Clone, Copy)]
pub(super) enum AnyRow<'a> {
    Narrow(&'a [Chunk<u32>]),
    Wide(&'a [Chunk<u64>]),
}

impl Lane for u32 {
    fn rows(rows: Grid<'_, Self>) -> AnyRows<'_> {
        AnyRows(Rows::Narrow(rows))
    }

    fn row(row: &[Chunk<Self>]) -> AnyRow<'_> {
        AnyRow::Narrow(row)
    }
}

impl Lane for u64 {
    fn rows(rows: Grid<'_, Self>) -> AnyRows<'_> {
        AnyRows(Rows::Wide(rows))
    }

    fn row(row: &[Chunk<Self>]) -> AnyRow<'_> {
        AnyRow::Wide(row)
    }
}

/// Names the parts, with the function that has the loops of each.
macro_rules! parts {
    ($($(#[$doc:meta])* $Part:ident $function:ident,)*) => {
        /// Loops that are compiled together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Part {
            $($(#[$doc])* $Part,)*
        }

        impl Work<'_> {
            /// Does it, each part by a function of its own.
            #[inline(always)]
            pub fn run(self, kernels: impl Kernels) {
                $(if self.part == Part::$Part as u8 {
                    return kernels.part::<{ Part::$Part as u8 }>(self);
                })*
            }
        }

        /// An operation of 32-bit words that [belongs](Part::of) to a part.
        #[inline(always)]
        fn narrow<const PART: u8>(rows: &mut Grid<'_, u32>, calc: &Calc) {
            $(if PART == Part::$Part as u8 {
                return $function(rows, calc);
            })*
        }
    };
}

parts! {
    /// What has no loops for its type.
    Defined defined,
    /// What most shaders consist of, in any order: to go from one part to another costs as much as some vectors.
    Usual usual,
    /// Roots, powers, angles.
    Functions functions,
    /// The other operations of f32.
    Others others,
    /// Sums, products, quotients without denormals.
    Flushed flushed,
    /// All else without denormals.
    OthersFlushed others_flushed,
    /// The arithmetic of nv20.
    Nv20 nv20_all,
    /// Integers.
    Integers integers,
}

impl Part {
    /// The one that has the loop for an operation, if there is one.
    fn of(calc: &Calc) -> Self {
        use Pure::{
            Abs, Add, Cos, Div, Dot, Eq, Ge, Lit, Log2, Lt, Max, Min, Mul, Ne, Neg, Pow, Rcp, Rsq, Saturate,
            Select, Sin, Sub,
        };
        let Calc { op, scalar, arith, .. } = *calc;
        match (scalar, op) {
            (Scalar::F64 | Scalar::I64 | Scalar::U64, _) => Self::Defined,
            (Scalar::I32 | Scalar::U32, _) => Self::Integers,
            (Scalar::Bool, _) => Self::Usual,
            (Scalar::F32, _) if arith.rule == Rule::Nv20 => Self::Nv20,
            (Scalar::F32, Add | Sub | Mul | Div | Rcp | Dot) if arith.flush => Self::Flushed,
            (Scalar::F32, _) if arith.flush => Self::OthersFlushed,
            (
                Scalar::F32,
                Add | Sub | Mul | Dot | Min | Max | Lt | Ge | Eq | Ne | Neg | Abs | Saturate | Select,
            ) => Self::Usual,
            (Scalar::F32, Rsq | Log2 | Pow | Sin | Cos | Lit) => Self::Functions,
            (Scalar::F32, _) => Self::Others,
        }
    }
}

/// Looks up for every operation which loops do it.
pub(super) fn sort(code: &mut Code) {
    // All that is wide is done by its definition.
    if !code.wide {
        code.for_each_calc_mut(&mut |calc| calc.part = Part::of(calc) as u8);
    }
}

/// Something to be done with the rows of a pack.
pub struct Work<'a> {
    what: What<'a>,
    /// Whose work it is: [`Part`].
    part: u8,
}

enum What<'a> {
    /// Pure operations, one after another.
    Calc(&'a [Node], Rows<'a>),
    /// Rows that get the lanes of elements.
    Load(&'a [u32], &'a [[u32; 4]], Rows<'a>),
    /// Elements that get their lanes from rows.
    Zip([&'a [[u32; 4]]; 4], &'a mut [[u32; 4]]),
    /// A row that gets what another one holds, in the invocations whose bits are set.
    Copy { to: u32, from: u32, mask: &'a [u64], rows: Rows<'a> },
    /// Bits that are set where a row is not zero.
    Truth(AnyRow<'a>, &'a mut [u64]),
}

impl<'a> Work<'a> {
    const fn of(what: What<'a>) -> Self {
        Self { what, part: Part::Defined as u8 }
    }

    /// All of them are of the same part.
    pub(super) fn calc(part: u8, nodes: &'a [Node], rows: AnyRows<'a>) -> Self {
        Self { what: What::Calc(nodes, rows.0), part }
    }

    pub(super) fn load(to: &'a [u32], elements: &'a [[u32; 4]], rows: AnyRows<'a>) -> Self {
        Self::of(What::Load(to, elements, rows.0))
    }

    pub(super) fn zip(lanes: [&'a [[u32; 4]]; 4], elements: &'a mut [[u32; 4]]) -> Self {
        Self::of(What::Zip(lanes, elements))
    }

    pub(super) fn copy(to: u32, from: u32, mask: &'a [u64], rows: AnyRows<'a>) -> Self {
        Self::of(What::Copy { to, from, mask, rows: rows.0 })
    }

    pub(super) fn truth(row: AnyRow<'a>, bits: &'a mut [u64]) -> Self {
        Self::of(What::Truth(row, bits))
    }

    /// Does what belongs to a part. All of it is inlined into the caller.
    #[inline(always)]
    pub fn part<const PART: u8>(self) {
        match self.what {
            What::Calc(nodes, Rows::Narrow(mut rows)) => {
                for node in nodes {
                    if let Node::Pure(calc) = node {
                        narrow::<PART>(&mut rows, calc);
                    }
                }
            }
            // All else has one part.
            _ if PART != Part::Defined as u8 => {}
            What::Calc(nodes, Rows::Wide(mut rows)) => {
                for node in nodes {
                    if let Node::Pure(calc) = node {
                        wide(&mut rows, calc);
                    }
                }
            }
            What::Load(to, elements, Rows::Narrow(mut rows)) => load(&mut rows, to, elements),
            What::Load(to, elements, Rows::Wide(mut rows)) => load(&mut rows, to, elements),
            What::Zip(lanes, elements) => zip(lanes, elements),
            What::Copy { to, from, mask, rows: Rows::Narrow(mut rows) } => copy(&mut rows, to, from, mask),
            What::Copy { to, from, mask, rows: Rows::Wide(mut rows) } => copy(&mut rows, to, from, mask),
            What::Truth(AnyRow::Narrow(row), bits) => truth(row, bits),
            What::Truth(AnyRow::Wide(row), bits) => truth(row, bits),
        }
    }
}

/// Writes the lanes of elements to rows.
#[inline(always)]
fn load<W: Word>(rows: &mut Grid<'_, W>, to: &[u32], elements: &[[u32; 4]]) {
    for (chunk, elements) in elements.chunks(COUNT).enumerate() {
        // All lanes of a chunk, turned at once.
        let mut turned = [[0_u32; COUNT]; 4];
        turn(elements, &mut turned);
        for (turned, &to) in turned.iter().zip(to) {
            let Some((out, _)) = rows.take(to) else { return };
            let Some(out) = out.get_mut(chunk) else { return };
            for (out, turned) in out.as_flattened_mut().iter_mut().zip(turned) {
                *out = W::from_low(*turned);
            }
        }
    }
}

/// Writes each lane of up to 64 elements to a list of its own.
#[inline(always)]
fn turn(elements: &[[u32; 4]], [x, y, z, w]: &mut [[u32; COUNT]; 4]) {
    // The loop over as many as are known becomes shuffles.
    if let Ok(elements) = <&[[u32; 4]; COUNT]>::try_from(elements) {
        let elements = elements.as_flattened();
        for i in 0..COUNT {
            x[i] = elements[i * 4];
            y[i] = elements[i * 4 + 1];
            z[i] = elements[i * 4 + 2];
            w[i] = elements[i * 4 + 3];
        }
        return;
    }
    for (i, element) in elements.iter().enumerate().take(COUNT) {
        [x[i], y[i], z[i], w[i]] = *element;
    }
}

/// Copies a row to another one in the invocations of a set.
#[inline(always)]
fn copy<W: Word>(rows: &mut Grid<'_, W>, to: u32, from: u32, mask: &[u64]) {
    let Some((out, others)) = rows.take(to) else { return };
    let Some(from) = others.get(from) else { return };
    for ((out, from), &mask) in out.iter_mut().zip(from).zip(mask) {
        let (out, from) = (out.as_flattened_mut(), from.as_flattened());
        match mask {
            0 => {}
            u64::MAX => out.copy_from_slice(from),
            _ => {
                for at in 0..COUNT / 8 {
                    let byte = (mask >> (at * 8)) as u32 & 0xff;
                    for i in 0..8 {
                        let (to, from) = (&mut out[at * 8 + i], from[at * 8 + i]);
                        *to = if byte & 1 << i != 0 { from } else { *to };
                    }
                }
            }
        }
    }
}

/// Sets the bits of the invocations in which a row is not zero.
#[inline(always)]
fn truth<W: Word>(row: &[Chunk<W>], bits: &mut [u64]) {
    // Eight bytes that are 0 or 1, times this, have a bit for each at the top: byte i goes from bit 8·i to bit 56 + i.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    for (chunk, bits) in row.iter().zip(bits) {
        let mut holds = [0_u8; COUNT];
        for (holds, word) in holds.iter_mut().zip(chunk.as_flattened()) {
            *holds = u8::from(word.low() != 0);
        }
        *bits = 0;
        for (at, eight) in holds.chunks_exact(8).enumerate() {
            let eight = eight.try_into().map_or(0, u64::from_le_bytes);
            *bits |= (eight.wrapping_mul(GATHER) >> 56) << (at * 8);
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
        let Some((out, others)) = rows.take(to) else { return };
        let Some(x) = others.get(a[lane & 3]) else { return };
        let Some(y) = (if arity > 1 { others.get(b[lane & 3]) } else { Some(x) }) else { return };
        let Some(z) = (if arity > 2 { others.get(c[lane & 3]) } else { Some(x) }) else { return };
        let Some(w) = (if arity > 3 { others.get(d[lane & 3]) } else { Some(x) }) else { return };
        for ((((out, x), y), z), w) in out.iter_mut().zip(x).zip(y).zip(z).zip(w) {
            kernel.chunk(out, [x, y, z, w]);
        }
    }
}

/// What is done with the words of an invocation, one of which may be the same everywhere.
trait PerInvocation<W> {
    /// How many arguments there are, up to three.
    const ARITY: usize;
    /// Whether the first two may change places.
    const SWAPS: bool;

    /// Implementations are `#[inline(always)]`.
    fn compute(&self, args: [W; 3]) -> W;
}

/// Calls it for every invocation in every lane of an operation. What is the same everywhere stays in a register.
#[inline(always)]
fn by_word<W: Word, E: PerInvocation<W>>(rows: &mut Grid<'_, W>, calc: &Calc, of: E) {
    for (lane, &to) in calc.out.rows().iter().enumerate() {
        let Some((out, others)) = rows.take(to) else { return };
        let [mut a, mut b, mut c, _] = calc.args.map(|arg| arg[lane & 3]);
        if E::SWAPS && others.fixed(a).is_some() {
            core::mem::swap(&mut a, &mut b);
        }
        if E::ARITY < 2 {
            b = a;
        }
        if E::ARITY < 3 {
            c = a;
        }
        let Some(x) = others.get(a) else { return };
        let fixed = (
            if E::ARITY > 1 { others.fixed(b) } else { None },
            if E::ARITY > 2 { others.fixed(c) } else { None },
        );
        match fixed {
            (None, None) => {
                let (Some(y), Some(z)) = (others.get(b), others.get(c)) else { return };
                for (((out, x), y), z) in out.iter_mut().zip(x).zip(y).zip(z) {
                    let (x, y, z) = (x.as_flattened(), y.as_flattened(), z.as_flattened());
                    for (i, out) in out.as_flattened_mut().iter_mut().enumerate() {
                        *out = of.compute([x[i], y[i], z[i]]);
                    }
                }
            }
            (Some(y), None) => {
                let Some(z) = others.get(c) else { return };
                for ((out, x), z) in out.iter_mut().zip(x).zip(z) {
                    let (x, z) = (x.as_flattened(), z.as_flattened());
                    for (i, out) in out.as_flattened_mut().iter_mut().enumerate() {
                        *out = of.compute([x[i], y, z[i]]);
                    }
                }
            }
            (None, Some(z)) => {
                let Some(y) = others.get(b) else { return };
                for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                    let (x, y) = (x.as_flattened(), y.as_flattened());
                    for (i, out) in out.as_flattened_mut().iter_mut().enumerate() {
                        *out = of.compute([x[i], y[i], z]);
                    }
                }
            }
            (Some(y), Some(z)) => {
                for (out, x) in out.iter_mut().zip(x) {
                    let x = x.as_flattened();
                    for (i, out) in out.as_flattened_mut().iter_mut().enumerate() {
                        *out = of.compute([x[i], y, z]);
                    }
                }
            }
        }
    }
}

/// Writes `$result` to every invocation of `$out`, `$args` being the words of the arguments.
macro_rules! each {
    ($out:expr, $args:expr, |$words:ident| $result:expr) => {{
        let out = $out.as_flattened_mut();
        let [a, b, c, d] = $args;
        let (a, b, c, d) = (a.as_flattened(), b.as_flattened(), c.as_flattened(), d.as_flattened());
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

/// Operations of one type, known when this is compiled: nothing of the others is looked at then.
macro_rules! typed {
    ($Name:ident, $Word:ty, $eval:ident) => {
        struct $Name(Pure);

        impl Kernel<$Word> for $Name {
            #[inline(always)]
            fn arity(&self) -> usize {
                self.0.arity()
            }

            #[inline(always)]
            fn chunk(&self, out: &mut Chunk<$Word>, args: [&Chunk<$Word>; 4]) {
                each!(out, args, |words| self.0.$eval(words));
            }
        }
    };
}

typed!(F32, u32, eval_f32);
typed!(ZeroWins, u32, eval_zero_wins);
typed!(Nv20, u32, eval_nv20);
typed!(I32, u32, eval_i32);
typed!(U32, u32, eval_u32);
typed!(Bool, u32, eval_bool);

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
                    let [$x, $y, $z, _] = floats(words);
                    rare |= u32::from(!$usual);
                    single($result)
                });
                if rare != 0 {
                    each!(out, args, |words| $op.eval_f32(words));
                }
            }
        }
    };
}

usual!(Log2, |x, _y, _z| math::is_positive_finite(x), math::usual::log2(x), Pure::Log2);
usual!(Sin, |x, _y, _z| math::usual::is_angle(x), math::usual::sin(x), Pure::Sin);
usual!(Cos, |x, _y, _z| math::usual::is_angle(x), math::usual::cos(x), Pure::Cos);

/// [`Pure::Pow`]: bases of zero come of what is kept from being negative, so they are usual.
struct Pow;

impl Kernel<u32> for Pow {
    #[inline(always)]
    fn arity(&self) -> usize {
        2
    }

    #[inline(always)]
    fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
        let mut rare = 0_u32;
        each!(out, args, |words| {
            let [x, y, ..] = floats(words);
            let nothing = (words[0] == 0) & (y > 0.0);
            rare |= u32::from(!((math::is_positive_finite(x) | nothing) & math::usual::is_finite(y)));
            let power = single(math::usual::pow(x, y));
            if nothing { 0 } else { power }
        });
        if rare != 0 {
            each!(out, args, |words| Pure::Pow.eval_f32(words));
        }
    }
}

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
            let [x, y, w, _] = floats(words);
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
            each!(out, args, |words| Pure::Lit.eval_f32(words));
        }
    }
}

/// The usual arithmetic of f32; which NaN comes out is only made sure of where it is `SHOWN`.
macro_rules! plain {
    ($Name:ident, $arity:literal, $swaps:literal, |$x:ident, $y:ident, $z:ident| $result:expr) => {
        struct $Name<const SHOWN: bool>;

        impl<const SHOWN: bool> PerInvocation<u32> for $Name<SHOWN> {
            const ARITY: usize = $arity;
            const SWAPS: bool = $swaps;

            #[inline(always)]
            fn compute(&self, args: [u32; 3]) -> u32 {
                let [$x, $y, $z] = floats(args);
                finish::<SHOWN>($result)
            }
        }
    };
}

// What only changes which NaN comes out may change.
plain!(Add, 2, true, |x, y, _z| x + y);
plain!(Sub, 2, false, |x, y, _z| x - y);
plain!(Mul, 2, true, |x, y, _z| x * y);
plain!(MulZero, 2, true, |x, y, _z| zero_wins(x, y));
plain!(Mad, 3, true, |x, y, z| x * y + z);
plain!(MadZero, 3, true, |x, y, z| zero_wins(x, y) + z);

// Denormals flushed, those of the arguments first.
plain!(AddFlushed, 2, true, |x, y, _z| math::flush::add(x, y));
plain!(SubFlushed, 2, false, |x, y, _z| math::flush::sub(x, y));
plain!(MulFlushed, 2, true, |x, y, _z| math::flush::mul(x, y));
plain!(MulZeroFlushed, 2, true, |x, y, _z| zero_wins_flushed(x, y));
plain!(DivFlushed, 2, false, |x, y, _z| math::flush::div(x, y));
plain!(RcpFlushed, 1, false, |x, _y, _z| math::flush::rcp(x));

/// A kernel with the denormals of what it is given flushed first, and then those of what it gives: what the definition does with
/// all operations but those above, `Fma`, and moves.
struct Flushed<K> {
    op: Pure,
    kernel: K,
}

impl<K: Kernel<u32>> Kernel<u32> for Flushed<K> {
    #[inline(always)]
    fn arity(&self) -> usize {
        self.kernel.arity()
    }

    #[inline(always)]
    fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
        let mut given = [[[0; 4]; FOURS]; 4];
        let mut all = args;
        for (((given, arg), all), slot) in given.iter_mut().zip(args).zip(&mut all).zip(self.op.slots()) {
            if *slot == Slot::T {
                flush_all(arg, given);
                *all = given;
            }
        }
        self.kernel.chunk(out, all);
        if self.op.result() == Slot::T {
            let result = *out;
            flush_all(&result, out);
        }
    }
}

/// Flushes the denormals of a chunk.
#[inline(always)]
fn flush_all(from: &Chunk<u32>, to: &mut Chunk<u32>) {
    for (to, from) in to.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
        *to = math::flush::flush(f32::from_bits(*from)).to_bits();
    }
}

/// An operation by its definition that is often done with a constant.
struct WithConstant(Pure);

impl PerInvocation<u32> for WithConstant {
    const ARITY: usize = 2;
    const SWAPS: bool = false;

    #[inline(always)]
    fn compute(&self, [x, y, _]: [u32; 3]) -> u32 {
        self.0.eval_f32([x, y, 0, 0])
    }
}

/// The reciprocal of the root, for positive normal numbers without a root and a quotient of 64 bits.
struct Rsq;

impl Kernel<u32> for Rsq {
    #[inline(always)]
    fn arity(&self) -> usize {
        1
    }

    #[inline(always)]
    fn chunk(&self, out: &mut Chunk<u32>, args: [&Chunk<u32>; 4]) {
        let mut rare = 0_u32;
        each!(out, args, |words| {
            let x = f32::from_bits(words[0]);
            rare |= u32::from(!math::usual::is_normal(x));
            math::usual::rsqrt(x).to_bits()
        });
        if rare != 0 {
            each!(out, args, |words| Pure::Rsq.eval_f32(words));
        }
    }
}

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

/// The same without denormals.
#[inline(always)]
fn zero_wins_flushed(x: f32, y: f32) -> f32 {
    let nothing = |x: f32| math::flush::flush(x) == 0.0;
    if nothing(x) | nothing(y) { 0.0 } else { math::flush::mul(x, y) }
}

/// The words of an invocation in rows.
///
/// Not `map`: whether a compiler inlines that depends on how often it is called, and a call keeps a loop from becoming vectors.
#[inline(always)]
fn pick<const LANES: usize>(rows: &[&[u32; COUNT]; LANES], i: usize) -> [u32; LANES] {
    let mut words = [0; LANES];
    for (word, row) in words.iter_mut().zip(rows) {
        *word = row[i];
    }
    words
}

/// Words as f32; not `map`, as in [`pick`].
#[inline(always)]
fn floats<const N: usize>(words: [u32; N]) -> [f32; N] {
    let mut floats = [0.0; N];
    for (float, word) in floats.iter_mut().zip(words) {
        *float = f32::from_bits(word);
    }
    floats
}

/// What is done with several lanes of an invocation.
trait Reduction<const LANES: usize> {
    /// Whether both factors may change places.
    const SWAPS: bool;

    /// Implementations are `#[inline(always)]`.
    fn compute(a: [u32; LANES], b: [u32; LANES]) -> u32;

    /// The same where the second factors are not zero.
    #[inline(always)]
    fn each_not_zero(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        Self::compute(a, b)
    }

    /// Whether a result is not usual: then [`rest`](Self::rest) does the chunk again.
    #[inline(always)]
    fn is_rare(_a: [u32; LANES], _b: [u32; LANES]) -> bool {
        false
    }

    /// Any result.
    #[inline(always)]
    fn rest(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        Self::compute(a, b)
    }
}

/// Calls a reduction for every invocation of a row.
#[inline(always)]
fn over<const LANES: usize, R: Reduction<LANES>>(rows: &mut Grid<'_, u32>, calc: &Calc) {
    let Some(&to) = calc.out.rows().first() else { return };
    let Some((out, others)) = rows.take(to) else { return };
    let none: &[Chunk<u32>] = &[];
    let (mut a, mut b) = ([none; LANES], [none; LANES]);
    let mut fixed = [0; LANES];
    let mut all_fixed = true;
    for lane in 0..LANES {
        let (mut x, mut y) = (calc.args[0][lane & 3], calc.args[1][lane & 3]);
        if R::SWAPS && others.fixed(x).is_some() {
            core::mem::swap(&mut x, &mut y);
        }
        match others.fixed(y) {
            Some(y) => fixed[lane] = y,
            None => all_fixed = false,
        }
        (a[lane], b[lane]) = (others.get(x).unwrap_or(none), others.get(y).unwrap_or(none));
    }
    let not_zero = all_fixed && fixed.iter().all(|y| y << 1 != 0);
    for (at, out) in out.iter_mut().enumerate() {
        let mut xs = [&[0; COUNT]; LANES];
        for (xs, row) in xs.iter_mut().zip(a) {
            let Some(chunk) = row.get(at) else { return };
            *xs = bytemuck::cast_ref(chunk);
        }
        let out: &mut [u32; COUNT] = bytemuck::cast_mut(out);
        if not_zero && R::SWAPS {
            for (i, out) in out.iter_mut().enumerate() {
                *out = R::each_not_zero(pick(&xs, i), fixed);
            }
            continue;
        }
        if all_fixed && R::SWAPS {
            for (i, out) in out.iter_mut().enumerate() {
                *out = R::compute(pick(&xs, i), fixed);
            }
            continue;
        }
        let mut ys = [&[0; COUNT]; LANES];
        for (ys, row) in ys.iter_mut().zip(b) {
            let Some(chunk) = row.get(at) else { return };
            *ys = bytemuck::cast_ref(chunk);
        }
        let mut rare = 0_u32;
        for (i, out) in out.iter_mut().enumerate() {
            let (x, y) = (pick(&xs, i), pick(&ys, i));
            rare |= u32::from(R::is_rare(x, y));
            *out = R::compute(x, y);
        }
        if rare != 0 {
            for (i, out) in out.iter_mut().enumerate() {
                *out = R::rest(pick(&xs, i), pick(&ys, i));
            }
        }
    }
}

/// A sum of products of f32, each rounded, added one after another.
struct Products<const ZERO_WINS: bool, const SHOWN: bool>;

impl<const ZERO_WINS: bool, const SHOWN: bool, const LANES: usize> Reduction<LANES>
    for Products<ZERO_WINS, SHOWN>
{
    const SWAPS: bool = true;

    #[inline(always)]
    fn compute(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        let product = |x: f32, y: f32| if ZERO_WINS { zero_wins(x, y) } else { x * y };
        finish::<SHOWN>(sum_of(a, b, product))
    }

    #[inline(always)]
    fn each_not_zero(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        let product = |x: f32, y: f32| if ZERO_WINS & (x == 0.0) { 0.0 } else { x * y };
        finish::<SHOWN>(sum_of(a, b, product))
    }
}

/// The same without denormals.
struct ProductsFlushed<const ZERO_WINS: bool, const SHOWN: bool>;

impl<const ZERO_WINS: bool, const SHOWN: bool, const LANES: usize> Reduction<LANES>
    for ProductsFlushed<ZERO_WINS, SHOWN>
{
    const SWAPS: bool = true;

    #[inline(always)]
    fn compute(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        let mut sum = 0.0;
        for lane in 0..LANES {
            let (x, y) = (f32::from_bits(a[lane]), f32::from_bits(b[lane]));
            let product = if ZERO_WINS { zero_wins_flushed(x, y) } else { math::flush::mul(x, y) };
            sum = if lane == 0 { product } else { math::flush::add(sum, product) };
        }
        finish::<SHOWN>(sum)
    }
}

/// Products, added one after another.
#[inline(always)]
fn sum_of<const LANES: usize>(a: [u32; LANES], b: [u32; LANES], product: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sum = 0.0;
    for lane in 0..LANES {
        let product = product(f32::from_bits(a[lane]), f32::from_bits(b[lane]));
        sum = if lane == 0 { product } else { sum + product };
    }
    sum
}

/// Products by the arithmetic of nv20, added at once.
struct Nv20Products;

impl Nv20Products {
    #[inline(always)]
    fn terms<const LANES: usize>(a: [u32; LANES], b: [u32; LANES]) -> [u32; LANES] {
        let mut terms = [0; LANES];
        for lane in 0..LANES {
            terms[lane] = nv20::mul(a[lane], b[lane]);
        }
        terms
    }
}

impl<const LANES: usize> Reduction<LANES> for Nv20Products {
    const SWAPS: bool = false;

    #[inline(always)]
    fn compute(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        nv20::sum_of_finite(Self::terms(a, b))
    }

    #[inline(always)]
    fn is_rare(a: [u32; LANES], b: [u32; LANES]) -> bool {
        Self::terms(a, b).into_iter().fold(false, |rare, term| rare | nv20::is_special(term))
    }

    #[inline(always)]
    fn rest(a: [u32; LANES], b: [u32; LANES]) -> u32 {
        nv20::sum(&Self::terms(a, b))
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

/// A loop for each operation that is named, all others by definition.
macro_rules! named {
    ($rows:expr, $calc:expr, $Kernel:ident: $($V:ident)*) => {
        match $calc.op {
            _ if $calc.reduced > 0 => reduce($rows, $calc),
            $(Pure::$V => by_lane($rows, $calc, $Kernel(Pure::$V)),)*
            _ => by_definition($rows, $calc),
        }
    };
}

/// A loop that makes sure which NaN comes out where that is shown.
macro_rules! finished {
    ($rows:expr, $calc:expr, $Name:ident) => {
        if $calc.shown {
            by_word($rows, $calc, $Name::<true>);
        } else {
            by_word($rows, $calc, $Name::<false>);
        }
    };
}

/// A sum of products of as many lanes as there are; as [`finished!`], if the rule is said.
macro_rules! products {
    ($rows:expr, $calc:expr, $Of:ty) => {
        match $calc.reduced {
            2 => over::<2, $Of>($rows, $calc),
            3 => over::<3, $Of>($rows, $calc),
            4 => over::<4, $Of>($rows, $calc),
            _ => reduce($rows, $calc),
        }
    };
    ($rows:expr, $calc:expr, $Of:ident, $zero_wins:literal) => {
        if $calc.shown {
            products!($rows, $calc, $Of<$zero_wins, true>);
        } else {
            products!($rows, $calc, $Of<$zero_wins, false>);
        }
    };
}

#[inline(always)]
fn defined(rows: &mut Grid<'_, u32>, calc: &Calc) {
    if calc.reduced > 0 { reduce(rows, calc) } else { by_definition(rows, calc) }
}

#[inline(always)]
fn usual(rows: &mut Grid<'_, u32>, calc: &Calc) {
    if calc.scalar == Scalar::Bool {
        return named!(rows, calc, Bool: And Or Xor Not Eq Ne Select ToF32 ToI32 ToU32);
    }
    match (calc.op, calc.arith.rule) {
        (Pure::Mul, Rule::ZeroWins) if calc.plus => finished!(rows, calc, MadZero),
        (Pure::Mul, Rule::ZeroWins) => finished!(rows, calc, MulZero),
        (Pure::Mul, _) if calc.plus => finished!(rows, calc, Mad),
        (Pure::Mul, _) => finished!(rows, calc, Mul),
        (Pure::Add, _) => finished!(rows, calc, Add),
        (Pure::Sub, _) => finished!(rows, calc, Sub),
        (Pure::Dot, Rule::ZeroWins) => products!(rows, calc, Products, true),
        (Pure::Dot, _) => products!(rows, calc, Products, false),
        (Pure::Min, _) => by_word(rows, calc, WithConstant(Pure::Min)),
        (Pure::Max, _) => by_word(rows, calc, WithConstant(Pure::Max)),
        (Pure::Lt, _) => by_word(rows, calc, WithConstant(Pure::Lt)),
        (Pure::Ge, _) => by_word(rows, calc, WithConstant(Pure::Ge)),
        _ => named!(rows, calc, F32: Eq Ne Neg Abs Saturate Select),
    }
}

#[inline(always)]
fn functions(rows: &mut Grid<'_, u32>, calc: &Calc) {
    match calc.op {
        Pure::Rsq => by_lane(rows, calc, Rsq),
        Pure::Log2 => by_lane(rows, calc, Log2),
        Pure::Pow => by_lane(rows, calc, Pow),
        Pure::Sin => by_lane(rows, calc, Sin),
        Pure::Cos => by_lane(rows, calc, Cos),
        Pure::Lit => by_lane(rows, calc, Lit),
        _ => defined(rows, calc),
    }
}

#[inline(always)]
fn others(rows: &mut Grid<'_, u32>, calc: &Calc) {
    match (calc.op, calc.arith.rule) {
        (Pure::Fma, Rule::ZeroWins) => by_lane(rows, calc, ZeroWins(Pure::Fma)),
        _ => {
            named!(rows, calc, F32: Rcp Rcc Sqrt Exp2 Exp2Floor Exponent Mantissa Fract Floor Ceil Trunc RoundEven Sign Div ToI32
            ToU32);
        }
    }
}

#[inline(always)]
fn flushed(rows: &mut Grid<'_, u32>, calc: &Calc) {
    match (calc.op, calc.arith.rule) {
        (Pure::Mul, Rule::ZeroWins) => finished!(rows, calc, MulZeroFlushed),
        (Pure::Mul, _) => finished!(rows, calc, MulFlushed),
        (Pure::Add, _) => finished!(rows, calc, AddFlushed),
        (Pure::Sub, _) => finished!(rows, calc, SubFlushed),
        (Pure::Div, _) => finished!(rows, calc, DivFlushed),
        (Pure::Rcp, _) => finished!(rows, calc, RcpFlushed),
        (Pure::Dot, Rule::ZeroWins) => products!(rows, calc, ProductsFlushed, true),
        (Pure::Dot, _) => products!(rows, calc, ProductsFlushed, false),
        _ => defined(rows, calc),
    }
}

#[inline(always)]
fn others_flushed(rows: &mut Grid<'_, u32>, calc: &Calc) {
    // Those with a kernel of their own first; the rules differ in nothing but denormals.
    macro_rules! flushed {
        ($($Own:ident)*; $($V:ident)*) => {
            match calc.op {
                $(op @ Pure::$Own => by_lane(rows, calc, Flushed { op, kernel: $Own }),)*
                $(op @ Pure::$V => by_lane(rows, calc, Flushed { op, kernel: F32(Pure::$V) }),)*
                _ => defined(rows, calc),
            }
        };
    }
    flushed!(Rsq Log2 Pow Sin Cos Lit; Min Max Lt Ge Eq Ne Saturate Rcc Sqrt Exp2 Exp2Floor Exponent Mantissa Fract Floor Ceil Trunc
        RoundEven Sign ToI32 ToU32);
}

#[inline(always)]
fn nv20_all(rows: &mut Grid<'_, u32>, calc: &Calc) {
    match calc.op {
        Pure::Dot if !calc.arith.flush => products!(rows, calc, Nv20Products),
        Pure::Add => by_lane(rows, calc, Nv20Add),
        _ => named!(rows, calc, Nv20: Mul Min Max Lt Ge Neg),
    }
}

#[inline(always)]
fn integers(rows: &mut Grid<'_, u32>, calc: &Calc) {
    if calc.scalar == Scalar::I32 {
        named!(rows, calc, I32: Neg Abs Add Sub Mul Min Max And Or Xor Not Shl Shr Lt Ge Eq Ne Select ToF32);
    } else {
        named!(rows, calc, U32: Add Sub Mul Min Max And Or Xor Not Shl Shr Lt Ge Eq Ne Select ToF32);
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
    let Some((out, others)) = rows.take(to) else { return };
    let args = [calc.args[0], calc.args[1]].map(|arg| arg.map(|row| others.get(row)));
    for (at, out) in out.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
        let word = |of: Option<&[Chunk<W>]>| {
            let of = of.map(|of| of.as_flattened().as_flattened());
            of.and_then(|of| of.get(at)).copied().unwrap_or_default()
        };
        let [a, b] = args.map(|arg| arg.map(word));
        *out = calc.op.eval_reduce(calc.scalar, calc.arith, a, b, lanes);
    }
}
