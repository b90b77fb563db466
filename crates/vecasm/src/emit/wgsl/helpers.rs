//! Functions that the written code calls.

use super::interface::type_name;
use crate::ir::{Scalar, Type};
use alloc::format;
use alloc::string::{String, ToString};

/// Functions that the written code calls.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// `bits_to_f32`
    pub(super) bits: bool,
    /// `pow_ieee`, by lane count.
    pub(super) pow: [bool; 5],
}

impl Helpers {
    /// Appends the functions that were called.
    pub(super) fn write(&self, out: &mut String) {
        for (lanes, used) in self.pow.iter().enumerate() {
            if *used {
                pow_helper(out, lanes as u8);
            }
        }
        if self.bits || self.pow.contains(&true) {
            // A call is no constant expression, so that NaN, infinities and denormals get through.
            out.push_str("\nfn bits_to_f32(bits: u32) -> f32 {\n    return bitcast<f32>(bits);\n}\n");
        }
    }
}

/// `pow` of IEEE 754: 1 for the exponent 0, the sign of an odd power, NaN for a negative finite base with a broken
/// exponent.
fn pow_helper(out: &mut String, lanes: u8) {
    let ty = |scalar| type_name(Type::new(scalar, lanes));
    let (float, uint) = (ty(Scalar::F32), ty(Scalar::U32));
    let splat = |ty: &str, value: &str| if lanes > 1 { format!("{ty}({value})") } else { value.to_string() };
    let suffix = if lanes > 1 { format!("_{lanes}") } else { String::new() };
    let (one, half, zero) = (splat(float, "1.0"), splat(float, "0.5"), splat(float, "0.0"));
    let nan = splat(float, "bits_to_f32(0x7fc00000u)");
    let sign = splat(uint, "0x80000000u");
    let lowest = splat(float, "-0x1.fffffep+127");
    out.push_str(&format!(
        "
fn pow_ieee{suffix}(base: {float}, exponent: {float}) -> {float} {{
    let magnitude = pow(abs(base), exponent);
    let negative = (bitcast<{uint}>(base) & {sign}) == {sign};
    let odd = fract(exponent * 0.5) == {half};
    let broken = (base < {zero}) & (base >= {lowest}) & (exponent != floor(exponent));
    let signed = select(magnitude, -magnitude, negative & odd);
    return select(select(signed, {nan}, broken), {one}, exponent == {zero});
}}
"
    ));
}
