//! Functions that the written code calls, for operations that a language has not, or not as exactly.
//!
//! Each is written for one lane; for several lanes there is one more, `NAME_3`, that calls it for each. Behind its head
//! stands the body in WGSL, then that in a language like C.

use super::language::Language;
use crate::common::Starts;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::{Atomic, Dim, Pure, Scalar, Type};
use vecasm_ir::operand::LANES;

macro_rules! helpers {
    (@or) => { None };
    (@or $($line:literal)+) => { Some(&[$($line),+]) };
    (@option) => { None };
    (@option $V:ident) => { Some(Self::$V) };
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal ($($param:ident $P:ident),+) -> $R:ident
        $(needs $Need:ident)? { $($line:literal)* } { $($of_c:literal)* }
        $(or { $($without_bits:literal)* })?)*) => {
        /// A function that the written code may call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Helper { $($(#[doc = $doc])+ $V,)* }

        impl Helper {
            const ALL: &'static [Self] = &[$(Self::$V),*];

            /// Its name for one lane.
            pub(super) const fn name(self) -> &'static str { match self { $(Self::$V => $name,)* } }

            const fn params(self) -> &'static [(&'static str, Scalar)] {
                match self { $(Self::$V => &[$((stringify!($param), Scalar::$P)),+],)* }
            }

            const fn result(self) -> Scalar { match self { $(Self::$V => Scalar::$R,)* } }

            /// The function for one lane that it calls; it stands behind it in the table.
            const fn needs(self) -> Option<Self> {
                match self { $(Self::$V => helpers!(@option $($Need)?),)* }
            }

            const fn body(self) -> &'static [&'static str] { match self { $(Self::$V => &[$($line),*],)* } }

            /// The body in a language like C.
            const fn body_of_c(self) -> &'static [&'static str] {
                match self { $(Self::$V => &[$($of_c),*],)* }
            }

            /// The body where floats have [no bits](Language::has_bits), if it differs from that of C.
            const fn body_without_bits(self) -> Option<&'static [&'static str]> {
                match self { $(Self::$V => helpers!(@or $($($without_bits)*)?),)* }
            }
        }
    };
}

