//! Functions that the written code calls, for operations that WGSL has not, or not as exactly.
//!
//! Each is written for one lane; for several lanes there is one more, `NAME_3`, that calls it for each.

use super::interface::{push_texture_type, type_name};
use super::words::Starts;
use crate::ir::{Atomic, Dim, Scalar, Type};
use crate::isa::operand::LANES;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

macro_rules! helpers {
    (@option) => { None };
    (@option $V:ident) => { Some(Self::$V) };
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal ($($param:ident $P:ident),+) -> $R:ident
        $(needs $Need:ident)? { $($line:literal)* })*) => {
        /// A function that the written code may call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Helper { $($(#[doc = $doc])+ $V,)* }

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
        }
    };
}

helpers! {
    /// Of integers toward zero; x / 0 is 0. (WGSL says what the least integer / -1 is: itself.)
    DivI32 "div_i32" (a I32, b I32) -> I32 {
        "return select(a / b, 0, b == 0);"
    }
    /// x / 0 is all ones.
    DivU32 "div_u32" (a U32, b U32) -> U32 {
        "return select(a / b, 0xffffffffu, b == 0u);"
    }
    /// x rem 0 is all ones.
    RemI32 "rem_i32" (a I32, b I32) -> I32 {
        "return select(a % b, -1, b == 0);"
    }
    /// x rem 0 is all ones.
    RemU32 "rem_u32" (a U32, b U32) -> U32 {
        "return select(a % b, 0xffffffffu, b == 0u);"
    }
    /// The high half of the product.
    MulHighI32 "mulhi_i32" (a I32, b I32) -> I32 needs MulHighU32 {
        "let high = mulhi_u32(bitcast<u32>(a), bitcast<u32>(b));"
        "// As an unsigned number a negative one is 2^32 larger."
        "return bitcast<i32>(high - select(0u, bitcast<u32>(b), a < 0) - select(0u, bitcast<u32>(a), b < 0));"
    }
    /// The high half of the product.
    MulHighU32 "mulhi_u32" (a U32, b U32) -> U32 {
        "let low = (a & 0xffffu) * (b & 0xffffu);"
        "let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);"
        "let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);"
        "return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);"
    }
    /// Direct3D 11's `ibfe`.
    BitExtractI32 "bit_extract_i32" (x I32, offset U32, count U32) -> I32 {
        "let start = offset & 31u;"
        "return extractBits(x, start, select(count & 31u, 32u, count == 32u && start == 0u));"
    }
    /// Direct3D 11's `ubfe`.
    BitExtractU32 "bit_extract_u32" (x U32, offset U32, count U32) -> U32 {
        "let start = offset & 31u;"
        "return extractBits(x, start, select(count & 31u, 32u, count == 32u && start == 0u));"
    }
    /// 32 bits and more are all of y.
    BitInsertI32 "bit_insert_i32" (x I32, y I32, offset U32, count U32) -> I32 {
        "return select(insertBits(x, y, offset & 31u, min(count, 31u)), y, count >= 32u);"
    }
    /// 32 bits and more are all of y.
    BitInsertU32 "bit_insert_u32" (x U32, y U32, offset U32, count U32) -> U32 {
        "return select(insertBits(x, y, offset & 31u, min(count, 31u)), y, count >= 32u);"
    }
    /// Saturates to the last integer, not to the last float below it as WGSL does; NaN gives 0.
    ToI32 "f32_to_i32" (x F32) -> I32 {
        "let near = select(i32(x), 2147483647, x >= 2147483648.0);"
        "return select(near, 0, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);"
    }
    /// Saturates to the last integer, not to the last float below it as WGSL does; NaN gives 0.
    ToU32 "f32_to_u32" (x F32) -> U32 {
        "let near = select(u32(x), 0xffffffffu, x >= 4294967296.0);"
        "return select(near, 0u, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);"
    }
    /// From 65520 on an infinity, which WGSL leaves open.
    ToHalf "f32_to_half" (x F32) -> U32 {
        "let magnitude = bitcast<u32>(x) & 0x7fffffffu;"
        "let infinity = ((bitcast<u32>(x) >> 16u) & 0x8000u) | 0x7c00u;"
        "let half = select(pack2x16float(vec2f(x, 0.0)), infinity, magnitude >= 0x477ff000u);"
        "return select(half, 0x7e00u, magnitude > 0x7f800000u);"
    }
    /// The half in the low bits.
    FromHalf "half_to_f32" (x U32) -> F32 {
        "return unpack2x16float(x).x;"
    }
    /// 1/x within 2^-64..=2^64.
    Rcc "rcc" (x F32) -> F32 {
        "let bits = bitcast<u32>(x);"
        "if ((bits & 0x7fffffffu) > 0x7f800000u) {"
        "    return x;"
        "}"
        "let magnitude = clamp(abs(1.0 / x), 0x1p-64, 0x1p+64);"
        "return bitcast<f32>(bitcast<u32>(magnitude) | (bits & 0x80000000u));"
    }
    /// floor(log2 |x|), exact.
    Exponent "exponent" (x F32) -> F32 {
        "let bits = bitcast<u32>(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return bitcast<f32>(select(bits, 0xff800000u, bits == 0u));"
        "}"
        "return f32(select(i32(bits >> 23u) - 127, i32(firstLeadingBit(bits)) - 149, bits < 0x00800000u));"
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
    }
    /// The exponent that belongs to it.
    FrexpExponent "frexp_exponent" (x F32) -> I32 {
        "let bits = bitcast<u32>(x) & 0x7fffffffu;"
        "if (bits == 0u || bits >= 0x7f800000u) {"
        "    return 0;"
        "}"
        "return select(i32(bits >> 23u) - 126, i32(firstLeadingBit(bits)) - 148, bits < 0x00800000u);"
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
    }
    /// A zero factor wins over infinities and NaN.
    FmaZeroWins "fma_zero_wins" (a F32, b F32, c F32) -> F32 {
        "return select(fma(a, b, c), 0.0 + c, a == 0.0 || b == 0.0);"
    }
    /// A zero factor wins over infinities and NaN.
    MulZeroWins "mul_zero_wins" (a F32, b F32) -> F32 {
        "return select(a * b, 0.0, a == 0.0 || b == 0.0);"
    }
    /// The specular factor of `lit`.
    Lit "lit_specular" (diffuse F32, specular F32, exponent F32) -> F32 needs Pow {
        "let base = select(0.0, specular, specular > 0.0);"
        "let power = select(-128.0, min(exponent, 128.0), exponent >= -128.0);"
        "return select(0.0, pow_ieee(base, power), diffuse > 0.0);"
    }
    /// `pow` of IEEE 754: 1 for the exponent 0, the sign of an odd power, NaN for a negative finite base with a broken
    /// exponent. Vectors have a text of their own.
    Pow "pow_ieee" (base F32, exponent F32) -> F32 needs Bits {}
    /// A call is no constant expression, so that NaN, infinities and denormals get through.
    Bits "bits_to_f32" (bits U32) -> F32 {
        "return bitcast<f32>(bits);"
    }
}

