//! Which products need no look at zero: those whose factors cannot be a zero and an infinity or NaN.
//!
//! Under [`Rule::ZeroWins`] a zero factor gives +0, whatever the other one is. That a plain product differs from it only in the
//! sign of a zero is known where one factor is a finite constant other than zero, and where both are finite: see
//! [`Ranges`].

use alloc::vec::Vec;
use vecasm_ir::ir::{Inst, Rule, Shader};
use vecasm_opt::{Range, Ranges, number, overlay, relax};

/// Whether the look at zero changes nothing about a product but the sign of a zero.
fn is_plain(a: Range, b: Range) -> bool {
    (a.is_never_zero() || b.is_finite()) && (b.is_never_zero() || a.is_finite())
}

/// About how many letters a statement has beside what it computes, `vec4 a = …;`, and some more, so that no text gets longer.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
pub(super) const STATEMENT: u32 = 26;

/// The shader with all arrays of constants from outside, without clamps that change nothing, with plain products unless zeros
/// keep their signs, and with [one value](number()) for equal operations, where a name costs `name` letters; `None` if nothing
/// changes.
pub(super) fn simpler(shader: &Shader, machine: bool, signed_zeros: bool, name: u32) -> Option<Shader> {
    let given = overlay(shader);
    let relaxed = relax(given.as_ref().unwrap_or(shader), false).or(given);
    let plain = if signed_zeros { None } else { plain_products(relaxed.as_ref().unwrap_or(shader), machine) };
    let plain = plain.or(relaxed);
    number(plain.as_ref().unwrap_or(shader), name).or(plain)
}

/// The shader with plain products where they differ from those of [`Rule::ZeroWins`] in nothing but the sign of a zero, or
/// everywhere, where `machine` says that the target multiplies by that rule itself. `None` if nothing changes.
fn plain_products(shader: &Shader, machine: bool) -> Option<Shader> {
    let mut any = false;
    shader.body.for_each_inst(&mut |inst| any |= inst.arith.rule == Rule::ZeroWins);
    if !any {
        return None;
    }
    let ranges = Ranges::of(shader);
    let mut plain = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if inst.arith.rule == Rule::ZeroWins && !inst.arith.flush {
            plain.push(machine || needs_no_look(shader, inst, &ranges));
        }
    });
    if !plain.contains(&true) {
        return None;
    }
    let mut out = shader.clone();
    let mut plain = plain.into_iter();
    out.body.for_each_inst_mut(&mut |inst| {
        if inst.arith.rule == Rule::ZeroWins && !inst.arith.flush && plain.next() == Some(true) {
            inst.arith.rule = Rule::Ieee;
        }
    });
    Some(out)
}

fn needs_no_look(shader: &Shader, inst: &Inst, ranges: &Ranges) -> bool {
    let [a, b, ..] = *shader.args(inst.args) else { return false };
    (0..usize::from(a.lanes.max(b.lanes))).all(|i| is_plain(ranges.lane(a, i), ranges.lane(b, i)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Range = Range { low: f32::NEG_INFINITY, high: f32::INFINITY, nan: true };

    #[test]
    fn a_product_is_plain_unless_a_zero_may_meet_what_is_not_finite() {
        let (two, zero, clamped) = (Range::of(2.0, 2.0), Range::of(0.0, 0.0), Range::of(0.0, 1.0));
        let infinite = Range { low: f32::INFINITY, high: f32::INFINITY, nan: false };
        for (a, b, plain) in [
            (two, ANY, true),
            (Range::of(-2.0, -2.0), ANY, true),
            (zero, ANY, false),
            (clamped, ANY, false),
            (clamped, clamped, true),
            (zero, clamped, true),
            // A zero beside an infinity, which is never zero itself.
            (infinite, clamped, false),
            (infinite, two, true),
            (infinite, ANY, false),
            // A denormal, which a GPU may take for zero.
            (Range::of(1e-40, 1e-40), ANY, false),
        ] {
            assert_eq!((is_plain(a, b), is_plain(b, a)), (plain, plain), "{a:?} {b:?}");
        }
    }
}