helpers! {
    /// Of integers toward zero; x / 0 is 0. (WGSL says what the least integer / -1 is: itself.)
    DivI32 "div_i32" (a I32, b I32) -> I32 {
        "return select(a / b, 0, b == 0);"
    } {
        "if (b == 0) {"
        "    return 0;"
        "}"
        "// Of the magnitudes: what a negative operand gives is open."
        "uint x = a < 0 ? 0u - uint(a) : uint(a);"
        "uint y = b < 0 ? 0u - uint(b) : uint(b);"
        "return int((a < 0) != (b < 0) ? 0u - x / y : x / y);"
    }
    /// x / 0 is all ones.
    DivU32 "div_u32" (a U32, b U32) -> U32 {
        "return select(a / b, 0xffffffffu, b == 0u);"
    } {
        "return b == 0u ? 0xffffffffu : a / b;"
    }
    /// x rem 0 is all ones.
    RemI32 "rem_i32" (a I32, b I32) -> I32 {
        "return select(a % b, -1, b == 0);"
    } {
        "if (b == 0) {"
        "    return -1;"
        "}"
        "uint x = a < 0 ? 0u - uint(a) : uint(a);"
        "uint y = b < 0 ? 0u - uint(b) : uint(b);"
        "return int(a < 0 ? 0u - x % y : x % y);"
    }
    /// x rem 0 is all ones.
    RemU32 "rem_u32" (a U32, b U32) -> U32 {
        "return select(a % b, 0xffffffffu, b == 0u);"
    } {
        "return b == 0u ? 0xffffffffu : a % b;"
    }
    /// The high half of the product.
    MulHighI32 "mulhi_i32" (a I32, b I32) -> I32 needs MulHighU32 {
        "let high = mulhi_u32(bitcast<u32>(a), bitcast<u32>(b));"
        "// As an unsigned number a negative one is 2^32 larger."
        "return bitcast<i32>(high - select(0u, bitcast<u32>(b), a < 0) - select(0u, bitcast<u32>(a), b < 0));"
    } {
        "uint high = mulhi_u32(uint(a), uint(b));"
        "// As an unsigned number a negative one is 2^32 larger."
        "return int(high - (a < 0 ? uint(b) : 0u) - (b < 0 ? uint(a) : 0u));"
    }
    /// The high half of the product.
    MulHighU32 "mulhi_u32" (a U32, b U32) -> U32 {
        "let low = (a & 0xffffu) * (b & 0xffffu);"
        "let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);"
        "let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);"
        "return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);"
    } {
        "uint low = (a & 0xffffu) * (b & 0xffffu);"
        "uint middle = (a >> 16) * (b & 0xffffu) + (low >> 16);"
        "uint other = (a & 0xffffu) * (b >> 16) + (middle & 0xffffu);"
        "return (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);"
    }
    /// Direct3D 11's `ibfe`.
    BitExtractI32 "bit_extract_i32" (x I32, offset U32, count U32) -> I32 {
        "let start = offset & 31u;"
        "return extractBits(x, start, select(count & 31u, 32u, count == 32u && start == 0u));"
    } {
        "uint start = offset & 31u;"
        "uint n = count == 32u && start == 0u ? 32u : min(count & 31u, 32u - start);"
        "if (n == 0u) {"
        "    return 0;"
        "}"
        "return int(uint(x) << (32u - start - n)) >> (32u - n);"
    }
    /// Direct3D 11's `ubfe`.
    BitExtractU32 "bit_extract_u32" (x U32, offset U32, count U32) -> U32 {
        "let start = offset & 31u;"
        "return extractBits(x, start, select(count & 31u, 32u, count == 32u && start == 0u));"
    } {
        "uint start = offset & 31u;"
        "uint n = count == 32u && start == 0u ? 32u : min(count & 31u, 32u - start);"
        "if (n == 0u) {"
        "    return 0u;"
        "}"
        "return (x << (32u - start - n)) >> (32u - n);"
    }
    /// 32 bits and more are all of y.
    BitInsertI32 "bit_insert_i32" (x I32, y I32, offset U32, count U32) -> I32 {
        "return select(insertBits(x, y, offset & 31u, min(count, 31u)), y, count >= 32u);"
    } {
        "if (count >= 32u) {"
        "    return y;"
        "}"
        "uint start = offset & 31u;"
        "uint n = min(count, 32u - start);"
        "if (n == 0u) {"
        "    return x;"
        "}"
        "uint mask = (0xffffffffu >> (32u - n)) << start;"
        "return int((uint(x) & ~mask) | ((uint(y) << start) & mask));"
    }
    /// 32 bits and more are all of y.
    BitInsertU32 "bit_insert_u32" (x U32, y U32, offset U32, count U32) -> U32 {
        "return select(insertBits(x, y, offset & 31u, min(count, 31u)), y, count >= 32u);"
    } {
        "if (count >= 32u) {"
        "    return y;"
        "}"
        "uint start = offset & 31u;"
        "uint n = min(count, 32u - start);"
        "if (n == 0u) {"
        "    return x;"
        "}"
        "uint mask = (0xffffffffu >> (32u - n)) << start;"
        "return (x & ~mask) | ((y << start) & mask);"
    }
    /// Saturates to the last integer, not to the last float below it as WGSL does; NaN gives 0.
    ToI32 "f32_to_i32" (x F32) -> I32 {
        "let near = select(i32(x), 2147483647, x >= 2147483648.0);"
        "return select(near, 0, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);"
    } {
        "if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u) {"
        "    return 0;"
        "}"
        "if (x >= 2147483648.0) {"
        "    return 2147483647;"
        "}"
        "return x < -2147483648.0 ? -2147483647 - 1 : int(x);"
    } or {
        "if (x != x) {"
        "    return 0;"
        "}"
        "if (x >= 2147483648.0) {"
        "    return 2147483647;"
        "}"
        "return x < -2147483648.0 ? -2147483647 - 1 : int(x);"
    }
    /// Saturates to the last integer, not to the last float below it as WGSL does; NaN gives 0.
    ToU32 "f32_to_u32" (x F32) -> U32 {
        "let near = select(u32(x), 0xffffffffu, x >= 4294967296.0);"
        "return select(near, 0u, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);"
    } {
        "if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {"
        "    return 0u;"
        "}"
        "return x >= 4294967296.0 ? 0xffffffffu : uint(x);"
    } or {
        "if (!(x > 0.0)) {"
        "    return 0u;"
        "}"
        "return x >= 4294967296.0 ? 0xffffffffu : uint(x);"
    }
    /// From 65520 on an infinity, which WGSL leaves open.
    ToHalf "f32_to_half" (x F32) -> U32 {
        "let magnitude = bitcast<u32>(x) & 0x7fffffffu;"
        "let infinity = ((bitcast<u32>(x) >> 16u) & 0x8000u) | 0x7c00u;"
        "let half = select(pack2x16float(vec2f(x, 0.0)), infinity, magnitude >= 0x477ff000u);"
        "return select(half, 0x7e00u, magnitude > 0x7f800000u);"
    } {
        "uint bits = floatBitsToUint(x);"
        "uint magnitude = bits & 0x7fffffffu;"
        "uint sign = (bits >> 16) & 0x8000u;"
        "if (magnitude > 0x7f800000u) {"
        "    return 0x7e00u;"
        "}"
        "if (magnitude >= 0x477ff000u) {"
        "    return sign | 0x7c00u;"
        "}"
        "if (magnitude >= 0x38800000u) {"
        "    return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13);"
        "}"
        "if (magnitude <= 0x33000000u) {"
        "    return sign;"
        "}"
        "// A denormal: a multiple of 2^-24."
        "uint shift = 126u - (magnitude >> 23);"
        "uint significand = (magnitude & 0x7fffffu) | 0x800000u;"
        "uint half_bits = significand >> shift;"
        "uint rest = significand & ((1u << shift) - 1u);"
        "uint middle = 1u << (shift - 1u);"
        "bool up = rest > middle || (rest == middle && (half_bits & 1u) == 1u);"
        "return sign | (half_bits + (up ? 1u : 0u));"
    }
    /// The half in the low bits.
    FromHalf "half_to_f32" (x U32) -> F32 {
        "return unpack2x16float(x).x;"
    } {
        "uint sign = (x & 0x8000u) << 16;"
        "uint exponent = (x >> 10) & 31u;"
        "uint fraction = x & 0x3ffu;"
        "if (exponent == 31u) {"
        "    return uintBitsToFloat(sign | 0x7f800000u | (fraction << 13));"
        "}"
        "if (exponent > 0u) {"
        "    return uintBitsToFloat(sign | ((exponent + 112u) << 23) | (fraction << 13));"
        "}"
        "return uintBitsToFloat(sign | floatBitsToUint(float(fraction) * uintBitsToFloat(0x33800000u)));"
    }
    /// 1/x within 2^-64..=2^64.
    Rcc "rcc" (x F32) -> F32 {
        "let bits = bitcast<u32>(x);"
        "if ((bits & 0x7fffffffu) > 0x7f800000u) {"
        "    return x;"
        "}"
        "let magnitude = clamp(abs(1.0 / x), 0x1p-64, 0x1p+64);"
        "return bitcast<f32>(bitcast<u32>(magnitude) | (bits & 0x80000000u));"
    } {
        "uint bits = floatBitsToUint(x);"
        "if ((bits & 0x7fffffffu) > 0x7f800000u) {"
        "    return x;"
        "}"
        "float magnitude = clamp(abs(1.0 / x), uintBitsToFloat(0x1f800000u), uintBitsToFloat(0x5f800000u));"
        "return uintBitsToFloat(floatBitsToUint(magnitude) | (bits & 0x80000000u));"
    } or {
        "if (x != x) {"
        "    return x;"
        "}"
        "float magnitude = clamp(abs(1.0 / x), 5.421010862427522e-20, 18446744073709551616.0);"
        "return x < 0.0 || (x == 0.0 && 1.0 / x < 0.0) ? -magnitude : magnitude;"
    }
    /// floor(log2 |x|), exact.
    Exponent "exponent" (x F32) -> F32 {
        "let bits = bitcast<u32>(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return bitcast<f32>(select(bits, 0xff800000u, bits == 0u));"
        "}"
        "return f32(select(i32(bits >> 23u) - 127, i32(firstLeadingBit(bits)) - 149, bits < 0x00800000u));"
    } {
        "uint bits = floatBitsToUint(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return uintBitsToFloat(bits == 0u ? 0xff800000u : bits);"
        "}"
        "// A denormal is so many times 2^-149."
        "uint of = bits < 0x00800000u ? floatBitsToUint(float(bits)) : bits;"
        "return float(int(of >> 23) - (bits < 0x00800000u ? 276 : 127));"
    } or {
        "float value = abs(x);"
        "if (value == 0.0) {"
        "    return -1.0 / 0.0;"
        "}"
        "if (!(value <= 3.4028234663852886e+38)) {"
        "    return value;"
        "}"
        "// By powers of two, without rounding."
        "float exponent = 0.0;"
        "if (value >= 18446744073709551616.0) {"
        "    value = value * 5.421010862427522e-20;"
        "    exponent = exponent + 64.0;"
        "}"
        "if (value >= 4294967296.0) {"
        "    value = value * 2.3283064365386963e-10;"
        "    exponent = exponent + 32.0;"
        "}"
        "if (value >= 65536.0) {"
        "    value = value * 1.52587890625e-05;"
        "    exponent = exponent + 16.0;"
        "}"
        "if (value >= 256.0) {"
        "    value = value * 0.00390625;"
        "    exponent = exponent + 8.0;"
        "}"
        "if (value >= 16.0) {"
        "    value = value * 0.0625;"
        "    exponent = exponent + 4.0;"
        "}"
        "if (value >= 4.0) {"
        "    value = value * 0.25;"
        "    exponent = exponent + 2.0;"
        "}"
        "if (value >= 2.0) {"
        "    value = value * 0.5;"
        "    exponent = exponent + 1.0;"
        "}"
        "if (value < 1.0842021724855044e-19) {"
        "    value = value * 18446744073709551616.0;"
        "    exponent = exponent - 64.0;"
        "}"
        "if (value < 1.0842021724855044e-19) {"
        "    value = value * 18446744073709551616.0;"
        "    exponent = exponent - 64.0;"
        "}"
        "if (value < 4.656612873077393e-10) {"
        "    value = value * 4294967296.0;"
        "    exponent = exponent - 32.0;"
        "}"
        "if (value < 3.0517578125e-05) {"
        "    value = value * 65536.0;"
        "    exponent = exponent - 16.0;"
        "}"
        "if (value < 0.0078125) {"
        "    value = value * 256.0;"
        "    exponent = exponent - 8.0;"
        "}"
        "if (value < 0.125) {"
        "    value = value * 16.0;"
        "    exponent = exponent - 4.0;"
        "}"
        "if (value < 0.5) {"
        "    value = value * 4.0;"
        "    exponent = exponent - 2.0;"
        "}"
        "if (value < 1.0) {"
        "    value = value * 2.0;"
        "    exponent = exponent - 1.0;"
        "}"
        "return exponent;"
    }
    /// |x| / 2^exponent(x).
    Mantissa "mantissa" (x F32) -> F32 {
        "let bits = bitcast<u32>(x) & 0x7fffffffu;"
        "if (bits > 0x7f800000u) {"
        "    return x;"
        "}"
        "if (bits == 0u || bits == 0x7f800000u) {"
        "    return 1.0;"
        "}"
        "let shift = select(0u, 23u - firstLeadingBit(bits), bits < 0x00800000u);"
        "return bitcast<f32>(((bits << shift) & 0x007fffffu) | 0x3f800000u);"
    } {
        "uint bits = floatBitsToUint(x) & 0x7fffffffu;"
        "if (bits > 0x7f800000u) {"
        "    return x;"
        "}"
        "if (bits == 0u || bits == 0x7f800000u) {"
        "    return 1.0;"
        "}"
        "uint of = bits < 0x00800000u ? floatBitsToUint(float(bits)) : bits;"
        "return uintBitsToFloat((of & 0x007fffffu) | 0x3f800000u);"
    } or {
        "float value = abs(x);"
        "if (value != value) {"
        "    return x;"
        "}"
        "if (value == 0.0 || value > 3.4028234663852886e+38) {"
        "    return 1.0;"
        "}"
        "// By powers of two, without rounding."
        "if (value >= 18446744073709551616.0) {"
        "    value = value * 5.421010862427522e-20;"
        "}"
        "if (value >= 4294967296.0) {"
        "    value = value * 2.3283064365386963e-10;"
        "}"
        "if (value >= 65536.0) {"
        "    value = value * 1.52587890625e-05;"
        "}"
        "if (value >= 256.0) {"
        "    value = value * 0.00390625;"
        "}"
        "if (value >= 16.0) {"
        "    value = value * 0.0625;"
        "}"
        "if (value >= 4.0) {"
        "    value = value * 0.25;"
        "}"
        "if (value >= 2.0) {"
        "    value = value * 0.5;"
        "}"
        "if (value < 1.0842021724855044e-19) {"
        "    value = value * 18446744073709551616.0;"
        "}"
        "if (value < 1.0842021724855044e-19) {"
        "    value = value * 18446744073709551616.0;"
        "}"
        "if (value < 4.656612873077393e-10) {"
        "    value = value * 4294967296.0;"
        "}"
        "if (value < 3.0517578125e-05) {"
        "    value = value * 65536.0;"
        "}"
        "if (value < 0.0078125) {"
        "    value = value * 256.0;"
        "}"
        "if (value < 0.125) {"
        "    value = value * 16.0;"
        "}"
        "if (value < 0.5) {"
        "    value = value * 4.0;"
        "}"
        "if (value < 1.0) {"
        "    value = value * 2.0;"
        "}"
        "return value;"
    }
    /// In 0.5..1, with the sign of x.
    FrexpFraction "frexp_fraction" (x F32) -> F32 {
        "let bits = bitcast<u32>(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return x;"
        "}"
        "let shift = select(0u, 23u - firstLeadingBit(bits), bits < 0x00800000u);"
        "let sign = bitcast<u32>(x) & 0x80000000u;"
        "return bitcast<f32>(sign | ((bits << shift) & 0x007fffffu) | 0x3f000000u);"
    } {
        "uint bits = floatBitsToUint(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return x;"
        "}"
        "uint of = bits < 0x00800000u ? floatBitsToUint(float(bits)) : bits;"
        "uint sign = floatBitsToUint(x) & 0x80000000u;"
        "return uintBitsToFloat(sign | (of & 0x007fffffu) | 0x3f000000u);"
    }
    /// The exponent that belongs to it.
    FrexpExponent "frexp_exponent" (x F32) -> I32 {
        "let bits = bitcast<u32>(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return 0;"
        "}"
        "return select(i32(bits >> 23u) - 126, i32(firstLeadingBit(bits)) - 148, bits < 0x00800000u);"
    } {
        "uint bits = floatBitsToUint(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return 0;"
        "}"
        "uint of = bits < 0x00800000u ? floatBitsToUint(float(bits)) : bits;"
        "return int(of >> 23) - (bits < 0x00800000u ? 275 : 126);"
    }
    /// x · 2^n for every n.
    Ldexp "ldexp_exact" (x F32, n I32) -> F32 {
        "var value = x;"
        "var left = clamp(n, -400, 400);"
        "while (left > 127) {"
        "    value = value * 0x1p+127;"
        "    left = left - 127;"
        "}"
        "// By less than a denormal can lose, so that only the last step rounds."
        "while (left < -126) {"
        "    value = value * 0x1p-102;"
        "    left = left + 102;"
        "}"
        "return value * bitcast<f32>(u32(left + 127) << 23u);"
    } {
        "float value = x;"
        "int left = clamp(n, -400, 400);"
        "while (left > 127) {"
        "    value = value * uintBitsToFloat(0x7f000000u);"
        "    left = left - 127;"
        "}"
        "// By less than a denormal can lose, so that only the last step rounds."
        "while (left < -126) {"
        "    value = value * uintBitsToFloat(0x0c800000u);"
        "    left = left + 102;"
        "}"
        "return value * uintBitsToFloat(uint(left + 127) << 23);"
    }
    /// The layer that a coordinate means: the nearest one, halves up, of those that are there. Of a language like C.
    ArrayLayer "array_layer" (place F32, count U32) -> U32 {} {
        "return uint(clamp(floor(place + 0.5), 0.0, float(count - 1u)));"
    }
    /// For languages in which it is less than 1.
    Fract "fract_exact" (x F32) -> F32 {} {
        "return x - floor(x);"
    }
    /// -1, 0 or 1; of NaN 0. Of a language like C, as the next ones.
    SignF32 "sign_f32" (x F32) -> F32 {} {
        "return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);"
    }
    /// -1, 0 or 1.
    SignI32 "sign_i32" (x I32) -> I32 {} {
        "return x > 0 ? 1 : (x < 0 ? -1 : 0);"
    }
    /// The least integer is its own magnitude.
    AbsI32 "abs_i32" (x I32) -> I32 {} {
        "return x < 0 ? int(0u - uint(x)) : x;"
    }
    /// Whether the sign bit is set, of a number: for languages of C without bits, as the next ones.
    IsNegative "is_negative" (x F32) -> Bool {} {
        "return x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);"
    }
    /// Without the fraction.
    Trunc "truncate" (x F32) -> F32 {} {
        "return x < 0.0 ? ceil(x) : floor(x);"
    }
    /// The nearest whole number, ties to even.
    RoundEven "round_even" (x F32) -> F32 {} {
        "float low = floor(abs(x));"
        "float rest = abs(x) - low;"
        "bool up = rest > 0.5 || (rest == 0.5 && fract(low * 0.5) == 0.5);"
        "float near = up ? low + 1.0 : low;"
        "return near == 0.0 ? x * 0.0 : (x < 0.0 ? -near : near);"
    }
    /// For languages without it, which round twice.
    Fma "multiply_add" (a F32, b F32, c F32) -> F32 {} {
        "return a * b + c;"
    }
    /// Halves change places, then quarters, and so on.
    BitReverseI32 "reverse_i32" (x I32) -> I32 needs BitReverseU32 {} {
        "return int(reverse_u32(uint(x)));"
    }
    /// The same.
    BitReverseU32 "reverse_u32" (x U32) -> U32 {} {
        "x = (x >> 16) | (x << 16);"
        "x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);"
        "x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);"
        "x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);"
        "return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);"
    }
    /// How many bits are set.
    BitCount "count_bits" (x U32) -> I32 {} {
        "x = x - ((x >> 1) & 0x55555555u);"
        "x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);"
        "return int((((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);"
    }
    /// The lowest bit that is set; -1 for 0.
    FirstLow "first_low" (x U32) -> I32 needs FirstHighU32 {} {
        "return first_high_u32(x & (0u - x));"
    }
    /// The highest bit that differs from the sign; -1 if none does.
    FirstHighI32 "first_high_i32" (x I32) -> I32 needs FirstHighU32 {} {
        "return first_high_u32(uint(x < 0 ? ~x : x));"
    }
    /// The highest bit that is set; -1 for 0.
    FirstHighU32 "first_high_u32" (x U32) -> I32 {} {
        "// The exponents of the halves, which are floats without rounding."
        "uint part = x > 0xffffu ? x >> 16 : x;"
        "int high = int(floatBitsToUint(float(part)) >> 23) - 127;"
        "return x == 0u ? -1 : high + (x > 0xffffu ? 16 : 0);"
    }
    /// A zero factor wins over infinities and NaN.
    FmaZeroWins "fma_zero_wins" (a F32, b F32, c F32) -> F32 {
        "return select(fma(a, b, c), 0.0 + c, a == 0.0 || b == 0.0);"
    } {
        "return a == 0.0 || b == 0.0 ? 0.0 + c : fma(a, b, c);"
    }
    /// The same for languages without `fma`.
    MadZeroWins "mad_zero_wins" (a F32, b F32, c F32) -> F32 {} {
        "return a == 0.0 || b == 0.0 ? 0.0 + c : a * b + c;"
    }
    /// A zero factor wins over infinities and NaN.
    MulZeroWins "mul_zero_wins" (a F32, b F32) -> F32 {
        "return select(a * b, 0.0, a == 0.0 || b == 0.0);"
    } {
        "return a == 0.0 || b == 0.0 ? 0.0 : a * b;"
    }
    /// The specular factor of `lit`.
    Lit "lit_specular" (diffuse F32, specular F32, exponent F32) -> F32 needs Pow {
        "let base = select(0.0, specular, specular > 0.0);"
        "let power = select(-128.0, min(exponent, 128.0), exponent >= -128.0);"
        "return select(0.0, pow_ieee(base, power), diffuse > 0.0);"
    } {
        "float base = specular > 0.0 ? specular : 0.0;"
        "float power = exponent >= -128.0 ? min(exponent, 128.0) : -128.0;"
        "return diffuse > 0.0 ? pow_ieee(base, power) : 0.0;"
    }
    /// `pow` of IEEE 754: 1 for the exponent 0, the sign of an odd power, NaN for a negative finite base with a broken
    /// exponent. Vectors have a text of their own.
    Pow "pow_ieee" (base F32, exponent F32) -> F32 needs Bits {} {
        "if (exponent == 0.0) {"
        "    return 1.0;"
        "}"
        "bool broken = exponent != floor(exponent) && base >= uintBitsToFloat(0xff7fffffu);"
        "if (base < 0.0 && broken) {"
        "    return uintBitsToFloat(0x7fc00000u);"
        "}"
        "float magnitude = pow(abs(base), exponent);"
        "bool odd = fract(exponent * 0.5) == 0.5;"
        "return floatBitsToUint(base) >> 31 == 1u && odd ? -magnitude : magnitude;"
    } or {
        "if (exponent == 0.0) {"
        "    return 1.0;"
        "}"
        "bool broken = exponent != floor(exponent) && base >= -3.4028234663852886e+38;"
        "if (base < 0.0 && broken) {"
        "    return 0.0 / 0.0;"
        "}"
        "float magnitude = pow(abs(base), exponent);"
        "bool odd = fract(exponent * 0.5) == 0.5;"
        "bool negative = base < 0.0 || (base == 0.0 && 1.0 / base < 0.0);"
        "return negative && odd ? -magnitude : magnitude;"
    }
    /// A double of its words. Of 64 bits, as the next ones: for languages like C that have such types.
    PackF64 "pack_f64" (low U32, high U32) -> F64 {} {
        "return packDouble2x32(uvec2(low, high));"
    }
    /// The low word of a double.
    LowF64 "low_f64" (x F64) -> U32 {} {
        "return unpackDouble2x32(x).x;"
    }
    /// The high word of a double.
    HighF64 "high_f64" (x F64) -> U32 {} {
        "return unpackDouble2x32(x).y;"
    }
    /// A number of its words.
    PackU64 "pack_u64" (low U32, high U32) -> U64 {} {
        "return (uint64_t(high) << 32) | uint64_t(low);"
    }
    /// The bits of a double.
    BitsOfF64 "f64_to_bits" (x F64) -> U64 needs PackU64 {} {
        "return pack_u64(unpackDouble2x32(x).x, unpackDouble2x32(x).y);"
    }
    /// The double of these bits.
    BitsToF64 "bits_to_f64" (x U64) -> F64 {} {
        "return packDouble2x32(uvec2(uint(x), uint(x >> 32)));"
    }
    /// Saturates; NaN gives 0.
    F64ToI32 "f64_to_i32" (x F64) -> I32 {} {
        "if (x != x) {"
        "    return 0;"
        "}"
        "if (x >= 2147483648.0) {"
        "    return 2147483647;"
        "}"
        "return x < -2147483648.0 ? -2147483647 - 1 : int(x);"
    }
    /// Saturates; NaN gives 0.
    F64ToU32 "f64_to_u32" (x F64) -> U32 {} {
        "if (!(x > 0.0)) {"
        "    return 0u;"
        "}"
        "return x >= 4294967296.0 ? 0xffffffffu : uint(x);"
    }
    /// Saturates; NaN gives 0.
    F64ToI64 "f64_to_i64" (x F64) -> I64 {} {
        "if (x != x) {"
        "    return 0L;"
        "}"
        "if (x >= 9223372036854775808.0) {"
        "    return 9223372036854775807L;"
        "}"
        "return x < -9223372036854775808.0 ? -9223372036854775807L - 1L : int64_t(x);"
    }
    /// Saturates; NaN gives 0.
    F64ToU64 "f64_to_u64" (x F64) -> U64 {} {
        "if (!(x > 0.0)) {"
        "    return 0UL;"
        "}"
        "return x >= 18446744073709551616.0 ? 0xffffffffffffffffUL : uint64_t(x);"
    }
    /// Saturates; NaN gives 0.
    F32ToI64 "f32_to_i64" (x F32) -> I64 {} {
        "if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u) {"
        "    return 0L;"
        "}"
        "if (x >= 9223372036854775808.0) {"
        "    return 9223372036854775807L;"
        "}"
        "return x < -9223372036854775808.0 ? -9223372036854775807L - 1L : int64_t(x);"
    }
    /// Saturates; NaN gives 0.
    F32ToU64 "f32_to_u64" (x F32) -> U64 {} {
        "if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x <= 0.0) {"
        "    return 0UL;"
        "}"
        "return x >= 18446744073709551616.0 ? 0xffffffffffffffffUL : uint64_t(x);"
    }
    /// Toward zero; x / 0 is 0.
    DivI64 "div_i64" (a I64, b I64) -> I64 {} {
        "if (b == 0L) {"
        "    return 0L;"
        "}"
        "uint64_t x = a < 0L ? 0UL - uint64_t(a) : uint64_t(a);"
        "uint64_t y = b < 0L ? 0UL - uint64_t(b) : uint64_t(b);"
        "return int64_t((a < 0L) != (b < 0L) ? 0UL - x / y : x / y);"
    }
    /// x / 0 is all ones.
    DivU64 "div_u64" (a U64, b U64) -> U64 {} {
        "return b == 0UL ? 0xffffffffffffffffUL : a / b;"
    }
    /// x rem 0 is all ones.
    RemI64 "rem_i64" (a I64, b I64) -> I64 {} {
        "if (b == 0L) {"
        "    return -1L;"
        "}"
        "uint64_t x = a < 0L ? 0UL - uint64_t(a) : uint64_t(a);"
        "uint64_t y = b < 0L ? 0UL - uint64_t(b) : uint64_t(b);"
        "return int64_t(a < 0L ? 0UL - x % y : x % y);"
    }
    /// x rem 0 is all ones.
    RemU64 "rem_u64" (a U64, b U64) -> U64 {} {
        "return b == 0UL ? 0xffffffffffffffffUL : a % b;"
    }
    /// The least number is its own magnitude.
    AbsI64 "abs_i64" (x I64) -> I64 {} {
        "return x < 0L ? -x : x;"
    }
    /// -1, 0 or 1.
    SignI64 "sign_i64" (x I64) -> I64 {} {
        "return x > 0L ? 1L : (x < 0L ? -1L : 0L);"
    }
    /// The smaller one.
    MinI64 "min_i64" (a I64, b I64) -> I64 {} {
        "return b < a ? b : a;"
    }
    /// The larger one.
    MaxI64 "max_i64" (a I64, b I64) -> I64 {} {
        "return b > a ? b : a;"
    }
    /// The smaller one.
    MinU64 "min_u64" (a U64, b U64) -> U64 {} {
        "return b < a ? b : a;"
    }
    /// The larger one.
    MaxU64 "max_u64" (a U64, b U64) -> U64 {} {
        "return b > a ? b : a;"
    }
    /// x · 2^n for every n.
    LdexpF64 "ldexp_f64" (x F64, n I32) -> F64 {} {
        "double value = x;"
        "int left = clamp(n, -3000, 3000);"
        "while (left > 1023) {"
        "    value = value * packDouble2x32(uvec2(0u, 0x7fe00000u));"
        "    left = left - 1023;"
        "}"
        "// By less than a denormal can lose, so that only the last step rounds."
        "while (left < -1022) {"
        "    value = value * packDouble2x32(uvec2(0u, 0x03600000u));"
        "    left = left + 969;"
        "}"
        "return value * packDouble2x32(uvec2(0u, uint(left + 1023) << 20));"
    }
    /// In 0.5..1, with the sign of x.
    FrexpFractionF64 "frexp_fraction_f64" (x F64) -> F64 {} {
        "uint high = unpackDouble2x32(x).y & 0x7fffffffu;"
        "if ((high | unpackDouble2x32(x).x) == 0u || high >= 0x7ff00000u) {"
        "    return x;"
        "}"
        "// A denormal times 2^54 is none."
        "double value = high < 0x00100000u ? x * 18014398509481984.0 : x;"
        "uint low = unpackDouble2x32(value).x;"
        "return packDouble2x32(uvec2(low, (unpackDouble2x32(value).y & 0x800fffffu) | 0x3fe00000u));"
    }
    /// The exponent that belongs to it.
    FrexpExponentF64 "frexp_exponent_f64" (x F64) -> I32 {} {
        "uint high = unpackDouble2x32(x).y & 0x7fffffffu;"
        "if ((high | unpackDouble2x32(x).x) == 0u || high >= 0x7ff00000u) {"
        "    return 0;"
        "}"
        "double value = high < 0x00100000u ? x * 18014398509481984.0 : x;"
        "int exponent = int((unpackDouble2x32(value).y >> 20) & 0x7ffu);"
        "return exponent - (high < 0x00100000u ? 1076 : 1022);"
    }
    /// A call is no constant expression, so that NaN, infinities and denormals get through.
    Bits "bits_to_f32" (bits U32) -> F32 {
        "return bitcast<f32>(bits);"
    } {}
}