/// Functions that the written code calls.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// For each lane count: a bit for each [`Helper`].
    used: [u64; 5],
    /// Reductions of vectors, by lane count: `sum_3`, `dot_zero_wins_3`.
    pub(super) sum: [bool; 5],
    /// See [`sum`](Self::sum).
    pub(super) dot_zero_wins: [bool; 5],
    /// Reads of one texel: shape, scalar, and whether it is a depth.
    fetches: Vec<(Dim, Scalar, bool)>,
}

impl Helpers {
    /// Notes that a helper is called for vectors of that many lanes.
    pub(super) fn call(&mut self, helper: Helper, lanes: u8) {
        if let Some(used) = self.used.get_mut(usize::from(lanes)) {
            *used |= 1 << helper as u32;
        }
    }

    fn calls(&self, helper: Helper, lanes: usize) -> bool {
        self.used.get(lanes).is_some_and(|used| used >> helper as u32 & 1 == 1)
    }

    /// Notes that a texel is read.
    pub(super) fn fetch(&mut self, dim: Dim, scalar: Scalar, depth: bool) {
        if !self.fetches.contains(&(dim, scalar, depth)) {
            self.fetches.push((dim, scalar, depth));
        }
    }

    /// Appends the functions that were called.
    pub(super) fn write(mut self, out: &mut String) {
        for (dim, scalar, depth) in core::mem::take(&mut self.fetches) {
            fetch(out, dim, scalar, depth);
        }
        for lanes in 2..5 {
            if self.sum[lanes] {
                reduce(out, "sum", &["v"], lanes, "");
            }
            if self.dot_zero_wins[lanes] {
                self.call(Helper::MulZeroWins, 1);
                reduce(out, "dot_zero_wins", &["a", "b"], lanes, Helper::MulZeroWins.name());
            }
        }
        if self.used == [0; 5] {
            return;
        }
        for &helper in Helper::ALL {
            for lanes in 2..5 {
                if self.calls(helper, lanes) {
                    // The vectors of `pow` are written out.
                    let needs = if helper == Helper::Pow { Helper::Bits } else { helper };
                    self.call(needs, 1);
                    vector(out, helper, lanes as u8);
                }
            }
            if !self.calls(helper, 1) {
                continue;
            }
            if let Some(needs) = helper.needs() {
                self.call(needs, 1);
            }
            if helper == Helper::Pow {
                pow(out, 1);
                continue;
            }
            head(out, helper, 1);
            for line in helper.body() {
                out.push_str("    ");
                out.push_str(line);
                out.push('\n');
            }
            out.push_str("}\n");
        }
    }
}

