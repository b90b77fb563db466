//! Patterns that instructions of several machines have.

use crate::machine::Pattern;
use vecasm_ir::ir::Pure;

pub(crate) const X: Pattern = Pattern::Source(0);
pub(crate) const Y: Pattern = Pattern::Source(1);
pub(crate) const Z: Pattern = Pattern::Source(2);
pub(crate) const ZERO: Pattern = Pattern::Number(0);
pub(crate) const MAGNITUDE: Pattern = Pattern::Op(Pure::Abs, &[X]);
pub(crate) const POSITIVE: Pattern = Pattern::Positive(0);
pub(crate) const PRODUCT: Pattern = Pattern::Op(Pure::Mul, &[X, Y]);

/// A sum with the opposite of its second source.
pub(crate) const DIFFERENCE: Pattern = Pattern::Op(Pure::Sub, &[X, Pattern::Minus(1)]);
/// A copy of the opposite of its source.
pub(crate) const OPPOSITE: Pattern = Pattern::Op(Pure::Neg, &[Pattern::Minus(0)]);
/// A product and a sum, rounded one after the other, with either sign.
pub(crate) const MULTIPLY_ADD: &[Pattern] = &[
    Pattern::Op(Pure::Add, &[PRODUCT, Z]),
    Pattern::Op(Pure::Sub, &[PRODUCT, Pattern::Minus(2)]),
    Pattern::Op(Pure::Sub, &[Z, Pattern::Op(Pure::Mul, &[Pattern::Minus(0), Y])]),
];