/// Functions that the written code calls.
#[derive(Debug, Default)]
pub(crate) struct Helpers {
    /// For each lane count: a bit for each [`Helper`].
    used: [u128; 5],
    /// Reductions of vectors, by lane count: `sum_3`, `dot_zero_wins_3`.
    pub(super) sum: [bool; 5],
    /// See [`sum`](Self::sum).
    pub(super) dot_zero_wins: [bool; 5],
    /// Choices between vectors by a vector: what of, and lanes.
    choices: Vec<(Scalar, u8)>,
    /// Vectors of bools taken together: whether both have to be true, and lanes.
    logic: Vec<(bool, u8)>,
    /// Whether floats have [no bits](Language::has_bits).
    pub(crate) no_bits: bool,
    /// Reads of one texel: shape, scalar, and whether it is a depth.
    fetches: Vec<(Dim, Scalar, bool)>,
    /// Functions on [pairs of words](super::soft), and whether of two lanes.
    pub(super) soft: Vec<(String, bool)>,
    /// Functions of one language alone.
    more: Vec<String>,
    /// Extensions of the language that are asked for.
    #[cfg(feature = "glsl")]
    pub(crate) asked: Vec<&'static str>,
}

/// Adds what a list does not hold.
fn note<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}

impl Helpers {
    /// Notes that a helper is called for vectors of that many lanes.
    pub(crate) fn call(&mut self, helper: Helper, lanes: u8) {
        if let Some(used) = self.used.get_mut(usize::from(lanes)) {
            *used |= 1 << helper as u32;
        }
    }

