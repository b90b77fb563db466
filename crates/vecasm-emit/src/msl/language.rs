//! What is MSL's own in the body of an entry point.

use super::memory::Block;
use super::{Version, rules, words};
use crate::common::Prec;
use crate::text::{Body, Language, Reasons, numbered, reasons};
use alloc::string::{String, ToString};
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Scalar, Shader, Slope, Type};

/// The language in a version.
#[derive(Clone, Copy)]
pub(super) struct Msl(pub(super) Version);

impl Language for Msl {
    const NAME: &'static str = "MSL";
    const PASSES_IMAGES: bool = true;
    const C: bool = true;
    const LOOP: &'static str = "for (;;) {\n";
    const LEAST: &'static str = "(-2147483647 - 1)";
    const FROM_BITS: &'static str = "as_type<float>";
    const COMPARES_BY_CALL: bool = false;
    const POW: &'static str = "precise::pow";
    const DISCARD: &'static str = "discard_fragment();\n";
    const BRACES: bool = true;
    const WRAPS: bool = false;
    const COUNTS_BOOLS: bool = false;
    const SPELT: &'static [(&'static str, &'static str)] = &[
        ("floatBitsToUint(", "as_type<uint>("),
        ("uintBitsToFloat(", "as_type<float>("),
        ("= pow(", "= precise::pow("),
        ("(clamp(", "(precise::clamp("),
    ];
    const REASONS: Reasons = reasons!(atomic: rules::ATOMIC, image: rules::IMAGE, endless: Some(rules::LOOP));
    type Memory = Block;

    fn type_name(ty: Type) -> &'static str {
        numbered(ty)
    }

    /// Metal has no doubles, and 64-bit integers in its later versions alone.
    fn has_wide(self, _: Scalar) -> bool {
        false
    }

    fn is_word(name: &str) -> bool {
        words::is_word(name)
    }

    fn function(self, op: Pure, scalar: Scalar) -> Option<&'static str> {
        let float = scalar == Scalar::F32;
        Some(match op {
            // The fast ones of these leave NaN open, and more.
            Pure::Saturate => "precise::saturate",
            Pure::Rsq => "precise::rsqrt",
            Pure::Sqrt => "precise::sqrt",
            Pure::Exp2 => "precise::exp2",
            Pure::Log2 => "precise::log2",
            Pure::Sin => "precise::sin",
            Pure::Cos => "precise::cos",
            Pure::Min if float => "precise::min",
            Pure::Max if float => "precise::max",
            Pure::Abs if float => "abs",
            Pure::Floor => "floor",
            Pure::Ceil => "ceil",
            Pure::Trunc => "trunc",
            Pure::RoundEven => "rint",
            Pure::Min => "min",
            Pure::Max => "max",
            Pure::Fma => "fma",
            Pure::MulHigh => "mulhi",
            Pure::BitReverse if self.0.since(1) => "reverse_bits",
            _ => return None,
        })
    }

    /// There is one kind of slopes.
    fn slope(self, axis: char, _: Slope) -> &'static str {
        if axis == 'x' { "dfdx" } else { "dfdy" }
    }

    fn bit_fields(self) -> Option<[&'static str; 2]> {
        Some(["extract_bits", "insert_bits"])
    }

    fn push_cast(out: &mut String, _: Scalar, to: Type) {
        out.push_str("as_type<");
        out.push_str(Self::type_name(to));
        out.push('>');
    }

    fn mixes(self, scalar: Scalar) -> bool {
        scalar != Scalar::Bool
    }

    fn version(self) -> String {
        self.0.to_string()
    }

    fn where_else(self, op: Op) -> &'static str {
        match op {
            Op::IsHelper => "; 2.3 and later have it",
            Op::TextureLod { .. } => "; 2.2 and later have it",
            Op::Interpolate { .. } => "; 2.3 has it, but it is not supported",
            op if op.needs_subgroup() => "; later versions have it, but it is not supported",
            _ => "",
        }
    }

    fn own<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], _: u8, min: Prec) -> bool {
        match inst.op {
            Op::TextureLod { .. } if body.lang.0.since(2) => body.lod(inst, args),
            Op::IsHelper if body.lang.0.since(3) => {
                let open = remembers(body.shader) && min > Prec::Or;
                body.out.push_str(if open { "(" } else { "" });
                body.out.push_str("simd_is_helper_thread()");
                body.out.push_str(if remembers(body.shader) { " || demoted" } else { "" });
                body.out.push_str(if open { ")" } else { "" });
            }
            _ => return false,
        }
        true
    }

    fn begin(body: &mut Body<'_, '_, Self>) {
        if remembers(body.shader) {
            body.line();
            body.out.push_str("bool demoted = false;\n");
        }
    }

    fn note_discard(body: &Body<'_, '_, Self>) -> &'static str {
        if remembers(body.shader) { "demoted = true;\n" } else { "" }
    }

    fn texture<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg]) {
        body.texture(inst, args);
    }

    fn read_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], min: Prec) {
        body.read_memory(inst, args, min);
    }

    fn change_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst) -> bool {
        body.change_memory(inst)
    }
}

/// Whether a shader asks whether it is a helper where it may have become one: Metal does not count who was discarded.
fn remembers(shader: &Shader) -> bool {
    let (mut asks, mut ends) = (false, false);
    shader.body.for_each_inst(&mut |inst| {
        asks |= inst.op == Op::IsHelper;
        ends |= inst.op == Op::Demote;
    });
    asks && ends
}
