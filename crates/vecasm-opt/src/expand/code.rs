//! Writing expressions on 32-bit integers.

use crate::rewrite::Rewrite;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Op, Pure, Scalar, Type};
use vecasm_ir::operand::Swizzle;

/// Appends operations on values of one number of lanes.
pub(super) struct Code<'r, 'a> {
    pub(super) rw: &'r mut Rewrite<'a>,
    lanes: u8,
}

macro_rules! operations {
    ($($name:ident $Op:ident ($($arg:ident),+);)*) => {
        $(pub(super) fn $name(&mut self, $($arg: Arg),+) -> Arg {
            self.rw.b.pure(Pure::$Op, &[$($arg),+])
        })*
    };
}

impl<'r, 'a> Code<'r, 'a> {
    pub(super) fn new(rw: &'r mut Rewrite<'a>, lanes: u8) -> Self {
        Self { rw, lanes }
    }

    fn splat(&mut self, bits: u32, scalar: Scalar) -> Arg {
        let one = self.rw.constant([bits, 0, 0, 0], Type::new(scalar, 1));
        Arg { value: one.value, swizzle: Swizzle::splat(0), lanes: self.lanes }
    }

    /// A u32.
    pub(super) fn u(&mut self, bits: u32) -> Arg {
        self.splat(bits, Scalar::U32)
    }

    /// An i32.
    pub(super) fn i(&mut self, value: i32) -> Arg {
        self.splat(value as u32, Scalar::I32)
    }

    /// An f32.
    pub(super) fn f(&mut self, value: f32) -> Arg {
        self.splat(value.to_bits(), Scalar::F32)
    }

    operations! {
        add Add (a, b);
        sub Sub (a, b);
        mul Mul (a, b);
        mul_high MulHigh (a, b);
        and And (a, b);
        or Or (a, b);
        xor Xor (a, b);
        not Not (a);
        shl Shl (a, n);
        shr Shr (a, n);
        lt Lt (a, b);
        ge Ge (a, b);
        eq Eq (a, b);
        ne Ne (a, b);
        min Min (a, b);
        max Max (a, b);
        select Select (c, a, b);
        as_u AsU32 (a);
        as_i AsI32 (a);
        as_f AsF32 (a);
        first_high FirstHigh (a);
    }

    /// `a + n` of i32.
    pub(super) fn plus(&mut self, a: Arg, n: i32) -> Arg {
        let n = self.i(n);
        self.add(a, n)
    }

    /// `a & mask` of u32.
    pub(super) fn mask(&mut self, a: Arg, mask: u32) -> Arg {
        let mask = self.u(mask);
        self.and(a, mask)
    }

    /// `a << n`.
    pub(super) fn left(&mut self, a: Arg, n: u32) -> Arg {
        let n = self.u(n);
        self.shl(a, n)
    }

    /// `a >> n`.
    pub(super) fn right(&mut self, a: Arg, n: u32) -> Arg {
        let n = self.u(n);
        self.shr(a, n)
    }

    /// Whether u32 bits are `bits`.
    pub(super) fn is(&mut self, a: Arg, bits: u32) -> Arg {
        let bits = self.u(bits);
        self.eq(a, bits)
    }

    /// Whether some bits of `mask` are set.
    pub(super) fn has(&mut self, a: Arg, mask: u32) -> Arg {
        let bits = self.mask(a, mask);
        let zero = self.u(0);
        self.ne(bits, zero)
    }

    /// Entry `index` (u32, in range) of a table of words; their number is a power of two from 4 on. A tree of
    /// selections: four words at a
    /// time by the high bits of the index, then by the low two.
    pub(super) fn table(&mut self, words: &[u32], index: Arg) -> Arg {
        let lanes = self.lanes;
        let mut found = [index; 4];
        for (lane, found) in found.iter_mut().enumerate().take(usize::from(lanes)) {
            let one = Arg { value: index.value, swizzle: Swizzle::splat(index.swizzle.get(lane)), lanes: 1 };
            self.lanes = 1;
            *found = self.entry(words, one);
        }
        self.lanes = lanes;
        if lanes == 1 {
            return found[0];
        }
        let ty = Type::new(Scalar::U32, lanes);
        Arg::all_lanes(self.rw.b.push(Op::Compose, &found[..usize::from(lanes)], ty), lanes)
    }

    fn entry(&mut self, words: &[u32], index: Arg) -> Arg {
        let mut level: Vec<Arg> = words
            .chunks(4)
            .map(|four| {
                let mut bits = [0; 4];
                bits.iter_mut().zip(four).for_each(|(to, from)| *to = *from);
                self.rw.constant(bits, Type::new(Scalar::U32, 4))
            })
            .collect();
        let mut bit = 4;
        while level.len() > 1 {
            let odd = self.has(index, bit);
            level = level
                .chunks(2)
                .map(|pair| if let [a, b] = pair { self.select(odd, *b, *a) } else { pair[0] })
                .collect();
            bit <<= 1;
        }
        let Some(&four) = level.first() else { return index };
        let lanes = |of: Arg, x: u8, y: u8, lanes: u8| Arg {
            value: of.value,
            swizzle: Swizzle::new(of.swizzle.get(usize::from(x)), of.swizzle.get(usize::from(y)), 0, 0),
            lanes,
        };
        let high = self.has(index, 2);
        let two = self.select(high, lanes(four, 2, 3, 2), lanes(four, 0, 1, 2));
        let odd = self.has(index, 1);
        self.select(odd, lanes(two, 1, 1, 1), lanes(two, 0, 0, 1))
    }

    /// The product of a word and a word: low and high word.
    pub(super) fn wide_mul(&mut self, a: Arg, b: Arg) -> (Arg, Arg) {
        (self.mul(a, b), self.mul_high(a, b))
    }

    /// `high · 2^32` minus a number of two words, modulo 2^64.
    pub(super) fn wide_from(&mut self, high: u32, (low, rest): (Arg, Arg)) -> (Arg, Arg) {
        let zero = self.u(0);
        let new_low = self.sub(zero, low);
        let borrows = self.ne(low, zero);
        let one = self.u(1);
        let borrow = self.select(borrows, one, zero);
        let high = self.u(high);
        let high = self.sub(high, rest);
        (new_low, self.sub(high, borrow))
    }

    /// A number of two words times a word, modulo 2^64.
    pub(super) fn wide_times(&mut self, (low, high): (Arg, Arg), by: Arg) -> (Arg, Arg) {
        let (new_low, carry) = self.wide_mul(low, by);
        let high = self.mul(high, by);
        (new_low, self.add(high, carry))
    }
}