    fn calls(&self, helper: Helper, lanes: usize) -> bool {
        self.used.get(lanes).is_some_and(|used| used >> helper as u32 & 1 == 1)
    }

    /// The first helper from `at` on in the table that is called.
    fn next(&self, at: usize) -> Option<Helper> {
        let used = self.used.iter().fold(0, |all, used| all | used);
        let later = used.checked_shr(at as u32)?;
        Helper::ALL.get(at + later.trailing_zeros() as usize).copied()
    }

    /// Notes that a texel is read.
    pub(crate) fn fetch(&mut self, dim: Dim, scalar: Scalar, depth: bool) {
        note(&mut self.fetches, (dim, scalar, depth));
    }

    /// Notes that an extension is needed.
    #[cfg(feature = "glsl")]
    pub(crate) fn ask(&mut self, extension: &'static str) {
        note(&mut self.asked, extension);
    }

    /// Notes that a function of one language alone is called, given as its text.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
    pub(crate) fn more(&mut self, text: String) {
        note(&mut self.more, text);
    }

    /// Notes that `select_lanes` is called.
    pub(super) fn choose(&mut self, scalar: Scalar, lanes: u8) {
        note(&mut self.choices, (scalar, lanes));
    }

    /// Notes that `and_lanes` or `or_lanes` is called.
    pub(super) fn take_together(&mut self, op: Pure, lanes: u8) {
        note(&mut self.logic, (op == Pure::And, lanes));
    }

