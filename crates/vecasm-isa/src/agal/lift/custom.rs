//! The instructions that are not one operation by lane: the `Custom` rows of the table.

use super::{Ifg, Level, Lifter, Numerics, Refusal, TEMPORARY};
use crate::agal::program::{Source, Token};
use crate::lift::{EMPTY, Kit, Lanes, broadcast, pick_masked};
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Home, If, Node, Op, Pure, Region, Scalar, Slope, Type};
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
    l.open_if(t, Pure::Eq)
}

pub(in crate::agal) fn ine(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.open_if(t, Pure::Ne)
}

pub(in crate::agal) fn ifg(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    if l.options.ifg == Ifg::GreaterEqual {
        return l.open_if(t, Pure::Ge);
    }
    // a > b is b < a.
    let swapped = Token { src1: t.src2, src2: t.src1, ..*t };
    l.open_if(&swapped, Pure::Lt)
}

pub(in crate::agal) fn ifl(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    l.open_if(t, Pure::Lt)
}

pub(in crate::agal) fn els(l: &mut Lifter<'_>, _: &Token) -> Result<(), Refusal> {
    let Some(frame) = l.frames.last_mut() else {
        return Err(Refusal::new("AGAL3623", "els without a conditional"));
    };
    if frame.then.is_some() {
        return Err(Refusal::new("AGAL3752", "a second els in the same conditional"));
    }
    let region = l.b.close(&[]);
    frame.then = Some((region, core::mem::replace(&mut l.temps, frame.before.clone())));
    l.b.open();
    Ok(())
}

pub(in crate::agal) fn eif(l: &mut Lifter<'_>, _: &Token) -> Result<(), Refusal> {
    let Some(frame) = l.frames.pop() else {
        return Err(Refusal::new("AGAL3623", "eif without a conditional"));
    };
    let last = l.b.close(&[]);
    let last_temps = core::mem::take(&mut l.temps);
    let (then, then_temps, otherwise, else_temps) = match frame.then {
        Some((then, temps)) => (then, temps, last, last_temps),
        None => (last, last_temps, Region::default(), frame.before),
    };
    let at = |temps: &[Lanes], i: usize| temps.get(i).copied().unwrap_or(EMPTY);
    let count = then_temps.len().max(else_temps.len());
    let mut merged = Vec::with_capacity(count);
    let mut joins: Vec<(usize, WriteMask)> = Vec::new();
    for i in 0..count {
        let (a, b) = (at(&then_temps, i), at(&else_temps, i));
        let mut mask = 0;
        for lane in 0..4 {
            if a[lane] != b[lane] {
                mask |= 1 << lane;
            }
        }
        if mask != 0 {
            joins.push((i, WriteMask::from_bits(mask)));
        }
        merged.push(a);
    }
    let arm = |l: &mut Lifter<'_>, region: Region, temps: &[Lanes]| {
        l.b.reopen(region);
        let mut yields = Vec::with_capacity(joins.len());
        for (i, mask) in &joins {
            yields.push(l.gather(Scalar::F32, pick_masked(&at(temps, *i), *mask)));
        }
        l.b.close(&yields)
    };
    let then = arm(l, then, &then_temps);
    let otherwise = arm(l, otherwise, &else_temps);
    let mut results = Vec::with_capacity(joins.len());
    for (i, mask) in &joins {
        let home = Home { file: TEMPORARY, index: *i as u16 };
        let value = l.b.value(Type::new(Scalar::F32, mask.count() as u8), Some(home));
        for (k, lane) in mask.lanes().enumerate() {
            merged[*i][lane] = Some((value, k as u8));
        }
        results.push(value);
    }
    l.temps = merged;
    l.b.node(Node::If(Box::new(If { cond: frame.cond, then, otherwise, results })));
    Ok(())
}

pub(in crate::agal) fn kil(l: &mut Lifter<'_>, t: &Token) -> Result<(), Refusal> {
    let x = l.source(t.src1, WriteMask::X)?;
    let zero = Arg::whole(l.zero(Scalar::F32), 1);
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