/// Functions that are no [`Helper`], by the first word of their names.
const FAMILIES: &[&str] = &["fetch", "load", "store"];
/// Other functions that are no [`Helper`].
const OTHERS: &[&str] = &["sum", "dot_zero_wins"];

/// Whether a name is one of a function that may be written.
pub(super) fn is_name(name: &str) -> bool {
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
pub(super) fn push_fetch(out: &mut String, dim: Dim, scalar: Scalar, depth: bool) {
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

/// One texel of a level; zero outside.
fn fetch(out: &mut String, dim: Dim, scalar: Scalar, depth: bool) {
    let (axes, arrayed, samples) = (dim.axes(), dim.arrayed(), dim.multisampled());
    let give = type_name(Type::new(scalar, 4));
    let place = type_name(Type::new(Scalar::I32, dim.texel_lanes()));
    let level = if samples { "sample" } else { "level" };
    out.push_str("\nfn ");
    push_fetch(out, dim, scalar, depth);
    out.push_str("(texels: ");
    push_texture_type(out, dim, scalar, depth);
    let of_level = if samples { "" } else { ", level" };
    let texel = match (axes, arrayed) {
        (_, true) => "place.xy",
        _ => "place",
    };
    let inside = match axes {
        1 => format!("u32({texel}) >= textureDimensions(texels{of_level})"),
        n => format!(
            "any({}({texel}) >= textureDimensions(texels{of_level}))",
            type_name(Type::new(Scalar::U32, n))
        ),
    };
    let layer = if arrayed { " || u32(place.z) >= textureNumLayers(texels)" } else { "" };
    let count = if samples { "textureNumSamples(texels)" } else { "textureNumLevels(texels)" };
    let read = format!("textureLoad(texels, {texel}{}, {level})", if arrayed { ", place.z" } else { "" });
    let read = if depth { format!("vec4f({read}, 0.0, 0.0, 1.0)") } else { read };
    out.push_str(&format!(
        ", place: {place}, {level}: i32) -> {give} {{
    if (u32({level}) >= {count} || {inside}{layer}) {{
        return {give}();
    }}
    return {read};
}}
"
    ));
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
pub(super) fn push_helper(out: &mut String, helper: Helper, lanes: u8) {
    push_name(out, helper.name(), lanes);
}

fn head(out: &mut String, helper: Helper, lanes: u8) {
    out.push_str("\nfn ");
    push_helper(out, helper, lanes);
    out.push('(');
    for (i, (name, scalar)) in helper.params().iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(name);
        out.push_str(": ");
        out.push_str(type_name(Type::new(*scalar, lanes)));
    }
    out.push_str(") -> ");
    out.push_str(type_name(Type::new(helper.result(), lanes)));
    out.push_str(" {\n");
}

/// The function for vectors: that for one lane, lane by lane.
fn vector(out: &mut String, helper: Helper, lanes: u8) {
    if helper == Helper::Pow {
        return pow(out, lanes);
    }
    head(out, helper, lanes);
    out.push_str("    return ");
    out.push_str(type_name(Type::new(helper.result(), lanes)));
    out.push_str("(\n");
    for lane in &LANES[..usize::from(lanes.min(4))] {
        out.push_str("        ");
        out.push_str(helper.name());
        push_lanes(out, helper.params().iter().map(|(name, _)| *name), *lane);
        out.push_str(",\n");
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
fn reduce(out: &mut String, name: &str, params: &[&'static str], lanes: usize, function: &str) {
    out.push_str("\nfn ");
    push_name(out, name, lanes as u8);
    for (i, param) in params.iter().enumerate() {
        out.push_str(if i == 0 { "(" } else { ", " });
        out.push_str(param);
        out.push_str(": ");
        out.push_str(type_name(Type::new(Scalar::F32, lanes as u8)));
    }
    out.push_str(") -> f32 {\n    return ");
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

fn pow(out: &mut String, lanes: u8) {
    let ty = |scalar| type_name(Type::new(scalar, lanes));
    let (float, uint) = (ty(Scalar::F32), ty(Scalar::U32));
    let splat = |ty: &str, value: &str| if lanes > 1 { format!("{ty}({value})") } else { value.to_string() };
    let (one, half, zero) = (splat(float, "1.0"), splat(float, "0.5"), splat(float, "0.0"));
    let nan = splat(float, "bits_to_f32(0x7fc00000u)");
    let sign = splat(uint, "0x80000000u");
    let lowest = splat(float, "-0x1.fffffep+127");
    head(out, Helper::Pow, lanes);
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