    /// Appends the functions that were called, each with an empty line before it. In a language like C a function stands
    /// before those that call it. `fetch` writes the function that reads a texel.
    pub(crate) fn write<L: Language>(
        mut self,
        out: &mut String,
        fetch: impl Fn(&mut String, Dim, Scalar, bool),
    ) {
        for (dim, scalar, depth) in core::mem::take(&mut self.fetches) {
            fetch(out, dim, scalar, depth);
        }
        super::soft::write::<L>(out, &self.soft);
        self.more.iter().for_each(|text| out.push_str(text));
        for &(scalar, lanes) in &self.choices {
            let params = [(scalar, "no"), (scalar, "yes"), (Scalar::Bool, "by")];
            each_lane::<L>(out, "select_lanes", scalar, &params, lanes, |lane| {
                format!("by.{lane} ? yes.{lane} : no.{lane}")
            });
        }
        for &(both, lanes) in &self.logic {
            let (name, operator) = if both { ("and_lanes", "&&") } else { ("or_lanes", "||") };
            let params = [(Scalar::Bool, "a"), (Scalar::Bool, "b")];
            each_lane::<L>(out, name, Scalar::Bool, &params, lanes, |lane| {
                format!("a.{lane} {operator} b.{lane}")
            });
        }
        let mut reductions = String::new();
        for lanes in 2..5 {
            if self.sum[lanes] {
                reduce::<L>(&mut reductions, "sum", &["v"], lanes, "");
            }
            if self.dot_zero_wins[lanes] {
                self.call(Helper::MulZeroWins, 1);
                reduce::<L>(&mut reductions, "dot_zero_wins", &["a", "b"], lanes, Helper::MulZeroWins.name());
            }
        }
        if !L::C {
            out.push_str(&reductions);
        }
        // A function stands behind those that call it in the table, and vectors before their lanes.
        let mut functions: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(helper) = self.next(at) {
            at = helper as usize + 1;
            for lanes in 2..5 {
                if self.calls(helper, lanes) {
                    let mut text = String::new();
                    // The vectors of `pow` are written out.
                    let whole = helper == Helper::Pow && !L::C;
                    self.call(if whole { Helper::Bits } else { helper }, 1);
                    vector::<L>(&mut text, helper, lanes as u8);
                    functions.push(text);
                }
            }
            if !self.calls(helper, 1) {
                continue;
            }
            if let Some(needs) = helper.needs().filter(|needs| !L::C || *needs != Helper::Bits) {
                self.call(needs, 1);
            }
            let mut text = String::new();
            if helper == Helper::Pow && !L::C {
                pow::<L>(&mut text, 1);
            } else {
                head::<L>(&mut text, helper, 1);
                let without_bits = helper.body_without_bits().filter(|_| self.no_bits);
                for line in without_bits.unwrap_or(if L::C { helper.body_of_c() } else { helper.body() }) {
                    text.push_str("    ");
                    let spelt = L::SPELT.iter().fold(Cow::Borrowed(*line), |line, (from, to)| {
                        if line.contains(from) { line.replace(from, to).into() } else { line }
                    });
                    text.push_str(&spelt);
                    text.push('\n');
                }
                text.push_str("}\n");
            }
            functions.push(text);
        }
        if L::C {
            functions.iter().rev().for_each(|text| out.push_str(text));
            out.push_str(&reductions);
        } else {
            functions.iter().for_each(|text| out.push_str(text));
        }
    }
}

