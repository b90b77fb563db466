//! The instructions that are not one operation by lane: the `Custom` rows of the table.

use super::{Ifg, Level, Lifter, Numerics, Refusal};
use crate::agal::program::{Source, Token};
use crate::lift::{ControlFlow, Kit, broadcast};
use vecasm_ir::ir::{Arg, Op, Pure, Scalar, Slope};
use vecasm_ir::operand::{Swizzle, WriteMask};

pub(in crate::agal) fn mov(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    let mask = t.dest.mask();
    if mask == WriteMask::NONE {
        return Ok(());
    }
    let value = l.source(t.src1, mask)?;
    l.write(t.dest, mask, value)
}

pub(in crate::agal) fn sqt(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.unary_of_magnitude(t, Pure::Sqrt)
}

pub(in crate::agal) fn rsq(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.unary_of_magnitude(t, Pure::Rsq)
}

pub(in crate::agal) fn log(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.unary_of_magnitude(t, Pure::Log2)
}

pub(in crate::agal) fn pow(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    let mask = t.dest.mask();
    if mask == WriteMask::NONE {
        return Ok(());
    }
    let mut base = l.source(t.src1, mask)?;
    let exponent = l.source(t.src2, mask)?;
    if l.options.numerics == Numerics::Flash {
        base = l.b.pure(Pure::Abs, &[base]);
    }
    let result = l.b.pure(Pure::Pow, &[base, exponent]);
    l.write(t.dest, mask, result)
}

pub(in crate::agal) fn nrm(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    let mask = WriteMask::from_bits(t.dest.mask().bits() & WriteMask::XYZ.bits());
    if mask == WriteMask::NONE {
        return Ok(());
    }
    let vector = l.source(t.src1, WriteMask::XYZ)?;
    let square = l.b.pure(Pure::Dot, &[vector, vector]);
    let scale = l.b.pure(Pure::Rsq, &[square]);
    let lanes = l.source(t.src1, mask)?;
    let result = l.b.pure(Pure::Mul, &[lanes, broadcast(scale, mask.count() as u8)]);
    l.write(t.dest, mask, result)
}

pub(in crate::agal) fn crs(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    let mask = WriteMask::from_bits(t.dest.mask().bits() & WriteMask::XYZ.bits());
    if mask == WriteMask::NONE {
        return Ok(());
    }
    // Lane i is a[i+1]·b[i+2] − a[i+2]·b[i+1], indices modulo 3.
    let next = Swizzle::new(1, 2, 0, 3);
    let after = Swizzle::new(2, 0, 1, 3);
    let mut turned = |source: Source, by: Swizzle| {
        let s = source.swizzle();
        let lane = |i: usize| s.get(usize::from(by.get(i)));
        let bits = Swizzle::new(lane(0), lane(1), lane(2), lane(3)).bits();
        l.source(Source(source.0 & !0xff00_0000 | u64::from(bits) << 24), mask)
    };
    let (a1, b2) = (turned(t.src1, next)?, turned(t.src2, after)?);
    let (a2, b1) = (turned(t.src1, after)?, turned(t.src2, next)?);
    let left = l.b.pure(Pure::Mul, &[a1, b2]);
    let right = l.b.pure(Pure::Mul, &[a2, b1]);
    let result = l.b.pure(Pure::Sub, &[left, right]);
    l.write(t.dest, mask, result)
}

pub(in crate::agal) fn m33(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.matrix(t, 3, 3)
}

pub(in crate::agal) fn m44(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.matrix(t, 4, 4)
}

pub(in crate::agal) fn m34(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.matrix(t, 3, 4)
}

pub(in crate::agal) fn ddx(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.derivative(t, Op::Ddx(Slope::Fine))
}

pub(in crate::agal) fn ddy(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.derivative(t, Op::Ddy(Slope::Fine))
}

pub(in crate::agal) fn ife(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.open_compared(t, Pure::Eq)
}

pub(in crate::agal) fn ine(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.open_compared(t, Pure::Ne)
}

pub(in crate::agal) fn ifg(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    if l.options.ifg == Ifg::GreaterEqual {
        return l.open_compared(t, Pure::Ge);
    }
    // a > b is b < a.
    let swapped = Token { src1: t.src2, src2: t.src1, ..*t };
    l.open_compared(&swapped, Pure::Lt)
}

pub(in crate::agal) fn ifl(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.open_compared(t, Pure::Lt)
}

pub(in crate::agal) fn els(l: &mut Lifter<'_>, _: &Token) -> Result<(), Refusal> {
    l.open_else()
}

pub(in crate::agal) fn eif(l: &mut Lifter<'_>, _: &Token) -> Result<(), Refusal> {
    l.close_if()
}

pub(in crate::agal) fn kil(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    let x = l.source(t.src1, WriteMask::X)?;
    let zero = Arg::all_lanes(l.zero(Scalar::F32), 1);
    let test = l.b.pure(Pure::Lt, &[x, zero]);
    l.b.effect(Op::Demote, &[test]);
    Ok(())
}

pub(in crate::agal) fn tex(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.sample(t, None)
}

pub(in crate::agal) fn ted(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.sample(t, Some(Level::LaneW))
}

pub(in crate::agal) fn tld(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.sample(t, Some(Level::Bias))
}
