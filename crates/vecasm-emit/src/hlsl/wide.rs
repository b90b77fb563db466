//! 64-bit values: doubles from model 5.0 on, integers from 6.0 on. What Direct3D has no operation for is a function that gives what
//! the IR says.

use super::Options;
use super::language::Hlsl;
use super::rules::{self, refused};
use crate::plan::Plan;
use crate::text::{Body, Language as _, WideScalars};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{Arg, Pure, Scalar, Shader, Type};
use vecasm_ir::operand::LANES;

/// The 64-bit types of a shader that are pairs of words, because the model has none.
///
/// # Errors
///
/// If they cannot be.
pub(super) fn words_for(
    shader: &Shader,
    plan: &Plan<'_>,
    options: &Options<'_>,
) -> Result<WideScalars, Diagnostic> {
    let model = options.model;
    let soft = WideScalars::of(shader, plan).lacking(Hlsl(model, None));
    if !soft.is_empty() && model.is_old() {
        return Err(refused(
            rules::TYPE,
            format!("shader model {model} has neither 64-bit values nor integers"),
        ));
    }
    match soft.too_broad(shader, plan) {
        Some(what) => Err(refused(rules::TYPE, format!("shader model {model} has no {what}"))),
        None => Ok(soft),
    }
}

/// Appends a number of 64 bits.
pub(super) fn push(out: &mut String, scalar: Scalar, bits: u64) {
    out.push_str(&match scalar {
        Scalar::I64 if bits == 1 << 63 => "(-9223372036854775807L - 1L)".into(),
        Scalar::I64 => format!("{}L", bits as i64),
        Scalar::U64 => format!("{bits}UL"),
        _ => match f64::from_bits(bits) {
            value if value.is_normal() || value == 0.0 => format!("{value:?}L"),
            _ => format!("asdouble({}u, {}u)", bits as u32, bits >> 32),
        },
    });
}

/// The words of a double, and one of words.
const WORDS: [&str; 2] = [
    "
double pack_words(uint2 words) {
    return asdouble(words.x, words.y);
}
",
    "
uint2 unpack_words(double x) {
    uint low;
    uint high;
    asuint(x, low, high);
    return uint2(low, high);
}
",
];

/// Appends what functions call to see the words of doubles.
pub(super) fn words(out: &mut String, functions: &str) {
    if functions.contains("unpack_words(") {
        out.push_str(WORDS[1]);
    }
    if functions.replace("unpack_words(", "").contains("pack_words(") {
        out.push_str(WORDS[0]);
    }
}