/// A function of vectors of a language like C, lane by lane.
fn each_lane<L: Language>(
    out: &mut String,
    name: &str,
    result: Scalar,
    params: &[(Scalar, &str)],
    lanes: u8,
    of: impl Fn(char) -> String,
) {
    let result = L::type_name(Type::new(result, lanes));
    let params: Vec<String> = params
        .iter()
        .map(|(scalar, name)| format!("{} {name}", L::type_name(Type::new(*scalar, lanes))))
        .collect();
    let parts: Vec<String> = LANES[..usize::from(lanes.min(4))].iter().map(|lane| of(*lane)).collect();
    out.push_str(&format!(
        "\n{result} {name}({}) {{\n    return {result}({});\n}}\n",
        params.join(", "),
        parts.join(", ")
    ));
}

/// Functions that are no [`Helper`], by the first word of their names.
const FAMILIES: &[&str] = &["f64", "fetch", "i64", "load", "size", "store", "u128", "u64"];
/// Other functions that are no [`Helper`].
const OTHERS: &[&str] =
    &["read_invocation", "sum", "dot_zero_wins", "select_lanes", "and_lanes", "or_lanes", "texture_levels"];

/// Whether a name is one of a function that may be written.
pub(crate) fn is_name(name: &str) -> bool {
    if !STARTS.may_have(name) {
        return false;
    }
    let base = match name.as_bytes() {
        [.., b'_', b'2'..=b'4'] => &name[..name.len() - 2],
        _ => name,
    };
    if OTHERS.contains(&base) || Helper::ALL.iter().any(|helper| helper.name() == base) {
        return true;
    }
    let Some((first, _)) = name.split_once('_') else { return false };
    let of_atomic =
        |atomic: &Atomic| name.strip_prefix(atomic.name()).is_some_and(|rest| rest.starts_with('_'));
    FAMILIES.contains(&first) || Atomic::ALL.iter().any(of_atomic)
}

