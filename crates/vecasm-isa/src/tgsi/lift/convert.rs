//! Numbers to integers.

use super::{Conversion, Fault, Lifter, lane};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Pure, Scalar};

/// Floats without their fractions as integers of a type. Out of range the language leaves open what comes: here the nearest
/// integer, and 0 for NaN; or (`x86`) what the instructions of x86-64 give that C is compiled to.
pub(super) fn to_integer(b: &mut Builder, x: Arg, to: Scalar, x86: bool) -> Arg {
    let saturating = match to {
        Scalar::U32 => Pure::ToU32,
        Scalar::I64 => Pure::ToI64,
        Scalar::U64 => Pure::ToU64,
        _ => Pure::ToI32,
    };
    if !x86 {
        return b.pure(saturating, &[x]);
    }
    let double = b.shader.arg_type(x).scalar == Scalar::F64;
    match to {
        Scalar::I32 => truncated(b, x, Pure::ToI32),
        Scalar::I64 => truncated(b, x, Pure::ToI64),
        // The low word of the signed 64-bit integer.
        Scalar::U32 if double => {
            let whole = truncated(b, x, Pure::ToI64);
            b.pure(Pure::Low64, &[whole])
        }
        // Below half of the range as a signed integer; else that much less, with the highest bit changed.
        _ => {
            let (signed, unsigned) =
                if to == Scalar::U32 { (Pure::ToI32, Pure::AsU32) } else { (Pure::ToI64, Pure::AsU64) };
            let half = lane::power(b, x, if to == Scalar::U32 { 31 } else { 63 });
            let less = b.pure(Pure::Sub, &[x, half]);
            let [low, high] = [x, less].map(|x| truncated(b, x, signed));
            let most = lane::sign_bit(b, high);
            let high = b.pure(Pure::Xor, &[high, most]);
            let large = b.pure(Pure::Ge, &[x, half]);
            let result = b.pure(Pure::Select, &[large, high, low]);
            b.pure(unsigned, &[result])
        }
    }
}

/// `cvttss2si` and its kin: a signed integer; the least one if the value does not fit, or is NaN.
fn truncated(b: &mut Builder, x: Arg, to: Pure) -> Arg {
    let result = b.pure(to, &[x]);
    let most = lane::power(b, x, if to == Pure::ToI32 { 31 } else { 63 });
    // Values below the range saturate to the least one.
    let fits = b.pure(Pure::Lt, &[x, most]);
    let least = lane::sign_bit(b, result);
    b.pure(Pure::Select, &[fits, result, least])
}

impl Lifter<'_> {
    /// Whether floats out of range become integers as x86-64 does it.
    pub(super) fn is_x86(&self) -> bool {
        self.options.compat.has(Fault::Conversion) || self.options.switches.conversion == Conversion::X86
    }

    /// Floats without their fractions as integers of a type.
    pub(super) fn integer(&mut self, x: Arg, to: Scalar) -> Arg {
        let x86 = self.is_x86();
        to_integer(&mut self.b, x, to, x86)
    }
}