/// The function for an operation on doubles that Direct3D has not: its name, its body for one lane, and the one it calls.
const fn function(op: Pure) -> Option<(&'static str, &'static str, Option<Pure>)> {
    Some(match op {
        Pure::Trunc => (
            "trunc_f64",
            "    uint2 words = unpack_words(x);
    int exponent = int((words.y >> 20) & 0x7ffu) - 1023;
    if (exponent < 0) {
        return pack_words(uint2(0u, words.y & 0x80000000u));
    }
    if (exponent >= 52) {
        return x;
    }
    if (exponent < 20) {
        return pack_words(uint2(0u, words.y & ~(0xfffffu >> uint(exponent))));
    }
    return pack_words(uint2(words.x & ~(0xffffffffu >> uint(exponent - 20)), words.y));
",
            None,
        ),
        Pure::Floor => (
            "floor_f64",
            "    double whole = trunc_f64(x);
    return whole > x ? whole - 1.0L : whole;
",
            Some(Pure::Trunc),
        ),
        Pure::Ceil => (
            "ceil_f64",
            "    double whole = trunc_f64(x);
    return whole < x ? whole + 1.0L : whole;
",
            Some(Pure::Trunc),
        ),
        Pure::Fract => ("fract_f64", "    return x - floor_f64(x);\n", Some(Pure::Floor)),
        Pure::RoundEven => (
            "round_f64",
            "    double whole = trunc_f64(x);
    double rest = abs(x - whole);
    bool odd = trunc_f64(whole * 0.5L) != whole * 0.5L;
    if (rest > 0.5L || (rest == 0.5L && odd)) {
        return x < 0.0L ? whole - 1.0L : whole + 1.0L;
    }
    return whole;
",
            Some(Pure::Trunc),
        ),
        // Each step doubles the right digits; a residue is exact, so that the last step rounds right.
        Pure::Sqrt => (
            "sqrt_f64",
            "    uint high = unpack_words(x).y;
    if (x == 0.0L || x != x || high == 0x7ff00000u) {
        return x;
    }
    if (high >> 31 == 1u) {
        return pack_words(uint2(0u, 0x7ff80000u));
    }
    // A denormal times 2^54 is none.
    bool tiny = high < 0x00100000u;
    uint2 words = unpack_words(tiny ? x * 18014398509481984.0L : x);
    int exponent = int(words.y >> 20) - 1023;
    words.y = (words.y & 0xfffffu) | (uint(1023 + (exponent & 1)) << 20);
    double value = pack_words(words);
    double root = double(sqrt(float(value)));
    double step = 0.5L / root;
    root = fma(fma(-root, root, value), step, root);
    step = 0.5L / root;
    root = fma(fma(-root, root, value), step, root);
    root = fma(fma(-root, root, value), step, root);
    return root * pack_words(uint2(0u, uint(1023 + (exponent >> 1) - (tiny ? 27 : 0)) << 20));
",
            None,
        ),
        Pure::Rsq => ("rsq_f64", "    return 1.0L / sqrt_f64(x);\n", Some(Pure::Sqrt)),
        Pure::Saturate => ("sat_f64", "    return x > 0.0L ? min(x, 1.0L) : 0.0L;\n", None),
        Pure::Sign => ("sign_f64", "    return x > 0.0L ? 1.0L : (x < 0.0L ? -1.0L : 0.0L);\n", None),
        _ => return None,
    })
}

impl Body<'_, '_, Hlsl> {
    /// Writes an operation on doubles that Direct3D has not. Tells whether it did.
    pub(super) fn double(&mut self, op: Pure, args: &[Arg], lanes: u8) -> bool {
        let Some(a) = args.first().copied() else { return false };
        if let (Pure::Dot | Pure::Sum, true) = (op, a.lanes > 1) {
            let name = if op == Pure::Dot { "dot_f64" } else { "sum_f64" };
            let ty = Hlsl::type_name(Type::new(Scalar::F64, a.lanes));
            let lanes = &LANES[..usize::from(a.lanes.min(4))];
            let term = |lane: &char| match op {
                Pure::Dot => format!("a.{lane} * b.{lane}"),
                _ => format!("a.{lane}"),
            };
            let terms: Vec<String> = lanes.iter().map(term).collect();
            let more = if op == Pure::Dot { format!(", {ty} b") } else { String::new() };
            self.helpers
                .more(format!("\ndouble {name}({ty} a{more}) {{\n    return {};\n}}\n", terms.join(" + ")));
            self.call(name, args, a.lanes);
            return true;
        }
        let Some((name, ..)) = function(op) else { return false };
        let mut chain = Vec::new();
        let mut next = Some(op);
        while let Some(one) = next {
            chain.push(one);
            next = function(one).and_then(|(.., needs)| needs);
        }
        for one in chain.into_iter().rev() {
            let Some((name, body, _)) = function(one) else { continue };
            self.helpers.more(format!("\ndouble {name}(double x) {{\n{body}}}\n"));
        }
        if lanes > 1 {
            let ty = Hlsl::type_name(Type::new(Scalar::F64, lanes));
            let all: Vec<String> =
                LANES[..usize::from(lanes.min(4))].iter().map(|lane| format!("{name}(x.{lane})")).collect();
            self.helpers
                .more(format!("\n{ty} {name}({ty} x) {{\n    return {ty}({});\n}}\n", all.join(", ")));
        }
        self.call(name, args, lanes);
        true
    }
}