/// The starts of the names that [`is_name`] knows.
const STARTS: Starts = {
    let mut starts = Starts::new().and(FAMILIES).and(OTHERS);
    let mut i = 0;
    while i < Helper::ALL.len() {
        starts = starts.and(&[Helper::ALL[i].name()]);
        i += 1;
    }
    i = 0;
    while i < Atomic::ALL.len() {
        starts = starts.and(&[Atomic::ALL[i].name()]);
        i += 1;
    }
    starts
};

/// Appends the name of the function that reads a texel.
pub(crate) fn push_fetch(out: &mut String, dim: Dim, scalar: Scalar, depth: bool) {
    out.push_str("fetch_");
    if depth {
        out.push_str("depth_");
    }
    for c in dim.name().chars() {
        out.push(if c == '-' { '_' } else { c });
    }
    if scalar != Scalar::F32 {
        out.push('_');
        out.push_str(scalar.name());
    }
}

/// The name for vectors.
fn push_name(out: &mut String, name: &str, lanes: u8) {
    out.push_str(name);
    if lanes > 1 {
        out.push('_');
        out.push(char::from(b'0' + lanes));
    }
}

/// Appends the name of a helper for that many lanes.
pub(crate) fn push_helper(out: &mut String, helper: Helper, lanes: u8) {
    push_name(out, helper.name(), lanes);
}

fn head<L: Language>(out: &mut String, helper: Helper, lanes: u8) {
    let result = L::type_name(Type::new(helper.result(), lanes));
    out.push('\n');
    out.push_str(if L::C { result } else { "fn" });
    out.push(' ');
    push_helper(out, helper, lanes);
    out.push('(');
    for (i, (name, scalar)) in helper.params().iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        param::<L>(out, name, Type::new(*scalar, lanes));
    }
    if L::C {
        return out.push_str(") {\n");
    }
    out.push_str(") -> ");
    out.push_str(result);
    out.push_str(" {\n");
}

fn param<L: Language>(out: &mut String, name: &str, ty: Type) {
    if L::C {
        out.push_str(L::type_name(ty));
        out.push(' ');
        return out.push_str(name);
    }
    out.push_str(name);
    out.push_str(": ");
    out.push_str(L::type_name(ty));
}

/// The function for vectors: that for one lane, lane by lane.
fn vector<L: Language>(out: &mut String, helper: Helper, lanes: u8) {
    if helper == Helper::Pow && !L::C {
        return pow::<L>(out, lanes);
    }
    head::<L>(out, helper, lanes);
    out.push_str("    return ");
    out.push_str(L::type_name(Type::new(helper.result(), lanes)));
    out.push_str("(\n");
    let lanes = &LANES[..usize::from(lanes.min(4))];
    for (i, lane) in lanes.iter().enumerate() {
        out.push_str("        ");
        out.push_str(helper.name());
        push_lanes(out, helper.params().iter().map(|(name, _)| *name), *lane);
        out.push_str(if L::C && i + 1 == lanes.len() { "\n" } else { ",\n" });
    }
    out.push_str("    );\n}\n");
}

/// Appends one lane of each parameter, in parentheses.
fn push_lanes(out: &mut String, params: impl Iterator<Item = &'static str>, lane: char) {
    for (i, name) in params.enumerate() {
        out.push_str(if i == 0 { "(" } else { ", " });
        out.push_str(name);
        out.push('.');
        out.push(lane);
    }
    out.push(')');
}

/// A function of vectors that adds what a function gives for each lane, in ascending order; without a name, the lanes.
fn reduce<L: Language>(out: &mut String, name: &str, params: &[&'static str], lanes: usize, function: &str) {
    let float = L::type_name(Type::new(Scalar::F32, 1));
    out.push('\n');
    out.push_str(if L::C { float } else { "fn" });
    out.push(' ');
    push_name(out, name, lanes as u8);
    for (i, name) in params.iter().enumerate() {
        out.push_str(if i == 0 { "(" } else { ", " });
        param::<L>(out, name, Type::new(Scalar::F32, lanes as u8));
    }
    out.push(')');
    if !L::C {
        out.push_str(" -> ");
        out.push_str(float);
    }
    out.push_str(" {\n    return ");
    for (i, lane) in LANES[..lanes.min(4)].iter().enumerate() {
        if i > 0 {
            out.push_str(" + ");
        }
        if let ([only], "") = (params, function) {
            out.push_str(only);
            out.push('.');
            out.push(*lane);
        } else {
            out.push_str(function);
            push_lanes(out, params.iter().copied(), *lane);
        }
    }
    out.push_str(";\n}\n");
}

/// `pow_ieee` in WGSL.
fn pow<L: Language>(out: &mut String, lanes: u8) {
    let ty = |scalar| L::type_name(Type::new(scalar, lanes));
    let (float, uint) = (ty(Scalar::F32), ty(Scalar::U32));
    let splat = |ty: &str, value: &str| if lanes > 1 { format!("{ty}({value})") } else { value.to_string() };
    let (one, half, zero) = (splat(float, "1.0"), splat(float, "0.5"), splat(float, "0.0"));
    let nan = splat(float, "bits_to_f32(0x7fc00000u)");
    let sign = splat(uint, "0x80000000u");
    let lowest = splat(float, "-0x1.fffffep+127");
    head::<L>(out, Helper::Pow, lanes);
    out.push_str(&format!(
        "    let magnitude = pow(abs(base), exponent);
    let negative = (bitcast<{uint}>(base) & {sign}) == {sign};
    let odd = fract(exponent * 0.5) == {half};
    let broken = (base < {zero}) & (base >= {lowest}) & (exponent != floor(exponent));
    let signed = select(magnitude, -magnitude, negative & odd);
    return select(select(signed, {nan}, broken), {one}, exponent == {zero});
}}
"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_known() {
        for helper in Helper::ALL {
            assert!(is_name(helper.name()), "{}", helper.name());
            assert!(is_name(&format!("{}_3", helper.name())));
        }
        assert!(is_name("sum_4") && is_name("fetch_2d") && is_name("load_b") && is_name("umin_b"));
        assert!(!is_name("ft0") && !is_name("fs0_sampler") && !is_name("oc") && !is_name("summary"));
    }
}
